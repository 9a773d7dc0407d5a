"""Bayesloom's C++ core. Private: use the names in `bayesloom`."""

from collections.abc import Sequence

def thread_count(wanted: int = 0) -> int:
    """
    The number of threads to use: `wanted`, or for 0 the processors this process may run on.
    """

def to_fixed(nats: float) -> int:
    """A score as a whole number of 2^-30 nats."""

def to_nats(fixed: int) -> float:
    """A whole number of 2^-30 nats as a score."""

class MixedGraph:
    """A graph with directed and undirected edges."""

    def __init__(
        self, size: int, directed: Sequence[tuple[int, int]], undirected: Sequence[tuple[int, int]]
    ) -> None: ...
    def __len__(self) -> int: ...
    def __eq__(self, arg: object, /) -> bool: ...
    @property
    def directed(self) -> list[tuple[int, int]]:
        """Pairs (from, to)."""

    @property
    def undirected(self) -> list[tuple[int, int]]:
        """Pairs, smaller index first."""

    def extension(self) -> Network | None:
        """
        A network with this skeleton, these directions and no v-structure that is not shown here, or None.
        """

class Network:
    """One parent set per variable, without a cycle."""

    def __init__(self, parents: Sequence[Sequence[int]]) -> None: ...
    def __len__(self) -> int: ...
    def __eq__(self, arg: object, /) -> bool: ...
    @property
    def parents(self) -> list[list[int]]: ...
    @property
    def children(self) -> list[list[int]]: ...
    @property
    def order(self) -> list[int]:
        """
        Parents first; among those that could come next, the smallest index first.
        """

    def cpdag(self) -> MixedGraph:
        """The picture of the equivalence class."""

    def moral(self) -> MixedGraph:
        """Directions dropped, parents of a common child joined."""

    def directed(self) -> MixedGraph:
        """The network as a MixedGraph."""

    def is_covered(self, source: int, target: int) -> bool:
        """Whether reversing the edge gives an equivalent network."""

def find_cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """
    Variables of one cycle, each a parent of the next; empty if there is none.
    """

def is_equivalent(a: Network, b: Network) -> bool:
    """Same skeleton and same v-structures."""

def distance(a: MixedGraph, b: MixedGraph) -> int:
    """Structural Hamming distance: pairs that are joined differently."""
