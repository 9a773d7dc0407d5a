"""Random tables x scores x constraints x limits x methods x solvers x verbs, against all networks.

A case is plain data, so that it can be written, read again and made smaller. `check` runs it and returns what
was claimed wrongly, in words; the first word of each says which claim it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import bayesloom as bl
from bayesloom.errors import InfeasibleError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.api import SOLVERS
from fuzz.table_cases import TableCase, random_case, smaller
from fuzz.truth import Rules, Truth, allowed_sets, bit_mask, edge_shares

__all__ = ["TableCase", "check", "random_case", "smaller"]


class Checker:
    """Runs a case; counts the claims checked and keeps the wrong ones."""

    def __init__(self, case: TableCase) -> None:
        self.case, self.claims, self.wrong, self.near = case, 0, list[str](), case.near
        names, rules = case.names, case.rules
        self.small = len(names) <= 5
        free = self.small or case.max_parents is None
        most = len(names) - 1 if free else case.max_parents
        local = case.local_scores(most)
        self.before = tuple((names.index(a), names.index(b)) for a, b in rules.get("before", ()))
        # What a claim is about that names no limit on parents.
        self.unlimited = (
            Truth(np.where(allowed_sets(names, rules, None), local, -np.inf), self.before) if free else None
        )
        self.local = np.where(allowed_sets(names, {}, case.max_parents), local, -np.inf)
        fits = allowed_sets(names, rules, case.max_parents)
        self.truth = Truth(np.where(fits, local, -np.inf), self.before)
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
        extra = {} if case.method == "exhaustive" else {"sets_per_variable": case.budget}
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
                self.result(found, "learn", self.truth, exact=case.learn in ("auto", "exhaustive"))
                self.labels(found)
                self.strengths(found)

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
                near = (
                    abs(score - self.local[v, mask]) <= self.near
                    if np.isfinite(self.local[v, mask])
                    else False
                )
                self.claim(
                    near, f"local score of {name} given {sorted(parents)}: {score}, not {self.local[v, mask]}"
                )
                self.claim(
                    bool(fits[v, mask]), f"candidate {sorted(parents)} of {name} breaks constraints or limits"
                )
        if self.case.method == "exhaustive":
            self.claim(cache.complete, "complete: exhaustive scoring came to its end and is not")
        if cache.complete and not self.case.late_rules:
            held = self.over_cache(cache, rules)
            self.claim(
                held.best is not None and abs(held.best - self.truth.best) <= self.near,
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
            abs(true_score - found.score) <= self.near,
            f"score: {what} says {found.score}, it is {true_score}",
        )
        best, over = self.truth.best, held.best
        assert best is not None
        assert over is not None
        self.claim(
            found.score <= best + self.near, f"score: {what} is above the best, {found.score} > {best}"
        )
        proof = found.proof
        if proof == "all networks" and found.max_parents is None and self.unlimited is not None:
            best = self.unlimited.best
            assert best is not None
            self.claim(
                abs(found.score - best) <= self.near,
                f"limit: {what} claims {found.score} whatever the number of parents, the best is {best}",
            )
        best = self.truth.best
        if found.complete or proof == "all networks":
            self.claim(
                found.bound >= best - self.near, f"bound: {what} says {found.bound}, the best is {best}"
            )
        elif what != "learn":
            self.claim(
                found.bound >= over - self.near, f"bound: {what} says {found.bound}, over the cache {over}"
            )
        if found.status == "optimal":
            self.claim(found.gap == 0, f"optimal: {what} with a gap of {found.gap}")
            if what != "learn":
                self.claim(
                    abs(found.score - over) <= self.near,
                    f"optimal: {what} says {found.score}, the cache has {over}",
                )
            if found.complete or proof == "all networks":
                self.claim(
                    abs(found.score - best) <= self.near,
                    f"optimal: {what} says {found.score}, the best is {best}",
                )
        elif exact:
            self.claim(False, f"stopped: {what} was not stopped and proves nothing")

    def labels(self, found: Any) -> None:
        """Reversible: some network of the class that keeps the constraints turns the edge."""
        if not self.small:
            return
        masks = self.masks(found.network)
        fits = allowed_sets(self.case.names, self.case.rules, None)
        everything = Truth(np.where(fits, 0.0, -np.inf), self.before)
        turns = everything.can_turn(masks, self.case.targets)
        limited = Truth(np.where(np.isfinite(self.truth.scores), 0.0, -np.inf), self.before).can_turn(
            masks, self.case.targets
        )
        compelled = set(found.cpdag.compelled)
        listed = {(edge.source, edge.target): edge.compelled for edge in found.edges}
        for source, target in found.network.edges:
            key = (self.case.names.index(source), self.case.names.index(target))
            if (key in turns) != (key in limited):
                continue  # it depends on whether a limit given as an option counts
            fixed = key not in turns
            told = (source, target) in compelled
            self.claim(told == fixed, f"label: {source} -> {target}, compelled: {told}")
            told = listed.get((source, target), fixed)
            self.claim(told == fixed, f"label: {source} -> {target} in the list, compelled: {told}")

    def strengths(self, found: Any) -> None:
        """Every edge has one, and no edge that may go is worth less than nothing."""
        edges = [(edge.source, edge.target) for edge in found.edges]
        self.claim(sorted(edges) == sorted(found.network.edges), f"edges: {edges} are listed")
        required = {tuple(pair) for pair in self.case.rules.get("required", ())}
        for edge in found.edges:
            if (edge.source, edge.target) not in required:
                self.claim(
                    edge.strength >= -self.near, f"strength: {edge.source} -> {edge.target}: {edge.strength}"
                )

    def credible(self, cache: ScoreCache) -> None:
        case = self.case
        held = self.over_cache(cache, case.rules)
        if held.best is None:
            return
        found = bl.credible(cache, case.factor, threads=1, seed=case.seed)
        loss = math.log(case.factor)
        self.claim(
            abs(found.best - held.best) <= self.near,
            f"credible: best {found.best}, over the cache {held.best}",
        )
        self.count(found, "the cache", held, loss)
        if found.complete and self.counted.best is not None:
            self.count(found, "all networks", self.counted, loss)
            low, high = (self.counted.classes_within(loss + slip) for slip in (-self.near, self.near))
            if low == high and not self.case.targets:
                self.claim(found.classes.count == low, f"classes: {found.classes.count}, there are {low}")
            scores = self.counted.all_scores
            sharp = not bool((np.abs(scores[0] - scores - loss) <= self.near).any())
            if sharp:  # no network lies on the limit, where rounding decides
                shares = edge_shares(self.counted, loss + self.near)
                away = float(np.abs(found.edge_posterior.matrix - self.by_cache(found, shares)).max())
                self.claim(away < 1e-5, f"posterior: an edge is off by {away}")

    def by_cache(self, found: Any, shares: Any) -> Any:
        order = [self.case.names.index(name) for name in found.names]
        return shares[np.ix_(order, order)]

    def count(self, found: Any, what: str, truth: Truth, loss: float) -> None:
        scores = truth.all_scores
        low, high = (int((scores >= scores[0] - loss + slip).sum()) for slip in (self.near, -self.near))
        if found.count_is_exact:
            self.claim(low <= found.count <= high, f"count: {found.count}, over {what} {low} to {high}")

    def k_best(self, cache: ScoreCache) -> None:
        held = self.over_cache(cache, self.case.rules)
        if held.best is None or self.case.k is None:
            return
        found = bl.k_best(cache, self.case.k, threads=1)
        wanted = held.all_scores[: self.case.k]
        got = np.array([entry.score for entry in found.entries])
        same = len(got) == len(wanted) and bool((np.abs(got - wanted) <= self.near).all())
        self.claim(same, f"k best: {got.tolist()}, over the cache {wanted.tolist()}")
        if found.complete and self.counted.best is not None:
            wanted = self.counted.all_scores[: self.case.k]
            same = len(got) == len(wanted) and bool((np.abs(got - wanted) <= self.near).all())
            self.claim(same, f"k best: {got.tolist()}, there are {wanted.tolist()}")


def check(case: TableCase) -> tuple[int, list[str]]:
    """Run a case; return the number of claims checked and the wrong ones."""
    checker = Checker(case)
    try:
        checker.run()
    except Exception as error:
        checker.wrong.append(f"error: {type(error).__name__}: {error}")
    return checker.claims, checker.wrong
