"""All credible networks, not one: every network within a Bayes factor of the best.

With few rows many networks score almost the same and disagree about edges.  The credible set for a
Bayes factor F holds every network with ``score >= best - ln F``; asked together they say which
edges the table supports [liao2018].  The kernels are in ``src/core/credible``.

Scores are whole numbers of 2^-30 nat inside, so the limit is exact.  For scores with `Score.equivalent`
equivalent networks have exactly equal scores, and over a cache that is complete for F the set consists of
whole equivalence classes, unless constraints cut them.
"""

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from bayesloom.credible_sets.api import credible
    from bayesloom.credible_sets.coverage import Coverage
    from bayesloom.credible_sets.entries import (
        CredibleClass,
        CredibleClasses,
        CredibleNetwork,
        CredibleNetworks,
    )
    from bayesloom.credible_sets.k_best_networks import KBest, k_best
    from bayesloom.credible_sets.posteriors import PairPosterior, Posterior
    from bayesloom.credible_sets.set import CredibleSet
else:
    __getattr__, __dir__ = lazy_imports(
        __name__,
        {
            "Coverage": "coverage",
            "CredibleClass": "entries",
            "CredibleClasses": "entries",
            "CredibleNetwork": "entries",
            "CredibleNetworks": "entries",
            "CredibleSet": "set",
            "KBest": "k_best_networks",
            "PairPosterior": "posteriors",
            "Posterior": "posteriors",
            "credible": "api",
            "k_best": "k_best_networks",
        },
    )

__all__ = [
    "Coverage",
    "CredibleClass",
    "CredibleClasses",
    "CredibleNetwork",
    "CredibleNetworks",
    "CredibleSet",
    "KBest",
    "PairPosterior",
    "Posterior",
    "credible",
    "k_best",
]
