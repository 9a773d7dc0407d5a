"""Over what a network is proved to be a best one, and that `learn` says optimal only of all networks."""

from __future__ import annotations

import json

import bayesloom as bl
from bayesloom.learning import run as learning_run
from bayesloom.learning.advice import gap_in_words
from bayesloom.scoring.unscored import SCORES
from made.command import exit_code

RAIN = {"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5, "cold": [0, 1] * 10}


def some_sets() -> bl.ScoreCache:
    """A cache that holds all sets of RAIN, but does not know it."""
    whole = bl.score(bl.read_table(RAIN))
    return whole.with_info({**whole.info, "complete_factor": None})


def test_a_search_over_a_complete_cache_proves_it_of_all_networks():
    found = bl.search(bl.score(bl.read_table(RAIN)))
    assert (found.status, found.proof, found.to_json()["proof"]) == (
        "optimal",
        "all networks",
        "all networks",
    )
    assert found.claim == "optimal: no network scores higher"


def test_a_search_over_other_caches_proves_it_of_the_sets_scored():
    found = bl.search(some_sets())
    assert (found.status, found.proof) == ("optimal", "sets scored")
    assert found.claim == ("optimal over the candidates scored; other parent sets were not all ruled out")
    assert gap_in_words(found) == "no better network can be put together from the parent sets scored"


def test_a_search_that_was_stopped_proves_nothing():
    cache = bl.score(bl.random_network(12, max_parents=3, seed=1).sample(500, seed=1))
    found = bl.search(cache, solver="inobs", work_limit=1)
    assert found.gap > 0
    assert (found.status, found.proof) == ("stopped", None)


def test_learn_says_optimal_only_of_all_networks():
    found = bl.learn(RAIN, method="loop", time_limit=None, threads=1)
    assert found.gap == 0
    assert not found.complete
    assert (found.status, found.proof) == ("stopped", "sets scored")
    assert "optimal" not in found.claim
    assert found.claim.startswith("no network scores higher over the candidates scored")
    whole = bl.learn(RAIN, threads=1)
    assert (whole.status, whole.proof) == ("optimal", "all networks")


def test_the_exit_code_of_learn_without_a_proof_is_that_of_a_stop(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = zip(*RAIN.values(), strict=True)
    (tmp_path / "rain.csv").write_text("\n".join([",".join(RAIN), *(",".join(map(str, r)) for r in rows)]))
    for method, bounded, code, status in (
        ("exhaustive", True, 0, "optimal"),
        ("loop", True, 0, "optimal"),  # the bound over all networks is met
        ("loop", False, 3, "stopped"),
    ):
        monkeypatch.setattr(learning_run, "SCORES", SCORES if bounded else ())
        assert (
            exit_code("learn", "rain.csv", "--method", method, "--json", "run.json", "--time-limit", "2")
            == code
        )
        found = json.loads((tmp_path / "run.json").read_text())
        assert found["status"] == status
        assert ("optimal" in capsys.readouterr().out) == (status == "optimal")
        assert (found["score_name"], found["score_options"]) == ("bic", {})


def test_the_score_is_in_the_result():
    found = bl.learn(RAIN, score="bdeu", options={"ess": 3}, threads=1)
    assert (found.score_name, found.score_options) == ("bdeu", {"ess": 3.0})
    assert bl.search(some_sets().with_info({})).score_name is None
