"""CSV, TSV and .data: headers, delimiters, quotes, and what is wrong with a text, by line."""

from __future__ import annotations

import numpy as np
import pytest

from bayesloom.errors import InputError
from bayesloom.table import read_table


def test_a_csv_file_gives_names_states_and_codes(file):
    table = read_table(file("asia.csv", "smoke,lung\nyes,0\nno,1\nyes,1\n"))
    assert table.names == ("smoke", "lung")
    assert table.states == (("no", "yes"), ("0", "1"))
    assert [column.tolist() for column in table.codes] == [[1, 0, 1], [0, 1, 1]]
    assert table.row_count == len(table) == 3
    assert table.source == "asia.csv"
    assert table.notes == ()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "T.CSV", "t.data", "t.data.gz"])
def test_a_first_line_of_numbers_is_a_row(file, name):
    table = read_table(file(name, "0,1\n1,1\n"))
    assert table.names == ("X0", "X1")
    assert table.row_count == 2
    assert "Without a header the variables are named X0 to X1." in table.notes


def test_the_missing_header_is_told(file):
    table = read_table(file("t.csv", "0,1.5,\n1,2,1\n"), missing="state")
    assert table.notes[0] == "No header: the first line holds only numbers, so it is read as a row."


def test_header_can_be_forced_both_ways(file):
    path = file("t.csv", "0,1\n1,1\n")
    assert read_table(path, header=True).names == ("0", "1")
    assert read_table(file("u.csv", "a,b\nc,d\n"), header=False).row_count == 2
    assert read_table(file("v.data", "a,b\nc,d\n"), header=True).names == ("a", "b")


def test_data_files_have_no_header_even_if_they_hold_texts(file):
    assert read_table(file("t.data", "a,b\nc,d\n")).states == (("a", "c"), ("b", "d"))


def test_given_names_replace_a_header_and_stand_in_for_none(file):
    replaced = read_table(file("t.csv", "a,b\n0,1\n"), names=["u", "v"])
    assert replaced.names == ("u", "v")
    assert replaced.row_count == 1
    assert "The header in line 1 is replaced by names=." in replaced.notes
    assert read_table(file("u.csv", "0,1\n"), names=["u", "v"]).row_count == 1


def test_names_keep_unicode_and_inner_spaces_and_lose_outer_ones(file):
    assert read_table(file("t.csv", " Größe m , 年 \n1,2\n")).names == ("Größe m", "年")


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("t.tsv", "a\tb\n1,5\tx\n", {}),
        ("t.csv", "a\tb\n1,5\tx\n", {"delimiter": "\t"}),
        ("t.csv", "a;b\n1,5;x\n", {}),
        ("t.txt", "a|b\n1,5|x\n", {"delimiter": "|"}),
    ],
)
def test_other_delimiters(file, name, content, options):
    assert read_table(file(name, content), strict=True, **options).states == (("1,5",), ("x",))


def test_a_delimiter_that_was_found_is_told(file):
    notes = read_table(file("t.csv", 'a;"b,c"\n1;2\n')).notes
    assert notes[0] == "The fields are separated by semicolons, not by commas."


def test_quotes_hold_delimiters_quotes_and_line_ends(file):
    table = read_table(file("t.csv", 'a,b\n"x, y","say ""hi"""\n"two\nlines",z\n'))
    assert table.states == (("two\nlines", "x, y"), ('say "hi"', "z"))


def test_a_number_in_quotes_is_the_number(file):
    assert read_table(file("t.csv", 'a\n"10"\n9\n')).states == (("9", "10"),)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends(file, end):
    table = read_table(file("t.csv", end.join(["a,b", "1,2", "", "3,4", ""])))
    assert table.row_count == 2


def test_a_byte_order_mark_is_not_part_of_the_first_name(file):
    assert read_table(file("t.csv", "\ufeffa,b\n1,2\n")).names == ("a", "b")


def test_an_empty_line_of_a_single_column_is_a_missing_value(file):
    path = file("t.csv", "a\nx\n\ny\n")
    with pytest.raises(InputError, match=r"'a' \(1\), first in line 3"):
        read_table(path, strict=True)


def test_a_row_longer_than_a_block_is_read(file):
    long = "x" * 20_000_000
    table = read_table(file("t.csv", f"a,b\n{long},1\ny,2\n"))
    assert table.cardinalities == (2, 2)
    assert len(table.states[0][0]) == len(long)


def test_types_are_decided_on_the_whole_column(file):
    body = "1\n" * 3_000_000 + "x\n"
    assert read_table(file("t.csv", "a\n" + body)).states == (("1", "x"),)


def test_standard_input(monkeypatch):
    import gzip
    import io
    import types

    for data in (b"a,b\nx,1\n", gzip.compress(b"a,b\nx,1\n")):
        monkeypatch.setattr("sys.stdin", types.SimpleNamespace(buffer=io.BytesIO(data)))
        table = read_table("-")
        assert table.names == ("a", "b")
        assert table.source == "standard input"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"t.csv: the file is empty\."),
        ("\ufeff", r"t.csv: the file is empty\."),
        ("\n\n\r\n", r"t.csv: the file holds nothing but empty lines\."),
        ("a,b\n", r"t.csv: the file has a header and no rows\."),
        ("a,b\n\n\n", r"t.csv: the file has a header and no rows\."),
        ("a,b\n1,2\n3\n", r"t.csv, line 3: expected 2 fields, found 1\."),
        ("a,b\n\n1,2\n\n1,2,3\n", r"t.csv, line 5: expected 2 fields, found 3\."),
        ('a,b\n"1\n1",2\n3\n', r"t.csv, line 4: expected 2 fields, found 1\."),
        ('a,b\n1,"2\n3,4\n', r"t.csv, line 2: a quoted field is never closed\."),
        ('a,"b\n1,2\n3,4\n', r"t.csv, line 1: a quoted field is never closed\."),
        ('a,b\n"x\n\n\ny",1\n\n\r\n\r,2,3\n', r"t.csv, line 9: expected 2 fields, found 3\."),
        (
            "a,b,a\n1,2,3\n",
            r"t.csv, line 1: columns 1 and 3 are both named 'a'\. Rename one of them in names=\.",
        ),
        (",b\n1,2\n", r"t.csv, line 1: column 1 has no name\. Give it one in names=\."),
        (b"a,b\n1,2\n1,\0\n", r"t.csv, line 3: there is a NUL byte; this is not a text file\."),
        (b"a,b\n1,caf\xe9\n", r"t.csv, line 2: byte 0xe9 is not UTF-8\. Save the file as UTF-8\."),
        ("a,b\n1,2\n".encode("utf-16"), r"t.csv: the text is UTF-16\. Save it as UTF-8\."),
        (
            'a,b\n"' + "x" * 200_000 + "\n",
            r"line 2: a field is longer than 131072 characters; is there a quote",
        ),
        (",".join(["1"] * 1_000_001), r"t.csv, line 1: 1000001 columns; a table has at most 1,000,000\."),
    ],
)
def test_what_is_wrong_with_a_text_is_said_with_its_line(file, content, message):
    with pytest.raises(InputError, match=message):
        read_table(file("t.csv", content), strict=True)


def test_the_number_of_given_names_must_fit(file):
    with pytest.raises(InputError, match=r"t.csv: names= gives 1 name for 2 columns\."):
        read_table(file("t.csv", "a,b\n1,2\n"), names=["u"])


def test_a_text_that_is_not_rows_of_fields_is_refused(file, monkeypatch):
    """Should Arrow fail where the slow scan finds nothing wrong, the sentence is general."""
    import pyarrow as pa

    from bayesloom.table import text

    def fail(*args, **options):
        raise pa.ArrowInvalid("no reason")

    monkeypatch.setattr(text.Text, "_parse", fail)
    with pytest.raises(InputError, match=r"cannot be taken apart into 2 fields a line, separated by ','"):
        read_table(file("t.csv", "a,b\n1,2\n"))


def test_many_rows_come_in_several_blocks_and_keep_one_numbering(file):
    rng = np.random.default_rng(1)
    labels = np.array([f"state-{i:03}" for i in range(200)])
    codes = np.concatenate([rng.integers(0, 100, 1_000_000), rng.integers(100, 200, 1_000_000)])
    table = read_table(
        file("t.csv", "a,b\n" + "\n".join(f"{x},k" for x in labels[codes].tolist())), strict=True
    )
    assert table.states[0] == tuple(labels)
    assert np.array_equal(table.codes[0], codes)


def test_bars_separate_fields(file):
    table = read_table(file("t.csv", "a|b\nx|u\ny|v\n"))
    assert (table.names, table.states) == (("a", "b"), (("x", "y"), ("u", "v")))
    assert table.notes[0] == "The fields are separated by vertical bars, not by commas."


def test_a_first_line_with_numbers_among_its_names_is_told_of(file):
    table = read_table(file("t.csv", "yes,65,Lyon\nno,70,Nice\nno,71,Metz\n"))
    assert table.names == ("yes", "65", "Lyon")
    assert (
        table.notes[0]
        == "Line 1 is read as names, '65' among them: header=False (--no-header) if it is a row."
    )
    assert not read_table(file("t.csv", "yes,no\n1,2\n2,1\n")).notes


@pytest.mark.parametrize("code", ["NA", "na", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "?", ""])
def test_a_missing_value_in_capitals_or_small_letters_is_one(file, code):
    table = read_table(file("t.csv", f"a,b\nx,u\n{code},v\ny,u\n"), missing="keep")
    assert table.states[0] == ("x", "y")
    assert table.lacking("a").tolist() == [False, True, False]


def test_other_capitals_make_a_state(file):
    assert read_table(file("t.csv", "a,b\nCl,u\nNa,v\n")).states[0] == ("Cl", "Na")
