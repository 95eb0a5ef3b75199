"""What a kernel or program is compiled for: the extensions of a core, as the compilers want to hear them."""

from dataclasses import dataclass

from pim.config import CoreConfig, checked

SHIPPED_TARGETS = ("rv64imc", "rv64imafdc")
"""Targets that the package has ELFs for: the default cores, without and with an FPU."""


@dataclass(frozen=True)
class Target:
    """A RISC-V target.

    Attributes
    ----------
    name : str
        As in ``core.extensions`` of a machine, such as ``rv64imc``.
    """

    name: str

    @property
    def xlen(self) -> int:
        """Bits of an integer register."""
        return int(self.name[2:4])

    @property
    def extensions(self) -> str:
        """Letters of the extensions beside I."""
        return self.name[5:]

    @property
    def triple(self) -> str:
        """LLVM's name of the machine."""
        return f"riscv{self.xlen}-unknown-elf"

    @property
    def features(self) -> str:
        """LLVM's features."""
        return ",".join(f"+{letter}" for letter in self.extensions)

    @property
    def abi(self) -> str:
        """Calling convention: floating-point values are passed in the registers that the FPU has."""
        floats = next((letter for letter in "df" if letter in self.extensions), "")
        return ("lp64" if self.xlen == 64 else "ilp32") + floats

    @property
    def zig_cpu(self) -> str:
        """The machine as ``zig`` takes it."""
        return f"generic_rv{self.xlen}" + "".join(f"+{letter}" for letter in self.extensions)

    @property
    def emulation(self) -> str:
        """The linker's name of the file format."""
        return f"elf{self.xlen}lriscv"


def target_of(extensions: str) -> Target:
    """Return the target of a core with ``extensions``.

    Raises
    ------
    ConfigError
        No core has such a name.
    """
    return Target(checked(CoreConfig, {"extensions": extensions}, "target").extensions)
