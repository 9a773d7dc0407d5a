"""The bootstrap: the table is drawn anew from its own rows, and learned again each time [friedman1999]."""

from bayesloom.resampling.api import bootstrap
from bayesloom.resampling.result import Bootstrap, BootstrapEdge

__all__ = ["Bootstrap", "BootstrapEdge", "bootstrap"]
