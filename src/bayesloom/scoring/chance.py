"""How many edges chance alone would give: those found in a table of unrelated columns.

Two answers, one by formula and one by trial.

*By formula.*  An edge between two columns x and y without other parents pays under BIC if

    G / 2  >  (ln N) / 2 (r_x - 1) (r_y - 1)          G: the likelihood ratio statistic of the two columns

and for unrelated columns G has, about, a chi-square distribution with (s_x - 1) (s_y - 1) degrees of
freedom, where s counts the states seen and r those that count.  Its tail, added up over all pairs, is the
number of pairs that chance would join.  Under `bic-g` the statistic -N ln(1 - r^2) of two unrelated columns,
r their correlation, has one degree of freedom, and the threshold is ln N, times its
`penalty`.  `aic` and `ebic` have thresholds of their own; for other scores there is no such formula, and no
number is given.

*By trial.*  `shuffled` permutes every column by itself: distributions stay, relations go.  What is learned
from such a table is chance (`bayesloom.learn` with ``null=True``), at any size and for every score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bayesloom.errors import InputError, ResourceError, option
from bayesloom.limits import reading_memory
from bayesloom.scoring.strength import EdgeStrength

if TYPE_CHECKING:
    import numpy as np

    from bayesloom.table import Table

__all__ = ["ChanceEdges", "NullEdges", "chance_edges", "check_shuffled", "null_edges", "shuffled"]

BYTES_TO_MERGE = 12  # for each row, while equal ones are merged: a hash and a number
FEW_PERCENT = 0.05  # of the edges found: where chance would give more, it is said


@dataclass(frozen=True)
class ChanceEdges:
    """How many pairs of columns would be joined if no column were related to any other.

    Attributes
    ----------
    pairs
        All pairs of columns.
    expected
        How many of them would gain from an edge by chance alone, about.
    """

    pairs: int
    expected: float

    def matter(self, edges: int) -> bool:
        """Whether that is one pair at least, and more than a few percent of so many edges.

        >>> ChanceEdges(124_750, 1794.0).matter(900), ChanceEdges(28, 0.1).matter(1)
        (True, False)
        """
        return self.expected >= 1 and self.expected > FEW_PERCENT * edges

    def to_json(self) -> dict[str, Any]:
        """Return it as a dictionary of plain values."""
        return asdict(self)


@dataclass(frozen=True)
class NullEdges:
    """What was learned from the table with every column shuffled by itself: edges by chance.

    Attributes
    ----------
    edges
        How many, without those that constraints require.
    median, strongest
        Their strengths in nats; 0 if there are none.
    stronger
        How many edges of the network itself are stronger than the strongest of these.
    of
        How many edges the network itself has, without those that constraints require.
    """

    edges: int
    median: float
    strongest: float
    stronger: int
    of: int

    @classmethod
    def from_json(cls, given: object) -> NullEdges:
        """Return what `to_json` wrote.

        >>> NullEdges.from_json(NullEdges(3, 1.5, 2.5, 1, 4).to_json()).strongest
        2.5
        """
        kinds = {"edges": int, "stronger": int, "of": int, "median": float, "strongest": float}
        if not isinstance(given, Mapping) or set(given) != set(kinds):
            raise InputError(f"'null' of a run must have {', '.join(kinds)}, got {str(given)[:60]}.")
        for name, kind in kinds.items():
            value = given[name]
            if isinstance(value, bool) or not isinstance(value, (int, kind)):
                raise InputError(f"{name!r} in 'null' of a run must be a number, got {str(value)[:60]!r}.")
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        """Return it as a dictionary of plain values."""
        return asdict(self)

    def __str__(self) -> str:
        if not self.edges:
            return "with every column shuffled by itself no edge is learned"
        how = f"median {self.median:,.2f}, strongest {self.strongest:,.2f} nats"
        return (
            f"with every column shuffled by itself {self.edges:,} edge{'s are' if self.edges > 1 else ' is'} "
            f"learned by chance ({how}); {self.stronger:,} of the {self.of:,} edges found are stronger than "
            "all of these"
        )


def chance_edges(
    table: Table, *, score: str = "bic", options: Mapping[str, float] | None = None
) -> ChanceEdges | None:
    """Return how many pairs of unrelated columns a score would join, or None where no formula says.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.random_network(500, states=(2, 2), seed=1).sample(400, seed=1)
    >>> round(chance_edges(table).expected, -2), round(chance_edges(table, score="ebic").expected, 1)
    (1800.0, 2.2)
    """
    n = len(table.names)
    rows = math.log(table.total_weight)
    edge = 0.0
    if table.interventions is not None:
        return None  # which rows count depends on the direction
    if table.continuous:
        varying = sum(bool((column != column[0]).any()) for column in table.codes)
        if score not in ("bic-g", "bic") or len(table.continuous) < n:
            return None
        paid = rows * float((options or {}).get("penalty", 1.0))
        return ChanceEdges(n * (n - 1) // 2, varying * (varying - 1) / 2 * chi_square_tail(1, paid))
    if score == "bic":
        charge = rows * float((options or {}).get("penalty", 1.0))
    elif score == "aic":
        charge = 2.0
    elif score == "ebic":
        charge = rows
        edge = 2 * float((options or {}).get("gamma", 1.0)) * math.log(max(1, n - 1))
    else:
        return None
    kinds = Counter(zip(map(_seen, table.codes), table.cardinalities, strict=True))
    listed = sorted(kinds.items())
    expected = 0.0
    for i, ((s, r), count) in enumerate(listed):
        for (t, q), others in listed[i:]:
            pairs = count * (count - 1) // 2 if (s, r) == (t, q) else count * others
            if s > 1 and t > 1 and pairs:
                threshold = charge * (r - 1) * (q - 1) + edge
                expected += pairs * chi_square_tail((s - 1) * (t - 1), threshold)
    return ChanceEdges(n * (n - 1) // 2, expected)


def _seen(codes: np.ndarray[Any, Any]) -> int:
    import numpy as np

    return int(np.count_nonzero(np.bincount(codes)))


def chi_square_tail(freedom: int, x: float) -> float:
    """Return the probability that a chi-square variable with so many degrees of freedom exceeds x.

    >>> [round(chi_square_tail(k, x), 4) for k, x in [(1, 3.841), (2, 5.991), (5, 11.07), (40, 55.76)]]
    [0.05, 0.05, 0.05, 0.05]
    """
    if x <= 0:
        return 1.0
    if freedom > 200:  # Wilson and Hilferty: the cube root is close to normal
        spread = 2 / (9 * freedom)
        z = ((x / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)
        return math.erfc(z / math.sqrt(2)) / 2
    half = x / 2
    odd = freedom % 2
    tail = math.erfc(math.sqrt(half)) if odd else 0.0
    for k in range((freedom + odd) // 2 - odd):  # one term for every two degrees of freedom
        at = k + odd / 2
        tail += math.exp(at * math.log(half) - half - math.lgamma(at + 1))
    return min(1.0, tail)


def shuffled(table: Table, seed: int = 0) -> Table:
    """Return the table with every column permuted by itself; rows with a weight are that many rows.

    >>> import bayesloom as bl
    >>> table = bl.read_table({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9})
    >>> other = shuffled(table)
    >>> other == table, bool(other.column("a").sum() == table.column("a").sum())
    (False, True)
    """
    import numpy as np

    from bayesloom.table import Table

    draw = np.random.Generator(np.random.PCG64(seed))
    table = table.expanded()
    return Table(
        names=table.names,
        states=table.states,
        codes=tuple(_shuffled(draw, table, name) for name in table.names),
        cut_points=table.cut_points,
        notes=(*table.notes, "Every column is shuffled by itself."),
        source=f"{table.source}, shuffled",
        gaps=table.gaps,
        interventions=table.interventions,
    )


def _shuffled(draw: Any, table: Table, name: str) -> Any:
    """Return a column, shuffled; values that were set from outside among themselves."""
    column = table.column(name)
    if table.interventions is None:
        return draw.permutation(column)
    was_set = table.interventions.was_set(name)
    own = column.copy()
    for rows in (was_set, ~was_set):
        own[rows] = draw.permutation(column[rows])
    return own


def check_shuffled(table: Table) -> None:
    """Refuse a table of counts that does not fit the memory once every row is spelled out and shuffled."""
    if table.weights is None:
        return
    # The columns, shuffled, and what merging equal rows takes.
    size = table.total_weight * (2.0 * sum(column.itemsize for column in table.codes) + BYTES_TO_MERGE)
    if size > (most := reading_memory()):
        raise ResourceError(
            f"{table.source}: {option('null')} shuffles all {table.total_weight:,} rows, which takes"
            f" {size / 1e9:,.2g} GB; {most / 1e9:,.2g} GB may be used. Allow more with {option('memory')},"
            f" or leave {option('null', subject=True)} out."
        )


def null_edges(
    found: Iterable[EdgeStrength], chance: Iterable[EdgeStrength], required: Iterable[tuple[str, str]] = ()
) -> NullEdges:
    """Hold the edges that were found against those of a shuffled table."""
    import statistics

    given = set(required)
    own = [edge.strength for edge in found if (edge.source, edge.target) not in given]
    null = [edge.strength for edge in chance if (edge.source, edge.target) not in given]
    strongest = max(null, default=0.0)
    return NullEdges(
        edges=len(null),
        median=statistics.median(null) if null else 0.0,
        strongest=strongest,
        stronger=sum(strength > strongest for strength in own),
        of=len(own),
    )
