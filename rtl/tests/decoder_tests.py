"""cocotb tests of the decoder, one rule each; ``test_decoder.py`` builds and runs them."""

import random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge
from decoder_bench import ALL_BANKS, COVERAGE, REGISTER_ROW, TIMING, DecoderBench
from decoder_model import BANKS, REGISTERS

from pim.config.interface import InterfaceConfig

COST = InterfaceConfig()
BURST = 4


def word() -> int:
    return random.getrandbits(64)


@cocotb.test(timeout_time=60, timeout_unit="us")
@cocotb.parametrize(busy=[0.0, 0.6])
async def registers_of_every_bank_keep_what_is_written(dut: Any, busy: float) -> None:
    bench = await DecoderBench(dut, busy=busy).start()
    for bank in range(BANKS):
        values = {random.randrange(REGISTERS): word() for _ in range(4)}
        await bench.registers_row(bank)
        for burst, value in values.items():
            await bench.bus.write(bank, burst, value)
        for burst, value in values.items():
            assert await bench.bus.read_value(bank, burst) == value
            assert bench.mailboxes.registers[bank][burst] == value
        await bench.bus.precharge(bank)
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def register_accesses_cost_what_the_table_says(dut: Any) -> None:
    bench = await DecoderBench(dut).start()
    await bench.registers_row(5)
    written_at = await bench.bus.write(5, 3, word())
    taken_at = await bench.clock.first("host_valid_o", 1 << 5)
    assert taken_at - written_at == TIMING.ncwl + BURST
    await bench.clock.edges(TIMING.nwtr_l + BURST)
    read_at, burst = await bench.bus.read(5, 3)
    assert await bench.clock.first("host_valid_o", 1 << 5) - read_at == TIMING.ncl - 2
    assert (
        await bench.clock.first("dq_enable_o", 1) - read_at == TIMING.ncl + 1
    )  # the edge that ends the first tCK of it
    await burst.over.wait()
    await FallingEdge(dut.clk_i)
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def a_write_to_all_reaches_every_mailbox(dut: Any) -> None:
    bench = await DecoderBench(dut, busy=0.5).start()
    await bench.registers_row(9)
    value = word()
    await bench.bus.write(9, REGISTERS + 2, value)
    await bench.drain()
    assert [registers[2] for registers in bench.mailboxes.registers] == [value] * BANKS
    dut.alert_i.value = 0x1204
    bench.owners(lockout=0x8001, granted=0x8001)
    assert await bench.bus.read_value(9, REGISTERS) == 0x8001_1204
    assert not int(dut.alert_no.value)
    await bench.drain()


@cocotb.test(timeout_time=40, timeout_unit="us")
async def the_array_sees_only_banks_that_the_host_may_use(dut: Any) -> None:
    bench = await DecoderBench(dut).start()
    bench.owners(lockout=1 << 6, granted=1 << 6)
    for bank in (6, 7):
        await bench.bus.activate(bank, 77)
        await bench.bus.write(bank, 3, word())
        value = await bench.bus.read_value(bank, 3)
        assert (value is None) == (bank == 6)
        await bench.bus.precharge(bank)
        await bench.registers_row(bank)
        await bench.bus.write(bank, 1, bank)
        assert await bench.bus.read_value(bank, 1) == bank
        await bench.bus.precharge(bank)
    await bench.drain()


@cocotb.test(timeout_time=60, timeout_unit="us")
@cocotb.parametrize(write=[False, True], late=[0, 60])
async def a_row_closes_by_itself_when_it_may(dut: Any, write: bool, late: int) -> None:
    bench = await DecoderBench(dut).start()
    act_at = await bench.bus.activate(2, 5)
    await bench.clock.edges(1 + late)
    if write:
        column_at = await bench.bus.write(2, 0, word(), auto=True)
        recovery = TIMING.ncwl + BURST + TIMING.nwr
    else:
        column_at, _ = await bench.bus.read(2, 0, auto=True)
        recovery = TIMING.nrtp
    idle_at = await bench.clock.first("bank_idle_o", ALL_BANKS)
    assert idle_at == max(act_at + TIMING.nras, column_at + recovery) + TIMING.nrp
    await bench.bus.refresh()
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def refresh_is_for_the_banks_of_the_host(dut: Any) -> None:
    bench = await DecoderBench(dut).start()
    bench.owners(lockout=0x00F0, granted=0x0FF0)
    at = await bench.bus.refresh()
    await bench.clock.edges(2)
    assert int(dut.bank_idle_o.value) == 0x0FF0
    assert await bench.clock.first("bank_idle_o", ALL_BANKS) == at + TIMING.nrfc
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def reset_closes_all_rows(dut: Any) -> None:
    bench = await DecoderBench(dut).start()
    for bank, row in ((0, 1), (1, REGISTER_ROW)):
        await bench.bus.activate(bank, row)
    await bench.bus.read(0, 0)
    await bench.bus.write(1, 0, word())
    await bench.reset()
    assert int(dut.bank_idle_o.value) == ALL_BANKS
    await bench.bus.activate(1, 1)
    await bench.drain()
    assert bench.mailboxes.registers[1][0] == 0


@cocotb.test(timeout_time=20, timeout_unit="us")
async def commands_that_are_no_business_of_the_decoder_do_nothing(dut: Any) -> None:
    bench = await DecoderBench(dut).start()
    for name in ("MRS", "ZQC", "NOP"):
        await bench.bus.other(name)
    await bench.drain()
    assert int(dut.bank_idle_o.value) == ALL_BANKS


async def random_controller(bench: DecoderBench) -> None:
    """Commands in any order that JEDEC allows, to rows and registers."""
    bus = bench.bus
    while True:
        bank, auto = random.randrange(BANKS), random.random() < 0.2
        draw = random.random()
        if draw < 0.03:
            await bus.precharge_all()
            if random.random() < 0.5:
                await bus.refresh()
        elif draw < 0.05:
            await bus.other(random.choice(["MRS", "ZQC", "NOP"]))
        elif bank not in bus.open_banks:
            if random.random() < 0.1:
                await bus.precharge(bank)
            else:
                await bus.activate(bank, random.choice([REGISTER_ROW, random.randrange(REGISTER_ROW)]))
        elif draw < 0.2:
            await bus.precharge(bank)
        elif draw < 0.65:
            await bus.write(bank, random.randrange(2 * REGISTERS), word(), auto=auto)
        else:
            for _ in range(random.choice([1, 1, 3])):
                if bank in bus.open_banks:
                    await bus.read(bank, random.randrange(2 * REGISTERS), auto=auto)


async def random_owners(bench: DecoderBench) -> None:
    """Banks that change hands, as they do when they are idle, and runs that end."""
    locked = granted = 0
    while True:
        stay = ~int(bench.dut.bank_idle_o.value) | sum(1 << bank for bank in bench.bus.open_banks)
        wanted = random.getrandbits(16) if random.random() < 0.7 else 0
        locked, granted = (
            mask & stay | new & ~stay for mask, new in ((locked, wanted & random.getrandbits(16)), (granted, wanted))
        )
        bench.owners(lockout=locked, granted=granted)
        bench.dut.alert_i.value = random.getrandbits(16) if random.random() < 0.5 else 0
        await bench.clock.edges(random.randrange(1, 400))


@cocotb.test(timeout_time=60, timeout_unit="us")
@cocotb.parametrize(idle=[0.0, 0.8], busy=[0.0, 0.5])
async def random_traffic_matches_the_model(dut: Any, idle: float, busy: float) -> None:
    bench = await DecoderBench(dut, idle=idle, busy=busy).start()
    for _ in range(2):
        running = [cocotb.start_soon(random_controller(bench)), cocotb.start_soon(random_owners(bench))]
        await bench.clock.edges(random.randrange(1000, 1500))
        for task in running:
            task.cancel()
        await bench.reset()
    assert bench.pins.compared > 2000
    await bench.drain()


@cocotb.test(stage=1)
async def coverage_has_no_hole(dut: Any) -> None:
    cocotb.log.info("functional coverage\n%s", COVERAGE.table())
    assert COVERAGE.missing() == []
