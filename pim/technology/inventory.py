"""What one core of a machine consists of: gates and SRAM macros, part by part.

Gates are those of our RTL's synthesis where it has the part; the rest comes from published figures. What cores of a die
share is shared out over them.
"""

from dataclasses import dataclass
from enum import StrEnum

from pim.config import Level, SystemConfig
from pim.technology.band import Band
from pim.technology.blocks import bank_block, bank_blocks, fetch_control, line_buffer_control
from pim.technology.figures import FIGURES
from pim.technology.sram import SramDevice, SramMacro, sram_macro
from pim.technology.synthesis import synthesis

SYNTHESIS = "synthesis of rtl/src in two open libraries"
CACTI = "CACTI 7, 22 nm, 64-bit words"
ROW_ADDRESS_BITS = 17
"""Bits of a row's number, of the largest DDR4 bank with 1 KB rows (JESD79-4)."""
MOST_INSTRUCTION_LINES = 64
"""Lines of the largest instruction buffer that was synthesised, with its tags in registers."""

_PARTS_OF_THEIR_OWN = {
    "pim_register_file", "pim_multiplier", "pim_divider", "pim_expander", "pim_fetch", "pim_line_buffers",
    "pim_mailbox", "pim_bank_controller", "pim_scratchpad", "pim_dma", "pim_bank",
}  # fmt: skip


class Process(StrEnum):
    """Silicon a core is made in."""

    DRAM = "DRAM process"
    LOGIC = "logic process"


class Group(StrEnum):
    """What a part of a core is for."""

    LOGIC = "logic"
    FPU = "FPU"
    INSTRUCTION_BUFFER = "instruction buffer"
    LINE_BUFFERS = "line buffers"
    SCRATCHPAD = "scratchpad"
    INTERFACE = "interface"


@dataclass(frozen=True)
class Component:
    """One part of a core.

    Attributes
    ----------
    name : str
    group : Group
    kilo_gates : Band
        Logic in kGE; 0 for pure SRAM.
    sram : SramMacro or None
        Its macros.
    source : str
        Where the figures come from.
    """

    name: str
    group: Group
    kilo_gates: Band
    sram: SramMacro | None
    source: str


def process_of(system: SystemConfig) -> Process:
    """Return the silicon of the machine's cores: the DIMM's buffer is a logic chip, a DRAM die is not."""
    return Process.LOGIC if system.level is Level.RANK else Process.DRAM


def core_inventory(system: SystemConfig) -> tuple[Component, ...]:
    """Return the parts of one core with its buffers and its share of the interface."""
    device = SramDevice.HIGH_PERFORMANCE if process_of(system) is Process.LOGIC else SramDevice.LOW_STANDBY_POWER
    core = system.core
    macro = sram_macro(core.instruction_buffer_bytes, device)
    scratchpad = sram_macro(core.scratchpad_bytes, device)
    return (
        *_logic(system),
        *_fpu(system),
        _instruction_control(system, device),
        Component("instruction buffer", Group.INSTRUCTION_BUFFER, Band.same(0.0), macro, CACTI),
        *_line_buffers(system, device),
        Component("scratchpad", Group.SCRATCHPAD, Band.same(0.0), scratchpad, CACTI),
        _scratchpad_control(system),
        Component("mailbox", Group.INTERFACE, _block(system, "pim_mailbox"), None, SYNTHESIS),
        Component("port of the bank", Group.INTERFACE, bank_block("pim_bank", 64, system.port), None, SYNTHESIS),
        _controller(system),
        _shared(system),
    )


def _block(system: SystemConfig, name: str) -> Band:
    """Return kGE of a block of the bank core with the machine's register width; the port changes none of these."""
    return bank_block(name, system.core.xlen)


def _logic(system: SystemConfig) -> list[Component]:
    core = system.core
    extensions = core.extensions[4:]
    parts = [Component("registers", Group.LOGIC, _block(system, "pim_register_file"), None, SYNTHESIS)]
    if "m" in extensions:
        product = _block(system, "pim_multiplier") + _block(system, "pim_divider")
        parts.append(Component("multiplier and divider", Group.LOGIC, product, None, SYNTHESIS))
    names = set(bank_blocks(core.xlen)) - _PARTS_OF_THEIR_OWN
    gates = sum((_block(system, name) for name in sorted(names)), Band.same(0.0))
    source = SYNTHESIS
    if "c" in extensions:
        gates = gates + _block(system, "pim_expander")
    if "a" in extensions:
        gates = gates + _block(system, "pim_alu") * FIGURES.atomic_alus.band
        source += f"; A extension: {FIGURES.atomic_alus.source}"
    parts.append(Component("decode, execution, CSRs", Group.LOGIC, gates, None, source))
    return parts


def _fpu(system: SystemConfig) -> list[Component]:
    core = system.core
    if not core.has_fpu:
        return []
    is_double = "d" in core.extensions[4:]
    unit = FIGURES.fpu64_kge if is_double else FIGURES.fpu32_kge
    registers = _block(system, "pim_register_file") * ((64 if is_double else 32) / core.xlen)
    return [
        Component(
            "FPU and its registers",
            Group.FPU,
            unit.band + registers,
            None,
            f"{unit.source}; registers as the core's (assumption: as many ports)",
        )
    ]


def _address_bits(system: SystemConfig) -> int:
    """Return the bits of an address in what a core can reach: its bank, chip or rank."""
    geometry = system.geometry
    reach = geometry.chip_bytes // geometry.banks_per_chip if system.level is Level.BANK else system.group_bytes
    return (reach - 1).bit_length()


def _instruction_control(system: SystemConfig, device: SramDevice) -> Component:
    """Return the fetch unit with the buffer's tags: registers as in the RTL, in SRAM where there are many."""
    core = system.core
    lines, bits = core.instruction_buffer_bytes // core.instruction_line_bytes, _address_bits(system)
    fill_bytes = min(system.row_bytes if system.port == "row" else system.column_bytes, core.instruction_line_bytes)
    tags, source = None, SYNTHESIS
    if lines > MOST_INSTRUCTION_LINES:
        tag_bits = bits - (core.instruction_buffer_bytes.bit_length() - 1) + 1
        tags = sram_macro(-(-tag_bits * lines // 8), device)
        source += f"; the tags of more than {MOST_INSTRUCTION_LINES} lines in SRAM (assumption), {CACTI}"
        lines = 2
    gates = fetch_control(lines, bits, core.instruction_line_bytes, fill_bytes, core.xlen)
    return Component("fetch, tags of the instruction buffer", Group.INSTRUCTION_BUFFER, gates, tags, source)


def _scratchpad_control(system: SystemConfig) -> Component:
    """Return the DMA and what lets it and the core use the scratchpad; both as wide as the port."""
    gates = bank_block("pim_scratchpad", 64, system.port) + bank_block("pim_dma", 64, system.port)
    return Component("DMA, scratchpad's control", Group.SCRATCHPAD, gates, None, SYNTHESIS)


def _line_buffers(system: SystemConfig, device: SramDevice) -> list[Component]:
    """Return SRAM, control and, where every set has several lines, tags in SRAM by way; the row port's latch."""
    core = system.core
    whole_row = system.port == "row"
    sectors = 1 if whole_row else core.line_bytes // core.sector_bytes
    bits = _address_bits(system)
    control = line_buffer_control(
        core.line_buffers, sectors, bits, core.line_bytes, system.row_bytes if whole_row else 0
    )
    source = SYNTHESIS
    tags = None
    if core.line_sets > 1:
        tag_bits = bits - (core.line_bytes.bit_length() - 1) - (core.line_sets.bit_length() - 1)
        tags = sram_macro(-(-(tag_bits + 2 * sectors) * core.line_sets // 8), device, core.line_buffers)
        source += f"; a cache's control as that of as many line buffers (assumption), its tags in SRAM, {CACTI}"
    lines = sram_macro(core.line_sets * core.line_bytes, device, core.line_buffers)
    parts = [
        Component("line buffers", Group.LINE_BUFFERS, Band.same(0.0), lines, CACTI),
        Component("line buffers' control", Group.LINE_BUFFERS, control, tags, source),
    ]
    if whole_row:
        latch = FIGURES.latch_ge
        gates = latch.band * (system.row_bytes * 8 / 1000)
        parts.append(Component("row latch", Group.LINE_BUFFERS, gates, None, f"a latch a bit: {latch.source}"))
    return parts


def _controller(system: SystemConfig) -> Component:
    """Return the controller of the core's bank; at chip and rank one of all banks, which the cores there share."""
    one = _block(system, "pim_bank_controller")
    if system.level is Level.BANK:
        return Component("bank controller", Group.INTERFACE, one, None, SYNTHESIS)
    banks = system.geometry.banks_per_chip
    least = one + FIGURES.flip_flop_ge.band * (banks * ROW_ADDRESS_BITS / 1000)
    most = one * banks
    gates = Band(least.optimistic, (least.nominal + most.nominal) / 2, most.pessimistic)
    source = (
        f"{SYNTHESIS}, for {banks} banks, shared by {system.cores_per_group} cores; assumption: from one controller "
        "and the banks' open rows to a controller for each bank; nominal the mean"
    )
    return Component("controller of all banks", Group.INTERFACE, gates * (1 / system.cores_per_group), None, source)


def _shared(system: SystemConfig) -> Component:
    """Return a core's share of what serves all banks of a die, or of a rank: tRRD and tFAW, the host's commands."""
    gates = synthesis().point("pim_activate_arbiter") + synthesis().point("pim_ddr_decoder")
    share = gates * (1 / system.cores_per_group)
    return Component("share of activate budget and DDR decoder", Group.INTERFACE, share, None, f"{SYNTHESIS}, 16 banks")
