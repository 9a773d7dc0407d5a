"""Small words: one edge and two edges, what was assumed, and which exit code."""

from __future__ import annotations

import json
import sys
import time

import pytest

import bayesloom as bl
import bayesloom.cli.verify
from bayesloom.cli import EXIT_STOPPED
from bayesloom.credible_sets import CredibleSet
from made.command import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = bl.random_network(4, states=(2, 2), max_parents=2, seed=2).sample(300, seed=2)
    table.write("t.csv")
    bl.score(table).write("t.jkl")
    bl.learn(table).network.write("net.json")
    return tmp_path


def test_one_parent_is_singular_in_claims_and_the_verifier_knows_both(folder, capsys):
    assert run(capsys, "learn t.csv --max-parents 1 --json run.json -q").code == 0
    written = json.loads((folder / "run.json").read_text())
    assert written["claim"] == "optimal: no network with at most 1 parent each scores higher"
    assert run(capsys, "verify run.json --data t.csv").code == 0
    before = {**written, "claim": "optimal: no network with at most 1 parents each scores higher"}
    (folder / "run.json").write_text(json.dumps(before))
    assert run(capsys, "verify run.json --data t.csv").code == 0
    (folder / "run.json").write_text(json.dumps({**written, "claim": "optimal"}))
    assert run(capsys, "verify run.json --data t.csv").code == 1


@pytest.mark.parametrize("more", ["", "--max-parents 1"])
def test_one_network_is_singular_in_claims_and_the_verifier_knows_both(folder, capsys, more):
    """Unrelated columns, or one that takes two parents to tell, where one is the limit."""
    last = (lambda a, b: [a ^ b]) if more else (lambda a, b: [0, 1])
    rows = "".join(f"{a},{b},{c}\n" for a in (0, 1) for b in (0, 1) for c in last(a, b))
    (folder / "t.csv").write_text("a,b,c\n" + rows * 20)
    assert run(capsys, f"credible t.csv --bayes-factor 1.5 --json run.json {more}").code == 0
    written = json.loads((folder / "run.json").read_text())
    limit = " with at most 1 parent each" if more else ""
    assert written["claim"] == f"1 network{limit} is within Bayes factor 1.5 of the best"
    assert run(capsys, "verify run.json --data t.csv").code == 0
    limit = limit.replace("parent ", "parents ")
    before = {**written, "claim": f"1 networks{limit} are within Bayes factor 1.5 of the best"}
    (folder / "run.json").write_text(json.dumps(before))
    assert run(capsys, "verify run.json --data t.csv").code == 0


def test_a_network_without_edges_says_so(folder, capsys):
    (folder / "t.csv").write_text("a,b\n" + "0,0\n0,1\n1,0\n1,1\n" * 5)
    out = run(capsys, "learn t.csv").out
    assert "no edges: every variable is independent of all others" in out
    assert "compelled" not in out


def test_verify_says_which_score_it_assumed(folder, capsys):
    ended = run(capsys, "verify net.json --cache t.jkl --data t.csv")
    assert ended.code == 0
    assert "cache and table agree, by 'bic', which is assumed: the cache names no score" in ended.out
    ended = run(capsys, "verify net.json --cache t.jkl --data t.csv --score bic")
    assert "cache and table agree, by 'bic'\n" in ended.out
    ended = run(capsys, "verify net.json --cache t.jkl --data t.csv --score aic")
    assert (ended.code, " by 'aic'." in ended.out) == (1, True)


def test_a_count_with_open_ends_that_nothing_stopped_is_no_failure(folder, capsys, monkeypatch):
    """A count by rounded losses ends without being exact."""
    init = CredibleSet.__init__

    def rounded(self, *given, counted, **more):
        low = counted["bounds"][0]
        init(self, *given, counted={**counted, "bounds": (low, low + 1), "exact": False}, **more)

    monkeypatch.setattr(CredibleSet, "__init__", rounded)
    ended = run(capsys, "credible t.csv")
    assert (ended.code, "between" in ended.out) == (0, True)

    def stopped(self, *given, counted, **more):
        low = counted["bounds"][0]
        known = {"bounds": (low, None), "exact": False, "effective": 1000.0}
        init(self, *given, counted={**counted, **known}, **more)

    monkeypatch.setattr(CredibleSet, "__init__", stopped)
    assert run(capsys, "credible t.csv").code == EXIT_STOPPED


def test_the_plan_is_computed_once(folder, capsys, monkeypatch):
    import bayesloom.learning.run as module

    plans = []
    plan = module.plan
    monkeypatch.setattr(module, "plan", lambda *given, **more: plans.append(1) or plan(*given, **more))
    ended = run(capsys, "learn t.csv")
    assert len(plans) == 1
    assert ended.err.count("local scores") == 1
    assert "at most 60 s for everything" in ended.err
    assert "local scores" not in run(capsys, "learn t.csv -q").err


def test_reading_that_takes_long_is_told(folder, capsys, monkeypatch):
    import bayesloom.cli.work as module
    from bayesloom import progress

    monkeypatch.setattr(progress, "SILENCE", 0.01)
    read = module.read_given_table

    def slowly(*given, **more):
        time.sleep(0.2)
        return read(*given, **more)

    monkeypatch.setattr(module, "read_given_table", slowly)
    assert "reading: 0 s so far" in run(capsys, "learn t.csv --progress plain").err
    assert "so far" not in run(capsys, "learn t.csv -q").err


@pytest.mark.parametrize(
    ("line", "doing"),
    [
        ("verify net.json --cache t.jkl", "reading"),
        ("verify net.json --data t.csv", "reading"),
        ("convert t.jkl new.blc", "converting"),
        ("merge 1.blc 2.blc -o new.blc", "reading"),
    ],
)
def test_what_takes_long_to_read_says_so(folder, capsys, monkeypatch, line, doing):
    for part in (1, 2):
        bl.score(bl.read_table("t.csv"), shard=(part, 2)).write(f"{part}.blc")
    monkeypatch.setattr("bayesloom.progress.SILENCE", 0.01)
    for place, name in (
        (bl, "read_cache"),
        (sys.modules["bayesloom.scoring.cache"], "read_cache"),
        (sys.modules["bayesloom.cli.verify"], "read_given_table"),
    ):
        monkeypatch.setattr(place, name, _slow(getattr(place, name)))
    told = run(capsys, line)
    assert (told.code, f"{doing}: 0 s so far" in told.err) == (0, True)
    if not line.startswith("convert"):
        told = run(capsys, f"{line} -q")
        assert (told.code, told.err) == (0, "")


def _slow(work):
    def after_a_moment(*arguments, **options):
        time.sleep(0.2)
        return work(*arguments, **options)

    return after_a_moment
