"""What is written reads back as the same table, and nothing is written by halves."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesloom import files
from bayesloom.errors import InputError, ResourceError
from bayesloom.table import Table, read_table

# Any text that UTF-8 holds; NUL is left to a test of its own.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
names = texts.map(str.strip).filter(bool)
words = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=8).filter(
    lambda word: not word.startswith("#")
)
BY_SUFFIX = {
    ".csv": (names, texts),
    ".tsv.gz": (names, texts),
    ".dat": (words, words),
    ".parquet": (names, texts),
    ".feather": (names, texts),
}


@st.composite
def tables(draw, name, label):
    """A table of up to 4 variables and 12 rows, with any states in any order, seen or not."""
    own_names = draw(st.lists(name, min_size=1, max_size=4, unique=True))
    row_count = draw(st.integers(1, 12))
    states, codes = [], []
    for _ in own_names:
        states.append(draw(st.lists(label, min_size=1, max_size=5, unique=True)))
        code = st.integers(0, len(states[-1]) - 1)
        codes.append(draw(st.lists(code, min_size=row_count, max_size=row_count)))
    return Table.from_codes(own_names, states, codes)


@pytest.mark.parametrize("suffix", BY_SUFFIX)
@given(data=st.data())
def test_what_is_written_reads_back(suffix, data):
    table = data.draw(tables(*BY_SUFFIX[suffix]))
    options = {}
    if suffix in (".csv", ".tsv.gz"):
        options["header"] = True
    if suffix not in (".parquet", ".feather"):  # text holds no states that no row has
        options["states"] = dict(zip(table.names, table.states, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        table.write(path)
        assert read_table(path, **options) == table
        assert [file.name for file in Path(folder).iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".dat", ".parquet", ".feather", ".csv.gz", ".dat.gz"])
@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["no", "yes", "é"])), min_size=1, max_size=20)
)
def test_tables_in_natural_order_need_no_options(suffix, rows):
    table = read_table({"n": [str(n) for n, _ in rows], "s": [s for _, s in rows]}, strict=True)
    if suffix.startswith(".dat"):  # where integers mean all states from 0
        table = Table.from_codes(
            table.names, [list("012345"), table.states[1]], [[n for n, _ in rows], table.codes[1]]
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        table.write(path)
        assert read_table(path, strict=True) == table


def test_text_is_quoted_only_where_it_must_be(tmp_path):
    table = Table.from_codes(["a b", "c,d"], [["x y", 'say "z"'], ["", " w"]], [[0, 1], [0, 1]])
    table.write(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == 'a b,"c,d"\nx y,""\n"say ""z""", " w"\n'.replace(", ", ",")


@pytest.mark.parametrize("name", [";", "a\tb", ";\nb", 'a";"'])
def test_a_name_with_another_delimiter_in_it_reads_back(tmp_path, name):
    table = Table.from_codes([name], [["x"]], [[0]])
    table.write(tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv") == table


def test_dat_has_names_and_cardinalities(tmp_path):
    Table.from_codes(["a", "b"], [["0", "1", "2"], ["x", "y z"]], [[0, 1], [0, 0]]).write(tmp_path / "t.dat")
    assert (tmp_path / "t.dat").read_text() == "a b\n3 2\n0 x\n1 x\n"


def test_many_rows_are_written_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("bayesloom.table.write._VALUES_AT_ONCE", 7)
    codes = np.random.default_rng(0).integers(0, 3, (2, 50))
    table = Table.from_codes(["a", "b"], [["0", "1", "2"]] * 2, codes)
    table.write(tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv") == table


def test_parquet_keeps_very_many_states(tmp_path):
    states = [f"a long name of a state, number {i}" for i in range(65_535)]
    table = Table.from_codes(["v"], [states], [[65_534, 0]])
    table.write(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet") == table


def test_equal_tables_give_equal_files(tmp_path):
    table = Table.from_codes(["a"], [["x", "y"]], [[0, 1]])
    for name in ("one.csv.gz", "two.csv.gz"):
        table.write(tmp_path / name)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == b"a\nx\ny\n"


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    path = tmp_path / "t.dat"
    path.write_text("old")
    for name, states in (("a b", ["x"]), ("a", ["x y"]), ("a", [""]), ("a", ["#x"])):
        with pytest.raises(InputError, match=r"cannot stand in a \.dat file, which separates by white space"):
            Table.from_codes([name], [states], [[0]]).write(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_text_files_hold_no_nul(tmp_path):
    with pytest.raises(InputError, match=r"variable 'a' has a NUL in its texts, which .* cannot hold\."):
        Table.from_codes(["a"], [["x\0"]], [[0]]).write(tmp_path / "t.csv")
    with pytest.raises(InputError, match=r"cannot stand in a \.dat file"):
        Table.from_codes(["a"], [["x\0"]], [[0]]).write(tmp_path / "t.dat")


@pytest.mark.parametrize("name", ["t.data", "t.xlsx", "t"])
def test_unknown_formats_list_the_known_ones(tmp_path, name):
    with pytest.raises(InputError, match=r"cannot write .*\. Known: \.csv, .*, each also with \.gz\."):
        Table.from_codes(["a"], [["x"]], [[0]]).write(tmp_path / name)


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"nowhere/t.csv: cannot be written: no such file or directory\."):
        Table.from_codes(["a"], [["x"]], [[0]]).write(tmp_path / "nowhere" / "t.csv")


def test_a_full_disk_is_a_lack_of_resources(tmp_path):
    with (
        pytest.raises(ResourceError, match=r"cannot be written: no space left"),
        files.replacing(tmp_path / "t"),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []
