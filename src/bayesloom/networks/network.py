"""A network: one parent set per variable, without a cycle.

`Network` is a value: it cannot be changed, it can be a key of a dictionary, and two networks are
equal when they have the same variables in the same order and the same edges. The C++ core in
``src/core/graph`` computes its properties (order, equivalence class, distances).
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from bayesloom import _core
from bayesloom.errors import InputError, unknown
from bayesloom.networks.cpdag import Cpdag, Edge
from bayesloom.words import counted

if TYPE_CHECKING:
    from bayesloom.networks.adjustment import AdjustmentSets
    from bayesloom.networks.averaged_effects import AveragedEffect
    from bayesloom.networks.joint import TableLike
    from bayesloom.report.drawing import Drawing

MAX_VARIABLES = 1_000_000
DIRECTION_WORK = 100_000_000  # steps of a few nanoseconds
PRINTED = 40  # lines of a network as text


class Network:
    """An acyclic choice of parents for named variables.

    Parameters
    ----------
    names
        The variables, in the order in which indices count them.
    parents
        For each variable its parents: a mapping from names to names, in which a variable without
        parents may be left out, or a sequence of indices for every variable.

    Raises
    ------
    InputError
        If names repeat, a parent is unknown, or there is a cycle; the message names it.

    Examples
    --------
    >>> network = Network(["rain", "sprinkler", "wet"], {"wet": ["rain", "sprinkler"]})
    >>> network
    <Network: 3 variables, 2 edges>
    >>> network.edges
    [('rain', 'wet'), ('sprinkler', 'wet')]
    >>> network.to_modelstring()
    '[rain][sprinkler][wet|rain:sprinkler]'
    """

    __slots__ = ("_core", "_cpdag", "_index", "_names", "_parents")

    def __init__(
        self,
        names: Sequence[str],
        parents: Mapping[str, Iterable[str]] | Iterable[Iterable[int]],
    ) -> None:
        self._names = _checked_names(names)
        self._index = {name: i for i, name in enumerate(self._names)}
        lists = (
            self._lists_by_name(parents) if isinstance(parents, Mapping) else self._lists_by_index(parents)
        )
        if cycle := _core.find_cycle(lists):
            path = " -> ".join(repr(self._names[i]) for i in [*cycle, cycle[0]])
            raise InputError(f"the network has a cycle: {path}. Remove or turn one of these edges.")
        self._core = _core.Network(lists)
        self._parents = tuple(tuple(up) for up in self._core.parents)
        self._cpdag: Cpdag | None = None

    @classmethod
    def from_edges(cls, names: Sequence[str], edges: Iterable[Edge]) -> Network:
        """Return the network with these edges ``(from, to)``.

        >>> Network.from_edges(["A", "B"], [("A", "B")]).parents
        {'A': (), 'B': ('A',)}
        """
        parents: dict[str, list[str]] = {}
        for source, target in edges:
            parents.setdefault(target, []).append(source)
        return cls(names, parents)

    @classmethod
    def from_modelstring(cls, text: str) -> Network:
        """Return the network that a model string of the R package bnlearn describes.

        >>> Network.from_modelstring("[A][C|A:B][B]").names
        ('A', 'C', 'B')
        """
        from bayesloom.networks.formats import modelstring

        return modelstring.parse(text)

    @classmethod
    def from_graph(cls, graph: object) -> Network:
        """Return the network of a directed graph of networkx, a model of pgmpy or a network of pyAgrum.

        >>> import networkx
        >>> graph = networkx.DiGraph()
        >>> graph.add_edge("rain", "wet")
        >>> Network.from_graph(graph).parents
        {'rain': (), 'wet': ('rain',)}
        """
        from bayesloom.networks import interop

        return interop.from_graph(graph)

    def _lists_by_name(self, parents: Mapping[str, Iterable[str]]) -> list[list[int]]:
        lists: list[list[int]] = [[] for _ in self._names]
        for child, given in parents.items():
            if isinstance(given, str):
                raise InputError(
                    f"the parents of {child!r} must be a list of names, got the string {given!r}."
                )
            up = [self.index(name) for name in given]
            if len(set(up)) < len(up):
                raise InputError(f"the parents of {child!r} name a variable twice: {', '.join(given)}.")
            if (i := self.index(child)) in up:
                raise InputError(f"variable {child!r} is given as its own parent.")
            lists[i] = up
        return lists

    def _lists_by_index(self, parents: Iterable[Iterable[int]]) -> list[list[int]]:
        try:
            lists = [[operator.index(i) for i in up] for up in parents]
        except TypeError:
            raise InputError(
                "parents must be a mapping from names to names, or a list of indices for each variable;"
                " for pairs (from, to) use Network.from_edges."
            ) from None
        if len(lists) != len(self._names):
            raise InputError(f"got parents of {len(lists)} variables for {len(self._names)} names.")
        if any(i < 0 for up in lists for i in up):
            raise InputError("a parent index is negative; indices count from 0.")
        return lists

    def index(self, name: str) -> int:
        """Return the index of a variable."""
        try:
            return self._index[name]
        except KeyError:
            raise unknown("variable", name, self._names) from None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self._names

    @property
    def parent_indices(self) -> tuple[tuple[int, ...], ...]:
        """For each variable the indices of its parents, ascending."""
        return self._parents

    @property
    def parents(self) -> dict[str, tuple[str, ...]]:
        """For each variable its parents, in index order."""
        return {
            name: tuple(self._names[i] for i in up)
            for name, up in zip(self._names, self._parents, strict=True)
        }

    @property
    def edges(self) -> list[Edge]:
        """All edges ``(from, to)``, by child and then by parent."""
        return [(parent, child) for child, up in self.parents.items() for parent in up]

    @property
    def order(self) -> tuple[str, ...]:
        """The variables with parents first; where several could come next, the smallest index."""
        return tuple(self._names[i] for i in self._core.order)

    @property
    def cpdag(self) -> Cpdag:
        """The picture of the equivalence class: compelled and reversible edges."""
        if self._cpdag is None:
            graph = self._core.cpdag()
            self._cpdag = Cpdag(self._names, self._named(graph.directed), self._named(graph.undirected))
        return self._cpdag

    def cpdag_under(
        self,
        constraints: object,
        *,
        interventions: Iterable[Iterable[str]] = (),
        work_limit: int = DIRECTION_WORK,
    ) -> Cpdag:
        """Return the picture of those equivalent networks that keep constraints, as this one does.

        Parameters
        ----------
        constraints
            `Constraints`, a dictionary of them, or a file.
        interventions
            Sets of variables that were set together in some rows (`Interventions.targets`): an edge
            cannot turn if one of its ends was set without the other [hauser2012].
        work_limit
            Steps that the search for networks that turn single edges may take; `Cpdag.undecided` has the
            edges that were left. Only orders and limits on parents of single variables need a search.

        Raises
        ------
        InputError
            If this network breaks the constraints.

        Examples
        --------
        >>> chain = Network("ABC", {"B": ["A"], "C": ["B"]})
        >>> chain.cpdag.reversible
        (('A', 'B'), ('B', 'C'))
        >>> chain.cpdag_under({"tiers": [["A"], ["B", "C"]]}).compelled
        (('A', 'B'), ('B', 'C'))
        >>> chain.cpdag_under(None, interventions=[["A"]]).compelled
        (('A', 'B'), ('B', 'C'))
        """
        from bayesloom.constraints.orientation import cpdag_under

        return cpdag_under(self, constraints, work_limit, interventions)

    @property
    def moral_edges(self) -> list[Edge]:
        """Edges of the moral graph: directions dropped, parents of a common child joined."""
        return list(self._named(self._core.moral().undirected))

    def _named(self, pairs: Iterable[tuple[int, int]]) -> tuple[Edge, ...]:
        return tuple((self._names[i], self._names[j]) for i, j in pairs)

    def children(self, name: str) -> tuple[str, ...]:
        """Return the variables that have `name` among their parents."""
        i = self.index(name)
        return tuple(self._names[j] for j, up in enumerate(self._parents) if i in up)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Return parents, children and other parents of the children: all that `name` depends on directly.

        >>> Network("ABCD", {"C": ["A", "B"], "D": ["C"]}).markov_blanket("A")
        ('B', 'C')
        """
        i = self.index(name)
        blanket = set(self._parents[i])
        for j, up in enumerate(self._parents):
            if i in up:
                blanket |= {j, *up}
        return tuple(self._names[j] for j in sorted(blanket - {i}))

    def adjustment_sets(self, x: str, y: str, limit: int = 1000) -> AdjustmentSets:
        """Return the sets to adjust for, to read the effect of x on y off data: minimal back-door sets.

        The parents of x are always one, though not always minimal; the empty set says that nothing needs to
        be adjusted for. No set if y is a parent of x: then x has no effect on it.

        Parameters
        ----------
        x, y
            The variable that is set, and the one whose distribution is given.
        limit
            Most sets; `complete` of the list says whether these are all.

        Examples
        --------
        >>> network = Network("UXMY", {"X": ["U"], "M": ["X"], "Y": ["M", "U"]})
        >>> network.adjustment_sets("X", "Y")
        [('U',)]
        >>> network.is_adjustment_set("X", "Y", ["M"])
        False
        """
        from bayesloom.networks import adjustment

        return adjustment.adjustment_sets(self, x, y, limit)

    def is_adjustment_set(self, x: str, y: str, adjusted: Sequence[str]) -> bool:
        """Return whether a set meets the back-door criterion for the effect of x on y."""
        from bayesloom.networks import adjustment

        return adjustment.is_adjustment_set(self, x, y, adjusted)

    def effects(
        self,
        table: TableLike | object,
        x: str,
        y: str,
        *,
        method: Literal["ml", "dirichlet"] = "dirichlet",
        ess: float = 1.0,
    ) -> AveragedEffect:
        """Return what setting x does to y in the equivalent networks, fitted to a table.

        No data tell these networks apart, but their effects differ. Each set of parents that x has in some of
        them counts once.

        Examples
        --------
        >>> network = Network("AB", {"B": ["A"]})
        >>> found = network.effects({"A": [0, 0, 1, 1] * 5, "B": [0, 0, 1, 0] * 5}, "A", "B")
        >>> found
        <AveragedEffect of 'A' on 'B': 2 different in 2 networks, none in 0.5 of the weight>
        >>> found.difference("1", "1", "0")
        <Spread: mean 0.2381, 95 % from 0 to 0.4762>
        """
        from bayesloom.networks import averaged_effects

        return averaged_effects.class_effect(self, table, x, y, method=method, ess=ess)

    def is_covered(self, source: str, target: str) -> bool:
        """Return whether reversing the edge gives an equivalent network."""
        return self._core.is_covered(self.index(source), self.index(target))

    def is_equivalent(self, other: Network) -> bool:
        """Return whether both networks say the same about independence; variables match by name.

        >>> Network("AB", {"B": ["A"]}).is_equivalent(Network("AB", {"A": ["B"]}))
        True
        """
        return _core.is_equivalent(self._core, self._aligned(other))

    def distance(self, other: Network, on: Literal["dag", "cpdag", "moral"] = "dag") -> int:
        """Return the structural Hamming distance; variables match by name.

        Parameters
        ----------
        other
            A network over the same names, in any order.
        on
            What to compare: the networks (``"dag"``), their equivalence classes (``"cpdag"``), or
            their moral graphs (``"moral"``). Each pair of variables that is joined differently counts
            one, so a reversed edge counts one.
        """
        a, b = self._core, self._aligned(other)
        match on:
            case "dag":
                return _core.distance(a.directed(), b.directed())
            case "cpdag":
                return _core.distance(a.cpdag(), b.cpdag())
            case "moral":
                return _core.distance(a.moral(), b.moral())
        raise unknown("graph to measure on", on, ["dag", "cpdag", "moral"])

    def _aligned(self, other: Network) -> _core.Network:
        """`other` with this network's numbering of variables."""
        if other._names == self._names:
            return other._core
        if differing := sorted(set(self._names) ^ set(other._names)):
            shown = ", ".join(map(repr, differing[:5])) + (", ..." if len(differing) > 5 else "")
            raise InputError(f"the networks have different variables: {shown} in only one of them.")
        lists: list[list[int]] = [[] for _ in self._names]
        for child, up in other.parents.items():
            lists[self._index[child]] = [self._index[parent] for parent in up]
        return _core.Network(lists)

    def fit(
        self, table: TableLike | object, method: Literal["ml", "dirichlet"] = "dirichlet", ess: float = 1.0
    ) -> Any:
        """Estimate the probabilities from a table; see `bayesloom.networks.fit.fit_network`.

        The result is a `FittedNetwork`, or a `GaussianNetwork` if the table has continuous variables.

        By default estimates are smoothed by `ess` imaginary rows, as in `LearnResult.fit`, so that no new row
        is impossible; ``method="ml"`` gives the shares in the table, which may be zero. What is no `Table` is
        read as `read_table` does by default, which cuts numbers: other rows are read as a result's table was
        by ``result.network.fit(result.table.like(rows))``.
        """
        from bayesloom.networks.fit import fit_network

        return fit_network(self, table, method=method, ess=ess)

    def write(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        constraints: object = None,
        interventions: Iterable[Iterable[str]] = (),
    ) -> None:
        """Write to a file; the ending names the format, see `bayesloom.networks.formats`."""
        from bayesloom.networks.formats import write_network

        write_network(self, path, format=format, constraints=constraints, interventions=interventions)

    def plot(
        self,
        *,
        constraints: object = None,
        interventions: Iterable[Iterable[str]] = (),
        ax: Any = None,
    ) -> Drawing:
        """Return a drawing; notebooks show it, and ``write("network.svg")`` keeps it, or .png or .pdf.

        Parameters
        ----------
        constraints, interventions
            What the network was learned under, ``{}`` for no constraints: edges that some equivalent network
            turns are then dashed lines. Without either all edges are arrows.
        ax
            Axes of Matplotlib to draw on as well.

        Examples
        --------
        >>> Network("AB", {"B": ["A"]}).plot()
        <Drawing: 2 variables, 1 edge, 68 x 124 pixels>
        """
        from bayesloom.report.drawing import drawing_with

        picture, targets = None, [*interventions]
        if constraints is not None or targets:
            picture = self.cpdag_under(constraints, interventions=targets)
        drawing = drawing_with(self, picture)
        if ax is not None:
            drawing.on_axes(ax)
        return drawing

    def to_modelstring(self) -> str:
        """Return the model string of the R package bnlearn, such as ``[A][B|A]``."""
        from bayesloom.networks.formats import modelstring

        return modelstring.to_string(self)

    def to_networkx(self, *, constraints: object = None, interventions: Iterable[Iterable[str]] = ()) -> Any:
        """Return a ``networkx.DiGraph``; each edge says whether it is ``compelled``."""
        from bayesloom.networks import interop

        return interop.to_networkx(self, constraints=constraints, interventions=interventions)

    def to_pgmpy(self) -> Any:
        """Return a pgmpy ``DiscreteBayesianNetwork`` without probabilities."""
        from bayesloom.networks import interop

        return interop.to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """Return a pyAgrum ``BayesNet`` without probabilities; see `interop.to_pyagrum`."""
        from bayesloom.networks import interop

        return interop.to_pyagrum(self)

    def __reduce__(self) -> tuple[type[Network], tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]]:
        return Network, (self._names, self._parents)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self._names == other._names and self._parents == other._parents

    def __hash__(self) -> int:
        return hash((self._names, self._parents))

    def __repr__(self) -> str:
        edges = sum(map(len, self._parents))
        return f"<Network: {counted(len(self._names), 'variable')}, {counted(edges, 'edge')}>"

    def __str__(self) -> str:
        """The edges, a line for each child with its parents, up to a limit.

        >>> print(Network("ABCD", {"C": ["A", "B"]}))
        Network: 4 variables, 2 edges
          A, B -> C
          no edges: D
        """
        from bayesloom.printable import one_line

        lines = [
            f"  {', '.join(self._names[i] for i in up)} -> {name}"
            for name, up in zip(self._names, self._parents, strict=True)
            if up
        ]
        joined = {i for up in self._parents for i in up} | {i for i, up in enumerate(self._parents) if up}
        if alone := [name for i, name in enumerate(self._names) if i not in joined]:
            more = f" and {len(alone) - PRINTED:,} more" if len(alone) > PRINTED else ""
            lines.append(f"  no edges: {', '.join(alone[:PRINTED])}{more}")
        if len(lines) > PRINTED + 1:
            lines[PRINTED:] = [f"  ... and {len(lines) - PRINTED:,} lines more"]
        return "\n".join([repr(self)[1:-1], *map(one_line, lines)])

    def _repr_html_(self) -> str:
        from bayesloom.report.notebooks import notebook_html

        return notebook_html(self)


def _checked_names(given: Sequence[str]) -> tuple[str, ...]:
    names = tuple(given)
    if len(names) > MAX_VARIABLES:
        raise InputError(f"a network has at most {MAX_VARIABLES:,} variables, got {len(names)}.")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"a variable name must be a string that is not empty, got {name!r}.")
        if name in seen:
            raise InputError(f"variable name {name!r} is given twice.")
        check_text(name)
        seen.add(name)
    return names


def check_text(text: str) -> None:
    """Refuse a name or state that no file could hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{text!r} is not valid Unicode; it holds half of a surrogate pair.") from None


def structure_of(network: object) -> Network:
    """Return the network that an object is or holds: fitted, a result, or a graph of another package."""
    if isinstance(network, Network):
        return network
    if isinstance(inner := getattr(network, "network", None), Network):
        return inner
    return Network.from_graph(network)
