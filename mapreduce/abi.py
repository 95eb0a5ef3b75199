"""The border between a kernel and its core: memory map and argument words.

A kernel's arguments are 64-bit words in the mailbox: an array is its address and its number of items, a scalar is its
value (a float64 as its bits). The program's entry function rebuilds from the words what the kernel's calling convention
wants (``mapreduce.entry``, ``mapreduce.c_entry``), calls the kernel and stores its value to RETURN.
"""

import numpy as np

from mapreduce.kernel import Kernel, Parameter
from pim.core.settings import MAILBOX_BASE
from pim.errors import CapacityError

RETURN = MAILBOX_BASE + 0x18
ARGUMENTS = MAILBOX_BASE + 0x80
MAX_ARGUMENT_WORDS = 16
STACK_BYTES = 1024
"""The start routine puts the stack at the end of this much scratchpad; it traps below the scratchpad's start."""

ENTRY = "kernel_entry"


def argument_words(kernel: Kernel) -> int:
    """Return how many mailbox words the kernel's arguments take.

    Raises
    ------
    CapacityError
        More than the mailbox holds.
    """
    words = sum(2 if p.is_array else 1 for p in kernel.parameters)
    if words > MAX_ARGUMENT_WORDS:
        raise CapacityError(
            f"kernel {kernel.name}: arguments take {words} words, the mailbox holds {MAX_ARGUMENT_WORDS} "
            "(an array takes 2, a scalar 1)"
        )
    return words


def scalar_word(parameter: Parameter, value: float) -> int:
    """Return the 64-bit word (unsigned) of a scalar argument."""
    return int(np.array(value, dtype=parameter.dtype).view(np.uint64))
