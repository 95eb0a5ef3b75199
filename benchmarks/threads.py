"""What a second host thread brings: two groups one after the other, against both at once on two threads.

Groups share nothing, and neither engine holds Python's lock. Wall time is what a user sees, and says little on a host
with other work; the CPU time of the slower thread shows there what the two cost each other in caches and memory.
"""

import argparse
import statistics
import threading
import time

from benchmarks.cases import Case, cases, system_for
from mapreduce.compile import kernel_elf
from pim.config import load_system
from pim.engines import DEFAULT_ENGINE
from pim.isa import load_elf
from pim.system.engine import simulate
from pim.system.run import prepare_group


def run_two(case: Case, *, at_once: bool) -> tuple[float, float]:
    """Return the wall time of two groups, and the CPU time of the slower thread, or of both one after the other."""
    system = system_for(case, load_system("bank"))
    program = load_elf(kernel_elf(case.kernel, system.core.extensions))
    groups = [prepare_group(system, program, [case.task()], 10**12) for _ in range(2)]
    seconds = [0.0, 0.0]

    def run(number: int) -> None:
        start = time.thread_time()
        simulate(*groups[number], program, system, DEFAULT_ENGINE)
        seconds[number] = time.thread_time() - start

    start = time.perf_counter()
    if at_once:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        run(0)
        run(1)
    return time.perf_counter() - start, max(seconds) if at_once else sum(seconds)


def print_threads(scale: float, pairs: int, only: str) -> None:
    """Print a table: medians over pairs of runs, and the best pair."""
    print(f"two groups on two host threads, times as fast as on one; median and best of {pairs} pairs")
    print(f"{'':24}{'wall time':>20}{'CPU time':>20}")
    for case in cases(scale):
        if only not in case.name:
            continue
        run_two(case, at_once=False)
        found = []
        for _ in range(pairs):
            apart, together = run_two(case, at_once=False), run_two(case, at_once=True)
            found.append((apart[0] / together[0], apart[1] / together[1]))
        columns = "".join(f"{statistics.median(ratio):12.2f}{max(ratio):8.2f}" for ratio in zip(*found, strict=True))
        print(f"{case.name:24}{columns}", flush=True)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="size of the inputs")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", default="", help="part of a case's name")
    options = parser.parse_args()
    print_threads(options.scale, options.pairs, options.only)


if __name__ == "__main__":
    main()
