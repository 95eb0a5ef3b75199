"""Column bursts of a die that are in flight at once, by hand."""

import pytest

from pim.config import TimingSpec, load_system, with_overrides
from pim.dram import access, make_device
from pim.errors import ConfigError
from pim.system.levels import core_settings, make_level_device

pytestmark = pytest.mark.plain

T = TimingSpec().to_kernel()._replace(nrefi=1 << 50, nbl=0)
READ, WRITE = False, True


def opened(most, **settings):
    """Return a device whose 16 banks have row 0 open, a thousand clocks ago."""
    device = make_device(16, 16, is_shared=True, most_bursts=most, **settings)
    for bank_id in range(16):
        access(device, bank_id, 0, 1, READ, 0, T)
    return device


def firsts(device, n_columns, now=2000):
    """Return the clocks after ``now`` at which the first columns of one read of each bank go out."""
    done = [access(device, bank_id, 0, n_columns, READ, now, T)[0] for bank_id in range(16)]
    return [at - T.ncl - (n_columns - 1) * T.nccd_l - now for at in done]


@pytest.mark.parametrize("most", [1, 2, 4, 8, 16])
def test_banks_take_turns_in_groups_of_as_many_as_may(most):
    assert firsts(opened(most), 8) == [8 * T.nccd_l * (bank_id // most) for bank_id in range(16)]


def test_without_a_limit_all_go_at_once():
    assert firsts(opened(0), 8) == [0] * 16


def test_wait_for_others_is_counted_as_such_and_that_for_the_own_bus_is_not():
    device = opened(1)
    waits = [access(device, bank_id, 0, 2, READ, 2000, T)[3] for bank_id in (0, 1, 2)]
    assert waits == [0, 2 * T.nccd_l, 4 * T.nccd_l]
    written_at, *_ = access(device, 3, 0, 1, WRITE, 4000, T)
    done_at, _, _, shared_wait = access(device, 3, 0, 1, READ, 4000, T)
    assert (done_at, shared_wait) == (written_at + T.nwtr_l + T.ncl, 0)


def test_short_burst_goes_before_an_earlier_request_that_waits_for_its_row():
    device = opened(1)
    conflict_at = access(device, 0, 1, 4, READ, 2000, T)[0] - T.ncl - 3 * T.nccd_l
    gap = conflict_at - 2000
    assert gap == T.nrp + T.nrcd
    fits = gap // T.nccd_l
    other = opened(1)
    access(other, 0, 1, 4, READ, 2000, T)
    assert access(device, 1, 0, fits, READ, 2000, T)[0] == 2000 + (fits - 1) * T.nccd_l + T.ncl
    late = access(other, 1, 0, fits + 1, READ, 2000, T)[0]
    assert late == conflict_at + 4 * T.nccd_l + fits * T.nccd_l + T.ncl


def test_in_order_it_waits():
    device = opened(2, in_order=True)
    conflict_at = access(device, 0, 1, 4, READ, 2000, T)[0] - T.ncl - 3 * T.nccd_l
    assert access(device, 1, 0, 1, READ, 2000, T)[0] == conflict_at + T.ncl


def test_many_bursts_far_apart_are_forgotten_without_a_trace():
    device = opened(1)
    for i in range(200):
        assert access(device, i % 16, 0, 3, READ, 2000 + 100 * i, T)[0] == 2000 + 100 * i + 2 * T.nccd_l + T.ncl


@pytest.mark.parametrize(
    ("level", "column_bursts", "most"),
    [("bank", None, 0), ("bank", 3, 3), ("bank", 16, 0), ("chip", 3, 0), ("rank", 3, 0)],
)
def test_limit_binds_where_banks_have_their_own_ports(level, column_bursts, most):
    """At chip and rank one bus lets one burst be in flight anyway; hits need no turn where nothing of it is shared."""
    system = with_overrides(load_system(level), {"column_bursts": column_bursts})
    assert make_level_device(system).most_bursts == most
    assert core_settings(system, 64, 64, 1).own_bank == (level == "bank" and not most)


@pytest.mark.parametrize("wrong", [0, -1, 17])
def test_limit_that_no_die_has_is_refused(wrong):
    with pytest.raises(ConfigError, match="column_bursts"):
        with_overrides(load_system("bank"), {"column_bursts": wrong})
