"""Where the blocks of a die are: rectangles, and builders for a DRAM die and a module's buffer die.

Decides geometry only. Areas come from the caller (`pim.area` through `study`), power from the power model.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from pim.errors import ConfigError

DRAM_ASPECT = 1.5  # assumption: width / height of an 8 Gb die, long side along eight banks
SPINE_SHARE = 0.10  # assumption: part of the die for pads, DLL, command and data path between the bank rows
BANKS_PER_ROW = 8  # 16 banks in two rows, a bank group is four neighbours in a row
N_BANKS = 16  # 4 bank groups of 4, JESD79-4 x8
BUFFER_ASPECT = 1.0  # assumption: square die
SLACK = 1e-9  # relative, for comparing lengths that were added up in floating point


class BlockKind(StrEnum):
    """What a block holds."""

    BANK = "bank"
    CORE = "core"
    PERIPHERY = "periphery"


class CorePlace(StrEnum):
    """Where a DRAM die's cores sit: at each bank's column edge, or in the spine between the bank rows."""

    BANK = "bank"
    SPINE = "spine"


@dataclass(frozen=True)
class Block:
    """A rectangle; origin is the die's south-west corner, lengths in m."""

    name: str
    kind: BlockKind
    left_m: float
    bottom_m: float
    width_m: float
    height_m: float

    @property
    def area_m2(self) -> float:
        """Area in m2."""
        return self.width_m * self.height_m


@dataclass(frozen=True)
class Floorplan:
    """A die and its blocks, which lie inside and do not overlap; what no block covers is passive silicon."""

    name: str
    width_m: float
    height_m: float
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        if not (self.width_m > 0 and self.height_m > 0):
            raise ConfigError(f"floorplan {self.name!r}: die must have area, got {self.width_m} x {self.height_m} m")
        names = [block.name for block in self.blocks]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ConfigError(f"floorplan {self.name!r}: block names must be unique, got twice: {sorted(twice)}")
        slack_m = SLACK * max(self.width_m, self.height_m)
        for block in self.blocks:
            inside = (
                block.width_m > 0
                and block.height_m > 0
                and block.left_m >= -slack_m
                and block.bottom_m >= -slack_m
                and block.left_m + block.width_m <= self.width_m + slack_m
                and block.bottom_m + block.height_m <= self.height_m + slack_m
            )
            if not inside:
                raise ConfigError(f"floorplan {self.name!r}: {block} must have area and lie on the die")
        for i, a in enumerate(self.blocks):
            for b in self.blocks[i + 1 :]:
                overlap_x = min(a.left_m + a.width_m, b.left_m + b.width_m) - max(a.left_m, b.left_m)
                overlap_y = min(a.bottom_m + a.height_m, b.bottom_m + b.height_m) - max(a.bottom_m, b.bottom_m)
                if overlap_x > slack_m and overlap_y > slack_m:
                    raise ConfigError(f"floorplan {self.name!r}: blocks {a.name!r} and {b.name!r} overlap")

    @property
    def area_m2(self) -> float:
        """Area of the die in m2."""
        return self.width_m * self.height_m

    def of_kind(self, kind: BlockKind) -> tuple[Block, ...]:
        """Return the blocks of one kind, in floorplan order."""
        return tuple(block for block in self.blocks if block.kind is kind)


def spread(total_w: float, blocks: tuple[Block, ...]) -> dict[str, float]:
    """Return `total_w` [W] shared out over `blocks` in proportion to their area."""
    area_m2 = sum(block.area_m2 for block in blocks)
    if not blocks or area_m2 <= 0:
        raise ConfigError(f"cannot spread {total_w} W over no blocks")
    return {block.name: total_w * block.area_m2 / area_m2 for block in blocks}


def block_power(floorplan: Floorplan, *, background_w: float, banks_w: float, core_w: float) -> dict[str, float]:
    """Return the power of every block of a die in W.

    Parameters
    ----------
    floorplan : Floorplan
    background_w : float
        What the die draws without doing anything, spread over banks and periphery (assumption: evenly; where on the
        die it falls moves the peak by well under 1 K, for silicon spreads it).
    banks_w : float
        Commands of the banks, spread over the banks; over the periphery on a die that has none.
    core_w : float
        One core.
    """
    banks = floorplan.of_kind(BlockKind.BANK)
    periphery = floorplan.of_kind(BlockKind.PERIPHERY)
    power_w = spread(background_w, banks + periphery)
    for name, watts in spread(banks_w, banks or periphery).items():
        power_w[name] += watts
    return power_w | {block.name: core_w for block in floorplan.of_kind(BlockKind.CORE)}


def _row(kind: BlockKind, n: int, frame: tuple[float, float, float, float], first: int = 0) -> list[Block]:
    """Return `n` equal blocks side by side in `frame` (left, bottom, width, height in m), numbered."""
    left_m, bottom_m, width_m, height_m = frame
    step_m = width_m / n
    return [Block(f"{kind}{first + i}", kind, left_m + i * step_m, bottom_m, step_m, height_m) for i in range(n)]


def dram_die(
    *,
    die_m2: float,
    place: CorePlace | None = None,
    n_cores: int = 0,
    core_m2: float = 0.0,
) -> Floorplan:
    """Return a DRAM die of 16 banks around a spine, grown in height by the area of its cores.

    Banks 0 to 7 are south of the spine, 8 to 15 north; four neighbours are a bank group. A bank's cores fill
    a strip of the bank's width at its column edge (pitch-matched to the sense amplifiers, as bank-level units
    are built); cores in the spine are equal pieces of it, centred.

    Parameters
    ----------
    die_m2 : float
        Die without cores, in m2.
    place : CorePlace or None
        None: a die without cores.
    n_cores : int
        Cores on the die; at the banks a multiple of 16.
    core_m2 : float
        Area of one core in m2.
    """
    if (place is None) != (n_cores == 0):
        raise ConfigError(f"DRAM die: cores and a place for them go together, got {n_cores} cores, place {place}")
    if n_cores and not core_m2 > 0:
        raise ConfigError(f"DRAM die: core_m2 must be > 0, got {core_m2} m2")
    if place is CorePlace.BANK and n_cores % N_BANKS:
        raise ConfigError(f"DRAM die: cores at the banks must be a multiple of {N_BANKS}, got {n_cores}")
    width_m = math.sqrt(die_m2 * DRAM_ASPECT)
    bank_m = die_m2 * (1 - SPINE_SHARE) / width_m / 2
    spine_m = die_m2 * SPINE_SHARE / width_m
    cores_m = n_cores * core_m2 / width_m
    blocks: list[Block] = []
    if place is CorePlace.BANK:
        edge_m, per_row = cores_m / 2, n_cores // 2
        north_m = bank_m + edge_m + spine_m
        blocks += _row(BlockKind.CORE, per_row, (0.0, bank_m, width_m, edge_m))
        blocks += _row(BlockKind.CORE, per_row, (0.0, north_m, width_m, edge_m), first=per_row)
        blocks.append(Block("spine", BlockKind.PERIPHERY, 0.0, bank_m + edge_m, width_m, spine_m))
    elif place is CorePlace.SPINE:
        middle_m = spine_m + cores_m
        row_m = n_cores * core_m2 / middle_m
        side_m = (width_m - row_m) / 2
        blocks += _row(BlockKind.CORE, n_cores, (side_m, bank_m, row_m, middle_m))
        blocks.append(Block("spine_west", BlockKind.PERIPHERY, 0.0, bank_m, side_m, middle_m))
        blocks.append(Block("spine_east", BlockKind.PERIPHERY, side_m + row_m, bank_m, side_m, middle_m))
    else:
        blocks.append(Block("spine", BlockKind.PERIPHERY, 0.0, bank_m, width_m, spine_m))
    height_m = 2 * bank_m + spine_m + cores_m
    south, north = (0.0, 0.0, width_m, bank_m), (0.0, height_m - bank_m, width_m, bank_m)
    blocks += _row(BlockKind.BANK, BANKS_PER_ROW, south)
    blocks += _row(BlockKind.BANK, BANKS_PER_ROW, north, first=BANKS_PER_ROW)
    return Floorplan("DRAM die", width_m, height_m, tuple(blocks))


def buffer_die(*, periphery_m2: float, n_cores: int, core_m2: float) -> Floorplan:
    """Return a module's buffer die: cores in one row above the interface circuits.

    Parameters
    ----------
    periphery_m2 : float
        Area of the buffer's own circuits (PHYs, registers) in m2, > 0.
    n_cores : int
        Cores on the die, > 0.
    core_m2 : float
        Area of one core in m2, > 0.
    """
    if not (periphery_m2 > 0 and n_cores > 0 and core_m2 > 0):
        raise ConfigError(
            f"buffer die: needs areas and cores > 0, got {periphery_m2} m2, {n_cores} cores of {core_m2} m2"
        )
    width_m = math.sqrt((periphery_m2 + n_cores * core_m2) * BUFFER_ASPECT)
    phy_m, core_m = periphery_m2 / width_m, n_cores * core_m2 / width_m
    blocks = [Block("interface", BlockKind.PERIPHERY, 0.0, 0.0, width_m, phy_m)]
    blocks += _row(BlockKind.CORE, n_cores, (0.0, phy_m, width_m, core_m))
    return Floorplan("buffer die", width_m, phy_m + core_m, tuple(blocks))
