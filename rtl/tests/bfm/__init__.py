"""Parts of the benches: clock, drivers, monitor, checkers and coverage; each does one thing and none knows a test."""
