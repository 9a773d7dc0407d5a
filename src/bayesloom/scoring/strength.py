"""How much each edge of a network is worth.

The strength of an edge u -> v is what the score loses without it:

    s(v, P) - s(v, P - u)        P: the parents of v

in nats, so its exponential is the Bayes factor (for `bic` an approximation of one) between the network
and the one without the edge, all else equal.  Strong edges are the ones the table insists on; an edge of
less than about 3 nats (a factor of 20) could as well be chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from bayesloom.networks.network import Network
from bayesloom.scoring.registry import AUTO, local_scores, scored_table

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = ["DOUBTFUL", "EdgeStrength", "edge_strengths"]

DOUBTFUL = 3.0  # nats: a factor of 20


class EdgeStrength(NamedTuple):
    """An edge, whether it is compelled, and what it is worth in nats.

    Compelled: every equivalent network that keeps the constraints has it this way. None if that was not found
    out (`Cpdag.undecided`).  By missing: it rests on values that are missing together (`absence`).
    """

    source: str
    target: str
    compelled: bool | None
    strength: float
    by_missing: bool = False

    def __str__(self) -> str:
        """Return the edge in words: ``rain -> wet: 12.3 nats, compelled``."""
        label = {True: "compelled", False: "reversible", None: "direction undecided"}[self.compelled]
        missing = ", rests on values missing together" if self.by_missing else ""
        return f"{self.source} -> {self.target}: {self.strength:.1f} nats, {label}{missing}"


def edge_strengths(
    table: Table | object,
    network: Network,
    *,
    score: str = AUTO,
    options: Mapping[str, float] | None = None,
    constraints: object = None,
    threads: int = 0,
    time_limit: float | None = None,
) -> tuple[EdgeStrength, ...]:
    """Return every edge of a network with its strength, the strongest first.

    Under constraints only the networks that keep them count where it is said which edges are compelled.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.read_table({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> [edge] = edge_strengths(table, bl.Network(["rain", "wet"], {"wet": ["rain"]}))
    >>> edge.source, edge.target, edge.compelled, round(edge.strength, 2)
    ('rain', 'wet', False, 12.37)
    """
    parents = network.parents
    edges = [(a, b) for b, given in parents.items() for a in given]
    families = [(b, tuple(given)) for b, given in parents.items() if given]
    families += [(b, tuple(p for p in parents[b] if p != a)) for a, b in edges]
    if not edges:
        return ()
    from bayesloom.scoring.absence import edges_by_missing

    read, _, _ = scored_table(table, score, options)
    values = local_scores(
        read, families, score=score, options=options, threads=threads, time_limit=time_limit
    ).tolist()
    own = {
        name: value for (name, _), value in zip(families, values[: len(families) - len(edges)], strict=False)
    }
    targets = () if read.interventions is None else read.interventions.targets
    picture = network.cpdag_under(constraints, interventions=targets)
    compelled = dict.fromkeys(picture.compelled, True) | dict.fromkeys(picture.undecided)
    by_missing = edges_by_missing(read, edges)
    found = [
        EdgeStrength(a, b, compelled.get((a, b), False), own[b] - without, (a, b) in by_missing)
        for (a, b), without in zip(edges, values[len(families) - len(edges) :], strict=True)
    ]
    return tuple(sorted(found, key=lambda edge: (-edge.strength, edge.source, edge.target)))
