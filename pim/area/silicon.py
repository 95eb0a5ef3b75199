"""The silicon that cores are added to."""

DIE_8GBIT_MM2 = 58.48
"""8 Gb DDR4 die, Micron 1x nm: 0.137 Gb/mm2 (TechInsights through thelec.net)."""

BUFFER_DIE_MM2 = 20.0
"""A DIMM's data and command buffer as one chip. Assumption: two 72-bit DDR4 PHYs of about 10 mm2; none published."""


def dram_die_mm2(device_gbit: int) -> float:
    """Return the area of a DDR4 die in mm2. Assumption: proportional to capacity, from the 8 Gb die."""
    return DIE_8GBIT_MM2 * device_gbit / 8
