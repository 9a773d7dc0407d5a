"""Probabilities from a table: the mean under a Dirichlet prior, or maximum likelihood.

    dirichlet  P(k | j) = (N_jk + a) / (N_j + a r),   a = ess / (q r)
    ml         P(k | j) = N_jk / N_j

with N_jk the rows that have child state k under joint parent state j, r child states and q joint
parent states. The prior is that of the BDeu score [heckerman1995]. A joint parent state that no row
has says nothing about its child: maximum likelihood gives it the uniform distribution, which is also
what the prior alone gives.

Cost: one pass over the rows per edge, and memory for the tables, which are dense.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayesloom.errors import InputError, ResourceError, option, unknown
from bayesloom.limits import check_positive
from bayesloom.networks.fitted import FittedNetwork, Floats
from bayesloom.networks.joint import (
    TableLike,
    interventions_of,
    joint_index,
    rows_that_count,
    table_columns,
    weights_of,
)
from bayesloom.networks.network import Network
from bayesloom.table.read import as_table

if TYPE_CHECKING:
    from bayesloom.networks.gaussian import GaussianNetwork


def fit_network(
    network: Network,
    table: TableLike | object,
    *,
    method: Literal["ml", "dirichlet"] = "dirichlet",
    ess: float = 1.0,
) -> FittedNetwork | GaussianNetwork:
    """Estimate the CPTs of a network from a table; of continuous variables, regressions.

    Parameters
    ----------
    network
        The structure.
    table
        A `Table`, or anything that `read_table` takes.  Must have the network's variables; they are matched
        by name, and other columns are not used.  Where values are missing, the CPT of a variable is that of
        the rows with a value of it and of its parents.
    method
        ``"dirichlet"`` for smoothed estimates that are never zero, so that no new row is impossible;
        ``"ml"`` for maximum likelihood, the shares in the table.
    ess
        Equivalent sample size of the prior: how many imaginary rows, spread evenly, are added.
        Used by ``"dirichlet"`` only.

    Returns
    -------
    FittedNetwork or GaussianNetwork
        A `GaussianNetwork` if the table has continuous variables of the network.

    Raises
    ------
    InputError
        If a variable is missing in the table, or an option is not usable.
    ResourceError
        If the tables do not fit into memory.
    """
    if method not in ("ml", "dirichlet"):
        raise unknown("estimation method", method, ["ml", "dirichlet"])
    check_positive("ess", ess)
    given: TableLike = as_table(table)
    columns = table_columns(network.names, given)
    if (design := interventions_of(given)) is not None:
        from bayesloom.table.interventions import check_some_rows_count

        check_some_rows_count(design.only(network.names), "the table")
    states = [given.states[c] for c in columns]
    shapes = [
        tuple(len(states[j]) for j in (*parents, i)) for i, parents in enumerate(network.parent_indices)
    ]
    mixed = not all(states)
    if mixed:  # sizes of tables are those of discrete variables
        shapes = [() if not states[i] else shape for i, shape in enumerate(shapes)]
        _check_parents(network, states)
    _check_memory(network, shapes)

    weights = weights_of(given)
    tables: list[Floats | None] = []
    for i, shape in enumerate(shapes):
        if not states[i]:
            tables.append(None)
            continue
        axes = (*network.parent_indices[i], i)
        own = [given.codes[columns[j]] for j in axes]
        here = rows_that_count(given, [columns[j] for j in axes], columns[i])
        if here is not None:
            own = [column[here] for column in own]
        row = joint_index(own, shape)
        each = weights if weights is None or here is None else weights[here]
        counts = np.bincount(row, each, minlength=math.prod(shape)).reshape(shape)
        tables.append(_estimate(counts.astype(np.float64), method, ess))
    if mixed:
        from bayesloom.networks.gaussian_fit import fit_gaussian

        return fit_gaussian(network, given, columns, tables)
    found = [table for table in tables if table is not None]
    return FittedNetwork(network, states, found, missing_values=getattr(given, "missing_values", None))


def _check_parents(network: Network, states: list[tuple[str, ...]]) -> None:
    for i, parents in enumerate(network.parent_indices):
        if bad := [p for p in parents if states[i] and not states[p]]:
            raise InputError(
                f"the discrete variable {network.names[i]!r} has the continuous parent"
                f" {network.names[bad[0]]!r}: such a network cannot be fitted. Turn the edge, or cut the"
                f" numbers with {option('discretize')}."
            )


def _estimate(counts: Floats, method: str, ess: float) -> Floats:
    r = counts.shape[-1]
    if method == "dirichlet":
        counts += ess / counts.size
    totals = counts.sum(axis=-1, keepdims=True)
    unseen = totals[..., 0] == 0
    totals[unseen] = 1
    counts /= totals
    counts[unseen] = 1 / r
    return counts


def _check_memory(network: Network, shapes: list[tuple[int, ...]]) -> None:
    """Refuse tables that cannot fit, before anything is allocated."""
    sizes = [8 * math.prod(shape) for shape in shapes]
    # Besides the tables themselves, the largest one is held as counts and as an estimate.
    need = sum(sizes) + 2 * max(sizes, default=0)
    if need <= _memory():
        return
    largest = max(range(len(sizes)), key=sizes.__getitem__)
    raise ResourceError(
        f"the CPTs of this network need {need / 1e9:.1f} GB, this machine has {_memory() / 1e9:.1f} GB;"
        f" variable {network.names[largest]!r} with {len(shapes[largest]) - 1} parents needs"
        f" {sizes[largest] / 1e9:.1f} GB alone. Learn a network with fewer parents (max_parents)."
    )


def _memory() -> float:
    """Physical memory in bytes, or infinity where the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return math.inf
