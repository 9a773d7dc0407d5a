"""Cases of `tables`: a table, constraints, limits, methods, solvers; drawn from a seed and made smaller."""

from __future__ import annotations

import functools
import operator
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from bayesloom.table import Table
from bayesloom.table.interventions import Interventions, made
from fuzz.truth import NEAR, Rules, score_options, scores_of_table

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
    budget: int = 1000  # sets per variable of an anytime method
    solvers: tuple[str, ...] = ("auto",)
    work_limit: int | None = None
    learn: str | None = None
    k: int | None = None
    seed: int = 0
    targets: tuple[int, ...] = ()  # of each row which variables were set, a bit each; or nothing at all

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
        codes = [list(column) for column in zip(*self.rows, strict=True)]
        return Table.from_codes(self.names, states, codes, interventions=self.interventions)

    @property
    def interventions(self) -> Interventions | None:
        if not any(self.targets):
            return None
        sets = sorted({*self.targets})
        named = [[name for v, name in enumerate(self.names) if mask >> v & 1] for mask in sets]
        return made(named, np.array([sets.index(mask) for mask in self.targets]), "set")

    @property
    def possible(self) -> bool:
        """Whether every variable was left alone in some row."""
        return not self.targets or not functools.reduce(operator.and_, self.targets)

    @property
    def options(self) -> dict[str, float] | None:
        return score_options(self.score, self.number) or None

    @property
    def near(self) -> float:
        """By how many nats the textbook may be off."""
        return NEAR

    def local_scores(self, most: int) -> Any:
        """The score of every variable with every set of at most `most` parents, by the textbook."""
        return scores_of_table(self.rows, self.cardinalities, self.score, self.number, most, self.targets)


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
        budget=rng.choice((1, 3, 8, 1000)),
        solvers=tuple(rng.sample(EVERY_SOLVER, 2)),
        work_limit=rng.choice((None, None, 1, 50)),
        learn=rng.choice((None, None, "auto", "loop", "exhaustive", method)) if small else None,
        k=rng.choice((None, None, None, 1, 5, 30)) if n <= 4 else None,
        seed=rng.randrange(1000),
        targets=random_targets(rng, n, count) if rng.random() < 0.3 else (),
    )


def random_targets(rng: random.Random, n: int, rows: int) -> tuple[int, ...]:
    """Of each row one of a few sets of variables, or none; no variable is in all of them."""
    sets = [rng.randrange(2**n) for _ in range(rng.choice((1, 1, 2, 3)))]
    share = rng.choice((0.2, 0.5, 0.9))
    found = tuple(rng.choice(sets) if rng.random() < share else 0 for _ in range(rows))
    common = functools.reduce(operator.and_, found)
    return tuple(mask & ~common for mask in found)


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


def smaller(case: TableCase) -> Iterator[TableCase]:
    """Cases with less of everything, the largest steps first."""
    yield replace(case, rules={})
    if case.targets:
        yield replace(case, targets=())
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
    for change in (
        {"work_limit": None},
        {"budget": 1000},
        {"method": "exhaustive"},
        {"late_rules": False},
        {"score": "bic"},
    ):
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
                targets=tuple(mask & (1 << v) - 1 | mask >> (v + 1) << v for mask in case.targets),
            )
    size = len(case.rows) // 2
    while size:
        for at in range(0, len(case.rows), size):
            rows = case.rows[:at] + case.rows[at + size :]
            fewer = replace(case, rows=rows, targets=case.targets[:at] + case.targets[at + size :])
            if rows and fewer.possible:
                yield fewer
        size //= 2
