"""What the benchmarks measure gives right results: on the simulated core, and as a Linux program on QEMU."""

import pytest

from benchmarks import user_mode
from benchmarks.cases import Array, Case, cases, system_for
from benchmarks.engine import ENGINES, measure
from mapreduce.compile import kernel_elf
from pim.config import load_system
from pim.isa import load_elf

pytestmark = [pytest.mark.toolchain, pytest.mark.emulator]

CASES = {case.name: case for case in cases(0.001)}


@pytest.mark.parametrize("name", CASES)
def test_case_leaves_what_it_leaves_on_this_host(name: str) -> None:
    """`measure` raises where a core's memory differs; the emulator's program must end with exit code 0."""
    case = CASES[name]
    system = system_for(case, load_system("bank"))
    for engine in ENGINES.values():
        _, run = measure(engine, system, case, 2, 1)
        assert run.cores[0].instructions == run.cores[1].instructions > 1000
    program = load_elf(kernel_elf(case.kernel, system.core.extensions))
    assert len(user_mode.cpu_seconds(program, case.task(), 1)) == 1


class Wrong(Case):
    """A case that expects other results."""

    def expected(self) -> list[Array]:
        return [array + 1 for array in super().expected()]


def test_wrong_result_is_noticed() -> None:
    case = CASES["merge sort"]
    with pytest.raises(AssertionError, match="merge sort"):
        measure(ENGINES["interpreter"], load_system("bank"), Wrong(case.name, case.kernel, case.arguments), 1, 1)
