"""The shipped synthesis: consistent in itself, and straight lines between its sizes are near what lies between them."""

import pytest

from pim.area.document import DOCUMENT, TABLES
from pim.documents import filled
from pim.errors import ConfigError
from pim.technology.blocks import bank_blocks, fetch_control, line_buffer_control
from pim.technology.synthesis import Row, synthesis

NAND2_UM2 = {"osu018": 24.0, "sky130": 3.7536}
"""SIZE of NAND2X1 and of sky130_fd_sc_hd__nand2_1 in the libraries' LEF files."""

FLIP_FLOP_GE = 4
"""The smallest of both libraries, osu018's DFFPOSX1: 96 um2."""


def identifier(row: Row) -> str:
    return row.name or f"{row.top} {list(row.parameters.values())}"


CHECKS = [row for row in synthesis().results if row.check]
BANKS = [row for row in synthesis().results if row.name]


@pytest.mark.parametrize("row", synthesis().results, ids=identifier)
def test_areas_add_up_and_are_in_gate_equivalents(row: Row) -> None:
    for result, gate in zip(row.results, NAND2_UM2.values(), strict=True):
        assert result.total.um2 == pytest.approx(
            sum(block.um2 for block in result.blocks.values()), abs=0.06 * len(result.blocks)
        )
        assert result.total.cells == sum(block.cells for block in result.blocks.values())
        for block in (result.total, *result.blocks.values()):
            assert block.ge == pytest.approx(block.um2 / gate, abs=0.51)


@pytest.mark.parametrize("row", BANKS, ids=identifier)
def test_blocks_have_room_for_their_registers(row: Row) -> None:
    """31 registers; 16 arguments and RETURN of 64 bits; two 64-bit counters; two 64-bit words of the window."""
    xlen = row.parameters.get("Xlen", 64)
    bits = {"pim_register_file": 31 * xlen, "pim_mailbox": 17 * 64, "pim_csr": 2 * 64, "pim_fetch": 2 * 64 + xlen}
    for result in row.results:
        for block, n_bits in bits.items():
            assert result.blocks[block].ge > FLIP_FLOP_GE * n_bits


def test_libraries_agree_within_their_known_spread() -> None:
    """20 %: what cores of others differ by between the same libraries."""
    for row in BANKS:
        assert row.sky130.total.ge == pytest.approx(row.osu018.total.ge, rel=0.2)


@pytest.mark.parametrize("row", CHECKS, ids=identifier)
def test_lines_between_sizes_meet_what_lies_between(row: Row) -> None:
    sizes = row.parameters
    if row.top == "pim_line_buffers":
        sectors = 1024 // sizes["SectorBytes"]
        row_bytes = 1024 * (sizes["PortBytes"] == 1024)
        area = line_buffer_control(sizes["LineBuffers"], sectors, sizes["MemoryBits"], 1024, row_bytes)
    else:
        lines = sizes["BufferBytes"] // 64
        area = fetch_control(lines, sizes["MemoryBits"], 64, sizes["FillBytes"], sizes["Xlen"])
    assert area.nominal == pytest.approx(row.band().nominal, rel=0.08)


def test_a_block_alone_is_as_large_as_in_the_bank_core() -> None:
    """Within 2 %: Yosys takes cells in another order."""
    bank = synthesis().bank("rv64, column")
    row = synthesis().bank("rv64, row")
    for alone, block, core in (
        (line_buffer_control(5, 16, 26, 1024), "pim_line_buffers", bank),
        (fetch_control(16, 26, 64, 8, 64), "pim_fetch", bank),
        (line_buffer_control(5, 1, 26, 1024, 1024), "pim_line_buffers", row),
        (fetch_control(16, 26, 64, 64, 64), "pim_fetch", row),
    ):
        assert alone.nominal == pytest.approx(core.band(block).nominal, rel=0.02)


def test_the_port_changes_only_what_is_as_wide() -> None:
    bank, row = synthesis().bank("rv64, column"), synthesis().bank("rv64, row")
    wide = {"pim_line_buffers", "pim_fetch", "pim_scratchpad", "pim_dma", "pim_bank"}
    for block in set(bank.osu018.blocks) - wide:
        assert row.band(block).nominal == pytest.approx(bank.band(block).nominal, rel=0.05, abs=0.05), block


def test_more_of_anything_costs_gates() -> None:
    base = line_buffer_control(5, 16, 26, 1024).nominal
    for more in ((6, 16, 26, 1024), (5, 17, 26, 1024), (5, 16, 27, 1024), (20, 16, 26, 1024), (5, 16, 26, 512)):
        assert line_buffer_control(*more).nominal > base


def test_the_scratchpads_size_hardly_matters_to_the_gates() -> None:
    gates = [row.band().nominal for row in synthesis().results if row.top == "pim_load_store"]
    assert max(gates) - min(gates) < 0.1
    assert len(gates) == 3


def test_paths_are_longer_than_an_adders_logarithm() -> None:
    """A 64-bit adder from registers needs 7 levels at least; each bank core has one before its registers."""
    for row in BANKS:
        for result in row.results:
            assert max(path.cells for path in result.depth.values()) > 7
            assert result.depth["pim_register_file"].cells > 0


def test_what_was_not_synthesised_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no bank core 'rv128, column'"):
        bank_blocks(128)
    with pytest.raises(ConfigError, match="pim_fetch was not synthesised with"):
        synthesis().point("pim_fetch", BufferBytes=3)


def test_the_documents_tables_are_the_models() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert filled(text, TABLES) == text, "python -m pim.area.document writes them anew"
