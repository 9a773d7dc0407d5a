"""The k best networks, or classes, of a score cache."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from bayesloom.cache import ScoreCache
from bayesloom.credible.entries import CredibleClass, CredibleNetwork
from bayesloom.credible.find import credible
from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.network import Network
from bayesloom.progress import ProgressFunction

__all__ = ["KBest", "k_best"]


@dataclass(frozen=True)
class KBest:
    """The k best networks, or classes.

    Attributes
    ----------
    entries
        `CredibleNetwork` or `CredibleClass` entries, best first; fewer than k if there are no more.
    bayes_factor
        The factor between the best and the last of them.
    complete
        Whether no network outside the cache can be among them.
    """

    entries: tuple[CredibleNetwork, ...] | tuple[CredibleClass, ...]
    bayes_factor: float
    complete: bool

    @property
    def networks(self) -> list[Network]:
        """The networks, best first."""
        return [entry.network for entry in self.entries]


def k_best(
    cache: ScoreCache,
    k: int,
    *,
    by: Literal["network", "class"] = "network",
    threads: int | None = None,
    memory: float | None = None,
    progress: ProgressFunction | None = None,
) -> KBest:
    """Find the k best networks over a score cache, or one network of each of the k best classes.

    The Bayes factor is widened until the credible set has k members; then these are listed and sorted.
    Among equal scores the choice at the end is that of the walk, the same every time.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = {"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}
    >>> best = k_best(bl.score(table, bayes_factor=1e9), 3)
    >>> [(entry.network.edges, round(entry.score, 2)) for entry in best.entries]
    [([('wet', 'rain')], -18.36), ([('rain', 'wet')], -18.36), ([], -30.72)]
    """
    check_count("k", k, least=1)
    if by not in ("network", "class"):
        raise InputError(f"by must be 'network' or 'class', got {by!r}.")
    nats = 1.0
    before = -1
    while True:
        found = credible(cache, math.exp(nats), threads=threads, memory=memory, progress=progress)
        size = found.count if by == "network" else found.classes.count
        if size >= k or (size == before and nats > 64):
            break
        before = size
        nats = min(2 * nats, 700.0)
        if nats == 700.0 and size == before:
            found = credible(cache, math.exp(nats), threads=threads, memory=memory, progress=progress)
            break
    listed: list[Any] = list(found.classes) if by == "class" else list(found.networks.with_scores())
    listed.sort(key=lambda entry: -entry.score)
    entries = tuple(listed[:k])
    factor = math.exp(min(700.0, entries[0].score - entries[-1].score))
    proved = cache.complete_factor is not None and cache.complete_factor >= factor and len(entries) == k
    return KBest(entries=entries, bayes_factor=factor, complete=proved)
