"""Launches of a kernel on the machine: placed on every core, simulated on sampled groups, checked against the host.

The time of a launch is that of the slowest simulated core; what that says about the others is in
``mapreduce.sampling``.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from mapreduce.api import Job
from mapreduce.call import Array, Call, Outcome
from mapreduce.compile import kernel_elf
from mapreduce.exceptions import Raised, describe_status, exception_table
from mapreduce.kernel import Kernel
from mapreduce.place import Placed, aligned, place
from mapreduce.sampling import Sampling, choose_groups, enough_groups, summarise
from pim.config import SystemConfig
from pim.engines import Engine
from pim.errors import ResultMismatchError
from pim.isa import Program, load_elf
from pim.system import STACK, CoreRun, CoreTask, GroupRun, run_cores

Progress = Callable[[str, int, int], None]
"""Called with what is simulated, how many groups of it are done, and of how many."""


@dataclass(frozen=True)
class KernelRun:
    """One launch of a kernel on the machine.

    Attributes
    ----------
    kernel : str
    seconds : float
        Until the slowest simulated core was done.
    sampling : Sampling
    counters : dict
        Means per simulated core: cycles, instructions, loads, stores, line_fills, line_writebacks, instruction_fills.
    cpi_stack : dict
        Core cycles per simulated core by cause (``pim.system.STACK``); their sum is the counter ``cycles``.
    commands : dict
        DRAM commands per simulated group (a chip's, at rank level those of a rank's chips in lockstep).
    bank_open_seconds : float
        Time with a row open or refreshing, summed over a group's banks, per simulated group.
    """

    kernel: str
    seconds: float
    sampling: Sampling
    counters: dict[str, float]
    cpi_stack: dict[str, float]
    commands: dict[str, float]
    bank_open_seconds: float


class Launcher:
    """The machine during one job run: programs, placement, launches so far (``runs``)."""

    def __init__(
        self,
        job: Job,
        system: SystemConfig,
        sample_groups: int | None,
        progress: Progress | None,
        threads: int,
        cycle_limit: int,
        engine: Engine,
    ) -> None:
        self.system = system
        self.runs: list[KernelRun] = []
        self._sample_groups, self._progress = sample_groups, progress
        self._threads, self._cycle_limit, self._engine = threads, cycle_limit, engine
        elfs = {
            kernel.name: kernel_elf(kernel, system.core.extensions) for kernel in (job.map_kernel, job.reduce_kernel)
        }
        self._elfs = elfs
        self._programs: dict[str, Program] = {name: load_elf(elf) for name, elf in elfs.items()}
        self._exceptions = {name: exception_table(elf) for name, elf in elfs.items()}
        self._start = aligned(max(program.end for program in self._programs.values()))
        self._resident_end = [self._start] * system.n_cores

    def program_bytes(self, kernel: Kernel) -> int:
        """Return the bytes that the kernel's program takes in the memory of all cores."""
        segments = self._programs[kernel.name].segments
        return self.system.n_cores * sum(segment.memory_bytes for segment in segments)

    def launch(self, calls: Sequence[Call | None], outcomes: Sequence[Outcome | None]) -> float:
        """Simulate sampled groups of a launch and check them against ``outcomes``. Appends to ``runs``.

        Returns the seconds until the slowest simulated core was done; 0 if no core has work.
        """
        per_group = self.system.cores_per_group
        placed = [None if call is None else self._place(core, call) for core, call in enumerate(calls)]
        sizes = [0 if p is None else 1 + sum(array.nbytes for array in p.call.inputs) for p in placed]
        group_sizes = [max(sizes[i : i + per_group]) for i in range(0, len(sizes), per_group)]
        n_cores, n_groups = (sum(size > 0 for size in of) for of in (sizes, group_sizes))
        kernel = next((call.kernel for call in calls if call is not None), None)
        if kernel is None:
            return 0.0
        wanted = self._sample_groups
        if wanted is not None:
            wanted = enough_groups(wanted, per_group, n_cores, n_groups)
        groups = choose_groups(group_sizes, wanted)

        def simulate(group: int) -> GroupRun:
            cores = [core for core in range(group * per_group, (group + 1) * per_group) if sizes[core]]
            return self._simulate(cores, placed, outcomes)

        done: list[GroupRun] = []
        with ThreadPoolExecutor(self._threads) as pool:
            for run in pool.map(simulate, groups):
                done.append(run)
                if self._progress is not None:
                    self._progress(kernel.name, len(done), len(groups))
        self.runs.append(_summary(kernel, done, n_cores, n_groups))
        return self.runs[-1].seconds

    def _place(self, core: int, call: Call) -> Placed:
        """Place a call after the program; one without resident inputs keeps those of the calls before."""
        keeps = call.input_bytes(resident=True) == 0
        placed = place(call, self.system, self._resident_end[core] if keeps else self._start, core)
        self._resident_end[core] = max(self._resident_end[core], placed.resident_end)
        return placed

    def _simulate(
        self, cores: list[int], placed: Sequence[Placed | None], outcomes: Sequence[Outcome | None]
    ) -> GroupRun:
        work = [(core, placed[core], outcomes[core]) for core in cores]
        tasks = [call.task(expected) for _, call, expected in work if call is not None and expected is not None]
        kernel = next(call.call.kernel for _, call, _ in work if call is not None)
        run = self._run(kernel, tasks, cores[0])
        for (core, call, expected), core_run in zip(work, run.cores, strict=True):
            assert call is not None, core
            assert expected is not None, core
            check_outcome(call, expected, core_run, f"{self.system.name}, core {core}", self._exceptions[kernel.name])
        return run

    def _run(self, kernel: Kernel, tasks: Sequence[CoreTask], first_hart: int) -> GroupRun:
        """Run a kernel's tasks on the cores of one group."""
        program = self._programs[kernel.name]
        limit, engine = self._cycle_limit, self._engine
        return run_cores(self.system, program, tasks, cycle_limit=limit, first_hart=first_hart, engine=engine)


def check_outcome(
    placed: Placed, expected: Outcome, run: CoreRun, where: str, exceptions: Sequence[Raised] = ()
) -> None:
    """Raise where a core's outcome is not the host's; ``exceptions`` is the table of the kernel's program."""
    kernel = placed.call.kernel.name
    if run.exit_code != 0:
        raise ResultMismatchError(
            f"{where}: kernel {kernel} {describe_status(exceptions, run.exit_code)}; on the host it returned "
            f"{expected.value}"
        )
    placed.call.check_value(run.return_value, f"on {where}")
    got = placed.outcome(run, expected)
    if got.value != expected.value:
        raise ResultMismatchError(f"{where}: kernel {kernel} returned {got.value}, on the host {expected.value}")
    for i, (mine, theirs) in enumerate(zip(got.outputs, expected.outputs, strict=True)):
        differs = np.flatnonzero(_differing_items(mine, theirs))
        if differs.size:
            at = int(differs[0])
            raise ResultMismatchError(
                f"{where}: kernel {kernel}, output {i}, item {at}: got {mine[at]}, on the host {theirs[at]} "
                f"({differs.size} of {theirs.size} items differ)"
            )


def _differing_items(mine: Array, theirs: Array) -> npt.NDArray[np.bool_]:
    """Tell which items have other bytes; NaNs are equal: processors give them other signs (IEEE 754, 6.3)."""
    rows = (len(theirs), theirs.itemsize)
    differs: npt.NDArray[np.bool_] = (mine.view(np.uint8).reshape(rows) != theirs.view(np.uint8).reshape(rows)).any(1)
    if theirs.dtype.kind == "f":
        differs &= ~(np.isnan(mine) & np.isnan(theirs))
    return differs


_COUNTERS = ("cycles", "instructions", "loads", "stores", "line_fills", "line_writebacks", "instruction_fills")
assert set(_COUNTERS) < {field.name for field in fields(CoreRun)}


def _summary(kernel: Kernel, runs: Sequence[GroupRun], n_cores: int, n_groups: int) -> KernelRun:
    cores = [core for run in runs for core in run.cores]
    n = len(cores)
    return KernelRun(
        kernel=kernel.name,
        seconds=max(run.seconds for run in runs),
        sampling=summarise([core.cycles for core in cores], n_cores, len(runs), n_groups),
        counters={name: sum(getattr(core, name) for core in cores) / n for name in _COUNTERS},
        cpi_stack={name: sum(core.stack[i] for core in cores) / n for i, name in enumerate(STACK)},
        commands={name: sum(run.commands[name] for run in runs) / len(runs) for name in runs[0].commands},
        bank_open_seconds=sum(sum(run.bank_open_nck) / run.nck * run.seconds for run in runs) / len(runs),
    )
