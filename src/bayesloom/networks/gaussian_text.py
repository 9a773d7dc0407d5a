"""The parameters of a network with continuous variables as text, in the manner of the R package bnlearn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayesloom.networks.gaussian import Floats, Regression

if TYPE_CHECKING:
    from bayesloom.networks.gaussian import GaussianNetwork

__all__ = ["text_of"]


def text_of(net: GaussianNetwork) -> str:
    """Return all parameters, variable by variable.

    Examples
    --------
    >>> from bayesloom.networks.gaussian import GaussianNetwork
    >>> from bayesloom.networks.network import Network
    >>> net = GaussianNetwork(
    ...     Network(["s", "x"], {"x": ["s"]}),
    ...     {"s": ["a", "b"]},
    ...     {"s": [0.25, 0.75], "x": {"intercept": [1.0, 2.5], "variance": [4.0, 9.0]}},
    ... )
    >>> print(net)
      Bayesian network parameters
    <BLANKLINE>
      Parameters of node s (multinomial distribution)
    <BLANKLINE>
    Conditional probability table:
         a     b
      0.25  0.75
    <BLANKLINE>
      Parameters of node x (conditional Gaussian distribution)
    <BLANKLINE>
    Conditional density: x | s
    Coefficients:
                 0    1
    (Intercept)  1  2.5
    Standard deviation of the residuals:
    0  1
    2  3
    Discrete parents' configurations:
       s
    0  a
    1  b
    """
    blocks = ["  Bayesian network parameters"]
    for v, name in enumerate(net.names):
        family = net.families[v]
        if isinstance(family, Regression):
            blocks.append(_regression_text(net, name, family))
        else:
            blocks.append(_table_text(net, v, np.asarray(family)))
    return "\n\n".join(blocks)


def _regression_text(net: GaussianNetwork, name: str, family: Regression) -> str:
    parents = [*family.discrete, *family.continuous]
    given = f" | {' + '.join(net.names[p] for p in net.network.parent_indices[net.network.index(name)])}"
    kind = "conditional Gaussian" if family.discrete else "Gaussian"
    terms = ["(Intercept)", *family.continuous]
    rows = np.column_stack(
        [family.intercept.reshape(-1), family.coefficients.reshape(family.intercept.size, -1)]
    )
    spread = np.sqrt(family.variance.reshape(-1))
    lines = [f"  Parameters of node {name} ({kind} distribution)", ""]
    lines += [f"Conditional density: {name}{given if parents else ''}", "Coefficients:"]
    if not family.discrete:
        lines += _columns([terms, [_shown(value) for value in rows[0]]])
        return "\n".join([*lines, f"Standard deviation of the residuals: {_shown(spread[0])}"])
    numbers = [str(k) for k in range(len(rows))]
    lines += _columns(
        [["", *numbers], *([term, *map(_shown, rows[:, k])] for k, term in enumerate(terms))], left=True
    )
    lines += [
        "Standard deviation of the residuals:",
        *_columns([numbers, [_shown(value) for value in spread]]),
    ]
    states = [net.states[net.network.index(parent)] for parent in family.discrete]
    cells = [[str(k), *cell] for k, cell in enumerate(itertools.product(*states))]
    return "\n".join(
        [*lines, "Discrete parents' configurations:", *_columns([["", *family.discrete], *cells], left=True)]
    )


def _table_text(net: GaussianNetwork, v: int, table: Floats) -> str:
    up = net.network.parent_indices[v]
    head = [
        f"  Parameters of node {net.names[v]} (multinomial distribution)",
        "",
        "Conditional probability table:",
    ]
    flat = table.reshape(-1, table.shape[-1])
    rows = [[*(net.names[p] for p in up), *net.states[v]]]
    for cell, row in zip(itertools.product(*(net.states[p] for p in up)), flat, strict=True):
        rows.append([*cell, *map(_shown, row)])
    return "\n".join([*head, *("  " + line for line in _columns(rows))])


def _columns(rows: Sequence[Sequence[str]], left: bool = False) -> list[str]:
    """Lines of columns as wide as they must be, two spaces between them; the first to the left if asked."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if left and k == 0 else text.rjust(width)
            for k, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _shown(value: float) -> str:
    return f"{value:.7g}"
