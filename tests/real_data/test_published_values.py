"""Published data sets, score files and optima: ours are the same. Skipped where the data are not."""

from __future__ import annotations

import csv

import pytest

import bayesloom as bl
from made.data import DATA, needs_data

pytestmark = needs_data


def read(name: str) -> bl.Table:
    return bl.read_table(DATA / name, discrete=True)


@pytest.mark.parametrize(("name", "count"), [("autos", 2391), ("soybean", 5926), ("wdbc", 14613)])
def test_candidates_without_a_parent_limit_are_as_many_as_published(name, count):
    cache = bl.score(read(f"uci/{name}.csv.gz"))
    assert (cache.complete, cache.candidate_count) == (True, count)


def test_wine_within_factor_3_is_the_published_score_file():
    """The file holds 592 sets with eight decimals. Ours are those, but for one that its own subset
    {X13} beats by 1.098715 nats, more than ln 3 = 1.098612; perhaps its margin was rounded."""
    ours = bl.score(read("uci/wine.csv.gz"), bayes_factor=3)
    published = bl.read_cache(DATA / "scores" / "wine.BIC.3.jkl.gz")
    assert (ours.candidate_count, published.candidate_count) == (591, 592)
    extra = []
    for v in range(14):
        found = {frozenset(p): s for s, p in ours.candidates(v)}
        for score, parents in published.candidates(v):
            names = frozenset(f"X{p}" for p in parents)
            if names in found:
                assert found[names] == pytest.approx(score, abs=1e-8)
            else:
                extra.append((v, names, found[frozenset({"X13"})] - score))
    assert extra == [(0, {"X4", "X13"}, pytest.approx(1.0987152, abs=1e-7))]


def test_every_bdeu_score_of_the_published_asia_file():
    table = bl.read_table(DATA / "networks" / "samples" / "asia_10000.dat.gz")
    published = bl.read_cache(DATA / "scores" / "asia_10000.dat.3.jkl.gz")
    families = [(name, p) for name in published.names for _, p in published.candidates(name)]
    expected = [s for name in published.names for s, _ in published.candidates(name)]
    assert bl.local_scores(table, families, score="bdeu").tolist() == pytest.approx(expected, abs=6e-9)


def published_optima() -> list[tuple[str, str, float]]:
    """Data sets of up to 24 variables whose optimum was recomputed on the file we have."""
    path = DATA / "scores" / "published_optima.csv"
    if not path.is_file():
        return []
    small = {"uci/iris.csv.gz", "uci/tic-tac-toe.csv.gz", "uci/wine.csv.gz"}
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["file"] in small and "match" in row["status"]]
    return [
        (row["file"], row["score"].lower(), -float(row["cost_GOBNILP"]))
        for row in rows
        if row["status"] != "no-match"
    ]


def test_there_are_published_optima():
    assert len(published_optima()) >= 3


@pytest.mark.parametrize(("file", "score", "optimum"), published_optima())
def test_the_published_optimum_is_found_proved_and_verified(file, score, optimum):
    table = read(file)
    result = bl.learn(table, score=score)
    assert result.claim == "optimal: no network scores higher"
    assert result.score == pytest.approx(optimum, rel=6e-7)
    check = bl.verify(result.network, table=table, score=score, claimed_score=result.score)
    assert check.ok
