"""What the decoder's tests must have seen."""

from bfm.coverage import Coverage
from decoder_model import REGISTERS, Command, DecoderModel, Inputs, Outputs

TO_BANK = (Command.ACT, Command.RD, Command.WR, Command.PRE)


def _names() -> list[str]:
    names = [f"{command.name} to {where}" for command in TO_BANK for where in ("array", "locked bank", "registers")]
    names += [f"registers of a locked bank: {command.name}" for command in (Command.RD, Command.WR)]
    names += ["PRE of a closed bank", "PREA with array rows", "PREA with register rows", "PREA with a locked bank"]
    names += ["REF of all banks", "REF with a locked bank", "REF with a claimed bank"]
    names += ["RDA to array", "WRA to array", "RDA to registers", "WRA to registers", "row closes by itself"]
    names += ["write to all", "write to all: some mailboxes wait", "read of all: ended", "read of all: locked out"]
    names += ["mailbox waits: read", "mailbox waits: write", "bursts back to back", "alert"]
    names += [f"bank {bank}: {what}" for bank in range(16) for what in ("register read", "register written", "array")]
    return names


class DecoderCoverage(Coverage):
    """Bins of the decoder; one object gathers all tests of a simulation."""

    def __init__(self) -> None:
        super().__init__(_names())

    def observe(self, model: DecoderModel, inputs: Inputs, outputs: Outputs) -> None:
        """Count one edge that ``model`` has not passed yet."""
        pins = model.acting
        if pins.command in TO_BANK and not (pins.command is Command.PRE and pins.auto):
            self._to_bank(model, inputs)
        if pins.command is Command.PRE and pins.auto:
            self._all_banks(model, inputs)
        if pins.command is Command.REF:
            claimed = inputs.granted & ~inputs.lockout
            self.hit("REF with a locked bank" if inputs.lockout else "REF of all banks")
            if claimed:
                self.hit("REF with a claimed bank")
        if any(bank.closes_at == model.clock for bank in model.banks):
            self.hit("row closes by itself")
        if inputs.alert:
            self.hit("alert")
        if model.clock in model.out and model.clock in model.given:
            self.hit("bursts back to back")
        self._port(model, inputs, outputs)

    def _to_bank(self, model: DecoderModel, inputs: Inputs) -> None:
        pins, locked = model.acting, bool(inputs.lockout >> model.acting.bank & 1)
        where = "registers" if model.to_registers else "locked bank" if locked else "array"
        self.hit(f"{pins.command.name} to {where}")
        if where == "array":
            self.hit(f"bank {pins.bank}: array")
            if pins.command is Command.PRE and not model.banks[pins.bank].open:
                self.hit("PRE of a closed bank")
        if pins.command in (Command.RD, Command.WR):
            if where == "registers" and locked:
                self.hit(f"registers of a locked bank: {pins.command.name}")
            if pins.auto and where != "locked bank":
                self.hit(f"{pins.command.name}A to {where}")
            if where == "registers" and pins.burst >= REGISTERS and pins.command is Command.RD:
                self.hit("read of all: locked out" if inputs.lockout else "read of all: ended")

    def _all_banks(self, model: DecoderModel, inputs: Inputs) -> None:
        if any(bank.open for bank in model.banks):
            self.hit("PREA with array rows")
        if any(bank.registers_open for bank in model.banks):
            self.hit("PREA with register rows")
        if inputs.lockout:
            self.hit("PREA with a locked bank")

    def _port(self, model: DecoderModel, inputs: Inputs, outputs: Outputs) -> None:
        if not outputs.access:
            return
        verb = "write" if outputs.access.write else "read"
        waits = outputs.valid & ~inputs.ready
        if waits:
            self.hit(f"mailbox waits: {verb}")
        if outputs.valid & (outputs.valid - 1):
            self.hit("write to all")
            if waits and outputs.valid & inputs.ready:
                self.hit("write to all: some mailboxes wait")
        elif not model.waiting:
            bank = outputs.valid.bit_length() - 1
            self.hit(f"bank {bank}: register {'written' if outputs.access.write else 'read'}")
