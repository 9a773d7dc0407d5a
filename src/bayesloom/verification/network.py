"""Check a network against a table, a score cache, or both: structure, local scores, score and bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError, shown, unknown
from bayesloom.scoring.cache import ScoreCache
from bayesloom.verification.checks import UNIT, Checklist, Verification, checked_tolerance, score_error

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "AnyTable",
    "family_scores",
    "local_scores",
    "no_candidates",
    "orders_of",
    "rows_of",
    "structure_problems",
    "units_from_cache",
    "verify",
]

SHOWN = 20  # variables of a cycle that are named

Families = Sequence[tuple[str, Sequence[str]]]


class _Network(Protocol):
    """What is needed of a network."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def parents(self) -> Mapping[str, Sequence[str]]: ...


class AnyTable(Protocol):
    """What is needed of a table: states as small whole numbers, one array per variable."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def cardinalities(self) -> Sequence[int]: ...
    @property
    def codes(self) -> Sequence[npt.NDArray[Any]]: ...


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
        One array of states 0, 1, ... per variable, ``uint8`` or ``uint16``, or of numbers, ``float64``.
    cardinalities
        The number of states of each variable.
    parents
        For each variable the positions of its parents; columns beyond them are counted, not scored.
    score
        ``"bic"``, ``"ebic"``, ``"aic"``, ``"bdeu"``, ``"bds"``, ``"k2"``, ``"fnml"`` or ``"qnml"``; of
        numbers ``"bic-g"`` or ``"bge"``, of both ``"bic-cg"``, ``"dg"`` or ``"pnal"``.
    options
        ``{"ess": a}`` for ``bdeu`` and ``bds``, ``{"gamma": g}`` for ``ebic``, ``{"alpha_mu": m}`` for
        ``bge``, ``{"penalty": l}`` for ``bic``, ``bic-g`` and ``bic-cg``; the default is 1.  ``{"degrees":
        a}`` for ``bge``; the default is 2.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0, 0, 1, 1], dtype=np.uint8)
    >>> [round(s, 6) for s in local_scores([x, x], [2, 2], [[], [0]], "k2")]
    [-3.401197, -2.197225]
    """
    return _scores(columns, cardinalities, list(range(len(parents))), parents, score, options, None)


def family_scores(
    table: AnyTable,
    families: Families,
    score: str = "bic",
    options: Mapping[str, float] | None = None,
) -> list[float]:
    """Return the local score of each pair of a child and its parents, from its definition.

    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> x = np.array([0, 0, 1, 1], dtype=np.uint8)
    >>> table = SimpleNamespace(names=("a", "b"), cardinalities=(2, 2), codes=(x, x))
    >>> [round(s, 4) for s in family_scores(table, [("a", []), ("a", ["b"])])]
    [-3.4657, -1.3863]
    """
    index = {name: i for i, name in enumerate(table.names)}
    variables = [index[child] for child, _ in families]
    parents = [sorted({index[parent] for parent in chosen}) for _, chosen in families]
    weights = weights_of(table)
    gaps = bool(getattr(table, "gaps", False))
    found = [0.0] * len(variables)
    targets = targets_of(table)
    rows_of_child = {child: _rows_for(targets, child) for child in dict.fromkeys(c for c, _ in families)}
    keys = {child: b"" if rows is None else rows.tobytes() for child, rows in rows_of_child.items()}
    rows_of_group = {keys[child]: rows for child, rows in rows_of_child.items()}
    groups: dict[bytes, list[int]] = {}
    for k, (child, _) in enumerate(families):
        groups.setdefault(keys[child], []).append(k)
    for key, group in groups.items():
        rows = rows_of_group[key]
        own = table.codes if rows is None else [column[rows] for column in table.codes]
        often = weights if weights is None or rows is None else weights[rows]
        chosen = [variables[k] for k in group], [parents[k] for k in group]
        scores = _scores(own, table.cardinalities, *chosen, score, options, often, gaps=gaps)
        for k, value in zip(group, scores, strict=True):
            found[k] = value
    return found


def targets_of(table: AnyTable) -> list[set[str]] | None:
    """Return for each row of a table which variables were set in it; None if it says nothing of that."""
    given = getattr(table, "interventions", None)
    if given is None:
        return None
    return [set(given.targets[row]) if row >= 0 else set() for row in given.rows.tolist()]


def _rows_for(targets: list[set[str]] | None, child: str) -> npt.NDArray[np.bool_] | None:
    """Return which rows count for a child: those in which it was not set; None if all do."""
    import numpy as np

    if targets is None:
        return None
    rows = np.array([child not in one for one in targets])
    if not rows.any():
        raise InputError(f"{child!r} was set in every row of the table: no row tells what it depends on.")
    return None if rows.all() else rows


def _scores(
    columns: Sequence[npt.NDArray[Any]],
    cardinalities: Sequence[int],
    variables: Sequence[int],
    parents: Sequence[Sequence[int]],
    score: str,
    options: Mapping[str, float] | None,
    weights: npt.NDArray[np.uint32] | None,
    *,
    gaps: bool = False,
) -> list[float]:
    import numpy as np

    if score not in _core.check_score_names():
        raise unknown("score", score, _core.check_score_names())
    options = dict(options or {})
    allowed = {
        "bdeu": {"ess"},
        "bds": {"ess"},
        "ebic": {"gamma"},
        "bic": {"penalty"},
        "bic-g": {"penalty"},
        "bge": {"alpha_mu", "degrees"},
        "bic-cg": {"least", "penalty"},
        "pnal": {"least", "power"},
    }
    if extra := set(options) - allowed.get(score, set()):
        raise InputError(f"score {score!r} has no option {min(extra)!r}.")
    arrays = [np.ascontiguousarray(column) for column in columns]
    for array in arrays:
        if array.ndim != 1 or array.dtype not in (np.uint8, np.uint16, np.float64):
            raise InputError(f"a column must be a flat array of uint8, uint16 or float64, got {array.dtype}.")
    values = {name: float(value) for name, value in options.items()}
    chosen = [list(map(int, given)) for given in parents]
    return _core.check_local_scores(
        arrays,
        list(map(int, cardinalities)),
        list(variables),
        chosen,
        score,
        weights=weights,
        gaps=gaps,
        **values,
    )


def given_table(table: object, score: object, reading: object = None) -> Any:
    """Return a table as it is; all else is read as a result says, of its score and how its table was read."""
    from bayesloom.scoring.registry import table_again

    if all(hasattr(table, name) for name in ("names", "codes")):
        return table
    return table_again(table, score, reading)


def score_by_kinds(table: AnyTable) -> str:
    """Return the score that a network is told in where nobody names one.

    >>> from types import SimpleNamespace
    >>> score_by_kinds(SimpleNamespace(cardinalities=(2, 0)))
    'bic-cg'
    """
    if getattr(table, "gaps", False):
        return "pnal"
    if all(table.cardinalities):
        return "bic"
    return "bic-cg" if any(table.cardinalities) else "bic-g"


def weights_of(table: AnyTable) -> npt.NDArray[np.uint32] | None:
    """Return how often each row of a table counts, if it says so; by default each counts once."""
    import numpy as np

    weights = getattr(table, "weights", None)
    return None if weights is None else np.ascontiguousarray(weights, dtype=np.uint32)


def rows_of(table: AnyTable) -> int:
    """Return how many rows of a table count: the sum of the weights, or the number of rows.

    >>> from types import SimpleNamespace
    >>> rows_of(SimpleNamespace(codes=([0, 1],), weights=[2, 5]))
    7
    """
    weights = weights_of(table)
    return len(table.codes[0]) if weights is None else sum(weights.tolist())


def verify(
    network: _Network,
    *,
    table: AnyTable | object = None,
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
        Anything with ``names``, ``cardinalities`` and ``codes`` that has the network's variables, or that
        `read_table` takes.
    cache
        A score cache over the same variables as the network.
    score, options
        The score to recompute from the table; by default that of the cache's info, else by the kinds of
        columns: ``"bic"`` of states, ``"bic-g"`` of numbers, ``"bic-cg"`` of both, ``"pnal"`` with gaps.
    claimed_score, bound
        What a solver said; a bound may be infinite.
    exhaustive
        Also find the best score of all networks over the cache (at most 16 variables), or else of all
        networks of the table (at most 10), and hold the bound against it.
    tolerance
        How far two scores may differ and still be called equal, in nats, at most 1.  By default what
        rounding can explain: of a cache half a unit of 2^-30 for each variable, of a table some 1e-8 for
        each of them.  A text file with few decimals needs more.
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
    if cache is not None:
        cache.check_whole("show that the score of a network is right")
    given: AnyTable | None = None
    if table is not None:
        of_cache = cache.info.get("score") if cache is not None and options is None else None
        given = given_table(table, score or of_cache, None if cache is None else cache.info.get("reading"))
    tolerance = checked_tolerance(tolerance)
    claimed_score = _number("claimed_score", claimed_score)
    bound = _number("bound", bound)
    names, parents = _named_parents(network)
    checks = Checklist()
    problems = structure_problems(names, parents, ordered=False)
    fine = checks.all_of("network", problems, f"{len(names):,} variables, no cycle")
    if constraints is not None and fine:
        checks.all_of("constraints", _broken(names, parents, constraints), "all are kept")

    from_cache: dict[str, float | None] = {}
    from_table: dict[str, float] = {}
    best: float | None = None
    if cache is not None:
        units = units_from_cache(names, parents, cache)
        from_cache = {name: None if value is None else value * UNIT for name, value in units.items()}
        checks.all_of("candidates", no_candidates(units, parents), "each parent set is in the cache")
        if score is None and options is None:
            info = cache.info
            score, options = info.get("score"), info.get("options")
    by = repr(score)
    if score is None and given is not None:
        score = score_by_kinds(given)
        by = f"{score!r}, which is assumed: the cache names no score"
    if given is not None:
        index = set(given.names)
        if missing := [name for name in names if name not in index]:
            raise InputError(f"variable {missing[0]!r} of the network is not a column of the table.")
        chosen = [(name, parents[name]) for name in names]
        from_table = dict(zip(names, family_scores(given, chosen, str(score), options), strict=True))
    each = UNIT / 2 if given is None else score_error(max(1, rows_of(given)), str(score), given, parents)

    def equal(a: float, b: float, variables: int) -> bool:
        usual = variables * each + 1e-15 * abs(a)
        return abs(a - b) <= (usual if tolerance is None else tolerance)

    if cache is not None and given is not None:
        checks.all_of(
            "local scores",
            [
                f"variable {name!r}: the cache has local score {value!r}, "
                f"the table gives {from_table[name]!r} by {by}."
                for name, value in from_cache.items()
                if value is not None and not equal(value, from_table[name], 1)
            ],
            f"cache and table agree, by {by}",
        )
    found: dict[str, float | None] = {**from_table} if given is not None else from_cache
    total = checks.result(found).score
    if total is not None and claimed_score is not None:
        claim = f"the claimed score is {float(claimed_score)!r}, recomputed it is {total!r}."
        same = equal(total, claimed_score, len(names))
        checks.all_of("score", [] if same else [claim], f"{total!r} recomputed")
    if total is not None and bound is not None:
        below = bound < total and not equal(total, bound, len(names))
        problem = f"the bound {float(bound)!r} is below the score {total!r}."
        checks.all_of("bound", [problem] if below else [], "not below the score")
    if exhaustive:
        from bayesloom.verification.every_network import best_of, lists_of_cache, lists_of_table

        rules = Constraints.given(constraints)  # type: ignore[arg-type]
        if cache is not None:
            best = best_of(lists_of_cache(cache, rules), orders_of(rules, cache.names)) * UNIT
        elif given is not None:
            lists = lists_of_table(given, str(score), options, rules)
            best = best_of(lists, orders_of(rules, given.names)) * UNIT
        if best is not None and total is not None and bound is None and claimed_score is None:
            if equal(best, total, len(names)):
                checks.ok("optimality", "no network scores higher")
            else:
                higher = f"another network scores {best - total:.6f} higher; this one makes no claim"
                checks.skip("optimality", higher)
        if best is not None and bound is not None:
            below = bound < best and not equal(best, bound, len(names))
            problem = f"the bound {float(bound)!r} is below the best score {best!r}."
            checks.all_of("best score", [problem] if below else [], f"{best!r}, not above the bound")
    if tolerance is not None:
        checks.ok("tolerance", f"scores that differ by {tolerance:g} nats or less were called equal")
    return checks.result(found, best)


def _named_parents(network: _Network) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Return the names and parents of a network, refusing parents that are not among the names."""
    names = list(network.names)
    if not names:
        raise InputError("the network has no variables: there is nothing to check.")
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


def structure_problems(
    names: Sequence[str], parents: Mapping[str, Sequence[str]], *, ordered: bool = True
) -> list[str]:
    """Return what keeps lists of parents from being those of a network, as they are written.

    `ordered` is whether parents must be listed in the order of the variables, as Bayesloom writes them.
    """
    position = {name: k for k, name in enumerate(names)}
    if missing := [name for name in names if name not in parents]:
        return [f"variable {missing[0]!r} has no list of parents."]
    if odd := [name for name in parents if name not in position]:
        return [f"there are parents of {odd[0]!r}, which is not a variable."]
    for child, given in parents.items():
        if odd := [name for name in given if name not in position]:
            return [f"{odd[0]!r}, a parent of {child!r}, is not a variable."]
        places = [position[name] for name in given]
        if len(set(places)) < len(places):
            return [f"variable {child!r}: a parent is named twice."]
        if ordered and places != sorted(places):
            return [f"the parents of {child!r} are not in the order of the variables."]
    cycle = _core.check_cycle([[position[parent] for parent in parents[name]] for name in names])
    if not cycle:
        return []
    path = [names[v] for v in cycle[:SHOWN]]
    path.append("..." if len(cycle) > SHOWN else names[cycle[0]])
    more = f" ({len(cycle):,} variables)" if len(cycle) > SHOWN else ""
    return [f"the network has a cycle: {' -> '.join(path)}{more}."]


def _number(what: str, value: float | None) -> float | None:
    """Return a number or None; refuse NaN, against which every comparison would pass."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or isinstance(value, (str, bytes, bool)):
        raise InputError(f"{what} must be a number, got {shown(value)}.")
    return number


def _broken(names: list[str], parents: Mapping[str, tuple[str, ...]], constraints: object) -> list[str]:
    rules = Constraints.given(constraints)  # type: ignore[arg-type]
    rules.check(names)
    return [f"the constraints are broken: {phrase}." for phrase in rules.broken_by(parents)]


def orders_of(rules: Constraints, names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of variables of which the first must come before the second, as positions."""
    index = {name: i for i, name in enumerate(names)}
    return [(index[a], index[b]) for a, b in rules.before]


def units_from_cache(
    names: Sequence[str], parents: Mapping[str, Sequence[str]], cache: ScoreCache
) -> dict[str, int | None]:
    """Return local scores from the cache in units of 2^-30 nat; None for a set that is not there."""
    index = {name: i for i, name in enumerate(cache.names)}
    if missing := [name for name in names if name not in index]:
        raise InputError(f"variable {missing[0]!r} of the network is not in the score cache.")
    if missing := [name for name in index if name not in parents]:
        raise InputError(f"variable {missing[0]!r} of the score cache is not in the network.")
    chosen = [sorted({index[parent] for parent in parents[name]}) for name in cache.names]
    found = _core.check_candidates(*cache.core.plain_views, chosen)  # type: ignore[arg-type]
    return {name: found[index[name]] for name in names}


def no_candidates(units: Mapping[str, int | None], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for each parent set that is not in the cache."""
    return [
        f"variable {name!r}: {', '.join(map(repr, parents[name])) or 'no parents'} "
        "is not among its candidates in the cache."
        for name, value in units.items()
        if value is None
    ]
