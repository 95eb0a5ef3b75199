"""The DRAM model against two public DDR4 simulators, Ramulator 2.1 and DRAMsim3, by their recorded commands.

The data lies beside the project (../shared/golden_dram); its README says what is to be equal, and how the two deviate.
"""

import collections

from tests.reference.dram_rules import broken_rules
from tests.support.channels import CommandBus, reference_clocks, serve_in_order
from tests.support.golden_dram import COMMANDS, command_stream, golden_timing, read_rows, requests

TIMING = golden_timing()
RELATIONS = {
    "same_bank": (0, 0, 0),
    "same_bankgroup_other_bank": (0, 0, 1),
    "same_rank_other_bankgroup": (0, 1, 1),
    "same_rank_all_banks": (0, 0, 0),
    "other_rank": (1, 0, 0),
}
NOT_OURS = {"REFpb"}
"""Commands that we don't have: DDR4 has no refresh of one bank."""


def test_recorded_streams_break_no_rule_but_where_known(shared_data):
    """One simulator lacks the rule ACT to REF: four REFs come before a bank that closes by itself is precharged.

    The other one sends five times PRE, which does nothing, to closed banks during a refresh.
    """
    clocks = reference_clocks(TIMING)
    broken = collections.Counter()
    paths = sorted(shared_data("golden_dram").joinpath("commands").glob("*.csv"))
    for path in paths:
        stream = command_stream(path)
        commands = {at: command for at, command, *_ in stream}
        for found in broken_rules(stream, clocks):
            source = path.stem.split("__")[1]
            assert source in ("dramsim3_closed_sat_ref", "ramulator_closed_sat_ref"), (path.name, found)
            broken[source.split("_")[0], found.rule, commands[found.at]] += 1
            assert found.rule != "tRC before REF" or found.short_by <= 13
    assert len(paths) == 268
    assert broken == {("dramsim3", "tRC before REF", "REF"): 4, ("ramulator", "tRFC", "PRE"): 5}


def min_gaps(folder):
    for name in ("dramsim3_tRTRS2", "ramulator2.1_DDR4_2400U"):
        for row in read_rows(folder / f"min_gap_{name}.csv"):
            yield name, row["relation"], row["first"], row["second"], int(row["min_gap_cycles"])


def test_minimum_distances_are_theirs(shared_data):
    """All pairs of commands that we have; theirs that deviate from the standard are named here."""
    deviating = {("dramsim3_tRTRS2", "same_bank", "RDA", "ACT"): 26}  # theirs adds BL/2
    for second in ("WR", "WRA"):  # theirs lets the two bursts overlap
        deviating |= {("ramulator2.1_DDR4_2400U", "other_rank", first, second): 11 for first in ("RD", "RDA")}
    pairs, differing = 0, set()
    names = COMMANDS | {"PRE": "PRE"}  # one of the two calls it so
    for source, relation, first, second, gap in min_gaps(shared_data("golden_dram")):
        if NOT_OURS & {first, second}:
            continue
        bus = CommandBus(TIMING, n_ranks=2)
        bus.issue(names[first], (0, 0, 0), 5, 1000)
        ours = bus.earliest(names[second], RELATIONS[relation]) - 1000
        if names[first] in ("RDA", "WRA") and relation == "same_bank" and names[second] in ("RD", "RDA", "WR", "WRA"):
            assert not bus.probe(names[second], (0, 0, 0), 5, 5000)  # the bank is closed
        pairs += 1
        if ours != gap:
            differing.add((source, relation, first, second))
            assert ours == deviating[source, relation, first, second]
    assert differing == set(deviating)
    assert pairs == 188


def in_order_rows(folder):
    for row in read_rows(folder / "results.csv"):
        if row["policy"] == "in-order-greedy":
            yield row


def test_requests_in_order_take_the_same_commands_at_the_same_clocks(shared_data):
    folder = shared_data("golden_dram")
    n_rows = 0
    for row in in_order_rows(folder):
        page = row["page"].split("(")[0]
        bus = CommandBus(TIMING, n_ranks=2)
        bus.channel.last_at[0] = -1
        end = serve_in_order(bus, requests(folder / "traces" / f"{row['pattern']}.csv"), closed=page == "closed")
        expected = command_stream(folder / "commands" / f"{row['pattern']}__inorder_{page}.csv")
        start = bus.stream[0][0]
        ours = [(at - start, name, *place[:3], place[3]) for at, name, *place in bus.stream[: len(expected)]]
        assert ours == expected, row["pattern"]
        assert end - start == int(row["cycles_first_cmd_to_last_data"]), row["pattern"]
        counts = collections.Counter(name for _, name, *_ in bus.stream)
        for column in ("n_ACT", "n_PREpb", "n_RD", "n_RDA", "n_WR", "n_WRA"):
            assert counts[COMMANDS[column[2:]]] == int(row[column]), (row["pattern"], column)
        n_rows += 1
    assert n_rows == 64
