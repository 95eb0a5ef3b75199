"""The core: clock, instruction set, cycles per instruction class, and the SRAM around it."""

import re

from pydantic import Field, field_validator, model_validator

from pim.config.model import Clocks, ConfigModel, PowerOfTwo, SramBytes

_EXTENSIONS = re.compile("rv(32|64)im?a?(fd?)?c?")


class ClassCycles(ConfigModel):
    """Core cycles an instruction of each class occupies the in-order core, its data in a buffer.

    Assumption until the core's RTL exists: a short single-issue pipeline with a 3-cycle multiplier, a divider that
    retires one bit a cycle, and (where present) an unpipelined floating-point unit with the latencies of small FPUs.
    """

    alu: Clocks = 1
    mul: Clocks = 3
    div: Clocks = 66  # 64 quotient bits, one a cycle, + 2
    load: Clocks = 1
    store: Clocks = 1
    branch: Clocks = 1
    jump: Clocks = 1
    amo: Clocks = 2
    fp_add: Clocks = 4
    fp_mul: Clocks = 4
    fp_fma: Clocks = 5
    fp_div: Clocks = 20
    fp_sqrt: Clocks = 20
    fp_convert: Clocks = 2
    csr: Clocks = 1
    system: Clocks = 1


class CoreConfig(ConfigModel):
    """One core and its buffers.

    Default: the published bank core, RV64IMC at 200 MHz with 1 KB instruction buffer, 1 KB scratchpad and five 1 KB
    line buffers (ISCA 2026, table I).
    """

    clock_mhz: int = Field(200, ge=1, le=5000)
    extensions: str = "rv64imc"
    cycles: ClassCycles = ClassCycles()
    taken_branch_penalty: int = Field(2, ge=0, le=1_000_000)  # assumption: two fetch stages are refilled
    load_use_penalty: int = Field(1, ge=0, le=1_000_000)  # assumption: a load's data is ready one cycle late
    instruction_buffer_bytes: SramBytes = 1024
    instruction_line_bytes: PowerOfTwo = 64
    line_buffers: int = Field(5, ge=1, le=64)  # ways of a set; one set makes them fully associative
    line_sets: PowerOfTwo = Field(1, le=1024)
    line_bytes: PowerOfTwo = 1024
    sector_bytes: PowerOfTwo = 64
    scratchpad_bytes: SramBytes = 1024

    @property
    def has_fpu(self) -> bool:
        """Whether the core has a floating-point unit (F, or F and D)."""
        return "f" in self.extensions[4:]

    @property
    def xlen(self) -> int:
        """Bits of an integer register."""
        return int(self.extensions[2:4])

    @property
    def isa_extensions(self) -> str:
        """All extensions of the core, those that its name implies too, as `pim.isa` reads them."""
        return f"{self.extensions}_zicsr_zifencei"

    @field_validator("extensions")
    @classmethod
    def _extensions_exist(cls, name: str) -> str:
        if not _EXTENSIONS.fullmatch(name):
            raise ValueError(
                "must be rv32 or rv64, then i, then those of m, a, f, d (with f) and c that the core has, in this "
                "order, such as rv64imc; Zicsr and Zifencei are always there"
            )
        return name

    @model_validator(mode="after")
    def _buffers_fit(self) -> "CoreConfig":
        if not 8 <= self.sector_bytes <= self.line_bytes:
            raise ValueError(
                f"sector_bytes must be between 8 and line_bytes ({self.line_bytes}), got {self.sector_bytes}"
            )
        if self.line_bytes // self.sector_bytes > 62:
            raise ValueError(f"a line may have at most 62 sectors, got {self.line_bytes // self.sector_bytes}")
        if not 16 <= self.instruction_line_bytes <= self.instruction_buffer_bytes // 2:
            raise ValueError(
                f"instruction_line_bytes must be between 16 and half of instruction_buffer_bytes "
                f"({self.instruction_buffer_bytes}; an instruction can lie in two lines), "
                f"got {self.instruction_line_bytes}"
            )
        return self
