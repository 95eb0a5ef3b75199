"""What the controller decides: order, rows, kinds, refreshes; small cases whose answer can be worked out."""

import numpy as np
import pytest

from pim.config import ControllerConfig, TimingSpec
from pim.dram.traffic import requests_of, serve_requests
from tests.reference.dram_rules import broken_rules
from tests.support.channels import reference_clocks
from tests.support.golden_dram import named_stream

pytestmark = pytest.mark.plain

T = TimingSpec().to_kernel()._replace(nrefi=1 << 50)
READ, WRITE = 0, 1
HIT = 1 + T.ncl + T.nbl
MISS = HIT + T.nrcd
FCFS, FR_FCFS = ControllerConfig(scheduling="fcfs"), ControllerConfig()


def serve(bank, row, kind=READ, *, at=0, column=None, policy=FR_FCFS, timing=T, **more):
    """Serve requests given as numbers or lists; log every command and check the stream."""
    n = max(np.size(values) for values in (bank, row, kind, at))
    column = np.arange(n) if column is None else column
    served = serve_requests(requests_of(bank, row, column, kind, at), timing, policy, log_commands=10_000, **more)
    assert broken_rules(named_stream(served), reference_clocks(timing)) == []
    return served


def test_isolated_read_takes_a_clock_in_the_queue_trcd_cl_and_the_burst():
    served = serve([0], [5])
    assert served.done_at.tolist() == [MISS]
    assert served.outcomes == {"HIT": 0, "MISS": 1, "CONFLICT": 0}


def test_outcomes_follow_the_row_buffer():
    served = serve([0, 0, 0, 1], [5, 5, 6, 6], at=[0, 200, 400, 600])
    assert served.outcome.tolist() == [1, 0, 2, 1]
    assert (served.done_at - served.accepted_at).tolist() == [MISS, HIT, MISS + T.nrp, MISS]


def test_first_ready_lets_a_hit_overtake_a_conflict_and_fcfs_does_not():
    bank, row = [0, 0, 0], [5, 6, 5]
    overtaken = serve(bank, row).column_at
    assert overtaken[2] < overtaken[1]
    in_order = serve(bank, row, policy=FCFS).column_at
    assert in_order[0] < in_order[1] < in_order[2]


def test_hits_that_overtake_are_capped():
    n = 40
    row = [5, 6] + [5] * (n - 2)
    columns = serve(0, row, policy=ControllerConfig(hit_cap=4)).column_at
    assert np.count_nonzero(columns < columns[1]) == 4
    assert np.count_nonzero(serve(0, row).column_at < serve(0, row).column_at[1]) == 16


def test_banks_overlap_under_first_ready_only():
    apart = serve([0, 1], [5, 5]).column_at
    assert apart[1] - apart[0] == T.nrrd_s
    in_order = serve([0, 1], [5, 5], policy=FCFS).column_at
    assert in_order[1] - in_order[0] == 1 + T.nrcd


def test_closed_page_precharges_by_itself_after_the_last_hit():
    closed = ControllerConfig(page="closed")
    served = serve([0, 0, 0], [5, 5, 6], policy=closed)
    assert [name for _, name, *_ in named_stream(served)] == ["ACT", "RD", "RDA", "ACT", "RDA"]
    assert served.commands["PRE"] == 0
    assert served.channel.bank_activity.closings[0] == 2


def test_writes_wait_until_reads_are_done_or_the_queue_fills():
    kind = [READ, WRITE] + [READ] * 4
    columns = serve(list(range(6)), 5, kind).column_at
    assert np.argmax(columns) == 1
    full = serve(0, 5, [WRITE] * 20 + [READ] * 20, policy=ControllerConfig(queue_depth=8, write_high=6, write_low=2))
    assert full.column_at[:6].max() < full.column_at[20:].min()


def test_read_of_a_burst_that_waits_to_be_written_is_answered_at_once():
    served = serve([0, 1, 0], [5, 5, 5], [WRITE, READ, READ], column=[7, 0, 7])
    assert served.n_forwarded == 1
    assert served.done_at[2] == served.accepted_at[2] + 1
    assert served.commands["RD"] == 1


def test_write_never_overtakes_a_read_of_the_same_burst():
    policy = ControllerConfig(queue_depth=4, write_high=1, write_low=0)
    for column in (7, 8):
        served = serve([0, 0, 0], [4, 5, 5], [READ, READ, WRITE], column=[0, 7, column], policy=policy)
        if column == 7:
            assert served.column_at[2] > served.column_at[1]


def test_queue_takes_no_more_than_its_depth():
    served = serve(0, np.arange(12), policy=ControllerConfig(queue_depth=3, write_high=2, write_low=1))
    order = np.sort(served.column_at)
    for i in range(3, 12):
        assert served.accepted_at[i] >= order[i - 3]


def test_window_limits_what_is_under_way():
    served = serve(0, [5] * 10, window=1)
    assert np.all(served.accepted_at[1:] == served.done_at[:-1])
    assert np.diff(served.done_at).tolist() == [HIT] * 9


def test_request_waits_for_its_offered_clock():
    served = serve([0, 0], [5, 5], at=[0, 1000])
    assert served.accepted_at.tolist() == [0, 1000]


@pytest.mark.parametrize("postponed", [0, 1, 8])
def test_refresh_is_postponed_as_far_as_allowed(postponed):
    timing = T._replace(nrefi=1000, nrfc=100)
    policy = ControllerConfig(postponed_refreshes=postponed)
    served = serve(0, [5] * 4000, timing=timing, policy=policy)
    refreshes = [at for at, name, *_ in named_stream(served) if name == "REF"]
    due = 1000 * np.arange(1, len(refreshes) + 1)
    late = refreshes - due
    assert len(refreshes) > 10
    assert np.all(late >= postponed * 1000)
    assert np.all(late < postponed * 1000 + T.nras + T.nwr + 2 * T.nrp + T.nrfc)


def test_idle_rank_catches_up_and_refreshes_on_time():
    timing = T._replace(nrefi=1000, nrfc=100)
    policy = ControllerConfig(postponed_refreshes=8)
    served = serve(0, [5] * 501, at=[*np.zeros(500, int), 20_000], timing=timing, policy=policy)
    refreshes = [at for at, name, *_ in named_stream(served) if name == "REF"]
    assert refreshes[-1] == 20_000
    assert len(refreshes) == 20
    assert np.diff(refreshes)[-5:].tolist() == [1000] * 5


def test_ranks_refresh_one_after_the_other():
    timing = T._replace(nrefi=1000, nrfc=100)
    served = serve([0, 16], [5, 5], at=[0, 10_500], timing=timing, n_ranks=2)
    due = {
        rank: [at for at, name, where, *_ in named_stream(served) if name == "REF" and where == rank] for rank in (0, 1)
    }
    assert all(at % 1000 == 0 for at in due[0][1:])
    assert all(at % 1000 == 500 for at in due[1][1:])


def test_counters_add_up():
    served = serve([0, 0, 1], [5, 6, 5], [READ, WRITE, READ])
    commands, activity = served.commands, served.channel.activity[0]
    banks = served.channel.bank_activity
    assert (commands["ACT"], commands["RD"], commands["WR"], commands["PRE"]) == (3, 2, 1, 1)
    assert (banks.acts[:2].tolist(), banks.reads[:2].tolist(), banks.writes[:2].tolist()) == ([2, 1], [1, 1], [1, 0])
    assert banks.closings[0] == 1
    assert activity.n_open == 2


def test_wrong_requests_and_settings_are_refused():
    with pytest.raises(ValueError, match="bank: must be 0 to 15, got 16 to 16"):
        serve([16], [5])
    with pytest.raises(ValueError, match="kind: must be 0 to 1"):
        serve([0], [5], [2])
    with pytest.raises(ValueError, match="at most 128 banks"):
        serve([0], [5], n_ranks=9)
    with pytest.raises(ValueError, match="write_low < write_high <= queue_depth"):
        ControllerConfig(queue_depth=8)
