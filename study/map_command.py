"""``scalein map``: where an address is in the DRAM, by the named maps, or as one core sees it."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from pim.config import SystemConfig, load_system, with_overrides
from pim.core.settings import MEMORY_BASE
from pim.dram.address import MAP_NAMES, AddressMap
from pim.errors import ConfigError
from pim.system.levels import window_place
from study.exec_command import parse_settings

_COLUMNS = ("map", "channel", "rank", "bank group", "bank", "row", "column", "byte")


def run(address: str, machine: str, *, settings: Sequence[str] = (), name: str | None = None, core: int | None) -> None:
    """Print where an address is.

    Parameters
    ----------
    address : str
        Byte address, decimal or with 0x: the host's from 0 on, or with ``core`` one of the core's memory.
    machine : str
        Preset or machine file.
    settings : sequence of str
        ``key=value`` overrides of the machine.
    name : str, optional
        One map; default: all.
    core : int, optional
        Core of a group, which sees only its window.
    """
    system = load_system(machine)
    if settings:
        system = with_overrides(system, parse_settings(settings), "--set")
    number = _address(address)
    if core is not None:
        _print_window(system, core, number)
        return
    table = Table(*_COLUMNS, box=None)
    for map_name in (name,) if name else MAP_NAMES:
        address_map = AddressMap(map_name, system.geometry)
        if number >= address_map.n_bytes:
            raise ConfigError(
                f"address: the memory of {system.name!r} ends at {address_map.n_bytes:#x}, got {number:#x}"
            )
        place = address_map.place(number)
        fields = (place.channel, place.rank, place.group, place.bank, place.row, place.column, place.byte)
        table.add_row(map_name, *map(str, fields))
    Console().print(table)


def _address(text: str) -> int:
    try:
        number = int(text.replace("_", ""), 0)
    except ValueError:
        raise ConfigError(f"address: must be a number such as 4096 or 0x1000, got {text!r}") from None
    if number < 0:
        raise ConfigError(f"address: must be >= 0, got {text}")
    return number


def _print_window(system: SystemConfig, core: int, address: int) -> None:
    if not 0 <= core < system.cores_per_group:
        raise ConfigError(f"--core: {system.name!r} has 0 to {system.cores_per_group - 1} in a group, got {core}")
    if not MEMORY_BASE <= address < MEMORY_BASE + system.window_bytes:
        end = MEMORY_BASE + system.window_bytes
        raise ConfigError(f"address: a core's memory is {MEMORY_BASE:#x} to {end:#x}, got {address:#x}")
    bank_id, row, byte = window_place(system, core, address - MEMORY_BASE)
    groups = system.geometry.bank_groups
    table = Table("core", "bank group", "bank", "row", "column", "byte", box=None)
    cells = (core, bank_id % groups, bank_id // groups, row, byte // system.column_bytes, byte % system.column_bytes)
    table.add_row(*map(str, cells))
    Console().print(table)
