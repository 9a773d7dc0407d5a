"""New rows in the states of a table; tables as data frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from made.real_kinds import KINDS

DRAW = np.random.default_rng(8)
X = DRAW.normal(size=90)
GIVEN = {"x": X, "a": [("u", "v", None)[k % 3] for k in range(90)], "n": [k % 2 for k in range(90)]}


@pytest.fixture
def table():
    return bl.read_table(GIVEN)


def test_its_own_rows_give_the_same_table(table, file, tmp_path):
    assert table.like(GIVEN) == table
    assert table.like(table) == table
    assert table.like(pd.DataFrame(GIVEN)) == table
    frame = pd.DataFrame(GIVEN)
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert table.like(tmp_path / "t.csv") == table
    table.write(tmp_path / "t.parquet")
    assert table.like(tmp_path / "t.parquet") == table
    assert table.like(table.to_pandas()) == table


def test_cut_points_and_states_stay(table):
    new = table.like({"n": [1.0], "a": [None], "x": [1e9], "more": ["?"]})
    assert new.names == table.names
    assert new.states == table.states
    assert new.cut_points == table.cut_points
    assert [column.tolist() for column in new.codes] == [[2], [2], [1]]
    assert new.notes == ("Left out, since the table has no such column: 'more'.",)
    assert [column.dtype for column in new.codes] == [column.dtype for column in table.codes]


def test_a_fitted_network_scores_new_rows(table):
    fitted = bl.learn(table).network.fit(table, method="dirichlet")
    half = {name: values[:45] for name, values in GIVEN.items()}
    rest = {name: values[45:] for name, values in GIVEN.items()}
    parts = [fitted.log_likelihood(table.like(part)) for part in (half, rest)]
    assert sum(parts) == pytest.approx(fitted.log_likelihood(table))


def test_what_is_no_state(table):
    rows = {"x": [0.0, 0.1, np.nan], "a": ["u", "w", "v"], "n": [0, 1, 1]}
    message = (
        r"dict, row 3: variable 'x' is missing, not among '<= .*Leave such rows out with missing='drop'\."
    )
    with pytest.raises(InputError, match=message):
        table.like(rows)
    rows["x"] = [0.0, 0.1, 0.2]
    message = r"dict, row 2: variable 'a' has state 'w', not among 'u', 'v', 'missing'\. Leave such rows out"
    with pytest.raises(InputError, match=message):
        table.like(rows)
    dropped = table.like(rows, missing="drop", weights=[1, 2, 3])
    assert dropped.row_count == 2
    assert dropped.weights.tolist() == [1, 3]
    assert "1 of 3 rows dropped: a value is missing or no known state." in dropped.notes
    assert table.like(rows, missing="state").column("a").tolist() == [0, 2, 1]
    with pytest.raises(InputError, match="variable 'n' has state '5', not among '0', '1'"):
        table.like({**rows, "n": [5, 5, 5]}, missing="state")
    with pytest.raises(InputError, match="no row is in the states of the table"):
        table.like({**rows, "n": [5, 5, 5]}, missing="drop")
    with pytest.raises(InputError, match=r"unknown value of missing 'gone'"):
        table.like(rows, missing="gone")
    with pytest.raises(
        InputError, match=r"dict: there is no column 'n', which the table has\. Did you mean 'nn'\?"
    ):
        table.like({"x": [1], "a": ["u"], "nn": [1]})


def test_the_line_of_a_file_is_named(table, file):
    path = file("t.csv", "a,n,x\nu,0,1.5\n\nu,7,2\n")
    with pytest.raises(InputError, match=r"t.csv, line 4: variable 'n' has state '7'"):
        table.like(path)


def test_states_removed_from_a_cut_column_are_unknown():
    table = bl.read_table({"x": [1.0, 2.0, 9.0]}, discretize={"x": [5, 8]}).with_seen_states()
    assert table.states == (("<= 5", "> 8"),)
    assert table.like({"x": [9, 1]}).column("x").tolist() == [1, 0]
    with pytest.raises(InputError, match=r"not among '<= 5', '> 8'"):
        table.like({"x": [6]})


def test_weights_of_the_same_name_are_weights():
    table = bl.read_table({"a": ["x", "y"], "Freq": [2, 3]}, weights="Freq")
    new = table.like({"Freq": [7, 0], "a": ["y", "x"]})
    assert new.weights.tolist() == [7]
    assert new.column("a").tolist() == [1]
    assert table.like({"a": ["x"]}).weights is None
    assert table.like(table) == table


def test_a_data_frame_and_back(table):
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.names)
    assert list(frame["a"].cat.categories) == ["u", "v", "missing"]
    assert bl.read_table(frame) == table


def test_without_pandas_there_is_a_sentence(table, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pandas is not installed\. Install it with: pip install pandas\."):
        table.to_pandas()


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"digits", "genes"}))
def test_rows_of_every_kind_of_table_are_read_again_as_they_were(kind):
    columns = KINDS[kind]()
    weights = {"hair_and_eyes": "Freq", "boats": "n"}.get(kind)
    table = bl.read_table(columns, weights=weights)
    assert table.like(columns, missing="drop") == table
    few = {name: values[:40] for name, values in columns.items()}
    again = table.like(few, missing="drop")
    assert again.states == table.states
    for own, whole in zip(again.codes, table.codes, strict=True):
        assert np.array_equal(own, whole[: own.size])


def test_rare_texts_and_texts_never_seen_are_other():
    draw = np.random.default_rng(1)
    cities = [f"c{k}" for k in np.minimum(draw.geometric(0.08, 3000), 90)]
    table = bl.read_table({"city": cities, "x": draw.integers(0, 2, 3000)})
    assert table.states[0][-1] == "(other)"
    new = table.like({"city": ["c1", "c89", "nowhere"], "x": [0, 1, 0]})
    assert [table.states[0][k] for k in new.column("city")] == ["c1", "(other)", "(other)"]
