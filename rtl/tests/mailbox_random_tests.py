"""cocotb tests of the mailbox under random traffic, and the coverage of all its tests."""

import random
from fractions import Fraction
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge
from mailbox_bench import COVERAGE, MailboxBench, chance, word
from mailbox_coverage import FAST_CORE_ONLY
from mailbox_model import (
    CONTROL_CLEAR,
    CONTROL_START,
    OWNER_CLAIM,
    OWNER_KEEP,
    OWNER_RELEASE,
    OWNER_REQUEST,
    OWNER_UNCLAIM,
    Register,
)

ANY = range(0, 0x100, 8)


async def random_host(bench: MailboxBench) -> None:
    """Commands, most of them sensible, between reads and writes of any register."""
    commands = [
        (Register.OWNER, OWNER_REQUEST, 8),
        (Register.OWNER, OWNER_REQUEST | OWNER_KEEP, 14),
        (Register.OWNER, OWNER_RELEASE, 7),
        (Register.OWNER, OWNER_CLAIM, 12),
        (Register.OWNER, OWNER_UNCLAIM, 8),
        (Register.CONTROL, CONTROL_START, 16),
        (Register.CONTROL, CONTROL_CLEAR, 3),
        (Register.CONTROL, CONTROL_START | CONTROL_CLEAR, 3),
    ]
    weights = [weight for *_, weight in commands]
    while True:
        if random.random() < 0.25:
            offset, value, _ = random.choices(commands, weights)[0]
            await bench.host.write(offset, value)
        elif random.random() < 0.4:
            offset = random.choice([offset for offset in ANY if offset not in (Register.CONTROL, Register.OWNER)])
            await bench.host.issue(write=True, offset=offset, value=word())
        else:
            await bench.host.issue(write=False, offset=random.choice([Register.STATUS, Register.OWNER, *ANY]))


async def random_core(bench: MailboxBench, load: float) -> None:
    """Programs of random accesses; ``load`` is the share of core cycles that have one."""
    while True:
        await bench.clock.core_edge("start_o")
        for _ in range(random.randrange(1, 40)):
            if int(bench.dut.stop_o.value):
                break
            if random.random() < load:
                await bench.core.access(
                    write=random.random() < 0.5,
                    offset=random.choice(ANY),
                    value=word(),
                    strobe=random.choice([0xFF, 0x0F, 0xF0, random.getrandbits(8)]),
                )
            else:
                await bench.clock.core_edge()
        trap = bool(int(bench.dut.stop_o.value)) or random.random() < 0.3
        await bench.core.end(trap=trap, code=random.getrandbits(32), dirty_cycles=random.choice([0, 1, 5, 12]))


async def random_bank(bench: MailboxBench) -> None:
    """Rows that open and close, and commands that should not come."""
    idle, access, ready = chance(0.5), chance(0.08), chance(0.5)
    while True:
        bench.dut.claim_ready_i.value = int(next(ready)) & int(bench.dut.claimed_o.value)
        bench.dut.bank_idle_i.value = int(next(idle))
        bench.dut.host_bank_access_i.value = int(next(access))
        await FallingEdge(bench.dut.clk_i)


@cocotb.test(timeout_time=20, timeout_unit="us")
@cocotb.parametrize(idle=[0.0, 0.7], load=[0.2, 0.9])
async def random_traffic_matches_the_model(dut: Any, idle: float, load: float) -> None:
    bench = await MailboxBench(dut, idle=idle).start()
    for _ in range(4):
        tasks = [random_host(bench), random_core(bench, load), random_bank(bench)]
        running = [cocotb.start_soon(task) for task in tasks]
        await bench.clock.edges(random.randrange(500, 1000))
        for task in running:
            task.cancel()
        await bench.reset()
    assert bench.pins.compared > 2000
    assert bench.host_reads.compared > 100
    await bench.drain()


@cocotb.test(stage=1)
async def coverage_has_no_hole(dut: Any) -> None:
    bench = MailboxBench(dut)
    cocotb.log.info("functional coverage at core clock %s\n%s", bench.clock.ratio, COVERAGE.table())
    unreachable = {FAST_CORE_ONLY} if bench.clock.ratio <= Fraction(1, 2) else set()
    assert set(COVERAGE.missing()) == unreachable
