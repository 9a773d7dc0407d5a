"""From a score cache to the best network, with a bound.

``api``           `bayesloom.search`: limits, constraints and the table of solvers
``auto``          which solvers run, in which order and beside which others
``order_search``  local search over orders
``order_graph``   shortest paths in the graph of orders: exact, in memory or on disk
``relaxation``    branch and bound over a relaxation of acyclicity; ``highs`` its linear program
``warm_start``    initial networks for exact solvers
``result``        `SearchResult`
"""

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_imports(__name__)
