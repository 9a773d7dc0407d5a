"""The posterior over all networks, at any number of variables: exact sums, or chains over partitions.

The kernels are in ``src/core/posterior``; ``docs/how_sure.md`` explains the numbers.
"""

from bayesloom.posterior_sampling.api import posterior
from bayesloom.posterior_sampling.diagnostics import Diagnostics
from bayesloom.posterior_sampling.left_out import LeftOut
from bayesloom.posterior_sampling.result import NetworkPosterior

__all__ = ["Diagnostics", "LeftOut", "NetworkPosterior", "posterior"]
