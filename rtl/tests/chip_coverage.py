"""What the tests of a chip's host path must have seen."""

from typing import Any

from bfm.coverage import Coverage

COMMANDS = {1: "ACT", 2: "RD", 3: "WR", 4: "PRE", 5: "REF"}


def _names() -> list[str]:
    names = [f"{command} of the {who}" for command in COMMANDS.values() for who in ("host", "core")]
    names += [
        "launch: one bank",
        "launch: all banks",
        "launch: start alone, bank kept",
        "start before the grant",
        "request with an open row",
    ]
    names += ["end seen by: poll", "end seen by: alert", "run ends: trap", "run ends: release"]
    names += ["claim: core has its row open", "claim: core idle", "claim: host command in a claimed bank"]
    names += ["claim: core waits for its end", "claim: refresh due before it is over"]
    names += ["locked-out command", "claimed bank, too early", "several cores run", "host and cores use banks at once"]
    names += ["reset: cores running", "reset: banks of the host"]
    return names


class ChipCoverage(Coverage):
    """Bins of the host path; one object gathers all tests of a simulation."""

    def __init__(self) -> None:
        super().__init__(_names())

    def observe(self, dut: Any, n_banks: int) -> None:
        """Count one tCK by what goes to the banks."""
        codes, grant = int(dut.commands.value), int(dut.grant.value)
        claimed, ready = int(dut.claimed.value), int(dut.ready.value)
        if grant & (grant - 1):
            self.hit("several cores run")
        if claimed and int(dut.refresh.value):
            self.hit("claim: refresh due before it is over")
        users = set()
        for bank in range(n_banks):
            code = codes >> 3 * bank & 7
            if not code:
                continue
            bit = 1 << bank
            is_core = bool(grant & bit) and not ready & bit
            users.add(is_core)
            self.hit(f"{COMMANDS[code]} of the {'core' if is_core else 'host'}")
            if ready & bit:
                self.hit("claim: host command in a claimed bank")
        if len(users) == 2 or (grant and False in users):
            self.hit("host and cores use banks at once")
