"""The score cache in the core: layout, canonical order, limits, look-ups, pruning."""

from __future__ import annotations

import gc
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesloom import _core
from bayesloom.errors import InputError
from made.caches import caches, content, random_cache
from reference.xxh64 import xxh64


def make(
    names: list[str], lists: list[list[tuple[float, list[int]]]], cardinalities: list[int] | None = None
) -> _core.ScoreCache:
    """A cache from lists of (score, parents) per variable."""
    flat = [candidate for candidates in lists for candidate in candidates]
    return _core.ScoreCache(
        names,
        cardinalities or [],
        np.cumsum([0] + [len(candidates) for candidates in lists]).astype(np.uint64),
        np.array([score for score, _ in flat], dtype=np.float64),
        np.cumsum([0] + [len(parents) for _, parents in flat]).astype(np.uint64),
        np.array([p for _, parents in flat for p in parents], dtype=np.uint32),
        "{}",
    )


SMALL = [[(-5.0, []), (-1.0, [1, 2])], [(-2.0, [2]), (-2.0, []), (-2.0, [0])], [(-3.0, [])]]


def test_candidates_are_best_first_then_fewer_parents_then_lexicographic() -> None:
    cache = make(["a", "b", "c"], SMALL)
    assert cache.first.tolist() == [0, 2, 5, 6]
    assert (cache.scores / 2**30).tolist() == [-1, -5, -2, -2, -2, -3]
    assert cache.parent_first.tolist() == [0, 2, 2, 2, 3, 4, 4]
    assert cache.parents.tolist() == [1, 2, 0, 2]
    assert (cache.variable_count, cache.candidate_count, cache.max_parents_seen) == (3, 6, 2)


def test_arrays_are_read_only_views_that_keep_the_cache_alive() -> None:
    scores = make(["a", "b", "c"], SMALL).scores
    gc.collect()
    assert scores[0] == -(2**30)
    assert not scores.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        scores[0] = 0


def test_a_cache_without_any_parents_has_an_empty_array_of_them() -> None:
    cache = make(["a"], [[(-1.0, [])]])
    assert cache.parents.tolist() == []
    assert _core.parse_blc(_core.format_blc(cache), "x") == cache


@pytest.mark.parametrize(
    ("names", "lists", "message"),
    [
        ([], [], "at least one variable"),
        (["a", "a"], [[(-1, [])], [(-1, [])]], "two variables have the name 'a'"),
        (["", "b"], [[(-1, [])], [(-1, [])]], "name of a variable is empty"),
        (["a\0"], [[(-1, [])]], "not UTF-8 text without NUL"),
        (["a", "b"], [[(-1, [])], []], "variable 'b' has no candidate. Give it"),
        (["a"], [[(-1, [0])]], "variable 'a', candidate 1: the variable is its own parent."),
        (["a", "b"], [[(-1, [2])], [(-1, [])]], "parent 2 is not among the 2 variables"),
        (["a", "b"], [[(-1, [1, 1])], [(-1, [])]], "parent 'b' is there twice"),
        (["a", "b", "c"], [[(-1, [2, 1])], [(-1, [])], [(-1, [])]], "not in ascending order"),
        (["a", "b"], [[(-1, [1]), (-3, []), (-2, [1])], [(-1, [])]], "candidates 1 and 3 have the same"),
        (["a"], [[(float("nan"), [])]], "a score is nan; expected a finite number"),
        (["a"], [[(float("-inf"), [])]], "a score is -inf; expected a finite number"),
        (["a"], [[(-(2.0**33), [])]], "outside the range of -2\\^31 to 2\\^31"),
        (["a", "b"], [[(-2e9, [])], [(-2e9, []), (0, [0])]], "sum to 4000000000.000000 nats"),
    ],
)
def test_what_cannot_be_a_cache_is_refused_with_its_place(names: Any, lists: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(names, lists)


def test_cardinalities_are_one_per_variable() -> None:
    with pytest.raises(InputError, match="there are 2 variables, but 1 cardinalities"):
        make(["a", "b"], [[(-1, [])], [(-1, [])]], cardinalities=[2])


def test_offsets_that_do_not_fit_are_refused() -> None:
    arrays = [
        np.array([0, 1], np.uint64),
        np.array([-1.0]),
        np.array([0, 0], np.uint64),
        np.zeros(0, np.uint32),
    ]
    for position, wrong in ((0, [0, 2]), (0, [1, 1]), (0, [0]), (2, [0, 1]), (2, [1, 0])):
        damaged = [*arrays]
        damaged[position] = np.array(wrong, np.uint64)
        with pytest.raises(InputError, match="offsets of candidates or parents"):
            _core.ScoreCache(["a"], [], *damaged, "{}")


def test_the_largest_number_of_variables_fits_and_one_more_does_not() -> None:
    n = 1_000_000
    names = [str(v) for v in range(n)]
    assert make(names, [[(-1.0, [n - 1])], *[[(-1.0, [])]] * (n - 1)]).parents.tolist() == [n - 1]
    with pytest.raises(InputError, match="1000001 variables are more than the 1,000,000"):
        make([*names, "one more"], [[(-1.0, [])]] * (n + 1))


@pytest.mark.parametrize(("n", "version", "width"), [(65_535, 1, 2), (65_536, 2, 4), (100_000, 2, 4)])
def test_files_number_variables_by_as_many_bits_as_they_need(n: int, version: int, width: int) -> None:
    lists = [[(-1.0, [n - 1]), (-1.5, [1, n - 2])], *[[(-1.0, [])]] * (n - 1)]
    cache = make([str(v) for v in range(n)], lists)
    content = _core.format_blc(cache)
    assert content[8] == version
    at = struct.unpack_from("<Q", content, 64 + 3 * 8)[0]
    assert np.frombuffer(content, f"u{width}", 3, at).tolist() == [n - 1, 1, n - 2]
    for again in (_core.parse_blc(content, "x"), _core.parse_jkl(_core.format_jkl(cache), "x")):
        assert again == cache
        assert again.digest == cache.digest
    pss, _ = _core.parse_pss(_core.format_pss(cache, []), "x")
    assert pss == cache


def test_scores_finer_than_a_double_are_rounded_to_one() -> None:
    """Half a unit at this size is lost in the double; text files could not keep it."""
    cache = make(["a"], [[(-2.0e9 - 1e-9, [])]])
    assert _core.to_fixed(_core.to_nats(int(cache.scores[0]))) == cache.scores[0]
    assert _core.parse_jkl(_core.format_jkl(cache), "x") == cache


@given(cache=caches(), data=st.data())
def test_look_ups_agree_with_a_search_through_the_lists(cache: Any, data: st.DataObject) -> None:
    core, n = cache.core, cache.variable_count
    v = data.draw(st.integers(0, n - 1))
    chosen = data.draw(st.lists(st.integers(0, n - 1), unique=True))
    lists = content(core)[core.names[v]]
    wanted = frozenset(core.names[p] for p in chosen)
    found = core.find(v, chosen)
    assert (None if found is None else int(core.scores[found])) == lists.get(wanted)
    within = [score for parents, score in lists.items() if parents <= wanted]
    best = core.best_within(v, chosen)
    assert (None if best is None else int(core.scores[best])) == (max(within) if within else None)


def test_look_ups_refuse_variables_that_are_not_there() -> None:
    cache = make(["a", "b", "c"], SMALL)
    with pytest.raises(InputError, match="variable 3 is not among the 3"):
        cache.find(3, [])
    with pytest.raises(InputError, match="variable 9 is not among the 3"):
        cache.best_within(0, [9])


def dominated(lists: dict[frozenset[str], int], slack: int, drop_ties: bool) -> set[frozenset[str]]:
    """The definition: some proper subset scores better by more than the slack."""
    return {
        p
        for p, score in lists.items()
        if any(
            q < p and (other - score > slack or (drop_ties and other - score == slack))
            for q, other in lists.items()
        )
    }


@given(cache=caches(max_variables=6), slack=st.integers(0, 3), drop_ties=st.booleans())
def test_exactly_the_dominated_candidates_are_dropped(cache: Any, slack: int, drop_ties: bool) -> None:
    slack <<= 28  # a quarter of a nat, the grid of the scores drawn
    before, after = content(cache.core), content(cache.core.without_dominated(slack, drop_ties))
    for name, lists in before.items():
        assert set(lists) - set(after[name]) == dominated(lists, slack, drop_ties)


def test_dominance_by_scan_and_by_subsets_agree_on_long_lists() -> None:
    """Long lists with small sets use the subset look-up, large sets the scan."""
    cache = random_cache(3, 14, 150, max_parents=9)
    for slack in (0, 100 << 30):
        after = content(cache.core.without_dominated(slack, False))
        for name, lists in content(cache.core).items():
            assert set(lists) - set(after[name]) == dominated(lists, slack, False)


def test_a_negative_slack_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be negative"):
        make(["a", "b", "c"], SMALL).without_dominated(-1, False)


def test_select_keeps_the_flagged_candidates() -> None:
    cache = make(["a", "b", "c"], SMALL, cardinalities=[2, 3, 4])
    chosen = cache.select(np.array([True, False, False, True, False, True]))
    assert chosen.candidate_count == 3
    assert chosen.cardinalities == [2, 3, 4]
    with pytest.raises(InputError, match="6 candidates, but 2 flags"):
        cache.select(np.array([True, False]))
    with pytest.raises(InputError, match="variable 'c' has no candidate"):
        cache.select(np.array([True] * 5 + [False]))


def test_equality_looks_at_everything() -> None:
    cache = make(["a", "b", "c"], SMALL)
    assert cache == make(["a", "b", "c"], [candidates[::-1] for candidates in SMALL])
    assert cache != make(["a", "b", "d"], SMALL)
    assert cache != make(["a", "b", "c"], SMALL, cardinalities=[1, 0, 0])
    assert cache != cache.with_info('{"rows":1}')
    assert cache != "a cache"


PRIME32, PRIME64 = 2654435761, 11400714785074694797


def sanity_buffer(size: int) -> bytes:
    """The bytes that xxHash's own self-test hashes."""
    result, state = bytearray(), PRIME32
    for _ in range(size):
        result.append(state >> 56)
        state = state * PRIME64 % 2**64
    return bytes(result)


@pytest.mark.parametrize(
    ("size", "seed", "expected"),
    [
        (0, 0, 0xEF46DB3751D8E999),
        (0, PRIME32, 0xAC75FDA2929B17EF),
        (1, 0, 0xE934A84ADB052768),
        (1, PRIME32, 0x5014607643A9B4C3),
        (4, 0, 0x9136A0DCA57457EE),
        (14, 0, 0x8282DCC4994E35C8),
        (14, PRIME32, 0xC3BD6BF63DEB6DF0),
        (222, 0, 0xB641AE8CB691C174),
        (222, PRIME32, 0x20CB8AB7AE10C14A),
    ],
)
def test_xxh64_gives_the_published_values(size: int, seed: int, expected: int) -> None:
    assert _core.xxh64(sanity_buffer(size), seed) == expected
    assert xxh64(sanity_buffer(size), seed) == expected


@given(data=st.binary(max_size=200), seed=st.integers(0, 2**64 - 1))
def test_xxh64_agrees_with_its_twin(data: bytes, seed: int) -> None:
    assert _core.xxh64(data, seed) == xxh64(data, seed)
