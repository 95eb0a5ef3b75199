"""Whatever bytes stand for a program: it ends, traps or meets the limit, and never takes the process with it."""

from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from unicorn import UcError

from pim.config import load_system, with_overrides
from pim.errors import CycleLimitError, GuestTrap
from pim.isa.encoding import ENCODINGS
from pim.system import CoreRun, CoreTask, run_cores
from tests.support.assembler import to_bytes
from tests.support.assembly import MEMORY_AT, program
from tests.support.emulator import emulate
from tests.support.random_programs import random_program

BANK, RANK = load_system("bank"), load_system("rank")
MACHINES = (BANK, RANK, with_overrides(BANK, {"port": "row", "core.instruction_buffer_bytes": 128}))
LIMIT = 30_000


def outcome(system, text: bytes, memory: bytes, n_cores: int = 1) -> CoreRun | None:
    """Return the first core's run, or None if one trapped or met the limit."""
    task = CoreTask((), ((MEMORY_AT, np.frombuffer(memory, np.uint8)),), ((MEMORY_AT, len(memory)),))
    try:
        return run_cores(system, program(text), [task] * n_cores, cycle_limit=LIMIT).cores[0]
    except (GuestTrap, CycleLimitError):
        return None


@given(st.sampled_from(MACHINES), st.binary(min_size=2, max_size=400), st.integers(1, 4))
@example(BANK, b"\x01\xa0", 1)  # c.j to itself
@example(BANK, b"\x00", 1)
@settings(max_examples=300)
def test_random_bytes(system, text: bytes, n_cores: int) -> None:
    outcome(system, text, text, n_cores)


words = st.builds(
    lambda row, fill: row.match | fill & ~row.mask & 0xFFFF_FFFF,
    st.sampled_from(list(ENCODINGS.values())),
    st.integers(0, 2**32 - 1),
)


@given(st.sampled_from(MACHINES), st.lists(words, min_size=1, max_size=60))
@settings(max_examples=200)
def test_random_instructions(system, instructions: list[int]) -> None:
    text = to_bytes(*instructions)
    outcome(system, text, text)


@pytest.mark.parametrize("first_seed", range(0, 200, 50))
def test_damaged_program_that_ends_does_what_the_emulator_does(first_seed: int) -> None:
    """Bits of a random program are flipped: most traps; what ends, ends with the emulator's memory."""
    n_ended = 0
    for seed in range(first_seed, first_seed + 50):
        rng = Random(seed)
        intact = random_program(seed, n_blocks=4)
        memory = bytearray(intact.memory)
        for _ in range(rng.randrange(1, 6)):
            memory[rng.randrange(len(intact.program.text))] ^= 1 << rng.randrange(8)
        core = outcome(BANK, bytes(memory[: len(intact.program.text)]), bytes(memory))
        if core is None:
            continue
        n_ended += 1
        try:
            expected = emulate(bytes(memory))
        except UcError as error:
            pytest.fail(f"seed {seed}: the emulator stops with {error}")
        assert core.instructions == len(expected.steps), seed
        assert core.outputs[0].tobytes() == expected.memory, seed
    assert n_ended >= 5
