"""General-purpose RISC-V cores inside DDR4 memory: configuration, instruction set, DRAM, core and system."""
