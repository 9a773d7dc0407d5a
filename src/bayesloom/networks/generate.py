"""Random networks for benchmarks.

The recipe of [scanagatta2015]: every variable has a number of states drawn uniformly from a range and
a number of parents drawn uniformly from 0 to a maximum, parents are drawn uniformly among the
variables before it in a random order, and each row of its CPT is drawn from a symmetric Dirichlet
distribution. With `locality` the parents are drawn from the nearest variables before only, which
keeps the network narrow and its variables from depending on everything.

Cost: O(n * max_parents) for the structure, and the CPTs, whose size grows as states^parents.
"""

from __future__ import annotations

import numpy as np

from bayesloom.errors import InputError, shown
from bayesloom.limits import check_count, check_positive
from bayesloom.networks.fitted import FittedNetwork, Floats
from bayesloom.networks.network import MAX_VARIABLES, Network


def random_network(
    n: int,
    *,
    states: tuple[int, int] = (2, 4),
    max_parents: int = 6,
    locality: int | None = None,
    concentration: float = 1.0,
    seed: int = 0,
) -> FittedNetwork:
    """Return a random network with random probabilities; the same arguments give the same network.

    Parameters
    ----------
    n
        The number of variables; they are named ``X0``, ``X1``, ...
    states
        Smallest and largest number of states; states are named ``s0``, ``s1``, ...
    max_parents
        Largest number of parents. Variables early in the order have fewer before them to choose from.
    locality
        Draw parents from that many variables just before in the order; ``None`` for all of them.
    concentration
        Of the Dirichlet distribution: 1 is uniform over all distributions, smaller values give rows
        that are nearly certain (strong edges), larger ones rows that are nearly uniform (weak edges).
    seed
        A number from 0 on, for NumPy's PCG64.

    Examples
    --------
    >>> fitted = random_network(100, max_parents=2, seed=7)
    >>> fitted.network
    <Network: 100 variables, 110 edges>
    >>> sorted(set(fitted.cardinalities))
    [2, 3, 4]
    """
    _check_options(n, states, max_parents, locality, concentration, seed)
    rng = np.random.Generator(np.random.PCG64(seed))
    order = rng.permutation(n)
    cardinalities = rng.integers(states[0], states[1], size=n, endpoint=True)
    wanted = rng.integers(0, max_parents, size=n, endpoint=True)
    parents: list[list[int]] = [[] for _ in range(n)]
    for position, variable in enumerate(order):
        start = 0 if locality is None else max(0, position - locality)
        k = min(int(wanted[variable]), position - start)
        if k > 0:
            chosen = start + rng.choice(position - start, size=k, replace=False)
            parents[variable] = sorted(int(i) for i in order[chosen])
    tables = [
        _random_table(rng, tuple(int(cardinalities[j]) for j in (*parents[i], i)), concentration)
        for i in range(n)
    ]
    network = Network([f"X{i}" for i in range(n)], parents)
    return FittedNetwork(network, [[f"s{k}" for k in range(r)] for r in cardinalities], tables)


def _random_table(rng: np.random.Generator, shape: tuple[int, ...], concentration: float) -> Floats:
    """Rows from a symmetric Dirichlet distribution: independent gamma variables, divided by their sum."""
    table = rng.standard_gamma(concentration, size=shape)
    sums = table.sum(axis=-1, keepdims=True)
    # At a very small concentration a whole row can underflow to zero; its limit is one certain state.
    lost = sums[..., 0] == 0
    if lost.any():
        table[lost] = np.eye(shape[-1])[rng.integers(shape[-1], size=int(lost.sum()))]
        sums[lost] = 1
    table /= sums
    return table


def _check_options(
    n: int,
    states: tuple[int, int],
    max_parents: int,
    locality: int | None,
    concentration: float,
    seed: int,
) -> None:
    check_count("n", n, least=1, most=MAX_VARIABLES)
    if len(states) != 2 or not 1 <= states[0] <= states[1] <= 65_536:
        raise InputError(
            f"states must be a smallest and a largest number of states, such as (2, 4), got {shown(states)}."
        )
    check_count("max_parents", max_parents, least=0, most=MAX_VARIABLES)
    if locality is not None:
        check_count("locality", locality, least=1)
    check_positive("concentration", concentration)
    check_count("seed", seed, least=0)
