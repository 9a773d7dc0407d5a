"""Local scores as the textbooks write them: counts in dictionaries, one formula per score.

``rows`` is a list of tuples of states.  The symbols are those of ``src/core/check/local_score.hpp``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import comb, factorial, fsum, lgamma, log, prod

Rows = Sequence[tuple[int, ...]]


def counts(rows: Rows, variable: int, parents: Sequence[int]) -> dict[tuple[int, ...], Counter[int]]:
    """Return N_jk: for each parent state that occurs the states of the variable."""
    result: dict[tuple[int, ...], Counter[int]] = {}
    for row in rows:
        result.setdefault(tuple(row[p] for p in parents), Counter())[row[variable]] += 1
    return result


def log_likelihood(rows: Rows, variable: int, parents: Sequence[int]) -> float:
    n = counts(rows, variable, parents)
    return fsum(n_jk * log(n_jk / n_j.total()) for n_j in n.values() for n_jk in n_j.values())


def dirichlet(rows: Rows, variable: int, parents: Sequence[int], a_j: float, a_jk: float) -> float:
    terms = []
    for n_j in counts(rows, variable, parents).values():
        terms.append(lgamma(a_j) - lgamma(n_j.total() + a_j))
        terms += [lgamma(n_jk + a_jk) - lgamma(a_jk) for n_jk in n_j.values()]
    return fsum(terms)


def compositions(n: int, k: int) -> Iterator[tuple[int, ...]]:
    """Yield all (h_1, ..., h_k) of whole numbers >= 0 with sum n."""
    if k == 1:
        yield (n,)
        return
    for h in range(n + 1):
        for rest in compositions(n - h, k - 1):
            yield (h, *rest)


@cache
def normalizer(n: int, k: int) -> Fraction:
    """Return C(n, k) by its definition: a sum over all counts of n rows in k states."""
    total = Fraction(0)
    for counted in compositions(n, k):
        ways = factorial(n) // prod(map(factorial, counted))
        total += ways * prod(Fraction(h, n) ** h for h in counted if h > 0)
    return total


@cache
def normalizer_by_recurrence(n: int, k: int) -> Fraction:
    """Return C(n, k) exactly for larger k, from C(n, 1) and C(n, 2)."""
    if n == 0 or k == 1:
        return Fraction(1)
    before = Fraction(1)
    now = sum(
        (comb(n, h) * Fraction(h, n) ** h * Fraction(n - h, n) ** (n - h) for h in range(n + 1)), Fraction()
    )
    for i in range(1, k - 1):
        before, now = now, now + Fraction(n, i) * before
    return now


def log_fraction(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator)


def local_score(
    rows: Rows,
    cardinalities: Sequence[int],
    variable: int,
    parents: Sequence[int],
    score: str,
    ess: float = 1.0,
    gamma: float = 1.0,
    penalty: float = 1.0,
) -> float:
    r = cardinalities[variable]
    q = prod(cardinalities[p] for p in parents)
    n = len(rows)
    n_jk = counts(rows, variable, parents)
    match score:
        case "bic":
            return log_likelihood(rows, variable, parents) - penalty * log(n) / 2 * (r - 1) * q
        case "ebic":
            bic = log_likelihood(rows, variable, parents) - log(n) / 2 * (r - 1) * q
            return bic - gamma * log(max(1, len(cardinalities) - 1)) * len(parents)
        case "aic":
            return log_likelihood(rows, variable, parents) - (r - 1) * q
        case "bdeu":
            return dirichlet(rows, variable, parents, ess / q, ess / (q * r))
        case "bds":
            return dirichlet(rows, variable, parents, ess / len(n_jk), ess / (len(n_jk) * r))
        case "k2":
            exact = prod(
                Fraction(
                    factorial(r - 1) * prod(map(factorial, n_j.values())), factorial(n_j.total() + r - 1)
                )
                for n_j in n_jk.values()
            )
            return log_fraction(Fraction(exact))
        case "fnml":
            regret = fsum(log_fraction(normalizer_by_recurrence(n_j.total(), r)) for n_j in n_jk.values())
            return log_likelihood(rows, variable, parents) - regret
        case "qnml":
            regret = log_fraction(normalizer_by_recurrence(n, q * r) / normalizer_by_recurrence(n, q))
            return log_likelihood(rows, variable, parents) - regret
    raise ValueError(score)
