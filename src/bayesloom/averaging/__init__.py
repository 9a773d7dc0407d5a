"""From edge probabilities to one network: the one of least mean distance from all of them."""

from bayesloom.averaging.network import AveragedNetwork, averaged_network

__all__ = ["AveragedNetwork", "averaged_network"]
