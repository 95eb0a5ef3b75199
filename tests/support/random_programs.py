"""Random programs that end, for comparing two implementations: every operation of I, M, C and, if wanted, A, F, D.

A program loads all registers from memory, runs blocks of random instructions in an order of its own (so that jumps go
forwards and backwards), some of them in loops, and stores all registers. Five registers are kept as pointers and loop
counter; which ones, changes from program to program. Doubles live in f0 to f15, singles in f16 to f31 and numbers of
either kind in places of their own: the emulator takes neither singles without NaN box nor signaling NaNs as it should.
"""

import random
import struct
from dataclasses import dataclass

from pim.isa import Op, Program
from tests.support.assembly import SCRATCHPAD_AT, Assembly
from tests.support.random_bodies import Body, Reserved

DATA = 0x4000  # offsets in memory
BASE = DATA + 2048  # what the base register holds: loads and stores reach 2 KB on both sides
DOUBLES, SINGLES, SAVED = 1024, 1280, 1536  # offsets from BASE; integers are below and from SHORT on
SHORT, STACK, FAR = 2048, 2304, 6144
MEMORY_BYTES = BASE + FAR + 2048 + (1 << 15)
SP = 2

EDGES = (
    *(0, 1, 2, -1, -2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 31, 32, 33, 63, 64),
    *(2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32 - 1, 2**32, 2**63 - 1, -(2**63), -(2**63) + 1),
    *(0x5555_5555_5555_5555, -0x5555_5555_5555_5556, 0x0123_4567_89AB_CDEF),
)


@dataclass(frozen=True)
class RandomProgram:
    """Text, and all of memory as it is before the start."""

    program: Program
    memory: bytes


def random_program(
    seed: int,
    *,
    floating: bool = False,
    atomics: bool | None = None,
    xlen: int = 64,
    n_blocks: int = 12,
    block_length: int = 30,
) -> RandomProgram:
    """Return the random program of this seed; at the default size it executes 1,500 to 4,000 instructions.

    On RV32 it has A unless ``atomics`` is false, but no floating-point numbers; on RV64 it has A with them.
    """
    rng = random.Random(seed)
    stack_in_scratchpad = rng.random() < 0.5
    reserved = _reserve(rng)
    text = Assembly(xlen)
    _load_registers(text, reserved, stack_in_scratchpad, floating)
    body = Body(rng, text, reserved, floating, xlen == 32 if atomics is None else atomics)
    order = list(range(n_blocks))
    rng.shuffle(order)
    place = {block: at for at, block in enumerate(order)}
    body.jump("block 0")
    for block in order:
        text.label(f"block {block}")
        body.block(block, block_length)
        near = block + 1 < n_blocks and place[block + 1] in (place[block] + 1, place[block] - 1)
        body.jump(f"block {block + 1}", near=near)
    text.label(f"block {n_blocks}")
    _store_registers(text, reserved, stack_in_scratchpad, floating)
    code = text.text()
    if len(code) > DATA:
        raise ValueError(f"seed {seed}: the text has {len(code)} bytes, at most {DATA} fit")
    return RandomProgram(text.program(), _memory(rng, code))


def _reserve(rng: random.Random) -> Reserved:
    short = rng.randrange(8, 16)
    others = rng.sample([x for x in range(1, 32) if x not in (SP, short)], 3)
    return Reserved(SP, others[0], short, others[1], others[2])


def _load_registers(text: Assembly, reserved: Reserved, stack_in_scratchpad: bool, floating: bool) -> None:
    base = reserved.base
    text.op(Op.AUIPC, rd=base, imm=DATA)
    text.op(Op.ADDI, rd=base, rs1=base, imm=2047)
    text.op(Op.ADDI, rd=base, rs1=base, imm=1)
    for register, offset in ((reserved.short, SHORT), (reserved.stack, STACK), (reserved.far, FAR)):
        text.li(register, SCRATCHPAD_AT if register == SP and stack_in_scratchpad else offset)
        if register != SP or not stack_in_scratchpad:
            text.op(Op.ADD, rd=register, rs1=register, rs2=base)
    for x in range(1, 32):
        if x not in reserved:
            text.op(_load(text), rd=x, rs1=base, imm=SAVED + 8 * x)
    for f in range(32 if floating else 0):
        at = DOUBLES + 8 * f if f < 16 else SINGLES + 4 * (f - 16)
        text.op(Op.FLD if f < 16 else Op.FLW, rd=f, rs1=base, imm=at)


def _store_registers(text: Assembly, reserved: Reserved, stack_in_scratchpad: bool, floating: bool) -> None:
    for x in range(1, 32):
        text.op(_store(text), rs1=reserved.base, rs2=x, imm=SAVED + 8 * x)
    for f in range(32 if floating else 0):
        at = DOUBLES + 8 * f if f < 16 else SINGLES + 4 * (f - 16)
        text.op(Op.FSD if f < 16 else Op.FSW, rs1=reserved.base, rs2=f, imm=at)
    if stack_in_scratchpad:
        counter, value = [x for x in range(5, 32) if x not in reserved][:2]
        text.li(counter, 512 * 8 // text.xlen)
        text.label("copy")
        text.op(_load(text), rd=value, rs1=SP)
        text.op(_store(text), rs1=reserved.far, rs2=value)
        text.op(Op.ADDI, rd=SP, rs1=SP, imm=text.xlen // 8)
        text.op(Op.ADDI, rd=reserved.far, rs1=reserved.far, imm=text.xlen // 8)
        text.op(Op.ADDI, rd=counter, rs1=counter, imm=-1)
        text.op(Op.BNE, "copy", rs1=counter)
    text.exit()


def _load(text: Assembly) -> Op:
    return Op.LD if text.xlen == 64 else Op.LW


def _store(text: Assembly) -> Op:
    return Op.SD if text.xlen == 64 else Op.SW


def other_memory(program: RandomProgram, seed: int) -> bytes:
    """Return another memory for the program: the same text, other registers and data."""
    return _memory(random.Random(seed), program.program.text)


def _memory(rng: random.Random, code: bytes) -> bytes:
    words = [rng.choice(EDGES) if rng.random() < 0.4 else rng.getrandbits(64) >> rng.randrange(64)
             for _ in range(MEMORY_BYTES // 8)]  # fmt: skip
    memory = bytearray(b"".join((word % 2**64).to_bytes(8, "little") for word in words))
    memory[: len(code)] = code
    memory[len(code) : DATA] = bytes(DATA - len(code))
    for i in range(32):
        memory[BASE + DOUBLES + 8 * i : BASE + DOUBLES + 8 * i + 8] = struct.pack("<d", _number(rng))
    for i in range(64):
        memory[BASE + SINGLES + 4 * i : BASE + SINGLES + 4 * i + 4] = struct.pack("<f", _number(rng))
    for at in [BASE + SHORT + 128 + 8 * i for i in range(16)] + [BASE + STACK + 256 + 8 * i for i in range(32)]:
        memory[at : at + 8] = struct.pack("<d", _number(rng))
    return bytes(memory)


def _number(rng: random.Random) -> float:
    """Return an ordinary number: both precisions hold it or round it."""
    special = (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, 1e-38, 3e38, float("inf"), float("-inf"), 2.0**31, 2.0**63)
    return rng.choice(special) if rng.random() < 0.3 else rng.uniform(-4, 4) * 10.0 ** rng.randrange(-20, 20)
