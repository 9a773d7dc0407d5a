"""Random score caches x ways to a proof that a plain search hides, to the last unit.

Branch and bound over dual prices and a floor that are given, with parts of it left out; its parts searched
each by itself; subtrees on workers; branch and cut; searches under constraints, limits and options together,
on any number of threads, with a certificate. Scores are whole units of 2^-30 nat, so that nothing is near: a
claim holds or it does not. Caches are of groups too, without parents across or with parents in groups before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import numpy as np

import bayesloom as bl
from bayesloom import _core
from bayesloom.cluster.executors import opened
from bayesloom.cluster.workers import TaskLimits
from bayesloom.errors import InfeasibleError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.highs import HighsProgram
from bayesloom.solvers.protocol import SearchLimits
from bayesloom.solvers.relaxation import Bblp
from bayesloom.solvers.subtrees import SubtreeOptions, prove_on
from bayesloom.verification.certificate import certificate_text, check_certificate, parsed
from fuzz.table_cases import random_rules
from fuzz.truth import Truth, allowed_sets

UNITS = 2**30
NONE = -(2**61)  # below any score
LP = find_spec("highspy") is not None
SETS = ("in turns", "never", "only")
GAPS = (0.0, 0.0, 0.0, 2.0**-30, 0.5, 1000.0)

Lists = tuple[tuple[tuple[int, tuple[int, ...]], ...], ...]
Claim = Callable[[bool, str], None]
Inequality = tuple[list[int], int, int, list[int]]


@dataclass(frozen=True)
class ProofCase:
    lists: Lists  # of each variable: loss in units, and parents
    way: str
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    rules: dict[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_plain(cls, given: dict[str, Any]) -> ProofCase:
        lists = tuple(tuple((loss, tuple(parents)) for loss, parents in one) for one in given["lists"])
        return cls(**{**given, "lists": lists})

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"x{v}" for v in range(len(self.lists)))

    @property
    def cache(self) -> ScoreCache:
        names = self.names
        return ScoreCache.from_candidates(
            names,
            {
                names[v]: [(-loss / UNITS, [names[u] for u in parents]) for loss, parents in one]
                for v, one in enumerate(self.lists)
            },
        )

    @property
    def truth(self) -> Truth:
        """In units: whole numbers, which sums of doubles keep."""
        n = len(self.lists)
        held = np.full((n, 2**n), -np.inf)
        for v, one in enumerate(self.lists):
            for loss, parents in one:
                held[v, sum(1 << u for u in parents)] = -loss
        before = tuple((self.names.index(a), self.names.index(b)) for a, b in self.rules.get("before", ()))
        return Truth(np.where(allowed_sets(self.names, self.rules, None), held, -np.inf), before)


# Making cases


def random_lists(rng: random.Random, n: int) -> Lists:
    most_loss = rng.choice((2, 12, 2**16, 2**30, 2**36, 2**44))
    most = rng.choice((1, 2, 3, max(1, n - 1)))
    density = rng.choice((1, 3, 8, 25))
    groups = rng.choice((1, 1, 2, 3))
    across = groups > 1 and rng.random() < 0.5
    empty = rng.choice((1.0, 1.0, 0.8, 0.4))
    shuffled = rng.sample(range(n), n)  # positions do not tell the group
    lists = []
    for v in range(n):
        own = shuffled[v] % groups
        others = [
            u
            for u in range(n)
            if u != v and (shuffled[u] % groups == own or (across and shuffled[u] % groups < own))
        ]
        largest = min(most, len(others))
        sets = {tuple(sorted(rng.sample(others, rng.randint(0, largest)))) for _ in range(density)}
        sets |= {()} if rng.random() < empty else set()
        sets = sets or {()}
        by_size = rng.random() < 0.3  # larger sets are better, as in tables
        lists.append(
            tuple(
                (rng.randint(0, most_loss) // (1 + len(parents) if by_size else 1), parents)
                for parents in sorted(sets)
            )
        )
    return tuple(lists)


def divided_lists(rng: random.Random, n: int) -> Lists:
    """All parent sets up to a size, those of two and more worth much the same: shares of a half solve the
    relaxation, and branch and cut makes cuts in every third cache or so."""
    most = rng.choice((2, 3, n - 1))
    size = rng.choice((4, 12, 40, 2**20, 2**31, 2**40))
    noise = max(1, int(size * rng.choice((0.05, 0.25, 0.5))))
    sets = [s for k in range(min(most, n - 1) + 1) for s in combinations(range(n), k)]
    return tuple(
        tuple(
            (round(size * (2 - min(len(s), 2)) ** 0.9) + rng.randint(0, noise), s) for s in sets if v not in s
        )
        for v in range(n)
    )


def random_case(seed: int) -> ProofCase:
    rng = random.Random(seed)
    way = rng.choices(("prices", "part", "subtrees", "cuts", "search"), (3, 3, 3, 2, 4))[0]
    n = rng.choices((2, 3, 4, 5, 6, 7, 8, 9, 10), (1, 4, 8, 10, 8, 6, 5, 4, 2))[0]
    if way == "search":
        n = min(n, 5) if rng.random() < 0.7 else n
    divided = way == "cuts" and rng.random() < 0.7
    lists = divided_lists(rng, max(4, min(n, 8))) if divided else random_lists(rng, n)
    options: dict[str, Any] = {
        "moves": rng.choice((0, 0, 0, 30, 1000)),
        "sets": rng.choice(SETS[:2] if way in ("part", "subtrees") else SETS),
        "work": rng.choice((None, None, None, 1, 30, 1000)),
        "target_gap": rng.choice(GAPS) if way != "part" else 0.0,
        "threads": rng.choice((1, 1, 2, 16)),
    }
    if way in ("prices", "part"):
        options["prices"] = rng.choice(("none", "own", "own", "random"))
        options["times"] = rng.choice((1, 1, 2, 3))
    if way == "prices":
        options |= {
            "branch": rng.random() < 0.8,
            "cuts": rng.choice((0, 1, 8)),
            "components": rng.random() < 0.3,
            "lp": rng.random() < 0.1,
            "first_turn": rng.choice((1, 10, 100, 30_000)),
        }
    if way in ("part", "cuts"):
        options["floor"] = rng.choice((NONE, -(2**40), -(2**31), -5, -1, 0, 0, 1, 2**31))
    if way in ("part", "subtrees"):
        options["subtrees"] = rng.choice((2, 3, 8, 16))
    if way == "subtrees":
        options |= {
            "first_work": rng.choice((1, 20, 300)),
            "divide_work": rng.choice((1, 30, 400)),
            "task_work": rng.choice((1, 40, 2000)),
            "start": rng.random() < 0.5,
        }
    if way == "search":
        options |= {
            "solver": rng.choice(("bblp", "bblp", "bblp", "auto", "dp", "astar", "bfbnb")),
            "branch": rng.random() < 0.9,
            "lp": rng.random() < 0.1,
            "certificate": rng.random() < 0.4,
            "start": rng.random() < 0.3,
        }
    rules: dict[str, Any] = {}
    if way == "search" and rng.random() < 0.6:
        rules = random_rules(rng, tuple(f"x{v}" for v in range(n)))
        if n > 5:
            rules.pop("before", None)
    return ProofCase(lists, way, rng.randrange(1000), options, rules)


# Checking them


def check(case: ProofCase) -> tuple[int, list[str]]:
    claims, wrong = 0, list[str]()

    def claim(holds: bool, words: str) -> None:
        nonlocal claims
        claims += 1
        if not holds:
            wrong.append(words)

    try:
        WAYS[case.way](case, claim)
    except Exception as error:
        wrong.append(f"error: {type(error).__name__}: {error}")
    return claims, wrong


class Held:
    """A cache with what is true of it."""

    def __init__(self, case: ProofCase, claim: Claim) -> None:
        self.case, self.claim = case, claim
        self.truth, self.cache = case.truth, case.cache
        best = self.truth.best
        self.best = None if best is None else int(best)
        _, self.scores, self.first, self.flat = self.cache.core.plain_views
        ends = list(self.cache.core.plain_views[0])
        self.owner = [v for v in range(len(case.lists)) for _ in range(ends[v], ends[v + 1])]

    def score_of(self, candidates: list[int]) -> float:
        """By the definition: minus infinity for a cycle, or what is not allowed."""
        masks = [0] * len(self.case.lists)
        for c in candidates:
            masks[self.owner[c]] = sum(1 << p for p in self.flat[self.first[c] : self.first[c + 1]])
        return self.truth.score_of(masks) if len(candidates) == len(masks) else -np.inf

    def network(self, what: str, candidates: list[int], score: int) -> None:
        own = self.score_of(candidates)
        self.claim(own == score, f"score: {what} says {score}, it is {own}")

    def bracket(self, what: str, score: int, bound: int) -> None:
        self.claim(bound >= self.best, f"bound: {what} says {bound}, the best is {self.best}")
        if score == bound:
            self.claim(score == self.best, f"optimal: {what} says {score}, the best is {self.best}")

    def ends(self, what: str, score: int, bound: int, gap: float) -> None:
        """Of what no limit has stopped."""
        self.claim(bound - score <= gap * UNITS, f"stopped: {what} was not stopped, {score} to {bound}")

    def prices(self) -> list[list[Inequality]]:
        rng, how = random.Random(self.case.seed), self.case.options["prices"]
        if how == "none":
            return []
        if how == "own":
            found = _core.bblp(self.cache.core, branch=False, moves=0, seed=self.case.seed + 1)["clusters"]
            share = rng.choice((0.5, 1, 1, 2))
            return [[(m, need, int(price * share), b) for m, need, price, b in found]] * self.case.options[
                "times"
            ]
        lists = []
        for _ in range(self.case.options["times"]):
            one: list[Inequality] = []
            for _ in range(rng.randint(1, 6)):
                members = rng.sample(range(len(self.case.lists)), rng.randint(2, len(self.case.lists)))
                need = rng.randint(1, min(2, len(members) - 1))
                one.append((members, need, rng.randint(0, 2 ** rng.choice((2, 16, 33))), []))
            lists.append(one)
        return lists


def _held(case: ProofCase, claim: Claim) -> Held | None:
    held = Held(case, claim)
    return held if held.best is not None else None


def _impossible(case: ProofCase, claim: Claim, call: Callable[[], Any]) -> None:
    try:
        call()
    except InfeasibleError:
        claim(True, "")
        return
    claim(False, f"feasible: {case.way} gives an answer where there is no network")


def by_prices(case: ProofCase, claim: Claim) -> None:
    held, given = _held(case, claim), case.options
    if held is None:
        _impossible(case, claim, lambda: _core.bblp(case.cache.core))
        return
    program = HighsProgram() if LP and given["lp"] else None
    out = _core.bblp(
        held.cache.core,
        seed=case.seed,
        prices=held.prices(),
        program=program,
        program_after=1,
        **{name: given[name] for name in ("moves", "branch", "sets", "cuts", "work", "target_gap")},
        threads=given["threads"],
        components=given["components"],
        first_turn=given.get("first_turn", 30_000),
        least_shared=1,
    )
    held.network("bblp", out["candidates"], out["score"])
    held.bracket("bblp", out["score"], out["bound"])
    if given["branch"] and given["work"] is None:
        held.ends("bblp", out["score"], out["bound"], given["target_gap"])
    if out["open"]:
        total = out["closed"] + sum(bound for *_, bound in out["open"])
        claim(total >= held.best, f"components: up to {total} is said to be open, the best is {held.best}")


def by_parts(case: ProofCase, claim: Claim) -> None:
    """All candidates as a part, its parts as parts, until none is open: what is best above the floor."""
    held, given = _held(case, claim), case.options
    if held is None:
        return
    assert held.best is not None
    count = held.cache.candidate_count
    whole = (2**count - 1).to_bytes((count + 7) // 8, "little")
    floor = best = held.best + given["floor"] if given["floor"] > NONE else NONE
    prices = [one for some in held.prices() for one in some]
    waiting: list[tuple[bytes, list[int], Any, int, int]] = [
        (whole, [], prices, 2**62, given["work"] or 2**62)
    ]
    while waiting:
        kept, decided, prices, bound, work = waiting.pop()
        own = sum(int(held.scores[c]) for c in decided)
        if bound <= best:
            continue
        out = _core.bblp_part(
            held.cache.core,
            kept,
            prices,
            best - own,
            seed=case.seed,
            moves=given["moves"],
            sets=given["sets"],
            subtrees=given["subtrees"],
            threads=given["threads"],
            work=work,
        )
        if out["candidates"] and own + out["score"] > best:
            best = own + out["score"]
            held.network("a part", [*decided, *out["candidates"]], best)
        if not out["open"]:
            claim(own + out["bound"] <= best, f"part: none is open, but up to {own + out['bound']} there is")
        for candidates, more, there, above in out["open"]:
            waiting.append((candidates, [*decided, *more], there, min(bound, own + above), 2 * work))
    true = max(held.best, floor)
    claim(best == true, f"optimal: parts lead to {best}, the best is {held.best}, the floor {floor}")


def by_subtrees(case: ProofCase, claim: Claim) -> None:
    held, given = _held(case, claim), case.options
    if held is None:
        return
    solver = Bblp(moves=given["moves"], sets=given["sets"], target_gap=given["target_gap"])
    how = {name: given[name] for name in ("first_work", "divide_work", "subtrees", "task_work")}
    start = tuple(_core.greedy_order(held.cache.core)) if given["start"] else None
    limits = SearchLimits(
        seconds=None,
        work=given["work"],
        threads=given["threads"],
        memory_bytes=1e9,
        seed=case.seed,
        progress=None,
        start=start,
    )
    with ThreadPoolExecutor(1 + case.seed % 2) as pool, opened(pool) as workers:
        found = prove_on(
            workers,
            solver,
            held.cache,
            limits,
            folder=None,
            task_limits=TaskLimits(None, 1, 1),
            listener=None,
            how=SubtreeOptions(**how),
        )
    held.network("subtrees", list(found.candidates), found.score)
    held.bracket("subtrees", found.score, found.bound)
    if given["work"] is None:
        held.ends("subtrees", found.score, found.bound, given["target_gap"])


def by_cuts(case: ProofCase, claim: Claim) -> None:
    held, given = _held(case, claim), case.options
    if held is None or not LP:
        return
    assert held.best is not None
    known = held.best + max(given["floor"], -(2**33))
    out = _core.cut_proof(held.cache.core, known, HighsProgram(), [], case.seed, work=given["work"])
    claim(out["bound"] >= held.best, f"bound: cuts say {out['bound']}, the best is {held.best}")
    if given["work"] is None and len(case.lists) > 1:
        claim(out["found"] == (known < held.best), f"cuts: found {out['found']}, known {known}")
        true = max(known, held.best)
        claim(out["bound"] == true, f"stopped: cuts were not stopped, {out['bound']} and not {true}")
    if out["found"]:
        held.network("cuts", out["candidates"], out["score"])
    if out["body"]:
        best = _core.subset_dp(held.cache.core, threads=1)["candidates"]
        parents = [list(held.flat[held.first[c] : held.first[c + 1]]) for c in best]
        goal = max(known, held.best)
        text = certificate_text(held.cache, {}, parents, held.best, goal, out["body"], out["finer"])
        problem = check_certificate(parsed(text, "certificate"), held.cache).problem
        claim(problem == "", f"certificate: {problem}")


def by_search(case: ProofCase, claim: Claim) -> None:
    held, given = Held(case, claim), case.options
    options: dict[str, Any] = {}
    if given["solver"] == "bblp":
        options = {name: given[name] for name in ("moves", "sets", "branch", "target_gap", "lp")}
    try:
        start = None
        if given["start"]:
            start = random.Random(case.seed).sample(case.names, len(case.names))
        found = bl.search(
            held.cache,
            solver=given["solver"],
            options=options or None,
            seed=case.seed,
            work_limit=given["work"],
            threads=given["threads"],
            constraints=case.rules or None,
            certificate=given["certificate"],
            start=start,
            memory=1,
        )
    except InfeasibleError as error:
        claim(held.best is None, f"infeasible: {given['solver']}: {error}")
        return
    if held.best is None:
        claim(False, f"feasible: {given['solver']} gives an answer where there is no network")
        return
    masks = [sum(1 << case.names.index(p) for p in found.network.parents[name]) for name in case.names]
    own = held.truth.score_of(masks)
    claim(own == found.fixed_score, f"score: {given['solver']} says {found.fixed_score}, it is {own}")
    held.bracket(given["solver"], found.fixed_score, found.fixed_bound)
    claim(
        (found.status == "optimal") == (found.fixed_score == found.fixed_bound),
        f"optimal: {found.status}, {found.fixed_score} to {found.fixed_bound}",
    )
    claim(not found.complete, "complete: nobody certified this cache")
    if given["work"] is None and options.get("branch", True):
        held.ends(given["solver"], found.fixed_score, found.fixed_bound, options.get("target_gap", 0.0))
    if found.certificate is not None:
        proved = parsed(found.certificate, "certificate").bound
        claim(proved >= held.best, f"certificate: proves {proved}, the best is {held.best}")


WAYS = {
    "prices": by_prices,
    "part": by_parts,
    "subtrees": by_subtrees,
    "cuts": by_cuts,
    "search": by_search,
}


def smaller(case: ProofCase) -> Iterator[ProofCase]:
    if case.rules:
        yield replace(case, rules={})
        for kind in case.rules:
            yield replace(case, rules={key: value for key, value in case.rules.items() if key != kind})
    for name, value in (("threads", 1), ("work", None), ("target_gap", 0.0), ("prices", "none")):
        if case.options.get(name, value) != value:
            yield replace(case, options={**case.options, name: value})
    for v in range(len(case.lists)) if not case.rules else ():
        if len(case.lists) > 2:
            lists = []
            for u, one in enumerate(case.lists):
                if u != v:
                    lists.append(
                        tuple((x, tuple(p - (p > v) for p in some)) for x, some in one if v not in some)
                    )
            if all(lists):
                yield replace(case, lists=tuple(lists))
    for v, one in enumerate(case.lists):
        for k in range(len(one)):
            if len(one) > 1:
                changed = list(case.lists)
                changed[v] = one[:k] + one[k + 1 :]
                yield replace(case, lists=tuple(changed))
