"""Claims of banks against closed forms of the timing parameters, and what a host that makes them is held to."""

import re
from pathlib import Path

import numpy as np
import pytest

from pim.config import TimingSpec, load_system, with_overrides
from pim.dram import HostUse, RowOutcome, access, claim_rules, free_from, make_device, with_claims
from pim.errors import ConfigError
from pim.system.levels import concurrent_rules, port_timing

T = TimingSpec().to_kernel()._replace(nbl=0)
RULES = claim_rules(
    T, n_cores=2, n_columns=16, one_bus=False, in_order=True, most_bursts=0, has_atomics=False, hold=200
)
SHARED = claim_rules(
    T, n_cores=2, n_columns=16, one_bus=True, in_order=True, most_bursts=0, has_atomics=False, hold=200
)
C, QUIET = RULES.nclaim, max(T.nfaw, T.nrrd_l)
READ, WRITE = False, True
LONG = 200 + T.nras + T.nrp


def use(*claims, columns=()):
    """Return claims from (bank, claimed_at, clocks in force) with one ACT each."""
    bank, claimed_at, clocks = (np.array(values, np.int64) for values in zip(*claims, strict=True))
    columns = [np.array(values, np.int64) for values in zip(*columns, strict=True)] or [np.zeros(0, np.int64)] * 3
    return HostUse(bank, claimed_at, claimed_at + clocks, claimed_at + C, *columns)


def bank_device(*claims):
    return with_claims(make_device(16, 16, in_order=True), use(*claims), RULES, T)


def test_request_during_a_claim_is_made_when_that_ends():
    device = bank_device((3, 1000, C + LONG))
    assert free_from(device, 3, 999) == 999
    assert free_from(device, 3, 1000) == 1000 + C + LONG
    assert free_from(device, 3, 1000 + C + LONG) == 1000 + C + LONG
    assert free_from(device, 2, 1000) == 1000
    assert access(device, 3, 7, 1, READ, 1000, T)[0] == 1000 + C + LONG + T.nrcd + T.ncl


def test_claim_closes_the_row():
    device = bank_device((3, 1000, C + LONG))
    access(device, 3, 7, 1, READ, 0, T)
    assert access(device, 3, 7, 1, READ, 1000 + C + LONG + 100, T)[1] == RowOutcome.MISS
    assert device.banks[3].drain == T.nrp
    assert device.banks[3].open_clocks == 1000


def test_request_before_a_claim_is_served_and_delays_the_bank():
    device = bank_device((3, 1000, C + LONG))
    done_at, *_ = access(device, 3, 7, 16, WRITE, 999, T)
    assert done_at == 999 + T.nrcd + 15 * T.nccd_l + T.ncwl
    free_from(device, 3, 1000)
    access(device, 3, 7, 1, READ, 5000, T)
    assert device.banks[3].drain == done_at + T.nwr + T.nrp - 1000


def test_refresh_due_during_a_claim_goes_when_that_ends():
    claimed_at = T.nrefi - C - 10
    device = bank_device((3, claimed_at, C + LONG))
    released_at = claimed_at + C + LONG
    done_at, outcome, refresh_wait, _ = access(device, 3, 7, 1, READ, T.nrefi, T)
    assert (done_at, refresh_wait) == (released_at + T.nrfc + T.nrcd + T.ncl, T.nrfc)
    assert outcome == RowOutcome.MISS


def test_refresh_due_with_a_claim_goes_first():
    device = bank_device((3, T.nrefi, C + LONG))
    access(device, 3, 7, 1, READ, T.nrefi + C + LONG, T)
    assert device.banks[3].drain == T.nrfc


@pytest.mark.parametrize("early", [0, 1, 5, QUIET - 1])
def test_no_act_of_a_core_shortly_before_the_hosts(early):
    device = bank_device((3, 1000, C + LONG))
    act_at = 1000 + C
    done_at, _, _, shared_wait = access(device, 0, 7, 1, READ, act_at - early, T)
    assert done_at == act_at + T.nrrd_s + T.nrcd + T.ncl
    assert shared_wait == early + T.nrrd_s


def test_act_of_a_core_at_the_quiet_zones_edge_goes_out():
    device = bank_device((3, 1000, C + LONG))
    assert access(device, 0, 7, 1, READ, 1000 + C - QUIET, T)[0] == 1000 + C - QUIET + T.nrcd + T.ncl


def test_act_of_the_hosts_bank_group_waits_for_trrd_l():
    device = bank_device((3, 1000, C + LONG))
    assert access(device, 7, 7, 1, READ, 1000 + C, T)[0] == 1000 + C + T.nrrd_l + T.nrcd + T.ncl


def test_act_of_the_host_counts_in_tfaw():
    device = bank_device((3, 1000, C + LONG))
    acts = [access(device, bank, 7, 1, READ, 1000 + C, T)[0] - T.nrcd - T.ncl for bank in (0, 1, 2, 4)]
    assert acts == [1000 + C + n * T.nrrd_s for n in (1, 2, 3)] + [1000 + C + T.nfaw]


def test_columns_on_a_shared_bus_keep_clear_of_the_hosts():
    at = 1000 + SHARED.nclaim + T.nrcd
    claimed = HostUse(*(np.array([value]) for value in (3, 1000, at + LONG, 1000 + SHARED.nclaim, at, 3, 0)))
    device = with_claims(make_device(16, 1), claimed, SHARED, T._replace(nrefi=1 << 40))
    never = T._replace(nrefi=1 << 40)
    access(device, 0, 7, 1, READ, 0, never)
    assert access(device, 0, 7, 1, READ, at - T.nccd_s, never)[0] == at - T.nccd_s + T.ncl
    device = with_claims(make_device(16, 1), claimed, SHARED, never)
    access(device, 0, 7, 1, READ, 0, never)
    assert access(device, 0, 7, 1, READ, at - T.nccd_s + 1, never)[0] == at + T.nccd_s + T.ncl
    assert access(device, 0, 7, 1, WRITE, at + 50, never)[2:] == (0, 0)


@pytest.mark.parametrize(
    ("claims", "text"),
    [
        ([(16, 1000, C + LONG)], "banks must be 0 to 15"),
        ([(3, -1, C + LONG)], "must not begin before clock 0"),
        ([(3, 1000, C + LONG), (3, 1000 + C + LONG, C + LONG)], "after the last one of its bank has ended"),
        ([(3, 1000, C + LONG), (4, 1000 + 2 * QUIET - 1, C + LONG)], f"{2 * QUIET} clocks or more"),
        ([(3, 1000, C + T.nras + T.nrp - 1)], r"before its ACT \+ tRAS \+ tRP"),
        ([(3, T.nrefi - 1, T.nrefi - T.nrfc + 2)], "in time for a refresh"),
    ],
)
def test_claims_that_cores_cannot_expect_are_refused(claims, text):
    with pytest.raises(ConfigError, match=text):
        bank_device(*claims)


def test_act_at_another_clock_is_refused():
    claims = use((3, 1000, C + LONG))
    with pytest.raises(ConfigError, match=f"tClaim = {C} clocks after it"):
        with_claims(make_device(16, 16), claims._replace(act_at=claims.act_at + 1), RULES, T)


def test_claim_over_a_common_refresh_is_refused():
    claims = HostUse(*(np.array([v]) for v in (3, T.nrefi - 5, T.nrefi + 9000, T.nrefi - 5 + SHARED.nclaim)))
    with pytest.raises(ConfigError, match="in time for a refresh"):
        with_claims(make_device(16, 1), claims, SHARED, T)


def test_tclaim_is_the_documented_sum():
    """Of docs/timing.md, "Claims", for the bank preset in order: by hand, from its parts in DDR4-2400's clocks."""
    text = (Path(__file__).parents[2] / "docs" / "timing.md").read_text().split("### Claims")[1].split("\n#")[0]
    assert re.search(
        r"tClaim = tRFC \+ \*n\* \(max\(tRAS, tWR\) \+ tRP \+ \*acts\* \+ \*columns\* \+ \*last\*\) \+ tRP", text
    )
    system = with_overrides(load_system("bank"), {"controller.scheduling": "fcfs"})
    length, acts = 127 * 6, (6 + 1) * 2 * 26  # 128 columns of 8 B; 16 cores by threes
    assert concurrent_rules(system).nclaim == 39 + 17 + 421 + acts + (17 + length + 12 + 18) + 17
    first_ready = with_overrides(system, {"controller.scheduling": "fr-fcfs"})
    assert concurrent_rules(first_ready).nclaim == concurrent_rules(system).nclaim + (17 - 7) * 2 * 26


def test_longer_requests_and_more_cores_make_tclaim_longer():
    bank = with_overrides(load_system("bank"), {"core.scratchpad_bytes": 256})
    shorter = with_overrides(bank, {"core.line_bytes": 256})
    assert concurrent_rules(bank).nclaim - concurrent_rules(shorter).nclaim == 96 * port_timing(bank).nccd_l
    chip = with_overrides(load_system("chip"), {"core.line_bytes": 256, "core.scratchpad_bytes": 256})
    four = with_overrides(chip, {"cores_per_location": 4})
    assert concurrent_rules(four).nclaim > concurrent_rules(chip).nclaim


def test_cores_that_share_banks_cannot_have_them_claimed():
    system = with_overrides(load_system("rank"), {"window_map": "all-banks"})
    with pytest.raises(ConfigError, match="own-banks"):
        concurrent_rules(system)


def test_claims_need_room_between_refreshes():
    system = with_overrides(load_system("bank"), {"timing.trefi_ns": 1500.0})
    with pytest.raises(ConfigError, match="no claim fits between refreshes"):
        concurrent_rules(system)
