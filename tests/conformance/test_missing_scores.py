"""What must hold of every score that reads missing values."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.scoring.registry import scores
from bayesloom.verification.network import family_scores
from made.families import NO_SCORE, Family, all_families, candidates, not_beaten
from made.families import local_scores as score
from made.missing import KINDS, gappy, with_gaps
from reference.missing_scores import charge, node_average

reading = sorted(name for name, score in scores.items() if score.reads_missing)
every_score = pytest.mark.parametrize("name", reading)
every_kind = pytest.mark.parametrize("kind", KINDS)


def named(table: bl.Table, family: Family) -> tuple[str, list[str]]:
    return table.names[family[0]], [table.names[p] for p in family[1]]


def test_there_is_one():
    assert "pnal" in reading


@every_kind
@pytest.mark.parametrize("seed", range(8))
def test_pnal_equals_its_definition_and_the_verifier(kind, seed):
    share = [0.02, 0.15, 0.4, 0.7][seed % 4]
    table = gappy(kind, seed, variables=4, rows=[40, 150][seed % 2], share=share)
    given = [{}, {"power": 0.4, "least": 12.0}][seed % 2]
    families = all_families(4)
    some = 0
    for family, fixed in zip(families, score(table, "pnal", families, given), strict=True):
        expected = node_average(table.codes, table.cardinalities, *family, **given)
        if expected is None:
            assert fixed < NO_SCORE
            with pytest.raises(InputError):
                family_scores(table, [named(table, family)], "pnal", given)
            continue
        some += 1
        assert _core.to_nats(fixed) == pytest.approx(expected, rel=1e-9, abs=1e-6)
        assert family_scores(table, [named(table, family)], "pnal", given) == pytest.approx(
            [expected], rel=1e-9, abs=1e-6
        )
    assert some >= 4


def test_families_with_few_rows_and_with_small_cells_have_no_score():
    """Both reasons are met, so that the test above looked at them."""
    few = small = 0
    for seed in range(8):
        table = gappy("mixed", seed, variables=4, rows=40, share=0.4)
        for child, parents in all_families(4):
            if node_average(table.codes, table.cardinalities, child, parents) is not None:
                continue
            rows = ~np.logical_or.reduce([table.lacking(table.names[v]) for v in (child, *parents)])
            if 2 * charge(40, 4) * rows.sum() < 40:
                few += 1
            elif not table.states[child]:
                small += 1
    assert few > 5
    assert small > 5


@every_score
@every_kind
@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_and_parents_and_repeating_rows_do_not_matter_to_the_last_bit(name, kind, seed):
    table = gappy(kind, seed, variables=4, rows=60)
    families = all_families(4)
    before = score(table, name, families)
    assert score(table, name, families, threads=2) == before
    assert score(table, name, [(child, parents[::-1]) for child, parents in families]) == before
    rng = np.random.default_rng(seed)
    order = rng.permutation(60)
    turned = [column[order] for column in table.codes]
    assert score(bl.Table.from_codes(table.names, table.states, turned, gaps=True), name, families) == before
    weights = rng.integers(1, 4, 60)
    weighted = bl.Table.from_codes(table.names, table.states, table.codes, gaps=True, weights=weights)
    assert score(weighted, name, families) == score(weighted.expanded(), name, families) != before


@every_score
@pytest.mark.parametrize("seed", range(3))
def test_without_a_missing_value_it_is_a_likelihood_with_another_charge(name, seed):
    table = bl.random_network(4, states=(2, 3), seed=seed).sample(200, seed=seed)
    families = all_families(4)
    aic = [_core.to_nats(s) for s in score(table, "aic", families)]
    for (child, parents), own, other in zip(families, score(table, name, families), aic, strict=True):
        size = (len(table.states[child]) - 1) * math.prod(len(table.states[p]) for p in parents)
        assert _core.to_nats(own) == pytest.approx(other + size * (1 - charge(200, 4)), abs=1e-7)


def varies(table: bl.Table, name: str, states: tuple[str, ...]) -> bool:
    """Whether a variable has two states, or two numbers."""
    return len(states) > 1 or len(np.unique(table.column(name)[~table.lacking(name)])) > 1


def by_definition(table: bl.Table, name: str, margin: float, limit: int) -> dict[Family, int]:
    """Every parent set with a score that no subset with one beats by more than the margin."""
    useful = {
        v for v, (name, s) in enumerate(zip(table.names, table.states, strict=True)) if varies(table, name, s)
    }
    families = [
        (child, parents)
        for child, parents in all_families(len(table.names))
        if not parents or (len(parents) <= limit and useful.issuperset((child, *parents)))
    ]
    return not_beaten(table, name, families, margin)


@every_score
@every_kind
@pytest.mark.parametrize("seed", range(10))
def test_complete_scoring_finds_exactly_what_the_definition_says(name, kind, seed):
    share = random.Random(seed).choice([0.02, 0.1, 0.3, 0.6])
    table = gappy(kind, seed, variables=5, rows=[30, 80, 300][seed % 3], share=share)
    for factor, limit in [(1, 4), (20, 4), (1, 2)]:
        cache = bl.score(table, score=name, bayes_factor=factor, max_parents=limit, threads=1 + seed % 2)
        assert candidates(cache.core) == by_definition(table, name, math.log(factor), limit)
        assert cache.complete == (limit == 4 or cache.complete)


@every_score
def test_bounds_save_work_and_change_nothing(name):
    table = with_gaps(bl.random_network(9, states=(2, 2), seed=4).sample(400, seed=4), 0.03, 4)
    pruned, full = (
        _core.exhaustive(table.encoded, list(table.names), name, {}, prune=prune) for prune in (True, False)
    )
    assert pruned["cache"] == full["cache"]
    assert pruned["exhausted"]
    assert pruned["scored"] < full["scored"] == 9 * 2**8


@every_score
@pytest.mark.parametrize("seed", range(30))
def test_no_set_scores_above_what_is_said_of_unscored_ones(name, seed):
    """The bound on larger sets, after each size, against all of them."""
    table = gappy("discrete", seed, variables=5, rows=60, share=[0.02, 0.2][seed % 2])
    families = all_families(5)
    every = dict(zip(families, score(table, name, families), strict=True))
    for size in range(4):
        out = _core.exhaustive(table.encoded, list(table.names), name, {}, max_parents=size)
        for (child, parents), value in every.items():
            beats = all(
                value > every[child, subset]
                for k in range(len(parents))
                for subset in itertools.combinations(parents, k)
            )
            if len(parents) > size and value > NO_SCORE and beats:
                assert _core.to_nats(value) <= out["unscored"][child] + 1e-9


def test_the_bounds_of_bic_do_not_hold():
    """Rows that differ by family: a set may fit better than all other variables together. So none is used."""
    broken = 0
    for seed in range(40):
        table = gappy("discrete", seed, variables=4, rows=60, share=0.3)
        rows = table.total_weight
        for child in range(4):
            others = tuple(v for v in range(4) if v != child)
            values = {
                parents: node_average(table.codes, table.cardinalities, child, parents)
                for size in range(4)
                for parents in itertools.combinations(others, size)
            }
            states = [len(s) for s in table.states]
            fits = {
                parents: value + charge(rows, 4) * (states[child] - 1) * math.prod(states[p] for p in parents)
                for parents, value in values.items()
                if value is not None
            }
            if others in fits:
                broken += any(fit > fits[others] + 1e-6 for fit in fits.values())
    assert broken > 0


@every_score
@pytest.mark.parametrize("method", ["independence", "greedy", "sequential"])
@every_kind
def test_anytime_scoring_finds_no_other_scores_and_claims_no_more(name, method, kind):
    table = gappy(kind, 3, variables=5, rows=200)
    whole = candidates(bl.score(table, score=name).core)
    cache = bl.score(table, score=name, method=method, max_parents=4, time_limit=None, threads=1)
    found = candidates(cache.core)
    families = list(found)
    assert list(found.values()) == score(table, name, families)
    if cache.complete:
        assert whole.items() <= found.items()
    assert cache.complete == (kind == "discrete")


@every_score
@every_kind
def test_parts_and_merged_are_one_run(name, kind, tmp_path):
    table = gappy(kind, 5, variables=6, rows=200)
    bl.score(table, score=name, max_parents=3).write(tmp_path / "one.blc")
    bl.merge([bl.score(table, score=name, max_parents=3, shard=(k, 3)) for k in (2, 1, 3)]).write(
        tmp_path / "merged.blc"
    )
    assert (tmp_path / "one.blc").read_bytes() == (tmp_path / "merged.blc").read_bytes()


@every_score
def test_equivalent_networks_may_differ(name):
    """It says of itself that it is not score-equivalent, and it is not."""
    assert not scores[name].equivalent
    table = gappy("discrete", 1, variables=3, rows=200, share=0.2)
    one, two, three, four = score(table, name, [(0, ()), (1, (0,)), (1, ()), (0, (1,))])
    assert one + two != three + four
