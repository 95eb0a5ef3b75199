"""The tables of docs/timing.md hold the numbers of the configuration."""

import re
from pathlib import Path

import pytest

from pim.config import load_system
from pim.config.interface import InterfaceConfig
from pim.system.launch import step_nck
from pim.system.levels import concurrent_rules

TIMING_MD = Path(__file__).parents[2] / "docs" / "timing.md"
ROW = re.compile(r"^\|[^|]+\| `(\w+_nck)` \| (\d+) \|", re.MULTILINE)
CHOICE = re.compile(r"^\| `(\w+_nck)` \| (\d+) \|", re.MULTILINE)
STEP = re.compile(r"^\| ([\w ]+) \| (\d+) \|", re.MULTILINE)


def documented_costs() -> dict[str, int]:
    section = TIMING_MD.read_text().split("## Host interface")[1].split("\n## ")[0]
    return {name: int(value) for pattern in (ROW, CHOICE) for name, value in pattern.findall(section)}


def documented_steps() -> dict[str, int]:
    section = TIMING_MD.read_text().split("### Steps of the host")[1].split("\n## ")[0]
    return {name: int(value) for name, value in STEP.findall(section)}


@pytest.mark.parametrize(("name", "value"), documented_costs().items())
def test_documented_interface_cost_is_the_configured_one(name: str, value: int) -> None:
    assert getattr(InterfaceConfig(), name) == value


def test_every_interface_cost_is_documented() -> None:
    fields = {name for name in InterfaceConfig.model_fields if name.endswith("_nck")}
    assert set(documented_costs()) == fields | {"grant_nck", "release_nck"}


def test_documented_steps_are_those_of_the_bank_preset() -> None:
    bank = load_system("bank")
    assert documented_steps() == step_nck(bank) | {"tClaim": concurrent_rules(bank).nclaim}
