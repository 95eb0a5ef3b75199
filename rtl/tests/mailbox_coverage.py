"""What the mailbox's tests must have seen, and how a sample of the pins tells it."""

from bfm.coverage import Coverage
from bfm.monitor import Sample
from mailbox_model import (
    CONTROL_START,
    OWNER_CLAIM,
    OWNER_UNCLAIM,
    MailboxModel,
    Owner,
    Register,
    Run,
    Served,
)

HAND_OVER = [
    (Owner.HOST, Owner.DRAIN),
    (Owner.DRAIN, Owner.HOST),
    (Owner.DRAIN, Owner.TO_CORE),
    (Owner.TO_CORE, Owner.CORE),
    (Owner.TO_CORE, Owner.TO_HOST),
    (Owner.CORE, Owner.FLUSH),
    (Owner.FLUSH, Owner.TO_HOST),
    (Owner.TO_HOST, Owner.HOST),
]
LOCKED_OUT = (Owner.TO_CORE, Owner.CORE, Owner.FLUSH, Owner.TO_HOST)
FAST_CORE_ONLY = "port: core waits"  # its clock must be faster than half of tCK's


def _names() -> list[str]:
    names = [f"hand-over: {a.name} to {b.name}" for a, b in HAND_OVER]
    names += [f"bank access: {owner.name}" for owner in Owner]
    names += [f"reset in: {owner.name}" for owner in Owner]
    names += [f"start: {owner.name}" for owner in Owner] + ["start: while running", "start: from waiting"]
    names += ["run ends: done", "run ends: trapped", "run ends: stopped", "run ends: bank kept"]
    names += ["start: again in a kept bank", "start: waits for the write-back"]
    names += [f"claim: {owner.name}" for owner in Owner] + ["claim: ended", "claim: not ended, row open"]
    names += ["claim: bank access before it is ready", "claim: bank access", "claim: dropped at the hand-over"]
    names += ["port: both served"]
    names += ["port: host alone", "port: core alone", "port: host waits", FAST_CORE_ONLY]
    names += ["drain: row open", "drain: access at the idle edge", "flush: buffers dirty", "core store: some bytes"]
    registers = [*(register.name for register in Register), "unused"]
    names += [f"{side} {verb}: {name}" for side in ("host", "core") for verb in "RW" for name in registers]
    return names


class MailboxCoverage(Coverage):
    """Bins of the mailbox; one object gathers all tests of a simulation."""

    def __init__(self) -> None:
        super().__init__(_names())

    def observe(self, before: Owner, was_running: bool, sample: Sample, served: Served, model: MailboxModel) -> None:
        """Count one edge; ``before`` and ``was_running`` are the state that it met, ``model`` the one it left."""
        pins = sample.inputs
        after = model.owner
        if after is not before:
            self.hit(f"hand-over: {before.name} to {after.name}")
        if pins.bank_access:
            self.hit(f"bank access: {before.name}")
        if before is Owner.DRAIN and not pins.bank_idle:
            self.hit("drain: row open")
        if before is Owner.DRAIN and pins.bank_idle and pins.bank_access:
            self.hit("drain: access at the idle edge")
        if before is Owner.FLUSH and not pins.flushed:
            self.hit("flush: buffers dirty")
        if was_running and model.run is not Run.RUNNING:
            self.hit(f"run ends: {'stopped' if sample.outputs.stop else model.run.name.lower()}")
            if after is Owner.CORE:
                self.hit("run ends: bank kept")
        if model.keep and model.run is Run.RUNNING and not was_running and before is Owner.CORE:
            self.hit("start: again in a kept bank")
        if before is after is Owner.CORE and model.start_waits:
            self.hit("start: waits for the write-back")
        self._observe_port(sample, served)
        self._observe_start(before, was_running, served)
        self._observe_claim(before, sample, served, model)

    def _observe_port(self, sample: Sample, served: Served) -> None:
        pins = sample.inputs
        core_asks = pins.core is not None and pins.core_en
        match (pins.host is not None, core_asks, served.core is not None):
            case (True, False, _):
                self.hit("port: host alone")
            case (False, True, _):
                self.hit("port: core alone")
            case (True, True, True) if served.host:
                self.hit("port: both served")
            case (True, True, True):
                self.hit("port: host waits")
            case (True, True, False):
                self.hit(FAST_CORE_ONLY)
        for side, access in (("host", served.host), ("core", served.core)):
            if access:
                self.hit(f"{side} {'W' if access.write else 'R'}: {_register(access.offset)}")
        if served.core and served.core.write and served.core.strobe != 0xFF:
            self.hit("core store: some bytes")

    def _observe_start(self, before: Owner, was_running: bool, served: Served) -> None:
        host = served.host
        if host and host.write and host.offset == Register.CONTROL and host.data & CONTROL_START:
            self.hit("start: while running" if was_running else f"start: {before.name}")

    def _observe_claim(self, before: Owner, sample: Sample, served: Served, model: MailboxModel) -> None:
        pins, host = sample.inputs, served.host
        claimed = sample.outputs.claimed
        if host and host.write and host.offset == Register.OWNER:
            if host.data & 3 == OWNER_CLAIM:
                self.hit(f"claim: {before.name}")
            if host.data & 3 == OWNER_UNCLAIM and claimed:
                self.hit("claim: not ended, row open" if model.claim else "claim: ended")
        if pins.bank_access and claimed and before in LOCKED_OUT:
            self.hit("claim: bank access" if pins.claim_ready else "claim: bank access before it is ready")
        if claimed and before is Owner.HOST:
            self.hit("claim: dropped at the hand-over")


def _register(offset: int) -> str:
    if offset >= Register.ARGUMENT:
        return "ARGUMENT"
    return next((register.name for register in Register if register == offset), "unused")
