"""Machines of cores and memory at the bank, the chip and the rank, and their host interface."""
