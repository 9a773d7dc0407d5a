"""Dates become year, month, weekday and hour, alike from a CSV and from a data frame."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import numpy as np
import pyarrow as pa
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.table import read_table

BEGIN = datetime(2021, 1, 31, 5, 7)
MOMENTS = [BEGIN + timedelta(hours=37 * k) for k in range(400)]
WORDS = [("no", "yes")[k % 3 == 0] for k in range(400)]
PARTS = ("when year", "when month", "when weekday", "when hour")


def csv(tmp_path, texts):
    (tmp_path / "t.csv").write_text(
        "when,a\n" + "".join(f"{t},{w}\n" for t, w in zip(texts, WORDS, strict=False))
    )
    return str(tmp_path / "t.csv")


def labels(table, name):
    states = table.states[table.index(name)]
    return [states[code] for code in table.column(name)]


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.250Z"])
def test_parts_are_the_same_from_csv_and_data_frame(tmp_path, form):
    texts = [moment.strftime(form) for moment in MOMENTS]
    tables = [
        read_table(csv(tmp_path, texts)),
        read_table({"when": texts, "a": WORDS}),
        read_table({"when": MOMENTS, "a": WORDS}),
        read_table(pa.table({"when": pa.array(MOMENTS, pa.timestamp("ns")), "a": WORDS})),
        read_table(pa.table({"when": pa.chunked_array([MOMENTS[:7], MOMENTS[7:]]), "a": WORDS})),
    ]
    for table in tables:
        assert table.names == (*PARTS, "a")
        assert table == tables[0]
        assert [column.used for column in table.columns] == [False, True, True, True, True, True]
        when = table.columns[0]
        assert (when.name, when.kind, when.missing) == ("when", "date", 0)
        assert when.why.startswith("replaced by its parts 'when year', 'when month'")
        assert any("Dates are replaced by their parts: 'when' by 'when year'" in note for note in table.notes)
    whole = read_table({"when": MOMENTS, "a": WORDS}, discrete=["when month", "when hour", "when year"])
    assert labels(whole, "when year") == [str(moment.year) for moment in MOMENTS]
    assert labels(whole, "when month") == [str(moment.month) for moment in MOMENTS]
    assert labels(whole, "when weekday") == [moment.strftime("%A") for moment in MOMENTS]
    assert labels(whole, "when hour") == [str(moment.hour) for moment in MOMENTS]
    assert whole.states[whole.index("when weekday")][0] == "Monday"


def test_only_parts_that_vary_are_kept(tmp_path):
    days = [date(2024, 2, 1) + timedelta(days=k % 28) for k in range(400)]
    for source in (csv(tmp_path, days), {"when": days, "a": WORDS}):
        assert read_table(source).names == ("when weekday", "a")
    same = read_table({"when": [days[0]] * 400, "a": WORDS})
    assert same.names == ("when year", "a")


def test_missing_dates_are_missing_parts(tmp_path):
    some = [None if k % 5 == 0 else moment for k, moment in enumerate(MOMENTS)]
    texts = ["NA" if moment is None else moment.isoformat(" ") for moment in some]
    for source in (csv(tmp_path, texts), {"when": some, "a": WORDS}):
        table = read_table(source)
        assert table.columns[0].missing == 80
        for part in PARTS:
            assert labels(table, part).count("missing") == 80
    dropped = read_table({"when": some, "a": WORDS}, missing="drop")
    assert dropped.row_count == 320


def test_a_date_can_be_kept_as_it_is(tmp_path):
    days = [f"2024-02-{1 + k % 28:02}" for k in range(400)]
    typed = [date.fromisoformat(day) for day in days]
    for source in (csv(tmp_path, days), {"when": typed, "a": WORDS}):
        table = read_table(source, discrete=["when"])
        assert table.names == ("when", "a")
        assert table.states[0] == tuple(sorted(set(days)))


@pytest.mark.parametrize(
    "texts", [["2024-02-30", "2024-02-01"], ["2024-02-01", "soon"], ["2024-02", "2024-03"]]
)
def test_texts_that_are_no_dates_stay_texts(tmp_path, texts):
    table = read_table(csv(tmp_path, texts * 200))
    assert table.names == ("when", "a")
    assert table.columns[0].kind == "text"


def test_a_zone_shows_the_time_on_its_clocks():
    try:
        zone = pa.array(MOMENTS, pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
        table = read_table(pa.table({"when": zone, "a": WORDS}), discrete=["when hour"])
    except pa.ArrowInvalid:
        pytest.skip("no time zones are known here")
    assert labels(table, "when hour") == [str(moment.hour) for moment in MOMENTS]


def test_times_of_day_and_durations_are_numbers(tmp_path):
    times = [time(k % 24, 30) for k in range(400)]
    table = read_table({"when": times, "a": WORDS})
    assert table.names == ("when", "a")
    assert table.cardinalities[0] == 3
    assert any("Times are read as numbers" in note for note in table.notes)
    assert read_table(csv(tmp_path, times)).cut_points == table.cut_points
    spans = pa.array([timedelta(minutes=k) for k in range(400)][::-1])
    assert read_table({"when": spans, "a": WORDS}).cut_points["when"] == (133 * 60.0, 266 * 60.0)


def test_names_of_parts_that_are_taken():
    table = read_table({"when": MOMENTS, "when year": WORDS})
    assert table.names == ("when year (2)", "when month", "when weekday", "when hour", "when year")


def test_strict_reading_refuses_dates_and_takes_texts_as_texts():
    with pytest.raises(InputError, match="'when' has type timestamp"):
        bl.read_table({"when": MOMENTS, "a": WORDS}, strict=True)
    days = ("2024-01-01", "2024-02-01")
    assert bl.read_table({"when": days}, strict=True).states == (days,)


def test_months_are_related_to_what_depends_on_them():
    draw = np.random.default_rng(3)
    days = [date(2021, 1, 1) + timedelta(days=int(k)) for k in draw.integers(0, 1460, 1500)]
    warm = [(4 <= day.month <= 9) != (draw.random() < 0.1) for day in days]
    edges = bl.learn({"day": days, "warm": warm}).network.edges
    assert {frozenset(edge) for edge in edges} == {frozenset(("day month", "warm"))}


def test_dates_of_frames_of_other_packages():
    for package in ("pandas", "polars"):
        frames = pytest.importorskip(package, reason=f"{package} is not installed")
        texts = [moment.isoformat(" ") for moment in MOMENTS]
        for values in (texts, MOMENTS):
            table = read_table(frames.DataFrame({"when": values, "a": WORDS}))
            assert table == read_table({"when": MOMENTS, "a": WORDS})


def test_columns_of_dates_that_are_empty():
    nothing = pa.array([None] * 400, pa.date32())
    table = read_table({"when": nothing, "a": WORDS})
    assert table.states[0] == ("missing",)
    with pytest.raises(InputError, match="the table has no rows"):
        read_table(pa.table({"when": pa.array([], pa.date32())}))


@pytest.mark.parametrize(
    "shown",
    ["31/12/2020", "12.1.99", "2020/12/31", "2020-12", "Dec 31, 2020", "31 December 2020", "1-Jan-2020"],
)
def test_what_looks_like_dates_and_is_not_read_as_such_is_told_of(shown, tmp_path):
    rows = {"when": [shown, shown, None] * 20, "a": ["x", "y", "x"] * 20}
    said = "Looks like dates, and is read as texts: 'when'. Dates are known if written as 2024-02-29"
    assert read_table(rows).notes[0].startswith(said)
    (tmp_path / "t.csv").write_text("when;a\n" + f"{shown};x\n{shown};y\nNA;x\n" * 20)
    assert any(note.startswith(said) for note in read_table(tmp_path / "t.csv").notes)
    assert not any("Looks like" in note for note in read_table(rows, discrete=["when"]).notes)


@pytest.mark.parametrize("shown", ["1.5", "12-11", "10:15", "a/b/c", "2020", "1/2"])
def test_other_texts_are_not_called_dates(shown):
    assert not any(
        "Looks like" in note for note in read_table({"x": [shown] * 30, "a": list("xyz") * 10}).notes
    )
