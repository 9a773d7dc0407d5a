"""What a credible set or the k best lack is checked too, and constraints that they do not record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bayesloom as bl
from bayesloom.cli import main

RUNS = {"set": "", "not covered": "--no-coverage", "few": "--k 3", "many": "--k 200"}


@pytest.fixture(scope="module")
def cache() -> bl.ScoreCache:
    return bl.score(bl.random_network(5, states=(2, 2), seed=3).sample(80, seed=4), bayes_factor=20)


@pytest.fixture(scope="module")
def runs(cache: bl.ScoreCache, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("runs")
    cache.write(folder / "c.blc")
    return {name: made(folder, line) for name, line in RUNS.items()}


def made(folder: Path, line: str) -> dict[str, Any]:
    out = folder / "r.json"
    with pytest.raises(SystemExit) as ended:
        main(["credible", str(folder / "c.blc"), *line.split(), "-q", "--json", str(out)])
    assert ended.value.code == 0
    run: dict[str, Any] = json.loads(out.read_text())
    return run


def problems(run: dict[str, Any], cache: bl.ScoreCache, **more: Any) -> list[str]:
    return list(bl.verify_run(run, cache=cache, **more).problems)


def test_results_pass_as_they_are(runs, cache):
    for run in runs.values():
        assert problems(run, cache) == []


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("set", {"coverage": None}, "coverage_missing must say why there is no coverage"),
        ("set", {"coverage_missing": "lost"}, "coverage_missing must say why there is no coverage"),
        ("not covered", {"coverage_missing": None}, "coverage_missing must say why there is no coverage"),
        (
            "set",
            {"count_is_exact": False, "count_bounds": [1, None], "count_by": "walks", "complete": False},
            "there is a coverage of a set that was not counted to the end",
        ),
        ("few", {"stopped": True}, "a note says why there are fewer than k, or what was stopped"),
        (
            "few",
            {"stopped": True, "note": "the time limit ended the scoring of it."},
            "the scoring was stopped, so nothing is proved",
        ),
        ("few", {"stopped": True, "note": "stopped."}, "must say that the scoring was stopped"),
        ("few", {"note": "there are 3 networks, not 4, within 690 nats of the best."}, "a note says why"),
        ("few", {"k": 4}, "there are 3 entries, but k is 4"),
        ("many", {"complete": True}, "complete is True, but cache and entries say"),
    ],
)
def test_fields_that_do_not_fit_together_are_found(runs, cache, name, change, problem):
    assert any(problem in found for found in problems({**runs[name], **change}, cache))


def test_a_claim_must_name_what_is_counted_beyond_the_factor(cache, tmp_path):
    cache.write(tmp_path / "c.blc")
    run = made(tmp_path, "--bayes-factor 3 --tolerance 1.5")
    assert problems(run, cache) == []
    less = run["claim"].replace(" and 1.5 nats", "")
    assert less != run["claim"]
    assert any("claim" in problem for problem in problems({**run, "claim": less}, cache))


def test_a_note_must_say_how_many_there_are(cache):
    lists = {name: [entry for entry in cache.candidates(name) if not entry[1]] for name in cache.names}
    alone = bl.ScoreCache.from_candidates(cache.names, lists)
    best = bl.k_best(alone, 3)
    entry = best.entries[0]
    run = {
        "bayesloom": bl.__version__,
        "command": "credible",
        **best.found_under,
        "seconds": dict(best.seconds),
        "k": 3,
        "by": "network",
        "complete": False,
        "bayes_factor": 1.0,
        "stopped": False,
        "note": best.note,
        "entries": [{"score": entry.score, "posterior": 1.0, "parents": {name: [] for name in cache.names}}],
    }
    assert problems(run, alone) == []
    assert problems({**run, "k": 4}, alone) == ["the note does not say that there are 1, not 4."]
    stopped = "the time limit ended the scoring: these are the best over the parent sets scored by then."
    assert problems({**run, "stopped": True, "note": f"{stopped} {best.note}"}, alone) == []
    assert problems({**run, "stopped": True, "note": stopped}, alone) != []


def test_the_k_best_are_held_against_constraints(runs, cache):
    run = runs["few"]
    child, (parent, *_) = next((name, up) for name, up in run["entries"][0]["parents"].items() if up)
    rules = {"forbidden": [[parent, child]]}
    broken = [entry for entry in run["entries"] if parent in entry["parents"][child]]
    assert problems(run, cache, constraints=rules) == [
        "the constraints of the result are not those it is checked against."
    ]
    found = problems({**run, "constraints": rules}, cache, constraints=rules)
    assert sum("the constraints are broken" in problem for problem in found) == len(broken) >= 1
    checks = {check.what: check.outcome for check in bl.verify_run(run, cache=cache).checks}
    assert checks["constraints asked for"] == "not checked"
    best = bl.k_best(cache, 1, constraints=rules)
    entry = {
        "score": best.entries[0].score,
        "posterior": 1.0,
        "parents": {name: list(up) for name, up in best.networks[0].parents.items()},
    }
    kept = {**run, **best.found_under, "k": 1, "bayes_factor": 1.0, "entries": [entry]}
    assert problems(kept, cache, constraints=rules) == []
