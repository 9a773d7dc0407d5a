"""Bayesloom learns Bayesian network structure from data, and says how good the answer is.

>>> import bayesloom as bl
>>> result = bl.learn({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
>>> result.status
'optimal'
"""

from bayesloom import interrupts as _interrupts

if _interrupts.is_command():  # before the imports that take time: Ctrl-C is one line from here on
    _interrupts.install()

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports as _lazy_imports

if TYPE_CHECKING:
    from bayesloom.averaging.network import AveragedNetwork, averaged_network
    from bayesloom.constraints.model import Constraints
    from bayesloom.credible_sets import CredibleClass, CredibleNetwork, CredibleSet, credible, k_best
    from bayesloom.credible_sets.edge_posterior import EdgePosterior
    from bayesloom.errors import (
        BayesloomError,
        ExecutorError,
        InfeasibleError,
        InputError,
        InternalError,
        ResourceError,
    )
    from bayesloom.learning.api import learn
    from bayesloom.learning.result import LearnResult
    from bayesloom.networks.comparison import Comparison, compare
    from bayesloom.networks.fitted import FittedNetwork
    from bayesloom.networks.formats import read_network
    from bayesloom.networks.gaussian import GaussianNetwork
    from bayesloom.networks.generate import random_network
    from bayesloom.networks.network import Network
    from bayesloom.posterior_sampling.api import posterior
    from bayesloom.posterior_sampling.result import NetworkPosterior
    from bayesloom.progress import ProgressEvent
    from bayesloom.resampling.api import bootstrap
    from bayesloom.resampling.result import Bootstrap
    from bayesloom.scoring.cache import ScoreCache, read_cache
    from bayesloom.scoring.estimation import estimate
    from bayesloom.scoring.merging import merge
    from bayesloom.scoring.parent_sets import score
    from bayesloom.scoring.registry import local_scores, network_scores, scores
    from bayesloom.solvers.api import search
    from bayesloom.solvers.result import SearchResult
    from bayesloom.table import Column, Interventions, Table, read_table
    from bayesloom.verification import Check, Verification, verify, verify_run

# Where each public name lives: imported when it is first used.
_PLACES = {
    "AveragedNetwork": "averaging.network",
    "BayesloomError": "errors",
    "Bootstrap": "resampling.result",
    "Check": "verification.checks",
    "Column": "table.column_records",
    "Comparison": "networks.comparison",
    "Constraints": "constraints.model",
    "CredibleClass": "credible_sets.entries",
    "CredibleNetwork": "credible_sets.entries",
    "CredibleSet": "credible_sets.set",
    "EdgePosterior": "credible_sets.edge_posterior",
    "ExecutorError": "errors",
    "EmResult": "learning.filling_in",
    "FittedNetwork": "networks.fitted",
    "GaussianNetwork": "networks.gaussian",
    "InfeasibleError": "errors",
    "InputError": "errors",
    "InternalError": "errors",
    "Interventions": "table",
    "LearnResult": "learning.result",
    "Network": "networks.network",
    "NetworkPosterior": "posterior_sampling.result",
    "ProgressEvent": "progress",
    "ResourceError": "errors",
    "ScoreCache": "scoring.cache",
    "SearchResult": "solvers.result",
    "Table": "table",
    "Verification": "verification.checks",
    "averaged_network": "averaging.network",
    "bootstrap": "resampling.api",
    "compare": "networks.comparison",
    "credible": "credible_sets.api",
    "estimate": "scoring.estimation",
    "k_best": "credible_sets.k_best_networks",
    "learn": "learning.api",
    "local_scores": "scoring.registry",
    "merge": "scoring.merging",
    "network_scores": "scoring.registry",
    "posterior": "posterior_sampling.api",
    "random_network": "networks.generate",
    "read_cache": "scoring.cache",
    "read_network": "networks.formats",
    "read_table": "table",
    "score": "scoring.parent_sets",
    "scores": "scoring.registry",
    "search": "solvers.api",
    "structural_em": "learning.filling_in",
    "verify": "verification.network",
    "verify_run": "verification.run",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = _lazy_imports(__name__, _PLACES)

__version__ = "0.1.0"

__all__ = [
    "AveragedNetwork",
    "BayesloomError",
    "Bootstrap",
    "Check",
    "Column",
    "Comparison",
    "Constraints",
    "CredibleClass",
    "CredibleNetwork",
    "CredibleSet",
    "EdgePosterior",
    "EmResult",
    "ExecutorError",
    "FittedNetwork",
    "GaussianNetwork",
    "InfeasibleError",
    "InputError",
    "InternalError",
    "Interventions",
    "LearnResult",
    "Network",
    "NetworkPosterior",
    "ProgressEvent",
    "ResourceError",
    "ScoreCache",
    "SearchResult",
    "Table",
    "Verification",
    "averaged_network",
    "bootstrap",
    "compare",
    "credible",
    "estimate",
    "k_best",
    "learn",
    "local_scores",
    "merge",
    "network_scores",
    "posterior",
    "random_network",
    "read_cache",
    "read_network",
    "read_table",
    "score",
    "scores",
    "search",
    "structural_em",
    "verify",
    "verify_run",
]
