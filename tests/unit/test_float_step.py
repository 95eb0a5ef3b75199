"""What a floating-point instruction does to a core: rounding mode, accrued flags, destination."""

import numpy as np
import pytest

from pim.config import load_system
from pim.core.float_step import float_operation
from pim.core.state import Core
from pim.isa import Op, decode_text
from pim.isa.encoding import ENCODINGS
from pim.isa.fp_format import DZ, NV, NX, OF, UF
from pim.jit import kernel
from pim.system.levels import make_level_group
from tests.support.assembler import assemble, to_bytes

pytestmark = pytest.mark.plain

ONE, THREE, ZERO, LARGEST, LEAST = 1.0, 3.0, 0.0, np.finfo(np.float64).max, 5e-324
NEAREST_THIRD, THIRD_ABOVE = 0x3FD5_5555_5555_5555, 0x3FD5_5555_5555_5556
STATIC_UP, RESERVED, DYNAMIC = 3, 5, 7
RD, RS1, RS2 = 1, 2, 3


@kernel
def execute(core, code):
    return float_operation(code.op[0], core, code, 0)


@pytest.fixture
def core():
    group = make_level_group(load_system("bank"), 1, 64, 4)
    buffers = group.buffers
    state = (buffers.line, buffers.valid, buffers.dirty, buffers.used, buffers.site_slot, buffers.instruction_line)
    group.registers.f_bits[0, RD] = 7
    return Core(0, group.harts[0], group.registers.x[0], group.registers.f_bits[0], *(array[0] for array in state))


def run(core, op, left=ZERO, right=ZERO, *, rd=RD, rm=0):
    """Execute one instruction on two doubles; return whether its rounding mode is one."""
    core.f_bits[RS1], core.f_bits[RS2] = (np.float64(value).view(np.int64) for value in (left, right))
    code = decode_text(
        to_bytes(assemble(op, rd=rd, rs1=RS1, rs2=RS2 if "T" in ENCODINGS[op].syntax else 0, rm=rm)), 64, "rv64imafdc"
    )
    with np.errstate(all="ignore"):
        return execute(core, code)


def test_static_rounding_mode_goes_before_frm(core):
    core.hart.frm = 1
    assert run(core, Op.FDIV_D, ONE, THREE, rm=STATIC_UP)
    assert core.f_bits[RD] == THIRD_ABOVE


@pytest.mark.parametrize(("frm", "expected"), [(0, NEAREST_THIRD), (1, NEAREST_THIRD), (3, THIRD_ABOVE)])
def test_dynamic_rounding_mode_is_that_of_frm(core, frm, expected):
    core.hart.frm = frm
    assert run(core, Op.FDIV_D, ONE, THREE, rm=DYNAMIC)
    assert core.f_bits[RD] == expected


@pytest.mark.parametrize("frm", [5, 6, 7])
@pytest.mark.parametrize("op", [Op.FADD_D, Op.FSQRT_D, Op.FCVT_W_D])
def test_dynamic_rounding_by_a_reserved_frm_is_no_instruction(core, op, frm):
    core.hart.frm = frm
    assert not run(core, op, -ONE, rm=DYNAMIC)
    assert (core.f_bits[RD], core.x[RD], core.hart.fflags) == (7, 0, 0)
    assert run(core, op, ONE)  # a static mode needs no frm


def test_reserved_frm_does_not_matter_where_nothing_is_rounded(core):
    core.hart.frm = RESERVED
    assert run(core, Op.FMIN_D, ONE, THREE)
    assert core.f_bits[RD] == np.float64(ONE).view(np.int64)


def test_flags_accrue(core):
    for operands, flag in [
        ((Op.FDIV_D, ONE, ZERO), DZ),
        ((Op.FDIV_D, ZERO, ZERO), NV),
        ((Op.FDIV_D, ONE, THREE), NX),
        ((Op.FADD_D, LARGEST, LARGEST), OF),
        ((Op.FDIV_D, LEAST, THREE), UF),
        ((Op.FADD_D, ONE, ONE), 0),
    ]:
        before = core.hart.fflags
        run(core, *operands)
        assert core.hart.fflags & ~before == flag
    assert core.hart.fflags == NV | DZ | OF | UF | NX


def test_integer_result_for_x0_is_dropped_but_raises_flags(core):
    assert run(core, Op.FCVT_W_D, 0.5, rd=0)
    assert (core.x[0], core.hart.fflags) == (0, NX)


def test_integer_result_leaves_floating_point_registers_alone(core):
    assert run(core, Op.FCVT_W_D, -2.0)
    assert (core.x[RD], core.f_bits[RD]) == (-2, 7)
