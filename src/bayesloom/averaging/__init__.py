"""From how probable each edge is to one network: the one that is nearest to all of them on average."""

from bayesloom.averaging.network import AveragedNetwork, averaged_network

__all__ = ["AveragedNetwork", "averaged_network"]
