"""The bootstrap: draw rows of the table with replacement, learn a network, and repeat [friedman1999]."""

from bayesloom.resampling.api import bootstrap
from bayesloom.resampling.result import Bootstrap, BootstrapEdge

__all__ = ["Bootstrap", "BootstrapEdge", "bootstrap"]
