"""Whatever a bare-metal program holds, it ends, traps, or meets the limit; what it can reach is its memory.

Programs of random instructions with registers that point into memory, so that most accesses arrive; handlers, CSRs,
atomics, code that is written over, several cores. With NUMBA_BOUNDSCHECK=1 (`make test-bounds`) an index out of range
is an error.
"""

import contextlib
import random

import pytest

from pim.config import SystemConfig
from pim.errors import CycleLimitError, GuestTrap
from pim.isa import Op, Program, Segment
from pim.isa.csr import Csr
from pim.isa.encoding import ENCODINGS
from pim.system import BareMachine
from tests.support.assembler import to_bytes
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, SCRATCHPAD_AT, Assembly
from tests.support.bare import machine

MEMORY_BYTES = 4096
LIMIT = 3000
SYSTEMS = {
    "rv64": (machine(), 1),
    "rv32": (machine(extensions="rv32imafdc"), 1),
    "rv64 without c": (machine(extensions="rv64imafd"), 1),
    "row port": (machine(port="row"), 1),
    "three on a chip": (machine("chip", cores_per_location=4, **{"core.line_buffers": 1}), 3),
    "two in a rank": (machine("rank", extensions="rv32imac"), 2),
}
POINTERS = (MEMORY_AT, MEMORY_AT + 2048, MEMORY_AT + MEMORY_BYTES - 8, SCRATCHPAD_AT, MAILBOX_AT, 0, -1)


def random_code(rng: random.Random, xlen: int) -> bytes:
    """Return code that sets up pointers and perhaps a handler, and goes on at random."""
    text = Assembly(xlen)
    for register in rng.sample(range(1, 32), 10):
        text.li(register, rng.choice(POINTERS) + rng.choice((0, 0, 8, 2, 64)))
    if rng.random() < 0.7:
        text.li(31, MEMORY_AT + rng.randrange(0, 1024, 4))
        text.op(Op.CSRRW, rs1=31, imm=Csr.MTVEC)
    rows = [row for row in ENCODINGS.values() if row.min_xlen <= xlen]
    words = []
    while len(words) < 256:
        row = rng.choice(rows)
        word = row.match | rng.getrandbits(32) & ~row.mask_for(xlen)
        if row.op in (Op.JAL, Op.BEQ, Op.BNE, Op.JALR):  # near
            word &= ~(0x7E00_0000 if rng.random() < 0.9 else 0)
        if row.extension == "zicsr" and rng.random() < 0.8:
            word = word & 0xFFFFF | rng.choice(list(Csr)) << 20
        words.append(word if rng.random() < 0.9 else rng.getrandbits(32))
    return text.text() + to_bytes(*words)


def run(system: SystemConfig, code: bytes, n_harts: int, **symbols: int) -> BareMachine:
    """Run code until something ends it."""
    program = Program(system.core.xlen, MEMORY_AT, (Segment(MEMORY_AT, code, len(code), True, True),), symbols)
    loaded = BareMachine(system, program, n_harts=n_harts, memory_bytes=MEMORY_BYTES, cycle_limit=LIMIT)
    with contextlib.suppress(GuestTrap, CycleLimitError):
        loaded.run()
    return loaded


def check(name: str, seed: int) -> None:
    system, n_harts = SYSTEMS[name]
    rng = random.Random(f"{name} {seed}")
    code = random_code(rng, system.core.xlen)[:MEMORY_BYTES]
    symbols = {"tohost": MEMORY_AT + rng.randrange(0, MEMORY_BYTES - 8, 8)} if rng.random() < 0.3 else {}
    loaded = run(system, code, n_harts, **symbols)
    worst_step = 100_000  # one fence, or one fetch with refreshes on the way
    for hart in loaded.group.harts:
        assert hart.cycle <= LIMIT + worst_step, (name, seed)
        assert hart.instret <= hart.cycle
    assert (loaded.group.registers.x[:, 0] == 0).all(), (name, seed)
    if system.core.xlen == 32:
        x = loaded.group.registers.x
        assert (x == x.astype("int32")).all(), (name, seed, "a register of RV32 is not sign-extended")


@pytest.mark.parametrize("name", SYSTEMS)
def test_random_code_ends_within_its_limit(name: str) -> None:
    for seed in range(300):
        check(name, seed)


@pytest.mark.long
@pytest.mark.parametrize("name", SYSTEMS)
def test_much_random_code_ends_within_its_limit(name: str) -> None:
    """Seeds from 100,000 on; 20,000 for each machine, 120,000 in all."""
    for seed in range(100_000, 120_000):
        check(name, seed)
