"""ScoreCache as users see it: making, looking up, info, completeness."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.scoring.cache import ScoreCache, read_cache
from made.caches import ANY_NAMES, caches, random_cache

LISTS = {
    "rain": [(-12.5, [])],
    "wet": [(-13.75, []), (-7.25, ["rain"])],
    "slip": [(-4, []), (-3, ["wet", "rain"]), (-3, ["rain"])],
}


@pytest.fixture
def cache() -> ScoreCache:
    return ScoreCache.from_candidates(
        ["rain", "wet", "slip"],
        LISTS,
        cardinalities=[2, 3, 0],
        info={"score": "bic", "rows": 20, "complete_factor": 20},
    )


def test_it_shows_what_it_holds(cache: ScoreCache) -> None:
    assert repr(cache) == "ScoreCache(3 variables, 6 candidates, up to 2 parents, score 'bic')"
    assert cache.names == ("rain", "wet", "slip")
    assert cache.cardinalities == (2, 3, 0)
    assert (cache.variable_count, cache.candidate_count, len(cache), cache.max_parents_seen) == (3, 6, 6, 2)
    assert cache.candidates("slip") == [(-3.0, ("rain",)), (-3.0, ("rain", "wet")), (-4.0, ())]
    assert cache.candidates(2) == cache.candidates("slip")
    assert cache.summary().splitlines() == [
        "variables    3",
        "candidates   6 (1 to 3 per variable)",
        "parents      up to 2",
        "score        bic",
        "rows         20",
        "complete     yes, within Bayes factor 20",
    ]


def test_look_ups(cache: ScoreCache) -> None:
    assert cache.best("wet") == (-7.25, ("rain",))
    assert cache.find("slip", ["wet", "rain"]) == -3
    assert cache.find("slip", ["wet"]) is None
    assert cache.best_within("slip", ["wet"]) == (-4.0, ())
    only = ScoreCache.from_candidates("ab", {"a": [(-1, ["b"])], "b": [(-1, [])]})
    assert only.best_within("a", []) is None
    with pytest.raises(InputError, match=r"unknown variable 'wed'\. Did you mean 'wet'"):
        cache.candidates("wed")
    with pytest.raises(InputError, match="variable -1 is not among the 3"):
        cache.best(-1)
    with pytest.raises(InputError, match="variable 3 is not among the 3"):
        cache.find(0, [3])


def test_network_scores(cache: ScoreCache) -> None:
    parents = {"rain": [], "wet": ["rain"], "slip": ["wet", "rain"]}
    assert cache.network_score(parents) == -22.75
    with pytest.raises(InputError, match="variable 'slip': 'wet' is not among its candidates"):
        cache.network_score({**parents, "slip": ["wet"]})
    with pytest.raises(InputError, match="no entry for variable 'slip'"):
        cache.network_score({"rain": [], "wet": []})
    with pytest.raises(InputError, match="unknown variable 'snow'"):
        cache.network_score({**parents, "snow": []})


def test_from_candidates_names_what_is_wrong() -> None:
    with pytest.raises(InputError, match="candidates for 'c', which is not among the names"):
        ScoreCache.from_candidates("ab", {"c": [(-1, [])]})
    with pytest.raises(InputError, match="'c', a parent of 'b', is not among the names"):
        ScoreCache.from_candidates("ab", {"a": [(-1, [])], "b": [(-1, ["c"])]})
    with pytest.raises(InputError, match="the parents of 'a' must be a list of names, got 'b'"):
        ScoreCache.from_candidates("ab", {"a": [(-1, "b")], "b": [(-1, [])]})
    with pytest.raises(InputError, match="variable 'b' has no candidate"):
        ScoreCache.from_candidates("ab", {"a": [(-1, [])]})
    with pytest.raises(InputError, match="parent 'b' is there twice"):
        ScoreCache.from_candidates("ab", {"a": [(-1, ["b", "b"])], "b": [(-1, [])]})
    with pytest.raises(InputError, match="names of variables are text, got 1"):
        ScoreCache.from_candidates([1], {1: [(-1, [])]})  # type: ignore[list-item, dict-item]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("first", [0.0, 1.0], "offsets of candidates must be a flat array of whole numbers"),
        ("first", [[0, 1]], "offsets of candidates must be a flat array of whole numbers"),
        ("first", [0, -1], "offsets of candidates must lie between 0 and 2\\^64 - 1"),
        ("parents", [2**32], "positions of parents must lie between 0 and 2\\^32 - 1"),
        ("cardinalities", [-2], "cardinalities must lie between 0 and 2\\^32 - 1"),
        ("names", ["x"] * 1_000_001, "1000001 variables are more than the 1,000,000"),
    ],
)
def test_from_arrays_refuses_numbers_that_do_not_fit(field: str, value: Any, message: str) -> None:
    arrays: dict[str, Any] = {
        "names": ["a"],
        "first": [0, 1],
        "scores": [-1],
        "parent_first": [0, 0],
        "parents": [],
    }
    with pytest.raises(InputError, match=message):
        ScoreCache.from_arrays(**{**arrays, field: value})


def test_arrays_are_views_and_lead_back_to_the_same_cache(cache: ScoreCache) -> None:
    assert not any(a.flags.writeable for a in (cache.first, cache.scores, cache.parent_first, cache.parents))
    assert np.shares_memory(cache.scores, cache.scores)
    again = ScoreCache.from_arrays(
        cache.names,
        cache.first,
        cache.scores / 2.0**30,
        cache.parent_first,
        cache.parents,
        cardinalities=cache.cardinalities,
        info=cache.info,
    )
    assert again == cache


@given(cache=caches(names=ANY_NAMES))
def test_pickling_and_equality(cache: ScoreCache) -> None:
    assert pickle.loads(pickle.dumps(cache)) == cache
    assert cache.with_info({"note": "other"}) != cache
    assert cache != "cache"


def test_a_cache_is_not_hashable(cache: ScoreCache) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(cache)


# Info


def test_info_is_a_copy(cache: ScoreCache) -> None:
    cache.info["rows"] = 7
    assert cache.info["rows"] == 20


def test_completeness_is_what_the_info_says(cache: ScoreCache) -> None:
    assert cache.complete
    assert cache.complete_factor == 20
    unproved = cache.with_info({})
    assert not unproved.complete
    assert unproved.complete_factor is None
    assert unproved.summary().endswith("not proved")


def test_pruning_keeps_only_what_is_still_proved(cache: ScoreCache) -> None:
    assert cache.without_dominated().complete_factor == 1
    assert cache.without_dominated(bayes_factor=5).complete_factor == 5
    assert cache.without_dominated(bayes_factor=50).complete_factor == 20
    lean = cache.without_dominated(drop_ties=True)
    assert lean.complete
    assert lean.complete_factor is None
    assert lean.summary().endswith("for one best network")
    assert not cache.with_info({}).without_dominated().complete
    chosen = cache.select(np.ones(6, dtype=bool))
    assert not chosen.complete
    assert chosen.candidate_count == 6


def test_pruning_within_a_bayes_factor_keeps_what_reaches_it_exactly() -> None:
    factor = math.exp(2.0)
    lists = {"a": [(-1.0, []), (-3.0, ["b"]), (-3.5, ["c"])], "b": [(-1, [])], "c": [(-1, [])]}
    cache = ScoreCache.from_candidates("abc", lists)
    assert [parents for _, parents in cache.without_dominated(bayes_factor=factor).candidates("a")] == [
        (),
        ("b",),
    ]
    with pytest.raises(InputError, match=r"bayes_factor must be a number of at least 1, got 0\.5"):
        cache.without_dominated(bayes_factor=0.5)
    with pytest.raises(InputError, match="at least 1, got nan"):
        cache.without_dominated(bayes_factor=math.nan)


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ({"score": 3}, "has score = 3; expected a name"),
        ({"rows": -1}, "has rows = -1; expected a whole number"),
        ({"rows": True}, "has rows = true; expected a whole number"),
        ({"options": []}, r"has options = \[\]; expected a JSON object"),
        ({"max_parents": 1.5}, "has max_parents = 1.5; expected a whole number or null"),
        ({"complete_factor": 0.5}, "has complete_factor = 0.5; expected a number of at least 1, or null"),
        ({"ties_dropped": 1}, "has ties_dropped = 1; expected true or false"),
        ({"note": math.nan}, "must be expressible as JSON"),
        ({"note": {1, 2}}, "must be expressible as JSON"),
    ],
)
def test_info_that_does_not_fit_is_refused(cache: ScoreCache, info: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cache.with_info(info)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"rows":"x"}', "[" * 100_000])
def test_a_damaged_info_text_is_refused(cache: ScoreCache, text: str) -> None:
    with pytest.raises(InputError, match="the info of"):
        ScoreCache(cache.core.with_info(text))


def test_info_texts_are_canonical(cache: ScoreCache) -> None:
    one, two = cache.with_info({"a": 1, "b": 2}), cache.with_info({"b": 2, "a": 1})
    assert one.core.info == two.core.info == json.dumps({"a": 1, "b": 2}, separators=(",", ":"))
    assert one == two


def test_large_lists_keep_their_order() -> None:
    cache = random_cache(7, 30, 200)
    for name in cache.names:
        scores = [score for score, _ in cache.candidates(name)]
        assert scores == sorted(scores, reverse=True)


def test_read_cache_is_a_short_name_for_read(cache: ScoreCache, tmp_path: Any) -> None:
    cache.write(tmp_path / "a.blc")
    assert read_cache(tmp_path / "a.blc") == cache
    assert _core.read_blc(bytes(tmp_path / "a.blc")) == cache.core
