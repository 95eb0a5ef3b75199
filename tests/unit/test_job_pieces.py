"""Split, shuffle, placement, transfer costs and sampling of jobs."""

import numpy as np
import pytest

from mapreduce import jobs
from mapreduce.abi import argument_words
from mapreduce.call import Call, Input, Outcome, Output, Scratch
from mapreduce.costs import launch_seconds, move
from mapreduce.kernels.q6 import q6_reduce
from mapreduce.kernels.wordcount import wordcount_map
from mapreduce.place import ALIGNMENT, place
from mapreduce.sampling import choose_groups, enough_groups, summarise
from mapreduce.split import block_bounds, text_bounds
from pim.config import SystemConfig, load_system, with_overrides
from pim.core.settings import MEMORY_BASE
from pim.errors import CapacityError, ConfigError

START = 0x8000_1000


def as_text(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


def test_blocks_are_balanced() -> None:
    assert block_bounds(10, 4) == [0, 2, 5, 7, 10]
    assert block_bounds(1, 4) == [0, 0, 0, 0, 1]
    assert block_bounds(0, 2) == [0, 0, 0]


def test_text_is_cut_at_white_space() -> None:
    assert text_bounds(as_text(b"aaaa bb\ncccc"), 2) == [0, 7, 12]
    assert text_bounds(as_text(b"aaaa"), 3) == [0, 4, 4, 4], "one word is not cut"
    assert text_bounds(as_text(b" " * 4), 2) == [0, 2, 4]
    assert text_bounds(as_text(b""), 2) == [0, 0, 0]


def test_white_space_is_found_beyond_the_search_window() -> None:
    text = as_text(b"x" * 10_000 + b" y")
    assert text_bounds(text, 4) == [0, 10_000, 10_000, 10_000, 10_002]


def call_of(n_bytes: int, n_slots: int = 64, n_items: int = 10) -> Call:
    text = Input(np.zeros(n_bytes, np.uint8), resident=True)
    return Call(wordcount_map, (text, Scratch("i4", n_slots), Output("i8", n_items, returned=True)))


def test_arrays_are_placed_one_after_the_other() -> None:
    placed = place(call_of(100), load_system("bank"), START + 1, core=0)
    text, slots, entries = placed.addresses
    assert (text, slots, entries) == (START + 64, START + 192, START + 192 + 256)
    assert all(address % ALIGNMENT == 0 for address in placed.addresses)
    assert (placed.resident_end, placed.end) == (text + 100, entries + 80)


def test_task_has_two_words_per_array_and_covers_all_rooms() -> None:
    placed = place(call_of(100), load_system("bank"), START, core=0)
    task = placed.task(Outcome(3, (np.zeros(3, np.int64),)))
    text, slots, entries = placed.addresses
    assert task.arguments == (text, 100, slots, 64, entries, 10)
    assert len(task.arguments) == argument_words(wordcount_map)
    assert [(address, array.nbytes) for address, array in task.writes] == [(text, 100)]
    assert task.reads == ((entries, 24), (placed.end, 0))


def test_too_little_memory_says_needed_and_available() -> None:
    system = with_overrides(load_system("bank"), {"geometry.device_gbit": 2})
    message = (
        r"core 7, kernel wordcount_map: needs 20,0\d\d,\d\d\d B, available are 16,776,192 B per core at level bank"
    )
    with pytest.raises(CapacityError, match=message):
        place(call_of(20_000_000), system, START, core=7)
    place(call_of(16_000_000), system, START, core=7)


@pytest.mark.parametrize(
    ("machine", "rows"),
    [
        (load_system("bank"), 1),
        (load_system("chip"), 16),  # one core has all banks of its chip
        (load_system("rank"), 4),  # four cores share 16
        (with_overrides(load_system("rank"), {"window_map": "all-banks"}), 16),
    ],
)
def test_the_top_row_of_each_bank_is_not_for_arrays(machine: SystemConfig, rows: int) -> None:
    fits = (machine.window_bytes - rows * machine.row_bytes - (START - MEMORY_BASE)) // 8
    empty = Input(np.zeros(0, np.int64))
    place(Call(q6_reduce, (empty, Output("i8", fits))), machine, START, core=0)
    with pytest.raises(CapacityError):
        place(Call(q6_reduce, (empty, Output("i8", fits + 1))), machine, START, core=0)


def test_calls_are_checked_against_the_signature() -> None:
    with pytest.raises(TypeError, match="2 parameters, 1 arguments"):
        Call(q6_reduce, (Output("i8", 1),))
    with pytest.raises(TypeError, match="partials must be array of int64, got int32"):
        Call(q6_reduce, (Input(np.zeros(1, np.int32)), Output("i8", 1)))
    with pytest.raises(TypeError, match="partials must be array of int64, got int"):
        Call(q6_reduce, (1, Output("i8", 1)))


def test_overflow_of_a_room_is_a_capacity_error() -> None:
    text = Input(as_text(b"a b c"))
    call = Call(wordcount_map, (text, Scratch("i4", 64), Output("i8", 8, returned=True)))
    with pytest.raises(CapacityError, match=r"wordcount_map on the host: gave up with value -1.*entries 8 items"):
        call.run_native()


def test_layout_is_what_a_relayout_takes_longer_than_a_copy() -> None:
    system = load_system("bank")
    host = system.host
    whole = move(system, 10**9, to_cores=False)
    assert whole.copy == pytest.approx(2 / (system.channel_gb_s * host.copy_fraction))
    assert whole.copy + whole.layout == pytest.approx(1 / (system.channel_gb_s * host.relayout_fraction))
    assert whole.flush == 0
    assert move(load_system("rank"), 10**9, to_cores=False).layout == 0, "a rank's cores see the host's layout"


def test_flush_is_bounded_by_the_cache() -> None:
    system = load_system("bank")
    rate = system.channel_gb_s * 1e9 * system.host.copy_fraction
    assert move(system, 1000, to_cores=True).flush == pytest.approx(1000 / rate)
    assert move(system, 10**9, to_cores=True).flush == pytest.approx(system.host.cache_bytes / rate)


def test_launch_takes_longer_with_more_arguments() -> None:
    system = load_system("bank")
    per_word = launch_seconds(system, 5) - launch_seconds(system, 4)
    # one more burst at tCCD_L for each of 2 ranks x 16 banks of a channel
    assert per_word == pytest.approx(32 * system.timing.to_kernel().nccd_l * system.timing.tck_ns * 1e-9)


def test_sample_has_the_largest_group_and_others_evenly_spread() -> None:
    assert choose_groups([1] * 8, 1) == [0]
    assert choose_groups([1, 1, 1, 1, 1, 1, 9, 1], 1) == [6]
    assert choose_groups([1] * 9, 3) == [0, 3, 7]
    assert choose_groups([0, 2, 0, 1], 5) == [1, 3], "groups without work are never simulated"
    assert choose_groups([1] * 4, None) == [0, 1, 2, 3]


def test_bound_of_the_slowest_core() -> None:
    whole = summarise([5, 7], n_cores=2, groups_simulated=2, groups_total=2)
    assert (whole.max_bound_cycles, whole.unseen_is_slowest) == (7, 0)
    # textbook: t(0.95, 4) = 2.132; one unseen core, values 1 to 5: mean 3, variance 2.5
    one_unseen = summarise([1, 2, 3, 4, 5], n_cores=6, groups_simulated=5, groups_total=6)
    assert one_unseen.max_bound_cycles == pytest.approx(3 + 2.132 * (2.5 * 6 / 5) ** 0.5, rel=1e-3)
    assert one_unseen.unseen_is_slowest == pytest.approx(1 / 6)


@pytest.mark.parametrize("cycles", [[5], [1, 2, 3], [7] * 8])
def test_samples_without_a_spread_bound_nothing(cycles: list[int]) -> None:
    assert summarise(cycles, n_cores=99, groups_simulated=1, groups_total=9).max_bound_cycles is None


def test_sample_is_filled_up_where_groups_have_few_cores_with_work() -> None:
    assert enough_groups(1, cores_per_group=16, working_cores=512, working_groups=32) == 1
    assert enough_groups(1, cores_per_group=16, working_cores=8, working_groups=8) == 16
    assert enough_groups(2, cores_per_group=4, working_cores=12, working_groups=4) == 3


def test_bound_holds_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    times = rng.normal(1e6, 1e4, (400, 128)).astype(int)
    held = sum(summarise(row[:16].tolist(), 128, 1, 8).max_bound_cycles >= row.max() for row in times)
    # 400 trials of a limit that holds in 95 % or more: below 92.5 % has a probability under 2 %
    assert held / 400 > 0.925


def test_unknown_job_is_named() -> None:
    with pytest.raises(ConfigError, match="job 'sort' is unknown; allowed are wordcount, kmeans, q6"):
        jobs.get("sort")


SELECTION = {"first_day": 0, "end_day": 1, "least_discount": 5, "most_discount": 7, "quantity_limit": 2400}


def q6_inputs(n: int, price: int) -> dict[str, np.ndarray]:
    columns = {name: np.ones(n, np.int64) for name in ("discount", "quantity")}
    return {"shipdate": np.zeros(n, np.int32), "extendedprice": np.full(n, price), **columns}


def test_revenue_must_fit_int64() -> None:
    largest = (2**63 - 1) // 14
    jobs.get("q6").check(q6_inputs(2, largest), SELECTION)
    with pytest.raises(ConfigError, match=r"may not fit int64: 2 rows x price \d+ x discount 7"):
        jobs.get("q6").check(q6_inputs(2, largest + 1), SELECTION)
    with pytest.raises(ConfigError, match="may not fit int64"):
        jobs.get("q6").check(q6_inputs(2, -largest - 1), SELECTION)


@pytest.mark.parametrize(
    ("name", "change", "parameters", "message"),
    [
        ("wordcount", {"text": None}, {}, r"input 'text' is missing; got \[\]"),
        ("wordcount", {"text": np.zeros(3, np.int8)}, {}, "must be a contiguous 1-D array of uint8, got 1-D int8"),
        ("wordcount", {"text": np.zeros((3, 2), np.uint8)}, {}, "got 2-D uint8"),
        ("kmeans", {}, {"d": 3}, "points must be a multiple of d = 3 values, got 4"),
        ("kmeans", {}, {"d": 0}, "parameter d must be an int >= 1, got 0"),
        ("kmeans", {}, {"iterations": None}, "parameter iterations must be an int >= 1, got None"),
        ("kmeans", {"initial": np.zeros(3)}, {}, r"initial must be k \* d = 4 values, got 3"),
        ("q6", {"discount": np.zeros(2, np.int64)}, {}, "columns must have the same number of rows"),
        ("q6", {}, {"end_day": 1.5}, "parameter end_day must be an int, got 1.5"),
    ],
)
def test_unfit_inputs_are_refused(name: str, change: dict, parameters: dict, message: str) -> None:
    inputs = {
        "wordcount": {"text": as_text(b"a")},
        "kmeans": {"points": np.zeros(4), "initial": np.zeros(4)},
        "q6": q6_inputs(3, 1),
    }[name]
    good = {"wordcount": {}, "kmeans": {"d": 2, "k": 2, "iterations": 1}, "q6": SELECTION}[name]
    changed = {key: value for key, value in {**inputs, **change}.items() if value is not None}
    jobs.get(name).check(inputs, good)
    with pytest.raises(ConfigError, match=message):
        jobs.get(name).check(changed, {**good, **parameters})
