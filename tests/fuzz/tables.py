"""Random tables x scores x constraints x limits x methods x solvers x verbs, against all networks.

A case is plain data, so that it can be written, read again and made smaller. `check` runs it and returns what
was claimed wrongly, in words; the first word of each says which claim it was.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

import bayesloom as bl
from bayesloom.errors import InfeasibleError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.api import SOLVERS
from bayesloom.table import Table
from fuzz.truth import NEAR, Rules, Truth, allowed_sets, bit_mask, edge_shares, score_options, scores_of_table

SCORES = ("bic", "aic", "bdeu", "bds", "k2", "fnml", "qnml", "ebic")
ROWS = (1, 2, 5, 9, 16, 25, 40)  # few different numbers: what qnml needs of them is remembered
EVERY_SOLVER = ("dp", "astar", "bfbnb", "bblp", "auto", "obs", "asobs", "inobs", "iinobs", "minobs")
EVERY_METHOD = ("exhaustive", "exhaustive", "exhaustive", "independence", "greedy", "sequential")
FACTORS = (1.0, 1.0, 3.0, 20.0, 150.0)


@dataclass(frozen=True)
class TableCase:
    names: tuple[str, ...]
    cardinalities: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    score: str = "bic"
    number: float = 1.0  # its option: ess, gamma
    rules: Rules = field(default_factory=dict)
    late_rules: bool = False  # constraints at the search, not at the scoring
    max_parents: int | None = None
    factor: float = 1.0
    method: str = "exhaustive"
    solvers: tuple[str, ...] = ("auto",)
    work_limit: int | None = None
    learn: str | None = None
    k: int | None = None
    seed: int = 0

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_plain(cls, given: dict[str, Any]) -> TableCase:
        made = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
        made["rows"] = tuple(tuple(row) for row in given["rows"])
        return cls(**made)

    @property
    def table(self) -> Table:
        states = [[str(k) for k in range(r)] for r in self.cardinalities]
        return Table.from_codes(self.names, states, [list(column) for column in zip(*self.rows, strict=True)])

    @property
    def options(self) -> dict[str, float] | None:
        return score_options(self.score, self.number) or None


# Making cases


def random_case(seed: int) -> TableCase:
    rng = random.Random(seed)
    n = rng.choices((1, 2, 3, 4, 5, 6, 9, 12), (1, 3, 12, 45, 35, 2, 1.5, 0.5))[0]
    names = tuple(rng.sample(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"], n))
    cardinalities = tuple(rng.choice((1, 2, 2, 2, 3, 4)) for _ in names)
    count = rng.choice(ROWS)
    columns: list[list[int]] = []
    for v, r in enumerate(cardinalities):
        chosen = rng.sample(range(v), min(v, rng.choice((0, 1, 1, 2))))
        answers: dict[tuple[int, ...], int] = {}
        noise, column = rng.choice((0.0, 0.05, 0.2, 0.5, 1.0)), []
        for row in range(count):
            key = tuple(columns[u][row] for u in chosen)
            told = answers.setdefault(key, rng.randrange(r))
            column.append(rng.randrange(r) if rng.random() < noise else told)
        columns.append(column)
    small = n <= 5
    rules = random_rules(rng, names) if small and rng.random() < 0.5 else {}
    limit = rng.choice((None, None, None, 0, 1, 2, 3)) if small else 2
    score = rng.choice(SCORES) if small else rng.choice(("bic", "aic", "bdeu"))
    method = rng.choice(EVERY_METHOD)
    return TableCase(
        names,
        cardinalities,
        tuple(zip(*columns, strict=True)),
        score=score,
        number=rng.choice((0.01, 0.5, 1.0, 10.0, 100.0)),
        rules=rules,
        late_rules=rng.random() < 0.3,
        max_parents=limit,
        factor=rng.choice(FACTORS) if small else 1.0,
        method=method,
        solvers=tuple(rng.sample(EVERY_SOLVER, 2)),
        work_limit=rng.choice((None, None, 1, 50)),
        learn=rng.choice((None, None, "auto", "loop", "exhaustive", method)) if small else None,
        k=rng.choice((None, None, None, 1, 5, 30)) if n <= 4 else None,
        seed=rng.randrange(1000),
    )


def random_rules(rng: random.Random, names: tuple[str, ...]) -> dict[str, Any]:
    """Any kind, often several at once, often a contradiction."""
    rules: dict[str, Any] = {}
    if len(names) < 2:
        return rules
    pair = lambda: rng.sample(names, 2)  # noqa: E731
    for kind in rng.sample(
        ("required", "forbidden", "before", "roots", "leaves", "tiers", "max_parents"),
        rng.choice((1, 1, 2, 3)),
    ):
        if kind in ("required", "forbidden", "before"):
            rules[kind] = [pair() for _ in range(rng.choice((1, 1, 2, 3)))]
        elif kind in ("roots", "leaves"):
            rules[kind] = rng.sample(names, rng.choice((1, 1, 2)))
        elif kind == "tiers":
            shuffled = rng.sample(names, len(names))
            cut = rng.randrange(1, len(names))
            rules[kind] = [shuffled[:cut], shuffled[cut : rng.randrange(cut, len(names)) + 1]]
            rules[kind] = [tier for tier in rules[kind] if tier]
        else:
            rules[kind] = {name: rng.randrange(3) for name in rng.sample((*names, "*"), 2)}
    return rules


# Checking them


class Checker:
    """Runs a case; counts the claims checked and keeps the wrong ones."""

    def __init__(self, case: TableCase) -> None:
        self.case, self.claims, self.wrong = case, 0, list[str]()
        names, rules = case.names, case.rules
        most = len(names) - 1 if case.max_parents is None else case.max_parents
        local = scores_of_table(case.rows, case.cardinalities, case.score, case.number, most)
        self.local = local
        fits = allowed_sets(names, rules, case.max_parents)
        self.before = tuple((names.index(a), names.index(b)) for a, b in rules.get("before", ()))
        self.truth = Truth(np.where(fits, local, -np.inf), self.before)
        self.small = len(names) <= 5
        # Variables with one state stay alone (docs/parent_sets.md), unless an edge of theirs is required.
        alone = [v for v, r in enumerate(case.cardinalities) if r == 1]
        fits[alone, 1:] = False
        for v in alone:
            fits[:, (np.arange(2 ** len(names)) >> v & 1) == 1] = False
        self.counted = Truth(np.where(fits, local, -np.inf), self.before)

    def claim(self, holds: bool, words: str) -> None:
        self.claims += 1
        if not holds:
            self.wrong.append(words)

    def masks(self, network: Any) -> list[int]:
        parents = network.parents
        return [bit_mask(self.case.names, parents[name]) for name in self.case.names]

    def run(self) -> None:
        case = self.case
        table = case.table
        common = {"score": case.score, "options": case.options, "max_parents": case.max_parents, "threads": 1}
        early, late = (None, case.rules) if case.late_rules else (case.rules, None)
        extra = {} if case.method == "exhaustive" else {"sets_per_variable": 1000}
        made = self.feasible(
            "score",
            lambda: bl.score(
                table,
                method=case.method,
                bayes_factor=case.factor,
                constraints=early or None,
                **common,
                **extra,
            ),
            early or {},
        )
        if made is not None:
            self.check_cache(made, early or {})
            for solver in case.solvers:
                self.search(made, solver, late)
            if self.small and not late:
                self.credible(made)
            if case.k and not late:
                self.k_best(made)
        if case.learn:
            found = self.feasible(
                "learn",
                lambda: bl.learn(
                    table,
                    method=case.learn,
                    constraints=case.rules or None,
                    time_limit=None,
                    seed=case.seed,
                    **common,
                ),
                case.rules,
            )
            if found is not None:
                self.result(found, "learn", self.truth, exact=True)
                self.labels(found)

    def feasible(self, what: str, call: Callable[[], Any], rules: Rules) -> Any:
        """The outcome, or None if it was said that no network is allowed; that claim is checked."""
        fits = allowed_sets(self.case.names, rules, self.case.max_parents)
        before = self.before if rules.get("before") else ()
        possible = not rules or Truth(np.where(fits, self.local, -np.inf), before).best is not None
        try:
            made = call()
        except InfeasibleError as error:
            self.claim(not possible, f"infeasible: {what} says that no network is allowed ({error})")
            return None
        self.claim(possible, f"feasible: {what} gives an answer where no network is allowed")
        return made if possible else None

    def over_cache(self, cache: ScoreCache, rules: Rules) -> Truth:
        """The truth over the candidates of a cache, with more constraints."""
        names = self.case.names
        held = np.full_like(self.local, -np.inf)
        for v, name in enumerate(names):
            for score, parents in cache.candidates(name):
                held[v, bit_mask(names, parents)] = score
        fits = allowed_sets(names, rules, None)
        return Truth(np.where(fits, held, -np.inf), self.before)

    def check_cache(self, cache: ScoreCache, rules: Rules) -> None:
        names = self.case.names
        fits = allowed_sets(names, rules, self.case.max_parents)
        for v, name in enumerate(names):
            for score, parents in cache.candidates(name):
                mask = bit_mask(names, parents)
                near = abs(score - self.local[v, mask]) <= NEAR if np.isfinite(self.local[v, mask]) else False
                self.claim(
                    near, f"local score of {name} given {sorted(parents)}: {score}, not {self.local[v, mask]}"
                )
                self.claim(
                    bool(fits[v, mask]), f"candidate {sorted(parents)} of {name} breaks constraints or limits"
                )
        if cache.complete and not self.case.late_rules:
            held = self.over_cache(cache, rules)
            self.claim(
                held.best is not None and abs(held.best - self.truth.best) <= NEAR,
                f"complete: the cache allows {held.best}, the best is {self.truth.best}",
            )

    def search(self, cache: ScoreCache, solver: str, late: Rules | None) -> None:
        case = self.case
        exact = solver == "auto" or SOLVERS[solver].exact
        usual = None if exact else 2000
        held = self.over_cache(cache, case.rules)
        for limit in dict.fromkeys((case.work_limit or usual, usual)):  # stopped, and then run again
            self.search_once(cache, solver, late, held, limit, exact=exact and limit is None)

    def search_once(
        self,
        cache: ScoreCache,
        solver: str,
        late: Rules | None,
        held: Truth,
        limit: int | None,
        *,
        exact: bool,
    ) -> None:
        try:
            found = bl.search(
                cache,
                solver=solver,
                threads=1,
                memory=1,
                seed=self.case.seed,
                work_limit=limit,
                constraints=late or None,
            )
        except InfeasibleError as error:
            self.claim(held.best is None, f"infeasible: {solver} says that no network is allowed ({error})")
            return
        if held.best is None:
            self.claim(False, f"feasible: {solver} gives an answer where no network is allowed")
            return
        self.result(found, solver, held, exact=exact)
        self.labels(found)

    def result(self, found: Any, what: str, held: Truth, *, exact: bool) -> None:
        masks = self.masks(found.network)
        true_score = self.truth.score_of(masks)
        self.claim(
            np.isfinite(true_score), f"constraints: {what} gives {found.network.edges}, which breaks them"
        )
        self.claim(
            abs(true_score - found.score) <= NEAR, f"score: {what} says {found.score}, it is {true_score}"
        )
        best, over = self.truth.best, held.best
        assert best is not None
        assert over is not None
        self.claim(found.score <= best + NEAR, f"score: {what} is above the best, {found.score} > {best}")
        proof = getattr(found, "proof", None)
        if found.complete or proof == "all networks":
            self.claim(found.bound >= best - NEAR, f"bound: {what} says {found.bound}, the best is {best}")
        elif what != "learn":
            self.claim(found.bound >= over - NEAR, f"bound: {what} says {found.bound}, over the cache {over}")
        if found.status == "optimal":
            self.claim(found.gap == 0, f"optimal: {what} with a gap of {found.gap}")
            if what != "learn":
                self.claim(
                    abs(found.score - over) <= NEAR,
                    f"optimal: {what} says {found.score}, the cache has {over}",
                )
            if found.complete or proof == "all networks":
                self.claim(
                    abs(found.score - best) <= NEAR, f"optimal: {what} says {found.score}, the best is {best}"
                )
        elif exact and what != "learn":
            self.claim(False, f"stopped: {what} was not stopped and proves nothing")

    def labels(self, found: Any) -> None:
        """Reversible: some network of the class that keeps the constraints turns the edge."""
        if not (self.small and found.edges):
            return
        masks = self.masks(found.network)
        fits = allowed_sets(self.case.names, self.case.rules, None)
        everything = Truth(np.where(fits, 0.0, -np.inf), self.before)
        turns = everything.can_turn(masks)
        limited = Truth(np.where(np.isfinite(self.truth.scores), 0.0, -np.inf), self.before).can_turn(masks)
        for edge in found.edges:
            key = (self.case.names.index(edge.source), self.case.names.index(edge.target))
            if (key in turns) != (key in limited):
                continue  # it depends on whether a limit given as an option counts
            self.claim(
                edge.compelled == (key not in turns),
                f"label: {edge.source} -> {edge.target}, compelled: {edge.compelled}",
            )

    def credible(self, cache: ScoreCache) -> None:
        case = self.case
        held = self.over_cache(cache, case.rules)
        if held.best is None:
            return
        found = bl.credible(cache, case.factor, threads=1, seed=case.seed)
        loss = math.log(case.factor)
        self.claim(
            abs(found.best - held.best) <= NEAR, f"credible: best {found.best}, over the cache {held.best}"
        )
        self.count(found, "the cache", held, loss)
        if found.complete and self.counted.best is not None:
            self.count(found, "all networks", self.counted, loss)
            low, high = (self.counted.classes_within(loss + slip) for slip in (-NEAR, NEAR))
            if not case.rules and low == high:
                self.claim(found.classes.count == low, f"classes: {found.classes.count}, there are {low}")
            scores = self.counted.all_scores
            sharp = not bool((np.abs(scores[0] - scores - loss) <= NEAR).any())
            if sharp:  # no network lies on the limit, where rounding decides
                shares = edge_shares(self.counted, loss + NEAR)
                away = float(np.abs(found.edge_posterior.matrix - self.by_cache(found, shares)).max())
                self.claim(away < 1e-5, f"posterior: an edge is off by {away}")

    def by_cache(self, found: Any, shares: Any) -> Any:
        order = [self.case.names.index(name) for name in found.names]
        return shares[np.ix_(order, order)]

    def count(self, found: Any, what: str, truth: Truth, loss: float) -> None:
        scores = truth.all_scores
        low, high = (int((scores >= scores[0] - loss + slip).sum()) for slip in (NEAR, -NEAR))
        if found.count_is_exact:
            self.claim(low <= found.count <= high, f"count: {found.count}, over {what} {low} to {high}")

    def k_best(self, cache: ScoreCache) -> None:
        held = self.over_cache(cache, self.case.rules)
        if held.best is None or self.case.k is None:
            return
        found = bl.k_best(cache, self.case.k, threads=1)
        wanted = held.all_scores[: self.case.k]
        got = np.array([entry.score for entry in found.entries])
        same = len(got) == len(wanted) and bool((np.abs(got - wanted) <= NEAR).all())
        self.claim(same, f"k best: {got.tolist()}, over the cache {wanted.tolist()}")
        if found.complete and self.counted.best is not None:
            wanted = self.counted.all_scores[: self.case.k]
            same = len(got) == len(wanted) and bool((np.abs(got - wanted) <= NEAR).all())
            self.claim(same, f"k best: {got.tolist()}, there are {wanted.tolist()}")


def check(case: TableCase) -> tuple[int, list[str]]:
    """Run a case; return the number of claims checked and the wrong ones."""
    checker = Checker(case)
    try:
        checker.run()
    except Exception as error:
        checker.wrong.append(f"error: {type(error).__name__}: {error}")
    return checker.claims, checker.wrong


# Making a case that fails smaller


def smaller(case: TableCase) -> Iterator[TableCase]:
    """Cases with less of everything, the largest steps first."""
    yield replace(case, rules={})
    for kind in case.rules:
        rest = {key: value for key, value in case.rules.items() if key != kind}
        yield replace(case, rules=rest)
        if isinstance(case.rules[kind], list):
            for k in range(len(case.rules[kind])):
                kept = case.rules[kind][:k] + case.rules[kind][k + 1 :]
                yield replace(case, rules={**rest, **({kind: kept} if kept else {})})
    for change in ({"learn": None}, {"k": None}, {"solvers": ()}, {"factor": 1.0}, {"max_parents": None}):
        if getattr(case, *change) != next(iter(change.values())):
            yield replace(case, **change)
    for change in ({"work_limit": None}, {"method": "exhaustive"}, {"late_rules": False}, {"score": "bic"}):
        if getattr(case, *change) != next(iter(change.values())):
            yield replace(case, **change)
    for k in range(len(case.solvers)):
        yield replace(case, solvers=case.solvers[:k] + case.solvers[k + 1 :])
    used = str(case.rules)
    for v, name in enumerate(case.names):
        if len(case.names) > 1 and f"'{name}'" not in used:
            yield replace(
                case,
                names=case.names[:v] + case.names[v + 1 :],
                cardinalities=case.cardinalities[:v] + case.cardinalities[v + 1 :],
                rows=tuple(row[:v] + row[v + 1 :] for row in case.rows),
            )
    size = len(case.rows) // 2
    while size:
        for at in range(0, len(case.rows), size):
            rows = case.rows[:at] + case.rows[at + size :]
            if rows:
                yield replace(case, rows=rows)
        size //= 2
