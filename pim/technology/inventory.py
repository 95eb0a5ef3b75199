"""What one core of a machine consists of: gates and SRAM macros, part by part.

Preliminary: gate counts are published ones of similar units, not yet those of our RTL's synthesis.
"""

from dataclasses import dataclass
from enum import StrEnum

from pim.config import Level, SystemConfig
from pim.technology.band import Band, Case
from pim.technology.figures import FIGURES
from pim.technology.sram import SramDevice, SramMacro, sram_macro

MAILBOX_BITS = 16 * 64 + 64 + 32 + 64 + 20  # arguments, return, code, read data, control: rtl/src/pim_mailbox.sv
ADDRESS_BITS = 34  # a rank's 8 GB, the largest window of the presets; assumption: tags keep all bits above the line
SIGNIFICAND_RATIO = 53 / 24  # bits of binary64 and binary32, IEEE 754


class Process(StrEnum):
    """Silicon a core is made in."""

    DRAM = "DRAM process"
    LOGIC = "logic process"


@dataclass(frozen=True)
class Component:
    """One part of a core.

    Attributes
    ----------
    name : str
    kilo_gates : Band
        Logic in kGE; 0 for pure SRAM.
    sram : SramMacro or None
        Its macros.
    source : str
        Where the figures come from.
    """

    name: str
    kilo_gates: Band
    sram: SramMacro | None
    source: str


def process_of(system: SystemConfig) -> Process:
    """Return the silicon of the machine's cores: the DIMM's buffer is a logic chip, a DRAM die is not."""
    return Process.LOGIC if system.level is Level.RANK else Process.DRAM


def core_inventory(system: SystemConfig) -> tuple[Component, ...]:
    """Return the parts of one core with its buffers and its share of the interface."""
    figures, core = FIGURES, system.core
    device = SramDevice.HIGH_PERFORMANCE if process_of(system) is Process.LOGIC else SramDevice.LOW_STANDBY_POWER
    none = Band.same(0.0)
    cacti = "CACTI 7, 22 nm, 64-bit words"
    parts = [
        Component(
            "core logic",
            figures.rv32imc_core_kge.band * figures.rv64_over_rv32.band,
            None,
            f"{figures.rv32imc_core_kge.source}; x {figures.rv64_over_rv32.source}",
        )
    ]
    if core.has_fpu:
        exponent = figures.fpu64_exponent
        growth = Band(*(SIGNIFICAND_RATIO ** exponent.band.of(case) for case in Case))
        registers = figures.latch_ge.band * (32 * 64 / 1000)
        parts.append(
            Component(
                "FPU and its registers",
                figures.fpu32_kge.band * growth + registers,
                None,
                f"{figures.fpu32_kge.source}; {exponent.source}",
            )
        )
    parts.append(Component("instruction buffer", none, sram_macro(core.instruction_buffer_bytes, device), cacti))
    way_bytes = core.line_sets * core.line_bytes
    parts.append(Component("line buffers", none, sram_macro(way_bytes, device, core.line_buffers), cacti))
    parts.append(_line_state(system, device))
    parts.append(Component("scratchpad", none, sram_macro(core.scratchpad_bytes, device), cacti))
    if system.port == "row":
        latch = figures.latch_ge
        parts.append(Component("row latch", latch.band * (system.row_bytes * 8 / 1000), None, latch.source))
    parts.append(
        Component(
            "interface: mailbox and bank sequencer",
            figures.flip_flop_ge.band * (MAILBOX_BITS / 1000) + figures.bank_sequencer_kge.band,
            None,
            f"{MAILBOX_BITS} bits of rtl/src/pim_mailbox.sv: {figures.flip_flop_ge.source}; "
            f"{figures.bank_sequencer_kge.source}",
        )
    )
    return tuple(parts)


def _line_state(system: SystemConfig, device: SramDevice) -> Component:
    """Return tags, valid and dirty bits: flip-flops where every line is compared at once, else SRAM by way."""
    core = system.core
    sectors = core.line_bytes // core.sector_bytes
    tag_bits = ADDRESS_BITS - (core.line_bytes.bit_length() - 1) - (core.line_sets.bit_length() - 1)
    bits_per_line = tag_bits + 2 * sectors
    if core.line_sets == 1:
        flip_flop = FIGURES.flip_flop_ge
        kilo_gates = flip_flop.band * (bits_per_line * core.line_buffers / 1000)
        return Component("line tags and state", kilo_gates, None, f"flip-flops: {flip_flop.source}")
    way_bytes = -(-bits_per_line * core.line_sets // 8)
    macros = sram_macro(way_bytes, device, core.line_buffers)
    return Component("line tags and state", Band.same(0.0), macros, "CACTI 7, 22 nm, 64-bit words")
