"""Sixteen tables in the image of those that people try first: what is read, decided and said, line by line.

For each: what becomes of every column (its number of states, None if it is left out), what the notes say, and
which edges are found with the defaults, or must not be.
"""

from __future__ import annotations

import csv
import datetime
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

import bayesloom as bl
from made.real_kinds import KINDS


class Expected(NamedTuple):
    states: dict[str, int | None]
    notes: Sequence[str] = ()
    joined: Sequence[tuple[str, str]] = ()
    apart: Sequence[tuple[str, str]] = ()
    weights: str | None = None
    learned: bool = True
    kept: Sequence[str] = ()
    """Near normal, so kept as numbers by default."""
    lost: Sequence[tuple[str, str]] = ()
    """Joined only where numbers are cut."""


EXPECTED = {
    "penguins": Expected(
        {
            **dict.fromkeys(("species", "island", "sex", "year"), 3),
            **dict.fromkeys(("bill_length_mm", "flipper_length_mm", "body_mass_g"), 3),
        },
        [
            "2 of 344 rows dropped: they lack 'bill_length_mm', 'flipper_length_mm', 'body_mass_g', which too"
            " few rows do to make a state of it. missing='state' (--missing state) keeps them.",
            "Missing values are a state of their own: 'sex' (7).",
            "'body_mass_g' is discretised by quantile:3: cut at",
        ],
        joined=[("species", "flipper_length_mm"), ("species", "island"), ("sex", "body_mass_g")],
        apart=[("year", "species"), ("year", "body_mass_g")],
        kept=["bill_length_mm", "body_mass_g"],
    ),
    "passengers": Expected(
        {
            **dict.fromkeys(("PassengerId", "Name", "Ticket")),
            **dict.fromkeys(("Survived", "Sex", "Cabin"), 2),
            **dict.fromkeys(("Pclass", "Fare", "Embarked"), 3),
            **dict.fromkeys(("Age", "SibSp"), 4),
        },
        [
            "Left out, for another value in every row: 'PassengerId', 'Name'. Keep one with discrete="
            " (--discrete NAME).",
            "'Cabin' (0 of 131 values kept)",
            "for most rows hold values with less than 1 % of the rows: 'Ticket' (501 values)",
        ],
        joined=[("Sex", "Survived"), ("Pclass", "Survived"), ("Fare", "Pclass")],
    ),
    "school_years": Expected(
        {
            **dict.fromkeys(("work", "city"), 2),
            **dict.fromkeys(("hoursw", "agew", "income", "educw", "educh", "educwm", "educwf"), 3),
            "child6": 4,
            "child618": 6,
        },
        ["4 columns of numbers are grouped into ranges: 'educw' (13 values), 'educh' (14 values)"],
        joined=[("educw", "educh"), ("educwf", "educwm"), ("hoursw", "work")],
        kept=["agew"],
    ),
    "trial": Expected(
        {
            "id": None,
            "sex": 2,
            **dict.fromkeys(
                ("time", "status", "trt", "age", "ascites", "hepato", "spiders", "edema", "bili"), 3
            ),
            **dict.fromkeys(("chol", "copper", "alk.phos"), 4),
            "stage": 5,
        },
        [
            "'trt', 'ascites', 'hepato', 'spiders', 'copper', 'alk.phos' are missing in the same 106 rows, so"
            " edges between them may tell of nothing else. missing='drop' (--missing drop) leaves such rows"
            " out",
        ],
        kept=["time", "age"],
    ),
    "flights": Expected(
        {
            "year": 1,
            **dict.fromkeys(("dep_delay", "arr_delay", "air_time"), 4),
            "carrier": 16,
            "origin": 3,
            "dest": 34,
            **dict.fromkeys(("tailnum", "time_hour")),
            "time_hour month": 12,
            "time_hour weekday": 7,
            "time_hour hour": 3,
        },
        [
            "Dates are replaced by their parts: 'time_hour' by 'time_hour month', 'time_hour weekday'",
            "'dest' (33 of 99 values kept)",
            "for most rows hold values with less than 1 % of the rows: 'tailnum' (4020 values)",
            "'dep_delay', 'arr_delay', 'air_time' are missing in the same 454 rows",
            "'time_hour hour' (19 values) is grouped into 3 ranges",
            "Constant, with one state only: 'year'.",
        ],
        learned=False,
    ),
    "diamonds": Expected(
        {**dict.fromkeys(("carat", "price", "x"), 3), "cut": 5, "color": 7, "clarity": 8},
        ["'price' is discretised by quantile:3: cut at 1363, 2902."],
        joined=[("carat", "x")],
        apart=[("cut", "color"), ("cut", "clarity")],
        kept=["x"],
    ),
    "hair_and_eyes": Expected(
        {"Hair": 4, "Eye": 4, "Sex": 2, "Freq": None},
        ["'Freq' says how often each row counts: 31 rows stand for 595.", "1 row of weight 0 left out."],
        joined=[("Hair", "Eye")],
        apart=[("Sex", "Eye")],
        weights="Freq",
    ),
    "boats": Expected(
        {"Class": 4, "Sex": 2, "Age": 2, "Survived": 2, "n": None},
        ["'n' says how often each row counts: 26 rows stand for 510."],
        joined=[("Sex", "Survived")],
        weights="n",
    ),
    "air_quality": Expected(
        {"Ozone": 4, "Solar.R": 4, "Wind": 3, "Temp": 3, "Month": 5, "Day": 3},
        ["Missing values are a state of their own: 'Ozone' (37), 'Solar.R' (5)."],
        joined=[("Temp", "Ozone"), ("Month", "Temp")],
        apart=[("Day", "Temp")],
        kept=["Solar.R", "Wind", "Temp", "Day"],
        lost=[("Temp", "Ozone")],
    ),
    "flowers": Expected(
        dict.fromkeys(("sepal_length", "sepal_width", "petal_length", "petal_width", "species"), 3),
        ["2 columns of numbers are grouped into ranges: 'sepal_width' (18 values), 'petal_width'"],
        joined=[("petal_width", "petal_length")],
        kept=["sepal_length"],
    ),
    "census": Expected(
        {
            **dict.fromkeys(("age", "fnlwgt", "education-num", "hours-per-week"), 3),
            **dict.fromkeys(("capital-gain", "native-country", "income"), 2),
            "workclass": 4,
        },
        [
            "'native-country' (1 of 61 values kept)",
            "'capital-gain' is discretised by quantile:3: cut at 0. Some cut points coincide",
            "'education-num' (16 values) is grouped into 3 ranges",
            "Missing values are a state of their own: 'workclass' (198).",
        ],
        joined=[("income", "education-num")],
        apart=[("fnlwgt", "income")],
        kept=["age", "fnlwgt"],
    ),
    "survey": Expected(
        {**{f"q{k}": 3 for k in range(1, 7)}, "comment": None},
        [
            "6 columns of numbers are grouped into ranges",
            "Left out, for another value in every row: 'comment'.",
        ],
    ),
    "sensors": Expected(
        {"time": None, "time hour": 3, "temperature": 3, "power": 3, "door": 2, "heating": 2},
        ["Dates are replaced by their parts: 'time' by 'time hour'."],
        joined=[("heating", "power")],
        apart=[("door", "power")],
        kept=["time hour"],
    ),
    "baskets": Expected(
        {**dict.fromkeys(("bread", "butter", "beer", "caviar"), 2), "nothing": 1},
        ["Constant, with one state only: 'nothing'."],
        joined=[("bread", "butter")],
        apart=[("beer", "bread")],
    ),
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_what_is_read_and_found(kind):
    expected = EXPECTED[kind]
    table = bl.read_table(KINDS[kind](), weights=expected.weights)
    found = {column.name: column.states if column.used else None for column in table.columns}
    assert found == expected.states
    assert all(column.why for column in table.columns)
    assert str(table.columns).count("\n") == len(expected.states)
    for part in expected.notes:
        assert any(part in note for note in table.notes), (part, table.notes)
    if not expected.learned:
        return
    by_ranges = bl.learn(KINDS[kind](), weights=expected.weights, score="bic")
    assert by_ranges.table == table
    by_kinds = bl.learn(KINDS[kind](), weights=expected.weights)
    assert set(by_kinds.table.continuous) == set(expected.kept)
    assert by_kinds.score_name == ("bic-cg" if expected.kept else "bic")
    for result, lost in ((by_ranges, ()), (by_kinds, expected.lost)):
        assert result.proof == "all networks"
        pairs = {frozenset(edge) for edge in result.network.edges}
        for pair in expected.joined:
            assert (frozenset(pair) in pairs) == (pair not in lost), pair
        for pair in expected.apart:
            assert frozenset(pair) not in pairs, pair
        assert result.verify().ok


def test_a_randomised_treatment_depends_on_nothing_but_absence():
    result = bl.learn(KINDS["trial"]())
    marked = [edge for edge in result.edges if "trt" in edge[:2]]
    assert marked
    assert all(edge.by_missing for edge in marked)
    assert any("rest on values missing together" in note for note in result.notes)
    measured = bl.learn(KINDS["trial"](), missing="drop")
    assert not any("trt" in edge for edge in measured.network.edges)


def test_pictures_of_digits():
    table = bl.read_table(KINDS["digits"]())
    assert len(table.names) == 65
    [note] = [note for note in table.notes if "columns of numbers are grouped into ranges" in note]
    assert "As separate states their dependences would show less or not at all." in note
    assert "Constant, with one state only: 'pixel_0_0', 'pixel_0_7', 'pixel_7_0', 'pixel_7_7'." in table.notes
    dots = {name: values for name, values in KINDS["digits"]().items() if name != "digit"}
    grouped, apart = (
        bl.search(bl.score(bl.read_table(dots, discrete=how), max_parents=1)).network.edges
        for how in (None, True)
    )
    assert len(grouped) > 2 * len(apart)


def test_more_columns_than_rows():
    table = bl.read_table(KINDS["genes"]())
    assert "300 columns of numbers are cut into ranges by quantile:3: 'gene0', 'gene1'" in table.notes[0]
    result = bl.learn(table, time_limit=2)
    assert result.notes[0].startswith("Some edges may be chance")
    kept_out = bl.learn(table, score="ebic", time_limit=2)
    assert len(kept_out.network.edges) < len(result.network.edges)


def test_a_table_of_counts_without_weights_says_so():
    table = bl.read_table(KINDS["hair_and_eyes"]())
    assert (
        "'Freq' may say how often each row counts; if so, give weights='Freq' (--weights Freq)."
        in table.notes
    )


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"flights", "digits", "genes"}))
def test_a_file_is_read_as_a_data_frame_is(kind, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    columns, weights = KINDS[kind](), EXPECTED[kind].weights
    path = tmp_path / f"{kind}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(["" if _absent(value) else _shown(value) for value in row])
    from_file, from_frame = (
        bl.read_table(source, weights=weights) for source in (path, pandas.DataFrame(columns))
    )
    assert from_file == from_frame
    gone = next(iter(columns))
    from_file, from_frame = (
        bl.read_table(source, weights=weights, exclude=gone) for source in (str(path), columns)
    )
    assert gone not in from_file.names
    assert from_file == from_frame


def _absent(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _shown(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, np.datetime64):
        return value.astype(datetime.datetime).isoformat()
    return str(value)


def test_a_number_of_rows_that_were_filtered_is_left_out():
    columns = KINDS["trial"]()
    kept = np.flatnonzero(~np.isnan(columns["copper"]))
    table = bl.read_table({name: np.asarray(values)[kept] for name, values in columns.items()})
    assert "id" not in table.names
    assert bl.read_table({"id": np.arange(0, 200, 2)[::-1].copy(), "x": [0, 1] * 50}).names == ("x",)
    assert bl.read_table({"score": np.arange(0, 200, 2), "x": [0, 1] * 50}).names == ("score", "x")


def test_a_day_of_every_year_has_no_weekday():
    years = [datetime.date(1970 + k % 13, 1, 1) for k in range(200)]
    assert bl.read_table({"when": years, "x": [0, 1] * 100}).names == ("when year", "x")


def test_few_rows_hold_no_rare_names():
    draw = np.random.default_rng(1)
    names = [f"n{k}" for k in draw.permutation(58)] + ["n1", "n2", "n3", "n4", "n5"]
    assert bl.read_table({"name": names, "x": [0, 1, 2] * 21}).names == ("x",)
