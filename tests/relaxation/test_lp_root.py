"""Option lp of bblp: a linear program at the root, against dynamic programming and against definitions."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InfeasibleError, InputError
from bayesloom.solvers import lp_root
from bayesloom.solvers.relaxation import Bblp
from made.caches import content, random_cache, tied_cache
from made.command import run
from made.lists import crowded_cache
from reference.cluster_relaxation import relaxation_value


def root_of(cache: bl.ScoreCache) -> dict:
    return _core.bblp(cache.core, branch=False)


def program_of(cache: bl.ScoreCache, root: dict, **limits: float) -> lp_root.LpRoot:
    return lp_root.lp_root(cache, root["clusters"], root["candidates"], root["score"], **limits)


@pytest.mark.parametrize("block", range(4))
def test_it_agrees_with_dynamic_programming_and_a_stop_brackets_the_optimum(block):
    without_a_network = (116, 193, 218, 230)[block]
    for seed in [*range(15 * block, 15 * block + 15), without_a_network]:
        cache = tied_cache(seed)
        try:
            best = _core.subset_dp(cache.core, threads=1)["score"]
        except InfeasibleError:
            assert seed == without_a_network
            with pytest.raises(InfeasibleError):
                bl.search(cache, solver="bblp", options={"lp": True})
            continue
        assert seed != without_a_network
        done = bl.search(cache, solver="bblp", options={"lp": True}, seed=seed)
        assert done.fixed_score == done.fixed_bound == best, seed
        work = 1 + 37 * (seed % 60)
        stopped = bl.search(
            cache, solver="bblp", options={"lp": True, "moves": 5}, seed=seed, work_limit=work
        )
        assert stopped.fixed_score <= best <= stopped.fixed_bound, seed
        root = bl.search(cache, solver="bblp", options={"lp": True, "branch": False, "moves": 0}, seed=seed)
        assert root.fixed_score <= best <= root.fixed_bound, seed


def test_the_bound_is_never_worse_than_without_and_often_better():
    better = 0
    for seed in range(6):
        cache = crowded_cache(seed)
        best = _core.subset_dp(cache.core, threads=1)["score"]
        plain = bl.search(cache, solver="bblp", options={"branch": False})
        found = bl.search(cache, solver="bblp", options={"branch": False, "lp": True})
        assert best <= found.fixed_bound <= plain.fixed_bound
        assert found.fixed_score >= plain.fixed_score
        better += found.fixed_bound < plain.fixed_bound
    assert better >= 4


@pytest.mark.parametrize("seed", range(6))
def test_the_program_reaches_the_relaxation_with_all_rules_written_down(seed):
    """With inequalities of four it may be below, and as inequalities are found greedily a little above."""
    cache = crowded_cache(seed, variables=6, candidates=20)
    root = root_of(cache)
    out = program_of(cache, root)
    assert out.complete or out.bound <= root["score"]
    trivial = sum(int(cache.scores[int(f)]) for f in cache.first[:-1])
    value = relaxation_value(content(cache.core), most_need=2)
    assert out.bound <= max(root["score"], value + 0.01 * (trivial - value)) + 1


def test_candidates_left_out_of_the_program_at_first_come_in(monkeypatch):
    """With one column for each variable to begin with the value is the same."""
    cache = crowded_cache(5)
    root = root_of(cache)
    whole = program_of(cache, root)
    monkeypatch.setattr(lp_root, "FIRST_COLUMNS", 1)
    monkeypatch.setattr(lp_root, "MOST_COLUMNS", 1)
    few = program_of(cache, root)
    assert few.columns < whole.columns
    assert few.bound < root["bound"]
    assert abs(few.bound - whole.bound) <= 0.2 * (whole.bound - root["score"])


def test_the_bound_is_that_of_its_prices_by_definition():
    cache = crowded_cache(5)
    root = root_of(cache)
    out = program_of(cache, root)
    assert out.bound < root["bound"]
    _, kept, _ = _core.dual_bound(cache.core, root["score"], [root["clusters"]])
    total = -sum(need * price for _, need, price, _ in out.prices)
    ends = cache.parent_first.astype(int)
    for v in range(cache.variable_count):
        priced = []
        for c in kept[(kept >= cache.first[v]) & (kept < cache.first[v + 1])].astype(int):
            parents = set(cache.parents[ends[c] : ends[c + 1]].tolist())
            paid = 0
            for members, need, price, blocks in out.prices:
                if v not in members:
                    continue
                inside = [p for p in members if p != v]
                if blocks:
                    own = sum(1 << k for k, p in enumerate(inside) if p in parents)
                    blocked = blocks[members.index(v)] >> own & 1
                else:
                    blocked = len(parents & set(inside)) >= need
                paid += 0 if blocked else price
            priced.append(int(cache.scores[c]) + paid)
        total += max(priced)
    assert total == out.bound


def test_rules_of_four_come_back_and_go_in():
    """Four variables that plain inequalities leave open: the prices of the root alone close them again."""
    sets = {"a": ["bc"], "b": ["ac", "ad"], "c": ["ab", "ad"], "d": ["b", "c"]}
    lists = {v: [(0.0, [])] + [(1.0, list(parents)) for parents in own] for v, own in sets.items()}
    cache = bl.ScoreCache.from_candidates(list("abcd"), lists)
    root = root_of(cache)
    assert any(blocks for *_, blocks in root["clusters"])
    out = program_of(cache, root)
    assert _core.to_nats(out.bound) == pytest.approx(2.0, abs=1e-6)
    again = _core.bblp(cache.core, branch=False, prices=[root["clusters"], out.prices], moves=0)
    assert again["bound"] <= max(out.bound, again["score"])


def test_a_row_counts_what_is_not_blocked():
    """Over whole shares, that is over a choice of one candidate each, cyclic or not."""
    cache = random_cache(8, variables=10, candidates=40)
    candidates = np.arange(cache.candidate_count, dtype=np.uint64)
    separation = _core.Separation(cache.core, candidates)
    inequalities = [([0, 3, 5], 1, 0, []), ([1, 2, 4, 6, 9], 2, 0, [])]
    first, columns, values, least = separation.add(inequalities)
    ends = cache.parent_first.astype(int)
    rng = np.random.default_rng(0)
    for _ in range(20):
        chosen = [int(rng.integers(cache.first[v], cache.first[v + 1])) for v in range(cache.variable_count)]
        shares = np.zeros(cache.candidate_count)
        shares[chosen] = 1
        for k, (members, need, _, _) in enumerate(inequalities):
            row = slice(first[k], first[k + 1])
            free = sum(
                len(set(cache.parents[ends[c] : ends[c + 1]].tolist()) & set(members)) < need
                for c in (chosen[v] for v in members)
            )
            assert shares[columns[row]] @ values[row] - least[k] == free - need


def test_prices_that_are_no_prices_are_refused():
    core = random_cache(1, variables=5, candidates=12).core
    for inequality, message in (
        (([0, 1], 1, -1, []), "the price of an inequality must be at least 0, got -1"),
        (([0, 5], 1, 1, []), "an inequality names variable 5, but the cache has 5, numbered from 0"),
        (([0, -1], 1, 1, []), "an inequality names variable -1, but the cache has 5"),
        (([0, 0], 1, 1, []), "an inequality names variable 0 twice"),
        (
            ([0, 1], 2, 1, []),
            "the need of an inequality must be at least 1 and less than its members, got 2 of 2",
        ),
        (
            ([0, 1], 0, 1, []),
            "the need of an inequality must be at least 1 and less than its members, got 0 of 2",
        ),
        (
            ([0, 1, 2, 3], 2, 1, [1, 2, 3, 4]),
            "the blocks of an inequality are not those of an inequality of four",
        ),
        (
            ([0, 1, 2, 3], 2, 1, [300, 2, 3, 4]),
            "the blocks of an inequality are not those of an inequality of four",
        ),
        (([0, 1], 1, 2**62, []), "the prices of the inequalities are too high to add up"),
    ):
        with pytest.raises(InputError, match=message):
            _core.bblp(core, prices=[[inequality]])
        with pytest.raises(InputError, match=message):
            _core.dual_bound(core, -(2**50), [[inequality]])


def test_any_prices_bracket_the_optimum():
    rng = np.random.default_rng(4)
    for seed in range(20):
        cache = random_cache(seed, variables=8, candidates=20)
        best = _core.subset_dp(cache.core, threads=1)["score"]
        lists = [
            [
                (rng.choice(8, size=size, replace=False).tolist(), 1, int(rng.integers(2**33)), [])
                for size in rng.integers(2, 7, size=10)
            ]
            for _ in range(3)
        ]
        out = _core.bblp(cache.core, prices=lists, branch=False, work=1, moves=0)
        assert out["score"] <= best <= out["bound"]
        done = _core.bblp(cache.core, prices=lists)
        assert done["score"] == done["bound"] == best


def test_shares_and_candidates_are_checked():
    cache = random_cache(1, variables=5, candidates=12)
    candidates = np.arange(cache.candidate_count, dtype=np.uint64)
    with pytest.raises(InputError, match="candidates must name at least one of each variable"):
        _core.Separation(cache.core, candidates[:3])
    with pytest.raises(InputError, match="candidates must be numbers of candidates of the cache, ascending"):
        _core.Separation(cache.core, candidates[::-1].copy())
    separation = _core.Separation(cache.core, candidates)
    with pytest.raises(InputError, match="shares must have one number for each column"):
        separation.violated(np.ones(2), 0.01)
    with pytest.raises(InputError, match="shares of each variable must add up to 1"):
        separation.violated(np.zeros(len(candidates)), 0.01)


def test_without_highs_one_sentence_says_how_to_get_it(monkeypatch):
    plain = builtins.__import__

    def fail(name, *arguments, **named):
        if name == "highspy":
            raise ImportError(name)
        return plain(name, *arguments, **named)

    monkeypatch.delitem(sys.modules, "highspy", raising=False)
    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(ImportError, match=r"Install it with: pip install 'bayesloom\[lp\]'"):
        Bblp(lp=True)
    assert Bblp().lp is False


def test_ctrl_c_in_the_program_gives_the_result_so_far(monkeypatch):
    cache = crowded_cache(5)

    def interrupt(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(lp_root._Program, "add_columns", interrupt)
    out = bl.search(cache, solver="bblp", options={"lp": True})
    assert out.interrupted
    assert out.status == "stopped"
    assert out.bound >= out.score


def test_the_trace_only_ever_improves_and_progress_is_told():
    told = []
    cache = crowded_cache(5)
    out = bl.search(cache, solver="bblp", options={"lp": True}, progress=told.append)
    assert told
    for one, two in zip(out.trace, out.trace[1:], strict=False):
        assert one.seconds <= two.seconds
        assert one.work <= two.work
        assert one.score <= two.score
        assert one.bound >= two.bound
    assert (out.trace[-1].score, out.trace[-1].bound) == (out.score, out.bound)


def test_a_time_limit_holds_in_the_program_too():
    cache = crowded_cache(5)
    root = root_of(cache)
    out = program_of(cache, root, seconds=0.0)
    assert (out.bound, out.rounds, out.complete) == (root["bound"], 1, False)


def test_the_command_line_takes_it(tmp_path, capsys):
    random_cache(2, variables=9, candidates=25).write(tmp_path / "a.blc")
    ended = run(capsys, "search", tmp_path / "a.blc", "--solver", "bblp", "--option", "lp=true")
    assert ended.code == 0, ended.err
