from pathlib import Path

import orjson
import pytest

from pim.errors import LoadError
from study import store
from tests.unit.study.factory import make_result


def test_result_survives_the_way_to_disk_and_back(tmp_path: Path) -> None:
    result = make_result()
    path = store.save_result(result, tmp_path)
    assert path.name == "wordcount-bank.json"
    assert store.load_result(path) == result


def test_results_load_by_workload_then_level_innermost_first(tmp_path: Path) -> None:
    for workload in ("q6", "kmeans"):
        for level in ("rank", "bank", "chip"):
            store.save_result(make_result(workload, level), tmp_path)
    loaded = [(r.workload, r.level) for r in store.load_results(tmp_path)]
    assert loaded == [(w, level) for w in ("kmeans", "q6") for level in ("bank", "chip", "rank")]


def test_names_can_not_leave_the_folder(tmp_path: Path) -> None:
    assert store.result_path(tmp_path, "../../etc/x", "bank") == tmp_path / ".._.._etc_x-bank.json"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "the whole"),
        (b'{"format": "other"}', "format"),
    ],
)
def test_bad_file_is_named_with_its_problem(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(LoadError, match=message) as caught:
        store.load_result(path)
    assert str(path) in str(caught.value)


def test_result_of_another_schema_version_is_refused(tmp_path: Path) -> None:
    document = orjson.loads(store.result_bytes(make_result()))
    path = tmp_path / "old.json"
    path.write_bytes(orjson.dumps({**document, "schema_version": 99}))
    with pytest.raises(LoadError, match="schema_version"):
        store.load_result(path)


def test_missing_file_and_empty_folder_are_load_errors(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="can't be read"):
        store.load_result(tmp_path / "nothing.json")
    with pytest.raises(LoadError, match="no result files"):
        store.load_results(tmp_path)
