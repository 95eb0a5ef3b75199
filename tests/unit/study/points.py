"""Ways to evaluate a point that a worker process can import; ``trace`` says what happens."""

import os
import time
from pathlib import Path

from pim.errors import CapacityError
from study.results import Result
from study.space import PointSpec
from tests.unit.study.factory import make_result


def evaluate(spec: PointSpec) -> Result:
    overrides = dict(spec.overrides)
    if "log" in overrides:
        with Path(str(overrides["log"])).open("a") as log:
            log.write(spec.trace + "\n")
    match spec.trace:
        case "too large":
            raise CapacityError("does not fit")
        case "defect":
            raise ZeroDivisionError("division by zero")
        case "dies":
            os._exit(9)
        case "slow":
            time.sleep(60)
    return make_result(spec.trace, spec.base)


def key(spec: PointSpec) -> str:
    if spec.trace == "no machine":
        raise CapacityError("no such machine")
    return f"{spec.trace}-{spec.base}".replace(" ", "_")
