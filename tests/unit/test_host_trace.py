"""The host's requests: a trace's lines and what is wrong with them, and synthetic ones from a seed."""

import numpy as np
import pytest

from pim.config import load_system
from pim.errors import ConfigError
from study.host_trace import Synthetic, read_trace

BANK = load_system("bank")
BURST = 64


def written(tmp_path, text):
    path = tmp_path / "host.csv"
    path.write_text(text)
    return path


def test_lines_are_requests_by_place_and_clock(tmp_path):
    path = written(tmp_path, "# two channels\n0x0,read,0\n\n64, WRITE ,10.5  # the other one\n0x80,read,10.5\n")
    requests = read_trace(path, BANK, "RoBaRaCoCh")
    assert requests.channel.tolist() == [0, 1, 0]
    assert requests.column.tolist() == [0, 0, 1]
    assert requests.is_write.tolist() == [False, True, False]
    assert requests.offered_at.tolist() == [0, 13, 13]  # 10.5 ns are 12.6 clocks


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,read,1\n0,read\n", "host.csv:2: must be address,read|write,time in ns, got '0,read'"),
        ("0,reads,1\n", "host.csv:1: must be read or write, got 'reads'"),
        ("# x\nzero,read,1\n", "host.csv:2: address must be a number such as 0x1f80, got 'zero'"),
        ("0,read,soon\n", "host.csv:1: time must be 0 to 1e+15 ns, got 'soon'"),
        ("0,read,nan\n", "host.csv:1: time must be 0"),
        ("0,read,-1\n", "host.csv:1: time must be 0"),
        ("0,read,5\n0,read,4\n", "host.csv:2: time 4 ns is before that of the last request"),
        ("-64,read,5\n", "host.csv:1: address -0x40: the memory is 0 to 0x7ffffffff"),
        (f"{1 << 70},read,5\n", "host.csv:1: address 0x400000000000000000: the memory is"),
        (f"{(1 << 35) - 64},read,5\n", "host request 0, of address 0x7ffffffc0: the top row of each bank"),
        ("# nothing\n", "no requests; a line is"),
    ],
)
def test_wrong_line_is_named(tmp_path, text, message):
    with pytest.raises(ConfigError) as raised:
        read_trace(written(tmp_path, text), BANK, "RoBaRaCoCh")
    assert message in str(raised.value)


def test_file_that_is_no_text_or_not_there_is_refused(tmp_path):
    path = tmp_path / "host.csv"
    path.write_bytes(b"\xff\xfe0,read,1")
    with pytest.raises(ConfigError, match="not a text"):
        read_trace(path, BANK, "RoBaRaCoCh")
    with pytest.raises(ConfigError, match="missing"):
        read_trace(tmp_path / "missing.csv", BANK, "RoBaRaCoCh")


def test_synthetic_requests_have_rate_share_and_seed():
    requests = Synthetic(5.0, 0.25, "random", 3).requests(BANK, 1e6)
    assert len(requests) == pytest.approx(5000, rel=0.05)
    assert 1 - requests.is_write.mean() == pytest.approx(0.25, abs=0.03)
    assert len(np.unique(requests.bank)) == 16
    assert (np.diff(requests.offered_at) >= 0).all()
    assert requests.row.max() < BANK.geometry.rows_per_bank - 1
    again, other = (Synthetic(5.0, 0.25, "random", seed).requests(BANK, 1e6) for seed in (3, 4))
    assert again.offered_at.tolist() == requests.offered_at.tolist()
    assert other.offered_at.tolist() != requests.offered_at.tolist()


def test_stream_runs_along_rows_and_then_to_the_next_bank():
    requests = Synthetic(1000.0, 1.0, "stream").requests(BANK, 1e3)
    assert requests.column[:130].tolist() == [*range(128), 0, 1]
    assert requests.bank[[0, 127, 128, 256]].tolist() == [0, 0, 1, 2]
    assert requests.row[[0, 128]].tolist() == [0, 0]


@pytest.mark.parametrize(
    "wrong", [{"rate_per_us": 0}, {"rate_per_us": 2e3}, {"read_share": 1.1}, {"pattern": "zigzag"}, {"seed": -1}]
)
def test_numbers_that_make_no_traffic_are_refused(wrong):
    with pytest.raises(ConfigError):
        Synthetic(**({"rate_per_us": 1.0} | wrong)).requests(BANK, 1e3)


def test_too_many_requests_are_refused():
    with pytest.raises(ConfigError, match="at most 1,000,000 are served"):
        Synthetic(1000.0).requests(BANK, 1e9)
