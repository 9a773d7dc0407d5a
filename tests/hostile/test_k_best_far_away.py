"""The k best where the next is further than a Bayes factor can say: the end is told, never silent."""

from __future__ import annotations

import json

import pytest

import bayesloom as bl
from made.command import exit_code


@pytest.fixture
def cache():
    """Three networks: the best, one 3 nats below, and one 1,000 nats below."""
    return bl.ScoreCache.from_candidates(
        "ab", {"a": [(-10, []), (-7, ["b"])], "b": [(-20, []), (-1020, ["a"])]}
    )


@pytest.mark.parametrize("by", ["network", "class"])
def test_fewer_than_asked_for_are_told(cache, by):
    found = bl.k_best(cache, 3, by=by)
    assert [entry.score for entry in found.entries] == [-27, -30]
    assert not found.complete
    assert found.note is not None
    assert "over the candidates of this cache, not 3, within 690 nats of the best" in found.note
    assert "the cache is not complete that far" in found.note


def test_as_many_as_asked_for_need_no_note(cache):
    assert bl.k_best(cache, 2).note is None


def test_the_command_line_tells_it_too(cache, tmp_path, capsys):
    cache.write(tmp_path / "a.blc")
    to = tmp_path / "k.json"
    assert exit_code("credible", str(tmp_path / "a.blc"), "--k", "3", "--json", str(to)) == 0
    said = "note: there are 2 networks over the candidates of this cache, not 3, within 690 nats"
    assert said in capsys.readouterr().out
    assert "690 nats" in json.loads(to.read_text())["note"]
