"""The host's channels: which controller gets a request, and what latencies say."""

import numpy as np
import pytest

from pim.config import load_system, with_overrides
from pim.dram.host import serve_addresses
from pim.errors import ConfigError

SYSTEM = with_overrides(load_system("bank"), {"timing.trefi_ns": 1e9})
T = SYSTEM.timing.to_kernel()
MISS = 1 + T.nrcd + T.ncl + T.nbl
BURST = 64


def test_neighbouring_bursts_alternate_between_the_channels():
    served = serve_addresses(SYSTEM, np.arange(8) * BURST)
    assert served.channel.tolist() == [0, 1] * 4
    assert [one.commands["RD"] for one in served.by_channel] == [4, 4]
    assert served.latency_nck[:2].tolist() == [MISS, MISS]  # the channels do not wait for each other


def test_bank_group_interleave_streams_faster_than_one_row_after_the_other():
    stream = np.arange(4096) * BURST
    by_row, by_group = (serve_addresses(SYSTEM, stream, map_name=name).end for name in ("RoRaBaCoCh", "RoRaBaCoBgCh"))
    assert by_row == pytest.approx(2048 * (T.nccd_l + T.nccd_s) / 2, rel=0.15)  # rows in two groups overlap in part
    assert by_group == pytest.approx(2048 * T.nccd_s, rel=0.05)


def test_percentiles_are_those_of_the_latencies():
    served = serve_addresses(SYSTEM, [0, 0, 0, 0], offered_at=[0, 1000, 2000, 3000])
    assert served.latency_nck.tolist() == [MISS, *[MISS - T.nrcd] * 3]
    assert (served.percentile_nck(50), served.percentile_nck(99)) == (MISS - T.nrcd, MISS)


def test_ranks_of_a_channel_are_told_apart():
    system = with_overrides(SYSTEM, {"geometry.channels": 1})
    served = serve_addresses(system, [0, 128 * BURST], offered_at=[0, 500], log_commands=10)
    banks = [int(bank) for _, _, bank, _ in served.by_channel[0].stream]
    assert banks == [0, 0, 16, 16]  # a row, then the next rank


def test_requests_outside_the_memory_or_time_are_refused():
    end = SYSTEM.geometry.n_ranks * SYSTEM.geometry.rank_bytes
    with pytest.raises(ConfigError, match="addresses must be 0 to 0x7ffffffff"):
        serve_addresses(SYSTEM, [end])
    with pytest.raises(ConfigError, match="order of their clocks"):
        serve_addresses(SYSTEM, [0, 0], offered_at=[5, 4])
