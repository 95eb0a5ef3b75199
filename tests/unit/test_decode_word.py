"""Decoding one instruction at a time against decoding a whole text, over random and systematic words."""

import random

import numpy as np
import pytest

from pim.config import CoreConfig
from pim.core.code import Code, decode_parcel, empty_code, text_code
from pim.core.state import make_memory
from pim.isa import Op
from pim.isa.decode import decode_text
from pim.isa.decode_word import decode_tables, decode_word
from pim.isa.encoding import ENCODINGS

CORES = [(xlen, f"rv{xlen}{letters}") for xlen in (32, 64) for letters in ("imafdc", "imc", "i", "ifd", "ima")]


COLUMNS = Code._fields[: Code._fields.index("rules")]
"""What there is of each instruction."""


def words(seed: int, n: int) -> list[int]:
    """Return random words, most of them with an opcode of the table."""
    rng = random.Random(seed)
    rows = list(ENCODINGS.values())
    drawn = [rng.getrandbits(32) for _ in range(n)]
    for i in range(0, n, 4):
        row = rng.choice(rows)
        drawn[i] = row.match | drawn[i] & ~row.mask
        drawn[i + 1] = row.match & 0x7F | drawn[i + 1] & ~0x7F
    return drawn


@pytest.mark.parametrize(("xlen", "extensions"), CORES)
def test_word_and_text_decode_alike(xlen: int, extensions: str) -> None:
    drawn = words(xlen, 4000)
    tables = decode_tables(xlen, extensions)
    decoded = decode_text(b"".join(word.to_bytes(4, "little") for word in drawn), xlen, extensions)
    for i, word in enumerate(drawn):
        assert tuple(decode_word(word, tables)) == tuple(int(column[2 * i]) for column in decoded[:-1]), hex(word)


@pytest.mark.parametrize("xlen", [32, 64])
def test_every_parcel_decodes_alike(xlen: int) -> None:
    tables = decode_tables(xlen, "imafdc")
    shorts = [parcel for parcel in range(1 << 16) if parcel & 3 != 3]
    decoded = decode_text(b"".join(parcel.to_bytes(2, "little") for parcel in shorts), xlen, "imafdc")
    columns = np.stack([column.astype(np.int64) for column in decoded[:-1]], axis=1).tolist()
    assert [list(decode_word(parcel, tables)) for parcel in shorts] == columns


@pytest.mark.parametrize(("xlen", "extensions"), CORES)
def test_code_decoded_on_demand_is_the_code_of_a_text(xlen: int, extensions: str) -> None:
    """Costs, load-use pairs, lowered operations and buffer lines too."""
    core = CoreConfig(extensions=extensions)
    text = b"".join(word.to_bytes(4, "little") for word in [*words(5 + xlen, 1000), 0x13, 0x13])
    whole, parts = text_code(text, core, xlen), empty_code(len(text) // 2, core, xlen)
    memory, checked = make_memory(len(text)), np.zeros(1, np.int64)
    memory.u8[:] = np.frombuffer(text, np.uint8)
    for index in range(len(text) // 2 - 2):
        decode_parcel(parts, memory, checked, 0, index, False)
        ours, theirs = ([int(getattr(code, name)[index]) for name in COLUMNS] for code in (parts, whole))
        assert ours == theirs, Op(whole.op[index]).name
    assert checked[0] >= len(text) - 4
