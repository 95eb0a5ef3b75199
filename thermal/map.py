"""Blocks to cells and back, weighted by the area they share."""

import numpy as np

from pim.errors import ConfigError
from thermal.floorplan import Block, Floorplan
from thermal.network import Array

TOUCH = 1e-9  # smallest part of a cell that counts as touched; below it is rounding of block edges


def _shared_length(start_m: float, length_m: float, edges_m: Array) -> Array:
    """Return how much of [start, start + length] lies in each interval between `edges_m`, in m."""
    shared: Array = np.minimum(start_m + length_m, edges_m[1:]) - np.maximum(start_m, edges_m[:-1])
    return np.maximum(shared, 0.0)


class BlockGrid:
    """The area in m2 every block shares with every cell: `shared_m2`, float64 (blocks, rows, columns)."""

    def __init__(self, floorplan: Floorplan, rows: int, columns: int) -> None:
        self.floorplan = floorplan
        self.names = tuple(block.name for block in floorplan.blocks)
        x_m = np.linspace(0.0, floorplan.width_m, columns + 1)
        y_m = np.linspace(0.0, floorplan.height_m, rows + 1)
        self.cell_m2 = floorplan.area_m2 / (rows * columns)

        def shared(block: Block) -> Array:
            along_y = _shared_length(block.bottom_m, block.height_m, y_m)
            along_x = _shared_length(block.left_m, block.width_m, x_m)
            return np.outer(along_y, along_x)

        self.shared_m2: Array = np.array([shared(block) for block in floorplan.blocks])

    def cell_power_w(self, power_w: dict[str, float]) -> Array:
        """Return every cell's power in W, a block's spread evenly over its area; unnamed ones give none."""
        if unknown := sorted(set(power_w) - set(self.names)):
            raise ConfigError(f"floorplan {self.floorplan.name!r}: no blocks named {unknown}, it has {self.names}")
        given = np.array([power_w.get(name, 0.0) for name in self.names])
        if not (np.isfinite(given).all() and (given >= 0).all()):
            bad = {name: value for name, value in power_w.items() if not (np.isfinite(value) and value >= 0)}
            raise ConfigError(f"floorplan {self.floorplan.name!r}: power must be finite and >= 0 W, got {bad}")
        density = given / self.shared_m2.sum(axis=(1, 2))
        cells: Array = np.tensordot(density, self.shared_m2, axes=1)
        return cells

    def block_mean(self, cells: Array) -> dict[str, float]:
        """Return every block's mean of a cell quantity (rows, columns), weighted by shared area."""
        sums = np.tensordot(self.shared_m2, cells, axes=2)
        means = sums / self.shared_m2.sum(axis=(1, 2))
        return dict(zip(self.names, means.tolist(), strict=True))

    def block_max(self, cells: Array) -> dict[str, float]:
        """Return every block's greatest value among the cells (rows, columns) it touches."""
        touched = self.shared_m2 > TOUCH * self.cell_m2
        return {name: float(cells[touched[i]].max()) for i, name in enumerate(self.names)}
