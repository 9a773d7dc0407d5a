"""The scores: what there is, and local scores of any family or network.

Every score is larger-is-better, in natural logarithms, without a structure prior.  The table is
filled by the C++ core, one file per score under ``src/core/score``; nothing here lists their names.

>>> sorted(scores)
['aic', 'bdeu', 'bds', 'bic', 'ebic', 'fnml', 'k2', 'qnml']
>>> scores["bdeu"].options[0].name
'ess'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from bayesloom import _core
from bayesloom.errors import InputError, unknown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bayesloom.networks.network import Network
    from bayesloom.table import Table

__all__ = ["ALIASES", "Score", "ScoreOption", "local_scores", "network_scores", "resolve_score", "scores"]


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


def _read_table() -> dict[str, Score]:
    return {
        name: Score(name=name, **{**row, "options": tuple(ScoreOption(**o) for o in row["options"])})
        for name, row in _core.describe_scores().items()
    }


scores: Mapping[str, Score] = MappingProxyType(_read_table())
"""Every score by name."""

ALIASES = {"mdl": "bic"}  # minimising MDL is maximising BIC: MDL = -BIC


def resolve_score(name: str, options: Mapping[str, float] | None = None) -> tuple[Score, dict[str, float]]:
    """Return the score called `name` and the full set of its options, checked.

    >>> score, options = resolve_score("bdeu", {"ess": 10})
    >>> score.title, options
    ('BDeu', {'ess': 10.0})
    """
    key = ALIASES.get(name.lower(), name.lower())
    if key not in scores:
        raise unknown("score", name, [*scores, *ALIASES])
    score = scores[key]
    known = {option.name: option for option in score.options}
    given = dict(options or {})
    for option_name, value in given.items():
        if option_name not in known:
            raise unknown(f"option of score {key!r}", option_name, known or ["none"])
        option = known[option_name]
        if not option.low <= value <= option.high:
            raise InputError(
                f"option {option_name!r} of score {key!r} must lie between {option.low:g} and "
                f"{option.high:g}, got {value!r}."
            )
    return score, {o.name: float(given.get(o.name, o.initial)) for o in score.options}


def local_scores(
    table: Table | object,
    families: Iterable[tuple[str, Sequence[str]]],
    *,
    score: str = "bic",
    options: Mapping[str, float] | None = None,
    threads: int = 0,
    time_limit: float | None = None,
) -> npt.NDArray[np.float64]:
    """Return the local score of each (child, parents) pair, in the order given.

    Parameters
    ----------
    table
        A `Table`, or anything that `read_table` takes.
    families
        Pairs of a child's name and its parents' names; the order of parents does not matter.
    score, options
        A name from `scores`, and its options, for example ``{"ess": 10}``.
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

    found, values = resolve_score(score, options)
    from bayesloom.table import read_table

    given = read_table(table)
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
        np.asarray(children, dtype=np.uint16),
        np.asarray(first, dtype=np.uint64),
        np.asarray(flat, dtype=np.uint16),
        threads,
        time_limit,
    )
    return np.asarray(fixed, dtype=np.float64) / 2.0**30


def network_scores(
    network: Network, table: Table | object, *, score: str = "bic", options: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the local score of every variable of a network; their sum is the network's score."""
    families = list(network.parents.items())
    values = local_scores(table, families, score=score, options=options)
    return {child: float(value) for (child, _), value in zip(families, values, strict=True)}
