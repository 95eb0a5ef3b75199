"""What always holds for DRAM: slower parts never make one stream faster, and no controller breaks a rule."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pim.config import ControllerConfig, TimingSpec
from pim.dram.traffic import requests_of, serve_requests
from tests.reference.dram_rules import broken_rules
from tests.support.channels import reference_clocks
from tests.support.golden_dram import named_stream

T = TimingSpec().to_kernel()
NO_REFRESH = T._replace(nrefi=1 << 50)

banks, rows = st.integers(0, 15), st.integers(0, 3)
request_lists = st.lists(st.tuples(banks, rows, st.integers(0, 127), st.booleans()), min_size=1, max_size=60)
slowed = st.sampled_from(["nrcd", "nrp", "nras", "ncl"])


def as_requests(listed, gap=0):
    bank, row, column, kind = np.array(listed, np.int64).T
    return requests_of(bank, row, column, kind, np.arange(len(listed)) * gap)


@settings(max_examples=150)
@given(listed=request_lists, name=slowed, more=st.integers(1, 30), gap=st.integers(0, 60), is_closed=st.booleans())
def test_longer_timing_never_makes_a_stream_in_order_faster(listed, name, more, gap, is_closed):
    policy = ControllerConfig(scheduling="fcfs", page="closed" if is_closed else "open")
    slower = NO_REFRESH._replace(**{name: getattr(T, name) + more})
    requests = as_requests(listed, gap)
    before, after = (serve_requests(requests, timing, policy).done_at for timing in (NO_REFRESH, slower))
    if name == "ncl":  # a write may follow a read's column sooner than before, never its data
        assert after.max() >= before.max()
    else:
        assert np.all(after >= before)


@settings(max_examples=150)
@given(listed=request_lists, name=slowed, more=st.integers(1, 30))
def test_longer_timing_never_makes_dependent_requests_faster(listed, name, more):
    slower = NO_REFRESH._replace(**{name: getattr(T, name) + more})
    before, after = (
        serve_requests(as_requests(listed), timing, ControllerConfig(), window=1).end for timing in (NO_REFRESH, slower)
    )
    assert after >= before


@settings(max_examples=150)
@given(
    listed=request_lists,
    gap=st.integers(0, 80),
    depth=st.integers(2, 40),
    cap=st.integers(1, 20),
    postponed=st.integers(0, 8),
    is_closed=st.booleans(),
    is_fcfs=st.booleans(),
    window=st.sampled_from([0, 1, 3]),
)
def test_every_request_is_served_once_and_no_rule_broken(
    listed, gap, depth, cap, postponed, is_closed, is_fcfs, window
):
    timing = T._replace(nrefi=900)
    policy = ControllerConfig(
        scheduling="fcfs" if is_fcfs else "fr-fcfs",
        page="closed" if is_closed else "open",
        queue_depth=depth,
        write_high=max(1, depth * 3 // 4),
        write_low=depth // 4,
        hit_cap=cap,
        postponed_refreshes=postponed,
    )
    requests = as_requests(listed, gap)
    served = serve_requests(requests, timing, policy, window=window, log_commands=20_000)
    assert broken_rules(named_stream(served), reference_clocks(timing)) == []
    commands = served.commands
    reads = int(np.count_nonzero(requests.kind == 0))
    assert commands["RD"] + commands["RDA"] + served.n_forwarded == reads
    assert commands["WR"] + commands["WRA"] == len(listed) - reads
    assert np.all(served.done_at > served.accepted_at)
    assert np.all(np.diff(served.accepted_at) >= 1)
