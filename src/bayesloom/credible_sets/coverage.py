"""The coverage of a credible set: its share of the posterior of all networks.

The posterior of a network is ``exp(score)`` over the sum of that over all networks; the sum is found exactly,
without listing them, for components of up to 18 variables
(``src/core/credible/averages/total_weight.hpp``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bayesloom import _core
from bayesloom.credible_sets.stages import Run, StageClock
from bayesloom.errors import InputError, ResourceError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import orders_of
from bayesloom.scoring.parent_sets import score as score_parent_sets
from bayesloom.scoring.registry import table_again
from bayesloom.words import counted, with_at_most

__all__ = ["Coverage"]


@dataclass(frozen=True)
class Coverage:
    """A share of posterior mass, and what it is a share of.

    Attributes
    ----------
    share
        The mass of the credible set over the mass of all networks that `among` speaks of.
    log_total
        ln of the sum of ``exp(score)`` over those.
    among
        Which networks, in words.
    all_networks
        Whether these are all networks there are, up to a limit on parents that `among` tells.

    Examples
    --------
    >>> import bayesloom as bl
    >>> found = bl.credible({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}, bayes_factor=20)
    >>> print(found.coverage())
    they hold 0.999998 of the posterior mass of all networks over 2 variables
    """

    share: float
    log_total: float
    among: str
    all_networks: bool

    def __str__(self) -> str:
        return f"they hold {self.share:.6g} of the posterior mass of {self.among}"


def score_all(table: object, cache: ScoreCache, run: Run, clock: StageClock) -> ScoreCache:
    """Score a table as a cache was scored, with every parent set that matters to a sum over all networks.

    What is left out lies more than 690 nats below a subset, which stands in for it in any network.
    """
    given = table_again(table, cache.info.get("score"), cache.info.get("reading"))
    if given.names != cache.names:
        raise InputError("the table does not have the variables of the score cache.")
    if cache.info.get("score") is None:
        raise InputError(
            "the score cache does not say which score it has, so the table cannot be scored like it."
        )
    everything = score_parent_sets(
        given,
        score=str(cache.info["score"]),
        options=cache.info.get("options"),
        max_parents=cache.info.get("max_parents"),
        bayes_factor=1e300,
        time_limit=clock.left(),
        threads=run.threads,
        memory=run.memory,
        progress=run.progress,
    )
    if not everything.complete:
        raise ResourceError("the time limit ended before all parent sets were scored.")
    return everything


def coverage_of(
    log_mass: float,
    best: int,
    cache: ScoreCache,
    *,
    of_table: bool,
    threads: int,
    memory_bytes: float,
    seconds: float | None,
) -> Coverage | None:
    """Return the coverage of a set of mass ``exp(log_mass)`` times that of its best network.

    `cache` holds the candidates of all networks; None if the time ended.
    """
    orders = orders_of(cache)
    found = _core.log_total_weight(
        cache.core, best, orders, threads=threads, memory_bytes=memory_bytes, seconds=seconds
    )
    if found is None:
        return None
    n = cache.variable_count
    limit = cache.info.get("max_parents")
    among = f"all networks over {counted(n, 'variable')}{with_at_most(limit)}"
    if not of_table:
        kept = " that keep the orders" if orders else ""
        among = f"the networks{kept} over the {cache.candidate_count:,} candidates of the cache"
    return Coverage(
        share=min(1.0, math.exp(log_mass - found)),
        log_total=found + _core.to_nats(best),
        among=among,
        all_networks=of_table,
    )
