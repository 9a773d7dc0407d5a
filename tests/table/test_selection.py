"""exclude= and only=, for every source; a table as a source; strict= against the usual reading."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from made.command import exit_code

GIVEN = {"a": ["x", "y", "y"], "b": [1, 2, 1], "c": ["u", "v", "u"]}


@pytest.fixture(params=["mapping", "csv", "dat", "arff", "parquet", "pandas", "array", "table", "rows"])
def source(request, file, tmp_path):
    match request.param:
        case "mapping":
            return GIVEN
        case "csv":
            return file("t.csv", "a,b,c\nx,1,u\ny,2,v\ny,1,u\n")
        case "dat":
            return file("t.dat", "a b c\n2 2 2\nx 1 u\ny 2 v\ny 1 u\n")
        case "arff":
            text = (
                "@attribute a {x,y}\n@attribute b numeric\n@attribute c {u,v}\n@data\nx,1,u\ny,2,v\ny,1,u\n"
            )
            return file("t.arff", text)
        case "parquet":
            pd.DataFrame(GIVEN).to_parquet(tmp_path / "t.parquet")
            return tmp_path / "t.parquet"
        case "pandas":
            return pd.DataFrame(GIVEN)
        case "table":
            return bl.read_table(GIVEN)
        case "rows":
            return [dict(zip(GIVEN, row, strict=True)) for row in zip(*GIVEN.values(), strict=True)]
        case _:
            return np.array([list(row) for row in zip(*GIVEN.values(), strict=True)], dtype=object)


def test_some_columns(source):
    a, b, c = bl.read_table(source).names
    whole = bl.read_table(source)
    for strict in (False, True):
        assert bl.read_table(source, exclude=b, strict=strict) == whole.select([a, c])
        assert bl.read_table(source, exclude=[b, a], strict=strict) == whole.select([c])
        assert bl.read_table(source, only=c, strict=strict) == whole.select([c])
        assert bl.read_table(source, only=(c, a), strict=strict) == whole.select([a, c])
    with pytest.raises(InputError, match=r"only= leaves no column|exclude= leaves no column"):
        bl.read_table(source, exclude=[a, b, c])
    with pytest.raises(InputError, match=rf"exclude: the table has no column '{a}s'\. Did you mean '{a}'\?"):
        bl.read_table(source, exclude=f"{a}s")
    with pytest.raises(InputError, match=r"only: the table has no column 'zzz'\."):
        bl.read_table(source, only=["zzz", a])
    with pytest.raises(InputError, match=r"exclude= and only= exclude each other"):
        bl.read_table(source, only=a, exclude=b)
    weighted = bl.read_table(source, weights=[1, 2, 3], exclude=b)
    assert weighted.names == (a, c)
    assert weighted.weights.tolist() == [1, 2, 3]


def test_what_is_left_out_keeps_its_record_in_its_place(source):
    whole = bl.read_table(source).columns
    a, b, c = (column.name for column in whole)
    asked = [({"exclude": b}, [a, c]), ({"only": [c]}, [c]), ({"exclude": a, "weights": [1, 2, 3]}, [b, c])]
    for how, kept in asked:
        table = bl.read_table(source, **how)
        assert [column.name for column in table.columns] == [a, b, c]
        assert [column.name for column in table.columns if column.used] == kept
        for column, before in zip(table.columns, whole, strict=True):
            if column.used:
                assert column == before
            else:
                assert (column.states, column.cut_points) == (0, ())
                assert column.why == "excluded, as asked for"
                assert column.kind == (before.kind if isinstance(source, bl.Table) else "not read")
    counted = bl.read_table(source, weights=b, exclude=a)
    why = ["excluded, as asked for", "it says how often each row counts"]
    assert [column.why for column in counted.columns][:2] == why
    assert [column.name for column in counted.columns] == [a, b, c]
    assert "left out: excluded, as asked for" in repr(counted.columns)


def test_records_of_what_is_excluded_stay_where_dates_are_taken_apart():
    days = [f"2024-{1 + k % 12:02}-{1 + k % 28:02}" for k in range(60)]
    given = {"x": [0, 1] * 30, "day": days, "n": list(range(60)), "y": ["u", "v"] * 30}
    table = bl.read_table(given, exclude="x")
    assert [column.name for column in table.columns] == ["x", "day", "day month", "day weekday", "n", "y"]
    assert [column.used for column in table.columns] == [False, False, True, True, False, True]
    assert [column.kind for column in table.columns][:2] == ["not read", "date"]


@pytest.mark.parametrize("given", [3, [3], {"a": 1}.get])
def test_names_that_are_none(given):
    with pytest.raises(InputError, match=r"exclude: expected"):
        bl.read_table(GIVEN, exclude=given)


def test_the_column_of_weights_is_no_variable():
    for option in ("exclude", "only"):
        with pytest.raises(
            InputError, match=rf"{option}= and weights= both name 'b': a column of weights is no"
        ):
            bl.read_table(GIVEN, weights="b", **{option: ["b"]})
    assert bl.read_table(GIVEN, weights="b", only="a").total_weight == 4


def test_a_column_that_cannot_be_read_can_be_left_out():
    import pyarrow as pa

    odd = pa.table({"a": ["x", "y"], "t": pa.array([[1], [2]])})
    with pytest.raises(InputError, match="column 't' has type list"):
        bl.read_table(odd)
    assert bl.read_table(odd, exclude="t").names == ("a",)


def test_every_verb_reads_the_same_table(file, tmp_path, capsys):
    draw = np.random.default_rng(1)
    rows = "".join(
        f"u{k},{draw.normal():.4f},{'' if k % 7 == 0 else 'ab'[k % 2]},{k % 3}\n" for k in range(90)
    )
    path = file("t.csv", "user,x,a,b\n" + rows)
    table = bl.read_table(path)
    assert table.names == ("x", "a", "b")
    run, best, cache = (str(tmp_path / name) for name in ("run.json", "best.json", "c.blc"))
    score = bl.learn(path).score
    for how in (
        [],
        ["--exclude", "b"],
        ["--only", "a", "--only", "x"],
        ["--missing", "drop"],
        ["--discretize", "mean"],
    ):
        assert exit_code("learn", path, *how, "--json", run, "-q") == 0
        assert exit_code("verify", run, "--data", path, *how, "-q") == 0
        assert exit_code("score", path, *how, "-o", cache, "-q") == 0
        assert exit_code("verify", run, "--data", path, "--cache", cache, *how, "-q") == 0
        assert exit_code("credible", path, *how, "--json", best, "-q") == 0
        assert exit_code("verify", best, "--data", path, *how, "-q") == 0
        assert exit_code("convert", path, str(tmp_path / "t.parquet"), *how) == 0
        assert exit_code("score", path, *how, "--strict", "-o", cache, "-q") == 1
    capsys.readouterr()
    kept = bl.read_table(path, continuous="normal")  # as all of these read it themselves
    assert bl.search(bl.score(path)).score == score == bl.search(bl.score(kept)).score
    assert bl.credible(path).best == score
    assert bl.k_best(path, 1).entries[0].score == score
    network = bl.learn(path).network
    assert bl.verify(network, table=path, claimed_score=score).ok
    assert sum(bl.scoring.registry.network_scores(network, path).values()) == pytest.approx(score)
    assert bl.local_scores(path, [("x", [])]).size == 1
    assert bl.estimate(path) == bl.estimate(kept)
    assert network.fit(path).log_likelihood(path) == network.fit(table).log_likelihood(table)


def test_strict_refuses_what_would_be_guessed(file):
    for given, message in (
        ({"x": [k / 7 for k in range(60)]}, "1 column is continuous"),
        ({"x": [1, None]}, "1 column has missing values"),
        (file("n.csv", ",b\n1,2\n"), "column 1 has no name"),
        (file("l.csv", "a,b\nx,caf\xe9\n".encode("cp1252")), "byte 0xe9 is not UTF-8"),
    ):
        with pytest.raises(InputError, match=message):
            bl.read_table(given, strict=True)
        assert bl.read_table(given).notes
    ids = {"id": [f"u{k}" for k in range(30)], "a": [0, 1] * 15}
    assert bl.read_table(ids, strict=True).names == ("id", "a")
    assert bl.read_table(ids).names == ("a",)
    assert bl.read_table(ids, discrete=["id", "a"]).names == ("id", "a")


def test_arrays_of_whole_numbers_stay_as_they_are():
    array = np.random.default_rng(2).integers(0, 4, (50, 3))
    assert bl.read_table(array) == bl.read_table(array, strict=True)
    assert bl.read_table(array).notes == bl.read_table(array, strict=True).notes == ()
