"""Limits hold whatever the table: scoring looks at the clock by rows counted, not by sets.

A limit of no time at all ends a kernel at its first look; how much it did until then is counted.
"""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.cli.options import left_after_reading
from bayesloom.errors import ResourceError
from bayesloom.limits import LEAST_SECONDS
from bayesloom.table import Table

AT_ONCE = 1e-9
COLUMNS = 24


def table_of(rows: int, columns: int = COLUMNS, many: int = 300) -> Table:
    """Rows that all differ, two columns with many states."""
    draw = np.random.default_rng(1)
    cardinalities = [many, many, *[3] * (columns - 2)]
    codes = [draw.integers(0, r, rows) for r in cardinalities]
    for column, r in zip(codes, cardinalities, strict=True):
        column[:r] = np.arange(r)
    names = [f"v{i}" for i in range(columns)]
    return Table.from_codes(names, [[str(k) for k in range(r)] for r in cardinalities], codes)


@pytest.fixture(scope="module")
def many_rows() -> Table:
    return table_of(70_000)


def neighbours(table: Table) -> _core.NeighbourSets:
    return _core.NeighbourSets(table.encoded, "bic", {}, threads=1)


def chain(columns: int) -> list[list[int]]:
    """Each variable with the next as its parent: sets whose additions are not known beforehand."""
    return [[v + 1] if v + 1 < columns else [] for v in range(columns)]


def test_single_parents_are_scored_one_look_at_a_time(many_rows):
    out = neighbours(many_rows).climb(None, tabu=1, stall=1, seconds=AT_ONCE)
    assert out["work"] == 1
    assert out["parents"] == [[] for _ in range(COLUMNS)]
    few = neighbours(table_of(500, many=3)).climb(None, tabu=1, stall=1, seconds=AT_ONCE)
    assert few["work"] > 10


def test_a_step_of_the_climber_looks_at_the_clock_after_every_counting_of_many_rows(many_rows):
    sets = neighbours(many_rows)
    sets.widen(0)  # scores the single parents
    before = sets.scored
    out = sets.climb(chain(COLUMNS), tabu=1, stall=1, seconds=AT_ONCE)
    assert out["parents"] == chain(COLUMNS)
    # Each variable is scored once for the answer; of the additions to one, a single one was tried.
    assert sets.scored - before <= COLUMNS + 1


def test_few_rows_are_looked_at_less_often():
    sets = neighbours(table_of(500, columns=60, many=3))
    sets.widen(0)
    before = sets.scored
    sets.climb(chain(60), tabu=1, stall=1, seconds=AT_ONCE)
    assert 32 <= sets.scored - before <= 60 + 32


@pytest.mark.parametrize("step", ["around", "grow"])
def test_every_step_of_the_loop_looks_at_the_clock(many_rows, step):
    sets = neighbours(many_rows)
    sets.widen(0)
    before = sets.scored
    if step == "around":
        sets.around(chain(COLUMNS), seconds=AT_ONCE)
    else:
        sets.grow(list(range(COLUMNS))[::-1], chain(COLUMNS), seconds=AT_ONCE)
    assert sets.scored - before <= 3


def test_exhaustive_scoring_that_has_no_time_counts_next_to_nothing(many_rows, stepping_clock):
    seen: list[int] = []
    stepping_clock(1.0)  # every look is told
    cache = bl.score(many_rows, time_limit=AT_ONCE, threads=1, progress=lambda event: seen.append(event.work))
    assert not cache.complete
    assert cache.candidate_count == COLUMNS  # the empty sets
    assert seen
    assert max(seen) <= 2


@pytest.mark.parametrize("method", ["greedy", "independence", "sequential"])
def test_an_anytime_method_that_has_no_time_gives_the_empty_sets_at_least(many_rows, method):
    cache = bl.score(many_rows, method=method, time_limit=AT_ONCE, threads=1)
    assert cache.find("v0", []) is not None
    assert cache.candidate_count < 3 * COLUMNS


@pytest.mark.parametrize("score", ["bic", "bdeu", "qnml", "k2"])
def test_learn_without_any_time_gives_a_network(many_rows, score):
    result = bl.learn(many_rows, score=score, time_limit=AT_ONCE, threads=1)
    assert (result.status, result.network.edges) == ("stopped", [])
    assert bl.verify(result.network, table=many_rows, score=score, claimed_score=result.score).ok


def test_strengths_that_do_not_come_in_time_are_left_out(many_rows):
    families = [("v2", ["v3"])] * 200
    with pytest.raises(ResourceError, match="the time limit ended before all was scored"):
        bl.local_scores(many_rows, families, time_limit=AT_ONCE)
    assert len(bl.local_scores(many_rows, families[:1], time_limit=3600.0)) == 1


def test_reading_counts_towards_the_limit(capsys):
    assert left_after_reading(5.0, 2.0) == 3.0
    assert capsys.readouterr().err == ""
    assert left_after_reading(5.0, 6.25) == LEAST_SECONDS
    assert (
        capsys.readouterr().err == "reading took 6.2 s, all of the 5 s allowed: what follows is cut short\n"
    )
