"""cocotb tests of the mailbox, one rule each; ``test_mailbox.py`` builds and runs them."""

from typing import Any

import cocotb
from mailbox_bench import MailboxBench, word
from mailbox_coverage import LOCKED_OUT
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
    Status,
)

from pim.config.interface import InterfaceConfig

ARGUMENTS = [Register.ARGUMENT + 8 * i for i in range(16)]
DATA = [Register.RETURN, *ARGUMENTS]


async def give_bank(bench: MailboxBench) -> None:
    await bench.host.write(Register.OWNER, OWNER_REQUEST)
    await bench.poll_owner(Owner.CORE)


async def run_once(bench: MailboxBench) -> None:
    """Hand the bank over and start the core."""
    await give_bank(bench)
    await bench.host.write(Register.CONTROL, CONTROL_START)
    await bench.clock.core_edge("start_o")


@cocotb.test(timeout_time=20, timeout_unit="us")
@cocotb.parametrize(idle=[0.0, 0.6])
async def data_registers_hold_what_either_side_writes(dut: Any, idle: float) -> None:
    bench = await MailboxBench(dut, idle=idle).start()
    values = {offset: word() for offset in DATA}
    for offset, value in values.items():
        await bench.host.write(offset, value)
    for offset, value in values.items():
        assert await bench.core.access(write=False, offset=offset) == value
        await bench.core.access(write=True, offset=offset, value=~value & (1 << 64) - 1)
        assert await bench.host.read(offset) == ~value & (1 << 64) - 1
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def core_stores_change_only_their_bytes(dut: Any) -> None:
    bench = await MailboxBench(dut).start()
    await bench.host.write(Register.RETURN, 0x1111_1111_1111_1111)
    for strobe, value, after in [
        (0x01, 0x22, 0x1111_1111_1111_1122),
        (0x0C, 0x3333_0000, 0x1111_1111_3333_1122),
        (0xF0, 0x4444_4444 << 32, 0x4444_4444_3333_1122),
    ]:
        await bench.core.access(write=True, offset=Register.RETURN, value=value, strobe=strobe)
        assert await bench.host.read(Register.RETURN) == after
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def core_cannot_write_control_status_or_owner(dut: Any) -> None:
    bench = await MailboxBench(dut).start()
    for offset in (Register.CONTROL, Register.STATUS, Register.OWNER):
        await bench.core.access(write=True, offset=offset, value=(1 << 64) - 1)
    assert await bench.status() == Status(Run.IDLE, Owner.HOST, False, False, False, 0)
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
@cocotb.parametrize(trap=[False, True])
async def a_run_reports_its_end_and_gives_the_bank_back(dut: Any, trap: bool) -> None:
    bench = await MailboxBench(dut).start()
    await run_once(bench)
    assert await bench.status() == Status(Run.RUNNING, Owner.CORE, False, False, False, 0)
    await bench.core.access(write=True, offset=Register.RETURN, value=42)
    assert not int(dut.alert_o.value)
    await bench.core.end(trap=trap, code=7, dirty_cycles=5)
    await bench.poll_owner(Owner.HOST)
    ended = Run.TRAPPED if trap else Run.DONE
    assert int(dut.alert_o.value)
    assert await bench.status() == Status(ended, Owner.HOST, False, False, False, 7)
    assert await bench.host.read(Register.RETURN) == 42
    await bench.host.write(Register.CONTROL, CONTROL_CLEAR)
    assert not int(dut.alert_o.value)
    assert (await bench.status()).run is Run.IDLE
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def hand_over_waits_for_the_open_row(dut: Any) -> None:
    bench = await MailboxBench(dut).start()
    dut.bank_idle_i.value = 0
    await bench.host.write(Register.OWNER, OWNER_REQUEST)
    await bench.clock.edges(2 * bench.tmod_nck)
    await bench.host.access_bank()  # the precharge itself: no error
    assert (await bench.status()).owner is Owner.DRAIN
    dut.bank_idle_i.value = 1
    idle_at = bench.clock.now
    assert await bench.clock.first("bank_grant_o", 1) == idle_at + bench.tmod_nck
    assert not (await bench.status()).lockout_error
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
@cocotb.parametrize(owner=list(Owner))
async def bank_access_is_an_error_only_while_locked_out(dut: Any, owner: Owner) -> None:
    bench = await MailboxBench(dut).start()
    await reach(bench, owner)
    await bench.host.access_bank()
    assert (await bench.status()).lockout_error == (owner in LOCKED_OUT)
    await bench.host.write(Register.CONTROL, CONTROL_CLEAR)
    assert not (await bench.status()).lockout_error
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
@cocotb.parametrize(owner=list(Owner))
async def start_runs_waits_or_is_refused(dut: Any, owner: Owner) -> None:
    bench = await MailboxBench(dut).start()
    await reach(bench, owner)
    await bench.host.write(Register.CONTROL, CONTROL_START)
    refused = owner in (Owner.HOST, Owner.FLUSH, Owner.TO_HOST)
    dut.bank_idle_i.value = 1
    if refused:
        await bench.clock.edges(4 * bench.tmod_nck)
    else:
        await bench.clock.core_edge("start_o")
    status = await bench.status()
    assert status.protocol_error == refused
    assert (status.run is Run.RUNNING) != refused
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def second_start_of_a_running_core_is_refused(dut: Any) -> None:
    bench = await MailboxBench(dut).start()
    await run_once(bench)
    await bench.host.write(Register.CONTROL, CONTROL_START)
    assert await bench.status() == Status(Run.RUNNING, Owner.CORE, False, False, True, 0)
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def release_stops_a_running_core(dut: Any) -> None:
    bench = await MailboxBench(dut).start()
    await run_once(bench)
    await bench.host.write(Register.OWNER, OWNER_RELEASE)
    await bench.clock.core_edge("stop_o")
    assert (await bench.status()).owner is Owner.CORE
    await bench.core.end(trap=True, code=0)
    await bench.poll_owner(Owner.HOST)
    assert not int(dut.stop_o.value)
    assert (await bench.status()).run is Run.TRAPPED
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
@cocotb.parametrize(owner=[Owner.DRAIN, Owner.TO_CORE, Owner.CORE])
async def release_before_the_start_gives_the_bank_back(dut: Any, owner: Owner) -> None:
    bench = await MailboxBench(dut).start()
    await reach(bench, owner)
    if owner is not Owner.CORE:
        await bench.host.write(Register.CONTROL, CONTROL_START)  # forgotten by the release
    await bench.host.write(Register.OWNER, OWNER_RELEASE)
    await bench.poll_owner(Owner.HOST)
    dut.bank_idle_i.value = 1
    await give_bank(bench)
    await bench.clock.edges(20)
    assert (await bench.status()).run is Run.IDLE
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def a_kept_bank_runs_again_without_a_request(dut: Any) -> None:
    bench = await MailboxBench(dut).start()
    await bench.host.write(Register.OWNER, OWNER_REQUEST | OWNER_KEEP)
    await bench.poll_owner(Owner.CORE)
    starts = cocotb.start_soon(bench.clock.core_edge("start_o"))
    await bench.host.write(Register.CONTROL, CONTROL_START)
    for turn in range(3):
        await starts
        running = cocotb.start_soon(bench.core.end(trap=turn == 1, code=turn, dirty_cycles=4 * turn))
        await bench.clock.first("alert_o", 1)
        starts = cocotb.start_soon(bench.clock.core_edge("start_o"))
        await bench.host.write(Register.CONTROL, CONTROL_START | CONTROL_CLEAR)  # waits for the write-back
        assert (await bench.status()).owner is Owner.CORE
        await running
    await starts
    await bench.host.write(Register.OWNER, OWNER_RELEASE)
    await bench.core.end(trap=True)
    await bench.poll_owner(Owner.HOST)
    assert not (await bench.status()).protocol_error
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def a_claim_lends_the_bank_to_the_host(dut: Any) -> None:
    bench = await MailboxBench(dut).start()
    await run_once(bench)
    claimed_at = await bench.host.write(Register.OWNER, OWNER_CLAIM)
    cost = InterfaceConfig(tmod_nck=bench.tmod_nck)
    assert await bench.clock.first("claimed_o", 1) == claimed_at + 1 + cost.register_write_nck
    await bench.host.access_bank()  # the core's access is not over
    assert await bench.status() == Status(Run.RUNNING, Owner.CORE, True, True, False, 0)
    await bench.host.write(Register.CONTROL, CONTROL_CLEAR)
    dut.claim_ready_i.value = 1
    dut.bank_idle_i.value = 0
    await bench.host.access_bank()
    await bench.host.write(Register.OWNER, OWNER_UNCLAIM)  # its row is still open
    assert await bench.status() == Status(Run.RUNNING, Owner.CORE, True, False, True, 0)
    await bench.host.write(Register.CONTROL, CONTROL_CLEAR)
    dut.bank_idle_i.value = 1
    await bench.host.write(Register.OWNER, OWNER_UNCLAIM)
    assert await bench.status() == Status(Run.RUNNING, Owner.CORE, False, False, False, 0)
    await bench.clock.edges()
    assert not int(dut.claimed_o.value)
    dut.claim_ready_i.value = 0
    await bench.host.access_bank()
    assert (await bench.status()).lockout_error
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
@cocotb.parametrize(owner=list(Owner))
async def a_claim_needs_a_bank_of_the_core(dut: Any, owner: Owner) -> None:
    bench = await MailboxBench(dut).start()
    await reach(bench, owner)
    await bench.host.write(Register.OWNER, OWNER_CLAIM)
    status = await bench.status()
    assert status.claimed == (owner in (Owner.CORE, Owner.FLUSH))
    assert status.protocol_error == (owner in (Owner.DRAIN, Owner.TO_CORE))
    dut.core_flushed_i.value = dut.bank_idle_i.value = 1
    await bench.host.write(Register.OWNER, OWNER_RELEASE)
    await bench.poll_owner(Owner.HOST)
    assert not (await bench.status()).claimed
    await bench.drain()


async def reach(bench: MailboxBench, owner: Owner) -> None:
    """Bring the hand-over to ``owner`` and keep it there where inputs can; leave the switches just begun."""
    if owner is Owner.HOST:
        return
    bench.dut.bank_idle_i.value = int(owner is not Owner.DRAIN)
    await bench.host.write(Register.OWNER, OWNER_REQUEST)
    if owner is Owner.DRAIN:
        return
    await bench.clock.edges()
    if owner is Owner.TO_CORE:
        return
    await bench.poll_owner(Owner.CORE)
    if owner is Owner.CORE:
        return
    bench.dut.core_flushed_i.value = 0
    await bench.host.write(Register.OWNER, OWNER_RELEASE)
    if owner is Owner.TO_HOST:
        bench.dut.core_flushed_i.value = 1
        await bench.clock.core_edge()


@cocotb.test(timeout_time=20, timeout_unit="us")
@cocotb.parametrize(owner=list(Owner))
async def reset_returns_to_the_host_from(dut: Any, owner: Owner) -> None:
    bench = await MailboxBench(dut).start()
    for offset in DATA:
        await bench.host.write(offset, word())
    await reach(bench, owner)
    await bench.reset()
    assert await bench.status() == Status(Run.IDLE, Owner.HOST, False, False, False, 0)
    assert [await bench.host.read(offset) for offset in DATA] == [0] * len(DATA)
    await run_once(bench)
    await bench.drain()


@cocotb.test(timeout_time=20, timeout_unit="us")
async def steps_cost_what_the_configuration_says(dut: Any) -> None:
    bench = await MailboxBench(dut).start()
    cost = InterfaceConfig(tmod_nck=bench.tmod_nck)
    for phase in range(12):  # all phases of the core's clock
        await bench.clock.edges(1 + phase % 2)
        written_at = await bench.host.write(Register.RETURN, phase)
        read_at, value, value_at = await bench.host.timed_read(Register.RETURN)
        assert (read_at - written_at, value) == (cost.register_write_nck, phase)
        assert value_at - read_at == cost.register_read_nck

        requested_at = await bench.host.write(Register.OWNER, OWNER_REQUEST)
        granted_at = await bench.clock.first("bank_grant_o", 1)
        assert granted_at - requested_at == cost.grant_nck

        started_at = await bench.host.write(Register.CONTROL, CONTROL_START)
        first_edge = await bench.clock.core_edge("start_o")
        assert first_edge == bench.clock.first_core_edge(started_at + cost.start_nck)

        done_at = await bench.core.end(dirty_cycles=phase % 3)
        flushed_at = bench.clock.now if phase % 3 else done_at
        if phase % 3 == 0:
            read_at, status, _ = await bench.host.timed_read(Register.STATUS)
            assert read_at == done_at + cost.done_nck
            assert Status.unpack(status).run is Run.DONE
        released_at = await bench.clock.first("host_lockout_o", 0)
        switch_at = bench.clock.first_core_edge(max(done_at + cost.release_overhead_nck, flushed_at))
        assert released_at == switch_at + cost.tmod_nck
        if bench.clock.ratio == 1 and phase % 3 == 0:
            assert released_at - done_at == cost.release_nck
    await bench.drain()
