"""The bound over all networks where not all parent sets are scored: never below the best of all networks."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.learning.all_networks import bound_all_networks
from bayesloom.scoring.registry import resolve_score
from bayesloom.scoring.unscored import SCORES, Unscored, unscored_sets
from bayesloom.solvers.result import run_object
from made.constraints import kept_by


def some_table(rng: random.Random, n: int) -> bl.Table:
    """A small table: columns that depend on others, some by parity, some of one state; or on a hidden one."""
    rows = rng.choice([4, 10, 30, 80, 400])
    columns: list[list[int]] = []
    if rng.random() < 0.25:  # dense: every pair is related, and some columns are copies
        hidden = [rng.randrange(3) for _ in range(rows)]
        for _ in range(n):
            shares = [rng.random() for _ in range(3)]
            fresh = [int(rng.random() < shares[h]) for h in hidden]
            columns.append(list(rng.choice(columns)) if columns and rng.random() < 0.1 else fresh)
        return bl.read_table({f"v{i}": column for i, column in enumerate(columns)})
    for _ in range(n):
        states = rng.choice([1, 2, 2, 2, 3, 4])
        noise = rng.choice([0.0, 0.1, 0.4, 1.0])
        up = rng.sample(columns, min(len(columns), rng.randint(0, 3)))
        own = [sum(values) % states for values in zip(*up, strict=True)] if up else [0] * rows
        columns.append([rng.randrange(states) if rng.random() < noise or not up else value for value in own])
    return bl.read_table({f"v{i}": column for i, column in enumerate(columns)})


def best_of(table: bl.Table, score: str, options: dict[str, float], **more: object) -> bl.SearchResult:
    return bl.search(bl.score(table, score=score, options=options, **more), solver="dp", threads=1)  # type: ignore[arg-type]


def options_of(rng: random.Random, score: str) -> dict[str, float]:
    given = {"ess": rng.choice([0.01, 1.0, 10.0])} if score in ("bdeu", "bds") else {}
    return resolve_score(score, given)[1]


def cases(seed: int, count: int) -> Counter[str]:
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(count):
        table = some_table(rng, rng.randint(2, 6))
        score = rng.choice(SCORES)
        options = options_of(rng, score)
        size = rng.randint(0, len(table.names) - 1)
        limit = rng.choice([None, None, rng.randint(0, 3)])
        best = best_of(table, score, options, max_parents=limit)
        left = unscored_sets(table, score, options, limit=limit, most_parents=size)
        found = bound_all_networks(left, score, options, best.local_scores)
        assert found.bound >= best.fixed_score, (seed, score, size, limit)
        if left.none:
            assert found.bound == best.fixed_score, (seed, score, size, limit)
            assert set(found.gains.values()) == {0.0}
        seen[score] += 1
        seen["all" if left.none else "met" if found.bound == best.fixed_score else "open"] += 1
    return seen


def test_never_below_the_best_of_all_networks() -> None:
    seen = cases(1, 400)
    assert all(seen[score] > 20 for score in SCORES), seen
    assert min(seen["all"], seen["open"]) > 50, seen


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 7))
def test_never_below_the_best_of_all_networks_at_length(seed: int) -> None:
    assert cases(seed, 1000)["open"] > 200


def all_scores(
    table: bl.Table, score: str, options: dict[str, float]
) -> dict[tuple[int, tuple[int, ...]], int]:
    n = len(table.names)
    families = [
        (v, parents)
        for v in range(n)
        for size in range(n)
        for parents in itertools.combinations([u for u in range(n) if u != v], size)
    ]
    first = np.cumsum([0, *(len(parents) for _, parents in families)])
    values = _core.score_families(
        table.encoded,
        score,
        options,
        np.array([v for v, _ in families], dtype=np.uint16),
        first.astype(np.uint64),
        np.array([p for _, parents in families for p in parents], dtype=np.uint16),
    )
    return dict(zip(families, map(int, values), strict=True))


def test_every_set_that_was_not_scored_is_below_its_bound_or_beaten_by_a_subset() -> None:
    rng = random.Random(9)
    seen: Counter[str] = Counter()
    for _ in range(150):
        table = some_table(rng, rng.randint(3, 6))
        score = rng.choice(SCORES)
        options = options_of(rng, score)
        known = all_scores(table, score, options)
        size = rng.randint(0, 3)
        left = unscored_sets(table, score, options, most_parents=size)
        scored = {
            (v, tuple(sorted(left.scored.index(p) for p in parents)))
            for v, name in enumerate(table.names)
            for _, parents in left.scored.candidates(name)
        }
        for (v, parents), value in known.items():
            if (v, parents) in scored:
                continue
            below = value / 2**30 <= left.most[v] + 1e-6
            beaten = any(
                known[v, part] >= value
                for count in range(len(parents))
                for part in itertools.combinations(parents, count)
            )
            assert below or beaten, (score, options, size, v, parents)
            seen["below" if below and not beaten else "beaten"] += 1
        assert all(value / 2**30 <= left.fits[v] + 1e-6 for (v, _), value in known.items())
        full = tuple(range(len(table.names)))
        joint = sum(known[v, full[:v]] for v in full) / 2**30
        assert joint <= left.joint + 1e-6  # a complete network fits best, and pays for it
    assert min(seen["below"], seen["beaten"]) > 100, seen


def test_constraints() -> None:
    rng = random.Random(4)
    seen: Counter[str] = Counter()
    for _ in range(80):
        table = some_table(rng, rng.randint(3, 6))
        network = bl.learn(table, time_limit=None).network
        rules = kept_by(rng, network)
        score = rng.choice(["bic", "bdeu", "aic"])
        options = options_of(rng, score)
        best = best_of(table, score, options, constraints=rules)
        for size in (0, 1, 2, None):
            left = unscored_sets(table, score, options, most_parents=size)
            found = bound_all_networks(left, score, options, best.local_scores, constraints=rules)
            assert found.bound >= best.fixed_score, (rules, score, size)
            if left.none and not rules.required:
                assert found.bound == best.fixed_score, (rules, score, size)
                seen["equal"] += 1
        seen.update(key for key, value in rules.to_json().items() if value)
    assert min(seen[key] for key in ("equal", "before", "required", "tiers", "max_parents")) > 5, seen


def test_stopped_at_any_time() -> None:
    table = bl.random_network(12, seed=3).sample(400, seed=3)
    best = best_of(table, "bic", {})
    sizes = set()
    for seconds in (1e-9, 0.002, 0.005, 0.01, 0.02, 0.05, 60):
        left = unscored_sets(table, "bic", {}, seconds=seconds)
        found = bound_all_networks(left, "bic", {}, best.local_scores)
        assert found.bound >= best.fixed_score
        sizes.add(left.size)
    assert left.none
    assert found.bound == best.fixed_score


def check_fields(result: bl.LearnResult) -> None:
    run = run_object(result, "learn")
    found = bl.verify_run(run, table=result.table, exhaustive=len(result.table.names) <= 8)
    assert found.ok, found.problems
    assert run["bound_all_networks"] == result.bound_all_networks
    assert result.gap_all_networks is not None
    assert result.gap_all_networks >= result.gap
    assert f"{result.gap_all_networks:.4g}" in result.claim or result.proof == "all networks"


def test_learn_says_both_gaps() -> None:
    seen: Counter[str | None] = Counter()
    for seed in range(6):
        table = bl.random_network(7, seed=seed).sample(60 + 200 * (seed % 2), seed=seed)
        best = bl.learn(table)
        assert best.proof == "all networks"
        assert best.bound_all_networks == best.bound
        result = bl.learn(table, method="loop", time_limit=1.0, seed=seed, score="bic")
        check_fields(result)
        assert result.bound_all_networks is not None
        assert result.bound_all_networks >= best.score
        assert (result.proof == "all networks") == (result.status == "optimal")
        if result.proof == "all networks":
            assert result.score == best.score
        seen[result.proof] += 1
    assert seen["all networks"] > 0, seen  # small tables are scored completely while they are bounded


def test_where_scoring_does_not_end_the_gap_over_all_networks_stays_open() -> None:
    table = bl.random_network(60, seed=1).sample(3000, seed=1)
    result = bl.learn(table, time_limit=2.0)
    check_fields(result)
    assert result.proof != "all networks"
    assert result.gap_all_networks is not None
    assert result.gap_all_networks > result.gap
    assert set(result.unscored_gains) == set(table.names)
    assert max(result.unscored_gains.values()) > 0
    run = run_object(result, "learn")
    for key, value in (
        ("bound_all_networks", result.score - 1),
        ("gap_all_networks", 0.0),
        ("fixed_bound_all_networks", result.fixed_score),
        ("gap_all_networks", None),
        ("unscored_gains", {"nobody": 1.0}),
    ):
        assert not bl.verify_run({**run, key: value}, table=table).ok, key


def test_search_over_some_sets_knows_no_bound_over_all_networks() -> None:
    table = bl.random_network(8, seed=1).sample(100, seed=1)
    some = bl.search(bl.score(table, method="independence", sets_per_variable=2))
    assert some.complete is False
    assert some.bound_all_networks is None
    assert some.gap_all_networks is None
    assert run_object(some, "search")["bound_all_networks"] is None


def test_a_bound_that_is_minus_infinity_for_all_is_none_left() -> None:
    table = bl.read_table({"a": [0, 1] * 9, "b": [0, 0, 1] * 6})
    left = unscored_sets(table, "bic", {})
    assert isinstance(left, Unscored)
    assert left.none
    assert left.most == (-math.inf, -math.inf)
