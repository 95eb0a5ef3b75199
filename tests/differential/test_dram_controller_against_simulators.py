"""The controller's throughput and latencies against two public DDR4 simulators (../shared/golden_dram).

Equal where both agree or nothing is reordered; else within the range of the two, but for the rows named in DIFFERENT.
"""

import numpy as np
import pytest

from pim.config import ControllerConfig
from pim.dram.queues import Requests
from pim.dram.traffic import requests_of, serve_requests
from tests.reference.dram_rules import broken_rules
from tests.support.channels import reference_clocks
from tests.support.golden_dram import as_requests, command_stream, golden_timing, named_stream, read_rows

OPEN, CLOSED = ControllerConfig(), ControllerConfig(page="closed")
ROUNDED = 1e-4  # their figures have four digits

DIFFERENT = {
    # one drains writes in bursts as we do, but looks at both queues for what its rows are open for
    ("random_rd67_wr33", "sat", "off"): 0.005,
    ("random_rd", "1M", "off"): 0.002,  # we never precharge a row before its first column, so few ACTs are lost
    ("random_rd", "1M", "on"): 0.003,  # a refresh holds back all requests to its rank from the clock it is due
    ("random_rw", "1M", "on"): 0.003,  # the same
}
"""Rows out of the range of the two simulators, why, and by how much at most (relative)."""


def served_like(folder, row):
    """Return our run of a row of results.csv."""
    injection, n_ranks = row["injection"], int(row["ranks"])
    spaced = int(injection.partition(":")[2] or 0)
    return serve_requests(
        as_requests(folder / "traces" / f"{row['pattern']}.csv", int(row["requests"]), spaced=spaced),
        golden_timing(refresh=row["refresh"] == "on"),
        ControllerConfig(
            page=row["page"].partition("(")[0], scheduling="fcfs" if injection == "in-order" else "fr-fcfs"
        ),
        n_ranks=n_ranks,
        window=1 if injection == "dep" else 0,
        log_commands=20_000,
    )


def clocks_per_request(served):
    """Return theirs: the mean distance of column commands over the second half."""
    columns = np.sort(served.column_at)
    half = len(columns) // 2
    return (columns[-1] - columns[half]) / (len(columns) - 1 - half)


def grouped(rows):
    """Return the rows by what was run, without who ran it; closed pages are only comparable in order."""
    groups = {}
    for row in rows:
        if row["page"] == "open" and row["injection"] != "in-order":
            groups.setdefault((row["pattern"], row["injection"], row["refresh"]), []).append(row)
    return groups


def their_rate(row):
    """Return clocks per request; one driver adds an idle clock to each dependent request."""
    idle = row["injection"] == "dep" and row["source"].startswith("dramsim3")
    return float(row["cycles_per_request_2nd_half"]) - idle


def assert_in_range(name, ours, theirs, seen):
    low, high = min(theirs) - ROUNDED, max(theirs) + ROUNDED
    if low <= ours <= high:
        return
    assert low * (1 - DIFFERENT[name]) <= ours <= high * (1 + DIFFERENT[name]), (name, ours, theirs)
    seen.add(name)


def test_rates_are_those_of_the_simulators(shared_data):
    folder = shared_data("golden_dram")
    exact, between, seen = 0, 0, set()
    for (pattern, injection, refresh), rows in grouped(read_rows(folder / "results.csv")).items():
        theirs = [their_rate(row) for row in rows]
        ours = clocks_per_request(served_like(folder, rows[0]))
        assert_in_range((pattern, injection, refresh), ours, theirs, seen)
        if max(theirs) - min(theirs) < ROUNDED:
            exact += 1
        else:
            between += 1
    assert (exact, between) == (27, 24)
    assert seen == {name for name in DIFFERENT if name[1] != "1M"}


def test_requests_in_order_take_the_same_commands_at_the_same_clocks(shared_data):
    folder = shared_data("golden_dram")
    rows = [row for row in read_rows(folder / "results.csv") if row["injection"] == "in-order"]
    for row in rows:
        served = served_like(folder, row)
        stream = named_stream(served)
        start = stream[0][0]
        page = row["page"].partition("(")[0]
        expected = command_stream(folder / "commands" / f"{row['pattern']}__inorder_{page}.csv")
        plain = [(at - start, *rest[:-1]) for at, *rest in stream[: len(expected)]]
        assert plain == [command[:-1] for command in expected], row["pattern"]
        assert served.end - start == int(row["cycles_first_cmd_to_last_data"]), row["pattern"]
        assert {name: served.commands[name] for name in ("ACT", "RD", "RDA", "WR", "WRA")} == {
            name: int(row[f"n_{name}"]) for name in ("ACT", "RD", "RDA", "WR", "WRA")
        }
    assert len(rows) == 64


def test_latency_from_request_to_last_beat_is_theirs(shared_data):
    """Dependent and spaced requests, open page: each latency is the one that both simulators measured."""
    folder = shared_data("golden_dram")
    compared = 0
    for path in sorted((folder / "latency").glob("*_open_*.csv")):
        pattern, _, run = path.stem.partition("__")
        injection = run.rsplit("_", 1)[1]
        rows = read_rows(path)
        spaced = 200 if injection == "spaced200" else 0
        served = serve_requests(
            as_requests(folder / "traces" / f"{pattern}.csv", len(rows), spaced=spaced),
            golden_timing(),
            OPEN,
            window=1 if injection == "dep" else 0,
        )
        ours = served.done_at - served.accepted_at
        if "dramsim3" in run and injection == "dep":
            # its driver asks one clock later, so that the wait for tRAS of a row conflict can be one clock shorter
            assert np.all(np.abs(ours - [int(row["latency"]) for row in rows]) <= 1), path.name
        else:
            assert ours.tolist() == [int(row["latency"]) for row in rows], path.name
        compared += len(rows)
    assert compared > 5000


@pytest.mark.parametrize("page", ["open", "closed"])
def test_streams_that_the_controller_issues_break_no_rule(shared_data, page):
    folder = shared_data("golden_dram")
    clocks = reference_clocks(golden_timing())
    for path in sorted((folder / "traces").glob("*.csv")):
        for policy in (
            ControllerConfig(page=page),
            ControllerConfig(page=page, queue_depth=4, write_high=3, write_low=1, hit_cap=2, postponed_refreshes=3),
        ):
            served = serve_requests(
                as_requests(path, 1500), golden_timing(refresh=True)._replace(nrefi=2000), policy, n_ranks=2,
                log_commands=20_000,
            )  # fmt: skip
            assert broken_rules(named_stream(served), clocks) == [], (path.name, policy)


def addresses(name):
    """Return a million requests by address, as the data's README makes them."""
    n = 1_000_000
    if name == "stream_rd":
        burst, kind = np.arange(n), np.zeros(n, np.int64)
    else:
        draws, state = np.empty(n, np.uint64), 12345
        for i in range(n):
            state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
            draws[i] = state
        burst = ((draws >> np.uint64(24)) & np.uint64((1 << 27) - 1)).astype(np.int64)
        kind = ((draws >> np.uint64(60)) % np.uint64(3) == 0) if name == "random_rw" else np.zeros(n, np.int64)
    bank = ((burst >> 9) & 3) << 2 | (burst >> 7 & 3)
    return requests_of(bank, burst >> 11, burst & 127, kind)


def test_a_million_requests_take_what_the_simulators_say(shared_data):
    rows = read_rows(shared_data("golden_dram") / "results_1M_address_traces.csv")
    seen = set()
    for name in ("stream_rd", "random_rd", "random_rw"):
        requests = addresses(name)
        for refresh in ("off", "on"):
            served = serve_requests(requests, golden_timing(refresh=refresh == "on"), OPEN)
            theirs = [
                # one stops when the last request is accepted, the other when it is done
                int(row["cycles"])
                + (served.end - served.accepted_at[-1] if row["simulator"].startswith("ramulator") else 0)
                for row in rows
                if (row["trace"], row["page"], row["refresh"]) == (name, "open", refresh)
            ]
            assert len(theirs) == 2
            assert_in_range((name, "1M", refresh), served.end / 1e6, [cycles / 1e6 for cycles in theirs], seen)
    assert seen == {key for key in DIFFERENT if key[1] == "1M"}


def test_random_reads_are_bound_by_the_four_activate_window():
    """tFAW / 4 clocks each: the closed form, whatever the policy."""
    rng = np.random.default_rng(5)
    n = 100_000
    requests = requests_of(rng.integers(0, 16, n), rng.integers(0, 65536, n), 0, 0)
    timing = golden_timing()
    served = serve_requests(requests, timing, OPEN)
    assert timing.nfaw / 4 <= served.end / n < timing.nfaw / 4 * 1.005


def test_empty_list_of_requests_takes_no_time():
    none = Requests(*(np.zeros(0, np.int64) for _ in Requests._fields))
    served = serve_requests(none, golden_timing(), OPEN)
    assert (served.end, served.commands["ACT"]) == (0, 0)


T = golden_timing()
WRITTEN = T.ncwl + T.nbl
RATES = {  # banks, rows in turn, kinds in turn: clocks per request of a long stream
    "hits in one bank": ([0], 1, [0], T.nccd_l),
    "written hits in one bank": ([0], 1, [1], T.nccd_l),
    "hits in one bank group": ([0, 4], 1, [0], T.nccd_l),
    "hits in two bank groups": ([0, 1], 1, [0], T.nccd_s),
    "misses in one bank": ([0], 2, [0], T.nras + T.nrp),
    "written misses in one bank": ([0], 2, [1], T.nrcd + WRITTEN + T.nwr + T.nrp),
    "misses in two banks": ([0, 1], 2, [0], (T.nras + T.nrp) / 2),
    "misses in four banks": ([0, 1, 2, 3], 2, [0], (T.nras + T.nrp) / 4),
    "reads and writes in one row": ([0], 1, [0, 1], (T.ncl + T.nbl + 2 - T.ncwl + WRITTEN + T.nwtr_l) / 2),
}


@pytest.mark.parametrize("name", RATES)
def test_long_streams_in_order_take_the_closed_form(name):
    """One request after the other: in order, so that nothing is grouped; banks work side by side."""
    banks, n_rows, kinds, expected = RATES[name]
    n = 4000
    i = np.arange(n)
    bank, kind = np.array(banks)[i % len(banks)], np.array(kinds)[i % len(kinds)]
    requests = requests_of(bank, i // len(banks) % n_rows, i % 128, kind)
    policy = ControllerConfig(hit_cap=1) if n_rows > 1 else ControllerConfig(scheduling="fcfs")
    assert clocks_per_request(serve_requests(requests, T, policy)) == pytest.approx(expected, rel=2e-3), name


@pytest.mark.parametrize(("n_rows", "expected"), [(1, 1 + T.ncl + T.nbl), (2, 1 + T.nrp + T.nrcd + T.ncl + T.nbl)])
def test_dependent_reads_take_their_latency_each(n_rows, expected):
    i = np.arange(2000)
    served = serve_requests(requests_of(0, i % n_rows, i % 128, 0), T, OPEN, window=1)
    assert clocks_per_request(served) == expected


def test_refresh_takes_its_share_of_a_stream():
    """Hits of one bank group lose tRFC, and the time to close and open the row again, in every tREFI."""
    timing, n = golden_timing(refresh=True), 200_000
    requests = requests_of(0, 0, np.arange(n) % 128, 0)
    off, on = (serve_requests(requests, t, OPEN).end for t in (T, timing))
    lost = timing.nrfc + timing.nrp + timing.nrcd
    assert on / off == pytest.approx(timing.nrefi / (timing.nrefi - lost), rel=5e-3)
