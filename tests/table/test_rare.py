"""Texts with very many values: rare ones are put together, columns of rare ones are left out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import bayesloom as bl
from bayesloom.table import read_table
from bayesloom.table.read import table_of

DRAW = np.random.default_rng(5)
ROWS = 2000
CITIES = [f"city {k}" for k in np.minimum(DRAW.geometric(0.12, ROWS), 60)] + [f"town {k}" for k in range(40)]
TAILS = [f"N{k}" for k in DRAW.integers(0, 900, ROWS + 40)]
YES = [("no", "yes")[k] for k in DRAW.integers(0, 2, ROWS + 40)]


def sources(tmp_path):
    columns = {"city": CITIES, "tail": TAILS, "yes": YES}
    lines = zip(*columns.values(), strict=True)
    (tmp_path / "t.csv").write_text("city,tail,yes\n" + "".join(",".join(line) + "\n" for line in lines))
    frame = pa.table({name: pa.array(values).dictionary_encode() for name, values in columns.items()})
    return [str(tmp_path / "t.csv"), columns, frame]


def test_rare_values_are_one_state_and_columns_of_rare_values_are_left_out(tmp_path):
    for source in sources(tmp_path):
        table = read_table(source)
        assert table.names == ("city", "yes")
        states = table.states[0]
        assert states[-1] == "(other)"
        counts = np.bincount(table.column("city"))
        assert (counts[:-1] >= 0.01 * len(CITIES)).all()
        for state, count in zip(states[:-1], counts, strict=False):
            assert count == CITIES.count(state)
        [note] = [note for note in table.notes if "(other)" in note]
        assert note.startswith(
            "Texts with more than 50 values: values with less than 1 % of the rows are one state"
        )
        assert f"'city' ({len(states) - 1} of {len(set(CITIES))} values kept)" in note
        [left] = [note for note in table.notes if "left out" in note]
        assert f"hold values with less than 1 % of the rows: 'tail' ({len(set(TAILS))} values)." in left
        tail = table.columns[1]
        assert (tail.name, tail.used, tail.states) == ("tail", False, 0)
        assert "hold one that has less than 1 % of them" in tail.why
        assert "left out: " in repr(table.columns)
        assert "tail: left out, " in table.summary()


def test_what_is_named_is_kept_whole():
    columns = {"city": CITIES, "tail": TAILS, "yes": YES}
    assert read_table(columns, discrete=["tail"]).names == ("city", "tail", "yes")
    assert read_table(columns, discrete=["city"]).cardinalities[0] == len(set(CITIES))
    assert read_table(columns, discrete=True).cardinalities == (len(set(CITIES)), len(set(TAILS)), 2)
    given = sorted(set(CITIES))
    assert read_table(columns, states={"city": given}).cardinalities[0] == len(given)
    assert bl.read_table(columns, strict=True).cardinalities == (len(set(CITIES)), len(set(TAILS)), 2)


def test_columns_that_must_stay_are_put_together():
    table = table_of({"tail": TAILS, "yes": YES}, keep_all=True)
    assert table.names == ("tail", "yes")
    assert table.states[0][-1] == "(other)"
    assert read_table({"tail": TAILS}).names == ("tail",)  # nothing would be left


@pytest.mark.parametrize("missing", [None, "drop"])
def test_no_row_is_dropped_for_what_a_column_lacks_that_is_left_out(missing):
    """As flights lose the numbers of their planes where they were cancelled."""
    share = 150 if missing is None else 3
    tails = [None if k % share == 0 else tail for k, tail in enumerate(TAILS)]
    for columns in ({"tail": tails, "yes": YES}, pa.table({"tail": tails, "yes": YES})):
        table = read_table(columns, missing=missing)
        assert table.names == ("yes",)
        assert table.row_count == len(YES)
        assert not [note for note in table.notes if "dropped" in note]
    kept = read_table({"tail": tails, "yes": YES}, missing=missing, discrete="tail")
    assert kept.row_count < len(YES)


def test_missing_values_stay_apart():
    cities = [None if k % 10 == 0 else city for k, city in enumerate(CITIES)]
    table = read_table({"city": cities, "yes": YES})
    assert table.states[0][-2:] == ("(other)", "missing")
    assert np.bincount(table.column("city"))[-1] == sum(city is None for city in cities)


@pytest.mark.parametrize("declared", [".dat", ".arff"])
def test_files_that_declare_their_states_keep_them(tmp_path, declared):
    codes = [*range(60), *[0] * 2000]
    text = "a b\n60 2\n" + "".join(f"{k} {k % 2}\n" for k in codes)
    if declared == ".arff":
        names = ",".join(f"s{k}" for k in range(60))
        text = f"@relation t\n@attribute a {{{names}}}\n@attribute b {{u,v}}\n@data\n"
        text += "".join(f"s{k},{'uv'[k % 2]}\n" for k in codes)
    (tmp_path / f"t{declared}").write_text(text)
    assert read_table(tmp_path / f"t{declared}").cardinalities == (60, 2)


@pytest.mark.parametrize("strict", [True, False])
def test_columns_asked_for_are_not_left_out(strict):
    """`only` says which columns to keep: ids, numbers of rows and free texts among them."""
    rows = len(YES)
    columns = {
        "id": [k // 2 % 30 for k in range(rows)],
        "row": list(range(rows)),
        "tail": TAILS,
        "yes": YES,
    }
    given = {"strict": True, "discrete": True} if strict else {}
    assert read_table(columns, only=["id", "row", "tail", "yes"], **given).names == tuple(columns)
    assert read_table(columns, only=["id", "yes"], **given).names == ("id", "yes")
    assert read_table(columns).names == ("yes",)


def test_ids_that_come_back_are_left_out_and_say_so():
    ids = [k // 2 for k in range(len(YES))]
    for name in ("id", "ID", "patient_id", "Patient ID"):
        table = read_table({name: ids, "yes": YES})
        assert table.names == ("yes",)
        assert f"Left out, for its name, an id: {name!r}." in table.notes[0]
        assert "it is named as an id" in table.columns[0].why
        assert read_table({name: ids, "yes": YES}, discrete=name).cardinalities[0] == len(set(ids))
        assert read_table({name: ids, "yes": YES}, discretize={name: "mean"}).cardinalities[0] == 2
    kept = {"humid": ids, "yes": YES}, {"id": [k % 20 for k in ids], "yes": YES}, {"id": ids}
    assert [len(read_table(columns).names) for columns in kept] == [2, 2, 1]
