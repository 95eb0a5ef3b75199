"""DDR4 devices: row buffers, timing rules and refresh, in DRAM clocks."""
