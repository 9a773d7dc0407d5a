"""The picture of an equivalence class of networks.

Networks that say the same about independence cannot be told apart by a table. Their common picture,
the CPDAG, directs an edge only where all of them agree (it is *compelled*) and leaves it undirected
where they do not (it is *reversible*).

Under constraints only the networks of the class that keep them count (`Network.cpdag_under`): more edges
are compelled then.  So are more where variables were set in some rows: only networks of the class in which
the same edges join variables that were not always set together count, the interventional class [hauser2012].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.words import counted

if TYPE_CHECKING:
    from bayesloom.networks.network import Network

Edge = tuple[str, str]

Direction = Literal["compelled", "constrained", "reversible", "undecided"]
"""The same in all equivalent networks; in all that keep the constraints; not so; or not found out."""


@dataclass(frozen=True)
class Cpdag:
    """Compelled and reversible edges over named variables.

    Parameters
    ----------
    names
        The variables.
    compelled
        Edges ``(from, to)`` that point the same way in every network of the class.
    reversible
        Edges that point either way, each given once.
    constrained
        Those of `compelled` that are so by constraints alone: some network of the class turns them, but
        none that keeps the constraints.
    undecided
        Edges of which the search for a network that turns them and keeps the constraints was too long,
        as they are in the network.
    set_apart
        Those of `compelled` that are so by interventions: some network of the class turns them, but none that
        fits rows in which variables were set as well.

    Examples
    --------
    >>> from bayesloom.networks.network import Network
    >>> picture = Network("ABCD", {"C": "A B".split(), "D": ["A"]}).cpdag
    >>> picture.compelled
    (('A', 'C'), ('B', 'C'))
    >>> picture.reversible
    (('A', 'D'),)
    >>> picture.network().parents
    {'A': ('D',), 'B': (), 'C': ('A', 'B'), 'D': ()}
    """

    names: tuple[str, ...]
    compelled: tuple[Edge, ...]
    reversible: tuple[Edge, ...]
    constrained: tuple[Edge, ...] = ()
    undecided: tuple[Edge, ...] = ()
    set_apart: tuple[Edge, ...] = ()

    def network(self) -> Network:
        """Return one network of the class with the compelled edges.

        Of a picture under constraints it may be one that breaks a limit on parents or an order.

        Raises
        ------
        InputError
            If the edges are not those of a class: no network fits them.
        """
        from bayesloom.networks.network import Network

        index = {name: i for i, name in enumerate(self.names)}

        def indices(edges: Iterable[Edge]) -> list[tuple[int, int]]:
            return [(index[a], index[b]) for a, b in edges]

        try:
            graph = _core.MixedGraph(
                len(self.names), indices(self.compelled), indices(self.reversible + self.undecided)
            )
        except KeyError as unknown:
            raise InputError(f"the edges name {unknown}, which is not a variable.") from None
        extension = graph.extension()
        if extension is None:
            raise InputError(
                "no network has these compelled and reversible edges: directing the reversible ones always"
                " makes a cycle or a new v-structure."
            )
        return Network(self.names, extension.parents)


def direction_of(picture: Cpdag) -> dict[Edge, Direction]:
    """Return the direction of every edge of a picture; reversible ones both ways.

    >>> from bayesloom import Network
    >>> direction_of(Network("ABCD", {"C": ["A", "B"], "D": ["A"]}).cpdag)["D", "A"]
    'reversible'
    """
    found: dict[Edge, Direction] = dict.fromkeys(picture.compelled, "compelled")
    found |= dict.fromkeys(picture.constrained, "constrained")
    found |= dict.fromkeys(picture.undecided, "undecided")
    for a, b in picture.reversible:
        found[a, b] = found[b, a] = "reversible"
    return found


def edges_in_words(picture: Cpdag, *, kept: str, interventions: bool = False) -> str:
    """Return how many edges are compelled and reversible, and what that means.

    `kept` names the constraints that the picture is under; empty if there are none.

    >>> from bayesloom import Network
    >>> chain = Network("ABC", {"B": ["A"], "C": ["B"]})
    >>> print(edges_in_words(chain.cpdag_under({"leaves": ["C"]}), kept="the constraints"))
    2 edges: 1 compelled (same direction in every equivalent network that keeps the constraints; 1 by the \
constraints alone), 1 reversible (some equivalent network that keeps the constraints turns them)
    """
    count = len(picture.compelled) + len(picture.reversible) + len(picture.undecided)
    if count == 0:
        return "no edges: every variable is independent of all others"
    among = f" that keeps {kept}" if kept else ""
    if interventions:
        among = f" under the interventions{among}"
    alone = f"; {len(picture.set_apart):,} by the interventions" if picture.set_apart else ""
    alone += f"; {len(picture.constrained):,} by {kept} alone" if picture.constrained else ""
    left = f", {len(picture.undecided):,} not decided (the search was too long)" if picture.undecided else ""
    return (
        f"{counted(count, 'edge')}: "
        f"{len(picture.compelled):,} compelled (same direction in every equivalent network{among}{alone}), "
        f"{len(picture.reversible):,} reversible (some equivalent network{among} turns them){left}"
    )
