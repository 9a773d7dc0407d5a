"""What a fitted network says about some variables, given what is known of others.

Exact, by variable elimination, in the core (``src/core/inference``):

    P(T | e)  =  sum over all other variables of  prod_i P(x_i | parents),  divided by P(e)

Only ancestors of T and e matter.  Of the rest, the variable whose elimination makes the smallest table goes
first [zhang1994]; where tables are large, other orders are tried too.  The work grows with these tables;
those that do not fit into memory are refused before they are made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesloom import _core
from bayesloom.errors import InputError, Interrupted, ResourceError, option
from bayesloom.limits import check_count, default_memory, resolve_threads
from bayesloom.networks.intervals import is_unknown, state_of
from bayesloom.table.columns import listed
from bayesloom.table.state_names import MISSING

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork

__all__ = ["Explanation", "ask", "drawn", "known_states", "log_probability", "most_probable", "query"]

HIDDEN = -1
MOST_DRAWS = 2**40
BYTES_PER_CELL = 200  # of a dictionary of tuples, about

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Explanation:
    """The most probable states of some variables, together; made by ``most_probable`` of fitted networks.

    Attributes
    ----------
    states
        The state of each variable that was asked for; of a continuous one its number.
    probability
        Of these states together, given the evidence; a density if any is continuous.
    log_probability
        The natural logarithm of the probability of these states and the evidence together.
    """

    states: dict[str, Any]
    probability: float
    log_probability: float


def engine_of(fitted: FittedNetwork) -> _core.DiscreteNetwork:
    """Return a network as the core asks it."""
    tables = [np.empty(0), *(table.reshape(-1) for table in fitted.tables)]
    parents = [list(up) for up in fitted.network.parent_indices]
    return _core.DiscreteNetwork(list(fitted.cardinalities), parents, np.concatenate(tables))


def ask(
    fitted: FittedNetwork,
    rows: Codes,
    question: str,
    targets: Sequence[int] = (),
    *,
    draws: int = 1,
    seed: int = 0,
    threads: int | None = None,
) -> dict[str, Any]:
    """Answer one question for every row of codes, which are negative where nothing is known."""
    try:
        found: dict[str, Any] = fitted._engine.infer(
            np.ascontiguousarray(rows, dtype=np.int32).reshape(-1),
            question,
            list(targets),
            draws,
            seed,
            resolve_threads(threads),
            default_memory(),
        )
    except ResourceError as error:
        raise ResourceError(
            f"query: {error} Give more evidence, ask for fewer variables at once, or use to_pyagrum() and an"
            " approximate method."
        ) from None
    if found["interrupted"]:
        raise Interrupted("query: interrupted.")
    return found


def query(
    fitted: FittedNetwork,
    target: str | Sequence[str] | None,
    evidence: Mapping[str, object] | None = None,
    *,
    joint: bool = True,
) -> dict[Any, Any]:
    """Return the distribution of one or several variables given what is known of others.

    See `FittedNetwork.query`.
    """
    known = known_states(fitted, evidence or {})
    if target is None:
        names, joint = [name for v, name in enumerate(fitted.names) if v not in known], False
    else:
        names = [target] if isinstance(target, str) else list(target)
    chosen = _chosen(fitted, names, known, "query")
    row = _row(fitted, known)
    if joint:
        cells = math.prod(float(len(fitted.states[v])) for v in chosen)
        if (needed := BYTES_PER_CELL * cells) > default_memory():
            raise ResourceError(
                f"query: the answer takes {needed / 1e9:.3g} GB, more than there is. Ask for fewer variables"
                f" at once, or for each by itself with {option('joint', False)}."
            )
        found = ask(fitted, row, "joint", chosen)
        _check_possible(found, evidence)
        values = found["values"]
        if isinstance(target, str):
            return dict(zip(fitted.states[chosen[0]], values.tolist(), strict=True))
        shape = [len(fitted.states[v]) for v in chosen]
        return {
            tuple(fitted.states[v][k] for v, k in zip(chosen, cell, strict=True)): float(value)
            for cell, value in zip(np.ndindex(*shape), values, strict=True)
        }
    found = ask(fitted, row, "each", chosen)
    _check_possible(found, evidence)
    ends = np.cumsum([len(fitted.states[v]) for v in chosen])
    parts = np.split(found["values"], ends[:-1])
    each = {
        name: dict(zip(fitted.states[v], part.tolist(), strict=True))
        for name, v, part in zip(names, chosen, parts, strict=True)
    }
    return each[target] if isinstance(target, str) else each


def log_probability(fitted: FittedNetwork, evidence: Mapping[str, object]) -> float:
    """Return the natural logarithm of the probability of some values; ``-inf`` if they are impossible."""
    return float(ask(fitted, _row(fitted, known_states(fitted, evidence)), "evidence")["logs"][0])


def most_probable(
    fitted: FittedNetwork,
    evidence: Mapping[str, object] | None = None,
    targets: str | Sequence[str] | None = None,
) -> Explanation:
    """Return the states that are most probable together; see `FittedNetwork.most_probable`."""
    known = known_states(fitted, evidence or {})
    if targets is None:
        names = [name for v, name in enumerate(fitted.names) if v not in known]
        if not names:
            raise InputError(
                "most_probable: every variable is given as evidence, so none is left to explain."
            )
    else:
        names = [targets] if isinstance(targets, str) else list(targets)
    chosen = _chosen(fitted, names, known, "most_probable")
    row = _row(fitted, known)
    found = ask(fitted, row, "most_probable", chosen)
    _check_possible(found, evidence)
    log, total = float(found["logs"][0]), float(ask(fitted, row, "evidence")["logs"][0])
    states = {name: fitted.states[v][int(found["codes"][v])] for name, v in zip(names, chosen, strict=True)}
    return Explanation(states, min(1.0, math.exp(log - total)), log)


def drawn(fitted: FittedNetwork, n: int, seed: int, evidence: Mapping[str, object]) -> Codes:
    """Draw rows given evidence: an array of codes, a row for each."""
    check_count("the number of rows", n, least=1, most=MOST_DRAWS)
    check_count("seed", seed, least=0)
    known = known_states(fitted, evidence)
    found = ask(fitted, _row(fitted, known), "draw", draws=n, seed=seed)
    _check_possible(found, evidence)
    codes: Codes = found["codes"].reshape(n, len(fitted.names))
    return codes


def known_states(fitted: FittedNetwork, evidence: Mapping[str, object]) -> dict[int, int]:
    """Return which state of which variable is known; a missing value is not, but for a state of that name."""
    known = {}
    for name, value in evidence.items():
        v = fitted.network.index(name)
        if is_unknown(value):
            if MISSING in fitted.states[v]:
                known[v] = fitted.states[v].index(MISSING)
            continue
        known[v] = state_of(name, fitted.states[v], value)
    return known


def _chosen(fitted: FittedNetwork, names: Sequence[str], known: Mapping[int, int], verb: str) -> list[int]:
    chosen = [fitted.network.index(name) for name in names]
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError(f"{verb}: expected one or more different variables, got {list(names)!r}.")
    if both := [name for name, v in zip(names, chosen, strict=True) if v in known]:
        raise InputError(f"{verb}: {both[0]!r} is asked for and given as evidence.")
    return chosen


def _row(fitted: FittedNetwork, known: Mapping[int, int]) -> Codes:
    row = np.full(len(fitted.names), HIDDEN, dtype=np.int32)
    for v, k in known.items():
        row[v] = k
    return row


def _check_possible(found: Mapping[str, Any], evidence: Mapping[str, object] | None) -> None:
    if found["logs"][0] > -math.inf:
        return
    shown = listed([f"{name} = {value}" for name, value in (evidence or {}).items()], 5)
    raise InputError(
        f"query: the network holds {shown} impossible, so nothing follows from it. A network fitted with"
        " method='dirichlet' knows no zeros."
    )
