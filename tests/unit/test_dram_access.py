"""One access at a time against closed forms of the timing parameters."""

import pytest

from pim.config import TimingSpec
from pim.dram import COUNTED, RowOutcome, access, make_device

pytestmark = pytest.mark.plain

T = TimingSpec().to_kernel()
READ, WRITE = False, True


@pytest.fixture
def device():
    return make_device(16, 1)


def test_row_miss_costs_rcd_cl_and_burst(device):
    assert access(device, 0, 7, 1, READ, 100, T) == (100 + T.nrcd + T.ncl + T.nbl, RowOutcome.MISS, 0, 0)


def test_row_hit_costs_cl_and_burst(device):
    access(device, 0, 7, 1, READ, 0, T)
    assert access(device, 0, 7, 1, READ, 200, T) == (200 + T.ncl + T.nbl, RowOutcome.HIT, 0, 0)


def test_row_conflict_long_after_costs_rp_rcd_cl_and_burst(device):
    access(device, 0, 7, 1, READ, 0, T)
    assert access(device, 0, 8, 1, READ, 500, T)[:2] == (500 + T.nrp + T.nrcd + T.ncl + T.nbl, RowOutcome.CONFLICT)


def test_precharge_waits_for_tras(device):
    access(device, 0, 7, 1, READ, 0, T)
    assert access(device, 0, 8, 1, READ, 1, T)[0] == T.nras + T.nrp + T.nrcd + T.ncl + T.nbl


def test_precharge_after_a_write_waits_for_twr(device):
    written_at, *_ = access(device, 0, 7, 1, WRITE, 0, T)
    assert written_at == T.nrcd + T.ncwl + T.nbl
    assert access(device, 0, 8, 1, READ, written_at, T)[0] == (
        max(T.nras, written_at + T.nwr) + T.nrp + T.nrcd + T.ncl + T.nbl
    )


def test_columns_of_a_row_are_tccd_l_apart(device):
    one, *_ = access(device, 0, 7, 1, READ, 0, T)
    assert access(make_device(16, 1), 0, 7, 9, READ, 0, T)[0] == one + 8 * T.nccd_l


def test_other_bank_group_follows_after_tccd_s(device):
    for bank_id in (0, 1, 4):
        access(device, bank_id, 0, 1, READ, 0, T)
    first, *_ = access(device, 0, 0, 1, READ, 1000, T)
    assert access(device, 1, 0, 1, READ, 1000, T)[0] == first + T.nccd_s
    second, *_ = access(device, 0, 0, 1, READ, 2000, T)
    assert access(device, 4, 0, 1, READ, 2000, T)[0] == second + T.nccd_l  # bank 4 is of bank group 0 too


def test_own_ports_do_not_share_the_bus():
    device = make_device(16, 16)
    access(device, 0, 0, 1, READ, 0, T)
    access(device, 1, 0, 1, READ, 0, T)
    assert access(device, 0, 0, 1, READ, 1000, T)[0] == access(device, 1, 0, 1, READ, 1000, T)[0]


def test_fifth_act_within_tfaw_is_blocked(device):
    done = [access(device, bank_id, 0, 1, READ, 0, T)[0] for bank_id in range(5)]
    acts = [at - T.nrcd - T.ncl - T.nbl for at in done]
    assert acts[:4] == [0, T.nrrd_s, 2 * T.nrrd_s, 3 * T.nrrd_s]
    assert acts[4] == max(4 * T.nrrd_s, T.nfaw)


def test_without_tfaw_the_fifth_act_waits_for_trrd_only(device):
    relaxed = T._replace(nfaw=0)
    acts = [access(device, b, 0, 1, READ, 0, relaxed)[0] - T.nrcd - T.ncl - T.nbl for b in range(5)]
    assert acts[4] == max(4 * T.nrrd_s, T.nrrd_l)  # bank 4 is of bank 0's group


def test_read_after_write_waits_for_twtr(device):
    access(device, 0, 0, 1, READ, 0, T)
    written_at, *_ = access(device, 0, 0, 1, WRITE, 1000, T)
    assert access(device, 0, 0, 1, READ, 1000, T)[0] == written_at + T.nwtr_l + T.ncl + T.nbl


def test_refresh_closes_the_row_and_blocks_for_trfc(device):
    access(device, 0, 7, 1, READ, 0, T)
    done_at, outcome, refresh_wait, _ = access(device, 0, 7, 1, READ, T.nrefi, T)
    assert outcome == RowOutcome.MISS
    assert refresh_wait == T.nrp + T.nrfc
    assert done_at == T.nrefi + T.nrp + T.nrfc + T.nrcd + T.ncl + T.nbl


def test_refresh_of_a_closed_bank_needs_no_precharge(device):
    done_at, outcome, refresh_wait, _ = access(device, 0, 7, 1, READ, 2 * T.nrefi, T)
    assert (outcome, refresh_wait) == (RowOutcome.MISS, T.nrfc)
    assert done_at == 2 * T.nrefi + T.nrfc + T.nrcd + T.ncl + T.nbl


def test_only_the_first_of_two_refreshes_finds_the_row_open(device):
    access(device, 0, 7, 1, READ, 0, T)
    refresh_wait = access(device, 0, 7, 1, READ, 2 * T.nrefi, T)[2]
    assert refresh_wait == T.nrfc


def test_refresh_long_over_costs_only_the_row(device):
    access(device, 0, 7, 1, READ, 0, T)
    assert access(device, 0, 7, 1, READ, T.nrefi + 5000, T) == (
        T.nrefi + 5000 + T.nrcd + T.ncl + T.nbl,
        RowOutcome.MISS,
        0,
        0,
    )


def test_access_under_way_delays_the_refresh(device):
    done_at, *_ = access(device, 0, 7, 1, WRITE, T.nrefi - 2, T)
    precharged_at = done_at + T.nwr + T.nrp
    refresh_wait = access(device, 0, 8, 1, READ, T.nrefi + 1, T)[2]
    assert refresh_wait == precharged_at + T.nrfc - (T.nrefi + 1)


def test_commands_are_counted(device):
    access(device, 0, 7, 4, READ, 0, T)
    access(device, 0, 8, 2, WRITE, 0, T)
    counts = {command.name: int(device.commands[command]) for command in COUNTED}
    assert counts == {"ACT": 2, "PRE": 1, "RD": 4, "WR": 2}


def test_device_refuses_a_wrong_number_of_buses():
    with pytest.raises(ValueError, match="n_buses must be 1 or n_banks"):
        make_device(16, 3)


def test_act_goes_before_that_of_an_earlier_request_that_waits_for_its_bank(device):
    access(device, 0, 7, 1, READ, 0, T)
    waiting, *_ = access(device, 0, 8, 1, READ, 1, T)  # its ACT waits for tRAS and tRP
    assert access(device, 1, 0, 1, READ, 10, T)[0] == 10 + T.nrcd + T.ncl + T.nbl
    assert access(device, 2, 0, 1, READ, T.nras + T.nrp - 1, T)[0] > waiting  # there is no room right before it


def test_in_order_it_waits():
    device = make_device(16, 1, in_order=True)
    access(device, 0, 7, 1, READ, 0, T)
    waiting, *_ = access(device, 0, 8, 1, READ, 1, T)
    assert access(device, 1, 0, 1, READ, 10, T)[0] == waiting + T.nrrd_s


def test_columns_go_before_those_of_an_earlier_request_if_they_fit(device):
    access(device, 1, 0, 1, READ, 0, T)
    first, *_ = access(device, 0, 7, 8, READ, 1000, T)  # columns from 1000 + tRCD on
    assert access(device, 1, 0, 1, READ, 1000, T)[0] == 1000 + T.ncl + T.nbl
    fits = 1 + (T.nrcd - T.nccd_s) // T.nccd_l  # as many columns as there is room for before them
    other = make_device(16, 1)
    access(other, 1, 0, 1, READ, 0, T)
    access(other, 0, 7, 8, READ, 1000, T)
    assert access(other, 1, 0, fits, READ, 1000, T)[0] < first
    late = make_device(16, 1)
    access(late, 1, 0, 1, READ, 0, T)
    access(late, 0, 7, 8, READ, 1000, T)
    assert access(late, 1, 0, fits + 1, READ, 1000, T)[0] > first


def test_read_after_a_write_to_another_bank_group_waits_for_twtr_s(device):
    for bank_id in (0, 1):
        access(device, bank_id, 0, 1, READ, 0, T)
    written_at, *_ = access(device, 0, 0, 1, WRITE, 1000, T)
    assert access(device, 1, 0, 1, READ, 1000, T)[0] == written_at + T.nwtr_s + T.ncl + T.nbl


def test_refresh_of_a_shared_device_waits_for_all_banks(device):
    access(device, 1, 7, 1, WRITE, T.nrefi - 2, T)
    quiet_at = device.banks[1].pre_ready_at + T.nrp
    refresh_wait = access(device, 0, 8, 1, READ, T.nrefi + 1, T)[2]
    assert refresh_wait == quiet_at + T.nrfc - (T.nrefi + 1)


def test_bank_with_its_own_port_is_refreshed_alone():
    device = make_device(16, 16)
    access(device, 1, 7, 1, WRITE, T.nrefi - 2, T)
    assert access(device, 0, 8, 1, READ, T.nrefi + 1, T)[2] == T.nrfc - 1


def test_closed_page_makes_every_access_a_miss():
    device = make_device(16, 1, closed_page=True)
    access(device, 0, 7, 1, READ, 0, T)
    assert access(device, 0, 7, 1, READ, 1, T)[:2] == (T.nras + T.nrp + T.nrcd + T.ncl + T.nbl, RowOutcome.MISS)
    assert device.commands.tolist() == [2, 2, 2, 0]


def test_many_requests_far_apart_are_forgotten_without_a_trace(device):
    for i in range(300):
        assert access(device, i % 16, i // 16, 1, READ, 2000 * i, T._replace(nrefi=1 << 50))[0] <= 2000 * i + 100


def test_waits_for_what_is_shared_are_those_for_activates_and_the_bus():
    device = make_device(16, 1, is_shared=True)
    waits = [access(device, bank_id, 0, 1, READ, 1000, T)[3] for bank_id in range(5)]
    assert waits == [0, T.nrrd_s, 2 * T.nrrd_s, 3 * T.nrrd_s, max(4 * T.nrrd_s, T.nfaw)]
    assert access(device, 1, 0, 1, READ, 5000, T)[3] == 0
    assert access(device, 2, 0, 1, READ, 5000, T)[3] == T.nccd_s


def test_ports_of_ones_own_are_not_shared_but_activates_are():
    device = make_device(16, 16, is_shared=True)
    assert [access(device, bank_id, 0, 1, READ, 1000, T)[3] for bank_id in (0, 1)] == [0, T.nrrd_s]
    assert [access(device, 0, 0, 1, READ, 5000, T)[3] for _ in range(2)] == [0, 0]


def test_one_core_alone_waits_for_nobody():
    device = make_device(16, 1)
    assert [access(device, bank_id, 0, 1, READ, 1000, T)[3] for bank_id in range(5)] == [0] * 5


@pytest.mark.parametrize("n_buses", [1, 16])
def test_refresh_that_comes_late_puts_off_the_next_one(n_buses):
    device, often = make_device(16, n_buses), T._replace(nrefi=T.nrfc + 100)
    done_at, *_ = access(device, 0, 7, 16, WRITE, often.nrefi - 1, often)
    first_over = done_at + T.nwr + T.nrp + T.nrfc
    assert first_over > 2 * often.nrefi
    assert access(device, 0, 7, 1, READ, 2 * often.nrefi, often)[2] == first_over + T.nrfc - 2 * often.nrefi
    idle = make_device(16, n_buses)
    access(idle, 0, 7, 16, WRITE, often.nrefi - 1, often)
    assert access(idle, 0, 7, 1, READ, 50 * often.nrefi, often)[2] == T.nrfc
