"""The solver as users see it: options, the value of the relaxation, real caches."""

from __future__ import annotations

import dataclasses

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.solvers.api import SOLVERS, search
from bayesloom.solvers.relaxation import Bblp
from made.caches import content, joined, random_cache
from reference.cluster_relaxation import relaxation_value


@pytest.mark.parametrize("seed", range(12))
def test_the_root_bound_comes_close_to_the_relaxation_and_never_below_the_optimum(seed):
    """With all inequalities of need 1 and 2 written down, prices cannot get below the programme's value."""
    cache = random_cache(seed, variables=5, candidates=12)
    best = _core.subset_dp(cache.core, threads=1)["score"]
    trivial = sum(int(cache.scores[int(f)]) for f in cache.first[:-1])
    value = relaxation_value(content(cache.core), most_need=2)
    root = _core.bblp(cache.core, branch=False)["bound"]
    assert root >= best
    # A bound of a component that is solved at the root counts as closed, below the programme's value.
    assert root <= value + 0.05 * (trivial - value) + 1


def test_the_prices_on_the_way_to_the_root_bound_prove_it_again():
    further = 0
    for seed in range(12):
        cache = random_cache(seed, variables=8, candidates=40)
        found = _core.subset_dp(cache.core, threads=1)
        best = found["score"]
        root = _core.bblp(cache.core, branch=False, start=found["candidates"])
        last = _core.dual_bound(cache.core, best, [root["clusters"]])[0]
        again = _core.dual_bound(cache.core, best, [*root["fixes"], root["clusters"]])[0]
        assert best <= again <= last
        assert again <= root["bound"]
        further += again < last
    assert further > 2


def test_rules_of_need_two_are_never_weaker_than_clusters_alone():
    for seed in range(5):
        lists = content(random_cache(seed, variables=5, candidates=12).core)
        assert relaxation_value(lists, most_need=2) <= relaxation_value(lists) + 1


def test_options_are_checked():
    with pytest.raises(InputError, match="target_gap must be a number of nats of at least 0, got -1"):
        Bblp(target_gap=-1)
    with pytest.raises(InputError, match="moves must be a whole number of at least 0, got -2"):
        Bblp(moves=-2)
    assert dataclasses.asdict(Bblp())["branch"] is True


def test_it_is_registered_as_exact():
    assert SOLVERS["bblp"].exact
    assert SOLVERS["bblp"].reference == "jaakkola2010"


def test_a_learnt_table_is_solved_with_a_trace():
    table = bl.read_table({"a": [0, 0, 1, 1] * 20, "b": [0, 1, 1, 0] * 20, "c": [0, 1, 0, 1] * 20})
    cache = bl.score(table)
    result = search(cache, solver="bblp")
    assert result.status == "optimal"
    assert result.fixed_score == search(cache, solver="dp").fixed_score
    assert result.trace[-1].bound == result.bound


@pytest.mark.parametrize("options", [{}, {"branch": False}, {"sets": "never"}, {"target_gap": 0.5}], ids=str)
def test_what_one_component_lacks_does_not_make_up_for_the_gap_of_another(options):
    """The bound of a component without candidates that do not matter falls below its best network."""
    proved = 0
    for seed in range(60):
        parts = [random_cache(3 * seed + k, 4 + (seed + k) % 4, 4 + seed % 5) for k in range(2 + seed % 2)]
        best = sum(_core.subset_dp(one.core, threads=1)["score"] for one in parts)
        found = search(joined(*parts), solver="bblp", options={"moves": 0, **options}, seed=seed)
        assert found.fixed_bound >= best >= found.fixed_score
        proved += found.status == "optimal"
        assert found.status != "optimal" or found.fixed_score == best
    assert proved > 10
