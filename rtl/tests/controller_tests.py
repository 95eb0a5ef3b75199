"""cocotb tests of a bank's controller; ``test_controller.py`` builds and runs them."""

import random
from typing import Any

import cocotb
from controller_bench import COVERAGE, ControllerBench


@cocotb.test(timeout_time=200, timeout_unit="us")
@cocotb.parametrize(busy=[0.3, 0.95], grants=[0.3, 1.0])
async def commands_and_data_come_when_the_model_says(dut: Any, busy: float, grants: float) -> None:
    bench = await ControllerBench(dut, busy=busy, grants=grants).start()
    for _ in range(2):
        tasks = [bench.requests(), bench.refreshes(), bench.closes(), bench.claims()]
        running = [cocotb.start_soon(task) for task in tasks]
        await bench.clock.edges(random.randrange(3200, 3600))
        for task in running:
            task.cancel()
        await bench.reset()
    assert bench.served > 10
    assert bench.pins.compared > 6000


@cocotb.test(stage=1)
async def coverage_has_no_hole(dut: Any) -> None:
    cocotb.log.info("functional coverage\n%s", COVERAGE.table())
    assert COVERAGE.missing() == []
