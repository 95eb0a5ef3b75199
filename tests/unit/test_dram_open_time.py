"""The clocks in which banks have a row open or are refreshed, on the cores' path, by hand."""

import pytest

from pim.config import TimingSpec
from pim.dram import access, make_device
from pim.dram.refresh import open_clocks

pytestmark = pytest.mark.plain

T = TimingSpec().to_kernel()
READ, WRITE = False, True
LATE = 2000


def opened(device, end):
    return open_clocks(device.banks, end, T)


def test_bank_that_nobody_asks_for_is_open_only_while_it_is_refreshed():
    device = make_device(16, 16)
    assert opened(device, T.nrefi - 1) == (0,) * 16
    assert opened(device, 3 * T.nrefi + T.nrfc) == (3 * T.nrfc,) * 16


def test_row_is_open_from_its_act_until_now_or_until_the_refresh():
    device = make_device(16, 16)
    access(device, 3, 7, 1, READ, 100, T)
    assert opened(device, LATE)[3] == LATE - 100
    assert opened(device, T.nrefi + LATE)[3] == T.nrefi - 100 + T.nrfc
    assert sum(opened(device, LATE)) == LATE - 100


def test_conflict_closes_a_row_for_trp():
    device = make_device(16, 16)
    access(device, 0, 7, 1, READ, 100, T)
    access(device, 0, 8, 1, READ, 500, T)
    assert opened(device, LATE)[0] == LATE - 100 - T.nrp


def test_conflict_waits_for_tras_and_counts_it():
    device = make_device(16, 16)
    access(device, 0, 7, 1, READ, 100, T)
    access(device, 0, 8, 1, READ, 101, T)
    assert opened(device, 100 + T.nras)[0] == T.nras
    assert opened(device, LATE)[0] == LATE - 100 - T.nrp


def test_closed_page_is_open_from_act_to_pre():
    device = make_device(16, 1, closed_page=True)
    done_at, *_ = access(device, 0, 7, 1, WRITE, 100, T)
    access(device, 1, 7, 1, READ, 1000, T)
    assert opened(device, LATE)[:3] == (done_at + T.nwr - 100, T.nras, 0)


@pytest.mark.parametrize("n_buses", [1, 16])
def test_refresh_counts_once_for_each_bank_and_row_time_up_to_its_pre(n_buses):
    device = make_device(16, n_buses)
    access(device, 0, 7, 1, READ, 100, T)
    before = opened(device, T.nrefi + LATE)
    access(device, 0, 7, 1, READ, T.nrefi + LATE, T)
    assert opened(device, T.nrefi + LATE) == before
    assert before[0] == T.nrefi - 100 + T.nrfc
    assert before[1] == T.nrfc
