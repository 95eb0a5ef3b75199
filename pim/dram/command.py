"""DDR4 commands, and the classes that timing rules and counters sort them into."""

from enum import IntEnum


class Command(IntEnum):
    """DDR4 commands (JESD79-4, command truth table)."""

    ACT = 0
    PRE = 1
    RD = 2
    WR = 3
    PREA = 4  # precharge all banks
    REF = 5  # refresh all banks
    PDE = 6  # enter power-down
    PDX = 7  # leave power-down
    RDA = 8  # read, then precharge by itself
    WRA = 9  # write, then precharge by itself
    SRE = 10  # enter self-refresh, beginning with a refresh
    SRX = 11  # leave self-refresh


N_READY = 8
"""Commands that a rule can hold back apart: RDA is held back as RD is, WRA as WR, SRE as REF and SRX as PDX."""

COUNTED = (Command.ACT, Command.PRE, Command.RD, Command.WR)
"""Commands counted on the cores' path; refreshes follow from the time."""
