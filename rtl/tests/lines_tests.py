"""cocotb tests of the line buffers; ``test_lines.py`` builds and runs them."""

import random
from typing import Any

import cocotb
from lines_bench import COVERAGE, MEMORY_BYTES, LinesBench


async def something(bench: LinesBench, lines: int) -> None:
    """Make an access to one of some lines, or flush, or wait."""
    line = bench.model.line
    address = random.randrange(min(lines * line, MEMORY_BYTES)) & ~7
    draw = random.random()
    if draw < 0.4:
        await bench.load(address)
    elif draw < 0.85:
        await bench.store(address, random.getrandbits(64), random.choice([0xFF, 0x0F, 0x01 << random.randrange(8)]))
    elif draw < 0.92:
        await bench.flush()
    else:
        await bench.pause(random.randrange(1, 4))


@cocotb.test(timeout_time=200, timeout_unit="us")
@cocotb.parametrize(delay=[0, 9], lines=[4, 8])
async def random_accesses_match_the_model(dut: Any, delay: int, lines: int) -> None:
    bench = await LinesBench(dut, delay=delay).start()
    for _ in range(150):
        await something(bench, lines)
    await bench.flush()
    await bench.flush()
    assert bench.requests.compared > 20


@cocotb.test(timeout_time=50, timeout_unit="us")
async def reset_forgets_lines_and_ends_requests(dut: Any) -> None:
    bench = await LinesBench(dut, delay=5).start()
    for _ in range(4):
        for _ in range(8):
            await something(bench, 8)
        running = cocotb.start_soon(bench.store(random.randrange(MEMORY_BYTES) & ~7, 5, 0xFF))
        await bench.clock.edges(random.randrange(2, 12))
        running.cancel()
        await bench.reset()
        assert int(dut.clean_o.value)
        await bench.load(8)


@cocotb.test(stage=1)
async def coverage_has_no_hole(dut: Any) -> None:
    cocotb.log.info("functional coverage\n%s", COVERAGE.table())
    one_sector = str(cocotb.plusargs["line"]) == str(cocotb.plusargs["sector"])
    unreachable = (
        {"load: new sector", "store: new sector", "written back for a new line: 2 runs"} if one_sector else set()
    )
    assert set(COVERAGE.missing()) == unreachable
