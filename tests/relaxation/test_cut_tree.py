"""Branch and cut by a linear program, beside dynamic programming; and a program that lies."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InfeasibleError, InputError, InternalError
from bayesloom.solvers.highs import FAILED, HighsProgram
from bayesloom.verification.certificate import certificate_text, check_certificate, parsed
from fuzz.proofs import divided_lists
from made.caches import joined, random_cache, tied_cache
from made.lists import UNIT, cache_of, crowded_cache


def case(seed: int) -> bl.ScoreCache:
    """Ties, several components, many candidates near in score."""
    rng = random.Random(seed)
    if seed % 4 == 0:
        return tied_cache(seed)
    if seed % 4 == 1:
        return random_cache(seed, rng.randint(3, 8), rng.randint(4, 40), rng.randint(2, 4))
    if seed % 4 == 2:
        return joined(*[random_cache(3 * seed + k, rng.randint(2, 5), rng.randint(3, 20)) for k in range(2)])
    return crowded_cache(seed, variables=7, candidates=25)


def best_of(cache: bl.ScoreCache) -> dict[str, Any] | None:
    try:
        return _core.subset_dp(cache.core, threads=1)
    except InfeasibleError:
        return None


def check_proof(cache: bl.ScoreCache, best: dict[str, Any], goal: int, proof: dict[str, Any]) -> str:
    """What is wrong with a proof that no network scores above the goal."""
    _, _, first, flat = cache.core.plain_views
    parents = [list(flat[first[c] : first[c + 1]]) for c in best["candidates"]]
    text = certificate_text(cache, {}, parents, best["score"], goal, proof["body"], proof["finer"])
    return check_certificate(parsed(text, "certificate"), cache).problem


@pytest.mark.parametrize("block", range(4))
def test_it_finds_what_is_above_a_score_and_proves_that_nothing_is(block):
    for seed in range(6 * block, 6 * block + 6):
        cache, rng = case(seed), random.Random(seed)
        best = best_of(cache)
        if best is None:
            continue
        top = best["score"]
        prices = [] if seed % 3 else [_core.bblp(cache.core, branch=False, moves=0)["clusters"]]
        below = top - rng.randint(1, 2**33), top - rng.randint(1, 2**16)
        for known in (top, *below, top + rng.choice((1, 2**30))):
            out = _core.cut_proof(cache.core, known, HighsProgram(), prices, seed)
            assert out["bound"] == max(known, top), seed
            assert out["found"] == (known < top), seed
            if out["found"]:
                assert sum(int(cache.scores[c]) for c in out["candidates"]) == out["score"] == top
            else:
                assert check_proof(cache, best, known, out) == "", seed
                assert known == top or check_proof(cache, best, top - 1, out) != ""


def test_a_stop_brackets_the_optimum():
    for seed in range(24):
        cache = case(seed)
        best = best_of(cache)
        if best is None:
            continue
        known = best["score"] - 2**32
        out = _core.cut_proof(cache.core, known, HighsProgram(), seed=seed, work=1 + 370 * seed)
        assert out["bound"] >= best["score"], seed


def test_cuts_arise_where_the_relaxation_is_divided_and_proofs_with_them_hold():
    with_cuts = 0
    for seed in range(40):
        rng = random.Random(seed)
        n = rng.randint(5, 7)
        lists = divided_lists(rng, n)
        cache = cache_of([[(-loss, frozenset(s)) for loss, s in one] for one in lists], unit=UNIT)
        best = best_of(cache)
        assert best is not None
        out = _core.cut_proof(cache.core, best["score"], HighsProgram(), seed=seed)
        assert out["bound"] == best["score"], seed
        assert check_proof(cache, best, best["score"], out) == "", seed
        assert check_proof(cache, best, best["score"] - 1, out) != "", seed
        with_cuts += "\ncut " in out["body"]
    assert with_cuts >= 8


@pytest.mark.parametrize("seed", range(2))
def test_prices_that_add_up_to_more_than_any_loss_have_room(seed):
    """Of many pairs of which one has to go without the other: with many rows such prices were left out."""
    rng, n, top = random.Random(seed), 40, 2**51 - 2**46
    lists = []
    for v in range(n):
        far = [u for u in range(n) if u // 2 != v // 2]
        own = [
            (-rng.randint(0, top // 8), frozenset({v ^ 1})),
            (-top - rng.randint(0, top // 64), frozenset()),
        ]
        own += [(-top + rng.randint(0, top // 64), frozenset({u})) for u in rng.sample(far, 2)]
        lists.append(own)
    cache = cache_of(lists, unit=UNIT)
    best = _core.bblp(cache.core, seed=seed)
    assert best["score"] == best["bound"]
    out = _core.cut_proof(cache.core, best["score"], HighsProgram(), seed=seed, work=300_000)
    assert out["bound"] == best["score"]
    assert check_proof(cache, best, best["score"], out) == ""


@pytest.mark.parametrize("sets", ["never", "in turns"])
def test_within_bblp_it_agrees_with_dynamic_programming(sets):
    used = 0
    for seed in range(32):
        cache = case(seed) if seed < 26 else crowded_cache(seed)
        best = best_of(cache)
        if best is None:
            continue
        for work in (None, 100 + 1000 * seed):
            out = _core.bblp(
                cache.core, moves=0, sets=sets, seed=seed, program=HighsProgram(), program_after=1, work=work
            )
            assert out["score"] <= best["score"] <= out["bound"], seed
            assert work or out["score"] == out["bound"], seed
            used += out["cuts"] > 0
    assert used > 0 or sets != "never"


def test_without_memory_for_open_nodes_it_finds_the_same():
    cache = crowded_cache(1, variables=14, candidates=60)
    best = best_of(cache)
    assert best is not None
    asked = {"moves": 0, "sets": "never", "program_after": 1, "memory_bytes": 0.0}
    out = _core.bblp(cache.core, program=HighsProgram(), **asked)
    assert out["score"] == out["bound"] == best["score"]
    assert out["nodes"] > 1


class Liar(HighsProgram):
    """Says what it likes: bounds must not believe it."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def solve(self, steps: int, cutoff: float) -> tuple[int, int]:
        end, used = super().solve(steps, cutoff)
        return (int(self.rng.integers(4)) if self.rng.random() < 0.1 else end), used

    def solution(self) -> Any:
        shares, duals = super().solution()
        kind = self.rng.integers(4)
        if kind == 0:
            shares = self.rng.uniform(-1, 2, len(shares))
        elif kind == 1:
            duals = duals * self.rng.exponential(2.0, len(duals))
        elif kind == 2:
            duals = self.rng.choice([-5.0, 0.0, 1e9, np.inf, np.nan, 1.0], len(duals))
        return shares, duals

    def ray(self) -> Any:
        return self.rng.normal(size=self.highs.getNumRow())


def test_a_program_that_lies_costs_time_and_never_a_proof():
    closed = 0
    for seed in range(40):
        cache = case(seed)
        best = best_of(cache)
        if best is None:
            continue
        top = best["score"]
        for known in (top, top - 2**31):
            out = _core.cut_proof(cache.core, known, Liar(seed), seed=seed, work=60_000)
            assert out["bound"] >= top, seed
            assert not out["body"] or check_proof(cache, best, known, out) == "", seed
            closed += out["bound"] == top
    assert closed > 8


def test_a_program_that_stumbles_begins_once_more_from_no_basis():
    class Stumbling(HighsProgram):
        stumbled = runs = 0

        def _run(self) -> int:
            end = super()._run()
            self.runs += 1
            self.stumbled += self.runs % 3 == 1
            return FAILED if self.runs % 3 == 1 else end

    stumbled = 0
    for seed in range(1, 9):
        cache = case(seed)
        best = best_of(cache)
        if best is None:
            continue
        program = Stumbling()
        out = _core.cut_proof(cache.core, best["score"], program, seed=seed)
        assert out["bound"] == best["score"], seed
        assert check_proof(cache, best, best["score"], out) == "", seed
        stumbled += program.stumbled
    assert stumbled > 8


def test_a_program_that_fails_leaves_the_rest_to_prices():
    class Failing(HighsProgram):
        def solve(self, steps: int, cutoff: float) -> tuple[int, int]:
            return 4, 0

    class Raising(HighsProgram):
        def solve(self, steps: int, cutoff: float) -> tuple[int, int]:
            raise InternalError("out of order")

    class Interrupted(HighsProgram):
        def solve(self, steps: int, cutoff: float) -> tuple[int, int]:
            raise KeyboardInterrupt

    cache = crowded_cache(5)
    best = best_of(cache)
    assert best is not None
    asked = {"moves": 0, "sets": "never", "program_after": 1}
    out = _core.bblp(cache.core, program=Failing(), **asked)
    assert out["score"] == out["bound"] == best["score"]
    with pytest.raises(InternalError, match="out of order"):
        _core.bblp(cache.core, program=Raising(), **asked)
    out = _core.bblp(cache.core, program=Interrupted(), **asked)
    assert out["interrupted"]
    assert out["score"] <= best["score"] <= out["bound"]
    assert out["score"] < out["bound"]  # it stopped there, and did not go on by prices


@pytest.mark.parametrize("method", ["begin", "add_rows", "allow", "solution", "ray", "keep_basis"])
@pytest.mark.parametrize("calls", [1, 2, 5])
def test_ctrl_c_within_the_program_stops_the_search(method, calls):
    class Interrupted(HighsProgram):
        left = calls

    def interrupted(self: Any, *arguments: Any) -> Any:
        self.left -= 1
        if self.left <= 0:
            raise KeyboardInterrupt
        return getattr(HighsProgram, method)(self, *arguments)

    setattr(Interrupted, method, interrupted)
    cache = crowded_cache(5)
    best = best_of(cache)
    assert best is not None
    program = Interrupted()
    out = _core.bblp(cache.core, program=program, moves=0, sets="never", program_after=1)
    assert out["interrupted"] == (program.left <= 0)
    assert out["score"] <= best["score"] <= out["bound"]
    assert (out["score"] < out["bound"]) == out["interrupted"]


@pytest.mark.parametrize("what", ["shares", "duals", "both", "ray"])
def test_a_program_that_answers_in_part_leaves_the_rest_to_prices(what):
    class Short(HighsProgram):
        def solution(self) -> Any:
            shares, duals = super().solution()
            return (
                shares[: None if what in ("duals", "ray") else len(shares) // 2],
                duals[: None if what in ("shares", "ray") else 0],
            )

        def ray(self) -> Any:
            return np.ones(1) if what == "ray" else super().ray()

    cache = crowded_cache(5)
    best = best_of(cache)
    assert best is not None
    out = _core.bblp(cache.core, program=Short(), moves=0, sets="never", program_after=1)
    assert out["score"] == out["bound"] == best["score"]


HIGHS = "HiGHS (the package highspy)"
NO_CUTS = ", so there is no branch and cut: a proof may take much longer."
NOT_INSTALLED = f"{HIGHS} is not installed{NO_CUTS}"


@pytest.fixture
def without_highs(monkeypatch):
    monkeypatch.setattr("bayesloom.solvers.highs.find_spec", lambda name: None)


@pytest.fixture
def broken_highs(monkeypatch):
    """HiGHS is there, and raises when it is imported."""
    monkeypatch.setitem(sys.modules, "highspy", None)
    monkeypatch.setattr("bayesloom.solvers.highs.find_spec", lambda name: object())


@pytest.mark.usefixtures("without_highs")
def test_without_highs_prices_have_to_do_and_the_result_says_so():
    cache = crowded_cache(5)
    best = best_of(cache)
    assert best is not None
    found = bl.search(cache, solver="bblp")
    assert found.fixed_bound == best["score"]
    assert found.notes == (NOT_INSTALLED,)
    assert found.to_json()["notes"] == [NOT_INSTALLED]
    for options in ({"lp": False}, {"branch": False}):  # it was not to be used
        assert bl.search(cache, solver="bblp", options=options).notes == ()
    assert bl.search(cache, solver="dp").notes == ()


@pytest.mark.usefixtures("without_highs")
@pytest.mark.parametrize(
    "more", [{}, {"threads": 1}, {"work_limit": 200_000}, {"executor": "local:1"}], ids=lambda more: str(more)
)
def test_auto_says_so_too(more):
    cache = crowded_cache(1, variables=30, candidates=6)
    found = bl.search(cache, **more)
    assert "bblp" in found.solver
    assert found.notes == (NOT_INSTALLED,)


@pytest.mark.usefixtures("without_highs")
def test_so_does_learn():
    table = bl.random_network(25, max_parents=2, seed=1).sample(100, seed=1)
    found = bl.learn(table, max_parents=1)
    assert "bblp" in found.solver
    assert NOT_INSTALLED in found.notes


@pytest.mark.usefixtures("broken_highs")
def test_highs_that_does_not_load_is_as_none():
    cache = crowded_cache(1, variables=11, candidates=40)
    best = best_of(cache)
    assert best is not None
    options = {"sets": "never", "moves": 0}
    found = bl.search(cache, solver="bblp", options=options, certificate=True)
    assert found.fixed_score == found.fixed_bound == best["score"]
    (note,) = (note for note in found.notes if "HiGHS" in note)
    assert note.startswith(f"{HIGHS} does not load (")
    assert note.endswith(NO_CUTS)
    without = bl.search(cache, solver="bblp", options={**options, "lp": False})
    assert (found.fixed_score, found.work) == (without.fixed_score, without.work)


@pytest.mark.parametrize("lp", [True, False])
def test_the_option_is_that_of_bblp(lp):
    for seed in range(12):
        cache = case(seed)
        best = best_of(cache)
        if best is not None:
            out = bl.search(cache, solver="bblp", options={"lp": lp, "moves": 5}, seed=seed)
            assert out.fixed_score == out.fixed_bound == best["score"]


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


@pytest.mark.parametrize(("seed", "variables", "candidates"), [(86, 10, 40), (450, 9, 60), (843, 9, 55)])
def test_a_program_without_a_solution_takes_columns_by_its_ray(seed, variables, candidates):
    cache = crowded_cache(seed, variables=variables, candidates=candidates)
    top = _core.subset_dp(cache.core, threads=1)["score"]
    for known in (top, top - 1):
        out = _core.cut_proof(cache.core, known, HighsProgram(), [], seed, work=2_000_000)
        assert (out["bound"], out["found"]) == (top, known < top)
