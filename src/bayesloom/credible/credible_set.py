"""The credible set as an object: what it claims, what it holds, what its networks agree on."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np

from bayesloom import _core
from bayesloom.cache import ScoreCache
from bayesloom.credible.averages import Averages
from bayesloom.credible.entries import CredibleClasses, CredibleNetworks
from bayesloom.errors import InternalError, ResourceError
from bayesloom.progress import ProgressFunction, kernel_progress
from bayesloom.verify import verify

__all__ = ["CredibleSet"]


class CredibleSet(Averages):
    """All networks within a Bayes factor of the best; made by `credible`.

    Attributes
    ----------
    cache
        The score cache it is about.
    bayes_factor
        F: the networks have scores of at least ``best - ln F - tolerance``.
    tolerance
        Nats by which the limit was lowered; 0 unless asked for.
    best
        The best score.
    best_network
        One best network.
    count
        How many networks there are; an estimate unless `count_is_exact`.
    count_error
        The standard error of an estimated count; 0 for an exact one.
    complete
        Whether the set provably holds every credible network, over all parent sets: the cache is
        complete for this factor and nothing was stopped.  `claim` says it in words.
    seconds
        Time of each stage.
    limit
        How many networks are listed at most; None means all. It never changes the count.
    """

    def __init__(
        self,
        cache: ScoreCache,
        core: _core.CredibleSet,
        *,
        bayes_factor: float,
        tolerance: float,
        limit: int | None,
        counted: Mapping[str, Any],
        seconds: Mapping[str, float],
        progress: ProgressFunction | None,
    ) -> None:
        self.cache = cache
        self.bayes_factor = bayes_factor
        self.tolerance = tolerance
        self.limit = limit
        self.seconds = dict(seconds)
        self.interrupted = bool(counted["interrupted"])
        self.count: int = counted["count"]
        self.count_error: float = counted["error"]
        self.count_is_exact: bool = counted["exact"]
        self._mass: float | None = counted["mass"]
        self._core = core
        self._progress = progress
        self._parents = [
            tuple(map(int, cache.parents[int(a) : int(b)]))
            for a, b in zip(cache.parent_first[:-1], cache.parent_first[1:], strict=True)
        ]
        self.best = _core.to_nats(core.best)
        self.best_network = self._network(np.array(core.best_network))
        check = verify(self.best_network, cache=cache, claimed_score=self.best)
        if not check.ok:
            raise InternalError(f"the best network failed verification: {' '.join(check.problems)}")

    # What it claims

    @property
    def cache_complete(self) -> bool:
        """Whether the cache provably holds every parent set that a credible network can use."""
        factor = self.cache.complete_factor
        return factor is not None and factor >= self.bayes_factor * math.exp(self.tolerance)

    @property
    def complete(self) -> bool:
        """Whether the set provably holds every credible network, and was counted to the end."""
        return self.cache_complete and self.count_is_exact

    @property
    def claim(self) -> str:
        """What is proved, in words."""
        limit = self.cache.info.get("max_parents")
        among = "" if limit is None else f" with at most {limit} parents each"
        number = f"{self.count:,}" if self.count_is_exact else f"about {self.count:,}"
        error = "" if self.count_is_exact else f" (estimated, standard error {self.count_error:.2g})"
        within = f"within Bayes factor {self.bayes_factor:g} of the best"
        if self.cache_complete:
            return f"{number} networks{among} are {within}{error}"
        return f"{number} networks over the candidates scored are {within}{error}; there may be others"

    @property
    def component_sizes(self) -> list[int]:
        """How many variables hang together in each independent part, largest first."""
        return list(self._core.component_sizes)

    # What it holds

    @property
    def networks(self) -> CredibleNetworks:
        """The networks, listed as they are asked for, at most `limit` of them."""
        return CredibleNetworks(self, self.limit)

    @cached_property
    def classes(self) -> CredibleClasses:
        """The equivalence classes. All networks are listed once to find them.

        Raises
        ------
        ResourceError
            If the classes do not fit the memory, or Ctrl-C stopped the listing.
        """
        found = self._core.classes(progress=kernel_progress(self._progress, "classes"))
        if found is None:
            raise ResourceError("listing the equivalence classes was stopped.")
        return CredibleClasses(self, found)

    # Files

    def write(self, path: str | os.PathLike[str], *, by: Literal["network", "class"] = "network") -> int:
        """Write the networks, or one network per class, at most `limit` of them; return how many.

        The file has one JSON object per line: ``{"score": .., "parents": {name: [names]}}``, for
        classes also ``members``, ``size`` and ``posterior``. A name that ends in ``.gz`` is packed.
        """
        from bayesloom.credible.files import write_classes, write_networks

        if by == "class":
            return write_classes(self.classes, path, self.limit)
        return write_networks(self._core, path, self.limit)

    def to_json(self) -> dict[str, Any]:
        """Return the set as a dictionary of plain values, as ``--json`` writes it."""
        return {
            "count": self.count,
            "count_is_exact": self.count_is_exact,
            "count_error": self.count_error,
            "complete": self.complete,
            "claim": self.claim,
            "best": self.best,
            "bayes_factor": self.bayes_factor,
            "tolerance": self.tolerance,
            "components": self.component_sizes,
            "seconds": {name: round(value, 6) for name, value in self.seconds.items()},
            "variables": list(self.names),
            "parents": {name: list(up) for name, up in self.best_network.parents.items()},
        }

    def __repr__(self) -> str:
        number = f"{self.count:,}" if self.count_is_exact else f"about {self.count:,}"
        return f"<CredibleSet: {number} networks within Bayes factor {self.bayes_factor:g}>"
