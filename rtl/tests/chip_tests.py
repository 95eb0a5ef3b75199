"""cocotb tests of a chip from its pins: launches, both ownership modes, errors; run by ``test_ddr_chip.py``."""

from typing import Any

import cocotb
from chip_bench import ALL, BANKS, BURST, COVERAGE, NCLAIM, TIMING, ChipBench
from mailbox_model import (
    CONTROL_CLEAR,
    CONTROL_START,
    OWNER_CLAIM,
    OWNER_KEEP,
    OWNER_RELEASE,
    OWNER_REQUEST,
    OWNER_UNCLAIM,
    Owner,
    Register,
    Run,
)

from pim.config.interface import InterfaceConfig
from pim.isa import Op
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, Assembly

COST = InterfaceConfig()
DATA, RESULT, HOSTS = 0x1000, 0x2000, 0x2C00
T0, T1, T2, SUM, BOX, VALUE = 5, 6, 7, 8, 28, 29


def summing() -> bytes:
    """Return a program that adds words up: address, count and where the sum goes are its arguments."""
    text = Assembly()
    text.li(BOX, MAILBOX_AT)
    text.li(SUM, 0)
    for register, offset in ((T0, 0x80), (T1, 0x88), (T2, 0x90)):
        text.op(Op.LD, rd=register, rs1=BOX, imm=offset)
    text.label("again")
    text.op(Op.LD, rd=VALUE, rs1=T0)
    text.op(Op.ADD, rd=SUM, rs1=SUM, rs2=VALUE)
    text.op(Op.ADDI, rd=T0, rs1=T0, imm=8)
    text.op(Op.ADDI, rd=T1, rs1=T1, imm=-1)
    text.op(Op.BNE, "again", rs1=T1)
    text.op(Op.SD, rs1=T2, rs2=SUM)
    text.op(Op.SD, rs1=BOX, rs2=SUM, imm=0x18)
    text.exit(0)
    return text.text()


def endless() -> bytes:
    text = Assembly()
    text.label("again")
    text.op(Op.JAL, "again")
    return text.text()


async def prepare(bench: ChipBench, bank: int, program: bytes, n: int = 12) -> int:
    """Write program, data and arguments to a bank; return the sum that comes out."""
    values = [1000 * bank + i * i for i in range(n)]
    await bench.write_memory(bank, 0, program)
    await bench.write_memory(bank, DATA, b"".join(value.to_bytes(8, "little") for value in values))
    await bench.close(bank)
    for i, word in enumerate((MEMORY_AT + DATA, n, MEMORY_AT + RESULT)):
        await bench.write(bank, Register.ARGUMENT + 8 * i, word)
    return sum(values)


async def launch(bench: ChipBench, bank: int, *, everywhere: bool = False) -> tuple[int, int]:
    """Hand the bank over and start its core; return the tCK of both commands."""
    COVERAGE.hit("launch: all banks" if everywhere else "launch: one bank")
    requested = await bench.write(bank, Register.OWNER, OWNER_REQUEST, everywhere=everywhere)
    started = await bench.write(bank, Register.CONTROL, CONTROL_START, everywhere=everywhere)
    return requested, started


@cocotb.test(timeout_time=10, timeout_unit="us")
@cocotb.parametrize(idle=[0.0, 0.6])
async def a_whole_launch_costs_what_the_tables_say(dut: Any, idle: float) -> None:
    bench = await ChipBench(dut, idle=idle).start()
    expected = await prepare(bench, 1, summing())
    requested, started = await launch(bench, 1)
    assert (await bench.poll(1)).code == 0
    granted = bench.granted_at[1]
    assert granted == requested + TIMING.ncwl + BURST + COST.grant_nck
    accepted = started + TIMING.ncwl + BURST
    if accepted < granted:
        COVERAGE.hit("start before the grant")
    assert bench.started_at[1] == bench.clock.first_core_edge(max(granted, accepted + COST.start_nck))
    COVERAGE.hit("end seen by: poll")
    assert await bench.read(1, Register.RETURN) == expected
    assert await bench.read_word(1, RESULT) == expected
    await bench.write(1, Register.CONTROL, CONTROL_CLEAR)
    assert (await bench.status(1)).run is Run.IDLE


@cocotb.test(timeout_time=10, timeout_unit="us")
async def a_start_after_the_grant_acts_at_once(dut: Any) -> None:
    bench = await ChipBench(dut).start()
    await prepare(bench, 2, summing(), n=1)
    await bench.open(2, 3)  # the hand-over waits for this row
    await bench.write(0, Register.OWNER, OWNER_REQUEST, everywhere=True)
    await bench.clock.edges(TIMING.ncwl + BURST + 60)
    assert not int(dut.grant.value) & 1 << 2
    COVERAGE.hit("request with an open row")
    closed = await bench.bus.precharge(2)
    del bench.rows[2]
    assert await bench.first("grant", 1 << 2) == closed + TIMING.nrp + COST.tmod_nck
    started = await bench.write(2, Register.CONTROL, CONTROL_START)
    accepted = started + TIMING.ncwl + BURST
    await bench.poll(2)
    assert bench.started_at[2] == bench.clock.first_core_edge(accepted + COST.start_nck)


@cocotb.test(timeout_time=10, timeout_unit="us")
async def all_cores_run_at_once_and_alert(dut: Any) -> None:
    bench = await ChipBench(dut).start()
    expected = [await prepare(bench, bank, summing()) for bank in range(BANKS)]
    for bank in range(BANKS):
        await bench.close(bank)
    await bench.bus.refresh()
    await launch(bench, 3, everywhere=True)
    assert int(dut.alert_no.value)
    while int(dut.alert_no.value):
        await bench.clock.edges(20)
    COVERAGE.hit("end seen by: alert")
    while await bench.ended(3) != ALL:
        await bench.clock.edges(20)
    for bank in range(BANKS):
        await bench.poll(bank)
        assert await bench.read(bank, Register.RETURN) == expected[bank]
    await bench.write(0, Register.CONTROL, CONTROL_CLEAR, everywhere=True)
    assert await bench.ended(0) == 0
    assert int(dut.alert_no.value)


@cocotb.test(timeout_time=10, timeout_unit="us")
async def a_cores_bank_is_locked_while_its_registers_answer(dut: Any) -> None:
    bench = await ChipBench(dut).start()
    expected = await prepare(bench, 0, summing(), n=40)
    await launch(bench, 0)
    await bench.first("grant", 1)
    await bench.close(0)
    await bench.open(0, 5)  # the core's bank
    COVERAGE.hit("locked-out command")
    assert await bench.bus.read_value(0, 0) is None
    assert (await bench.status(0)).lockout_error
    assert not (await bench.status(1)).lockout_error
    await bench.write(0, Register.CONTROL, CONTROL_CLEAR)
    await bench.bus.precharge_all()
    bench.rows.clear()
    await bench.bus.refresh()  # only for the host's banks
    status = await bench.poll(0)
    assert not status.lockout_error
    assert await bench.read(0, Register.RETURN) == expected


@cocotb.test(timeout_time=10, timeout_unit="us")
@cocotb.parametrize(trap=[True, False])
async def runs_end_by_a_trap_or_by_a_release(dut: Any, trap: bool) -> None:
    bench = await ChipBench(dut).start()
    await prepare(bench, 1, (0x0010_0073).to_bytes(4, "little") if trap else endless())  # ebreak
    await launch(bench, 1)
    await bench.first("grant", 1 << 1)
    if not trap:
        await bench.clock.edges(300)
        assert (await bench.status(1)).run is Run.RUNNING
        await bench.write(1, Register.OWNER, OWNER_RELEASE)
    status = await bench.poll(1, Run.TRAPPED)
    COVERAGE.hit("run ends: trap" if trap else "run ends: release")
    if trap:
        assert status.code == 3  # breakpoint


@cocotb.test(timeout_time=10, timeout_unit="us")
@cocotb.parametrize(idle_core=[False, True])
async def a_claimed_bank_is_the_hosts_exactly_tclaim_later(dut: Any, idle_core: bool) -> None:
    bench = await ChipBench(dut).start()
    expected = await prepare(bench, 1, summing(), n=60)
    if idle_core:
        await bench.write(1, Register.OWNER, OWNER_REQUEST)
        await bench.first("grant", 1 << 1)
    else:
        await launch(bench, 1)
        await bench.first("open", 1 << 1)
    for turn in range(2):
        COVERAGE.hit("claim: core idle" if idle_core else "claim: core has its row open")
        claimed = await bench.write(1, Register.OWNER, OWNER_CLAIM)
        in_force = claimed + TIMING.ncwl + BURST + COST.register_write_nck
        assert await bench.first("claimed", 1 << 1) == in_force + 1  # the edge that ends that tCK
        await bench.close(1)
        opened = await bench.bus.activate(1, HOSTS // 1024, not_before=in_force + NCLAIM)
        assert opened == in_force + NCLAIM
        if int(dut.waiting.value) & 1 << 1:
            COVERAGE.hit("claim: core waits for its end")
        bench.rows[1] = HOSTS // 1024
        await bench.write_memory(1, HOSTS + 8 * turn, (77 + turn).to_bytes(8, "little"))
        assert await bench.read_word(1, HOSTS + 8 * turn) == 77 + turn
        await bench.close(1)
        status = await bench.status(1)
        assert (status.claimed, status.owner, status.lockout_error) == (True, Owner.CORE, False)
        await bench.write(1, Register.OWNER, OWNER_UNCLAIM)
        assert not (await bench.status(1)).claimed
    if idle_core:
        await bench.write(1, Register.CONTROL, CONTROL_START)
    await bench.poll(1)
    assert await bench.read(1, Register.RETURN) == expected
    assert [await bench.read_word(1, HOSTS + 8 * turn) for turn in range(2)] == [77, 78]


@cocotb.test(timeout_time=10, timeout_unit="us")
async def a_kept_bank_runs_again_by_a_start_alone(dut: Any) -> None:
    bench = await ChipBench(dut).start()
    expected = await prepare(bench, 1, summing())
    await bench.write(1, Register.OWNER, OWNER_REQUEST | OWNER_KEEP)
    for n in (12, 11):
        await bench.write(1, Register.ARGUMENT + 8, n)
        started = await bench.write(1, Register.CONTROL, CONTROL_START)
        status = await bench.poll(1, owner=Owner.CORE)
        assert not status.protocol_error
        assert await bench.read(1, Register.RETURN) == expected - (12 - n) * (1000 + 11 * 11)
        if n == 11:
            accepted = started + TIMING.ncwl + BURST
            assert bench.started_at[1] == bench.clock.first_core_edge(accepted + COST.start_nck)
    COVERAGE.hit("launch: start alone, bank kept")
    await bench.write(1, Register.OWNER, OWNER_RELEASE)
    await bench.poll(1)
    assert await bench.read_word(1, RESULT) == expected - 1000 - 11 * 11


@cocotb.test(timeout_time=10, timeout_unit="us")
async def a_claim_that_is_used_too_early_is_an_error(dut: Any) -> None:
    bench = await ChipBench(dut).start()
    expected = await prepare(bench, 1, summing(), n=60)
    await launch(bench, 1)
    await bench.close(1)
    await bench.open(0, 15)
    await bench.first("open", 1 << 1)
    claimed = await bench.write(0, Register.OWNER, OWNER_CLAIM, everywhere=True)
    await bench.bus.activate(1, 4, not_before=claimed + TIMING.ncwl + BURST + 1)
    COVERAGE.hit("claimed bank, too early")
    await bench.bus.precharge(1)
    await bench.write(0, Register.OWNER, OWNER_UNCLAIM, everywhere=True)
    assert (await bench.status(1)).lockout_error
    await bench.poll(1)
    assert await bench.read(1, Register.RETURN) == expected


@cocotb.test(timeout_time=10, timeout_unit="us")
@cocotb.parametrize(running=[False, True])
async def reset_gives_all_banks_back(dut: Any, running: bool) -> None:
    bench = await ChipBench(dut).start()
    await prepare(bench, 0, endless())
    if running:
        await launch(bench, 0)
        await bench.first("grant", 1)
        await bench.clock.edges(100)
    await bench.reset()
    status = await bench.status(0)
    assert (status.run, status.owner) == (Run.IDLE, Owner.HOST)
    assert await bench.read(0, Register.ARGUMENT) == 0
    assert await bench.read_word(0, DATA + 16) == 4  # memory keeps its content


@cocotb.test(stage=1)
async def coverage_has_no_hole(dut: Any) -> None:
    cocotb.log.info("functional coverage\n%s", COVERAGE.table())
    assert COVERAGE.missing() == []
