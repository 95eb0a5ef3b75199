"""The scratchpad's DMA: what it moves, what it costs, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest

from pim.config import load_system, with_overrides
from pim.engines import Engine
from pim.errors import GuestTrap
from pim.isa import Op
from pim.system import BareMachine
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, SCRATCHPAD_AT, Assembly
from tests.support.bare import load, machine, results
from tests.support.dma_programs import DATA, DATA_BYTES, DMA, T0, dma_program, start
from tests.support.timing_bridge import measured, predicted, stepped

pytestmark = pytest.mark.plain

T1, S0 = 6, 8


def transfer(source: int, destination: int, length: int, xlen: int = 64) -> Assembly:
    text = Assembly(xlen)
    text.li(DMA, MAILBOX_AT)
    start(text, source, destination, length)
    text.exit(0)
    return text


def filled(text: Assembly, **options: object) -> BareMachine:
    """Return a loaded program, with numbers in memory and in the scratchpad."""
    loaded = load(text, machine(extensions=f"rv{text.xlen}imc"), **options)
    words = loaded.group.memory.i64
    words[(DATA - MEMORY_AT) // 8 :][: DATA_BYTES // 8] = 1000 + np.arange(DATA_BYTES // 8)
    loaded.group.scratchpad.i64[:] = 5 + np.arange(len(loaded.group.scratchpad.i64))
    return loaded


@pytest.mark.parametrize("xlen", [64, 32])
def test_bytes_come_to_the_scratchpad(xlen: int) -> None:
    loaded = filled(transfer(DATA + 1000, SCRATCHPAD_AT + 16, 48, xlen))
    loaded.run()
    assert loaded.group.scratchpad.i64[:10].tolist() == [5, 6, *range(1125, 1131), 13, 14]
    assert results(loaded, DATA + 1000, 6) == list(range(1125, 1131))


def test_bytes_go_to_memory() -> None:
    loaded = filled(transfer(SCRATCHPAD_AT + 8, DATA + 1016, 24))
    loaded.run()
    assert results(loaded, DATA + 1008, 5) == [1126, 6, 7, 8, 1130]


def test_what_is_stored_before_moves_and_what_is_loaded_after_is_new() -> None:
    text = Assembly()
    text.li(DMA, MAILBOX_AT)
    text.li(S0, DATA)
    text.li(T1, 77)
    text.op(Op.SD, rs1=S0, rs2=T1)
    start(text, DATA, SCRATCHPAD_AT, 8)
    start(text, SCRATCHPAD_AT, DATA + 64, 8)
    text.op(Op.LD, rd=T1, rs1=S0, imm=64)
    text.op(Op.ADDI, rd=10, rs1=T1)
    text.exit()
    assert load(text).run().exit_code == 77


REFUSED = {
    "both in memory": (DATA, DATA + 64, 8),
    "both in the scratchpad": (SCRATCHPAD_AT, SCRATCHPAD_AT + 64, 8),
    "from nowhere": (0x4000_0000, SCRATCHPAD_AT, 8),
    "from the mailbox": (MAILBOX_AT + 0x80, SCRATCHPAD_AT, 8),
    "misaligned source": (DATA + 4, SCRATCHPAD_AT, 8),
    "misaligned destination": (DATA, SCRATCHPAD_AT + 1, 8),
    "part of a column": (DATA, SCRATCHPAD_AT, 12),
    "past the scratchpad": (DATA, SCRATCHPAD_AT + 1016, 16),
    "behind the scratchpad": (DATA, SCRATCHPAD_AT + 1024, 0),
    "past memory": (MEMORY_AT + (1 << 16) - 8, SCRATCHPAD_AT, 16),
    "behind memory": (MEMORY_AT + (1 << 16), SCRATCHPAD_AT, 0),
    "negative length": (DATA, SCRATCHPAD_AT, -8),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("xlen", [64, 32])
def test_what_cannot_move_is_an_access_fault_of_the_start(case: str, xlen: int) -> None:
    with pytest.raises(GuestTrap, match="store access at 0x10000110"):
        filled(transfer(*REFUSED[case], xlen)).run()


@pytest.mark.parametrize(("op", "offset"), [(Op.SW, 0x100), (Op.SD, 0x118), (Op.LD, 0x100), (Op.LD, 0x110)])
def test_only_whole_registers_can_be_stored_to_and_none_read(op: Op, offset: int) -> None:
    text = Assembly()
    text.li(DMA, MAILBOX_AT)
    operands = {"rs2": T0} if op in (Op.SW, Op.SD) else {"rd": T0}
    text.op(op, rs1=DMA, imm=offset, **operands)
    text.exit(0)
    with pytest.raises(GuestTrap, match=r"(store|load) access at 0x100001"):
        load(text).run()


def test_a_transfer_takes_its_rows() -> None:
    """Closed bank: tRCD, then a column each tCCD_L until the last one's data; the second row is a conflict."""
    length, at = 512, DATA + 768  # 256 bytes in each of two rows
    times = measured(filled(transfer(at, SCRATCHPAD_AT, length)).run().group)
    t = load_system("bank").timing.to_kernel()
    columns = 256 // 8
    first = t.nrp + t.nrcd + (columns - 1) * t.nccd_l + t.ncl  # the program's row was open
    second_act = max(t.nrcd + t.nras, t.nrcd + (columns - 1) * t.nccd_l + t.nrtp)
    assert second_act <= first + t.nrp
    second = t.nrp + t.nrcd + (columns - 1) * t.nccd_l + t.ncl
    waits = sum(times.cores[0][part] for part in ("row hit", "row miss", "row conflict", "refresh"))
    assert 0 <= 6 * waits - (first + second) < 6
    assert times.cores[0]["row conflict"] == waits
    assert times.commands["RD"] >= 2 * columns


MACHINES = {
    "bank": ("bank", {}, 1, Fraction(1, 6), 8),
    "bank, row port": ("bank", {"port": "row", "core.scratchpad_bytes": 2048}, 1, Fraction(1, 6), 1024),
    "bank, rv32, much refresh": (
        "bank",
        {"core.extensions": "rv32imc", "timing.trefi_ns": 900.0},
        1,
        Fraction(1, 6),
        8,
    ),
    "chip": ("chip", {"cores_per_location": 4}, 3, Fraction(1, 6), 8),
    "rank": ("rank", {"cores_per_location": 4}, 4, Fraction(5, 6), 64),
}


@pytest.mark.parametrize("name", MACHINES)
def test_transfers_take_what_the_reference_says(name: str) -> None:
    preset, settings, n_harts, ratio, column = MACHINES[name]
    system = with_overrides(load_system(preset), settings)
    text = dma_program(3, system.core.xlen, column=column, scratchpad=system.core.scratchpad_bytes)
    traces = stepped(load(text, system, n_harts=n_harts, single_step=True))
    times = predicted(system, ratio, traces, shares_memory=True)
    for engine in Engine:
        assert measured(load(text, system, n_harts=n_harts, engine=engine).run().group) == times
