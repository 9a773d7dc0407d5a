"""Names that steer a terminal: no verb writes them raw, every file keeps them exactly."""

from __future__ import annotations

import io
import json
import sys

import pytest

import bayesloom as bl
from bayesloom.cli import VERBS
from bayesloom.printable import json_printable, one_line, printable, printable_streams
from made.command import exit_code

NAMES = ["a\x1b[2J\x1b[31mred", "b\nverified", "c\u202etxt\u2066\u200e\u061c", "d\x9b31m\x7f\x08\t."]
STATES = [["x\x1b]0;title\x07", "y\r"], ["u\u2028", "v\u2029"]] * 2
STEERING = [chr(c) for c in (*range(10), *range(11, 32), *range(127, 160), 0x61C, 0x200E, 0x200F)] + [
    chr(c) for c in (*range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF, *range(0xD800, 0xE000, 97))
]
STEERING += [chr(c) for c in (0xAD, 0x180E, 0x200B, *range(0xE0000, 0xE0080))]  # nobody sees these


def raw(text):
    return [character for character in STEERING if character in text]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("steering")
    rows = [[k // 2 % 2, k % 2, (k // 2 + k // 7) % 2, k % 2] for k in range(60)]
    table = bl.Table.from_codes(NAMES, STATES, [list(column) for column in zip(*rows, strict=True)])
    table.write(path / "t.csv")
    table.write(path / "t.parquet")
    cache = bl.score(table)
    cache.write(path / "t.blc")
    result = bl.search(cache)
    result.network.fit(table, method="dirichlet").write(path / "n.bif")
    bl.Network(NAMES, {NAMES[0]: [NAMES[1]], NAMES[3]: [NAMES[2]]}).write(path / "other.json")
    (path / "wrong.toml").write_text(f"roots = [{json.dumps(NAMES[0] + 'x')}]\n")
    (path / "evil\x1b[31m\u202e.csv").write_text("a\n")
    return path


COMMANDS = {
    "learn": [
        "learn t.csv",
        "learn t.csv --json -",
        "learn t.csv --constraints wrong.toml",
        "learn t.csv -o l.bif --report l.html --json l.json",
        "learn t.csv --discretize \x1b[31m=2",
        "learn evil\x1b[31m\u202e.csv",
    ],
    "score": ["score t.csv -o s.blc", "score t.csv -o s.jkl", "score t.csv -o s.blc --json -"],
    "merge": ["merge t.blc t.blc -o m.blc", "merge \x1b[31m.blc -o m.blc"],
    "search": [
        "search t.blc",
        "search t.blc --json -",
        "search t.blc --solver \x1b[31m",
        "search t.blc -o s.dot",
    ],
    "cluster": ["cluster t.csv --json -", "cluster t.csv --dask \x1b[31m", "cluster \x1b[31m.csv"],
    "credible": ["credible t.blc", "credible t.csv --json -", "credible t.csv --k 3 --json -"],
    "verify": [
        "verify n.bif --data t.csv",
        "verify n.bif --data t.csv --json -",
        "verify other.json --cache t.blc",
        "verify n.bif --data t.csv --constraints wrong.toml",
    ],
    "report": ["report l.json -o r.md", "report n\x1b[31m.json -o r.html", "report l.json -o \x1b[31m"],
    "compare": ["compare n.bif other.json", "compare n.bif other.json --json -"],
    "convert": ["convert n.bif n.modelstring", "convert t.csv t.\x1b[31m", "convert n.bif n.xmlbif"],
    "sample": [
        "sample n.bif -n 5 -o x.csv",
        "sample n.bif -n 5 -o x.dat",
        "sample --random 3 --states \x1b -n 5 -o x.csv",
    ],
    "demo": ["demo --rows 200 --output demo"],
    "posterior": ["posterior t.blc", "posterior t.csv --json -", "posterior t.csv --method \x1b[31m"],
    "bootstrap": ["bootstrap t.csv --replicates 3", "bootstrap t.csv --replicates 3 --json -"],
    "view": ["view n.bif --no-open -o v.html", "view \x1b[31m.bif --no-open -o v.html"],
    "query": [
        "query n.bif",
        "query n.bif --json -",
        "query n.bif --target \x1b[31m",
        "query n.bif --evidence \x1b=\x1b",
    ],
    "usage": [
        "\x1b[31m",
        "learn --\x1b[31m",
        "learn t.csv --progress \x1b[31m",
        "learn t.csv --threads \x1b[31m",
    ],
}


def test_every_verb_is_tried():
    assert set(VERBS) <= set(COMMANDS)


@pytest.mark.parametrize("verb", COMMANDS)
def test_nothing_that_steers_a_terminal_is_written_raw(verb, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    if verb == "report":
        assert exit_code("learn", "t.csv", "--json", "l.json", "-q") == 0
    for line in COMMANDS[verb]:
        arguments = line.split(" ")
        assert exit_code(*arguments) in (0, 1, 2)
        out, err = capsys.readouterr()
        assert raw(out) == []
        assert raw(err) == []
        assert "\nverified" not in out.replace("\nverified\n", "", 1)  # of a name, not of `verify`
        if "-" in arguments:
            json.loads(out)


def test_files_keep_names_exactly_and_reports_show_escapes(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert exit_code("learn", "t.csv", "-o", "k.bif", "--report", "k.html", "--json", "k.json", "-q") == 0
    assert list(bl.read_network("k.bif").names) == NAMES
    assert list(bl.read_network("k.json").names) == NAMES
    assert json.loads((folder / "k.json").read_text())["variables"] == NAMES
    assert raw((folder / "k.html").read_text()) == []
    assert bl.read_table("t.parquet").names == tuple(NAMES)


@pytest.mark.parametrize("character", STEERING)
def test_each_character_is_escaped(character):
    assert raw(printable(f"a{character}b")) == []
    assert raw(one_line(f"a\n{character}b")) == []
    assert "\n" not in one_line(f"a\n{character}b")
    quoted = json_printable(json.dumps([character], ensure_ascii=False))
    assert raw(quoted) == []
    assert json.loads(quoted) == [character]


def test_letters_of_all_scripts_stay():
    text = "Zürich 東京 naïve Ελλάδα עברית العربية 👩‍🔬 “quoted”\nsecond line"
    assert printable(text) == text


def test_streams_are_restored_and_write_what_their_encoding_cannot_hold_as_escapes():
    before = sys.stdout
    plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    sys.stdout = plain
    try:
        with printable_streams():
            print("東\x1b\udc80")
        assert sys.stdout is plain
    finally:
        sys.stdout = before
    plain.seek(0)
    assert plain.read() == "\\u6771\\x1b\\udc80\n"


def test_a_message_is_one_line_and_not_as_long_as_a_file(tmp_path, capsys):
    path = tmp_path / "n.modelstring"
    path.write_text(f"[a|{'b' * 10**6}]")
    assert exit_code("compare", str(path), str(path)) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert len(error) < 1200
