"""The table itself: checked, read-only, comparable, shown."""

from __future__ import annotations

import pickle
import sys
import types

import numpy as np
import pytest

from bayesloom.errors import InputError
from bayesloom.table import Table, read_table

NAMES = ["smoke", "dose"]
STATES = [["no", "yes"], ["low", "mid", "high"]]
CODES = [[0, 1, 1], [0, 2, 0]]


def asia(**changes) -> Table:
    return Table.from_codes(
        **{"names": NAMES, "states": STATES, "codes": CODES, "source": "asia.csv"} | changes
    )


def test_a_table_knows_its_variables():
    table = asia()
    assert table.names == ("smoke", "dose")
    assert table.cardinalities == (2, 3)
    assert table.row_count == len(table) == 3
    assert table.index("dose") == 1
    assert table.column("dose").tolist() == [0, 2, 0]
    assert repr(table) == "<Table: 2 variables, 3 rows>"


def test_columns_are_read_only_copies_of_the_smallest_type():
    given = np.array([0, 1, 1])
    table = asia(codes=[given, given])
    given[0] = 1
    assert table.codes[0].tolist() == [0, 1, 1]
    assert table.codes[0].dtype == np.uint8
    with pytest.raises(ValueError, match="read-only"):
        table.codes[0][0] = 1
    with pytest.raises(AttributeError):
        table.names = ("a", "b")
    assert asia(states=[STATES[0], map(str, range(300))]).codes[1].dtype == np.uint16


def test_equality_is_of_names_states_and_codes():
    assert asia() == asia(source="elsewhere", notes=["x"], cut_points={"dose": (1.0,)})
    assert asia() != asia(codes=[CODES[0], [0, 2, 1]])
    assert asia() != asia(names=["smoke", "other"])
    assert asia() != asia(states=[["yes", "no"], STATES[1]])
    assert asia() != asia(codes=[[0, 1], [0, 2]])
    assert asia() != "asia"
    with pytest.raises(TypeError, match="unhashable"):
        hash(asia())


def test_select_takes_variables_in_the_order_given():
    table = asia(cut_points={"dose": (1.0, 2.0)}, notes=["n"]).select(["dose"])
    assert table.names == ("dose",)
    assert table.states == (("low", "mid", "high"),)
    assert table.cut_points == {"dose": (1.0, 2.0)}
    assert table.notes == ("n",)
    assert asia().select(["dose", "smoke"]).select(["smoke", "dose"]) == asia()


def test_unknown_variables_are_named():
    for ask in (asia().index, asia().column, lambda name: asia().select([name])):
        with pytest.raises(InputError, match=r"the table has no column 'smok'\. Did you mean 'smoke'\?"):
            ask("smok")


def test_pickled_tables_are_equal_and_still_read_only():
    again = pickle.loads(pickle.dumps(asia(notes=["n"])))
    assert again == asia()
    assert again.notes == ("n",)
    assert not again.codes[0].flags.writeable


def test_summary_shows_states_and_notes():
    assert asia(notes=["1 row dropped."]).summary() == (
        "asia.csv: 2 variables, 3 rows\n"
        "  smoke  2 states: no, yes\n"
        "  dose   3 states: low, mid, high\n"
        "Note: 1 row dropped."
    )


def test_a_long_summary_says_what_it_leaves_out():
    table = Table.from_codes(
        [f"v{i}" for i in range(30)], [[str(s) for s in range(12)]] * 30, [[0]] * 30, notes=["n"] * 25
    )
    text = table.summary()
    assert "v19  12 states: 0, 1, 2, 3, 4, 5, 6, 7 and 4 more" in text
    assert "  and 10 variables more" in text
    assert text.endswith("and 5 notes more")
    assert "more" not in table.summary(limit=30).replace("and 4 more", "")


def test_to_arrow_keeps_all_states():
    arrow = asia().to_arrow()
    assert arrow.column("dose").chunk(0).dictionary.to_pylist() == ["low", "mid", "high"]
    assert read_table(arrow) == asia()


def test_the_core_gets_columns_and_cardinalities_once(monkeypatch):
    calls = []
    core = types.ModuleType("bayesloom._core")
    core.EncodedData = lambda *given: calls.append(given) or "encoded"
    monkeypatch.setitem(sys.modules, "bayesloom._core", core)
    table = asia()
    assert table.encoded == table.encoded == "encoded"
    [(columns, cardinalities, weights, gaps)] = calls
    assert cardinalities == [2, 3]
    assert weights is None
    assert not gaps
    assert all(given is own for given, own in zip(columns, table.codes, strict=True))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ["a"]}, r"1 name, 2 lists of states and 2 columns of codes; expected as many of each\."),
        ({"names": [], "states": [], "codes": []}, r"asia.csv: the table has no columns\."),
        ({"names": ["a", "a"]}, r"asia.csv: columns 1 and 2 are both named 'a'"),
        ({"names": ["a", ""]}, r"asia.csv: column 2 has no name"),
        ({"names": ["a", " b"]}, r"asia.csv: the name ' b' has white space around it\."),
        ({"states": [["x", "x"], STATES[1]]}, r"variable 'smoke' has the state 'x' twice\."),
        ({"states": [[], STATES[1]]}, r"variable 'smoke' has 0 states; expected 1 to 65535\."),
        (
            {"states": [map(str, range(65_536)), STATES[1]]},
            r"variable 'smoke' has 65536 states; expected 1 to",
        ),
        ({"states": [[0, 1], STATES[1]]}, r"variable 'smoke' has a state that is not a text: 0\."),
        ({"states": [["\ud800", "x"], STATES[1]]}, r"variable 'smoke': '.ud800' is not valid Unicode\."),
        (
            {"codes": [[0, 1], CODES[1]]},
            r"variable 'dose' has codes of shape \(3,\); expected one dimension, as long",
        ),
        ({"codes": [[[0, 1, 1]], CODES[1]]}, r"variable 'smoke' has codes of shape \(1, 3\)"),
        ({"codes": [[], []]}, r"asia.csv: the table has no rows\."),
        ({"codes": [[0, 2, 1], CODES[1]]}, r"variable 'smoke' has code 2 in row 2, expected 0 to 1\."),
        ({"codes": [[0, 1, -1], CODES[1]]}, r"variable 'smoke' has code -1 in row 3, expected 0 to 1\."),
        ({"codes": [[0.0, 1.0, 1.0], CODES[1]]}, r"the codes of 'smoke' must be integers, got float64\."),
    ],
)
def test_from_codes_checks_everything(changes, message):
    with pytest.raises(InputError, match=message):
        asia(**changes)


def test_the_constructor_is_as_strict():
    message = r"the codes of 'a' must be a contiguous array of uint8\. Use Table\.from_codes\."
    with pytest.raises(InputError, match=message):
        Table(("a",), (("x",),), (np.array([0, 0]),))
    with pytest.raises(InputError, match=r"variable 'a' has code 3 in row 2, expected 0 to 0\."):
        Table(("a",), (("x",),), (np.array([0, 3], dtype=np.uint8),))
