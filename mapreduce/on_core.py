"""One call of a kernel on one core, checked against this host: the shortest way to try a kernel of one's own."""

from dataclasses import dataclass

from mapreduce.call import Call, Outcome
from mapreduce.compile import kernel_elf
from mapreduce.exceptions import exception_table
from mapreduce.launch import check_outcome
from mapreduce.place import aligned, place
from pim.config import SystemConfig
from pim.isa import load_elf
from pim.system import DEFAULT_CYCLE_LIMIT, CoreRun, run_cores


@dataclass(frozen=True)
class CallRun:
    """What a call gave, and what the core did; ``seconds`` until it was done."""

    outcome: Outcome
    core: CoreRun
    seconds: float


def run_on_core(call: Call, system: SystemConfig, *, cycle_limit: int = DEFAULT_CYCLE_LIMIT) -> CallRun:
    """Run a call on this host, and then on the first core of a machine.

    Raises
    ------
    KernelError
        The kernel raised an exception.
    LoadError
        It can't be compiled.
    CapacityError
        The arguments don't fit the core's memory or mailbox, or the kernel gave up for want of room.
    ResultMismatchError
        The core's outcome differs from the host's.
    GuestTrap, CycleLimitError
        The core went wrong.
    """
    expected = call.run_native()
    elf = kernel_elf(call.kernel, system.core.extensions)
    program = load_elf(elf)
    placed = place(call, system, aligned(program.end), core=0)
    done = run_cores(system, program, [placed.task(expected)], cycle_limit=cycle_limit)
    (core,) = done.cores
    check_outcome(placed, expected, core, f"{system.name}, core 0", exception_table(elf))
    return CallRun(placed.outcome(core, expected), core, done.seconds)
