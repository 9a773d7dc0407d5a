"""How two networks over the same variables differ.

Edges are sorted into kept, reversed, missing and added; distances are measured on the networks, on
their equivalence classes, and on their moral graphs (see `Network.distance`). Only the class can be
learned from a table, so two networks with ``same_class`` are equally good answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayesloom.networks.cpdag import Edge
from bayesloom.networks.network import structure_of

if TYPE_CHECKING:
    from bayesloom.report.drawing import Drawing


@dataclass(frozen=True)
class Comparison:
    """The differences of a network from a reference; edges are those of the network where it has them.

    Attributes
    ----------
    kept
        Edges that both have.
    reversed
        Edges that the reference has the other way round.
    missing
        Edges of the reference between variables that are not joined in the network.
    added
        Edges between variables that are not joined in the reference.
    distance_dag, distance_cpdag, distance_moral
        Structural Hamming distances.
    same_class
        Whether the networks are equivalent.
    names
        The variables.
    """

    kept: tuple[Edge, ...]
    reversed: tuple[Edge, ...]
    missing: tuple[Edge, ...]
    added: tuple[Edge, ...]
    distance_dag: int
    distance_cpdag: int
    distance_moral: int
    same_class: bool
    names: tuple[str, ...] = field(default=(), repr=False)

    def plot(self) -> Drawing:
        """Return both networks as one drawing: edges kept, turned, missing and added.

        >>> from bayesloom import Network
        >>> compare(Network("ab", {"b": ["a"]}), Network("ab", {})).plot()
        <Drawing: 2 variables, 1 edge, 68 x 124 pixels>
        """
        from bayesloom.report.pictures import drawing_of_comparison

        return drawing_of_comparison(self)

    def _repr_html_(self) -> str:
        from bayesloom.report.notebooks import comparison_html

        return comparison_html(self)

    def __str__(self) -> str:
        counts = ", ".join(
            f"{len(getattr(self, kind))} {kind}" for kind in ("kept", "reversed", "missing", "added")
        )
        return (
            f"edges: {counts}\n"
            f"distance: {self.distance_dag} (network), {self.distance_cpdag} (class),"
            f" {self.distance_moral} (moral graph)\n"
            f"class: {'same' if self.same_class else 'different'}"
        )


def compare(network: object, reference: object) -> Comparison:
    """Compare a network with a reference over the same variables, matched by name.

    Either is a `Network`, or what holds one: a fitted network, a result, a graph of networkx, pgmpy or
    pyAgrum. R's bnlearn has the reference first, and its ``shd`` is `distance_cpdag`.

    Examples
    --------
    >>> from bayesloom import Network
    >>> learned = Network("ABC", {"B": ["A"], "C": ["B"]})
    >>> truth = Network("ABC", {"A": ["B"], "C": ["A"]})
    >>> difference = compare(learned, truth)
    >>> difference.reversed, difference.missing, difference.added
    ((('A', 'B'),), (('A', 'C'),), (('B', 'C'),))
    >>> print(difference)
    edges: 0 kept, 1 reversed, 1 missing, 1 added
    distance: 3 (network), 2 (class), 2 (moral graph)
    class: different
    """
    network, reference = structure_of(network), structure_of(reference)
    distances = [network.distance(reference, on=on) for on in ("dag", "cpdag", "moral")]
    ours, theirs = set(network.edges), set(reference.edges)
    return Comparison(
        kept=tuple(e for e in network.edges if e in theirs),
        reversed=tuple(e for e in network.edges if e[::-1] in theirs),
        missing=tuple(e for e in reference.edges if not {e, e[::-1]} & ours),
        added=tuple(e for e in network.edges if not {e, e[::-1]} & theirs),
        distance_dag=distances[0],
        distance_cpdag=distances[1],
        distance_moral=distances[2],
        same_class=network.is_equivalent(reference),
        names=network.names,
    )
