"""Errors a user can meet; every message says where, what, got and what is allowed."""

MAX_MESSAGE = 1000
"""Longest message shown, characters; what is cut off is the input's own text, repeated."""


def one_line(message: object) -> str:
    """Return a message as one line of printable text: names from files may hold anything."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(message)[:MAX_MESSAGE])
    return text if len(text) < MAX_MESSAGE else f"{text[: MAX_MESSAGE - 3]}..."


class PimError(Exception):
    """Base of all errors that are the input's fault, not the program's."""


class ConfigError(PimError):
    """A configuration, study file or command line is wrong."""


class LoadError(PimError):
    """An ELF, kernel, trace bundle or event log can't be loaded."""


class CapacityError(PimError):
    """Data does not fit the memory it is placed in."""


class ResultMismatchError(PimError):
    """A job's output differs from its reference."""


class GuestTrap(PimError):
    """A simulated program did something its core can't do.

    Attributes
    ----------
    hart_id, pc, cause, tval : int
        Core that trapped, address of the instruction, mcause code and mtval (privileged specification 3.1.15).
    """

    def __init__(self, message: str, *, hart_id: int, pc: int, cause: int, tval: int) -> None:
        super().__init__(message)
        self.hart_id, self.pc, self.cause, self.tval = hart_id, pc, cause, tval


class CycleLimitError(PimError):
    """A simulated program ran past its cycle limit."""


class KernelError(PimError):
    """A kernel raised an exception.

    Attributes
    ----------
    kernel, raised : str
        Name of the kernel; exception, message and place.
    hart_id : int, optional
        Core whose task it was.
    """

    def __init__(self, kernel: str, raised: str, hart_id: int | None = None) -> None:
        hart = "" if hart_id is None else f", hart {hart_id}"
        super().__init__(f"kernel {kernel}{hart}: raised {raised}")
        self.kernel, self.raised, self.hart_id = kernel, raised, hart_id
