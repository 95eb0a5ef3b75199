"""From a machine's configuration to the rules of the reference timing model, level by level as docs/timing.md says."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pim.config import ClassCycles, Level, SystemConfig
from pim.dram import HostUse
from pim.isa import Program
from pim.system import STACK, BareMachine, CoreTask, GroupRun, run_cores
from pim.system.trace import steps
from tests.reference import dram_timing
from tests.reference.core_timing import CoreRules, Executed, run_together
from tests.reference.dram_timing import Dram, DramRules
from tests.support.assembly import MEMORY_AT
from tests.support.emulator import Emulated

COUNTERS = ("cycles", "instructions", "loads", "stores", "line_fills", "line_writebacks", "instruction_fills")


class Times(NamedTuple):
    """Counters and CPI stack of each core, DRAM clocks until the last core's end, DRAM commands."""

    cores: list[dict[str, int]]
    nck: int
    commands: dict[str, int]


def dram_rules(system: SystemConfig, n_cores: int) -> DramRules:
    timing, inside_die = system.timing.to_kernel(), system.level is not Level.RANK
    n_banks, bursts = system.geometry.bank_groups * system.geometry.banks_per_group, system.column_bursts
    whole_row = system.port == "row"
    return DramRules(
        rcd=timing.nrcd,
        rp=timing.nrp,
        ras=timing.nras,
        cl=timing.nrow_transfer if whole_row else timing.ncl,
        cwl=timing.nrow_transfer if whole_row else timing.ncwl,
        burst=0 if inside_die else timing.nbl,
        ccd_s=timing.nccd_s,
        ccd_l=timing.nrow_transfer if whole_row else timing.nccd_l,
        rrd_s=timing.nrrd_s,
        rrd_l=timing.nrrd_l,
        faw=0 if inside_die and not system.obey_tfaw else timing.nfaw,
        wr=timing.nwr,
        rtp=timing.nrtp,
        wtr_s=timing.nwtr_s,
        wtr_l=timing.nwtr_l,
        refi=timing.nrefi,
        rfc=timing.nrfc,
        n_banks=n_banks,
        one_bus=system.level is not Level.BANK,
        bank_groups=system.geometry.bank_groups,
        in_order=system.controller.scheduling == "fcfs",
        closed_page=system.controller.page == "closed",
        shared=n_cores > 1,
        bursts=bursts if system.level is Level.BANK and bursts is not None and bursts < n_banks else None,
    )


def core_rules(system: SystemConfig, ratio: Fraction, *, shares_memory: bool = False) -> CoreRules:
    core, geometry = system.core, system.geometry
    chips = geometry.chips_per_rank if system.level is Level.RANK else 1
    whole_row = system.port == "row"
    banks = geometry.bank_groups * geometry.banks_per_group
    own_banks = system.level is Level.BANK or (system.has_own_banks and not shares_memory)
    shared_bytes = geometry.device_gbit * 2**30 // 8 * chips
    return CoreRules(
        p=ratio.numerator,
        q=ratio.denominator,
        class_cycles={name: getattr(core.cycles, name) for name in ClassCycles.model_fields},
        taken_penalty=core.taken_branch_penalty,
        load_use_penalty=core.load_use_penalty,
        instruction_line=core.instruction_line_bytes,
        instruction_lines=core.instruction_buffer_bytes // core.instruction_line_bytes,
        line=core.line_bytes,
        sector=core.line_bytes if whole_row else core.sector_bytes,
        ways=core.line_buffers,
        sets=core.line_sets,
        column=None if whole_row else geometry.device_width * chips,
        row=geometry.row_bytes * chips,
        banks_each=banks // system.cores_per_group if own_banks else None,
        window=0 if shares_memory else shared_bytes // system.cores_per_location,
        xlen=system.core.xlen,
    )


def executed(emulated: Emulated, memory: bytes) -> list[Executed]:
    """Return the emulator's trace with the instructions' bits; ``memory`` holds the text."""
    words = {}
    for step in emulated.steps:
        if step.pc not in words:
            at = step.pc - MEMORY_AT
            words[step.pc] = int.from_bytes(memory[at : at + step.size], "little")
    return [Executed(step.pc, words[step.pc], step.size, step.address, step.wrote) for step in emulated.steps]


def stepped(machine: BareMachine) -> list[list[Executed]]:
    """Run a machine made with ``single_step`` to its end; return what each core executed, traps too."""
    traces: list[list[Executed]] = [[] for _ in machine.group.harts]
    for step in steps(machine):
        wrote = step.written is not None and step.written[1] == 0  # what a store-conditional that succeeds returns
        address = step.access.address if step.access else None
        stored = step.access.value if step.access else 0
        trapped = step.trap is not None
        traces[step.hart_id].append(Executed(step.pc, step.word, step.size, address, wrote, trapped, stored))
    return traces


def simulate(
    system: SystemConfig, program: Program, memories: Sequence[bytes], host_use: HostUse | None = None
) -> GroupRun:
    """Run a program on one core per memory; each memory starts as given and is read back whole."""
    tasks = [CoreTask((), ((MEMORY_AT, np.frombuffer(m, np.uint8)),), ((MEMORY_AT, len(m)),)) for m in memories]
    return run_cores(system, program, tasks, cycle_limit=10**8, host_use=host_use)


def predicted(
    system: SystemConfig,
    ratio: Fraction,
    traces: list[list[Executed]],
    *,
    shares_memory: bool = False,
    host: dram_timing.HostUse | None = None,
) -> Times:
    """Return what the reference model says; ``ratio`` is the core's clock over the DRAM's."""
    rules = core_rules(system, ratio, shares_memory=shares_memory)
    dram = Dram(dram_rules(system, len(traces) + (host is not None)), host)
    outcomes = run_together(rules, dram, traces)
    end = -(-max(outcome.cycles for outcome in outcomes) * rules.q // rules.p)
    counters = [{name: getattr(outcome, name) for name in COUNTERS} | outcome.parts for outcome in outcomes]
    return Times(counters, end, dram.commands | {"REF": end // dram.rules.refi})


def measured(run: GroupRun) -> Times:
    counters = [{name: getattr(core, name) for name in COUNTERS} | dict(zip(STACK, core.stack, strict=True))
                for core in run.cores]  # fmt: skip
    return Times(counters, run.nck, run.commands)
