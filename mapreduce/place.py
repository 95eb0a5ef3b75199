"""Addresses for a call's arrays in a core's memory, and the task that `pim.system` runs.

From the start of the window: program, resident inputs, then everything that is written or made anew by each call. The
program's room and the resident inputs stay where they are over all calls of a job on this core.
"""

from dataclasses import dataclass
from typing import Any

from mapreduce.abi import scalar_word
from mapreduce.call import Argument, Array, Call, Input, Outcome, Output, array_shape
from pim.config import SystemConfig
from pim.core.settings import MEMORY_BASE
from pim.errors import CapacityError
from pim.system import CoreRun, CoreTask

ALIGNMENT = 64
"""Arrays start at multiples of it, bytes: a sector of a line buffer; small arrays share a row."""


def aligned(address: int) -> int:
    """Return the first address at or after ``address`` where an array may start."""
    return (address + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


@dataclass(frozen=True)
class Placed:
    """A call with an address for each of its arrays.

    Attributes
    ----------
    call : Call
    addresses : tuple of int
        By argument, 0 for scalars.
    resident_end, end : int
        First address after the resident inputs, and after everything.
    """

    call: Call
    addresses: tuple[int, ...]
    resident_end: int
    end: int

    def task(self, expected: Outcome) -> CoreTask:
        """Return what the core is given.

        ``expected`` says how much of each output is read back.
        """
        words: list[int] = []
        writes: list[tuple[int, Array]] = []
        for parameter, argument, address in self._arguments():
            if isinstance(argument, Input):
                writes.append((address, argument.content))
            if isinstance(argument, int | float):
                words.append(scalar_word(parameter, argument))
            else:
                array = array_shape(argument)
                assert array is not None, argument
                words += [address, array[1]]
        outputs = [address for _, argument, address in self._arguments() if isinstance(argument, Output)]
        reads = [(address, array.nbytes) for address, array in zip(outputs, expected.outputs, strict=True)]
        # the empty read at the end makes all rooms part of the core's memory
        return CoreTask(tuple(words), tuple(writes), (*reads, (self.end, 0)))

    def outcome(self, run: CoreRun, expected: Outcome) -> Outcome:
        """Return what the core left, as arrays of the expected types."""
        outputs = [content.view(array.dtype) for content, array in zip(run.outputs[:-1], expected.outputs, strict=True)]
        return Outcome(run.return_value, tuple(outputs))

    def _arguments(self) -> list[tuple[Any, Argument, int]]:
        return list(zip(self.call.kernel.parameters, self.call.arguments, self.addresses, strict=True))


def place(call: Call, system: SystemConfig, start: int, core: int) -> Placed:
    """Return addresses for the arrays of ``call``: resident inputs first, then the others, in order.

    Parameters
    ----------
    call : Call
    system : SystemConfig
        What the host reaches of a core's window is there for arrays.
    start : int
        First free address.
    core : int
        Number of the core, for the message.

    Raises
    ------
    CapacityError
        The window is too small: needed and available bytes.
    """
    addresses = [0] * len(call.arguments)
    end = resident_end = start
    for resident in (True, False):
        for i, argument in enumerate(call.arguments):
            array = array_shape(argument)
            is_resident = isinstance(argument, Input) and argument.resident
            if array is not None and is_resident == resident:
                dtype, n_items = array
                addresses[i] = aligned(end)
                end = addresses[i] + dtype.itemsize * n_items
        if resident:
            resident_end = end
    needed = end - MEMORY_BASE
    if needed > system.host_window_bytes:
        rooms = ", ".join(
            f"{p.name} {a[0].itemsize * a[1]:,}"
            for p, a in zip(call.kernel.parameters, map(array_shape, call.arguments), strict=True)
            if a is not None
        )
        raise CapacityError(
            f"{system.name}, core {core}, kernel {call.kernel.name}: needs {needed:,} B, available are "
            f"{system.host_window_bytes:,} B per core at level {system.level} ({rooms} B, program and alignment)"
        )
    return Placed(call, tuple(addresses), resident_end, end)
