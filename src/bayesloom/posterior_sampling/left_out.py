"""What the parent sets that a cache leaves out could add to the posterior: a bound.

A cache that is complete for a factor F lacks a parent set P only if it keeps a subset A of P that scores
higher by at least ln F.  In any network, replace every missing set P by such an A: this removes edges, so it
makes no cycle.  At most D_i sets of variable i map to the same A, where D_i is the number of sets that its
list lacks, and each of them weighs at most 1/F of A.  So

    mass of all networks  <=  mass of those over the cache  x  product over i of (1 + D_i / F)

and the share that is left out is at most ``1 - product of 1 / (1 + D_i / F)``.  If the cache has a parent
limit, this is the share among networks that keep the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bayesloom.scoring.cache import ScoreCache
from bayesloom.words import counted, what_is_kept, with_at_most

__all__ = ["LeftOut", "factor_for", "left_out_of"]

NEXT_TO_NOTHING = 1e-12
"""A share below which nobody asks how small it is."""

NEXT_TO_ALL = 0.995
"""A bound on a share from which on it says nothing: two digits of it are 1."""


@dataclass(frozen=True)
class LeftOut:
    """How much of the posterior of all networks lies outside the candidates of a cache.

    Attributes
    ----------
    most
        At most this share; None if nothing is known.
    among
        Of which networks, in words.

    Examples
    --------
    >>> print(LeftOut(0.002, "all networks over 5 variables"))
    at most 0.002 of the posterior mass of all networks over 5 variables is left out
    >>> print(LeftOut(0.9999, "all networks over 5 variables"))
    how much of the posterior mass of all networks over 5 variables is left out is not known: it may be \
nearly all
    """

    most: float | None
    among: str

    def __str__(self) -> str:
        if self.most is None:
            return (
                "how much of the posterior mass of all networks the candidates leave out is not known: not"
                " all parent sets that can matter were scored"
            )
        if self.most >= NEXT_TO_ALL:
            return (
                f"how much of the posterior mass of {self.among} is left out is not known: it may be"
                " nearly all"
            )
        if self.most == 0:
            return f"nothing of the posterior mass of {self.among} is left out"
        share = (
            f"less than {NEXT_TO_NOTHING:g}" if self.most < NEXT_TO_NOTHING else f"at most {self.most:.2g}"
        )
        return f"{share} of the posterior mass of {self.among} is left out"


def sets_of(others: int, limit: int | None) -> float:
    """Return how many parent sets there are among so many other variables, up to a limit.

    >>> sets_of(4, 2), sets_of(4, None)
    (11.0, 16.0)
    """
    if limit is None or limit >= others:
        return 2.0**others if others < 1000 else math.inf
    return float(sum(math.comb(others, size) for size in range(limit + 1)))


def left_out_of(cache: ScoreCache) -> LeftOut:
    """Return what the candidates of a cache leave out at most.

    >>> cache = ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-2, []), (-3, ["a"])]})
    >>> left_out_of(cache).most is None
    True
    """
    n = cache.variable_count
    limit = cache.info.get("max_parents")
    held = cache.info.get("constraints")
    kept = f" that keep {what_is_kept(held)}" if held else ""
    among = f"all networks over {counted(n, 'variable')}{with_at_most(limit)}{kept}"
    factor = cache.complete_factor
    if factor is None:
        return LeftOut(None, among)
    logs = []
    for v in range(n):
        have = int(cache.first[v + 1]) - int(cache.first[v])
        missing = max(0.0, sets_of(n - 1, limit) - have)
        logs.append(math.log1p(missing / factor))
    return LeftOut(-math.expm1(-math.fsum(logs)), among)


def factor_for(share: float, variables: int, max_parents: int | None) -> float:
    """Return the Bayes factor to score a table with so that at most a share of the mass is left out.

    >>> round(factor_for(0.01, 5, 2))
    5500
    """
    return min(1e300, max(1.0, variables * sets_of(variables - 1, max_parents) / share))
