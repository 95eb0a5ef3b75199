import pytest
from pydantic import ValidationError

from study.parts import Label
from study.results import Application, Baseline, speedups
from tests.unit.study.factory import make_result


def test_speedups_follow_amdahls_law() -> None:
    """(r + b) / (r + s) is 1 / ((1 - f) + f / k) with f = b / (r + b) and k = b / s."""
    application = Application(seconds=10, offloadable_seconds=7, remainder_seconds=3, offloadable_share=0.7, stages=[])
    spark = Baseline(name="Spark", n=16, unit="executor cores", machine="", offloadable_seconds=7, how="")
    (speedup,) = speedups(application, [spark], scale_in_seconds=0.5)
    assert speedup.offloadable == pytest.approx(14)
    assert speedup.application == pytest.approx(1 / (0.3 + 0.7 / 14))
    assert speedup.baseline == "Spark, 16 executor cores"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scale_in_seconds", 0.5),
        ("phases", {"copy": 0.6011}),
        ("level", "board"),
        ("speedups", []),
        ("surprise", 1),
        ("workload", ""),
    ],
)
def test_result_that_contradicts_itself_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        make_result(**{field: value})


def test_speedup_that_does_not_follow_from_the_times_is_refused() -> None:
    result = make_result()
    faked = [result.speedups[0].model_copy(update={"application": 363.0}), result.speedups[1]]
    with pytest.raises(ValidationError, match="speedup of the application vs Spark, 16 executor cores is 363"):
        make_result(speedups=faked)


def test_kernels_that_take_other_times_than_the_phases_are_refused() -> None:
    kernels = [k.model_copy(update={"seconds": 2 * k.seconds}) for k in make_result().kernels]
    with pytest.raises(ValidationError, match="time of the kernels"):
        make_result(kernels=kernels)


def test_application_parts_must_add_up() -> None:
    with pytest.raises(ValidationError, match=r"application\.seconds"):
        Application(seconds=10, offloadable_seconds=7, remainder_seconds=4, offloadable_share=0.7, stages=[])


def test_unknown_kind_of_label_is_refused() -> None:
    with pytest.raises(ValidationError, match="kind"):
        Label(kind="verified", text="")  # type: ignore[arg-type]
