"""Variables set from outside: the network without the edges into them [pearl2009].

    P(all | do(x = s))  =  [x = s]  prod of P(v | parents) over all v but x

A query of that network says what would happen if x were set, not what is seen where x is so; the two differ
where x and the target have a common cause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError
from bayesloom.networks.inference import known_states, query
from bayesloom.networks.intervals import is_unknown
from bayesloom.networks.network import Network

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork

__all__ = ["Effect", "check_values", "do", "effect", "without_parents"]


def without_parents(network: Network, variables: set[int]) -> Network:
    """Return the network without the edges into some variables."""
    lists = [() if v in variables else up for v, up in enumerate(network.parent_indices)]
    return Network(network.names, lists)


def check_values(verb: str, interventions: Mapping[str, object]) -> None:
    """Refuse a variable that is to be set, and no value is told."""
    for name, value in interventions.items():
        if is_unknown(value):
            raise InputError(f"{verb}: {name!r} is to be set, and no value is given; got {value!r}.")


def do(fitted: FittedNetwork, interventions: Mapping[str, object]) -> FittedNetwork:
    """Return the network with some variables set from outside; see `FittedNetwork.do`."""
    from bayesloom.networks.fitted import FittedNetwork

    if not interventions:
        raise InputError("do: expected one or more variables to set, got none.")
    check_values("do", interventions)
    fixed = known_states(fitted, interventions)
    tables = [
        np.eye(len(fitted.states[v]))[fixed[v]] if v in fixed else table
        for v, table in enumerate(fitted.tables)
    ]
    left = without_parents(fitted.network, set(fixed))
    return FittedNetwork(left, fitted.states, tables, missing_values=fitted.missing_values)


@dataclass(frozen=True, eq=False)
class Effect:
    """What setting one variable does to another: P(y | do(x = s)) for every state s.

    Attributes
    ----------
    x, y
        The variable that is set, and the one whose distribution is given.
    x_states, y_states
        Their states.
    table
        A row for each state of x, a column for each state of y.

    Examples
    --------
    >>> shown = Effect("a", "b", ("0", "1"), ("no", "yes"), np.array([[0.9, 0.1], [0.4, 0.6]]))
    >>> shown["1"]
    {'no': 0.4, 'yes': 0.6}
    >>> round(shown.difference("yes", "1", "0"), 3)
    0.5
    """

    x: str
    y: str
    x_states: tuple[str, ...]
    y_states: tuple[str, ...]
    table: NDArray[np.float64]

    def __getitem__(self, state: str) -> dict[str, float]:
        """Return the distribution of y if x is set to a state."""
        row = self.table[_position(self.x, self.x_states, state)]
        return dict(zip(self.y_states, row.tolist(), strict=True))

    def difference(self, y_state: str, x_state: str, instead_of: str) -> float:
        """Return how much more probable a state of y is if x is set to one state and not to another."""
        column = self.table[:, _position(self.y, self.y_states, y_state)]
        high, low = (_position(self.x, self.x_states, state) for state in (x_state, instead_of))
        return float(column[high] - column[low])

    @property
    def range(self) -> float:
        """The most that x can change the probability of any state of y; 0 if it has no effect."""
        return float((self.table.max(axis=0) - self.table.min(axis=0)).max())

    def __repr__(self) -> str:
        return f"<Effect of {self.x!r} on {self.y!r}: up to {self.range:.3g}>"


def effect(fitted: FittedNetwork, x: str, y: str) -> Effect:
    """Return the distribution of y for every state that x can be set to; see `FittedNetwork.effect`."""
    i, j = check_two(fitted.network, x, y)
    if not leads_to(fitted.network, i, j):  # setting x changes nothing below
        same = list(query(fitted, y).values())
        table = np.array([same] * len(fitted.states[i]))
    else:
        # Without its parents, P(y | x = s) is P(y | do(x = s)); its own distribution does not matter.
        tables = list(fitted.tables)
        tables[i] = np.full(len(fitted.states[i]), 1 / len(fitted.states[i]))
        cut = type(fitted)(without_parents(fitted.network, {i}), fitted.states, tables)
        joint = np.array(list(query(cut, [x, y]).values())).reshape(len(fitted.states[i]), -1)
        table = joint / joint.sum(axis=1, keepdims=True)
    table.flags.writeable = False
    return Effect(x, y, fitted.states[i], fitted.states[j], table)


def check_two(network: Network, x: str, y: str) -> tuple[int, int]:
    """Return the indices of two variables, which must differ."""
    i, j = network.index(x), network.index(y)
    if i == j:
        raise InputError(f"expected two different variables, got {x!r} twice.")
    return i, j


def leads_to(network: Network, i: int, j: int) -> bool:
    """Return whether a directed path leads from one variable to another."""
    open_ones, seen = [j], {j}
    while open_ones:
        for p in network.parent_indices[open_ones.pop()]:
            if p == i:
                return True
            if p not in seen:
                seen.add(p)
                open_ones.append(p)
    return False


def _position(name: str, states: tuple[str, ...], state: object) -> int:
    from bayesloom.networks.intervals import state_of

    return state_of(name, states, state)
