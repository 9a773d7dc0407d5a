"""Write a learned network to a file: with its probabilities if it has any, else its structure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bayesloom.errors import InputError

if TYPE_CHECKING:
    from bayesloom.networks.formats._format import AnyNetwork
    from bayesloom.networks.network import Network
    from bayesloom.table import Table

__all__ = ["fittable_network"]


def fittable_network(
    network: Network, table: Table, path: str | os.PathLike[str], format: str | None = None
) -> AnyNetwork:
    """Return the network with probabilities fitted to the table, or alone where none can be or need be.

    >>> import bayesloom as bl
    >>> table = bl.read_table({"rain": ["no", "yes", "no"], "wet": ["no", "yes", "yes"]})
    >>> type(fittable_network(bl.Network(["rain", "wet"], {}), table, "x.bif")).__name__
    'FittedNetwork'
    """
    from bayesloom.networks.formats import format_of

    try:
        fitted: AnyNetwork = network.fit(table, method="dirichlet")
        return fitted
    except InputError:  # a continuous parent of a discrete variable, which some scores allow
        if format_of(path, format).holds_probabilities:
            raise
        return network
