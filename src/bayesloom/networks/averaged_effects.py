"""The effect of one variable on another where the network is not known for certain: a distribution.

Networks of one equivalence class fit any data alike, and yet an edge that some of them turn has an effect in
one direction or in the other.  So the answer is one effect for each network, with its weight [maathuis2009].
Only the families of y and of its ancestors matter once the edges into x are cut; networks that agree on them
share an effect, which is worked out once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.networks.interventions import Effect, check_two, leads_to
from bayesloom.networks.joint import interventions_of
from bayesloom.networks.network import Network

__all__ = ["AveragedEffect", "Spread", "averaged_effect", "class_effect", "parent_sets_in_class"]


@dataclass(frozen=True, eq=False)
class Spread:
    """A number that is known up to a distribution: values with weights that sum to one, ascending.

    Examples
    --------
    >>> spread = Spread(np.array([0.0, 1.0, 4.0]), np.array([0.5, 0.25, 0.25]))
    >>> spread.mean, spread.quantile(0.5), spread.interval(0.5)
    (1.25, 0.0, (0.0, 1.0))
    """

    values: NDArray[np.float64]
    weights: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The mean."""
        return float(self.values @ self.weights)

    @property
    def sd(self) -> float:
        """The standard deviation: how far networks disagree."""
        return math.sqrt(max(0.0, float(self.weights @ (self.values - self.mean) ** 2)))

    def quantile(self, share: float) -> float:
        """Return the smallest value below or at which at least this share of the weight is."""
        if not 0 <= share <= 1:
            raise InputError(f"a quantile is from 0 to 1, got {share!r}.")
        at = int(np.searchsorted(np.cumsum(self.weights), share * (1 - 1e-12)))
        return float(self.values[min(at, len(self.values) - 1)])

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the quantiles that leave half of what is beyond the level on either side."""
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def __repr__(self) -> str:
        low, high = self.interval()
        return f"<Spread: mean {self.mean:.4g}, 95 % from {low:.4g} to {high:.4g}>"


@dataclass(frozen=True, eq=False)
class AveragedEffect:
    """The effect of x on y in each of several networks.

    Attributes
    ----------
    x, y
        The variable that is set, and the one whose distribution is given.
    effects
        The different effects; each is what `FittedNetwork.effect` gives.
    weights
        The weight of each, in sum 1.
    no_effect
        The weight of the networks in which no path leads from x to y.
    networks
        How many networks were looked at.
    drawn
        Whether these were drawn by their weight, and not all that there are.
    """

    x: str
    y: str
    effects: tuple[Any, ...]
    weights: NDArray[np.float64]
    no_effect: float
    networks: int
    drawn: bool = False

    def spread(self, value: Callable[[Any], float]) -> Spread:
        """Return how a number that is worked out from an effect is distributed."""
        values = np.array([float(value(effect)) for effect in self.effects])
        order = np.argsort(values, kind="stable")
        return Spread(values[order], self.weights[order])

    def difference(self, y_state: str, x_state: str, instead_of: str) -> Spread:
        """Return how much more probable a state of y is if x is set to one state and not to another."""
        return self.spread(lambda effect: effect.difference(y_state, x_state, instead_of))

    @property
    def mean(self) -> Effect:
        """The average of P(y | do(x)) over the networks, for discrete variables."""
        first = self.effects[0]
        if not isinstance(first, Effect):
            raise InputError("the mean of continuous effects is spread(...).mean.")
        table = np.tensordot(self.weights, np.array([effect.table for effect in self.effects]), axes=1)
        return Effect(self.x, self.y, first.x_states, first.y_states, table)

    def __repr__(self) -> str:
        return (
            f"<AveragedEffect of {self.x!r} on {self.y!r}: {len(self.effects):,} different in"
            f" {self.networks:,} networks, none in {self.no_effect:.3g} of the weight>"
        )


def averaged_effect(
    networks: Iterable[tuple[Network, float]],
    table: object,
    x: str,
    y: str,
    *,
    method: str = "dirichlet",
    ess: float = 1.0,
    drawn: bool = False,
) -> AveragedEffect:
    """Return the effect of x on y in each of some networks with weights, fitted to a table."""
    from bayesloom.table.read import as_table

    given = as_table(table)
    effects: dict[Any, Any] = {}
    weights: dict[Any, float] = {}
    none, total, count = 0.0, 0.0, 0
    for network, weight in networks:
        i, j = check_two(network, x, y)
        count += 1
        total += weight
        if not leads_to(network, i, j):
            none += weight
        key = relevant(network, i, j)
        if key not in effects:
            effects[key] = _part(network, key, i).fit(given, method=method, ess=ess).effect(x, y)  # type: ignore[arg-type]
        weights[key] = weights.get(key, 0.0) + weight
    if not effects or not total > 0:
        raise InputError("effect: there is no network to look at.")
    shares = np.array(list(weights.values())) / total
    return AveragedEffect(x, y, tuple(effects.values()), shares, none / total, count, drawn)


def relevant(network: Network, i: int, j: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the families of j and of its ancestors, once the edges into i are cut; not that of i."""
    found: dict[int, tuple[int, ...]] = {}
    waiting = [j]
    while waiting:
        v = waiting.pop()
        if v != i and v not in found:
            found[v] = network.parent_indices[v]
            waiting += found[v]
    return tuple(sorted(found.items()))


def _part(network: Network, families: Sequence[tuple[int, tuple[int, ...]]], i: int) -> Network:
    """The network of some families, with i as a root."""
    parents = {network.names[v]: [network.names[p] for p in up] for v, up in families}
    kept = {i, *(v for v, _ in families)}
    return Network([name for v, name in enumerate(network.names) if v in kept], parents)


def parent_sets_in_class(
    network: Network, x: str, interventions: Iterable[Iterable[str]] = ()
) -> Iterator[tuple[Network, tuple[str, ...]]]:
    """Yield each parent set that x has in some equivalent network, with one such network.

    Reversible edges may point into x from any set of neighbours that are adjacent to each other and to the
    compelled parents: else there would be a new v-structure [maathuis2009].
    """
    i = network.index(x)
    picture = network.cpdag_under(None, interventions=interventions)
    directed, undirected = (
        [(network.index(a), network.index(b)) for a, b in edges]
        for edges in (picture.compelled, picture.reversible)
    )
    up = [a for a, b in directed if b == i]
    near = sorted({a + b - i for a, b in undirected if i in (a, b)})
    joined = {frozenset(pair) for pair in (*directed, *undirected)}

    def fits(chosen: Sequence[int]) -> bool:
        return all(frozenset((a, b)) in joined for a in chosen[-1:] for b in (*chosen[:-1], *up))

    def grown(chosen: tuple[int, ...], first: int) -> Iterator[tuple[int, ...]]:
        yield chosen
        for k in range(first, len(near)):
            if fits((*chosen, near[k])):
                yield from grown((*chosen, near[k]), k + 1)

    rest = [pair for pair in undirected if i not in pair]
    for chosen in grown((), 0):
        turned = [(u, i) if u in chosen else (i, u) for u in near]
        member = _core.MixedGraph(len(network.names), [*directed, *turned], rest).extension()
        if member is not None:
            made = Network(network.names, member.parents)
            yield made, made.parents[x]


def class_effect(
    network: Network, table: object, x: str, y: str, *, method: str = "dirichlet", ess: float = 1.0
) -> AveragedEffect:
    """Return the effect of x on y in the networks equivalent to one; see `Network.effects`."""
    check_two(network, x, y)
    from bayesloom.table.read import as_table

    given = as_table(table)
    own = interventions_of(given)
    targets = () if own is None else own.targets
    members = ((member, 1.0) for member, _ in parent_sets_in_class(network, x, targets))
    return averaged_effect(members, given, x, y, method=method, ess=ess)
