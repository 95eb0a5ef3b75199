"""The thermal network of a stack: cell-centred finite volumes on a rectangular grid.

A cell's node is at its centre (the convention of 3D-ICE). Between neighbours the two half cells are in
series; a face cell reaches the air through half its thickness and the face's film. Sides are adiabatic.
Conductances are constant, so the network is one symmetric positive definite matrix.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from pim.errors import ConfigError
from thermal.stack import Stack

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Network:
    """Conductances between cells and to ambient.

    Attributes
    ----------
    conductance_w_k : sparse array, float64, (n, n)
        G in W/K: G (T - T_ambient) = P. Cells are numbered by layer (top first), row (south first), column.
    top_w_k, bottom_w_k : float
        Conductance of one face cell to ambient, W/K.
    capacity_j_k : Array, float64, (n,)
        Heat capacity of every cell, J/K.
    shape : tuple of int
        (layers, rows, columns).
    source_index : int
        The heated layer.
    """

    conductance_w_k: sparse.csr_array
    top_w_k: float
    bottom_w_k: float
    capacity_j_k: Array
    shape: tuple[int, int, int]
    source_index: int


def _path_laplacian(links: Array) -> sparse.csr_array:
    """Return the Laplacian of a chain, neighbours i and i+1 joined by `links[i]`; its rows sum to zero."""
    diagonal = np.zeros(len(links) + 1)
    diagonal[:-1] += links
    diagonal[1:] += links
    return sparse.csr_array(np.diag(diagonal) - np.diag(links, 1) - np.diag(links, -1))


def build_network(stack: Stack, width_m: float, height_m: float, rows: int, columns: int) -> Network:
    """Return the network of `stack` over a die of `width_m` x `height_m`, cut into `rows` x `columns` cells.

    Parameters
    ----------
    stack : Stack
        All layers have the die's footprint.
    width_m, height_m : float
        West-east and south-north size in m.
    rows, columns : int
        Cells along height and width, >= 1.
    """
    if rows < 1 or columns < 1:
        raise ConfigError(f"thermal grid: rows and columns must be >= 1, got {rows} x {columns}")
    dx_m, dy_m = width_m / columns, height_m / rows
    cell_m2 = dx_m * dy_m
    thickness_m = np.array([layer.thickness_m for layer in stack.layers])
    conductivity = np.array([layer.material.conductivity_w_mk for layer in stack.layers])
    half_m2k_w = thickness_m / (2 * conductivity)

    east = conductivity * thickness_m * dy_m / dx_m
    north = conductivity * thickness_m * dx_m / dy_m
    down = cell_m2 / (half_m2k_w[:-1] + half_m2k_w[1:])
    top = cell_m2 / (half_m2k_w[0] + 1 / stack.top_w_m2k) if stack.top_w_m2k > 0 else 0.0
    bottom = cell_m2 / (half_m2k_w[-1] + 1 / stack.bottom_w_m2k) if stack.bottom_w_m2k > 0 else 0.0
    to_ambient = np.zeros(len(thickness_m))
    to_ambient[0] += top
    to_ambient[-1] += bottom

    one_row, one_column = sparse.eye_array(rows), sparse.eye_array(columns)
    lateral_x = sparse.kron(one_row, _path_laplacian(np.ones(columns - 1)))
    lateral_y = sparse.kron(_path_laplacian(np.ones(rows - 1)), one_column)
    vertical = _path_laplacian(down) + sparse.diags_array(to_ambient)
    conductance = (
        sparse.kron(sparse.diags_array(east), lateral_x)
        + sparse.kron(sparse.diags_array(north), lateral_y)
        + sparse.kron(vertical, sparse.eye_array(rows * columns))
    )
    capacity = np.array([layer.material.heat_capacity_j_m3k for layer in stack.layers]) * thickness_m * cell_m2
    return Network(
        conductance_w_k=sparse.csr_array(conductance),
        top_w_k=float(top),
        bottom_w_k=float(bottom),
        capacity_j_k=np.repeat(capacity, rows * columns),
        shape=(len(thickness_m), rows, columns),
        source_index=stack.source_index,
    )
