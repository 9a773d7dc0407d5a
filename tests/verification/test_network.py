"""verify: every kind of problem is found, and nothing else is."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from bayesloom.errors import InputError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.verification import local_scores, verify
from made.caches import random_cache
from reference.local_scores import local_score


@dataclass
class Network:
    parents: dict[str, tuple[str, ...]]
    names: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        self.names = self.names or tuple(self.parents)


@dataclass
class Table:
    names: tuple[str, ...]
    cardinalities: tuple[int, ...]
    codes: tuple[Any, ...]


ROWS = [(0, 0, 1), (0, 1, 1), (1, 1, 0), (1, 1, 2), (0, 0, 0), (1, 0, 2)]
TABLE = Table(
    ("a", "b", "c"), (2, 2, 3), tuple(np.array(column, dtype=np.uint8) for column in zip(*ROWS, strict=True))
)
CHAIN = Network({"a": (), "b": ("a",), "c": ("a", "b")})


def textbook(variable: int, parents: tuple[int, ...], score: str = "bic") -> float:
    return local_score(ROWS, TABLE.cardinalities, variable, parents, score)


def table_cache(**wrong: float) -> ScoreCache:
    """A cache of all parent sets of TABLE, some scores of the full sets replaced."""
    index = {"a": 0, "b": 1, "c": 2}
    sets = {name: [[], *[[o] for o in index if o != name], [o for o in index if o != name]] for name in index}
    lists = {
        name: [
            (wrong.get(name, 0.0) * (len(s) == 2) + textbook(index[name], tuple(index[p] for p in s)), s)
            for s in sets[name]
        ]
        for name in index
    }
    return ScoreCache.from_candidates("abc", lists, info={"score": "bic"})


def test_a_right_network_passes_against_table_and_cache() -> None:
    expected = [textbook(0, ()), textbook(1, (0,)), textbook(2, (0, 1))]
    total = sum(expected)
    for given in ({"table": TABLE}, {"cache": table_cache()}, {"table": TABLE, "cache": table_cache()}):
        found = verify(CHAIN, **given, claimed_score=total, bound=total)  # type: ignore[arg-type]
        assert found.problems == ()
        assert found.ok
        assert found.score == pytest.approx(total, abs=1e-8)
        assert list(found.local_scores) == ["a", "b", "c"]
        assert list(found.local_scores.values()) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "bds", "k2", "fnml", "qnml"])
def test_every_score_can_be_asked_for(score: str) -> None:
    found = verify(CHAIN, table=TABLE, score=score)
    assert found.local_scores["c"] == pytest.approx(textbook(2, (0, 1), score), rel=1e-9)


def test_options_reach_the_score() -> None:
    found = verify(CHAIN, table=TABLE, score="bdeu", options={"ess": 7})
    assert found.local_scores["b"] == pytest.approx(
        local_score(ROWS, TABLE.cardinalities, 1, [0], "bdeu", 7.0), rel=1e-9
    )


def test_the_score_of_the_cache_is_the_default() -> None:
    cache = table_cache().with_info({"score": "bdeu", "options": {"ess": 7.0}})
    found = verify(CHAIN, table=TABLE, cache=cache)
    assert found.local_scores == verify(CHAIN, table=TABLE, score="bdeu", options={"ess": 7}).local_scores
    assert len(found.problems) == 3  # the scores in this cache are BIC


def test_variables_are_matched_by_name_and_the_table_may_have_more() -> None:
    found = verify(Network({"c": ("a",), "a": ()}), table=TABLE)
    assert found.local_scores["c"] == pytest.approx(textbook(2, (0,)))
    shuffled = Network({"c": ("b", "a"), "a": (), "b": ("a",)})
    assert verify(shuffled, cache=table_cache()).ok


def test_wrong_claims_are_problems() -> None:
    cache = ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-3, []), (-2, ["a"])]})
    network = Network({"a": (), "b": ("a",)})
    assert verify(network, cache=cache, claimed_score=-2).problems == (
        "the claimed score is -2.0, recomputed it is -3.0.",
    )
    assert verify(network, cache=cache, bound=-3.5).problems == ("the bound -3.5 is below the score -3.0.",)
    assert verify(network, cache=cache, claimed_score=-3 + 1e-12, bound=-3 - 1e-12).ok
    assert not verify(network, cache=cache, claimed_score=-3 + 1e-6).ok
    assert verify(network, cache=cache, claimed_score=-3 + 1e-6, tolerance=1e-5).ok


def test_a_bound_below_the_best_network_is_found_by_looking_at_all() -> None:
    cache = ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-3, []), (-2, ["a"])]})
    poor = Network({"a": (), "b": ()})
    assert verify(poor, cache=cache, bound=-3.5).ok
    found = verify(poor, cache=cache, bound=-3.5, exhaustive=True)
    assert found.best_score == -3
    assert found.problems == ("the bound -3.5 is below the best score -3.0.",)
    wide = random_cache(1, 17, 2)
    network = Network({name: wide.best(name)[1] for name in wide.names})
    with pytest.raises(InputError, match="limited to 16 variables"):
        verify(network, cache=wide, exhaustive=True)


def test_all_networks_of_a_table_can_be_looked_at_too() -> None:
    best = max(
        sum(textbook(v, chosen) for v, chosen in enumerate(sets))
        for sets in product([(), (1,), (2,), (1, 2)], [(), (0,), (2,), (0, 2)], [(), (0,), (1,), (0, 1)])
        if verify(Network({"abc"[v]: tuple("abc"[p] for p in sets[v]) for v in range(3)}), table=TABLE).ok
    )
    found = verify(CHAIN, table=TABLE, bound=best - 0.01, exhaustive=True)
    assert found.best_score == pytest.approx(best, abs=1e-8)
    assert found.problems[-1].startswith("the bound ")
    free = verify(Network({"a": (), "b": (), "c": ()}), table=TABLE, bound=best, exhaustive=True)
    assert free.ok
    held = verify(
        Network({"a": (), "b": (), "c": ()}), table=TABLE, exhaustive=True, constraints={"max_parents": 0}
    )
    assert held.best_score == pytest.approx(sum(textbook(v, ()) for v in range(3)), abs=1e-8)


def test_what_was_checked_is_told() -> None:
    found = verify(CHAIN, table=TABLE, cache=table_cache(), claimed_score=-20, bound=0, constraints={})
    assert [(check.what, check.outcome) for check in found.checks] == [
        ("network", "ok"),
        ("constraints", "ok"),
        ("candidates", "ok"),
        ("local scores", "ok"),
        ("score", "wrong"),
        ("bound", "ok"),
    ]


def test_a_network_without_variables_is_refused() -> None:
    with pytest.raises(InputError, match="the network has no variables"):
        verify(Network({}), table=TABLE)


def test_cycles_are_problems_with_their_path() -> None:
    found = verify(Network({"a": ("c",), "b": ("a",), "c": ("b",)}), table=TABLE)
    assert len(found.problems) == 1
    path = found.problems[0].removeprefix("the network has a cycle: ").removesuffix(".").split(" -> ")
    assert sorted(path[1:]) == ["a", "b", "c"]
    assert path[0] == path[-1]
    assert {("a", "b"), ("b", "c"), ("c", "a")} == set(pairwise(path))
    assert (
        verify(Network({"a": ("a",), "b": (), "c": ()}), table=TABLE).problems[0].endswith("cycle: a -> a.")
    )


def test_parent_sets_that_are_no_candidates_are_problems() -> None:
    cache = ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-2, ["a"])]})
    found = verify(Network({"a": ("b",), "b": ()}), cache=cache, claimed_score=-5)
    assert found.problems == (
        "variable 'a': 'b' is not among its candidates in the cache.",
        "variable 'b': no parents is not among its candidates in the cache.",
    )
    assert found.score is None
    assert found.local_scores == {"a": None, "b": None}


def test_a_cache_that_contradicts_the_table_is_a_problem() -> None:
    found = verify(CHAIN, table=TABLE, cache=table_cache(c=-0.01))
    assert len(found.problems) == 1
    assert found.problems[0].startswith("variable 'c': the cache has local score ")
    assert verify(CHAIN, table=TABLE, cache=table_cache(c=-0.01), tolerance=0.1).ok


def test_a_parent_named_twice_is_a_problem() -> None:
    found = verify(Network({"a": (), "b": ("a", "a"), "c": ()}), table=TABLE)
    assert found.problems == ("variable 'b': a parent is named twice.",)


@pytest.mark.parametrize(
    ("network", "options", "message"),
    [
        (CHAIN, {}, "nothing to check the network against. Give table= or cache="),
        (Network({"z": ()}), {"table": TABLE}, "variable 'z' of the network is not a column of the table"),
        (Network({"a": ("z",)}), {"table": TABLE}, "'z', a parent of 'a', is not a variable of the network"),
        (Network({"z": ()}, ("a",)), {"table": TABLE}, "parents for 'z', which is not among its names"),
        (CHAIN, {"table": TABLE, "score": "bdue"}, "unknown score 'bdue'. Did you mean 'bdeu'"),
        (CHAIN, {"table": TABLE, "options": {"ess": 1}}, "score 'bic' has no option 'ess'"),
        (CHAIN, {"table": TABLE, "score": "bdeu", "options": {"ess": -1}}, "ess must be a positive number"),
    ],
)
def test_what_cannot_be_checked_is_an_error(network: Network, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        verify(network, **options)


def test_network_and_cache_must_have_the_same_variables() -> None:
    with pytest.raises(InputError, match="variable 'z' of the network is not in the score cache"):
        verify(Network({"z": ()}), cache=table_cache())
    with pytest.raises(InputError, match="variable 'b' of the score cache is not in the network"):
        verify(Network({"a": ()}), cache=table_cache())


def test_columns_must_be_small_unsigned_numbers() -> None:
    with pytest.raises(
        InputError, match="a column must be a flat array of uint8, uint16 or float64, got int64"
    ):
        local_scores([np.array([0, 1])], [2], [[]])
    strided = np.array([0, 9, 1, 9], dtype=np.uint8)[::2]
    assert local_scores([strided], [2], [[]], "k2") == local_scores([strided.copy()], [2], [[]], "k2")


@pytest.mark.parametrize("value", [float("nan"), np.float64("nan"), "-3", b"-3", True, [1]])
@pytest.mark.parametrize("what", ["bound", "claimed_score"])
def test_what_is_no_number_is_refused(what: str, value: Any) -> None:
    """Nothing is above or below NaN, so it would pass every check."""
    with pytest.raises(InputError, match=f"{what} must be a number, got"):
        verify(CHAIN, table=TABLE, **{what: value})


def test_a_bound_may_be_infinite() -> None:
    assert verify(CHAIN, table=TABLE, bound=float("inf")).ok
    assert not verify(CHAIN, table=TABLE, bound=float("-inf")).ok
