"""Ways to run many design points: a process pool on this machine."""
