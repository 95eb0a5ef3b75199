"""Figures as text: three digits, with their unit."""


def seconds_text(value: float) -> str:
    """Return a duration, e.g. ``12.3 ms``."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= factor:
            return f"{_three_digits(value / factor)} {unit}"
    return f"{_three_digits(value / 1e-9)} ns" if value else "0 s"


def speedup_text(value: float) -> str:
    """Return a speedup, e.g. ``12.3x``."""
    return f"{_three_digits(value)}x"


def is_slower(speedup: float) -> bool:
    """Return whether a speedup reads as below one: 0.9996 is printed, and meant, as ``1x``."""
    return float(f"{speedup:.3g}") < 1


def percent_text(value: float) -> str:
    """Return a share, e.g. ``93.1 %``."""
    return f"{_three_digits(100 * value)} %"


def _three_digits(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 99.95 else f"{value:.3g}"
