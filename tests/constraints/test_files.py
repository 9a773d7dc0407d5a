"""Constraints in files: TOML, and those of GOBNILP."""

from __future__ import annotations

import json

import pytest

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError


def test_toml(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text(
        'required = [["a", "b"]]\ntiers = [["a"], ["b", "c"]]\nroots = ["a"]\nleaves = ["c"]\n'
        'before = [["b", "c"]]\nforbidden = []\n[max_parents]\n"*" = 2\nb = 1\n'
    )
    read = Constraints.read(path)
    assert read == Constraints(
        required=[("a", "b")],
        tiers=[["a"], ["b", "c"]],
        roots=["a"],
        leaves=["c"],
        before=[("b", "c")],
        max_parents={"*": 2, "b": 1},
    )
    assert Constraints.given(json.loads(json.dumps(read.to_json()))) == read


def test_the_constraint_file_of_gobnilp(tmp_path):
    path = tmp_path / "known.con"
    path.write_text(
        "# edges\nb<-a\n~c<-a   # not this one\n~d-e\nf < a\nsink c\n\nd->f<-e\n",
    )
    assert Constraints.read(path) == Constraints(
        required=[("a", "b"), ("d", "f"), ("e", "f")],
        forbidden=[("a", "c"), ("d", "e"), ("e", "d"), ("d", "e"), ("e", "d")],
        before=[("f", "a")],
        leaves=["c"],
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.toml", "required = [", "not a TOML file"),
        ("k.toml", 'needed = [["a","b"]]', "unknown .*constraint 'needed'"),
        ("k.con", "a b\n", "line 1: 'a b' is no constraint"),
        ("k.con", "\na-b\n", "line 2: 'a-b' asks for an edge in either direction"),
        ("k.con", "a<--b\n", "asks for an ancestor"),
        ("k.con", "a_|_b|c\n", "asks for a conditional independence"),
        ("k.con", "~a->b<-c\n", "asks for an immorality that is forbidden"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        Constraints.read(tmp_path / name)
