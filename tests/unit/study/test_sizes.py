import pytest

from pim.errors import ConfigError
from study.sizes import parse_size


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [
        ("200MB", 200_000_000),
        ("1.5 GiB", 1_610_612_736),
        ("4096", 4096),
        ("1kb", 1000),
        ("0.001kB", 1),
        (" 2 TiB ", 2 << 40),
    ],
)
def test_size_is_read_exactly(text: str, n_bytes: int) -> None:
    assert parse_size(text) == n_bytes


@pytest.mark.parametrize(
    "text",
    ["", "MB", "-1MB", "1e3MB", "200 M B", "200XB", "0", "0.5", "1,5GB", "٣MB", "nan", "0x10", "1MB\n2", "9" * 5000],
)
def test_what_is_no_size_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_size(text)
    assert repr(text[:100]) in str(caught.value)
    assert "200MB" in str(caught.value)
