"""Builds a module with Icarus Verilog and runs cocotb tests on it."""

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent
SRC = HERE.parent / "src"
SEED = 20210511


def simulate(
    folder: Path,
    top: str,
    tests: Sequence[str],
    sources: Sequence[Path],
    *,
    parameters: Mapping[str, int] | None = None,
    plusargs: Sequence[str] = (),
    test_filter: str | None = None,
) -> Path:
    """Build and run; return the results file. A failing cocotb test exits.

    Parameters
    ----------
    folder : Path
        Where all that is made goes.
    tests : sequence of str
        Modules of this folder with cocotb tests.
    sources : sequence of Path
        Besides the package.
    """
    from cocotb_tools.runner import get_runner  # noqa: PLC0415  so that it can be skipped where cocotb is absent

    if str(HERE) not in sys.path:  # the runner hands the path on to the simulator's Python
        sys.path.insert(0, str(HERE))
    folder.mkdir(parents=True, exist_ok=True)
    runner = get_runner("icarus")
    runner.build(
        sources=[_for_icarus(source, folder) for source in (SRC / "pim_pkg.sv", *sources)],
        includes=[SRC],
        hdl_toplevel=top,
        parameters=dict(parameters or {}),
        build_dir=folder,
        timescale=("1ps", "1ps"),
    )
    return runner.test(
        test_module=list(tests),
        hdl_toplevel=top,
        build_dir=folder,
        seed=SEED,
        plusargs=list(plusargs),
        test_filter=test_filter,
        results_xml=str(folder / "results.xml"),
        timescale=("1ps", "1ps"),
    )


def _for_icarus(source: Path, folder: Path) -> Path:
    """Return a copy with @*: Icarus 11 repeats always_comb at one time for ever in large designs."""
    copy = folder / f"icarus_{source.name}"
    copy.write_text(source.read_text().replace("always_comb", "always @*"))
    return copy


def copy_rtl(folder: Path) -> Path:
    """Copy all sources, and what the lockstep puts around them, to be changed; return the sources' folder."""
    for name in ("src", "lockstep"):
        shutil.copytree(SRC.parent / name, folder / name)
    return folder / "src"


def inject(bug: tuple[str, str, str], folder: Path) -> Path:
    """Write a module's source into a folder with one place of it changed; return the file.

    Parameters
    ----------
    bug : tuple of str
        Module, what it has in exactly one place, and what is there instead.
    """
    module, right, wrong = bug
    source = (SRC / f"{module}.sv").read_text()
    assert source.count(right) == 1, f"{module}: {right}"
    broken = folder / f"{module}.sv"
    broken.write_text(source.replace(right, wrong))
    return broken


def fails(folder: Path, run: Callable[[], object]) -> bool:
    """Return whether a simulation has a test that fails; one that does not get that far does not count."""
    try:
        run()
    except (SystemExit, RuntimeError):  # a test of the bench, or an assertion of the RTL
        report = ElementTree.parse(folder / "results.xml")
        return any(case.find("failure") is not None for case in report.iter("testcase"))
    return False
