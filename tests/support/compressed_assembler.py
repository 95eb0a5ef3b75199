"""Compressed instruction words from the table's forms: register fields and immediate pieces placed as listed."""

from pim.isa.compressed import COMPRESSED_FORMS, CompressedForm

_FORMS = {xlen: {form.mnemonic: form for form in COMPRESSED_FORMS if xlen in form.xlens} for xlen in (32, 64)}
RV64_FORMS = _FORMS[64]

SHORT_FIELDS = ("rd'", "rs2'")
"""Three-bit fields, which name x8 to x15."""

_SHIFTS = {"rd": 7, "rs2": 2, "rd'": 7, "rs2'": 2}


def forms(xlen: int) -> dict[str, CompressedForm]:
    """Return the forms of RV32C or RV64C by mnemonic."""
    return _FORMS[xlen]


def assemble_compressed(form: CompressedForm, *, imm: int = 0, **registers: int) -> int:
    """Return the 16-bit word.

    ``registers`` gives rd, rs1 or rs2; those that the form fixes, or that share a field with another, may be missing.
    """
    word = form.match
    fields = {getattr(form, role): number for role, number in registers.items()}
    for field, number in fields.items():
        if field in SHORT_FIELDS and not 8 <= number <= 15:
            raise ValueError(f"{form.mnemonic}: register must be x8 to x15, got x{number}")
        if isinstance(field, str):
            word |= (number - 8 if field in SHORT_FIELDS else number) << _SHIFTS[field]
    left = imm & ((1 << form.signed_width) - 1 if form.signed_width else -1)
    for high, low, place in form.pieces:
        mask = (1 << (high - low + 1)) - 1
        word |= (left >> place & mask) << low
        left &= ~(mask << place)
    limit = 1 << form.signed_width - 1 if form.signed_width else 0
    if left or (limit and not -limit <= imm < limit) or word & form.mask != form.match:
        raise ValueError(f"{form.mnemonic}: immediate {imm} or registers {registers} do not fit")
    if form.nonzero and not word & form.nonzero:
        raise ValueError(f"{form.mnemonic}: reserved with immediate {imm} and registers {registers}")
    return word


def immediate_places(form: CompressedForm) -> list[int]:
    """Return the bits of the value that the form's immediate can set."""
    return [place + i for high, low, place in form.pieces for i in range(high - low + 1)]
