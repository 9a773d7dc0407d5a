"""The scores: what there is, and local scores of any family or network.

Every score is larger-is-better, in natural logarithms, without a structure prior.  The table is
filled by the C++ core, one file per score under ``src/core/score``; nothing here lists their names.

>>> sorted(scores)
['aic', 'bdeu', 'bds', 'bge', 'bic', 'bic-cg', 'bic-g', 'dg', 'ebic', 'fnml', 'k2', 'pnal', 'qnml']
>>> scores["bdeu"].options[0].name
'ess'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InfeasibleError, InputError, option, unknown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bayesloom.table import Table

__all__ = [
    "ALIASES",
    "AUTO",
    "Score",
    "ScoreOption",
    "check_kinds",
    "check_rows",
    "local_scores",
    "network_scores",
    "resolve_score",
    "rules_under",
    "score_of",
    "scored_table",
    "scores",
    "table_again",
    "table_for",
]


@dataclass(frozen=True)
class ScoreOption:
    """One option of a score, with the range it may take."""

    name: str
    initial: float
    low: float
    high: float
    help: str


@dataclass(frozen=True)
class Score:
    """What is known of a score before any data is seen."""

    name: str
    title: str
    summary: str
    """One sentence for who has to choose."""
    formula: str
    reference: str
    set_function: bool
    """Whether s(i, P) = f(P + i) - f(P) for one function f of sets."""
    equivalent: bool
    """Whether all networks of an equivalence class score the same."""
    options: tuple[ScoreOption, ...]
    statistic: str = "cells"
    """What it reads of variables: ``"cells"``, ``"moments"``, ``"cell_moments"`` or ``"families"``."""
    kinds: str = "discrete"
    """Of which variables it is: ``"discrete"``, ``"continuous"`` or ``"any"``."""
    discrete_have_discrete_parents: bool = False
    """Whether a discrete variable may not have a continuous parent."""
    needs_rows: bool = False
    """Whether it has no upper bound where a variable has as many parents as there are rows."""
    reads_missing: bool = False
    """Whether values may be missing: each family then counts by the rows that are complete on it."""


def _read_table() -> dict[str, Score]:
    return {
        name: Score(name=name, **{**row, "options": tuple(ScoreOption(**o) for o in row["options"])})
        for name, row in _core.describe_scores().items()
    }


scores: Mapping[str, Score] = MappingProxyType(_read_table())
"""Every score by name."""

NO_SCORE = -(2**61)
"""Below every score in units of 2^-30 nat: there is none."""

AUTO = "auto"
"""Stands for the score that suits the columns of a table, see `scored_table`."""

ADDED_LATER = {"bic": ("penalty",), "bic-cg": ("penalty",)}
"""Options that results and caches made before do not have."""
ALIASES = {"mdl": "bic"}  # minimising MDL is maximising BIC: MDL = -BIC


def resolve_score(name: str, options: Mapping[str, float] | None = None) -> tuple[Score, dict[str, float]]:
    """Return the score called `name` and the full set of its options, checked.

    Without those that came to a score later, where they are what they were before.

    >>> score, options = resolve_score("bdeu", {"ess": 10})
    >>> score.title, options
    ('BDeu', {'ess': 10.0})
    """
    key = ALIASES.get(name.lower(), name.lower())
    if key not in scores:
        raise unknown("score", name, [*scores, *ALIASES, AUTO])
    score = scores[key]
    known = {one.name: one for one in score.options}
    given = dict(options or {})
    for option_name, value in given.items():
        if option_name not in known:
            have = [name for name, one in scores.items() if option_name in (o.name for o in one.options)]
            if have:
                owners = " and ".join(map(repr, have))
                raise InputError(f"score {key!r} has no option {option_name!r}; it is one of {owners}.")
            raise unknown(f"option of score {key!r}", option_name, known or ["none"])
        allowed = known[option_name]
        if not allowed.low <= value <= allowed.high:
            raise InputError(
                f"option {option_name!r} of score {key!r} must lie between {allowed.low:g} and "
                f"{allowed.high:g}, got {value!r}."
            )
    values = {o.name: float(given.get(o.name, o.initial)) for o in score.options}
    for name in ADDED_LATER.get(key, ()):
        if values[name] == known[name].initial:
            del values[name]
    return score, values


def table_for(source: object, score: Score, **reading: Any) -> Table:
    """Return a table as a score needs it: numbers are kept as they are where it is of numbers.

    `reading` are options of `read_table`.  A `Table` is taken as it is.  Refused is a table whose variables
    the score is not of.
    """
    given = _read_for(source, score, reading)
    check_kinds(given, score)
    return given


def _read_for(source: object, score: Score, reading: Mapping[str, Any]) -> Table:
    from bayesloom.table import Table, read_table

    asked = reading.get("continuous") is not None
    if not (isinstance(source, Table) or asked or score.kinds == "discrete"):
        if score.kinds == "continuous" and reading.get("discretize") is not None:
            raise InputError(
                f"{option('discretize')} cuts numbers, and score {score.name!r} is of numbers as they are;"
                " give one of them."
            )
        if not isinstance(reading.get("discretize"), str) and reading.get("discrete") is not True:
            reading = {**reading, "continuous": "all" if score.kinds == "continuous" else "auto"}
    if score.reads_missing and not isinstance(source, Table) and reading.get("missing") is None:
        reading = {**reading, "missing": "keep"}
    return read_table(source, **reading)


def scored_table(
    source: object, name: str | None, options: Mapping[str, float] | None = None, **reading: Any
) -> tuple[Table, Score, dict[str, float]]:
    """Return a table as a score needs it, with the score and the full set of its options.

    ``"auto"`` (or None) reads each column by its kind and chooses the score by what comes of it: ``"bic"``
    of states, ``"bic-g"`` of numbers (``"bge"`` where rows are not more than columns), ``"bic-cg"`` of both,
    ``"pnal"`` where values stay missing.  Numbers with more than 20 distinct values stay numbers where
    they are near a normal distribution, else they are cut into ranges.  A `Table` is taken as it was read.
    `reading` are options of `read_table`, which go before.

    >>> rows = {"x": [0.1 * i * (-1) ** i for i in range(40)], "y": ["a", "b"] * 20}
    >>> table, score, _ = scored_table(rows, "auto")
    >>> score.name, table.continuous
    ('bic-cg', ('x',))
    """
    if not is_auto(name):
        found, values = resolve_score(str(name), options)
        return table_for(source, found, **reading), found, values
    if options:
        given = next(iter(options))
        known = [name for name, one in scores.items() if given in (each.name for each in one.options)]
        owners = f"; it is one of {' and '.join(map(repr, known))}" if known else ""
        raise InputError(f"{option('score', AUTO)} has no option {given!r}{owners}: name the score.")
    table, by_kind = _read_by_kind(source, reading)
    found, values = score_of(table)
    if by_kind and table.continuous:
        table = replace(table, notes=(*table.notes, _choice_in_words(table, found)))
    return table, found, values


def table_to_fill_in(
    source: object, name: str | None, options: Mapping[str, float] | None = None, **reading: Any
) -> tuple[Table, Score, dict[str, float]]:
    """Return a table with its gaps, as a score needs it once they are filled in, with the score and
    its options.

    As `scored_table`, but that no score is to read what is missing: ``"auto"`` goes by the kinds of columns.

    >>> table, score, _ = table_to_fill_in({"x": ["a", None, "b"]}, "auto")
    >>> score.name, table.gaps
    ('bic', True)
    """
    reading = {**reading, "missing": "keep"}
    if not is_auto(name):
        found, values = resolve_score(str(name), options)
        return _read_for(source, found, reading), found, values
    table, by_kind = _read_by_kind(source, reading)
    found, values = resolve_score(_by_kinds(table), options)
    if by_kind and table.continuous:
        table = replace(table, notes=(*table.notes, _choice_in_words(table, found)))
    return table, found, values


def _read_by_kind(source: object, reading: Mapping[str, Any]) -> tuple[Table, bool]:
    """Read a table for no named score, and say whether numbers are kept by what they look like."""
    from bayesloom.table import Table, read_table

    by_kind = not (
        isinstance(source, Table)
        or reading.get("strict")
        or reading.get("continuous") is not None
        or reading.get("discrete") is True
        or _cuts_all(reading.get("discretize"))
    )
    return read_table(source, **{**reading, "continuous": "normal"} if by_kind else reading), by_kind


def _cuts_all(discretize: object) -> bool:
    """Whether a rule is given for all columns of numbers that no other option names."""
    from bayesloom.table.read import OTHERS

    return isinstance(discretize, str) or (isinstance(discretize, Mapping) and OTHERS in discretize)


def is_auto(name: str | None) -> bool:
    """Whether a score is to be chosen by the table."""
    return name is None or name.lower() == AUTO


def score_of(
    table: Table, name: str | None = AUTO, options: Mapping[str, float] | None = None
) -> tuple[Score, dict[str, float]]:
    """Return a score with its options, the one that suits a table if it is not named.

    >>> import bayesloom as bl
    >>> score_of(bl.read_table({"x": [0.5, 1.5, 2.0, 7.0]}, continuous="all"))[0].name
    'bic-g'
    """
    if is_auto(name):
        name = _suiting(table)
    return resolve_score(str(name), options)


def _suiting(table: Table) -> str:
    if table.gaps and any(table.lacking(name).any() for name in table.names):
        return "pnal"
    return _by_kinds(table)


def _by_kinds(table: Table) -> str:
    if not table.continuous:
        return "bic"
    if len(table.continuous) < len(table.names):
        return "bic-cg"
    return "bic-g" if rows_that_count(table) > len(table.names) else "bge"


def _choice_in_words(table: Table, score: Score) -> str:
    from bayesloom.table.columns import listed

    numbers, every = len(table.continuous), len(table.names)
    if numbers == every:
        which = "all columns are"
    else:
        which = f"{numbers} of {every} columns {'is' if numbers == 1 else 'are'}"
    rule = " No discrete variable has a continuous parent under it." if numbers < every else ""
    names = listed(list(map(repr, table.continuous)))
    return (
        f"Score {score.name!r}, since {which} numbers of a near-normal or flat distribution, and kept:"
        f" {names}.{rule} score='bic' (--score bic) cuts numbers into ranges."
    )


def table_again(source: object, score: object, reading: object, **given: Any) -> Table:
    """Return a table read as a result says that it was read.

    Parameters
    ----------
    source
        A `Table` or anything else that `read_table` takes.
    score
        The name of the result's score: older results keep nothing else of how their table was read.
    reading
        What the result, or a score cache, has under ``"reading"``.
    given
        Options of `read_table` that go before those.

    Examples
    --------
    >>> rows = {"x": [float(i) for i in range(30)], "y": ["a", "b"] * 15}
    >>> table_again(rows, "bic-cg", {"continuous": ["x"]}).continuous
    ('x',)
    """
    from bayesloom.table import Table, read_table

    given = {name: value for name, value in given.items() if value is not None}
    if isinstance(reading, Mapping) and reading and not isinstance(source, Table):
        return read_table(source, **_reading_with(reading, given))
    if isinstance(score, str) and score.lower() in (*scores, *ALIASES):
        return table_for(source, resolve_score(score)[0], **given)
    return scored_table(source, AUTO, **given)[0]


def _reading_with(reading: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of reading with those that go before; a column that these speak of is theirs alone.

    >>> _reading_with({"continuous": ["x", "y"]}, {"discretize": {"x": "mean"}})
    {'continuous': ['y'], 'discretize': {'x': 'mean'}}
    """
    whole = {**reading, **given}
    kept, rules, states = whole.get("continuous"), given.get("discretize"), given.get("discrete")
    if "continuous" not in given and isinstance(kept, list | tuple):
        named = {
            *(rules if isinstance(rules, Mapping) else ()),
            *(states if isinstance(states, list) else ()),
        }
        every = states is True or (rules is not None and _cuts_all(rules))
        whole["continuous"] = None if every else [name for name in kept if name not in named] or None
    own = given.get("continuous")
    if isinstance(own, list | tuple):
        for option_name in ("discretize", "discrete"):
            known = reading.get(option_name)
            if option_name not in given and isinstance(known, Mapping):
                whole[option_name] = {name: rule for name, rule in known.items() if name not in own} or None
            elif option_name not in given and isinstance(known, list | tuple):
                whole[option_name] = [name for name in known if name not in own] or None
    return whole


def check_kinds(table: Table, score: Score) -> None:
    """Refuse a table with variables that a score is not of, or with missing values that it does not read."""
    continuous = table.continuous
    check_targets(table, score)
    if table.gaps and not score.reads_missing:
        lacking = [name for name in table.names if table.lacking(name).any()]
        if lacking:
            raise InputError(
                f"{table.source}: score {score.name!r} needs every value, and {_some(lacking)} missing in"
                f" some rows. Use score 'pnal', or read the table with {option('missing', 'state')} or"
                f" {option('missing', 'drop')}."
            )
    if score.kinds == "discrete" and continuous:
        one_of = "'bic-g'" if len(continuous) == len(table.names) else "'bic-cg' or 'dg'"
        raise InputError(
            f"{table.source}: score {score.name!r} is of states, and {_some(continuous)} continuous. Cut"
            f" numbers into ranges with {option('discretize', 'quantile:3')}, or use score {one_of}."
        )
    if score.kinds == "continuous" and len(continuous) < len(table.names):
        states = [name for name in table.names if name not in set(continuous)]
        raise InputError(
            f"{table.source}: score {score.name!r} is of numbers, and {_some(states)} not continuous. Leave"
            f" such columns out with {option('exclude', metavar='NAME')}, or use score 'bic-cg' or 'dg'."
        )


def check_targets(table: Table, score: Score) -> None:
    """Refuse a table in which a variable was always set, or is continuous and constant where it was not."""
    from bayesloom.table.interventions import check_some_rows_count

    check_some_rows_count(table.interventions, table.source)
    if table.interventions is None or score.statistic not in ("moments", "cell_moments"):
        return
    for name in sorted({name for target in table.interventions.targets for name in target}):
        if score.statistic == "cell_moments" and table.states[table.index(name)]:
            continue
        own = table.column(name)[~table.interventions.was_set(name) & ~table.lacking(name)]
        if not own.size or bool((own == own[0]).all()):
            raise InputError(
                f"{table.source}: {name!r} has one value only in the rows in which it was not set, and score"
                f" {score.name!r} needs two. Leave it out with {option('exclude', metavar='NAME')}."
            )


def rows_that_count(table: Table) -> int:
    """Return in how many rows, by weight, the variable that was set most often was not set.

    >>> import bayesloom as bl
    >>> rows = {"a": [0, 1, 1], "b": [1, 0, 1]}
    >>> rows_that_count(bl.read_table(rows, interventions=["a", None, None], weights=[2, 3, 1]))
    4
    """
    if table.interventions is None:
        return table.total_weight
    names = {name for target in table.interventions.targets for name in target}
    weights = 1 if table.weights is None else table.weights
    return min(int((~table.interventions.was_set(name) * weights).sum()) for name in names)


def check_rows(table: Table, score: Score, max_parents: int | None) -> None:
    """Refuse a table of too few rows for a score that needs more, unless parents are limited."""
    if score.needs_rows and max_parents is None and rows_that_count(table) <= len(table.names):
        raise InputError(
            f"{table.source}: with {rows_that_count(table)} rows and {len(table.names)} variables, score"
            f" {score.name!r} has no best network, since as many parents as rows fit a variable exactly."
            f" Limit parents with {option('max_parents', metavar='K')}, or use score 'bge'."
        )


def rules_under(rules: Constraints, table: Table, score: Score) -> Constraints:
    """Return constraints together with what a score allows: no continuous parent of a discrete variable.

    Told as constraints, it directs edges and bounds classes of networks as all constraints do.
    """
    numbers = set(table.continuous)
    if not score.discrete_have_discrete_parents or not 0 < len(numbers) < len(table.names):
        return rules
    for a, b in rules.required:
        if a in numbers and b in table.names and b not in numbers:
            raise InfeasibleError(
                f"no network satisfies the constraints: required edge {a!r} -> {b!r} leads from a continuous"
                f" variable to a discrete one, which {score.name} does not allow. Use"
                f" {option('score', 'bic')}, which cuts numbers into ranges."
            )
    states = [name for name in table.names if name not in numbers]
    return rules.together_with(Constraints(tiers=[states, list(table.continuous)], of_score=True))


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:3]))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{shown}{more} {'is' if len(names) == 1 else 'are'}"


def local_scores(
    table: Table | object,
    families: Iterable[tuple[str, Sequence[str]]],
    *,
    score: str = AUTO,
    options: Mapping[str, float] | None = None,
    threads: int = 0,
    time_limit: float | None = None,
) -> npt.NDArray[np.float64]:
    """Return the local score of each (child, parents) pair, in the order given.

    It is minus infinity where a score of continuous variables has none: some of them are determined by
    others, or a discrete one has a continuous parent that the score does not allow.

    Parameters
    ----------
    table
        A `Table`, or anything that `read_table` takes.
    families
        Pairs of a child's name and its parents' names; the order of parents does not matter.
    score, options
        A name from `scores`, and its options, for example ``{"ess": 10}``; ``"auto"`` goes by the columns, as
        `bayesloom.learn` does.
    threads
        How many threads to use; 0 means all processors this process may run on.
    time_limit
        Seconds; a `ResourceError` if that is not enough.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.read_table({"rain": [0, 0, 1, 1], "wet": [0, 0, 1, 1]})
    >>> bl.local_scores(table, [("wet", []), ("wet", ["rain"])]).round(4).tolist()
    [-3.4657, -1.3863]
    """
    import numpy as np

    given, found, values = scored_table(table, score, options)
    index = {name: i for i, name in enumerate(given.names)}
    children: list[int] = []
    flat: list[int] = []
    first = [0]
    for child, parents in families:
        for name in (child, *parents):
            if name not in index:
                raise unknown("variable", name, given.names)
        children.append(index[child])
        flat.extend(index[name] for name in parents)
        first.append(len(flat))
    fixed = _core.score_families(
        given.encoded,
        found.name,
        values,
        np.asarray(children, dtype=np.uint32),
        np.asarray(first, dtype=np.uint64),
        np.asarray(flat, dtype=np.uint32),
        threads,
        time_limit,
    )
    values_in_nats = np.asarray(fixed, dtype=np.float64) / 2.0**30
    values_in_nats[np.asarray(fixed) < NO_SCORE] = -np.inf
    return values_in_nats


def network_scores(
    network: object, table: Table | object, *, score: str = AUTO, options: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the local score of every variable of a network; their sum is the network's score."""
    from bayesloom.networks.network import structure_of

    families = list(structure_of(network).parents.items())
    values = local_scores(table, families, score=score, options=options)
    return {child: float(value) for (child, _), value in zip(families, values, strict=True)}
