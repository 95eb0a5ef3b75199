"""Time of bare-metal programs against the reference model: trap handlers, CSRs, atomics, cores that share memory.

What each core executed comes from single steps; how long it takes, from `tests/reference/core_timing.py`. The steps are
those of the same programs in one run, as what a core does here depends on no other core's time.
"""

import random
from fractions import Fraction

import pytest

from pim.config import load_system, with_overrides
from pim.isa import Op
from pim.isa.csr import Csr
from pim.system import BareMachine
from tests.support.assembly import MEMORY_AT, Assembly
from tests.support.bare import load
from tests.support.timing_bridge import measured, predicted, stepped

MACHINES = {
    "bank": ({}, 1, Fraction(1, 6)),
    "bank, row port": ({"port": "row"}, 1, Fraction(1, 6)),
    "chip": ({"cores_per_location": 4}, 3, Fraction(1, 6)),
    "chip, one buffer": (
        {"cores_per_location": 2, "core.line_buffers": 1, "core.line_bytes": 64},
        2,
        Fraction(1, 6),
    ),
    "rank": ({"cores_per_location": 4}, 4, Fraction(5, 6)),
    "rank, much refresh": ({"cores_per_location": 2, "timing.trefi_ns": 700.0}, 2, Fraction(5, 6)),
}
SHARED, OWN, OWN_SHIFT = MEMORY_AT + 0x2000, MEMORY_AT + 0x4000, 12
T0, T1, VALUE, LOOP, BASE, COMMON = 5, 6, 7, 9, 18, 19
ATOMICS = (Op.AMOADD_W, Op.AMOSWAP_W, Op.AMOXOR_W, Op.AMOMAX_W, Op.AMOMINU_W)


def program(seed: int, xlen: int) -> Assembly:
    """Return a program whose cores have a page each, and count in common words; every fifth instruction traps."""
    rng, text = random.Random(seed), Assembly(xlen)
    text.address_of(T0, "handler")
    text.op(Op.CSRRW, rs1=T0, imm=Csr.MTVEC)
    text.op(Op.CSRRS, rd=BASE, imm=Csr.MHARTID)
    text.op(Op.SLLI, rd=BASE, rs1=BASE, imm=OWN_SHIFT)
    text.li(T0, OWN)
    text.op(Op.ADD, rd=BASE, rs1=BASE, rs2=T0)
    text.li(COMMON, SHARED)
    text.op(Op.ADDI, rd=LOOP, imm=3)
    text.label("again")
    for _ in range(120):
        something(rng, text)
    text.op(Op.ADDI, rd=LOOP, rs1=LOOP, imm=-1)
    text.op(Op.BNE, "again", rs1=LOOP)
    text.op(Op.CSRRWI, imm=Csr.MTVEC)
    text.exit(0)
    text.label("handler")
    text.op(Op.CSRRS, rd=T1, imm=Csr.MEPC)
    text.op(Op.ADDI, rd=T1, rs1=T1, imm=4)
    text.op(Op.CSRRW, rs1=T1, imm=Csr.MEPC)
    text.op(Op.MRET)
    return text


def something(rng: random.Random, text: Assembly) -> None:
    """Append an access, an atomic operation, a fence, a CSR instruction, or one that traps."""
    offset = 4 * rng.randrange(500)
    match rng.randrange(12):
        case 0 | 1:
            text.op(Op.LW, rd=VALUE, rs1=BASE, imm=offset)
            text.op(rng.choice((Op.ADD, Op.MUL)), rd=T0, rs1=rng.choice((VALUE, T0)), rs2=T0)
        case 2 | 3:
            text.op(Op.SW, rs1=BASE, rs2=rng.choice((VALUE, T0)), imm=offset)
        case 4:
            text.op(Op.LR_W, rd=VALUE, rs1=BASE, imm=rng.randrange(4))
            text.op(Op.SC_W, rd=VALUE, rs1=BASE, rs2=T0, imm=rng.randrange(4))
        case 5:
            text.op(rng.choice(ATOMICS), rd=0, rs1=rng.choice((BASE, COMMON)), rs2=T0, imm=rng.choice((0, 0, 1, 3)))
        case 6:
            text.op(rng.choice((Op.FENCE, Op.FENCE_I, Op.WFI)))
        case 7:
            text.op(rng.choice((Op.CSRRW, Op.CSRRSI)), rd=T0, rs1=VALUE, imm=Csr.MSCRATCH)
        case 8:
            text.op(Op.ECALL)  # a7 is 0
        case 9:
            text.op(Op.EBREAK)
        case 10:
            text.raw(rng.choice((0xFFFF_FFFF, 0x0000_107B)), 4)
        case _:
            text.op(Op.LW, rd=T0, rs1=BASE, imm=1)


def made(seed: int, name: str, xlen: int, *, single_step: bool) -> BareMachine:
    settings, n_harts, _ = MACHINES[name]
    extensions = {"core.extensions": f"rv{xlen}imac"}
    system = with_overrides(load_system(name.partition(",")[0]), settings | extensions)
    return load(program(seed, xlen), system, n_harts=n_harts, single_step=single_step)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("xlen", [64, 32])
@pytest.mark.parametrize("seed", [1, 2])
def test_bare_programs_take_what_the_reference_says(seed: int, name: str, xlen: int) -> None:
    *_, ratio = MACHINES[name]
    traces = stepped(made(seed, name, xlen, single_step=True))
    assert all(sum(step.trapped for step in trace) > 30 for trace in traces)
    run = made(seed, name, xlen, single_step=False)
    times = measured(run.run().group)
    assert times == predicted(run.system, ratio, traces, shares_memory=True)  # one window, for one core too
