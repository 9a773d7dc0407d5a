"""No network is returned that a single edge improves; the bound holds for what it uses."""

from __future__ import annotations

import itertools
import os
import random
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayesloom as bl
from bayesloom import _core
from bayesloom.constraints.model import Constraints
from bayesloom.learning.closed_loop import ClosedLoop, LoopOptions
from bayesloom.learning.polish import Polisher
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.strength import edge_strengths
from made.caches import content
from made.scores import of_states
from made.tables import random_table
from reference.climbing import acyclic, moves
from reference.networks import best_score

ROUNDING = 1e-7  # nats: scores are whole units of 2^-30 nat, in floats


def as_table(small) -> bl.Table:
    names = [f"X{v}" for v in range(small.variables)]
    states = [[str(k) for k in range(r)] for r in small.cardinalities]
    return bl.Table.from_codes(names, states, small.columns)


def improvements(table, network, known, *, score="bic", options=None, rules=None) -> list[object]:
    """Every single edge whose removal, over all sets, or addition or turn, over `known`, gains.

    Slow and obvious: each network with one edge changed is scored as a whole.  `known` says whether a
    parent set of a variable was scored.
    """
    rules = rules or Constraints()
    names = list(table.names)
    index = {name: v for v, name in enumerate(names)}
    own = [{index[p] for p in network.parents[name]} for name in names]
    before = [(index[a], index[b]) for a, b in rules.before]
    others = []
    for other in moves(own):
        changed = [v for v in range(len(names)) if other[v] != own[v]]
        removal = len(changed) == 1 and other[changed[0]] < own[changed[0]]
        # The end of a turned edge that loses a parent may become any set: removals are over all sets.
        gains = [v for v in changed if not other[v] < own[v]]
        if not removal and not all(known(v, frozenset(other[v])) for v in gains):
            continue
        if not acyclic(other, before):
            continue
        if rules.broken_by({name: [names[p] for p in other[v]] for v, name in enumerate(names)}):
            continue
        others.append((changed, other))
    families = [
        (names[v], [names[p] for p in sets[v]]) for c, other in others for sets in (own, other) for v in c
    ]
    values = iter(bl.local_scores(table, families, score=score, options=options).tolist() if families else ())
    found = []
    for changed, other in others:
        then = [next(values) for _ in changed]
        now = [next(values) for _ in changed]
        if sum(now) > sum(then) + ROUNDING:
            found.append((changed, [sorted(other[v]) for v in changed], sum(now) - sum(then)))
    return found


def holds(cache: ScoreCache):
    sets = {
        (v, frozenset(cache.index(p) for p in parents))
        for v, name in enumerate(cache.names)
        for _, parents in cache.candidates(name)
    }
    return lambda v, parents: (v, parents) in sets


def polisher(table, rules=None, score="bic", options=None, max_parents=None, threads=1) -> Polisher:
    return Polisher(table, score, options or {}, rules or Constraints(), max_parents, threads)


def thinned(cache: ScoreCache, seed: int) -> ScoreCache:
    """A cache with a third of its sets, and all empty ones."""
    draw = random.Random(seed)
    lists = {
        name: [(s, up) for s, up in cache.candidates(name) if not up or draw.random() < 0.33]
        for name in cache.names
    }
    return ScoreCache.from_candidates(cache.names, lists)


def all_sets(table, score="bic") -> ScoreCache:
    """Every parent set, dominated or not."""
    families = [
        (child, parents)
        for child in table.names
        for size in range(len(table.names))
        for parents in itertools.combinations([name for name in table.names if name != child], size)
    ]
    lists: dict[str, list] = {name: [] for name in table.names}
    for (child, parents), value in zip(families, bl.local_scores(table, families, score=score), strict=True):
        lists[child].append((value, parents))
    return ScoreCache.from_candidates(table.names, lists)


def any_network(names, seed: int) -> bl.Network:
    draw = random.Random(seed)
    order = draw.sample(range(len(names)), len(names))
    parents: list[list[int]] = [[] for _ in names]
    for k, v in enumerate(order):
        parents[v] = sorted(draw.sample(order[:k], draw.randint(0, min(k, 3))))
    return bl.Network(names, parents)


@settings(max_examples=120)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 6),
    rows=st.integers(1, 60),
    score=st.sampled_from(of_states),
)
def test_no_single_edge_improves_a_polished_network(seed, n, rows, score):
    table = as_table(random_table(seed, variables=n, rows=rows))
    cache = thinned(all_sets(table, score), seed)
    start = any_network(table.names, seed)
    found = polisher(table, score=score).network(cache, start)
    assert improvements(table, found.network, holds(cache), score=score) == []
    score_of = bl.verify(found.network, table=table, score=score).score
    assert score_of == pytest.approx(_core.to_nats(found.score), abs=1e-6)
    assert (found.steps == 0) == (found.network == start)
    known = holds(cache)
    for v, name in enumerate(table.names):
        parents = frozenset(table.index(p) for p in found.network.parents[name])
        assert (v in found.added) == (not known(v, parents))


@settings(max_examples=80)
@given(seed=st.integers(0, 10**6), n=st.integers(3, 6), rows=st.integers(1, 60))
def test_constraints_hold_while_edges_change(seed, n, rows):
    table = as_table(random_table(seed, variables=n, rows=rows))
    start = any_network(table.names, seed)
    draw = random.Random(seed)
    edges = list(start.edges)
    kept = draw.sample(edges, min(2, len(edges)))
    order = list(start.order)
    away = [
        (a, b)
        for a, b in itertools.permutations(table.names, 2)
        if (a, b) not in edges and draw.random() < 0.3
    ]
    ends = [(order[0], order[-1])] if seed % 2 else []
    rules = Constraints(required=kept, forbidden=away, before=ends, max_parents={"*": 3})
    cache = thinned(all_sets(table), seed)
    lists = {
        name: [
            (s, up)
            for s, up in cache.candidates(name)
            if not rules_broken_by_a_set(rules, name, up, table.names)
        ]
        for name in table.names
    }
    for name in table.names:  # what every cache under constraints holds
        must = {a for a, b in kept if b == name}
        if must not in [set(up) for _, up in lists[name]]:
            lists[name].append((float(bl.local_scores(table, [(name, sorted(must))])[0]), tuple(must)))
    cache = ScoreCache.from_candidates(table.names, lists)
    found = polisher(table, rules).network(cache, start)
    assert rules.broken_by(found.network) == []
    assert improvements(table, found.network, holds(cache), rules=rules) == []


def rules_broken_by_a_set(rules, name, parents, names) -> bool:
    required, forbidden, most = rules.rules(names)[list(names).index(name)]
    chosen = {list(names).index(p) for p in parents}
    return not set(required) <= chosen or bool(chosen & set(forbidden)) or len(chosen) > (most or 99)


@settings(max_examples=120)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 6), rows=st.integers(2, 60))
def test_the_bound_holds_over_the_cache_with_the_sets_that_were_added(seed, n, rows):
    table = as_table(random_table(seed, variables=n, rows=rows))
    cache = thinned(all_sets(table), seed)
    before = bl.search(cache, solver="dp", threads=1)
    assert before.status == "optimal"
    after, larger = polisher(table).result(cache, before)
    best = best_score(content(larger.core))
    assert before.fixed_score <= after.fixed_score <= best <= after.fixed_bound
    assert after.status == ("optimal" if after.fixed_score == after.fixed_bound else "stopped")
    assert after.candidates == larger.candidate_count
    check = bl.verify(after.network, table=table, cache=larger, claimed_score=after.score, bound=after.bound)
    assert check.ok
    assert improvements(table, after.network, holds(larger)) == []


def test_polishing_gives_the_same_whatever_the_threads():
    table = bl.random_network(40, states=(2, 4), seed=4).sample(300, seed=4)
    cache = bl.score(table, method="greedy", sets_per_variable=60)
    start = any_network(table.names, 3)
    one, two = (polisher(table, threads=k).network(cache, start) for k in (1, 2))
    assert one == two
    assert one.steps > 0


def test_a_stopped_polish_is_a_network_no_worse(table):
    cache = bl.score(table, method="greedy", sets_per_variable=60)
    start = any_network(table.names, 3)
    whole = polisher(table).network(cache, start)
    begin = bl.verify(start, table=table).score
    for work in range(1, 120, 7):
        part = polisher(table).network(cache, start, work=work)
        score = bl.verify(part.network, table=table).score
        assert score == pytest.approx(_core.to_nats(part.score), abs=1e-6)
        assert begin - ROUNDING <= score <= _core.to_nats(whole.score) + ROUNDING


@pytest.fixture(scope="module")
def table():
    return bl.random_network(30, states=(2, 5), max_parents=4, concentration=0.3, seed=5).sample(250, seed=5)


def no_edge_should_go(table, result, rules=None) -> None:
    """Removals, turns and strengths of a result of `learn`, whose cache is not known any more."""
    assert improvements(table, result.network, lambda v, parents: False, rules=rules) == []
    required = set((rules or Constraints()).required)
    assert all(edge.strength >= 0 for edge in result.edges if (edge.source, edge.target) not in required)
    assert bl.verify(result.network, table=table, claimed_score=result.score, bound=result.bound).ok
    assert result.gap >= 0


@pytest.mark.parametrize("method", ["loop", "independence", "greedy", "sequential", "exhaustive", "auto"])
@pytest.mark.parametrize("seconds", [0.002, 0.1, 0.5])
def test_learn_returns_no_edge_that_should_go_whatever_ended_it(table, method, seconds):
    """What the limit leaves depends on the machine, and whatever it leaves must do."""
    result = bl.learn(table, method=method, time_limit=seconds, threads=1)
    no_edge_should_go(table, result)


@pytest.mark.parametrize("solver", ["obs", "asobs", "inobs", "iinobs", "minobs", "bblp", "astar", "dp"])
def test_no_solver_of_learn_leaves_a_move_over_a_complete_cache(solver, stepping_clock):
    table = bl.random_network(14, states=(2, 3), concentration=0.3, seed=2).sample(150, seed=2)
    cache = bl.score(table)
    best = bl.search(cache).fixed_score
    stepping_clock(1e-4)  # two thousand looks
    result = bl.learn(table, solver=solver, time_limit=0.2, threads=1)
    assert result.complete
    assert improvements(table, result.network, holds(cache)) == []
    assert result.fixed_score <= best <= result.fixed_bound


def test_a_search_over_the_sets_scored_alone_leaves_edges_that_should_go():
    """Why networks are polished, by counted work: the climber scored P + y from P, and never P + y - u."""
    network = bl.random_network(40, states=(2, 3), concentration=0.3, max_parents=6, seed=7)
    table = network.sample(400, seed=7)
    loop = ClosedLoop(table, "bic", {}, threads=1)
    loop._sets.climb(None, work=20_000)
    cache = loop.cache()
    plain = bl.search(cache, solver="minobs", work_limit=20_000, threads=1)
    assert improvements(table, plain.network, lambda v, parents: False)
    assert min(edge.strength for edge in edge_strengths(table, plain.network)) < 0
    better, larger = polisher(table).result(cache, plain)
    assert better.fixed_score > plain.fixed_score
    assert better.fixed_bound >= better.fixed_score
    assert improvements(table, better.network, holds(larger)) == []
    assert min(edge.strength for edge in edge_strengths(table, better.network)) >= 0


@pytest.mark.parametrize("stage", ["climb", "score", "bound", "search", "prove"])
def test_ctrl_c_leaves_no_edge_that_should_go(table, stage):
    def stop(event) -> None:
        if event.stage == stage and not stopped:
            stopped.append(event)
            os.kill(os.getpid(), signal.SIGINT)

    stopped: list[object] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = bl.learn(table, method="loop", time_limit=2, threads=1, progress=stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.interrupted == bool(stopped)
    no_edge_should_go(table, result)


def test_required_edges_stay_even_if_they_cost(table):
    names = table.names
    rules = Constraints(required=[(names[0], names[9]), (names[3], names[4])], before=[(names[7], names[2])])
    for method in ("loop", "greedy"):
        result = bl.learn(table, method=method, constraints=rules, time_limit=0.2, threads=1)
        assert rules.broken_by(result.network) == []
        no_edge_should_go(table, result, rules)


def test_the_loop_without_time_ends_where_no_edge_improves(table):
    """By counted work alone: everything the loop scored is known, so additions and turns count too."""
    options = LoopOptions(shakes=1, widen=4, fruitless_turns=1, idle_turns=1)
    loop = ClosedLoop(table, "bic", {}, loop=options, threads=1)
    loop.run(None)
    cache = loop.cache()
    found = polisher(table).network(cache, loop.network)
    assert found.score >= loop.score
    assert improvements(table, found.network, holds(cache)) == []
