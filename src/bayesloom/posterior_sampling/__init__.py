"""The posterior over all networks, at any number of variables: exact sums, or chains over partitions.

The kernels are in ``src/core/posterior``; what the numbers mean is told in ``docs/how_sure.md``.
"""

from bayesloom.posterior_sampling.api import posterior
from bayesloom.posterior_sampling.diagnostics import Diagnostics
from bayesloom.posterior_sampling.left_out import LeftOut
from bayesloom.posterior_sampling.result import NetworkPosterior

__all__ = ["Diagnostics", "LeftOut", "NetworkPosterior", "posterior"]
