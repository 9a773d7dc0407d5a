"""`bayesloom credible` under limits: one for all stages, and a stage that it ends takes no other down."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED, main
from bayesloom.credible_sets import CredibleSet

Run = tuple[int, str, str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table = bl.random_network(8, states=(2, 2), max_parents=3, seed=2).sample(300, seed=2)
    table.write(tmp_path / "t.csv")
    bl.score(table, bayes_factor=20).write(tmp_path / "t.blc")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], line: str) -> Run:
    with pytest.raises(SystemExit) as ended:
        main(["credible", *line.split(), "--threads", "1"])
    printed = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, printed.out, printed.err


def ended(*_: Any) -> Any:
    raise bl.ResourceError("the time limit ended it.")


def verified(name: str, against: str) -> None:
    """A result that lacks something is as right as any other."""
    with pytest.raises(SystemExit) as code:
        main(["verify", name, *against.split(), "-q"])
    assert code.value.code == 0


def test_a_coverage_that_did_not_end_is_said_to_be_missing(folder, capsys, monkeypatch):
    monkeypatch.setattr(CredibleSet, "coverage", ended)
    code, out, _ = run(capsys, "t.csv --json r.json -o n.jsonl")
    assert code == EXIT_STOPPED
    assert "no coverage: the time limit ended it." in out
    written = json.loads((folder / "r.json").read_text())
    assert (written["coverage"], written["coverage_missing"]) == (None, "the time limit ended it.")
    assert written["complete"] is True
    assert written["classes_complete"] is True
    assert written["edges"]
    assert len((folder / "n.jsonl").read_text().splitlines()) == written["count"]
    verified("r.json", "--data t.csv")


def test_edge_posteriors_that_did_not_end_are_said_to_be_missing(folder, capsys, monkeypatch):
    monkeypatch.setattr(CredibleSet, "edge_posterior", property(ended))
    code, out, _ = run(capsys, "t.csv --json r.json")
    assert code == EXIT_STOPPED
    assert "no edge posteriors: the time limit ended it." in out
    written = json.loads((folder / "r.json").read_text())
    assert (written["edges"], written["edges_missing"]) == (None, "the time limit ended it.")
    assert written["coverage"] is not None
    assert written["classes_complete"] is True
    verified("r.json", "--data t.csv")


def test_ctrl_c_during_the_coverage_is_told_and_keeps_the_rest(folder, capsys, monkeypatch):
    monkeypatch.setattr(CredibleSet, "coverage", ended)
    monkeypatch.setattr("bayesloom.cli.credible.heard", lambda: True)
    code, _, err = run(capsys, "t.csv --json r.json")
    assert code == EXIT_INTERRUPTED
    assert "interrupted; this is what was found so far" in err
    written = json.loads((folder / "r.json").read_text())
    assert written["coverage_missing"] == "interrupted."
    assert written["edges"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("t.blc --no-coverage", "--no-coverage was given."),
        ("wide.csv --bayes-factor 1", "it may take long for more than 12 variables; --coverage asks for it."),
    ],
)
def test_a_coverage_that_was_not_looked_for_is_no_failure(folder, capsys, line, why):
    bl.random_network(13, states=(2, 2), max_parents=1, seed=2).sample(100, seed=2).write("wide.csv")
    code, out, _ = run(capsys, f"{line} --json r.json")
    assert code == 0
    assert "no coverage" not in out
    assert json.loads((folder / "r.json").read_text())["coverage_missing"] == why


@pytest.mark.parametrize("more", ["", "--k 2"])
def test_a_limit_that_cut_the_scoring_gives_exit_code_3(folder, capsys, monkeypatch, more):
    module = sys.modules["bayesloom.credible_sets.api"]
    score = module.score_parent_sets

    def cut(table: bl.Table, *, max_parents: int | None, **how: Any) -> bl.ScoreCache:
        cache = score(table, max_parents=1, **how)
        return cache.with_info({**cache.info, "max_parents": None, "complete_factor": None, "stopped": True})

    monkeypatch.setattr(module, "score_parent_sets", cut)
    code, out, _ = run(capsys, f"t.csv --json r.json {more}")
    assert code == EXIT_STOPPED
    assert "there may be" in out
    written = json.loads((folder / "r.json").read_text())
    assert written["complete"] is False
    if more:
        assert written["stopped"] is True
        assert "the time limit ended the scoring" in written["note"]
        assert "note: the time limit ended the scoring" in out
        assert "there may be better ones" in out
    verified("r.json", "--data t.csv")


@pytest.mark.parametrize("more", ["", "--k 100"])
def test_a_cache_that_is_not_complete_so_far_is_no_limit(folder, capsys, more):
    bl.score("t.csv").write("narrow.blc")
    code, out, _ = run(capsys, f"narrow.blc --json r.json {more}")
    assert code == 0
    assert "there may be" in out
    assert json.loads((folder / "r.json").read_text())["complete"] is False


@pytest.mark.parametrize("given", ["t.csv", "t.blc"])
@pytest.mark.parametrize("limit", [3.0, 6.0, 20.0, 40.0])
def test_one_limit_holds_for_all_stages(folder, capsys, stepping_clock, given, limit):
    """Whatever it ends: with a step of the clock for each look, seconds are looks."""
    stepping_clock(0.02)
    code, _, err = run(capsys, f"{given} --time-limit {limit} --json r.json")
    assert _core.clock() < 1.1 * limit + 1
    if code == EXIT_STOPPED:
        assert json.loads((folder / "r.json").read_text())["claim"]
    else:
        assert code == 1
        assert "before the best score was known" in err


def test_every_stage_gets_a_share_of_what_is_left(folder, capsys, stepping_clock, monkeypatch):
    """The count ends in time; then three stages, each of which would take all of it."""
    given: list[float] = []

    def greedy(found: CredibleSet, *_: object) -> Any:
        clock = found._run.begin()
        left = clock.left()
        assert left is not None
        given.append(left)
        while not clock.over():
            pass
        raise bl.ResourceError("the time limit ended it.")

    classes = CredibleSet.classes.func  # type: ignore[attr-defined]
    monkeypatch.setattr(CredibleSet, "edge_posterior", property(greedy))
    monkeypatch.setattr(CredibleSet, "coverage", greedy)
    monkeypatch.setattr(CredibleSet, "classes", property(classes))
    stepping_clock(0.02)
    code, out, _ = run(capsys, "t.blc --time-limit 300 --json r.json")
    assert code == EXIT_STOPPED
    assert _core.clock() < 331
    assert len(given) == 2
    assert all(seconds > 10 for seconds in given)
    assert "no edge posteriors" in out
    assert "no coverage" in out
    assert json.loads((folder / "r.json").read_text())["classes"] >= 1


@pytest.mark.parametrize("by", ["network", "class"])
def test_the_k_best_as_parquet_are_those_as_lines(folder, capsys, by):
    import pyarrow.parquet as pq

    for ending in ("jsonl", "parquet"):
        code, _, err = run(capsys, f"t.blc --k 4 --by {by} -o best.{ending}")
        assert code in (0, EXIT_STOPPED), err
    rows = [json.loads(line) for line in (folder / "best.jsonl").read_text().splitlines()]
    assert len(rows) == 4
    assert pq.read_table(folder / "best.parquet").to_pylist() == rows
    code, _, err = run(capsys, "t.blc --k 4 -o best.csv")
    assert (code, ".parquet" in err) == (1, True)
