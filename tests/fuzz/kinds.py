"""Random tables of numbers, of both kinds, with weights, with values missing, with interventions x scores for
them x constraints x limits x methods x verbs, against all networks.

As `tables`, and what only such tables have: shards and their merge, structural EM, exact posteriors, and that
`verify` agrees with what is true.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np

import bayesloom as bl
from bayesloom.errors import InfeasibleError, InputError
from bayesloom.learning import filling_in
from bayesloom.learning.filling_in import parameters
from bayesloom.table import Table
from fuzz.table_cases import EVERY_METHOD, EVERY_SOLVER, TableCase, random_rules, random_targets, smaller
from fuzz.tables import Checker
from reference.enumeration import network_scores, networks
from reference.interventional import local_score

__all__ = ["KindCase", "check", "random_case", "smaller"]

SCORES = {
    "discrete": ("bic", "aic", "bdeu", "bds", "k2", "ebic"),
    "gaps": ("pnal",),
    "continuous": ("bic-g", "bge", "bic-cg", "dg", "pnal"),
    "mixed": ("bic-cg", "dg", "pnal"),
}

REFUSED = (
    "has one value only in the rows in which it was not set",
    "rows are not more than the",
)
"""What such tables may be told."""

REFUSED_BY_EM = ("has no best network, since as many parents as rows", "rows are not more than the")
UNITS = 8  # the textbook repeats each row as often as its weight says


@dataclass(frozen=True)
class KindCase(TableCase):
    """The cardinality of a variable of numbers is 0; None is a value that is missing."""

    weights: tuple[int, ...] = ()
    shards: int = 0
    em: bool = False
    posterior: bool = False
    chosen: tuple[tuple[str, float], ...] = ()
    """Options of the score in place of those that `number` makes."""

    @property
    def options(self) -> dict[str, float] | None:
        return dict(self.chosen) or super().options

    @property
    def table(self) -> Table:
        states = [[str(k) for k in range(r)] for r in self.cardinalities]
        gaps = any(value is None for row in self.rows for value in row)
        columns = [
            [(r or np.nan) if value is None else value for value in column]
            for r, column in zip(self.cardinalities, zip(*self.rows, strict=True), strict=True)
        ]
        return Table.from_codes(
            self.names,
            states,
            columns,
            gaps=gaps,
            weights=list(self.weights) or None,
            interventions=self.interventions,
        )

    @property
    def near(self) -> float:
        return 1e-5

    def local_scores(self, most: int) -> Any:
        n, table = len(self.names), self.table
        found = np.full((n, 2**n), -np.inf)
        for v in range(n):
            for mask in range(2**n):
                if mask >> v & 1 or mask.bit_count() > most:
                    continue
                parents = [u for u in range(n) if mask >> u & 1]
                if self.score != "bge" and self.singular(table, [v, *parents]):
                    continue
                own = local_score(table, v, parents, self.score, self.options)
                found[v, mask] = -np.inf if own is None else own
        return found

    def singular(self, table: Table, family: list[int]) -> bool:
        """Whether a member is determined by the others: such sets have no score (docs/continuous.md).

        For the textbook they score without limit. In the rows that count, in each cell of discrete members.
        """
        numbers = [u for u in family if not self.cardinalities[u]]
        states = [u for u in family if self.cardinalities[u]]
        if not numbers and self.score != "dg":
            return False
        rows = [
            row
            for k, row in enumerate(self.rows)
            if not (self.targets and self.targets[k] >> family[0] & 1)
            and None not in {row[u] for u in family}
        ]
        if self.score == "dg":
            wide = [[row[u] for row in rows] for u in numbers]
            for u in states:
                seen = sorted({row[u] for row in rows})
                wide += [[float(row[u] == k) for row in rows] for k in seen[1:]]
            return _determined(wide)
        cells = {tuple(row[u] for u in states) for row in rows}
        return any(
            _determined([[row[u] for row in rows if tuple(row[s] for s in states) == cell] for u in numbers])
            for cell in cells
        )


def _determined(columns: list[list[float]]) -> bool:
    """Whether a column is a sum of the others and a constant."""
    if not columns:
        return False
    values = np.array(columns, dtype=float).T
    return bool(np.linalg.matrix_rank(values - values.mean(axis=0), tol=1e-7) < len(columns))


def random_case(seed: int) -> KindCase:
    rng = random.Random(seed)
    kind = rng.choice(tuple(SCORES))
    n = rng.choices((2, 3, 4, 5), (1, 3, 5, 1))[0]
    names = tuple(rng.sample(["a", "b", "c", "d", "e", "f"], n))
    cardinalities = tuple(
        0 if kind == "continuous" or (kind == "mixed" and rng.random() < 0.5) else rng.choice((2, 2, 3))
        for _ in names
    )
    count = rng.choice((15, 30, 60))
    columns: list[list[Any]] = []
    for v, r in enumerate(cardinalities):
        chosen = rng.sample(range(v), min(v, rng.choice((0, 1, 1, 2))))
        noise = rng.choice((0.05, 0.2, 0.5, 1.0))
        answers: dict[tuple[int, ...], float] = {}
        weights = {u: rng.uniform(-2, 2) for u in chosen}
        column: list[Any] = []
        for row in range(count):
            if r:
                key = tuple(int(columns[u][row] > 0) for u in chosen)
                told = answers.setdefault(key, rng.randrange(r))
                column.append(rng.randrange(r) if rng.random() < noise else told)
            else:
                mean = sum(weights[u] * columns[u][row] for u in chosen)
                column.append(round(mean + rng.gauss(0, 1) * (0.2 + noise), 3))
        columns.append(column)
    score = rng.choice(SCORES[kind])
    targets: tuple[int, ...] = ()
    if rng.random() < 0.3:
        targets = (0,) * 10 + random_targets(rng, n, count - 10)
    rows = [list(row) for row in zip(*columns, strict=True)]
    if score == "pnal" and (kind == "gaps" or rng.random() < 0.6):
        share = rng.choice((0.02, 0.1, 0.3))
        rows = [
            [None if rng.random() < share and row > 1 else x for x in own] for row, own in enumerate(rows)
        ]
    weighted = rng.random() < 0.3
    rules = random_rules(rng, names) if rng.random() < 0.4 else {}
    late = rng.random() < 0.3
    if kind == "mixed" and late:
        rules.pop("tiers", None)  # a cache of both kinds has tiers of its own
    return KindCase(
        names,
        cardinalities,
        tuple(map(tuple, rows)),
        score=score,
        number=rng.choice((0.5, 1.0, 10.0)),
        rules=rules,
        late_rules=late,
        max_parents=rng.choice((None, None, 1, 2)),
        factor=rng.choice((1.0, 1.0, 3.0, 20.0)),
        method=rng.choice(EVERY_METHOD),
        budget=rng.choice((3, 1000)),
        solvers=tuple(rng.sample(EVERY_SOLVER, 2)),
        work_limit=rng.choice((None, None, 50)),
        learn=rng.choice((None, "auto", "auto", "loop", "exhaustive")),
        k=rng.choice((None, None, 5)) if n <= 4 else None,
        seed=rng.randrange(1000),
        targets=targets,
        weights=tuple(rng.choice((1, 1, 2, 5)) for _ in range(count)) if weighted else (),
        shards=rng.choice((0, 0, 2, 3)),
        em=rng.random() < 0.5,
        posterior=rng.random() < 0.3,
    )


class KindChecker(Checker):
    case: KindCase

    def run(self) -> None:
        super().run()
        case = self.case
        if case.shards and not case.late_rules:
            self.merged()
        if case.em and not case.targets and case.table.gaps:
            self.filled_in("hard")
            self.filled_in("soft")
        if case.posterior:
            self.all_of_them()
        if case.learn:
            self.verified()

    def options(self) -> dict[str, Any]:
        case = self.case
        return {
            "score": case.score,
            "options": case.options,
            "max_parents": case.max_parents,
            "constraints": case.rules or None,
        }

    def verified(self) -> None:
        try:
            found = bl.learn(
                self.case.table, method=self.case.learn, time_limit=None, threads=1, **self.options()
            )
        except InfeasibleError:
            return
        checked = found.verify()
        self.claim(checked.ok, f"verify: {' '.join(checked.problems)[:200]}")

    def merged(self) -> None:
        """Shards make up the whole, and none of another table fits."""
        case, table = self.case, self.case.table
        given = {**self.options(), "bayes_factor": case.factor, "threads": 1}
        try:
            whole = bl.score(table, **given)
        except InfeasibleError:
            return
        parts = [bl.score(table, shard=(k, case.shards), **given) for k in range(1, case.shards + 1)]
        found = bl.merge(parts)
        # A shard may come up to the limit where the whole sees that no larger set can matter.
        limit = None if whole.info["max_parents"] is not None else case.max_parents
        same = found == whole or found == whole.with_info({**whole.info, "max_parents": limit})
        self.claim(same, "merge: the shards do not make up the whole")
        first = case.rows[0]
        changed = first[0] + 0.001 if not case.cardinalities[0] else (first[0] + 1) % case.cardinalities[0]
        other = replace(case, rows=((changed, *first[1:]), *case.rows[1:])).table
        strange = bl.score(other, shard=(1, case.shards), **given)
        try:
            bl.merge([strange, *parts[1:]])
        except InputError:
            self.claim(True, "")
            return
        self.claim(False, "merge: a shard of another table is taken")

    def filled_in(self, form: Any) -> None:
        """What is said of the table filled in is true of it, and of the data."""
        case = self.case
        try:
            with patch.object(filling_in, "MOST_UNITS", UNITS):
                found = bl.structural_em(
                    case.table,
                    max_parents=case.max_parents,
                    constraints=case.rules or None,
                    time_limit=None,
                    threads=1,
                    turns=4,
                    form=form,
                )
        except InfeasibleError:
            return
        except InputError as error:
            self.claim(any(words in str(error) for words in REFUSED_BY_EM), f"em: refused: {error}")
            return
        filled = found.filled
        rows = tuple(zip(*(column.tolist() for column in filled.codes), strict=True))
        if form == "hard":
            kept = all(
                old is None or old == new
                for a, b in zip(case.rows, rows, strict=True)
                for old, new in zip(a, b, strict=True)
            )
            self.claim(kept, "em: values that were there are others now")
            rose = list(found.scores) == sorted(found.scores)
            self.claim(rose, "em: a turn lowered the score of the table filled in")
        else:
            self.observed(found)
        learned = found.learned
        inner = KindChecker(
            replace(
                case,
                rows=rows,
                weights=() if filled.weights is None else tuple(filled.weights.tolist()),
                score=learned.score_name,
                chosen=tuple(learned.score_options.items()),
            )
        )
        inner.result(found.learned, "learn", inner.truth, exact=True)
        inner.labels(found.learned)
        inner.strengths(found.learned)
        self.claims += inner.claims
        self.wrong += [f"em {form} {words}" for words in inner.wrong]

    def observed(self, found: bl.EmResult) -> None:
        """Of the data: what is missing is summed out, and no turn lowers it."""
        table = self.case.table
        self.claim(list(found.observed) == sorted(found.observed), "em: a turn lowered what is of the data")
        charge = np.log(table.total_weight) / 2 * parameters(found.fitted)
        own = found.fitted.log_likelihood(table) - charge
        self.claim(abs(own - found.observed[-1]) < 1e-6, f"em: of the data {own}, not {found.observed[-1]}")
        kept = found.filled.total_weight == found.units * table.total_weight
        self.claim(kept, "em: the weights do not add up")

    def all_of_them(self) -> None:
        """The posterior of each edge by sums over all networks."""
        held = self.counted
        if held.best is None:
            return
        try:
            found = bl.posterior(self.case.table, method="exact", samples=20, threads=1, **self.options())
        except InfeasibleError:
            return
        scores = network_scores(held.scores)
        weights = np.exp(np.where(held.keeps, scores, -np.inf) - held.best)
        rows = networks(held.n)
        order = [self.case.names.index(name) for name in found.names]
        shares = np.array(
            [[float(weights @ (rows[:, b] >> a & 1)) for b in range(held.n)] for a in range(held.n)]
        )
        shares = (shares / weights.sum())[np.ix_(order, order)]
        away = float(np.abs(found.edge_posterior.matrix - shares).max())
        most = found.left_out.most if found.left_out.most is not None else 1.0
        self.claim(away <= most + 1e-4, f"posterior: an edge is off by {away}, left out {most}")


def check(case: KindCase) -> tuple[int, list[str]]:
    """Run a case; return the number of claims checked and the wrong ones."""
    checker = KindChecker(case)
    try:
        checker.run()
    except Exception as error:
        if not any(words in str(error) for words in REFUSED):
            checker.wrong.append(f"error: {type(error).__name__}: {error}")
    return checker.claims, checker.wrong
