"""An independent check of a network, its score and its bound.

Everything is recomputed from scratch by code that shares nothing with what it checks: its own
counting, its own local scores from their textbook definitions, its own test for cycles and its own
look-ups in the score cache (``src/core/check``).  It is slow, and meant to be believed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.cache import ScoreCache
from bayesloom.errors import InputError, unknown

_UNIT = 2.0**-30  # of the whole numbers that a score cache stores


class _Network(Protocol):
    """What is needed of a network."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def parents(self) -> Mapping[str, Sequence[str]]: ...


class _Table(Protocol):
    """What is needed of a table: states as small whole numbers, one array per variable."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def cardinalities(self) -> Sequence[int]: ...
    @property
    def codes(self) -> Sequence[npt.NDArray[Any]]: ...


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What :func:`verify` found.

    Attributes
    ----------
    score
        The score of the network, recomputed; ``None`` if it cannot be, because a parent set is not
        in the cache.
    local_scores
        The local score of each variable; ``None`` for a parent set that is not in the cache.
    best_score
        The best score of all networks over the cache, if it was asked for.
    problems
        What is wrong, one sentence each.
    """

    score: float | None
    local_scores: dict[str, float | None]
    best_score: float | None = None
    problems: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def local_scores(
    columns: Sequence[npt.NDArray[Any]],
    cardinalities: Sequence[int],
    parents: Sequence[Sequence[int]],
    score: str = "bic",
    options: Mapping[str, float] | None = None,
) -> list[float]:
    """Return the local score of every column with the given parents, from its definition.

    Parameters
    ----------
    columns
        One array of states 0, 1, ... per variable, ``uint8`` or ``uint16``.
    cardinalities
        The number of states of each variable.
    parents
        For each variable the positions of its parents; columns beyond them are counted, not scored.
    score
        ``"bic"``, ``"ebic"``, ``"aic"``, ``"bdeu"``, ``"bds"``, ``"k2"``, ``"fnml"`` or ``"qnml"``.
    options
        ``{"ess": a}`` for ``bdeu`` and ``bds``, ``{"gamma": g}`` for ``ebic``; the default is 1.

    Examples
    --------
    >>> x = np.array([0, 0, 1, 1], dtype=np.uint8)
    >>> [round(s, 6) for s in local_scores([x, x], [2, 2], [[], [0]], "k2")]
    [-3.401197, -2.197225]
    """
    if score not in _core.check_score_names():
        raise unknown("score", score, _core.check_score_names())
    options = dict(options or {})
    allowed = {"bdeu": {"ess"}, "bds": {"ess"}, "ebic": {"gamma"}}
    if extra := set(options) - allowed.get(score, set()):
        raise InputError(f"score {score!r} has no option {min(extra)!r}.")
    arrays = [np.ascontiguousarray(column) for column in columns]
    for array in arrays:
        if array.ndim != 1 or array.dtype not in (np.uint8, np.uint16):
            raise InputError(f"a column must be a flat array of uint8 or uint16, got {array.dtype}.")
    values = {name: float(value) for name, value in options.items()}
    chosen = [list(map(int, variables)) for variables in parents]
    return _core.check_local_scores(
        arrays, list(map(int, cardinalities)), list(range(len(chosen))), chosen, score, **values
    )


def verify(
    network: _Network,
    *,
    table: _Table | None = None,
    cache: ScoreCache | None = None,
    score: str | None = None,
    options: Mapping[str, float] | None = None,
    claimed_score: float | None = None,
    bound: float | None = None,
    exhaustive: bool = False,
    tolerance: float | None = None,
    constraints: object = None,
) -> Verification:
    """Check a network against a table, a score cache, or both.

    Checked are: that the network is acyclic; that each parent set is a candidate of the cache; that
    cache and table agree on each local score; that the total is the claimed score; that the bound is
    not below it.

    Parameters
    ----------
    network
        Anything with ``names`` and ``parents`` (a dictionary of names).
    table
        Anything with ``names``, ``cardinalities`` and ``codes`` that has the network's variables.
    cache
        A score cache over the same variables as the network.
    score, options
        The score to recompute from the table; by default that of the cache's info, else ``"bic"``.
    claimed_score, bound
        What a solver said.
    exhaustive
        Also find the best score of all networks over the cache (at most 16 variables), and hold the
        bound against it.
    tolerance
        How far two scores may differ and still be called equal, in nats.  By default 1e-9 of the
        score and half a unit of the cache per variable; a text file with few decimals needs more.
    constraints
        `Constraints`, a dictionary of them, or a file that the network must keep.

    Examples
    --------
    >>> cache = ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-3, []), (-2, ["a"])]})
    >>> from types import SimpleNamespace
    >>> network = SimpleNamespace(names=("a", "b"), parents={"a": (), "b": ("a",)})
    >>> verify(network, cache=cache, claimed_score=-3, bound=-3).ok
    True
    >>> verify(network, cache=cache, bound=-4).problems
    ('the bound -4.0 is below the score -3.0.',)
    """
    if table is None and cache is None:
        raise InputError("there is nothing to check the network against. Give table= or cache=.")
    if exhaustive and cache is None:
        raise InputError("the check of all networks needs cache=.")
    names, parents = _named_parents(network)
    problems = _structure_problems(names, parents)
    if constraints is not None and not problems:
        problems += _broken(names, parents, constraints)

    from_cache: dict[str, float | None] = {}
    from_table: dict[str, float] = {}
    best: float | None = None
    if cache is not None:
        from_cache = _scores_from_cache(names, parents, cache, problems)
        if exhaustive:
            arrays = (cache.first, cache.scores, cache.parent_first, cache.parents)
            best = _core.check_best_score(*arrays) * _UNIT
        if score is None and options is None:
            info = cache.info
            score, options = info.get("score"), info.get("options")
    if table is not None:
        from_table = _scores_from_table(names, parents, table, score or "bic", options)

    def equal(a: float, b: float, variables: int) -> bool:
        allowed = 1e-9 * max(1.0, abs(a)) + variables * _UNIT / 2 if tolerance is None else tolerance
        return abs(a - b) <= allowed

    for name, value in from_cache.items():
        if name in from_table and value is not None and not equal(value, from_table[name], 1):
            problems.append(
                f"variable {name!r}: the cache has local score {value!r}, "
                f"the table gives {from_table[name]!r}."
            )
    found: dict[str, float | None] = {**from_table} if table is not None else from_cache
    values = [value for value in found.values() if value is not None]
    total = math.fsum(values) if len(values) == len(found) else None
    if total is not None:
        if claimed_score is not None and not equal(total, claimed_score, len(names)):
            problems.append(f"the claimed score is {float(claimed_score)!r}, recomputed it is {total!r}.")
        if bound is not None and bound < total and not equal(total, bound, len(names)):
            problems.append(f"the bound {float(bound)!r} is below the score {total!r}.")
    if best is not None and bound is not None and bound < best and not equal(best, bound, len(names)):
        problems.append(f"the bound {float(bound)!r} is below the best score {best!r}.")
    return Verification(score=total, local_scores=found, best_score=best, problems=tuple(problems))


def _named_parents(network: _Network) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Return the names and parents of a network, refusing parents that are not among the names."""
    names = list(network.names)
    given = network.parents  # asked once: a network makes the dictionary anew each time
    parents = {name: tuple(given.get(name, ())) for name in names}
    for child in given:
        if child not in parents:
            raise InputError(f"the network has parents for {child!r}, which is not among its names.")
    for name, chosen in parents.items():
        for parent in chosen:
            if parent not in parents:
                raise InputError(f"{parent!r}, a parent of {name!r}, is not a variable of the network.")
    return names, parents


def _structure_problems(names: list[str], parents: Mapping[str, tuple[str, ...]]) -> list[str]:
    problems = [
        f"variable {name!r}: a parent is named twice."
        for name, chosen in parents.items()
        if len(set(chosen)) < len(chosen)
    ]
    index = {name: i for i, name in enumerate(names)}
    if cycle := _core.check_cycle([[index[parent] for parent in parents[name]] for name in names]):
        path = " -> ".join(names[v] for v in [*cycle, cycle[0]])
        problems.append(f"the network has a cycle: {path}.")
    return problems


def _broken(names: list[str], parents: Mapping[str, tuple[str, ...]], constraints: object) -> list[str]:
    from bayesloom.constraints import Constraints

    rules = Constraints.given(constraints)  # type: ignore[arg-type]
    rules.check(names)
    return [f"the constraints are broken: {phrase}." for phrase in rules.broken_by(parents)]


def _scores_from_cache(
    names: list[str], parents: Mapping[str, tuple[str, ...]], cache: ScoreCache, problems: list[str]
) -> dict[str, float | None]:
    """Return local scores from the cache; a parent set that is not there is a problem."""
    index = {name: i for i, name in enumerate(cache.names)}
    if missing := [name for name in names if name not in index]:
        raise InputError(f"variable {missing[0]!r} of the network is not in the score cache.")
    if missing := [name for name in index if name not in parents]:
        raise InputError(f"variable {missing[0]!r} of the score cache is not in the network.")
    chosen = [sorted({index[parent] for parent in parents[name]}) for name in cache.names]
    found = _core.check_candidates(cache.first, cache.scores, cache.parent_first, cache.parents, chosen)
    scores: dict[str, float | None] = {}
    for name in names:
        units = found[index[name]]
        scores[name] = None if units is None else units * _UNIT
        if units is None:
            shown = ", ".join(map(repr, parents[name])) or "no parents"
            problems.append(f"variable {name!r}: {shown} is not among its candidates in the cache.")
    return scores


def _scores_from_table(
    names: list[str],
    parents: Mapping[str, tuple[str, ...]],
    table: _Table,
    score: str,
    options: Mapping[str, float] | None,
) -> dict[str, float]:
    """Return local scores from the table's columns, matched by name."""
    index = {name: i for i, name in enumerate(table.names)}
    if missing := [name for name in names if name not in index]:
        raise InputError(f"variable {missing[0]!r} of the network is not a column of the table.")
    position = {name: i for i, name in enumerate(names)}
    # The network's columns first; the others do not take part, but a score may ask how many there are.
    order = [*(index[name] for name in names), *(i for name, i in index.items() if name not in position)]
    columns = [table.codes[i] for i in order]
    cardinalities = [int(table.cardinalities[i]) for i in order]
    chosen = [sorted({position[parent] for parent in parents[name]}) for name in names]
    return dict(zip(names, local_scores(columns, cardinalities, chosen, score, options), strict=True))
