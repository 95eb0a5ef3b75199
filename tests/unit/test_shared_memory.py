"""Several cores with one memory: who sees what, locks, reservations of others, ends, and the checker for races."""

from collections.abc import Callable

import pytest

from pim.errors import CycleLimitError, GuestTrap
from pim.isa import Op
from pim.isa.csr import Csr
from pim.system import BareRun
from pim.system.bare import Race
from tests.support.assembly import MEMORY_AT, Assembly
from tests.support.bare import load, machine, results, run

ZERO, T0, T1, T2, S0, S1, A0, A1, A2 = 0, 5, 6, 7, 8, 9, 10, 11, 12
FLAG, DATA, COUNT = MEMORY_AT + 0x1000, MEMORY_AT + 0x2000, MEMORY_AT + 0x3000
AQ, RL = 2, 1
CHIP4 = machine("chip", "rv64imac", cores_per_location=4)
RANK = machine("rank", "rv64imac")
Body = Callable[[Assembly], None]


def per_hart(*bodies: Body) -> Assembly:
    """Return a program in which each core runs its body and exits with a0; t0: FLAG, t1: DATA, a1: 1."""
    text = Assembly()
    for register, value in ((T0, FLAG), (T1, DATA), (A1, 1)):
        text.li(register, value)
    text.op(Op.CSRRS, rd=T2, imm=Csr.MHARTID)
    text.labels |= {f"hart {i}": 0x100 + 0x100 * i for i in range(len(bodies))}
    for i in range(1, len(bodies)):
        text.op(Op.ADDI, rd=T2, rs1=T2, imm=-1)
        text.op(Op.BEQ, f"hart {i}", rs1=T2)
    text.op(Op.JAL, "hart 0")
    for i, body in enumerate(bodies):
        while text.size < text.labels[f"hart {i}"]:
            text.raw(1, 2)
        body(text)
        text.exit()
    return text


def wait_for_flag(text: Assembly, ordering: int = 0) -> None:
    """Append a loop of atomic reads until FLAG is not 0."""
    text.label(f"wait {text.size}")
    text.op(Op.AMOADD_D, rd=A0, rs1=T0, imm=ordering)
    text.op(Op.BEQ, imm=-4, rs1=A0)


def set_flag(text: Assembly, ordering: int = 0) -> None:
    text.op(Op.AMOSWAP_D, rs1=T0, rs2=A1, imm=ordering)


def fence(text: Assembly) -> None:
    text.op(Op.FENCE, imm=0xFF)


def increment(n: int, lock: Callable[[Assembly], None]) -> Assembly:
    """Return a program in which every core adds 1 to COUNT ``n`` times, between ``lock`` and unlocking."""
    text = Assembly()
    for register, value in ((T0, FLAG), (S0, COUNT), (A1, 1), (S1, n)):
        text.li(register, value)
    text.label("loop")
    lock(text)
    text.op(Op.LD, rd=A0, rs1=S0)
    text.op(Op.ADDI, rd=A0, rs1=A0, imm=1)
    text.op(Op.SD, rs1=S0, rs2=A0)
    text.op(Op.AMOSWAP_D, rs1=T0, rs2=ZERO, imm=RL)
    text.op(Op.ADDI, rd=S1, rs1=S1, imm=-1)
    text.op(Op.BNE, "loop", rs1=S1)
    text.exit(0)
    return text


def by_swap(text: Assembly) -> None:
    text.op(Op.AMOSWAP_D, rd=A0, rs1=T0, rs2=A1, imm=AQ)
    text.op(Op.BNE, imm=-4, rs1=A0)


def by_reservation(text: Assembly) -> None:
    text.op(Op.LR_D, rd=A0, rs1=T0, imm=AQ)
    text.op(Op.BNE, imm=-4, rs1=A0)
    text.op(Op.SC_D, rd=A0, rs1=T0, rs2=A1, imm=RL)
    text.op(Op.BNE, imm=-12, rs1=A0)


@pytest.mark.parametrize("lock", [by_swap, by_reservation])
@pytest.mark.parametrize("system", [CHIP4, RANK], ids=["chip", "rank"])
def test_locked_increments_are_all_counted(system, lock: Callable[[Assembly], None]) -> None:
    loaded = load(increment(25, lock), system, n_harts=4)
    result = loaded.run()
    assert results(loaded, COUNT, 1) == [100]
    assert result.races == ()
    assert all(sum(core.stack) == core.cycles for core in result.group.cores)


def test_cores_add_atomically_without_a_lock() -> None:
    text = Assembly()
    for register, value in ((S0, COUNT), (A1, 1), (S1, 50)):
        text.li(register, value)
    text.label("loop")
    text.op(Op.AMOADD_W, rs1=S0, rs2=A1)
    text.op(Op.ADDI, rd=S1, rs1=S1, imm=-1)
    text.op(Op.BNE, "loop", rs1=S1)
    text.exit(0)
    loaded = load(text, CHIP4, n_harts=3)
    assert loaded.run().races == ()
    assert results(loaded, COUNT, 1) == [150]


def test_increments_without_a_lock_are_reported() -> None:
    """Every core's load and store are in the report's pcs; one report for the one place."""
    text = increment(10, lambda text: text.op(Op.ADDI))
    (race,) = run(text, CHIP4, n_harts=2).races
    assert race.address == COUNT
    assert set(race.harts) == {0, 1}
    assert True in race.stores
    load_pc = MEMORY_AT + text.labels["loop"] + 4
    assert set(race.pcs) <= {load_pc, load_pc + 8}


def test_all_cores_see_one_memory_and_their_own_number() -> None:
    text = Assembly()
    text.op(Op.CSRRS, rd=T2, imm=Csr.MHARTID)
    text.li(S0, DATA)
    text.op(Op.SLLI, rd=T1, rs1=T2, imm=3)
    text.op(Op.ADD, rd=S0, rs1=S0, rs2=T1)
    text.op(Op.ADDI, rd=T2, rs1=T2, imm=40)
    text.op(Op.SD, rs1=S0, rs2=T2)
    text.exit(0)
    loaded = load(text, RANK, n_harts=4)
    assert loaded.run().races == ()
    assert results(loaded, DATA, 4) == [40, 41, 42, 43]


def other_core_between(op: Op, offset: int) -> int:
    """Return whether core 0's store-conditional fails where core 1 does ``op`` after its load-reserved."""

    def reserves(text: Assembly) -> None:
        text.op(Op.LR_D, rd=A0, rs1=T1)
        set_flag(text)
        text.op(Op.ADDI, rd=T0, rs1=T0, imm=8)
        wait_for_flag(text)
        text.op(Op.SC_D, rd=A0, rs1=T1, rs2=A1)

    def disturbs(text: Assembly) -> None:
        wait_for_flag(text)
        text.op(Op.ADDI, rd=T1, rs1=T1, imm=offset)
        text.op(op, rs1=T1, **({"rs2": A1} if op is not Op.LR_D else {}))
        fence(text)
        text.op(Op.ADDI, rd=T0, rs1=T0, imm=8)
        set_flag(text)
        text.op(Op.ADDI, rd=A0)

    return run(per_hart(reserves, disturbs), CHIP4, n_harts=2).exit_code


@pytest.mark.parametrize(
    ("op", "offset", "fails"),
    [
        (Op.SD, 0, 1),
        (Op.SB, 7, 1),
        (Op.AMOADD_W, 4, 1),
        (Op.SD, 8, 0),
        (Op.SD, -8, 0),
        (Op.LR_D, 0, 0),
        (Op.SC_D, 0, 0),
    ],
)
def test_reservation_ends_with_a_store_of_another_core(op: Op, offset: int, fails: int) -> None:
    """A failing store-conditional stores nothing, so it ends nobody's reservation."""
    assert other_core_between(op, offset) == fails


def pair(writer: list[Body], reader: list[Body], *, system=CHIP4) -> BareRun:
    """Run two cores; the reader waits for the flag that the writer sets."""

    def in_order(bodies: list[Body]) -> Body:
        def append(text: Assembly) -> None:
            for body in bodies:
                body(text)

        return append

    return run(per_hart(in_order(writer), in_order(reader)), system, n_harts=2)


def write(text: Assembly) -> None:
    text.op(Op.ADDI, rd=A0, imm=77)
    text.op(Op.SW, rs1=T1, rs2=A0, imm=4)
    text.op(Op.ADDI, rd=A0)


def read(text: Assembly) -> None:
    text.op(Op.LW, rd=A0, rs1=T1, imm=4)


def read_other_half(text: Assembly) -> None:
    text.op(Op.LW, rd=A0, rs1=T1)


def read_next(text: Assembly) -> None:
    text.op(Op.LW, rd=A0, rs1=T1, imm=8)


def add(text: Assembly) -> None:
    text.op(Op.ADDI, rd=T1, rs1=T1, imm=4)
    text.op(Op.AMOADD_W, rd=A0, rs1=T1)
    text.op(Op.ADDI, rd=T1, rs1=T1, imm=-4)


def delay(text: Assembly) -> None:
    """Append what lets the other core do what it does first."""
    text.li(S1, 500)
    text.op(Op.ADDI, rd=S1, rs1=S1, imm=-1)
    text.op(Op.BNE, imm=-4, rs1=S1)


def acquire(text: Assembly) -> None:
    wait_for_flag(text, AQ)


def release(text: Assembly) -> None:
    set_flag(text, RL)


ORDERED = {
    "fences around the flag": ([write, fence, set_flag], [wait_for_flag, fence, read]),
    "aq and rl on the flag": ([write, release], [acquire, read]),
    "fence and aq": ([write, fence, set_flag], [acquire, read]),
    "atomic at the reader": ([write, fence, set_flag], [wait_for_flag, add]),
    "atomic at the writer": ([add, set_flag], [wait_for_flag, fence, read]),
    "both atomic": ([add, set_flag], [wait_for_flag, add]),
    "two reads": ([read, set_flag], [wait_for_flag, read]),
    "other 8 bytes": ([write, set_flag], [wait_for_flag, read_next]),
    "write behind a read": ([read, fence, set_flag], [wait_for_flag, fence, write]),
}
RACES = {
    "no fence": ([write, set_flag], [wait_for_flag, read], ("store", "load")),
    "no fence at the reader": ([write, fence, set_flag], [wait_for_flag, read], ("store", "load")),
    "no fence at the writer": ([write, set_flag], [wait_for_flag, fence, read], ("store", "load")),
    "the reader's fence too early": ([delay, write, fence, set_flag], [fence, wait_for_flag, read], ("store", "load")),
    "same 8 bytes": ([write, set_flag], [wait_for_flag, read_other_half], ("store", "load")),
    "writes": ([write, set_flag], [wait_for_flag, write], ("store", "store")),
    "write behind a read": ([read, set_flag], [wait_for_flag, write], ("load", "store")),
    "atomic behind a write": ([write, set_flag], [wait_for_flag, add], ("store", "store")),
    "read behind an atomic": ([add, set_flag], [wait_for_flag, read], ("store", "load")),
    "read behind an atomic, fence before": ([delay, add, set_flag], [fence, wait_for_flag, read], ("store", "load")),
}


@pytest.mark.parametrize("name", ORDERED)
def test_ordered_accesses_are_no_race(name: str) -> None:
    writer, reader = ORDERED[name]
    result = pair(writer, reader)
    assert result.races == ()
    if write in writer and read in reader:
        assert result.group.cores[1].exit_code == 77


@pytest.mark.parametrize("name", RACES)
def test_race_is_reported_with_both_accesses(name: str) -> None:
    writer, reader, kinds = RACES[name]
    (race,) = pair(writer, reader).races
    assert race.harts == (0, 1)
    assert race.address // 8 == DATA // 8
    assert tuple("store" if stores else "load" for stores in race.stores) == kinds
    assert MEMORY_AT + 0x100 <= race.pcs[0] < MEMORY_AT + 0x200 <= race.pcs[1] < MEMORY_AT + 0x300


def test_flag_of_plain_stores_is_reported() -> None:
    """A store without a fence may stay in the line buffer for ever: what works on coherent memory, hangs there."""

    def poll(text: Assembly) -> None:
        text.op(Op.LD, rd=A0, rs1=T0)
        text.op(Op.FENCE, imm=0xFF)
        text.op(Op.BEQ, imm=-8, rs1=A0)

    races = pair([lambda text: text.op(Op.SD, rs1=T0, rs2=A1), lambda text: text.op(Op.ADDI, rd=A0)], [poll]).races
    assert [race.address for race in races] == [FLAG]


def test_race_reads_as_a_sentence() -> None:
    race = Race(DATA, (0, 2), (MEMORY_AT, MEMORY_AT + 4), (True, False))
    assert str(race) == (
        "race on 0x80002000: store by hart 0 at pc 0x80000000, then load by hart 2 at pc 0x80000004, without a fence "
        "of hart 0 and then one of hart 2 between them"
    )


def test_at_most_64_races_are_kept() -> None:
    def many(text: Assembly) -> None:
        for i in range(100):
            text.op(Op.SD, rs1=T1, rs2=A1, imm=8 * i)

    text = Assembly()
    text.li(T1, DATA)
    many(text)
    text.exit(0)
    races = run(text, CHIP4, n_harts=2).races
    assert len({race.address for race in races}) == len(races) == 64


def test_store_to_tohost_halts_all_cores() -> None:
    text = Assembly()
    text.labels["tohost"] = 0x4000
    text.address_of(T0, "tohost")
    text.op(Op.CSRRS, rd=T2, imm=Csr.MHARTID)
    text.op(Op.ADDI, rd=T2, rs1=T2, imm=-2)
    text.op(Op.BNE, imm=0, rs1=T2)
    text.op(Op.ADDI, rd=A0, imm=0x2B)
    text.op(Op.SW, rs1=T0, rs2=A0)
    text.op(Op.JAL, imm=0)
    result = run(text, CHIP4, n_harts=4)
    assert result.exit_code == 0x15
    assert [core.exit_code for core in result.group.cores] == [0, 0, 0x15, 0]


def test_exit_code_of_all_is_the_first_that_is_not_0() -> None:
    bodies = [(lambda text, code=code: text.op(Op.ADDI, rd=A0, imm=code)) for code in (0, 0, 6, 5)]
    assert run(per_hart(*bodies), CHIP4, n_harts=4).exit_code == 6


def test_trap_of_one_core_ends_the_run_of_all() -> None:
    text = per_hart(lambda text: text.op(Op.JAL, imm=0), lambda text: text.op(Op.EBREAK))
    with pytest.raises(GuestTrap, match=r"hart 1, pc 0x80000200 .*breakpoint") as caught:
        run(text, CHIP4, n_harts=2, cycle_limit=10**12)
    assert caught.value.hart_id == 1


def test_deadlock_meets_the_limit() -> None:
    with pytest.raises(CycleLimitError, match=r"2 of 2 harts still running \(0, 1\)"):
        run(per_hart(wait_for_flag, wait_for_flag), CHIP4, n_harts=2, cycle_limit=100_000)
