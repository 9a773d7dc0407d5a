"""Networks for other libraries and from them: networkx, pgmpy, pyAgrum.

Each library is imported when asked for and never before. A fitted network takes its states and
probabilities along; a structure alone becomes a network without probabilities.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bayesloom.errors import InputError, option
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.gaussian import GaussianNetwork
from bayesloom.networks.network import Network


def _import(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{extra} is not installed. Install it with: pip install 'bayesloom[{extra}]'."
        ) from error


def cpt_frame(fitted: FittedNetwork | GaussianNetwork, name: str) -> Any:
    """Return a CPT as a ``pandas.DataFrame``: states of the parents in the index, its own as columns."""
    own = fitted.network.index(name)
    states = fitted.states[own]
    parents = fitted.network.parent_indices[own]
    return _frame(fitted, name, parents, states, fitted.cpt(name).reshape(-1, len(states)))


def family_frame(net: GaussianNetwork, name: str) -> Any:
    """Return a CPT, or a regression, as a ``pandas.DataFrame``."""
    own = net.network.index(name)
    if net.states[own]:
        return cpt_frame(net, name)
    found = net.regression(name)
    slopes = found.coefficients.reshape(found.intercept.size, -1)
    values = np.column_stack([found.intercept.reshape(-1), slopes, found.variance.reshape(-1)])
    discrete = [p for p in net.network.parent_indices[own] if net.states[p]]
    continuous = [net.names[p] for p in net.network.parent_indices[own] if not net.states[p]]
    return _frame(net, name, discrete, ["intercept", *continuous, "variance"], values)


def _frame(
    given: FittedNetwork | GaussianNetwork,
    name: str,
    parents: Sequence[int],
    columns: Sequence[str],
    values: Any,
) -> Any:
    pandas = _import("pandas", "pandas")
    head = pandas.Index(columns, name=name)
    if not parents:
        return pandas.DataFrame(values, columns=head, index=[""])
    names = [given.names[p] for p in parents]
    states = [given.states[p] for p in parents]
    index = (
        pandas.Index(states[0], name=names[0])
        if len(parents) == 1
        else pandas.MultiIndex.from_product(states, names=names)
    )
    return pandas.DataFrame(values, index=index, columns=head)


def _split(given: Network | FittedNetwork | GaussianNetwork) -> tuple[Network, FittedNetwork | None]:
    if isinstance(given, GaussianNetwork):
        return given.network, None
    return (given.network, given) if isinstance(given, FittedNetwork) else (given, None)


def from_graph(graph: Any) -> Network:
    """Return the network of a directed graph of networkx, a model of pgmpy or a network of pyAgrum."""
    package = type(graph).__module__.partition(".")[0]
    if package == "pyagrum" and hasattr(graph, "variable"):
        names = {node: graph.variable(node).name() for node in sorted(graph.nodes())}
        edges = [(names[a], names[b]) for a, b in sorted(graph.arcs())]
        return Network.from_edges(list(names.values()), edges)
    if hasattr(graph, "nodes") and hasattr(graph, "edges") and not isinstance(graph, type):
        if getattr(graph, "is_directed", lambda: True)():
            return Network.from_edges(
                [str(name) for name in graph.nodes], [(str(a), str(b)) for a, b, *_ in graph.edges]
            )
        raise InputError("the graph is undirected; a network needs the direction of each edge.")
    raise TypeError(
        "expected a network: a Network, a fitted one, a result, or a graph of networkx, pgmpy or pyAgrum;"
        f" got {type(graph).__name__}."
    )


def to_networkx(
    given: Network | FittedNetwork | GaussianNetwork,
    *,
    constraints: object = None,
    interventions: Iterable[Iterable[str]] = (),
) -> Any:
    """Return a ``networkx.DiGraph``.

    Each edge has ``compelled``: whether every equivalent network that keeps the constraints, if any are
    given, directs it this way; None if that was not found out. The nodes of a
    fitted network have ``states`` and ``cpt`` (shape: parents in index order, then the variable).

    Examples
    --------
    >>> graph = to_networkx(Network("ABC", {"C": ["A", "B"]}))
    >>> graph.edges(data="compelled")
    OutEdgeDataView([('A', 'C', True), ('B', 'C', True)])
    """
    network, fitted = _split(given)
    graph = _import("networkx", "networkx").DiGraph()
    for i, name in enumerate(network.names):
        data = {} if fitted is None else {"states": fitted.states[i], "cpt": fitted.cpt(name)}
        graph.add_node(name, **data)
    picture = network.cpdag_under(constraints, interventions=interventions)
    compelled = dict.fromkeys(picture.compelled, True) | dict.fromkeys(picture.undecided)
    for edge in network.edges:
        graph.add_edge(*edge, compelled=compelled.get(edge, False))
    return graph


def to_pgmpy(given: Network | FittedNetwork) -> Any:
    """Return a pgmpy ``DiscreteBayesianNetwork``, with ``TabularCPD``s if the network is fitted."""
    network, fitted = _split(given)
    model = _import("pgmpy.models", "pgmpy").DiscreteBayesianNetwork()
    model.add_nodes_from(network.names)
    model.add_edges_from(network.edges)
    if fitted is None:
        return model
    tabular_cpd = _import("pgmpy.factors.discrete", "pgmpy").TabularCPD
    states = dict(zip(network.names, fitted.states, strict=True))
    for name, parents in network.parents.items():
        model.add_cpds(
            tabular_cpd(
                name,
                len(states[name]),
                fitted.cpt(name).reshape(-1, len(states[name])).T,
                evidence=list(parents),
                evidence_card=[len(states[parent]) for parent in parents],
                state_names={variable: list(states[variable]) for variable in (name, *parents)},
            )
        )
    return model


def gaussian_to_pgmpy(given: GaussianNetwork) -> Any:
    """Return a pgmpy ``LinearGaussianBayesianNetwork``."""
    if discrete := [name for name, own in zip(given.names, given.states, strict=True) if own]:
        raise InputError(
            "pgmpy's linear Gaussian network holds continuous variables only, and"
            f" {discrete[0]!r} is discrete. Learn with {option('score', 'bic')}, which cuts numbers into"
            " ranges, for pgmpy's discrete network."
        )
    model = _import("pgmpy.models", "pgmpy").LinearGaussianBayesianNetwork()
    model.add_nodes_from(given.names)
    model.add_edges_from(given.network.edges)
    linear_cpd = _import("pgmpy.factors.continuous", "pgmpy").LinearGaussianCPD
    for name in given.names:
        own = given.regression(name)
        beta = [float(own.intercept), *own.coefficients.tolist()]
        model.add_cpds(linear_cpd(name, beta, float(own.variance) ** 0.5, list(own.continuous)))
    return model


def to_pyagrum(given: Network | FittedNetwork) -> Any:
    """Return a pyAgrum ``BayesNet``.

    pyAgrum knows no variable without states: in a network that is not fitted every variable gets the
    states ``0`` and ``1``, and all probabilities stay zero.
    """
    network, fitted = _split(given)
    gum = _import("pyagrum", "pyagrum")
    model = gum.BayesNet()
    for i, name in enumerate(network.names):
        states = ["0", "1"] if fitted is None else list(fitted.states[i])
        model.add(gum.LabelizedVariable(name, name, states))
    for source, target in network.edges:
        model.addArc(source, target)
    if fitted is not None:
        for name, parents in network.parents.items():
            cpt = model.cpt(name)
            axes = [*parents, name]
            # fillWith takes numbers with pyAgrum's first axis varying fastest: ours, reversed.
            ordered = fitted.cpt(name).transpose([axes.index(axis) for axis in reversed(cpt.names)])
            cpt.fillWith(ordered.ravel().tolist())
    return model
