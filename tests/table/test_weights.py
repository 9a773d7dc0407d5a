"""A table of counts is the table with every row spelled out, for whatever is done with it."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import reading_within
from bayesloom.scoring.chance import chance_edges, shuffled
from bayesloom.scoring.strength import edge_strengths
from made.command import exit_code
from made.tables import tables

HAIR = ("Black", "Brown", "Red", "Blond")
EYES = ("Brown", "Blue", "Hazel", "Green")
COUNTS = [
    *(32, 53, 10, 3, 11, 50, 10, 30, 10, 25, 7, 5, 3, 15, 7, 8),
    *(36, 66, 16, 4, 9, 34, 7, 64, 5, 29, 7, 5, 2, 14, 7, 8),
]
ROWS = [(hair, eye, sex) for sex in ("Male", "Female") for eye in EYES for hair in HAIR]
SCORES = ("bic", "ebic", "aic", "bdeu", "bds", "k2", "fnml", "qnml")


def csv(rows, head="Hair,Eye,Sex,Freq") -> str:
    return "".join(f"{line}\n" for line in (head, *(",".join(map(str, row)) for row in rows)))


@pytest.fixture
def counts(file):
    return file("counts.csv", csv((*row, n) for row, n in zip(ROWS, COUNTS, strict=True)))


@pytest.fixture
def spelled(file):
    rows = [row for row, n in zip(ROWS, COUNTS, strict=True) for _ in range(n)]
    return file("spelled.csv", csv(rows, "Hair,Eye,Sex"))


@pytest.fixture
def few(counts):
    return bl.read_table(counts, weights="Freq")


@pytest.fixture
def all_rows(spelled):
    return bl.read_table(spelled)


def test_what_the_table_says(few, all_rows):
    assert few.names == all_rows.names
    assert few.states == all_rows.states
    assert (few.row_count, few.total_weight, len(few)) == (32, 592, 32)
    assert (all_rows.row_count, all_rows.total_weight, all_rows.weights) == (592, 592, None)
    assert few.weights.dtype == np.uint32
    assert not few.weights.flags.writeable
    assert repr(few) == "<Table: 3 variables, 32 rows that stand for 592>"
    assert "'Freq' says how often each row counts: 32 rows stand for 592." in few.notes
    assert few.expanded() == all_rows
    assert few != all_rows
    assert few.encoded.digest == all_rows.encoded.digest
    assert few.encoded.row_count == 592
    assert few.encoded.unique_row_count == 32


@pytest.mark.parametrize("score", SCORES)
def test_scores_are_those_of_the_rows(few, all_rows, score):
    one, other = bl.score(few, score=score), bl.score(all_rows, score=score)
    assert np.array_equal(one.scores, other.scores)
    assert np.array_equal(one.parents, other.parents)
    assert one.info["rows"] == other.info["rows"] == 592
    found = bl.search(one)
    checked = [
        bl.verify(found.network, table=t, score=score, claimed_score=found.score) for t in (few, all_rows)
    ]
    assert checked[0].local_scores == checked[1].local_scores
    assert all(check.ok for check in checked)


def test_learn_strengths_chance_and_shuffles(few, all_rows):
    one, other = (bl.learn(t, null=True, threads=1) for t in (few, all_rows))
    assert one.network == other.network
    assert (one.score, one.bound, one.null, one.chance) == (
        other.score,
        other.bound,
        other.null,
        other.chance,
    )
    assert edge_strengths(few, one.network) == edge_strengths(all_rows, one.network)
    assert chance_edges(few) == chance_edges(all_rows)
    assert shuffled(few, 3) == shuffled(all_rows, 3)
    loop = [bl.learn(t, method="loop", threads=1).score for t in (few, all_rows)]
    assert loop[0] == loop[1]


def test_credible_sets_and_k_best(few, all_rows):
    one, other = bl.credible(few), bl.credible(all_rows)
    assert (one.count, one.best) == (other.count, other.best)
    assert one.coverage().share == other.coverage().share
    best = [[entry.score for entry in bl.k_best(t, 5).entries] for t in (few, all_rows)]
    assert best[0] == best[1]
    assert bl.estimate(few) == bl.estimate(all_rows)


def test_fits_and_likelihoods(few, all_rows):
    network = bl.learn(all_rows).network
    for method in ("ml", "dirichlet"):
        one, other = (network.fit(t, method=method) for t in (few, all_rows))
        for a, b in zip(one.tables, other.tables, strict=True):
            assert np.array_equal(a, b)
        assert one.log_likelihood(few) == pytest.approx(other.log_likelihood(all_rows), rel=1e-12)


def test_merged_parts_of_both_are_one_job(few, all_rows, tmp_path):
    parts = [bl.score(t, shard=(k, 2), constraints=None) for k, t in ((1, few), (2, all_rows))]
    for k, part in enumerate(parts):
        part.write(tmp_path / f"{k}.blc")
    assert (
        exit_code("merge", str(tmp_path / "0.blc"), str(tmp_path / "1.blc"), "-o", str(tmp_path / "m.blc"))
        == 0
    )
    assert np.array_equal(bl.read_cache(tmp_path / "m.blc").scores, bl.score(few).scores)


def test_every_verb(counts, spelled, tmp_path, capsys):
    runs = {}
    for name, how in ((counts, ["--weights", "Freq"]), (spelled, [])):
        folder = tmp_path / name.removesuffix(".csv")
        folder.mkdir()
        out = {verb: str(folder / f"{verb}.json") for verb in ("learn", "credible", "score")}
        cache = str(folder / "c.blc")
        assert exit_code("learn", name, *how, "--json", out["learn"], "--null", "-q") == 0
        assert exit_code("credible", name, *how, "--json", out["credible"], "-q") == 0
        assert exit_code("score", name, *how, "-o", cache, "--json", out["score"], "-q") == 0
        for run in ("learn", "credible"):
            assert exit_code("verify", out[run], "--data", name, *how, "--exhaustive") == 0
        assert exit_code("verify", out["learn"], "--data", name, "--cache", cache, *how) == 0
        runs[name] = {verb: json.loads(Path(path).read_text()) for verb, path in out.items()}
    capsys.readouterr()
    for verb, keys in {
        "learn": ("score", "bound", "edges", "null", "chance", "local_scores"),
        "credible": ("count", "best", "edges", "coverage", "classes"),
        "score": ("candidates", "info"),
    }.items():
        for key in keys:
            if key == "info":
                assert runs[counts][verb][key].pop("reading") == {"weights": "Freq"}
                assert "reading" not in runs[spelled][verb][key]
            if key in runs[counts][verb]:
                assert runs[counts][verb][key] == runs[spelled][verb][key], (verb, key)
    about = [runs[name]["learn"]["table"] for name in (counts, spelled)]
    assert [one["rows"] for one in about] == [592, 592]
    assert [one["unique_rows"] for one in about] == [32, 32]
    # A run says how its table was read; it verifies on the other table where that is read as it must be.
    learned = [str(tmp_path / one / "learn.json") for one in ("counts", "spelled")]
    assert exit_code("verify", learned[0], "--data", counts) == 0
    assert exit_code("verify", learned[0], "--data", spelled) == 1
    assert "'Freq'" in capsys.readouterr().err
    assert bl.verify_run(learned[0], table=bl.read_table(spelled)).ok
    assert exit_code("verify", learned[1], "--data", counts) == 1
    assert exit_code("verify", learned[1], "--data", counts, "--weights", "Freq") == 0


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".csv", ".tsv.gz", ".dat"])
def test_files_keep_the_weights(few, tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    few.write(path)
    if suffix in (".parquet", ".feather"):
        again = bl.read_table(path)
        assert "'Freq' says how often each row counts: 32 rows stand for 592." in again.notes
        assert bl.read_table(path, exclude="Freq").weights is None
        assert bl.read_table(path, only=["Hair", "Freq"]).names == ("Hair", "Freq")
    elif suffix == ".dat":
        again = bl.read_table(path, weights=None)
        assert again.states == tuple(map(tuple, few.states))
        assert again == few.expanded()
        return
    else:
        again = bl.read_table(path, weights="Freq")
    assert again == few
    assert again.weight_name == "Freq"


def test_convert_keeps_the_weights(counts, tmp_path):
    assert exit_code("convert", counts, str(tmp_path / "t.parquet"), "--weights", "Freq") == 0
    assert bl.read_table(tmp_path / "t.parquet") == bl.read_table(counts, weights="Freq")


def test_copies_of_all_kinds(few):
    for other in (pickle.loads(pickle.dumps(few)), copy.deepcopy(few), few.select(few.names)):
        assert other == few
        assert not other.weights.flags.writeable
    assert few.select(["Eye"]).total_weight == 592
    assert few.with_seen_states().weights is not None
    frame = few.to_pandas()
    assert frame["Freq"].sum() == 592
    assert bl.read_table(frame, weights="Freq") == few
    assert bl.read_table(few, discretize="mean", strict=True) == few


def test_equality_looks_at_weights(few):
    more = bl.Table.from_codes(few.names, few.states, few.codes, weights=few.weights + 1)
    assert more != few
    ones = bl.Table.from_codes("a", [["x", "y"]], [[0, 1]], weights=[1, 1])
    assert ones == bl.Table.from_codes("a", [["x", "y"]], [[0, 1]])


def test_the_weights_of_the_caller_may_change():
    given = np.array([2, 3], dtype=np.uint32)
    table = bl.Table.from_codes("a", [["x", "y"]], [[0, 1]], weights=given)
    given[0] = 9
    assert table.weights.tolist() == [2, 3]
    assert given.flags.writeable


def test_rows_of_weight_0_leave_nothing_behind(file):
    path = file("t.csv", "a,b,n\nx,1,2\nodd,5,0\ny,,1\n")
    table = bl.read_table(path, weights="n")
    assert table.states == (("x", "y"), ("1", "missing"))
    assert table.weights.tolist() == [2, 1]
    assert "1 row of weight 0 left out." in table.notes
    with pytest.raises(InputError, match=r"'b' \(1\), first in line 4\."):
        bl.read_table(path, weights="n", strict=True)
    dropped = bl.read_table(path, weights="n", missing="drop")
    assert dropped.weights.tolist() == [2]
    frame = {"a": ["x", "odd", None], "n": [1, 0, 1]}
    with pytest.raises(InputError, match="first in row 3"):
        bl.read_table(frame, weights="n", strict=True)


def test_cuts_respect_weights():
    draw = np.random.default_rng(5)
    values, weights = draw.normal(size=60).round(3), draw.integers(0, 9, 60)
    for rule in ("quantile:3", "mean", "width:4"):
        one = bl.read_table({"x": values, "n": weights}, weights="n", discretize=rule)
        other = bl.read_table({"x": np.repeat(values, weights)}, discretize=rule)
        assert one.cut_points == other.cut_points
        assert one.expanded() == other


def test_a_sequence_of_weights_and_other_sources():
    given = {"a": ["x", "y"], "b": [1, 2]}
    for weights in ([3, 1], (3.0, 1.0), np.array([3, 1], dtype=np.int8)):
        table = bl.read_table(given, weights=weights)
        assert table.weights.tolist() == [3, 1]
        assert table.weight_name == "weight"
    plain = bl.read_table(given)
    assert bl.read_table(plain, weights=[3, 1]) == table
    assert bl.read_table(plain, weights="b") == bl.read_table(given, weights="b")
    with pytest.raises(InputError, match="has weights already"):
        bl.read_table(table, weights=[1, 1])
    assert bl.read_table(np.array([[0, 1], [1, 4]]), weights="X1").weights.tolist() == [1, 4]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            ["1", "2.5"],
            r"t.csv, line 3: the weight is 2.5 \(weights, column 'n'\); expected a whole number of 0",
        ),
        (["1", "-2"], r"t.csv, line 3: the weight is -2 .* expected a whole number of 0 or more\."),
        (["1", "inf"], r"t.csv, line 3: the weight is inf"),
        (["1", "x"], r"t.csv: column 'n' holds 'x', which is no number; weights= expects whole numbers"),
        (["1", ""], r"t.csv, line 3: the weight \('n'\) is missing; weights= expects"),
        (["0", "0"], r"t.csv: all weights are 0, so no row is left\. Check weights=\."),
        (["4294967290", "5"], r"t.csv: the weights add up to 4294967295 rows; at most 4,294,967,294"),
    ],
)
def test_weights_that_cannot_be(file, values, message):
    path = file("t.csv", "a,n\n" + "".join(f"u{k},{value}\n" for k, value in enumerate(values)))
    with pytest.raises(InputError, match=message):
        bl.read_table(path, weights="n")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 0.5], r"dict, row 2: the weight is 0.5 \(weights\); expected a whole number of 0 or more\."),
        ([1], r"dict: 1 weight for 2 rows\."),
        (3, r"weights must be the name of a column or one whole number for each row, got 3\."),
        ([[1, 2]], r"weights must be the name of a column"),
        ("m", r"weights: the table has no column 'm'\."),
    ],
)
def test_sequences_that_cannot_be(weights, message):
    with pytest.raises(InputError, match=message):
        bl.read_table({"a": ["x", "y"], "n": [1, 2]}, weights=weights)


def test_the_core_refuses_what_is_no_weight():
    codes = [np.array([0, 1], dtype=np.uint8)]
    for weights, message in (
        ([1, 0], "weight 0"),
        ([1], "1 weights for 2 rows"),
        ([2**32 - 2, 1], "at most"),
    ):
        with pytest.raises(InputError, match=message):
            _core.EncodedData(codes, [2], np.array(weights, dtype=np.uint32))
    with pytest.raises(InputError, match="leave such rows out"):
        bl.Table.from_codes("a", [["x", "y"]], [[0, 1]], weights=[1, 0])


@pytest.mark.parametrize("weights", [[2**32 - 5, 1, 1, 1], [2**29, 2**28, 2**27 + 1, 2**27]])
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_weights_near_the_limit(weights, score):
    table = bl.Table.from_codes("ab", [["x", "y"]] * 2, [[0, 0, 1, 1], [0, 1, 0, 1]], weights=weights)
    assert table.total_weight == table.encoded.row_count == sum(weights)
    found = bl.learn(table, score=score)
    assert bl.verify(found.network, table=table, score=score, claimed_score=found.score).ok
    assert chance_edges(table, score="bic").pairs == 1


@pytest.mark.parametrize("score", ["aic", "bdeu", "bds", "bic", "ebic", "k2"])
def test_any_number_of_rows_scores_the_same_sets(score):
    """N ln N nats of half a billion rows are more than a score may be, but no local score is that large."""
    rows = list(itertools.product(range(2), repeat=3))
    shares = [0.97 ** (2 - a - b) * 0.03 ** (a + b) * (0.998 if c == a ^ b else 0.002) for a, b, c in rows]
    columns = [[row[v] for row in rows] for v in range(3)]

    def found(total):
        weights = [round(total * share) for share in shares]
        table = bl.Table.from_codes("abc", [["x", "y"]] * 3, columns, weights=weights)
        return table, bl.score(table, score=score)

    _, few = found(10**8)
    for total in (43 * 10**7, 44 * 10**7, 5 * 10**8, 7 * 10**8, 16 * 10**8, 4 * 10**9):
        table, cache = found(total)
        for name in "abc":
            known = {parents: value / 10**8 for value, parents in few.candidates(name)}
            assert {parents: value / total for value, parents in cache.candidates(name)} == pytest.approx(
                known, abs=1e-5
            ), total
        result = bl.search(cache)
        assert bl.verify(result.network, table=table, score=score, claimed_score=result.score).ok


def test_too_many_rows_for_scores_are_refused():
    table = bl.Table.from_codes("ab", [["x", "y"]] * 2, [[0, 0, 1, 1], [0, 1, 0, 1]], weights=[2**30 - 1] * 4)
    for score in ("bic", "bdeu", "fnml"):
        with pytest.raises(InputError, match="outside the range of -2"):
            bl.score(table, score=score)


def test_more_rows_than_memory_holds_are_not_spelled_out():
    table = bl.Table.from_codes("a", [["x", "y"]], [[0, 1]], weights=[2**32 - 5, 1])
    with reading_within(1), pytest.raises(ResourceError, match="as often as its weight says"):
        table.expanded()


def test_the_verifier_takes_any_table_with_weights():
    codes = (np.array([0, 1], dtype=np.uint8), np.array([0, 1], dtype=np.uint8))
    table = SimpleNamespace(names=("a", "b"), cardinalities=(2, 2), codes=codes, weights=[3, 2])
    spelled = SimpleNamespace(
        names=("a", "b"), cardinalities=(2, 2), codes=tuple(np.repeat(c, [3, 2]) for c in codes)
    )
    network = bl.Network(["a", "b"], {"b": ["a"]})
    assert bl.verify(network, table=table).score == bl.verify(network, table=spelled).score


def test_what_looks_like_counts_is_told(counts, spelled):
    note = "'Freq' may say how often each row counts; if so, give weights='Freq' (--weights Freq)."
    assert note in bl.read_table(counts).notes
    assert not any("how often" in one for one in bl.read_table(spelled).notes)
    assert not any("how often" in one for one in bl.read_table({"a": ["x", "x"], "n": [1, 2]}).notes)
    assert not any("how often" in one for one in bl.read_table({"a": ["x", "y"], "n": [1, -2]}).notes)


def test_shuffling_what_memory_does_not_hold_is_refused_before_the_work():
    table = bl.Table.from_codes("ab", [["x", "y"]] * 2, [[0, 1], [0, 1]], weights=[2**32 - 5, 1])
    with pytest.raises(
        ResourceError, match=r"null= shuffles all 4,294,967,292 rows, which takes 69 GB; 1 GB may"
    ):
        bl.learn(table, null=True, memory=1)
    assert bl.learn(table, memory=1).status == "optimal"


@given(data=st.data())
def test_random_tables_are_those_of_the_rows(data):
    small = data.draw(tables(max_variables=4, max_rows=20))
    weights = data.draw(st.lists(st.integers(1, 40), min_size=len(small.rows), max_size=len(small.rows)))
    few = _core.EncodedData(small.columns, small.cardinalities, np.array(weights, dtype=np.uint32))
    spelled = _core.EncodedData([np.repeat(c, weights) for c in small.columns], small.cardinalities)
    assert few.row_count == spelled.row_count == sum(weights)
    assert np.array_equal(few.weights, spelled.weights)
    assert few.digest == spelled.digest


def test_the_examples_of_the_page_run(counts):
    page = Path(__file__).parents[2] / "docs" / "input.md"
    Path(counts).rename("HairEyeColor.csv")
    for name in ("train.csv", "test.csv"):
        Path(name).write_text("a,b\n" + "x,1\ny,2\n" * 10)
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    ran = [block for block in blocks if "bl." in block]
    assert len(ran) == 2
    for block in ran:
        exec(block, {"bl": bl})
