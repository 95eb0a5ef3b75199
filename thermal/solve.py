"""Temperatures from a network and the power of its cells: steady state.

Every solution is checked before it is returned: the residual of the linear system, and that what leaves
through the faces is what came in.
"""

from enum import StrEnum

import numpy as np
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import cg, splu

from pim.errors import ConfigError
from thermal.network import Array, Network

DIRECT_LIMIT = 60_000  # cells; measured: 30,720 cells take 0.5 s direct, 1.3 s by CG; fill-in grows faster
TOLERANCE = 1e-9  # relative: residual of the linear system and balance of heat
CG_TOLERANCE = 1e-12  # relative residual asked of CG, below what is checked


class Method(StrEnum):
    """How the linear system is solved."""

    AUTO = "auto"
    DIRECT = "direct"
    CG = "cg"


def heat_out_w(network: Network, rise_k: Array) -> tuple[float, float]:
    """Return the heat in W that leaves through top and bottom face, for a rise over ambient per cell."""
    layers = rise_k.reshape(network.shape)
    return float(network.top_w_k * layers[0].sum()), float(network.bottom_w_k * layers[-1].sum())


def steady_rise(network: Network, power_w: Array, method: Method = Method.AUTO) -> Array:
    """Return the rise over ambient in K of every cell in steady state, shape (layers, rows, columns).

    Parameters
    ----------
    network : Network
    power_w : Array, float64, (rows, columns)
        Power of every cell of the heated layer in W.
    method : Method
        AUTO takes sparse LU up to `DIRECT_LIMIT` cells, conjugate gradients (Jacobi) above.

    Raises
    ------
    ConfigError
        If the power has the wrong shape or is not finite.
    ArithmeticError
        If residual or heat balance miss the tolerance.
    """
    n_layers, rows, columns = network.shape
    if power_w.shape != (rows, columns) or not np.isfinite(power_w).all():
        raise ConfigError(f"cell power must be finite, shape {(rows, columns)}, got shape {power_w.shape}")
    source = np.zeros(network.shape)
    source[network.source_index] = power_w
    right = source.ravel()
    if method is Method.AUTO:
        method = Method.DIRECT if right.size <= DIRECT_LIMIT else Method.CG
    matrix = network.conductance_w_k
    if method is Method.DIRECT:
        factors = splu(csc_array(matrix), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
        rise = np.asarray(factors.solve(right))
    else:
        jacobi = diags_array(1 / matrix.diagonal())
        rise, _ = cg(matrix, right, rtol=CG_TOLERANCE, atol=0.0, maxiter=20 * n_layers * (rows + columns), M=jacobi)
    _check(network, right, rise)
    return rise.reshape(network.shape)


def _check(network: Network, right: Array, rise: Array) -> None:
    """Raise ArithmeticError unless `rise` solves the network for `right` and conserves heat."""
    scale_w = float(np.abs(right).sum())
    residual_w = float(np.abs(network.conductance_w_k @ rise - right).sum())
    imbalance_w = abs(sum(heat_out_w(network, rise)) - float(right.sum()))
    allowed_w = TOLERANCE * scale_w
    if not (residual_w <= allowed_w and imbalance_w <= allowed_w):
        raise ArithmeticError(
            f"steady solution of {network.shape} cells: residual {residual_w:.3g} W and heat balance "
            f"{imbalance_w:.3g} W must be <= {allowed_w:.3g} W"
        )
