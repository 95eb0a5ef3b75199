"""The tables of docs/area.md from the model: `python -m pim.area.document` writes them anew."""

from pathlib import Path

from pim.area.report import Site, core_area, share_of
from pim.config import SystemConfig, load_system, with_overrides
from pim.documents import fill
from pim.technology import FIGURES, Band, Case, Group
from pim.technology.synthesis import synthesis

DOCUMENT = Path(__file__).parents[2] / "docs" / "area.md"
PUBLISHED_SHARE = 0.04
"""Of the bank, "below 4 %" (ISCA 2026, footnote 1, on the Computing Frontiers 2021 study)."""

SITES = {"bank": Site.BANK, "chip": Site.CHIP, "rank": Site.BUFFER}
AROUND_THE_CORE = {
    "pim_mailbox", "pim_line_buffers", "pim_scratchpad", "pim_dma", "pim_bank_controller", "pim_bank",
}  # fmt: skip
BANKS = {"rv64, column": "RV64", "rv64, row": "RV64, row port", "rv32, column": "RV32"}
MACHINES: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("default bank core", "bank", {}),
    ("RV32", "bank", {"core.extensions": "rv32imc"}),
    ("FPU (F, D)", "bank", {"core.extensions": "rv64imfdc"}),
    ("one line buffer", "bank", {"core.line_buffers": 1}),
    ("eight line buffers", "bank", {"core.line_buffers": 8}),
    ("scratchpad 4 KB", "bank", {"core.scratchpad_bytes": 4096}),
    ("instruction buffer 4 KB", "bank", {"core.instruction_buffer_bytes": 4096}),
    ("row port", "bank", {"port": "row"}),
    ("RV32, one line buffer", "bank", {"core.extensions": "rv32imc", "core.line_buffers": 1}),
    ("1 core on the chip", "chip", {}),
    ("4 cores on the chip", "chip", {"cores_per_location": 4}),
    ("16 cores on the chip", "chip", {"cores_per_location": 16}),
    ("16 cores with FPU on the chip", "chip", {"cores_per_location": 16, "core.extensions": "rv64imfdc"}),
    ("4 cores in the buffer", "rank", {}),
    ("16 cores in the buffer", "rank", {"cores_per_location": 16}),
)


def machine(level: str, changes: dict[str, object]) -> SystemConfig:
    """Return a preset with changes."""
    return with_overrides(load_system(level), changes)


def parts_table() -> str:
    """Return the default bank core by purpose."""
    report = core_area(load_system("bank"))
    rows = ["| part | gates (kGE) | SRAM (B) | area (mm²) | share of the bank |", "|---|---|---|---|---|"]
    bank_mm2 = report.die_mm2 / report.banks_per_die
    for group in Group:
        parts = [row for row in report.rows if row.group is group]
        if parts:
            gates = sum((row.kilo_gates for row in parts), Band.same(0.0))
            sram_bytes = sum(row.sram_bytes for row in parts)
            rows.append(_part(group.value, gates, sram_bytes, report.group_mm2(group), bank_mm2))
    gates = sum((row.kilo_gates for row in report.rows), Band.same(0.0))
    sram_bytes = sum(row.sram_bytes for row in report.rows)
    rows.append(_part("**whole core**", gates, sram_bytes, report.core_mm2, bank_mm2))
    return "\n".join(rows)


def process_table() -> str:
    """Return the default bank core's share of its bank under each assumption about the process."""
    report = core_area(load_system("bank"))
    bank_mm2 = report.die_mm2 / report.banks_per_die
    factors = FIGURES.dram_process_factor.band
    rows = ["| assumption | factor | core (mm²) | share of the bank | against 4 % |", "|---|---|---|---|---|"]

    def row(name: str, factor: float, mm2: float) -> str:
        share = mm2 / bank_mm2
        return f"| {name} | {factor:g} | {mm2:.3f} | {share:.1%} | {_times(share / PUBLISHED_SHARE)} |"

    nominal = report.core_mm2.nominal / factors.nominal
    rows += [row(f"{case.value} process", factors.of(case), nominal * factors.of(case)) for case in Case]
    for case in (Case.OPTIMISTIC, Case.PESSIMISTIC):
        rows.append(row(f"everything {case.value}", factors.of(case), report.core_mm2.of(case)))
    return "\n".join(rows)


def machines_table() -> str:
    """Return configurations by level, with their share of bank, die and buffer."""
    rows = [
        "| machine | sits on | cores | gates of a core (kGE) | a core (mm²) | share of bank, chip or buffer |",
        "|---|---|---|---|---|---|",
    ]
    for name, level, changes in MACHINES:
        report = core_area(machine(level, changes))
        site = SITES[level]
        cores = report.cores_per_die // report.banks_per_die if site is Site.BANK else report.cores_per_die
        gates = sum((row.kilo_gates for row in report.rows), Band.same(0.0))
        shares = Band(*(share_of(report, site, case) for case in Case))
        rows.append(
            f"| {name} | {site.value} | {cores} | {_range(gates, '.0f')} | {_range(report.core_mm2, '.3f')} "
            f"| {_range(shares, '.1%')} |"
        )
    return "\n".join(rows)


def blocks_table() -> str:
    """Return the blocks as synthesised, kGE in osu018 and sky130."""
    found = {name: synthesis().bank(name) for name in BANKS}
    blocks = sorted({block for row in found.values() for block in row.osu018.blocks})
    rows = ["| block | " + " | ".join(BANKS.values()) + " |", "|---" * (len(BANKS) + 1) + "|"]

    def cell(ge: list[int]) -> str:
        return " / ".join(f"{value / 1000:.2f}" for value in ge)

    for block in blocks:
        cells = [
            cell([result.blocks[block].ge for result in row.results]) if block in row.osu018.blocks else "-"
            for row in found.values()
        ]
        rows.append(f"| `{block}` | {' | '.join(cells)} |")
    totals = [cell([result.total.ge for result in row.results]) for row in found.values()]
    rows.append(f"| **all** | {' | '.join(totals)} |")
    counts = [" / ".join(f"{result.total.cells:,}" for result in row.results) for row in found.values()]
    rows.append(f"| cells | {' | '.join(counts)} |")
    return "\n".join(rows)


def ours_table() -> str:
    """Return the core alone, as published gate counts have it, in RV64 and RV32: kGE in osu018 and sky130."""
    rows = ["| ours | RV64IMC | RV32IMC |", "|---|---|---|"]
    found = [synthesis().bank("rv64, column"), synthesis().bank("rv32, column")]
    registers = {"pim_register_file"}
    for name, left_out in (
        ("core alone: no mailbox, line buffers, DMA, bank controller", AROUND_THE_CORE),
        ("the same without registers", AROUND_THE_CORE | registers),
        (
            "the same without multiplier and divider too",
            AROUND_THE_CORE | registers | {"pim_multiplier", "pim_divider"},
        ),
    ):
        cells = [
            " / ".join(
                f"{sum(cells.ge for block, cells in result.blocks.items() if block not in left_out) / 1000:.1f}"
                for result in row.results
            )
            for row in found
        ]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def depth_table() -> str:
    """Return the longest path into each block of the default bank core, in cells."""
    row = synthesis().bank("rv64, column")
    rows = ["| ends in | osu018 | sky130 | begins in |", "|---|---|---|---|"]
    ends = sorted(row.osu018.depth, key=lambda end: -row.osu018.depth[end].cells)
    for end in ends:
        paths = [result.depth[end] for result in row.results]
        begins = " / ".join(dict.fromkeys(path.start for path in paths))
        rows.append(f"| {_code(end)} | {paths[0].cells} | {paths[1].cells} | {begins} |")
    deepest = {
        name: " / ".join(str(max(path.cells for path in result.depth.values())) for result in found.results)
        for name, found in ((name, synthesis().bank(key)) for key, name in BANKS.items())
    }
    return "\n".join(
        [*rows, "", "Longest of all: " + "; ".join(f"{name} {cells}" for name, cells in deepest.items()) + "."]
    )


def sizes_table() -> str:
    """Return line buffers' control and fetch unit over their sizes."""
    rows = ["| block | parameters | osu018 (kGE) | sky130 (kGE) | depth |", "|---|---|---|---|---|"]
    for row in synthesis().results:
        if not row.name:
            sizes = ", ".join(f"{name} {value}" for name, value in row.parameters.items())
            gates = " | ".join(f"{result.total.ge / 1000:.2f}" for result in row.results)
            depth = " / ".join(str(max(path.cells for path in result.depth.values())) for result in row.results)
            rows.append(f"| `{row.top}`{' (check)' if row.check else ''} | {sizes} | {gates} | {depth} |")
    return "\n".join(rows)


TABLES = {
    "parts": parts_table,
    "process": process_table,
    "machines": machines_table,
    "ours": ours_table,
    "blocks": blocks_table,
    "depth": depth_table,
    "sizes": sizes_table,
}


def _part(name: str, gates: Band, sram_bytes: int, mm2: Band, bank_mm2: float) -> str:
    share = mm2 * (1 / bank_mm2)
    return (
        f"| {name} | {_range(gates, '.1f') if gates.nominal else '-'} | {sram_bytes or '-'} | {_range(mm2, '.4f')} "
        f"| {_range(share, '.2%')} |"
    )


def _range(band: Band, form: str) -> str:
    return f"{band.nominal:{form}} ({band.optimistic:{form}} to {band.pessimistic:{form}})"


def _times(ratio: float) -> str:
    return f"{ratio:.2f} times"


def _code(name: str) -> str:
    return f"`{name}`" if name.startswith("pim_") else name


if __name__ == "__main__":
    fill(DOCUMENT, TABLES)
