"""How long instructions take: cycles per class, and load-use pairs."""

import numpy as np
import numpy.typing as npt

from pim.config import CoreConfig
from pim.isa import Decoded, OpClass
from pim.isa.encoding import REGISTER_FILES, RegisterFile


def class_cycles(core: CoreConfig) -> npt.NDArray[np.int64]:
    """Return the core cycles of each OpClass, indexed by it."""
    cycles = core.cycles
    named = {item: getattr(cycles, item.name.lower(), 1) for item in OpClass}
    return np.array([named[item] for item in OpClass], np.int64)


def load_use_pairs(decoded: Decoded, instruction_line_bytes: int) -> npt.NDArray[np.bool_]:
    """Return, for each parcel of a text, whether it is a load whose result the next instruction in sequence reads.

    So is one whose next instruction reaches into the next line of the instruction buffer: the core can't know what it
    reads before it has that line, and waits in any case.
    """
    n = len(decoded.op)
    end = 2 * np.arange(n) + decoded.size  # of each instruction, from the text's start
    following = np.minimum(np.arange(n) + decoded.size // 2, n - 1)
    files = REGISTER_FILES[decoded.op]  # (n, 4): of rd, rs1, rs2, rs3
    is_read = np.zeros(n, bool)
    for column, operand in enumerate((decoded.rs1, decoded.rs2, decoded.rs3), start=1):
        is_read |= (files[following, column] == files[:, 0]) & (operand[following] == decoded.rd)
    is_read |= (end - 1) // instruction_line_bytes != (end + decoded.size[following] - 1) // instruction_line_bytes
    always_zero = (files[:, 0] == RegisterFile.INTEGER) & (decoded.rd == 0)
    pairs: npt.NDArray[np.bool_] = (decoded.op_class == OpClass.LOAD) & is_read & ~always_zero
    return pairs


def cost_table(decoded: Decoded, core: CoreConfig) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return core cycles of each parcel's instruction, its data in a buffer, and the load-use part of them."""
    load_use = load_use_pairs(decoded, core.instruction_line_bytes) * np.int64(core.load_use_penalty)
    return class_cycles(core)[decoded.op_class] + load_use, load_use
