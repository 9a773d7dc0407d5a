"""Random score caches x solvers x formats, against all networks or a plain dynamic programme.

Caches that no table gives: few steps, so that ties are everywhere; dense or sparse; with sets that others
dominate; in groups without parents across; without empty sets, so that there may be no network at all. Branch
and bound is also run with parts of it left out, so that no part hides what another does wrong.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import bayesloom as bl
from bayesloom.errors import InfeasibleError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.api import SOLVERS
from fuzz.table_cases import EVERY_SOLVER
from fuzz.truth import NEAR, Truth

WITHOUT: dict[str, dict[str, Any]] = {
    "moves": {"moves": 0},
    "branching": {"moves": 0, "branch": False},
    "sets": {"moves": 0, "sets": "never"},
    "a gap of zero": {"moves": 0, "target_gap": 0.5},
}
"""What is left out of branch and bound, and the options that do so."""

Lists = tuple[tuple[tuple[float, tuple[int, ...]], ...], ...]


@dataclass(frozen=True)
class CacheCase:
    lists: Lists
    solvers: tuple[str, ...] = EVERY_SOLVER
    work_limit: int | None = None
    factor: float | None = None
    format: str | None = None
    threads: int = 1
    seed: int = 0
    without: str | None = None

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_plain(cls, given: dict[str, Any]) -> CacheCase:
        lists = tuple(tuple((score, tuple(parents)) for score, parents in one) for one in given["lists"])
        return cls(**{**given, "lists": lists, "solvers": tuple(given["solvers"])})

    @property
    def cache(self) -> ScoreCache:
        names = [f"x{v}" for v in range(len(self.lists))]
        lists = {
            names[v]: [(score, [names[u] for u in parents]) for score, parents in one]
            for v, one in enumerate(self.lists)
        }
        return ScoreCache.from_candidates(names, lists)


def random_case(seed: int) -> CacheCase:
    rng = random.Random(seed)
    n = rng.choices((1, 2, 3, 4, 5, 6, 7, 8, 10, 12), (1, 2, 10, 25, 30, 12, 10, 6, 3, 1))[0]
    unit, steps = rng.choice(
        ((1.0, 3), (0.25, 12), (0.25, 1), (2.0**-30, 3), (1e6, 12), (0.1, 10), (1e-5, 10**6), (1000.0, 0))
    )  # no steps: of an exponential distribution
    most = rng.choice((1, 2, 3, n - 1)) if n > 1 else 0
    density = rng.choice((1, 3, 8, 40))
    groups = rng.choice((1, 1, 2, 3))
    n *= groups
    empty = rng.choice((1.0, 1.0, 1.0, 0.8))  # how often a variable may stay without parents
    lists = []
    for v in range(n):
        others = [u for u in range(n) if u != v and u % groups == v % groups]
        largest = min(most, len(others))
        sets = {tuple(sorted(rng.sample(others, rng.randint(0, largest)))) for _ in range(density)}
        sets |= {()} if rng.random() < empty else set()
        sets = sets or {tuple(others)}
        lists.append(
            tuple(
                (-unit * (rng.randint(0, steps) if steps else rng.expovariate(1)), parents)
                for parents in sorted(sets)
            )
        )
    return CacheCase(
        tuple(lists),
        solvers=tuple(rng.sample(EVERY_SOLVER, 4)),
        work_limit=rng.choice((None, None, 1, 30, 1000)),
        factor=rng.choice((None, 1.0, 2.0, 20.0)) if n <= 5 else None,
        format=rng.choice((None, None, "blc", "jkl", "pss", "blc.gz")),
        threads=rng.choice((1, 1, 1, 2)),
        seed=rng.randrange(1000),
        without=rng.choice((None, *WITHOUT)),
    )


def check(case: CacheCase) -> tuple[int, list[str]]:
    claims, wrong = 0, list[str]()

    def claim(holds: bool, words: str) -> None:
        nonlocal claims
        claims += 1
        if not holds:
            wrong.append(words)

    try:
        _run(case, claim)
    except Exception as error:
        wrong.append(f"error: {type(error).__name__}: {error}")
    return claims, wrong


class Truths:
    """What is true of a cache whose variables fall into groups without parents across: of each, the truth."""

    def __init__(self, lists: Lists) -> None:
        group = list(range(len(lists)))
        for v, one in enumerate(lists):
            for u in {u for _, parents in one for u in parents}:
                group = [group[v] if g == group[u] else g for g in group]
        self.n = len(lists)
        self.members = [[v for v in range(self.n) if group[v] == g] for g in sorted(set(group))]
        self.parts = []
        for own in self.members:
            held = np.full((len(own), 2 ** len(own)), -np.inf)
            for k, v in enumerate(own):
                for score, parents in lists[v]:
                    held[k, sum(1 << own.index(u) for u in parents)] = score
            self.parts.append(Truth(held))
        best = [part.best for part in self.parts]
        self.best = None if None in best else float(sum(one for one in best if one is not None))

    def score_of(self, network: list[list[int]]) -> float:
        """The score of a network, given by the parents of each variable."""
        return sum(
            part.score_of([sum(1 << own.index(u) for u in network[v]) for v in own])
            if all(u in own for v in own for u in network[v])
            else -np.inf
            for own, part in zip(self.members, self.parts, strict=True)
        )

    @property
    def all_scores(self) -> np.ndarray:
        """The score of every network."""
        found = np.zeros(1)
        for part in self.parts:
            found = np.add.outer(found, part.all_scores).ravel()
        return found


def _run(case: CacheCase, claim: Any) -> None:
    truth = Truths(case.lists)
    # Fixed point keeps 2^-30 nat, and doubles of a million nats no more.
    largest = max(abs(score) for one in case.lists for score, _ in one)
    near = NEAR * max(1.0, largest / 1000)
    cache = case.cache
    if case.format:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"c.{case.format}"
            cache.write(path)
            again = ScoreCache.read(path)
            claim(again == cache, f"format: {case.format} gives another cache")
            cache = again
            _solve(case, cache, truth, near, claim)
            return
    _solve(case, cache, truth, near, claim)


def _solve(case: CacheCase, cache: ScoreCache, truth: Truths, near: float, claim: Any) -> None:
    names = list(cache.names)
    for solver in case.solvers:
        exact = solver == "auto" or SOLVERS[solver].exact
        usual = None if exact else 2000
        for limit in dict.fromkeys((case.work_limit or usual, usual)):
            try:
                left_out = WITHOUT[case.without] if case.without and solver == "bblp" else {}
                found = bl.search(
                    cache,
                    solver=solver,
                    threads=case.threads,
                    memory=1,
                    seed=case.seed,
                    work_limit=limit,
                    options=left_out or None,
                )
            except InfeasibleError as error:
                claim(truth.best is None, f"infeasible: {solver}: {error}")
                continue
            if truth.best is None:
                claim(False, f"feasible: {solver} gives an answer where there is no network")
                continue
            own = truth.score_of(
                [[names.index(p) for p in found.network.parents[f"x{v}"]] for v in range(truth.n)]
            )
            claim(abs(own - found.score) <= near, f"score: {solver} says {found.score}, it is {own}")
            claim(
                found.bound >= truth.best - near,
                f"bound: {solver} says {found.bound}, the best is {truth.best}",
            )
            claim(not found.complete, f"complete: {solver} says so of a cache that nobody certified")
            if found.status == "optimal":
                claim(
                    abs(found.score - truth.best) <= near and found.gap == 0,
                    f"optimal: {solver} says {found.score}, the best is {truth.best}",
                )
            else:
                claim(bool(limit or left_out), f"stopped: {solver} was not stopped and proves nothing")
    if case.factor is not None and truth.best is not None:
        found = bl.credible(cache, case.factor, threads=case.threads)
        loss = math.log(case.factor)
        low, high = (int((truth.all_scores >= truth.best - loss + slip).sum()) for slip in (near, -near))
        claim(not found.complete, "complete: credible says so of a cache that nobody certified")
        if found.count_is_exact:
            claim(low <= found.count <= high, f"count: {found.count}, there are {low} to {high}")


def smaller(case: CacheCase) -> Iterator[CacheCase]:
    for change in ({"format": None}, {"factor": None}, {"work_limit": None}, {"threads": 1}):
        if getattr(case, *change) != next(iter(change.values())):
            yield replace(case, **change)
    for k in range(len(case.solvers)):
        yield replace(case, solvers=case.solvers[:k] + case.solvers[k + 1 :])
    for v in range(len(case.lists)):
        if len(case.lists) > 1:
            lists = []
            for u, one in enumerate(case.lists):
                if u != v:
                    kept = [
                        (s, tuple(p - (p > v) for p in parents)) for s, parents in one if v not in parents
                    ]
                    lists.append(tuple(kept))
            if all(lists):
                yield replace(case, lists=tuple(lists))
    for v, one in enumerate(case.lists):
        for k in range(len(one)):
            if len(one) > 1:
                lists = list(case.lists)
                lists[v] = one[:k] + one[k + 1 :]
                yield replace(case, lists=tuple(lists))
