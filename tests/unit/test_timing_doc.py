"""The tables of docs/timing.md hold the numbers of the configuration."""

import re
from pathlib import Path

import pytest

from pim.config.interface import InterfaceConfig

TIMING_MD = Path(__file__).parents[2] / "docs" / "timing.md"
ROW = re.compile(r"^\|[^|]+\| `(\w+_nck)` \| (\d+) \|", re.MULTILINE)
NOT_OF_THE_HARDWARE = {"poll_interval_nck"}


def documented_costs() -> dict[str, int]:
    section = TIMING_MD.read_text().split("## Host interface")[1].split("\n## ")[0]
    return {name: int(value) for name, value in ROW.findall(section)}


@pytest.mark.parametrize(("name", "value"), documented_costs().items())
def test_documented_interface_cost_is_the_configured_one(name: str, value: int) -> None:
    assert getattr(InterfaceConfig(), name) == value


def test_every_interface_cost_is_documented() -> None:
    fields = {name for name in InterfaceConfig.model_fields if name.endswith("_nck")}
    assert set(documented_costs()) == (fields - NOT_OF_THE_HARDWARE) | {"grant_nck", "release_nck"}
