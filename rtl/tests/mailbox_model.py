"""What the mailbox does, in plain Python, written from docs/rtl.md and docs/timing.md: the oracle of its bench.

The RTL counts clocks down; this model keeps the instants at which things happen. It knows nothing of the simulator.
"""

from dataclasses import dataclass
from enum import IntEnum

WORD = (1 << 64) - 1
ALL_BYTES = 0xFF


class Register(IntEnum):
    """Byte offset of each register; ARGUMENT is the first of sixteen."""

    CONTROL = 0x00
    STATUS = 0x08
    OWNER = 0x10
    RETURN = 0x18
    ARGUMENT = 0x80


CONTROL_START, CONTROL_CLEAR = 0b01, 0b10
OWNER_RELEASE, OWNER_REQUEST, OWNER_CLAIM, OWNER_UNCLAIM = range(4)
OWNER_KEEP = 0b100  # with a request


class Run(IntEnum):
    """STATUS[1:0]."""

    IDLE = 0
    RUNNING = 1
    DONE = 2
    TRAPPED = 3


class Owner(IntEnum):
    """OWNER[2:0] and STATUS[6:4]."""

    HOST = 0
    DRAIN = 1
    TO_CORE = 2
    CORE = 3
    FLUSH = 4
    TO_HOST = 5


@dataclass(frozen=True)
class Status:
    """STATUS taken apart."""

    run: Run
    owner: Owner
    claimed: bool
    lockout_error: bool
    protocol_error: bool
    code: int

    @classmethod
    def unpack(cls, word: int) -> "Status":
        flags = (bool(word >> bit & 1) for bit in (7, 8, 9))
        fields = cls(Run(word & 3), Owner(word >> 4 & 7), *flags, word >> 32)
        assert fields.pack() == word, f"STATUS {word:#018x} has reserved bits set"
        return fields

    def pack(self) -> int:
        flags = self.claimed << 7 | self.lockout_error << 8 | self.protocol_error << 9
        return self.run | self.owner << 4 | flags | self.code << 32


@dataclass(frozen=True)
class Access:
    """A register access that one side asks for at an edge."""

    write: bool
    offset: int
    data: int = 0
    strobe: int = ALL_BYTES

    @property
    def commands(self) -> bool:
        """Whether the host commands the hand-over or the run with it: it needs no port then."""
        return self.write and self.offset in (Register.CONTROL, Register.OWNER)


@dataclass(frozen=True)
class Inputs:
    """The mailbox's input pins at one tCK edge."""

    core_en: bool
    host: Access | None = None
    core: Access | None = None
    done: bool = False
    trap: bool = False
    code: int = 0
    flushed: bool = True
    bank_idle: bool = True
    bank_access: bool = False
    claim_ready: bool = False


@dataclass(frozen=True)
class Outputs:
    """The mailbox's output pins at one tCK edge; data is compared apart, by the in-order checkers."""

    host_ready: bool
    host_rvalid: bool
    core_ready: bool
    start: bool
    stop: bool
    lockout: bool
    grant: bool
    claimed: bool
    alert: bool


@dataclass(frozen=True)
class Served:
    """What the register port did at one edge; a value is there for reads only."""

    host: Access | None
    core: Access | None
    host_value: int | None
    core_value: int | None


class MailboxModel:
    """One mailbox; call :meth:`outputs`, then :meth:`edge`, once per tCK edge."""

    def __init__(self, tmod_nck: int) -> None:
        self.tmod_nck = tmod_nck
        self.now = 0
        self.reset()

    def reset(self) -> None:
        self.run, self.owner, self.code = Run.IDLE, Owner.HOST, 0
        self.words: dict[int, int] = {}
        self.switched_at = 0
        self.host_waits = self.response_due = False
        self.start_waits = self.start = self.stop = False
        self.lockout_error = self.protocol_error = False
        self.claim = self.claimed = self.keep = False

    def outputs(self, pins: Inputs) -> Outputs:
        """Return the output pins at this edge, and pass the hand-over's instants that have come."""
        if self.owner is Owner.TO_CORE and self.now >= self.switched_at:
            self.owner = Owner.CORE
            if self.start_waits:
                self._launch()
        if self.owner is Owner.TO_HOST and self.now >= self.switched_at:
            self.owner = Owner.HOST
        return Outputs(
            host_ready=self._host_is_served(pins),
            host_rvalid=self.response_due,
            core_ready=not (pins.host and self.host_waits),
            start=self.start,
            stop=self.stop,
            lockout=self._locked_out(pins),
            grant=self.granted,
            claimed=self.claimed,
            alert=self.run in (Run.DONE, Run.TRAPPED),
        )

    @property
    def granted(self) -> bool:
        return self.owner in (Owner.CORE, Owner.FLUSH)

    def _locked_out(self, pins: Inputs) -> bool:
        return self.owner not in (Owner.HOST, Owner.DRAIN) and not pins.claim_ready

    def edge(self, pins: Inputs) -> Served:
        """Let one edge pass: every rule judges the state before it."""
        core = pins.core if self._core_wins(pins) else None
        host = pins.host if self._host_is_served(pins) else None
        served = Served(host, core, self._value(host), self._value(core))
        self.host_waits = pins.host is not None and host is None
        self.response_due = served.host_value is not None
        for access in (host, core):
            if access and access.write:
                self._store(access)

        before, was_locked_out, closed = self.owner, self._locked_out(pins), pins.bank_idle and not pins.bank_access
        ends = self.run is Run.RUNNING and not self.start and pins.core_en and (pins.done or pins.trap)
        self.start = self.start and not pins.core_en
        self.claimed = self.claim
        if host and host.write and host.offset == Register.CONTROL:
            self._control(host.data, pins.flushed)
        if host and host.write and host.offset == Register.OWNER:
            self._change_owner(host.data, closed)
        if ends:
            self.run, self.code, self.stop = (Run.TRAPPED if pins.trap else Run.DONE), pins.code, False
            self.owner = Owner.CORE if self.keep else Owner.FLUSH
        elif self.start_waits and before is self.owner is Owner.CORE and self.run is not Run.RUNNING and pins.flushed:
            self._launch()
        elif before is self.owner is Owner.DRAIN and closed:
            self._switch(Owner.TO_CORE)
        elif before is self.owner is Owner.FLUSH and pins.core_en and pins.flushed:
            self._switch(Owner.TO_HOST)
        if before is Owner.HOST:
            self.claim = False
        self.lockout_error |= was_locked_out and pins.bank_access
        self.now += 1
        return served

    def _core_wins(self, pins: Inputs) -> bool:
        """Say whether the core has the register port: it goes first unless the host has waited for this edge."""
        return pins.core is not None and pins.core_en and not (pins.host and self.host_waits)

    def _host_is_served(self, pins: Inputs) -> bool:
        return not self._core_wins(pins) or (pins.host is not None and pins.host.commands)

    def _value(self, access: Access | None) -> int | None:
        if access is None or access.write:
            return None
        match access.offset:
            case Register.CONTROL:
                return int(self.start_waits)
            case Register.STATUS:
                errors = (self.lockout_error, self.protocol_error)
                return Status(self.run, self.owner, self.claim, *errors, self.code).pack()
            case Register.OWNER:
                return self.owner | self.claim << 3 | self.keep << 4
            case _:
                return self.words.get(access.offset, 0)

    def _store(self, access: Access) -> None:
        if access.offset != Register.RETURN and access.offset < Register.ARGUMENT:
            return
        mask = sum(0xFF << 8 * i for i in range(8) if access.strobe >> i & 1)
        self.words[access.offset] = self.words.get(access.offset, 0) & ~mask & WORD | access.data & mask

    def _launch(self) -> None:
        self.run, self.code, self.start, self.start_waits = Run.RUNNING, 0, True, False

    def _control(self, bits: int, flushed: bool) -> None:
        if bits & CONTROL_CLEAR:
            self.lockout_error = self.protocol_error = False
            if self.run is not Run.RUNNING:
                self.run = Run.IDLE
        if bits & CONTROL_START:
            if self.owner in (Owner.DRAIN, Owner.TO_CORE):
                self.start_waits = True
            elif self.owner is Owner.CORE and self.run is not Run.RUNNING:
                self.start_waits = True
                if flushed:
                    self._launch()
            else:
                self.protocol_error = True

    def _change_owner(self, data: int, closed: bool) -> None:
        match data & 3:
            case 0:  # OWNER_RELEASE
                self._release()
            case 1 if self.owner is Owner.HOST:  # OWNER_REQUEST
                self.owner, self.keep = Owner.DRAIN, bool(data & OWNER_KEEP)
            case 1 if self.owner in (Owner.FLUSH, Owner.TO_HOST):
                self.protocol_error = True
            case 2 if self.granted:  # OWNER_CLAIM
                self.claim = True
            case 2 if self.owner in (Owner.DRAIN, Owner.TO_CORE):
                self.protocol_error = True
            case 3 if self.claim and closed:  # OWNER_UNCLAIM
                self.claim = False
            case 3 if self.claim and self.owner is not Owner.HOST:
                self.protocol_error = True

    def _release(self) -> None:
        self.start_waits = self.keep = False
        match self.owner:
            case Owner.DRAIN:
                self.owner = Owner.HOST
            case Owner.TO_CORE:
                self._switch(Owner.TO_HOST)
            case Owner.CORE if self.run is Run.RUNNING:
                self.stop = True
            case Owner.CORE:
                self.owner = Owner.FLUSH

    def _switch(self, to: Owner) -> None:
        self.owner, self.switched_at = to, self.now + self.tmod_nck
