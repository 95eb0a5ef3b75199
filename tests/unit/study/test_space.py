from pathlib import Path
from typing import Any

import pytest

from pim.config import load_system, with_overrides
from pim.errors import ConfigError
from study.point import check_traces
from study.space import PointSpec, load_study, parse_count, points

STUDY = """\
workloads: [q6]
grid:
  level: [bank, chip]
  core.clock_mhz: [200, 400]
  port: [column, row]
exclude:
  - {level: chip, port: row}
"""


def settings(base: str) -> dict[str, Any]:
    return load_system(base).model_dump()


def spanned(path: Path, text: str) -> list[PointSpec]:
    path.write_text(text)
    study, document = load_study(path)
    return points(study, document, settings)


def test_grid_spans_all_combinations_but_the_excluded(tmp_path: Path) -> None:
    got = [(p.base, dict(p.overrides)) for p in spanned(tmp_path / "s.yaml", STUDY)]
    bank = [("bank", {"core.clock_mhz": c, "port": p}) for c in (200, 400) for p in ("column", "row")]
    chip = [("chip", {"core.clock_mhz": c, "port": "column"}) for c in (200, 400)]
    assert got == bank + chip


def test_name_defaults_to_the_file_and_paths_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("level: bank\n")
    path = tmp_path / "first.yaml"
    path.write_text("bundles: [../traces/x]\nbase: mine.yaml\n")
    study, document = load_study(path)
    (point,) = points(study, document, settings)
    assert study.name == "first"
    assert point == PointSpec(str(tmp_path / "../traces/x"), str(tmp_path / "mine.yaml"))
    assert point.label == "x, mine"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("workloads: [q6]\ngird: {}\n", 2, "unknown key, did you mean 'grid'?"),
        ("workloads: [q6]\nworkloads: [q6]\n", 2, "given twice, first in line 1"),
        (
            "workloads: [q6]\ngrid:\n  core.clock: [1]\n",
            3,
            "not a setting of machine bank, did you mean 'core.clock_mhz'?",
        ),
        ("workloads: [q6]\ngrid:\n  core: [1]\n", 3, "not a setting of machine bank"),
        ("workloads: [q6]\nbase: [bank,\n  bnak]\n", 3, "machine 'bnak': neither a file nor a preset"),
        ("workloads: [q6]\ngrid:\n  level: [bank,\n    chpi]\n", 4, "unknown level 'chpi', did you mean 'chip'?"),
        ("workloads: [q6]\ngrid:\n  port: []\n", 3, "at least one value"),
        ("workloads: [q6]\ngrid:\n  port: [row, row]\n", 3, "given twice"),
        ("workloads: [q6]\ngrid:\n  port: row\n", 3, "list"),
        ("workloads: [q6]\nthreads: zero\n", 2, "integer"),
        ("workloads: [q6]\nthreads: 0\n", 2, "greater than 0"),
        ("workloads: [q6]\nsample_groups: -3\n", 2, "'all'"),
        ("workloads: [q6]\nbase: bank\ngrid:\n  level: [bank]\n", 2, "give one of the two"),
        ("workloads: [q6]\ngrid:\n  port: [row]\nexclude:\n- {prot: row}\n", 5, "did you mean 'port'?"),
        ("workloads: [q6, q6]\n", 1, "workloads.1: given twice: 'q6'"),
        ("bundles: [a]\nbase: [bank, bank]\n", 2, "base.1: given twice: 'bank'"),
        ("workloads: [q6]\ngrid:\n  core.clock_mhz: [200, 200.0]\n", 3, "given twice: 200.0"),
        ("workloads: [q6]\ngrid:\n  core.clock_mhz: [200, '200']\n", 3, "given twice: '200'"),
        ("workloads: [q6]\ngrid:\n  port: [row]\nexclude:\n- {port: rwo}\n", 5, "no value 'rwo', did you mean 'row'"),
        ("workloads: [q6]\nthreads: 99999999\n", 2, "less than or equal to 1024"),
        ("workloads: [q6]\nexecutor_cores: 99999999\n", 2, "less than or equal to 100000"),
        ("workloads: [q6]\nname: ..\n", 2, "name: String should match pattern"),
        ("workloads: [q6\n", 2, "not valid YAML"),
        ("workloads: [q6]\n1: 2\n", 2, "a key must be text"),
    ],
)
def test_mistake_is_reported_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "s.yaml"
    with pytest.raises(ConfigError) as caught:
        spanned(path, text)
    assert f"study {path}, line {line}: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "- a\n", "grid: {}\n", "!!python/object:os.system {}\n"])
def test_file_that_is_no_study_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="study "):
        spanned(tmp_path / "s.yaml", text)


def test_values_that_only_fit_together_are_an_axis_each(tmp_path: Path) -> None:
    """A line of 2 KB needs rows of 2 KB: neither value is possible alone."""
    text = "workloads: [q6]\ngrid:\n  core.line_bytes: [2048]\n  geometry.row_bytes: [2048]\n"
    (spec,) = spanned(tmp_path / "s.yaml", text)
    assert with_overrides(load_system(spec.base), dict(spec.overrides)).core.line_bytes == 2048


def test_missing_and_binary_files_are_config_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        load_study(tmp_path / "nothing.yaml")
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_study(tmp_path / "b.yaml")


def test_grid_too_large_is_refused_before_it_is_built(tmp_path: Path) -> None:
    values = list(range(1, 2000))
    text = f"workloads: [q6]\ngrid:\n  core.clock_mhz: {values}\n  core.line_buffers: {values}\n"
    with pytest.raises(ConfigError, match="spans more than the 100000 points allowed"):
        spanned(tmp_path / "s.yaml", text)


def test_sample_groups_is_a_count_or_all() -> None:
    assert parse_count("all") is None
    assert parse_count("3") == parse_count(3) == 3
    for wrong in ("0", "some", "1.5", "-1", ""):
        with pytest.raises(ValueError, match="'all'"):
            parse_count(wrong)


def test_example_in_the_documentation_spans_only_machines_that_exist() -> None:
    path = Path(__file__).resolve().parents[3] / "docs" / "examples" / "sweep.yaml"
    study, document = load_study(path)
    specs = points(study, document, settings)
    assert len(specs) == 16
    for spec in specs:
        with_overrides(load_system(spec.base), dict(spec.overrides))


def test_no_number_of_axes_makes_the_grid_overflow(tmp_path: Path) -> None:
    axes = "".join(f"  a{i}: [1, 2]\n" for i in range(20_000))
    with pytest.raises(ConfigError, match="spans more than the 100000 points allowed"):
        spanned(tmp_path / "s.yaml", f"workloads: [q6]\ngrid:\n{axes}")


@pytest.mark.parametrize("name", ["...yaml", "a\nb.yaml", "\udcff.yaml"])
def test_file_whose_name_names_no_folder_needs_a_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("workloads: [q6]\n")
    with pytest.raises(ConfigError, match="name: give one"):
        load_study(tmp_path / name)
    (tmp_path / name).write_text("workloads: [q6]\nname: fine\n")
    assert load_study(tmp_path / name)[0].name == "fine"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("workloads: [q6,\n  sort]\n", "line 2: workloads.1: no trace 'sort' is shipped; allowed are kmeans, q6"),
        ("workloads: [q66]\n", "line 1: workloads.0: no trace 'q66' is shipped, did you mean 'q6'?"),
        ("bundles: [nothing]\n", "line 1: bundles.0: .*nothing': no bundle here, there is no bundle.json"),
        ("bundles: [/]\n", "line 1: bundles.0: .*its folder's name"),
        ('bundles: ["a\\0b"]\n', "line 1: bundles.0: .*its folder's name"),
        (f"bundles: [{'n' * 5000}]\n", "line 1: bundles.0: .*File name too long"),
    ],
)
def test_trace_that_is_not_there_is_known_before_anything_runs(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        check_traces(*load_study(path))
