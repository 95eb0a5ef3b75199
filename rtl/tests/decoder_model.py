"""What the DDR side of a chip does, in plain Python, written from docs/rtl.md and docs/timing.md: its bench's oracle.

It keeps the clocks at which things happen; clock n is the tCK that begins at edge n. It knows nothing of the simulator.
"""

from dataclasses import dataclass
from enum import Enum

from pim.config import ClockTiming

BURST = 4  # tCK of eight beats
BANKS = 16
REGISTERS = 32  # bursts of the register row that are the bank's own; a burst behind them is for all banks


class Command(Enum):
    """What the pins say, and what goes to a bank of the array."""

    NOP = 0
    ACT = 1
    RD = 2
    WR = 3
    PRE = 4
    REF = 5


@dataclass(frozen=True)
class Pins:
    """One command as the edge takes it; ``auto`` is A10."""

    command: Command
    bank: int = 0
    row: int = 0
    burst: int = 0
    auto: bool = False


@dataclass(frozen=True)
class Inputs:
    """The decoder's input pins at one edge; one bit per bank in a mask."""

    pins: Pins
    dq: int
    ready: int
    lockout: int
    granted: int
    alert: int
    registers: tuple[int, ...]  # what each mailbox gives
    array: tuple[int, ...]  # what each bank gives


@dataclass(frozen=True)
class Access:
    """A register access that the port asks for."""

    write: bool
    address: int  # of the 64-bit register
    value: int | None


@dataclass(frozen=True)
class Outputs:
    """The decoder's output pins at one edge; None where a pin means nothing."""

    valid: int
    access: Access | None
    idle: int
    bank_access: int
    commands: tuple[Command, ...]
    row: int | None
    burst: int | None
    written: int | None
    dq: int | None
    alert: bool


@dataclass
class Bank:
    """What the host has done to a bank; ``closes_at`` is there when it precharges itself."""

    open: bool = False
    registers_open: bool = False
    may_close: int = 0
    closes_at: int | None = None
    idle_from: int = 0


@dataclass
class DecoderModel:
    """One decoder; call :meth:`outputs`, then :meth:`edge`, once per tCK edge."""

    timing: ClockTiming
    row_bits: int
    clock: int = -1  # edge that is next - 1

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.banks = [Bank() for _ in range(BANKS)]
        self.acting = Pins(Command.NOP)
        self.port: dict[int, tuple[int, bool, int]] = {}  # clock: banks, write, register
        self.waiting: tuple[int, Access] | None = None
        self.array_writes: dict[int, tuple[int, int]] = {}  # clock: bank, burst
        self.array_data: set[int] = set()
        self.given: dict[
            int, tuple[int, int] | None
        ] = {}  # clock of the sample: bank, register or -1; None for all banks
        self.out: dict[int, int] = {}  # clock: both beats
        self.beats: dict[int, int] = {}

    @property
    def to_registers(self) -> bool:
        pins = self.acting
        if pins.command is Command.ACT:
            return pins.row == (1 << self.row_bits) - 1
        return self.banks[pins.bank].registers_open

    def outputs(self, inputs: Inputs) -> Outputs:
        clock, pins = self.clock, self.acting
        self.beats[clock] = inputs.dq
        commands, refused = self._commands(inputs)
        written = self._taken(clock) if clock in self.array_data else None
        valid, access = self._asked(clock)
        burst = None
        if clock in self.array_writes:
            burst = self.array_writes[clock][1]
        elif Command.RD in commands:
            burst = pins.burst
        self.commands = commands
        return Outputs(
            valid=valid,
            access=access,
            idle=sum(1 << i for i, bank in enumerate(self.banks) if not bank.open and clock + 1 >= bank.idle_from),
            bank_access=refused,
            commands=commands,
            row=pins.row if Command.ACT in commands else None,
            burst=burst,
            written=written,
            dq=self.out.get(clock),
            alert=bool(inputs.alert),
        )

    def _taken(self, clock: int) -> int:
        """Return the eight beats of which the last two are on the pins at this clock."""
        return sum(self.beats[clock - BURST + 1 + i] << 16 * i for i in range(BURST))

    def _asked(self, clock: int) -> tuple[int, Access | None]:
        if self.waiting:
            return self.waiting
        if clock not in self.port:
            return 0, None
        banks, write, address = self.port[clock]
        return banks, Access(write, address, self._taken(clock) if write else None)

    def _commands(self, inputs: Inputs) -> tuple[tuple[Command, ...], int]:
        """Return what goes to each bank of the array at this clock, and the banks that the host has addressed."""
        pins, clock = self.acting, self.clock
        sent = [Command.NOP] * BANKS
        usable = [not inputs.lockout >> i & 1 for i in range(BANKS)]
        addressed = 0
        if pins.command is Command.REF:
            sent = [Command.REF if usable[i] and not inputs.granted >> i & 1 else Command.NOP for i in range(BANKS)]
        elif pins.command is Command.PRE and pins.auto:
            sent = [Command.PRE if bank.open and usable[i] else Command.NOP for i, bank in enumerate(self.banks)]
        elif pins.command is not Command.NOP and not self.to_registers:
            addressed = 1 << pins.bank
            passes = usable[pins.bank] and (pins.command is not Command.PRE or self.banks[pins.bank].open)
            if passes and pins.command is not Command.WR:
                sent[pins.bank] = pins.command
        if clock in self.array_writes:
            sent[self.array_writes[clock][0]] = Command.WR
        for i, bank in enumerate(self.banks):
            if bank.closes_at == clock:
                sent[i] = Command.PRE
        return tuple(sent), addressed

    def edge(self, inputs: Inputs) -> None:
        """Let one edge pass."""
        clock, pins, t = self.clock, self.acting, self.timing
        valid, access = self._asked(clock)
        left = valid & ~inputs.ready
        self.waiting = (left, access) if left and access else None
        self._give(inputs)
        for i, command in enumerate(self.commands):
            bank = self.banks[i]
            if command is Command.ACT:
                bank.open, bank.may_close = True, clock + t.nras
            elif command is Command.PRE:
                bank.open, bank.closes_at, bank.idle_from = False, None, clock + t.nrp
            elif command is Command.REF:
                bank.idle_from = clock + t.nrfc
        self._pass_on(inputs, pins, self.to_registers)
        self.acting = inputs.pins
        self.clock += 1

    def _pass_on(self, inputs: Inputs, pins: Pins, to_registers: bool) -> None:
        """Plan what the acting command does later."""
        clock, bank, t = self.clock, self.banks[pins.bank], self.timing
        locked = bool(inputs.lockout >> pins.bank & 1)
        match pins.command:
            case Command.ACT if to_registers:
                bank.registers_open = True
            case Command.PRE:
                for closed in self.banks if pins.auto else [bank]:
                    closed.registers_open = False
            case Command.RD | Command.WR if to_registers or not locked:
                self._column(pins, to_registers)
                if not to_registers:
                    recovery = t.nrtp if pins.command is Command.RD else t.ncwl + BURST + t.nwr
                    bank.may_close = max(bank.may_close, clock + recovery)
                    bank.closes_at = bank.may_close if pins.auto else None
        if pins.command in (Command.RD, Command.WR) and pins.auto:
            bank.registers_open = False

    def _column(self, pins: Pins, to_registers: bool) -> None:
        clock, t = self.clock, self.timing
        for_all = pins.burst >= REGISTERS
        register = pins.burst % REGISTERS
        if pins.command is Command.RD:
            self.given[clock + t.ncl - 1] = (
                None if to_registers and for_all else (pins.bank, register if to_registers else -1)
            )
            if to_registers and not for_all:
                self.port[clock + t.ncl - 3] = (1 << pins.bank, False, register)
        elif to_registers:
            self.port[clock + t.ncwl + BURST - 1] = ((1 << BANKS) - 1 if for_all else 1 << pins.bank, True, register)
        else:
            self.array_writes[clock + BURST] = (pins.bank, pins.burst)
            self.array_data.add(clock + t.ncwl + BURST - 1)

    def _give(self, inputs: Inputs) -> None:
        """Take what is read at this clock; its beats come from the next one on."""
        if self.clock not in self.given:
            return
        place = self.given[self.clock]
        if place is None:
            value = inputs.alert | inputs.lockout << 16
        else:
            bank, register = place
            value = inputs.array[bank] if register < 0 else inputs.registers[bank]
        for i in range(BURST):
            self.out[self.clock + 1 + i] = value >> 16 * i & 0xFFFF
