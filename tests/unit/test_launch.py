"""What starting and ending a run costs, against sums by hand."""

import pytest

from pim.config import load_system, with_overrides
from pim.system import completion_nck, launch_nck

TRP, TCCD_L, CWL, CL, BURST = 17, 6, 12, 17, 4
WRITE, READ, GRANT, START, DONE, POLL, RELEASE = 1, 1, 25, 1, 1, 1200, 25
MAILBOXES = {"bank": 2 * 16, "chip": 2 * 1, "rank": 2 * 4}
"""That one channel needs a burst each for: two ranks with 16 banks, with one core a chip, with 4 cores."""


@pytest.mark.parametrize("level", MAILBOXES)
@pytest.mark.parametrize("n_words", [0, 3, 16])
def test_start_is_the_sum_of_its_steps(level: str, n_words: int) -> None:
    bursts = MAILBOXES[level] * (n_words + 2)  # arguments, OWNER, CONTROL
    expected = TRP + bursts * TCCD_L + CWL + BURST + WRITE + GRANT + START
    assert launch_nck(load_system(level), n_words) == expected


@pytest.mark.parametrize("level", MAILBOXES)
def test_end_is_the_sum_of_its_steps(level: str) -> None:
    bursts = MAILBOXES[level] * 2  # STATUS, RETURN
    assert completion_nck(load_system(level)) == DONE + POLL + bursts * TCCD_L + CL + BURST + READ + RELEASE


def test_channels_work_side_by_side_and_ranks_one_after_the_other() -> None:
    bank = load_system("bank")
    assert launch_nck(with_overrides(bank, {"geometry.channels": 4}), 5) == launch_nck(bank, 5)
    one = launch_nck(with_overrides(bank, {"geometry.ranks_per_channel": 1}), 5)
    assert launch_nck(bank, 5) - one == 16 * 7 * TCCD_L
