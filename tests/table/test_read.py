"""What read_table takes, and which options exclude each other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bayesloom.errors import InputError
from bayesloom.table import read_table

MANY = list(range(30))


def test_paths_of_all_kinds(file):
    name = file("t.csv", "a\nx\n")
    for path in (name, Path(name), os.fsencode(name)):
        assert read_table(path).source == "t.csv"


def test_files_that_cannot_be_opened(file, tmp_path):
    file("t.csv", "a\n1\n")
    with pytest.raises(InputError, match=r"nowhere.csv: no such file\."):
        read_table("nowhere.csv")
    with pytest.raises(InputError, match=r": this is a directory, not a file\."):
        read_table(tmp_path)
    with pytest.raises(InputError, match=r"t.csv/u.csv: cannot be read: not a directory\."):
        read_table("t.csv/u.csv")
    with pytest.raises(InputError, match=r"cannot be read: embedded null byte\."):
        read_table("t\0.csv")


@pytest.mark.parametrize(
    ("name", "found"), [("t.doc", "unknown extension '.doc'"), ("t", "no extension"), ("t.gz", "no ext")]
)
def test_an_unknown_extension_lists_the_known_ones(file, name, found):
    with pytest.raises(InputError, match=rf"{found}.*\. Known: \.csv, \.tsv, .*, each also with \.gz\."):
        read_table(file(name, "a\n1\n"))


def test_an_empty_gz_file(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"t.csv.gz: the file is empty\."):
        read_table(path)


@pytest.mark.parametrize("source", [None, 3, [1, 2], object()])
def test_other_objects_are_refused_with_what_is_possible(source):
    with pytest.raises(
        InputError, match=r"cannot read a table from an object of type \w+\. Give a path, a data frame"
    ):
        read_table(source)


@pytest.mark.parametrize("delimiter", ["", ",,", "é", '"', "\n"])
def test_a_delimiter_is_one_character(file, delimiter):
    with pytest.raises(InputError, match=r"delimiter: expected a single ASCII character, got "):
        read_table(file("t.csv", "a\n1\n"), delimiter=delimiter)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "ignore"}, r"unknown value of missing 'ignore'\. Known: drop, keep, state\."),
        ({"names": "ab"}, r"names: expected a list of texts, got 'ab'\."),
        ({"names": [1, 2]}, r"names: expected a list of texts, got \[1, 2\]\."),
        ({"names": ["u", "u"]}, r"names: columns 1 and 2 are both named 'u'\."),
        ({"discrete": ["y"]}, r"discrete: the table has no column 'y'\."),
        ({"discrete": 3}, r"discrete: expected True or a list of columns, got 3\."),
        ({"discrete": True, "discretize": "mean"}, r"discretize= and discrete=True exclude each other\."),
        ({"discrete": ["x"], "discretize": {"x": "mean"}}, r"discretize= and discrete= both name column 'x'"),
        (
            {"states": {"x": MANY}, "discretize": {"x": "mean"}},
            r"discretize= and states= both name column 'x'",
        ),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(InputError, match=message):
        read_table({"x": MANY, "z": MANY}, **options)


def test_options_that_ask_for_nothing():
    assert read_table({"x": [1, 2]}, discrete=False, states={}, discretize={}).cardinalities == (2,)
