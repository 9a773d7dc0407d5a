"""A fuzzer that cannot fail proves nothing: every lie here is noticed, and by the claim that it is about."""

from __future__ import annotations

import dataclasses
import os

import pytest

import bayesloom as bl
from bayesloom.networks.cpdag import Cpdag
from bayesloom.solvers.result import SearchResult
from fuzz import run, tables


def noticed(wanted: str, **narrow: object) -> bool:
    for seed in range(400):
        case = dataclasses.replace(tables.random_case(seed), **narrow)
        if any(run.sort_of(words) == wanted for words in tables.check(case)[1]):
            return True
    return False


def told(real, change):
    return lambda *arguments, **options: change(real(*arguments, **options))


LIES = {
    "search: no limit": ("limit", "search", lambda found: dataclasses.replace(found, max_parents=None)),
    "learn: no limit": ("limit", "learn", lambda found: dataclasses.replace(found, max_parents=None)),
    "search: complete": ("optimal", "search", lambda found: dataclasses.replace(found, complete=True)),
    "learn: never a proof": (
        "stopped",
        "learn",
        lambda found: dataclasses.replace(found, status="stopped", bound=found.bound + 5),
    ),
    "learn: edges that cost": (
        "strength",
        "learn",
        lambda found: dataclasses.replace(
            found, edges=tuple(edge._replace(strength=-85.0) for edge in found.edges)
        ),
    ),
    "learn: no edges": ("edges", "learn", lambda found: dataclasses.replace(found, edges=())),
    "score: never complete": (
        "complete",
        "score",
        lambda cache: cache.with_info({**cache.info, "complete_factor": None}),
    ),
}


# Where it is told, so that it shows within a few tables.
NARROW = {
    "search: no limit": {"max_parents": 1, "learn": None, "score": "aic"},
    "learn: no limit": {"max_parents": 1, "learn": "auto", "solvers": (), "score": "aic"},
    "search: complete": {"method": "greedy", "budget": 1, "score": "aic", "max_parents": None},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_noticed(lie, monkeypatch):
    sort, verb, change = LIES[lie]
    monkeypatch.setattr(bl, verb, told(getattr(bl, verb), change))
    assert noticed(sort, **NARROW.get(lie, {}))


def test_a_false_picture_of_a_result_is_noticed(monkeypatch):
    def all_compelled(found):
        return Cpdag(found.network.names, compelled=tuple(found.network.edges), reversible=())

    monkeypatch.setattr(SearchResult, "cpdag", property(all_compelled))
    assert noticed("label", learn=None)


def dies(job: run.Job) -> run.Outcome:
    os.abort()


def test_a_process_that_dies_is_reported(monkeypatch):
    monkeypatch.setattr(run, "run_seeds", dies)
    outcomes = list(run._in_processes(iter([("tables", 5, 7)]), 1))
    assert outcomes == [(0, 0, [(5, "crash: a process died at work on seeds 5 to 6")])]
