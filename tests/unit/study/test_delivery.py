"""The machine's limits on activates and bursts, one variant each, and what the job takes under them."""

from pim.config import load_system, with_overrides
from spark_traces.bundle import shipped_bundles
from study import delivery, replay
from tests.unit.study.factory import make_result

BANK = load_system("bank")


def test_variants_differ_in_the_two_limits_only() -> None:
    variants = delivery.variants(BANK)
    assert set(variants) == {(obeys, most) for obeys in (True, False) for most in (1, 2, 4, 8, None)}
    for (obeys, most), system in variants.items():
        assert system == BANK.model_copy(update={"obey_tfaw": obeys, "column_bursts": most})


def test_no_variants_where_no_limit_binds() -> None:
    assert delivery.variants(load_system("chip")) == delivery.variants(load_system("rank")) == {}
    x16 = with_overrides(BANK, {"device": "ddr4-2400-8gb-x16", "core.sector_bytes": 64})
    assert {most for _, most in delivery.variants(x16)} == {1, 2, 4, None}


def test_share_of_contention_is_that_of_all_simulated_cycles() -> None:
    map_run, reduce_run = make_result().kernels
    waiting = map_run.model_copy(update={"cpi_stack": {"issue": 30.0, "contention": 10.0}, "cores_total": 3})
    assert delivery.contention_share([waiting]) == 0.25
    idle = reduce_run.model_copy(update={"cpi_stack": {"issue": 60.0}, "cores_total": 1})
    assert delivery.contention_share([waiting, idle]) == 30 / (120 + 60)


def test_q6_is_slower_where_one_bank_bursts_at_a_time() -> None:
    """Columns of 16 banks through one slot: the kernels take at least their columns' time."""
    result = replay.replay_one(shipped_bundles()["q6"], BANK, replay.Options(delivery=True))
    obeyed, relaxed = delivery.lines(result.delivery)
    assert (obeyed.obey_tfaw, relaxed.obey_tfaw) == (True, False)
    for line in (obeyed, relaxed):
        one, *_, unlimited = (row for row, _ in line.cells)
        assert one.contention_share > unlimited.contention_share
        assert one.seconds > unlimited.seconds
        columns = sum(kernel.dram_commands["RD"] + kernel.dram_commands["WR"] for kernel in result.kernels)
        assert one.seconds >= columns * BANK.timing.to_kernel().nccd_l * BANK.timing.tck_ns * 1e-9
    assert relaxed.cells[-1][1] == 1
