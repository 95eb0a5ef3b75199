"""How many requests a second of processor time the rank controller serves: a stream, and random bursts."""

import time

import numpy as np

from pim.config import ControllerConfig, TimingSpec
from pim.dram.queues import Requests
from pim.dram.traffic import requests_of, serve_requests

N_REQUESTS = 1_000_000
NO_REFRESH = 1 << 50


def stream() -> Requests:
    """Return reads of neighbouring bursts: 128 of a row, then the next bank group, bank and row."""
    burst = np.arange(N_REQUESTS)
    return at(burst, np.zeros_like(burst))


def random(write_share: int = 0) -> Requests:
    """Return bursts drawn by a 64-bit congruential generator; one in ``write_share`` is a write."""
    draws = np.empty(N_REQUESTS, np.uint64)
    state = 12345
    for i in range(N_REQUESTS):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFF_FFFF_FFFF_FFFF
        draws[i] = state
    kinds = (draws >> np.uint64(60)) % np.uint64(write_share) == 0 if write_share else np.zeros(N_REQUESTS, bool)
    return at(((draws >> np.uint64(24)) & np.uint64((1 << 27) - 1)).astype(np.int64), kinds)


def at(burst: np.ndarray, kind: np.ndarray) -> Requests:
    """Return requests for bursts numbered in the order row : bank : bank group : column of one rank."""
    bank = ((burst >> 9) & 3) << 2 | ((burst >> 7) & 3)
    return requests_of(bank, burst >> 11, burst & 127, kind)


def main() -> None:
    """Measure and print a table."""
    timing = TimingSpec().to_kernel()
    serve_requests(Requests(*(values[:100] for values in stream())), timing, ControllerConfig())  # compiles
    print("pattern     refresh  requests/s (million)  clocks/request     ACT")
    for name, requests in (("stream", stream()), ("random", random()), ("random, 1/3 written", random(3))):
        for nrefi in (NO_REFRESH, timing.nrefi):
            start = time.process_time()
            served = serve_requests(requests, timing._replace(nrefi=nrefi), ControllerConfig())
            rate = N_REQUESTS / (time.process_time() - start) / 1e6
            clocks = served.end / N_REQUESTS
            shown = "off" if nrefi == NO_REFRESH else "on"
            print(f"{name:20} {shown:7} {rate:12.2f} {clocks:17.4f} {served.commands['ACT']:9,}")


if __name__ == "__main__":
    main()
