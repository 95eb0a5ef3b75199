"""Published numbers: each lies in a file with its unit, command, configuration and commit; a test says if one moved.

``make golden`` rewrites the files. A change of one is explained in CHANGELOG.md.
"""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
REWRITE = "--rewrite-golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(REWRITE, action="store_true", help="write the numbers measured now instead of comparing")


def _commit() -> str:
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    return described.stdout.strip() or "unknown"


@dataclass(frozen=True)
class Golden:
    """Compares measured numbers with the published ones."""

    test: str
    rewrite: bool

    def check(self, name: str, values: Mapping[str, int | float | str], *, unit: str, config: object) -> None:
        """Fail if ``values`` differ from ``<name>.json``; integers and strings exactly, floats to 12 digits."""
        path = FOLDER / f"{name}.json"
        values = {key: float(f"{v:.12g}") if isinstance(v, float) else v for key, v in values.items()}
        if self.rewrite:
            published = {"unit": unit, "values": values, "config": config, "commit": _commit()}
            published["command"] = f"pytest '{self.test}'"
            path.write_text(json.dumps(published, indent=2) + "\n")
            return
        assert path.exists(), f"{path.name} is not published yet: make golden"
        published = json.loads(path.read_text())
        assert (values, unit, config) == (published["values"], published["unit"], published["config"]), (
            f"{path.name} moved: if that is right, `make golden` and explain it in CHANGELOG.md"
        )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Return the comparison with the published numbers of ``tests/golden``."""
    return Golden(request.node.nodeid, request.config.getoption(REWRITE, default=False))
