"""What starting and ending a run costs, against sums by hand."""

import pytest

from mapreduce.costs import move
from pim.config import load_system, with_overrides
from pim.system import completion_nck, launch_nck
from pim.system.levels import concurrent_rules

TRP, TRCD, TCCD_L, CWL, CL, BURST = 17, 17, 6, 12, 17, 4
WRITE, GRANT, START, DONE, POLL, ALERT, RELEASE = 1, 25, 1, 1, 1200, 600, 25
MAILBOXES = {"bank": 2 * 16, "chip": 2 * 1, "rank": 2 * 4}
"""That one channel needs a burst each for: two ranks with 16 banks, with one core a chip, with 4 cores."""
RANKS = 2


def machine(level, **interface):
    return with_overrides(load_system(level), {f"interface.{name}": value for name, value in interface.items()})


@pytest.mark.parametrize("level", MAILBOXES)
@pytest.mark.parametrize("n_words", [0, 3, 16])
def test_start_is_the_sum_of_its_steps(level: str, n_words: int) -> None:
    bursts = MAILBOXES[level] * (n_words + 2)  # arguments, OWNER, CONTROL
    expected = TRP + TRCD + bursts * TCCD_L + CWL + BURST + WRITE + GRANT + START
    assert launch_nck(load_system(level), n_words) == expected


@pytest.mark.parametrize("level", MAILBOXES)
def test_end_is_the_sum_of_its_steps(level: str) -> None:
    bursts = MAILBOXES[level] * 2  # STATUS, RETURN
    read = TRCD + bursts * TCCD_L + CL + BURST
    assert completion_nck(load_system(level)) == DONE + POLL + read + RELEASE
    assert completion_nck(machine(level, completion="alert")) == DONE + ALERT + read + RELEASE
    assert completion_nck(machine(level, ownership="concurrent")) == DONE + POLL + read
    assert completion_nck(machine(level, poll_interval_nck=5)) == DONE + 5 + read + RELEASE


@pytest.mark.parametrize("level", MAILBOXES)
def test_broadcast_spares_the_bursts_that_are_the_same_for_all_cores(level: str) -> None:
    spared = (MAILBOXES[level] - RANKS) * TCCD_L
    each, together = load_system(level), machine(level, launch="broadcast")
    assert launch_nck(each, 3) - launch_nck(together, 3) == 2 * spared  # OWNER, CONTROL
    assert completion_nck(each) - completion_nck(together) == spared  # STATUS


def test_banks_that_stay_the_cores_are_requested_once() -> None:
    system = machine("bank", ownership="concurrent")
    assert launch_nck(system, 3) == launch_nck(load_system("bank"), 3)
    assert launch_nck(system, 3) - launch_nck(system, 3, is_first=False) == MAILBOXES["bank"] * TCCD_L + GRANT


def test_transfer_to_claimed_banks_waits_for_the_claim() -> None:
    exclusive, concurrent = load_system("bank"), machine("bank", ownership="concurrent")
    steps = TRCD + CWL + BURST + WRITE + concurrent_rules(concurrent).nclaim + TRP + TRCD + CWL + BURST + WRITE
    longer = move(concurrent, 1000, to_cores=True).seconds - move(exclusive, 1000, to_cores=True).seconds
    assert longer == pytest.approx(steps * 0.833e-9)
    assert move(concurrent, 0, to_cores=True).seconds == 0


def test_channels_work_side_by_side_and_ranks_one_after_the_other() -> None:
    bank = load_system("bank")
    assert launch_nck(with_overrides(bank, {"geometry.channels": 4}), 5) == launch_nck(bank, 5)
    one = launch_nck(with_overrides(bank, {"geometry.ranks_per_channel": 1}), 5)
    assert launch_nck(bank, 5) - one == 16 * 7 * TCCD_L
