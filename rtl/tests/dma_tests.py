"""cocotb tests of the DMA; ``test_dma_engine.py`` builds and runs them."""

import random
from typing import Any

import cocotb
from dma_bench import COLUMN, COVERAGE, MEMORY_AT, MEMORY_BYTES, PAD_AT, PAD_BYTES, DmaBench


def any_transfer() -> tuple[int, int, int]:
    """Return ends and length, most of which can move."""
    length = random.choice([0, COLUMN, PAD_BYTES, random.randrange(0, PAD_BYTES + 1, COLUMN)])
    memory = MEMORY_AT + random.choice([MEMORY_BYTES - length, random.randrange(0, MEMORY_BYTES - length + 1, COLUMN)])
    ends = [memory, PAD_AT + random.randrange(0, PAD_BYTES - length + 1, COLUMN)]
    random.shuffle(ends)
    match random.randrange(12):
        case 0:
            ends[random.randrange(2)] += random.choice([1, 4])
        case 1:
            ends[0] = ends[1]
        case 2:
            ends[random.randrange(2)] = random.choice([0, 0x1000_0080, PAD_AT - 8, MEMORY_AT + MEMORY_BYTES, 1 << 40])
        case 3:
            length = random.choice([4, -8, PAD_BYTES + COLUMN, 1 << 32, 1 << 63])
        case 4:
            length += COLUMN * random.randrange(1, 9)
        case _:
            pass
    return ends[0], ends[1], length


@cocotb.test(timeout_time=200, timeout_unit="us")
@cocotb.parametrize(dirty=[0, 40])
async def transfers_make_one_request_for_each_row(dut: Any, dirty: int) -> None:
    bench = await DmaBench(dut).start()
    for _ in range(200):
        await bench.transfer(*any_transfer(), dirty=random.randrange(dirty + 1))
    assert bench.requests > 150


@cocotb.test(timeout_time=50, timeout_unit="us")
async def reset_ends_a_transfer(dut: Any) -> None:
    bench = await DmaBench(dut).start()
    for _ in range(4):
        running = cocotb.start_soon(bench.transfer(MEMORY_AT, PAD_AT, PAD_BYTES))
        await bench.clock.edges(random.randrange(30, 60))
        running.cancel()
        await bench.reset()
        assert not int(dut.may_start_o.value)
    await bench.transfer(MEMORY_AT + 64, PAD_AT, 128)


@cocotb.test(stage=1)
async def coverage_has_no_hole(dut: Any) -> None:
    cocotb.log.info("functional coverage\n%s", COVERAGE.table())
    unreachable = {"done between core edges"} if str(cocotb.plusargs["core_ratio"]) == "1/1" else set()
    assert set(COVERAGE.missing()) == unreachable
