"""cocotb tests of instruction fetch; ``test_fetch.py`` builds and runs them."""

import random
from typing import Any

import cocotb
from fetch_bench import COVERAGE, FetchBench


@cocotb.test(timeout_time=200, timeout_unit="us")
@cocotb.parametrize(delay=[0, 7])
async def instructions_come_as_the_model_says(dut: Any, delay: int) -> None:
    bench = await FetchBench(dut, delay=delay).start()
    for _ in range(2):
        await bench.run(220)
    assert bench.refills.compared > 100


@cocotb.test(timeout_time=50, timeout_unit="us")
async def reset_ends_a_refill(dut: Any) -> None:
    bench = await FetchBench(dut, delay=4).start()
    for _ in range(4):
        running = cocotb.start_soon(bench.run(30))
        await bench.clock.edges(random.randrange(20, 60))
        running.cancel()
        await bench.reset()
    await bench.run(20)


@cocotb.test(stage=1)
async def coverage_has_no_hole(dut: Any) -> None:
    cocotb.log.info("functional coverage\n%s", COVERAGE.table())
    assert COVERAGE.missing() == []
