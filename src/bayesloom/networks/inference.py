"""What a fitted network says about some variables, given what is known of others.

Exact, by variable elimination:

    P(T | e)  =  sum over all other variables of  prod_i P(x_i | parents),  divided by P(e)

Only ancestors of T and e matter.  Of the rest, the variable whose elimination makes the smallest table goes
first [zhang1994].  The work grows with that table; one that does not fit into memory is refused before it is
made.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import default_memory
from bayesloom.networks.intervals import state_of
from bayesloom.table.columns import listed

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork

__all__ = ["log_probability", "query"]

MOST_AXES = 32  # of an array, in every version of NumPy
TINY = 1e-100  # where a table is scaled up, far above the smallest number there is


@dataclass
class _Factor:
    """A table over some variables, in ascending order, times e^log."""

    scope: tuple[int, ...]
    values: NDArray[np.float64]
    log: float = 0.0


def query(
    fitted: FittedNetwork, target: str | Sequence[str], evidence: Mapping[str, object] | None = None
) -> dict[str, float] | dict[tuple[str, ...], float]:
    """Return the distribution of one or several variables given what is known of others.

    See `FittedNetwork.query`.
    """
    several = not isinstance(target, str)
    targets = [target] if isinstance(target, str) else list(target)
    chosen = [fitted.network.index(name) for name in targets]
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(f"query: expected one or more different variables, got {targets!r}.")
    known = _known(fitted, evidence or {})
    if both := [name for name, v in zip(targets, chosen, strict=True) if v in known]:
        raise InputError(f"query: {both[0]!r} is asked for and given as evidence.")
    factor = _eliminated(fitted, chosen, known)
    total = float(factor.values.sum())
    if not total > 0:
        raise _impossible(evidence or {})
    order = [factor.scope.index(v) for v in chosen]
    values = (factor.values / total).transpose(order)
    if not several:
        return dict(zip(fitted.states[chosen[0]], values.tolist(), strict=True))
    return {
        tuple(fitted.states[v][k] for v, k in zip(chosen, cell, strict=True)): float(values[cell])
        for cell in np.ndindex(*values.shape)
    }


def log_probability(fitted: FittedNetwork, evidence: Mapping[str, object]) -> float:
    """Return the natural logarithm of the probability of some values; ``-inf`` if they are impossible."""
    factor = _eliminated(fitted, [], _known(fitted, evidence))
    value = float(factor.values)
    return factor.log + math.log(value) if value > 0 else -math.inf


def _known(fitted: FittedNetwork, evidence: Mapping[str, object]) -> dict[int, int]:
    known = {}
    for name, value in evidence.items():
        v = fitted.network.index(name)
        known[v] = state_of(name, fitted.states[v], value)
    return known


def _eliminated(fitted: FittedNetwork, targets: Sequence[int], known: Mapping[int, int]) -> _Factor:
    """Return the product of all tables with everything but the targets summed out."""
    factors = [_reduced(fitted, v, known) for v in _ancestors(fitted, [*targets, *known])]
    left = {v for factor in factors for v in factor.scope} - set(targets)
    while left:
        sizes = {v: _size(fitted, _joined(f.scope for f in factors if v in f.scope)) for v in left}
        v = min(left, key=lambda v: (sizes[v], v))
        touching = [f for f in factors if v in f.scope]
        factors = [f for f in factors if v not in f.scope]
        factors.append(_without(_product(fitted, touching), v))
        left.remove(v)
    return _product(fitted, factors)


def _ancestors(fitted: FittedNetwork, variables: Iterable[int]) -> list[int]:
    found: set[int] = set()
    open_ones = list(variables)
    while open_ones:
        v = open_ones.pop()
        if v not in found:
            found.add(v)
            open_ones += fitted.network.parent_indices[v]
    return sorted(found)


def _reduced(fitted: FittedNetwork, v: int, known: Mapping[int, int]) -> _Factor:
    axes = (*fitted.network.parent_indices[v], v)
    values = fitted.tables[v][tuple(known.get(axis, slice(None)) for axis in axes)]
    free = [axis for axis in axes if axis not in known]
    order = sorted(range(len(free)), key=free.__getitem__)
    return _Factor(tuple(free[k] for k in order), np.asarray(values).transpose(order))


def _joined(scopes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(sorted({v for scope in scopes for v in scope}))


def _size(fitted: FittedNetwork, scope: tuple[int, ...]) -> int:
    return math.prod(len(fitted.states[v]) for v in scope)


def _product(fitted: FittedNetwork, factors: Sequence[_Factor]) -> _Factor:
    scope = _joined(f.scope for f in factors)
    needed = 16 * _size(fitted, scope)  # the product, and one more while it is made
    if len(scope) > MOST_AXES or needed > default_memory():
        raise ResourceError(
            f"query: this network needs a table over {len(scope)} variables at once"
            f" ({needed / 1e9:.3g} GB): too densely connected for an exact answer. Give more evidence, or use"
            " to_pyagrum() and an approximate method."
        )
    values: NDArray[np.float64] = np.ones(())
    log = sum(factor.log for factor in factors)
    for factor in factors:
        shape = [len(fitted.states[v]) if v in factor.scope else 1 for v in scope]
        values = values * factor.values.reshape(shape)
        top = float(values.max())
        if 0 < top < TINY:  # much evidence makes tiny products
            values, log = values / top, log + math.log(top)
    return _Factor(scope, values, log)


def _without(factor: _Factor, v: int) -> _Factor:
    """Sum one variable out."""
    axis = factor.scope.index(v)
    scope = factor.scope[:axis] + factor.scope[axis + 1 :]
    return _Factor(scope, factor.values.sum(axis=axis), factor.log)


def _impossible(evidence: Mapping[str, object]) -> InputError:
    shown = listed([f"{name} = {value}" for name, value in evidence.items()], 5)
    return InputError(
        f"query: the network holds {shown} impossible, so nothing follows from it. A network fitted with"
        " method='dirichlet' knows no zeros."
    )
