"""Whatever the bytes, loading gives a consistent program or a LoadError, quickly and in little memory."""

import contextlib
import random
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pim.errors import CycleLimitError, GuestTrap, LoadError, PimError
from pim.isa import Op, load_elf
from pim.system import BareMachine
from tests.support.assembler import assemble, to_bytes
from tests.support.bare import machine
from tests.support.elf_image import READ, WRITE, Part, elf_image

CODE = to_bytes(assemble(Op.ADDI, rd=17, imm=93), assemble(Op.ECALL))
IMAGES = [
    elf_image(
        [Part(0x8000_0000, CODE), Part(0x8000_1000, b"data", memory_bytes=64, flags=READ | WRITE)],
        0x8000_0000,
        xlen=xlen,
        symbols={"_start": 0x8000_0000, "end": 0x8000_1040},
    )
    for xlen in (32, 64)
]
INTERESTING = [0, 1, 2, 3, 0x7F, 0x80, 0xFF]
MEMORY_LIMIT_BYTES = 4 << 20
MACHINES = {xlen: machine(extensions=f"rv{xlen}imafdc") for xlen in (32, 64)}


def check(image: bytes) -> None:
    """Load, and look at what came out."""
    tracemalloc.start()
    try:
        program = load_elf(image)
    except LoadError:
        pass
    else:
        assert program.text_address <= program.entry < program.text_address + len(program.text)
        assert program.entry % 2 == 0
        assert all(low.end <= high.address for low, high in zip(program.segments, program.segments[1:], strict=False))
        assert sum(segment.memory_bytes for segment in program.segments) <= 64 << 20
        assert program.end <= 1 << program.xlen
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < MEMORY_LIMIT_BYTES


@given(st.binary(max_size=300))
@example(b"\x7fELF")
def test_random_bytes(content: bytes) -> None:
    check(content)
    check(b"\x7fELF\x02\x01\x01" + content)


@given(st.sampled_from(IMAGES), st.data())
def test_truncated_file(image: bytes, data: st.DataObject) -> None:
    check(image[: data.draw(st.integers(0, len(image)))])


@settings(max_examples=400)
@given(st.sampled_from(IMAGES), st.data())
def test_damaged_file(image: bytes, data: st.DataObject) -> None:
    damaged = bytearray(image)
    value = st.one_of(st.sampled_from(INTERESTING), st.integers(0, 255))
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.one_of(st.integers(0, 200), st.integers(0, len(image) - 1)))
        damaged[min(place, len(image) - 1)] = data.draw(value)
    check(bytes(damaged))


@settings(max_examples=200)
@given(
    st.sampled_from(IMAGES), st.integers(0, 250), st.sampled_from([b"\xff" * 8, b"\0" * 8, b"\xff" * 4, b"\xff" * 2])
)
def test_fields_at_their_extremes(image: bytes, place: int, value: bytes) -> None:
    check(image[:place] + value + image[place + len(value) :])


def damaged(rng: random.Random) -> bytes:
    """Return an image with some bytes, fields or its end changed, mostly in the headers."""
    image = bytearray(rng.choice(IMAGES))
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(260 if rng.random() < 0.8 else len(image))
        match rng.randrange(3):
            case 0:
                image[place] = rng.choice((*INTERESTING, rng.randrange(256)))
            case 1:
                image[place : place + 8] = rng.choice((b"\xff" * 8, bytes(8), rng.randbytes(8)))
            case _:
                image[place] ^= 1 << rng.randrange(8)
    return bytes(image[: rng.randrange(len(image)) if rng.random() < 0.05 else len(image)])


def run_if_loaded(image: bytes) -> bool:
    """Run what loads as a bare-metal program; return whether it did."""
    try:
        program = load_elf(image, bare=True)
        loaded = BareMachine(MACHINES[program.xlen], program, memory_bytes=1 << 14, cycle_limit=500)
    except PimError:
        return False
    with contextlib.suppress(GuestTrap, CycleLimitError):
        loaded.run()
    assert all(hart.cycle < 100_000 for hart in loaded.group.harts)
    return True


def test_what_loads_of_damaged_files_runs() -> None:
    rng = random.Random(1)
    assert 0.05 < sum(run_if_loaded(damaged(rng)) for _ in range(500)) / 500 < 0.95


@pytest.mark.long
def test_many_damaged_files() -> None:
    """Of the generator with seed 2026: 60,000 loaded as kernels, and as bare-metal programs, which run."""
    rng = random.Random(2026)
    for _ in range(60_000):
        image = damaged(rng)
        check(image)
        run_if_loaded(image)
