"""Temperatures over time by backward Euler: unconditionally stable, first order in the time step."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import splu

from pim.errors import ConfigError
from thermal.network import Array, Network


def transient_rise(network: Network, powers_w: Iterator[Array], step_s: float, start_k: Array) -> Iterator[Array]:
    """Yield the rise over ambient in K of every cell at the end of each step.

    Parameters
    ----------
    network : Network
    powers_w : iterator of Array, float64, (rows, columns)
        Power of the heated layer's cells in W, constant over one step.
    step_s : float
        Length of a step in s, > 0.
    start_k : Array, float64, (layers, rows, columns)
        Rise at the start in K.

    Raises
    ------
    ConfigError
        If a shape or the step is wrong.
    """
    if not step_s > 0 or start_k.shape != network.shape:
        raise ConfigError(
            f"transient: step must be > 0 s and start of shape {network.shape}, got {step_s} s, {start_k.shape}"
        )
    storage_w_k = network.capacity_j_k / step_s
    factors = splu(
        csc_array(network.conductance_w_k + diags_array(storage_w_k)),
        permc_spec="MMD_AT_PLUS_A",
        options={"SymmetricMode": True},
    )
    rise = start_k.ravel()
    for power_w in powers_w:
        if power_w.shape != network.shape[1:]:
            raise ConfigError(f"transient: cell power must have shape {network.shape[1:]}, got {power_w.shape}")
        source = np.zeros(network.shape)
        source[network.source_index] = power_w
        rise = np.asarray(factors.solve(storage_w_k * rise + source.ravel()))
        yield rise.reshape(network.shape)
