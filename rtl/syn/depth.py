"""Logic depth of a mapped netlist: cells on the longest path between registers, SRAM and ports."""

from collections.abc import Callable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any


@dataclass(frozen=True)
class Depth:
    """The longest path that ends in one block.

    Attributes
    ----------
    cells : int
        Combinational cells on it.
    start, end : str
        What it begins and ends at: a cell's block, or the port.
    """

    cells: int
    start: str
    end: str


def longest_paths(netlist: dict[str, Any], is_register: Callable[[str], bool]) -> dict[str, Depth]:
    """Return the longest path into each block's registers and SRAM, and into the ports (key "ports").

    Paths are structural: false ones and those with several clocks of time are among them.

    Parameters
    ----------
    netlist : dict
        One flat module as Yosys writes it, its cells with their "block".
    is_register : callable
        Whether a cell's type holds state: paths begin at its outputs and end at its inputs.
    """
    cells = netlist["cells"]
    registers = {name: cell for name, cell in cells.items() if is_register(cell["type"])}
    gates = {name: cell for name, cell in cells.items() if name not in registers}
    level = {net: (0, f"port {name}") for name, nets in _ports(netlist, "input") for net in nets}
    level |= {net: (0, cell["block"]) for cell in registers.values() for net in _nets(cell, "output")}
    driver = {net: name for name, cell in gates.items() for net in _nets(cell, "output")}
    sorter = TopologicalSorter(
        {name: [driver[net] for net in _nets(cell, "input") if net in driver] for name, cell in gates.items()}
    )
    try:
        for name in sorter.static_order():
            behind = max((level[net] for net in _nets(gates[name], "input")), default=(0, "constant"))
            level |= dict.fromkeys(_nets(gates[name], "output"), (behind[0] + 1, behind[1]))
    except CycleError as error:
        loop = error.args[1][1:]
        raise RuntimeError(f"a combinational loop through {len(loop)} cells, such as {min(loop)}") from error
    found: dict[str, Depth] = {}
    for cell in registers.values():
        _keep(found, cell["block"], cell["block"], [level[net] for net in _nets(cell, "input")])
    for name, nets in _ports(netlist, "output"):
        _keep(found, "ports", f"port {name}", [level[net] for net in nets])
    return found


def _ports(netlist: dict[str, Any], direction: str) -> list[tuple[str, list[int]]]:
    """Return the ports of a direction with their nets; constants are no nets."""
    return [
        (name, [net for net in port["bits"] if isinstance(net, int)])
        for name, port in netlist["ports"].items()
        if port["direction"] == direction
    ]


def _nets(cell: dict[str, Any], direction: str) -> list[int]:
    return [
        net
        for pin, nets in cell["connections"].items()
        if cell["port_directions"][pin] == direction
        for net in nets
        if isinstance(net, int)
    ]


def _keep(found: dict[str, Depth], key: str, end: str, ends: list[tuple[int, str]]) -> None:
    if ends:
        cells, start = max(ends)
        if key not in found or found[key].cells < cells:
            found[key] = Depth(cells, start, end)
