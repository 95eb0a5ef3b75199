"""One top of the RTL through Yosys: elaboration with its checks, mapping to cells, areas by block, mapped netlist."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SOURCES = Path(__file__).parents[1] / "src"
BLACK_BOX = "pim_sram"


@dataclass(frozen=True)
class Block:
    """Cells of one block without the blocks in it, all its instances together.

    Attributes
    ----------
    cells : int
    um2 : float
        Sum of the cells' areas in um2, before placement.
    """

    cells: int
    um2: float


@dataclass(frozen=True)
class Mapped:
    """One mapped top: its blocks by name, and its flattened netlist as Yosys writes it; cells know their block."""

    blocks: dict[str, Block]
    netlist: dict[str, Any]


def elaborate(top: str, parameters: dict[str, int]) -> None:
    """Raise RuntimeError with Yosys's words if a top is not hardware: latches, combinational loops, undriven nets."""
    with TemporaryDirectory() as folder:
        _run([*_read(), *_elaboration(top, parameters)], Path(folder))


def synthesise(top: str, parameters: dict[str, int], liberty: Path) -> Mapped:
    """Map a top to a library's cells, each module by itself; SRAM stays a black box.

    Raises
    ------
    RuntimeError
        As `elaborate`, before mapping and after.
    """
    with TemporaryDirectory() as folder:
        work = Path(folder)
        _run(
            [
                *_read(),
                f"read_liberty -lib -ignore_miss_func {liberty}",
                *_elaboration(top, parameters),
                f"synth -run begin:check -top {top}",
                f"dfflibmap -liberty {liberty}",
                f"abc -liberty {liberty}",
                "opt_clean",
                "check -assert",
                f"write_json {work}/blocks.json",
                "flatten -noscopeinfo",
                "check -assert",
                f"select {top}",
                f"write_json -selected {work}/netlist.json",
            ],
            work,
        )
        modules = json.loads((work / "blocks.json").read_text())["modules"]
        netlist = json.loads((work / "netlist.json").read_text())["modules"][top]
    areas = cell_areas(liberty.read_text())
    _name_blocks(top, modules, netlist)
    cells: dict[str, int] = {}
    um2: dict[str, float] = {}
    for cell in netlist["cells"].values():
        if plain(cell["type"]) != BLACK_BOX:
            cells[cell["block"]] = cells.get(cell["block"], 0) + 1
            um2[cell["block"]] = um2.get(cell["block"], 0.0) + areas[cell["type"]]
    return Mapped({block: Block(cells[block], um2[block]) for block in sorted(cells)}, netlist)


def plain(module: str) -> str:
    """Return a module's name without what its parameters add to it."""
    return re.sub(r"^\\?(\$paramod(\$[0-9a-f]+)?\\)?(\w+).*$", r"\3", module)


def cell_areas(liberty_text: str) -> dict[str, float]:
    """Return the area of every cell of a library in um2."""
    found = re.findall(r'\bcell\s*\(\s*"?(\w+)"?\s*\)\s*{.*?\barea\s*:\s*([\d.]+)', liberty_text, re.DOTALL)
    return {name: float(area) for name, area in found}


def _read() -> list[str]:
    files = [path for path in sorted(SOURCES.glob("*.sv")) if path.stem != BLACK_BOX]
    files.sort(key=lambda path: not path.stem.endswith("_pkg"))
    return [
        f"read_verilog -sv -DSYNTHESIS -I{SOURCES} {' '.join(map(str, files))}",
        f"read_verilog -sv -lib {SOURCES / BLACK_BOX}.sv",
    ]


def _elaboration(top: str, parameters: dict[str, int]) -> list[str]:
    chosen = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    return [
        f"hierarchy -check -top {top}{chosen}",
        "proc",
        "check -assert",
        "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr",
    ]


def _run(commands: list[str], work: Path) -> None:
    """Run Yosys in a process of its own: an error ends it, with the reason in the log."""
    script, log = work / "script.ys", work / "log"
    script.write_text("\n".join(commands) + "\n")
    run = f"from pyosys import libyosys as y; y.run_pass({f'tee -q -o {log} script {script}'!r}, y.Design())"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=False)
    said = log.read_text() if log.exists() else ""
    if done.returncode or "ERROR:" in said:
        problem = re.search(r"ERROR:.*", said + done.stdout + done.stderr)
        raise RuntimeError(problem[0] if problem else f"Yosys has failed: {done.stderr[-500:]}")


def _name_blocks(top: str, modules: dict[str, Any], netlist: dict[str, Any]) -> None:
    """Give every cell of the flattened netlist the name of the block it is in."""
    module_at = {(): top}
    todo: list[tuple[str, ...]] = [()]
    while todo:
        path = todo.pop()
        for name, cell in modules[module_at[path]]["cells"].items():
            if cell["type"] in modules and plain(cell["type"]).startswith("pim_"):
                module_at[*path, name] = cell["type"]
                todo.append((*path, name))
    for name, cell in netlist["cells"].items():
        parts = name.removeprefix("$flatten").replace("\\", "").split(".")
        path = next(tuple(parts[:n]) for n in range(len(parts), -1, -1) if tuple(parts[:n]) in module_at)
        inside = plain(module_at[path])
        cell["block"] = plain(module_at[path[:-1]]) if inside == BLACK_BOX else inside
