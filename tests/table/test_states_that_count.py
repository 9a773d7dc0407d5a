"""Declared states that no row shows: said, and counted where a format is there to declare them.

`.dat` and ARFF files and tables written by Bayesloom declare states, so these count; categories of a data
frame are often left over from rows that are gone, so only those seen count.  `states=` says otherwise.
"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.report.page import report_text
from made.command import exit_code

DAT = "smoke lung xray\n2 3 4\n" + "0 0 0\n1 1 3\n0 1 0\n1 0 3\n" * 6
ARFF = "@relation t\n@attribute smoke {no, yes, never}\n@attribute n real\n@data\n" + "no, 1\nyes, 2\n" * 6


@pytest.fixture
def dat(tmp_path):
    (tmp_path / "t.dat").write_text(DAT)
    return str(tmp_path / "t.dat")


def test_a_dat_file_counts_what_it_declares_and_says_so(dat):
    table = bl.read_table(dat)
    assert table.cardinalities == (2, 3, 4)
    assert table.unseen == {"lung": ("2",), "xray": ("1", "2")}
    note, copies = table.notes
    assert "'xray' as 'smoke'" in copies  # states that no row shows do not tell columns apart
    assert note == (
        "2 variables declare states that no row shows: 'lung' (1 of 3), 'xray' (2 of 4); "
        "they count unless states='seen' (--states seen) leaves them out."
    )
    assert bl.read_table(dat, states="declared") == table


def test_only_states_seen_count_on_request(dat):
    table = bl.read_table(dat, states="seen")
    assert table.states == (("0", "1"), ("0", "1"), ("0", "3"))
    assert table.column("xray").tolist() == [0, 1, 0, 1] * 6
    assert table.unseen == {}
    assert "they are left out, as asked for" in table.notes[0]
    again = bl.read_table(dat).with_seen_states()
    assert table == again
    assert again.notes[-1] == "The states that no row shows are left out."
    declared, seen = (bl.learn(dat, states=states) for states in ("declared", "seen"))
    assert seen.score > declared.score
    assert seen.score == pytest.approx(bl.learn(table).score)
    assert bl.learn(bl.read_table(dat), states="seen").score == pytest.approx(seen.score)


def test_texts_of_a_dat_file_lose_their_made_up_states(tmp_path):
    (tmp_path / "t.dat").write_text("a\n4\nyes\nno\nyes\n")
    assert bl.read_table(tmp_path / "t.dat").states == (("no", "yes", "(unseen 1)", "(unseen 2)"),)
    assert bl.read_table(tmp_path / "t.dat", states="seen").states == (("no", "yes"),)


def test_nominal_attributes_categories_and_dictionaries_alike(tmp_path):
    (tmp_path / "t.arff").write_text(ARFF)
    index = pa.array([0, 2, 0, 2], pa.int32())
    column = pa.DictionaryArray.from_arrays(index, pa.array(["low", "mid", "high"]))
    sources = [str(tmp_path / "t.arff"), {"level": column}, pa.table({"level": column})]
    for source, counts in zip(sources, ["declared", "seen", "seen"], strict=True):
        declared, seen = (bl.read_table(source, states=states) for states in ("declared", "seen"))
        by_default = bl.read_table(source)
        assert by_default == (declared if counts == "declared" else seen)
        assert len(declared.states[0]) == 3
        for table in (declared, by_default):
            assert "1 variable declares states that no row shows" in table.notes[0]
        assert len(seen.states[0]) == 2
        assert seen.states[0] == tuple(s for s in declared.states[0] if s not in ("mid", "never"))


def test_categories_of_pandas():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"level": pandas.Categorical(["low", "high"] * 2, ["low", "mid", "high"])})
    assert bl.read_table(frame, states="declared").states == (("low", "mid", "high"),)
    for table in (bl.read_table(frame), bl.read_table(frame, states="seen")):
        assert table.states == (("low", "high"),)
    assert bl.read_table(frame).notes == (
        "1 variable declares states that no row shows: 'level' (1 of 3); they are left out; with"
        " states='declared' (--states declared) they count.",
    )


def test_states_that_only_dropped_rows_have_are_not_seen():
    column = pa.array(["a", "b", "c", "a", "b"]).dictionary_encode()
    other = pa.array(["x", "y", None, "x", "y"])
    source = {"p": column, "q": other}
    assert bl.read_table(source, missing="drop", states="declared").states[0] == ("a", "b", "c")
    assert bl.read_table(source, missing="drop").states[0] == ("a", "b")
    assert bl.read_table(source, missing="drop", states="seen").states[0] == ("a", "b")
    kept = bl.read_table(source, missing="state", states="seen")
    assert kept.states == (("a", "b", "c"), ("x", "y", "missing"))
    assert kept.notes == ("Missing values are a state of their own: 'q' (1).",)


def test_states_given_for_a_column_always_count(dat):
    given = {"lung": ["0", "1", "2"]}
    assert bl.read_table(dat, states={**given, "*": "seen"}).cardinalities == (2, 3, 2)
    assert bl.read_table(dat, states=given).cardinalities == (2, 3, 4)
    assert "'lung'" not in bl.read_table(dat, states=given).notes[0]


def test_undeclared_states_bring_no_note():
    assert bl.read_table({"a": ["x", "y"] * 3}).notes == ()
    assert bl.read_table({"a": ["x", "y"] * 3}, states="seen").notes == ()


def test_bad_choices_are_refused(dat):
    for states in ("all", {"*": "all"}):
        with pytest.raises(InputError, match="unknown value of states 'all'"):
            bl.read_table(dat, states=states)
    with pytest.raises(InputError, match="states: expected 'declared', 'seen' or a mapping"):
        bl.read_table(dat, states=["a"])
    with pytest.raises(InputError, match="unknown value of states"):
        bl.learn(dat, states="all")


def test_learn_says_which_states_count_in_summary_json_and_report(dat, tmp_path, capsys):
    result = bl.learn(dat)
    [note] = [note for note in result.notes if "no row shows" in note]
    assert note == (
        "2 variables have states that no row shows, and they count: 'lung' (1 of 3), 'xray' (2 of 4)."
    )
    assert note in report_text(result.to_json(), "html").replace("&#x27;", "'")

    assert exit_code("learn", dat, "--json", str(tmp_path / "r.json")) == 0
    said = capsys.readouterr()
    assert f"note: {note}" in said.out
    assert "--states seen" in said.err
    written = json.loads((tmp_path / "r.json").read_text())
    assert note in written["notes"]
    assert any("no row shows" in text for text in written["table"]["notes"])
    assert exit_code("learn", dat, "--states", "seen", "--json", "-") == 0
    seen = json.loads(capsys.readouterr().out)
    assert seen["notes"] == []
    assert seen["score"] > written["score"]
    for verb in (["score", dat, "-o", str(tmp_path / "c.blc")], ["convert", dat, str(tmp_path / "t.csv")]):
        assert exit_code(*verb, "--states", "seen") == 0
    cache = bl.read_cache(tmp_path / "c.blc")
    assert cache.cardinalities == (2, 2, 2)


def test_unused_levels_change_nothing_in_what_is_learned(tmp_path):
    draw = np.random.default_rng(4)
    x = draw.integers(0, 3, 200)
    y = (x + (draw.random(200) < 0.2)) % 3

    def frame(levels):
        columns = (pa.array(np.array(["lo", "mid", "hi"])[codes]) for codes in (x, y))
        return pa.table({n: _with_levels(c, levels) for n, c in zip("xy", columns, strict=True)})

    plain, more = frame(["hi", "lo", "mid"]), frame(["hi", "gone", "lo", "old", "mid", "never"])
    pq.write_table(more, tmp_path / "t.parquet")
    learned = bl.learn(plain)
    for source in (more, str(tmp_path / "t.parquet")):
        again = bl.learn(source)
        assert (again.score, again.edges, again.network) == (learned.score, learned.edges, learned.network)
        assert any("they are left out" in note for note in bl.read_table(source).notes)
        assert bl.learn(source, states="declared").score < learned.score


def _with_levels(column, levels):
    code = {level: k for k, level in enumerate(levels)}
    return pa.DictionaryArray.from_arrays(pa.array([code[text] for text in column.to_pylist()]), levels)


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_tables_that_were_written_read_back_with_all_states(tmp_path, name):
    table = bl.Table.from_codes(
        "ab", [["x", "y", "z"], [f"s{k}" for k in range(70)]], [[0, 2, 0], [0, 69, 3]]
    )
    table.write(tmp_path / name)
    assert bl.read_table(tmp_path / name) == table
    assert bl.read_table(tmp_path / name) == table
    assert bl.read_table(table.to_arrow()) == table
    assert bl.read_table(tmp_path / name, states="seen") == table.with_seen_states()


def test_seen_states_keep_rows_and_labels():
    draw = np.random.default_rng(2)
    codes = [draw.choice([1, 3, 4], 50), draw.choice([0, 300], 50)]
    table = bl.Table.from_codes(
        ["a", "b"], [[str(k) for k in range(6)], [f"s{k}" for k in range(301)]], codes
    )
    small = table.with_seen_states()
    assert small.cardinalities == (3, 2)
    for name in table.names:
        own, other = table.states[table.index(name)], small.states[small.index(name)]
        assert [own[k] for k in table.column(name)] == [other[k] for k in small.column(name)]
