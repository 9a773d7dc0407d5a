"""What `learn` makes of tables as people have them, and what it says about it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.table import read_table
from bayesloom.table.read import table_of
from made.command import exit_code

RNG = np.random.default_rng(3)
WORDS = [("yes", "no")[k] for k in RNG.integers(0, 2, 60)]


@pytest.fixture
def file(tmp_path):
    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def said(table, part: str) -> bool:
    return any(part in note for note in table.notes)


def test_an_index_column_without_a_name_is_left_out(file):
    path = file("t.csv", ",a,b\n" + "".join(f"{k},{w},{k % 3}\n" for k, w in enumerate(WORDS)))
    table = read_table(path)
    assert table.names == ("a", "b")
    assert said(table, "Left out, for another value in every row: 'column 1'")
    assert read_table(path, discrete=["column 1"]).cardinalities == (60, 2, 3)


def test_texts_that_differ_in_every_row_are_left_out_and_numbers_out_of_order_are_not(file):
    numbers = RNG.permutation(60)
    rows = "".join(f"user{k},{numbers[k]},{w}\n" for k, w in enumerate(WORDS))
    table = read_table(file("t.csv", "user,rank,a\n" + rows))
    assert table.names == ("rank", "a")
    assert table.cardinalities == (3, 2)
    path = file("u.csv", "user,a\n" + "".join(f"user{k},{w}\n" for k, w in enumerate(WORDS)))
    strict = read_table(path, strict=True)
    assert strict.names == ("user", "a")


def test_a_table_of_nothing_but_row_names_stays(file):
    assert read_table(file("t.csv", "a\n" + "".join(f"u{k}\n" for k in range(60)))).names == ("a",)


def test_all_columns_of_an_array_stay():
    array = np.column_stack([np.arange(60), RNG.integers(0, 2, 60)])
    assert read_table(array).names == ("X0", "X1")
    assert read_table({"id": list(range(60)), "a": WORDS}).names == ("a",)
    assert table_of({"id": list(range(60)), "a": WORDS}, keep_all=True).names == ("id", "a")


def test_names_that_occur_twice_are_told_apart(file):
    table = read_table(file("t.csv", "a,a,a (2),a\n1,2,3,4\n2,1,1,1\n"))
    assert table.names == ("a", "a (3)", "a (2)", "a (4)")
    assert said(table, "Column 2 is named 'a' like another; it is called 'a (3)'")


def test_the_first_line_of_excel_names_the_delimiter(file):
    table = read_table(file("t.csv", "sep=|\na|b\nx|1\ny|2\n"))
    assert table.names == ("a", "b")
    with pytest.raises(Exception, match="line 4: expected 2 fields, found 1"):
        read_table(file("u.csv", "sep=|\na|b\nx|1\ny\n"))
    assert read_table(file("v.csv", "sep=x,b\nx,1\ny,2\n")).names == ("sep=x", "b")


def test_decimal_commas_between_semicolons(file):
    rows = "".join(f"{k},5;{w};{k % 2},1x\n" for k, w in enumerate(WORDS))
    table = read_table(file("t.csv", "weight;a;code\n" + rows))
    assert table.cardinalities == (3, 2, 2)
    assert said(table, "Commas in the numbers of 'weight' are read as decimal points.")
    assert table.cut_points["weight"] == (19.5, 39.5)


def test_a_first_line_that_is_a_row(file):
    rows = "".join(f"{w},{'ab'[k % 2]}\n" for k, w in enumerate(WORDS))
    table = read_table(file("t.csv", rows))
    assert (table.names, table.row_count) == (("X0", "X1"), 60)
    assert said(table, "No header: all texts of the first line occur in their columns again")
    assert read_table(file("t.csv", rows), header=True).names == (WORDS[0], "a")
    assert read_table(file("u.csv", "yes,c\n" + rows)).names == ("yes", "c")


def test_missing_values_and_many_states_are_told(file):
    rows = "".join(f'{w if k % 9 else ""},"1,{k * 2 // 3 + 100}"\n' for k, w in enumerate(WORDS))
    table = read_table(file("t.csv", "a,price\n" + rows))
    assert said(table, "Missing values are a state of their own: 'a' (7)")
    assert said(table, "'price' is read as texts, with 40 states in 60 rows")


def test_infinite_values_are_no_trouble_for_quantiles(file):
    values = ["-inf"] * 25 + ["inf"] * 25 + [str(k / 7) for k in range(25)]
    table = read_table(file("t.csv", "x,y\n" + "".join(f"{v},{k % 2}\n" for k, v in enumerate(values))))
    assert np.isfinite(table.cut_points["x"]).all()
    assert table.cardinalities == (3, 2)
    assert len(set(table.column("x").tolist())) == table.cardinalities[0]


def test_cut_points_on_the_command_line(file, capsys):
    path = file("t.csv", "x,y\n" + "".join(f"{k / 3},{k % 2}\n" for k in range(60)))
    assert exit_code("learn", path, "--discretize", "x=5,15", "--threads", "1") == 0
    assert "'x' is discretised by the given cut points: cut at 5, 15." in capsys.readouterr().err


def test_what_learn_wrote_is_verified_on_the_table_as_learn_reads_it(file, tmp_path, capsys):
    rows = "".join(f"u{k},{k / 3},{'' if k % 7 == 0 else w}\n" for k, w in enumerate(WORDS))
    path, run = file("t.csv", "user,x,a\n" + rows), str(tmp_path / "run.json")
    for line in (["learn", path, "--json", run, "--threads", "1", "-q"], ["verify", run, "--data", path]):
        assert exit_code(*line) == 0
    assert capsys.readouterr().out.endswith("verified\n")


def test_other_verbs_read_as_learn_does_if_asked(file, tmp_path, capsys):
    rows = "".join(f"u{k},{k / 3},{'' if k % 7 == 0 else w}\n" for k, w in enumerate(WORDS))
    path = file("t.csv", "user,x,a\n" + rows)
    expected = read_table(path)
    cache, table, run = (str(tmp_path / name) for name in ("t.blc", "t.parquet", "run.json"))
    for line in (
        ["score", path, "-o", cache, "--lenient"],
        ["credible", path, "--lenient", "--json", run],
        ["convert", path, table, "--lenient"],
    ):
        assert exit_code(*line) == 0
    assert "Missing values are a state of their own: 'a'" in capsys.readouterr().err
    assert bl.read_cache(cache).names == expected.names == ("x", "a")
    assert bl.read_table(table).cardinalities == expected.cardinalities == (3, 3)
    assert json.loads(Path(run).read_text())["variables"] == ["x", "a"]
    assert (
        exit_code("score", path, "-o", cache, "--lenient", "--discretize", "x=5,15", "--missing", "drop") == 0
    )
    assert bl.read_cache(cache).cardinalities == (3, 2)
