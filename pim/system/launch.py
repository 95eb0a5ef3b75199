"""What it costs the host to start cores, to learn that they are done, and to claim a bank, step by step.

DDR4 chips of a rank share every command: one burst writes one 64-bit register in all chips of a rank, with a different
value for each. Registers are bursts of a row of their own in each bank. Channels work side by side, registers of one
channel are written one after the other at tCCD_L, and nothing is overlapped with the cores' work.
"""

from pim.config import Level, SystemConfig
from pim.system.levels import concurrent_rules


def registers_per_channel(system: SystemConfig) -> int:
    """Return how many mailboxes of one channel a burst each is needed for: (rank, bank) pairs, or cores."""
    geometry = system.geometry
    per_rank = geometry.banks_per_chip if system.level is Level.BANK else system.cores_per_location
    return geometry.ranks_per_channel * per_rank


def step_nck(system: SystemConfig) -> dict[str, int]:
    """Return the DRAM clocks of each of the host's steps, by the names in docs/timing.md, "Steps of the host"."""
    timing, interface = system.timing.to_kernel(), system.interface
    write = timing.ncwl + timing.nbl + interface.register_write_nck
    return {
        "close rows": timing.nrp,
        "open registers": timing.nrcd,
        "next register": timing.nccd_l,
        "write register": write,
        "read register": timing.ncl + timing.nbl,
        "grant": interface.grant_nck,
        "start": interface.start_nck,
        "done": interface.done_nck,
        "poll": interface.poll_interval_nck,
        "alert": interface.alert_nck,
        "release": interface.release_nck,
        "claim": timing.nrcd + write,
        "end claim": timing.nrp + timing.nrcd + write,
    }


def launch_nck(system: SystemConfig, argument_words: int, *, is_first: bool = True) -> int:
    """Return the DRAM clocks from the host's decision to start to the last core's first edge.

    Precharge all, open the registers' rows, write ``argument_words`` and the start register of every mailbox; with
    exclusive ownership, and before the first launch, request the banks and switch. What is the same for all cores is
    written once a rank with ``launch: broadcast``.
    """
    steps, interface = step_nck(system), system.interface
    hands_over = is_first or interface.ownership == "exclusive"
    bursts = registers_per_channel(system) * argument_words + (1 + hands_over) * _common_bursts(system)
    clocks = steps["close rows"] + steps["open registers"] + bursts * steps["next register"] + steps["write register"]
    return clocks + hands_over * steps["grant"] + steps["start"]


def completion_nck(system: SystemConfig) -> int:
    """Return the DRAM clocks from the last core's end to the host going on.

    The end is seen one whole poll interval late at worst, which is charged, or by the alert; then every status and
    return value is read. With exclusive ownership the banks have come back by then.
    """
    steps, interface = step_nck(system), system.interface
    bursts = _common_bursts(system) + registers_per_channel(system)  # STATUS, RETURN
    read = steps["open registers"] + bursts * steps["next register"] + steps["read register"]
    seen = steps["poll" if interface.completion == "polling" else "alert"]
    return steps["done"] + seen + read + (steps["release"] if interface.ownership == "exclusive" else 0)


def claimed_transfer_nck(system: SystemConfig) -> int:
    """Return the DRAM clocks that claims add to a transfer between host and cores: 0 if the banks are the host's.

    All banks take part and claims of some wait while others move data, so that the first claim and the last end count.
    """
    if system.interface.ownership == "exclusive":
        return 0
    steps = step_nck(system)
    return steps["claim"] + concurrent_rules(system).nclaim + steps["end claim"]


def _common_bursts(system: SystemConfig) -> int:
    """Return the bursts of one channel for a register that is the same for all cores."""
    if system.interface.launch == "broadcast":
        return system.geometry.ranks_per_channel
    return registers_per_channel(system)
