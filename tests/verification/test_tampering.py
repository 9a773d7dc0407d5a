"""What was tampered with is caught, wherever and however, or the verifier says that it did not look."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

import bayesloom as bl
from made.runs import Made, make
from made.tampering import Path, Tampering, tamperings, with_a_key_twice

# What neither table nor cache can tell, with the line that must say so. Everything else is caught.
NOT_CHECKED: dict[str, dict[Path, str]] = {
    "all": {
        ("bayesloom",): "bayesloom",
        ("seconds",): "seconds",
        ("chance",): "chance",
        ("null",): "null",
        ("notes",): "notes",
        ("cut_by_memory",): "cut_by_memory",
        ("trace",): "trace",
        ("line",): "line",
        ("reading",): "reading",
    },
    "learn": {
        ("solver",): "solver",
        ("seed",): "seed",
        ("work",): "work",
        ("interrupted",): "interrupted",
        ("candidates",): "candidates",
        ("method",): "method",
        ("unscored_gains",): "unscored_gains",
        ("em",): "turns of em",
        ("table", "source"): "table.source",
        ("table", "notes"): "table.notes",
    },
    "search": {
        ("solver",): "solver",
        ("seed",): "seed",
        ("work",): "work",
        ("interrupted",): "interrupted",
    },
    "credible": {
        ("expected",): "expected",
        ("coverage",): "coverage",
        ("coverage_missing",): "coverage_missing",
        ("edges_error",): "edges_error",
        ("bayes_factor",): "bayes_factor and tolerance",
        ("tolerance",): "bayes_factor and tolerance",
        ("edges",): "values of posteriors",
    },
    "k best": {
        ("complete",): "complete",
        ("max_parents",): "max_parents asked for",
        ("note",): "note",
    },
    "posterior": {
        ("interrupted",): "interrupted",
        ("seed",): "seed",
        ("draws",): "draws",
        ("deviation",): "deviation",
        ("left_out", "most"): "left_out.most",
        ("max_parents",): "max_parents asked for",
        ("averaged", "exact"): "averaged.exact",
        ("edges",): "last digits of posteriors",
        ("log_total",): "last digits of posteriors",
        ("diagnostics",): "values of diagnostics",
    },
    "not reliable": {
        ("interrupted",): "interrupted",
        ("seed",): "seed",
        ("stopped",): "stopped",
        ("left_out", "most"): "left_out.most",
        ("max_parents",): "max_parents asked for",
        ("averaged", "exact"): "averaged.exact",
        ("edges",): "values of posteriors",
        ("diagnostics",): "values of diagnostics",
    },
    "bootstrap": {
        ("asked",): "asked",
        ("interrupted",): "interrupted",
        ("learner",): "learner",
        ("max_parents",): "max_parents asked for",
        ("averaged", "threshold"): "averaged.threshold",
        ("averaged", "exact"): "averaged.exact",
        ("seed",): "seed",
        ("classes",): "which of several best networks",
    },
    "climbs": {
        ("asked",): "asked",
        ("interrupted",): "interrupted",
        ("learner",): "learner",
        ("max_parents",): "max_parents asked for",
        ("averaged", "threshold"): "averaged.threshold",
        ("averaged", "exact"): "averaged.exact",
        ("seed",): "seed",
        ("edges",): "values of strengths and directions",
        ("classes",): "values of strengths and directions",
    },
}

REMARKS: list[Path] = [
    ("ess_sweep",),
    ("em",),
    ("chance",),
    ("null",),
    ("notes",),
    ("cut_by_memory",),
    ("trace",),
    ("interventions",),
]
REMARKS += [("line",), ("table", "counts"), ("reading",)]


def as_right(kind: str, tampering: Tampering) -> bool:
    """Whether the result is as right as it was: another network of the same score, a result
    without remarks, the same constraints or the same tier in another order or with one of them said twice."""
    path, how = tampering.path, tampering.how
    return (
        (kind == "credible" and path[0] == "parents" and "turned" in how)
        or (kind == "k best" and path == ("entries",) and ("turned" in how or "swapped" in how))
        or (path in REMARKS and how == "left out")
        or (path[0] == "constraints" and how == "an item more")  # the first one once more
        or (path == ("constraints", "forbidden") and ("turned" in how or "swapped" in how))
        or (path[:2] == ("constraints", "tiers") and len(path) == 3 and ("turned" in how or "swapped" in how))
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Made]:
    return make(tmp_path_factory.mktemp("runs"))


def verified(run: Any, against: dict[str, Any]) -> bl.Verification | None:
    """What the verifier says, None if it refuses to read it."""
    try:
        return bl.verify_run(run, **against)
    except bl.InputError as error:
        sentence = str(error)
    assert len(sentence) < 300
    assert "\n" not in sentence
    return None


def kind(one: Made) -> str:
    if one.run["command"] == "posterior" and not one.run["reliable"]:
        return "not reliable"
    if one.run.get("learner") == "hill_climb":
        return "climbs"
    return "k best" if "entries" in one.run else str(one.run["command"])


def excuse(one: Made, tampering: Tampering) -> str | None:
    """The line that must say that this was not checked, if that is allowed."""
    if tampering.path[0] == "ess_sweep" and (
        len(tampering.path) < 3 or tampering.path[2] == "gap"  # which sizes were asked for, their gaps
    ):
        return "other rows of ess_sweep"
    if tampering.path == ("score_options", "least"):
        return "optimality"  # it tells which other networks count, not what this one scores
    if tampering.path[:2] == ("table", "columns"):
        columns = one.run["table"]["columns"]
        left_out = len(tampering.path) > 2 and not columns[int(tampering.path[2])]["used"]
        moved = (
            tampering.path == ("table", "columns") and not columns[-1]["used"] and "swapped" in tampering.how
        )
        if left_out or moved or tampering.path[3:] in (("kind",), ("missing",), ("why",)):
            return "words of table.columns"
    for group in ("all", kind(one)):
        for path, line in NOT_CHECKED[group].items():
            if tampering.path[: len(path)] == path:
                return line
    return None


def test_results_as_they_are_written_pass(made: list[Made]) -> None:
    for one in made:
        found = bl.verify_run(one.run, **one.against)
        assert found.problems == (), one.name
        assert {check.outcome for check in found.checks} == {"ok", "not checked"}


def test_results_as_they_are_written_pass_when_all_networks_are_looked_at(made: list[Made]) -> None:
    looked = 0
    for one in made:
        found = bl.verify_run(one.run, **one.against, exhaustive=True)
        assert found.problems == (), one.name
        looked += [check.outcome for check in found.checks if check.what == "optimality"] == ["ok"]
    assert looked >= 17


@pytest.mark.slow
def test_every_tampering_is_caught_or_told_as_not_checked(made: list[Made]) -> None:
    """Thousands of them: every leaf, list and object of every result, changed in every way."""
    caught: Counter[str] = Counter()
    for one in made:
        for tampering in tamperings(one.run, seed=17):
            found = verified(tampering.run, one.against)
            if found is None or not found.ok:
                caught[kind(one)] += 1
                continue
            if as_right(kind(one), tampering):
                continue
            line = excuse(one, tampering)
            told = [check.what for check in found.checks if check.outcome == "not checked"]
            assert line is not None, f"{one.name}: not caught: {tampering}"
            assert line in told, f"{one.name}: {tampering}"
    assert caught["learn"] > 9000
    assert caught["search"] > 3500
    assert caught["credible"] > 6500
    assert caught["k best"] > 5000
    assert caught["posterior"] > 5000
    assert caught["not reliable"] > 500
    assert caught["bootstrap"] > 1500
    assert caught["climbs"] > 500


def test_every_field_that_is_checked_was_tampered_with(made: list[Made]) -> None:
    """So that a new field is either checked or in the list above."""
    for one in made:
        places = {tampering.path[0] for tampering in tamperings(one.run, seed=1)}
        assert places == set(one.run)


def test_a_key_given_twice_is_refused(made: list[Made], tmp_path: Any) -> None:
    for one in made:
        for key, value in one.run.items():
            path = tmp_path / "run.json"
            path.write_text(with_a_key_twice(json.dumps(one.run), key, json.dumps(value)))
            with pytest.raises(bl.InputError, match="twice"):
                bl.verify_run(path, **one.against)


def test_keys_that_nobody_knows_are_told(made: list[Made]) -> None:
    for one in made:
        found = bl.verify_run({**one.run, "better": True}, **one.against)
        assert ("'better'", "not checked", "an unknown key") in found.checks


def by_name(made: list[Made], name: str) -> Made:
    return next(one for one in made if one.name == name)


def test_a_forged_proof_is_found_by_looking_at_all_networks(made: list[Made]) -> None:
    """A worse network whose every number and word fits together: nothing but the optimum betrays it."""
    one = by_name(made, "search bic")
    cache = one.against["cache"]
    local = {name: cache.find(name, []) for name in cache.names}
    fixed = sum(round(value * 2**30) for value in local.values())
    forged = {
        **one.run,
        "parents": {name: [] for name in cache.names},
        "local_scores": local,
        "score": fixed / 2**30,
        "bound": fixed / 2**30,
        "fixed_score": fixed,
        "fixed_bound": fixed,
        "bound_all_networks": fixed / 2**30,
        "fixed_bound_all_networks": fixed,
    }
    blind = bl.verify_run(forged, cache=cache)
    assert blind.ok
    assert "optimality" in [check.what for check in blind.checks if check.outcome == "not checked"]
    found = bl.verify_run(forged, cache=cache, exhaustive=True)
    [problem] = found.problems
    assert "is below the best score" in problem
    assert found.best_score == pytest.approx(one.run["score"])


def test_a_forged_optimum_of_learn_is_found_from_the_table(made: list[Made]) -> None:
    one = by_name(made, "learn bic")
    table = one.against["table"]
    empty = bl.Network(table.names, [[] for _ in table.names])
    local = bl.network_scores(empty, table)
    fixed = sum(round(value * 2**30) for value in local.values())
    names = ("score", "bound", "bound_all_networks")
    numbers = dict.fromkeys(names, fixed / 2**30)
    numbers |= dict.fromkeys(("fixed_score", "fixed_bound", "fixed_bound_all_networks"), fixed)
    parents = {name: [] for name in table.names}
    forged = {**one.run, **numbers, "parents": parents, "local_scores": local, "edges": []}
    assert bl.verify_run(forged, table=table).ok
    assert "below the best score" in bl.verify_run(forged, table=table, exhaustive=True).problems[0]


def test_a_wrong_count_of_credible_networks_is_found_by_counting_again(made: list[Made]) -> None:
    for name in ("credible cache", "credible table"):
        one = by_name(made, name)
        count = one.run["count"] + 1
        claim = one.run["claim"].replace(f"{one.run['count']:,} networks", f"{count:,} networks")
        forged = {**one.run, "count": count, "count_bounds": [count, count], "claim": claim}
        assert bl.verify_run(forged, **one.against).ok
        problems = bl.verify_run(forged, **one.against, exhaustive=True).problems
        assert problems == (f"count is {count}, but there are {count - 1} networks.",)


def test_wrong_posteriors_are_found_by_counting_again(made: list[Made]) -> None:
    one = by_name(made, "credible cache")
    edges = [dict(edge) for edge in one.run["edges"]]
    pair = next(edge for edge in edges if 0.2 < edge["posterior"] < 0.8)
    other = next(edge for edge in edges if (edge["to"], edge["from"]) == (pair["from"], pair["to"]))
    pair["posterior"], other["posterior"] = other["posterior"], pair["posterior"]
    edges.sort(key=lambda edge: edge["posterior"] is None)
    found = bl.verify_run({**one.run, "edges": edges}, **one.against, exhaustive=True)
    assert any("found again" in problem or "surest pair" in problem for problem in found.problems)


def test_the_score_of_a_result_must_be_the_one_asked_for(made: list[Made]) -> None:
    one = by_name(made, "learn bic")
    found = bl.verify_run(one.run, **one.against, score="bdeu")
    assert found.problems == ("the result is of score bic, but bdeu (ess 1.0) was asked for.",)
    assert bl.verify_run(one.run, **one.against, score="mdl").ok


def test_constraints_of_a_result_must_be_those_asked_for(made: list[Made]) -> None:
    one = by_name(made, "learn bic")
    found = bl.verify_run(one.run, **one.against, constraints={"leaves": ["X5"]})
    assert found.problems == ("the constraints of the result are not those it is checked against.",)


def test_constraints_may_be_given_in_another_order(made: list[Made]) -> None:
    one = by_name(made, "learn bdeu, constraints")
    given = {
        key: value[::-1] if key == "forbidden" else value for key, value in one.run["constraints"].items()
    }
    assert given != one.run["constraints"]
    assert bl.verify_run(one.run, table=one.against["table"], constraints=given).ok
    del given["leaves"]
    assert not bl.verify_run(one.run, table=one.against["table"], constraints=given).ok


def test_a_tolerance_that_lets_everything_pass_is_refused_and_a_smaller_one_told(made: list[Made]) -> None:
    one = by_name(made, "learn bic")
    for tolerance in (1000, -1, float("nan"), "1", True):
        with pytest.raises(bl.InputError, match="tolerance must be a number of nats between 0 and 1"):
            bl.verify_run(one.run, **one.against, tolerance=tolerance)  # type: ignore[arg-type]
    found = bl.verify_run(one.run, **one.against, tolerance=0.01)
    assert found.checks[-1] == (
        "tolerance",
        "ok",
        "scores that differ by 0.01 nats or less were called equal",
    )


def test_a_result_needs_something_to_be_checked_against(made: list[Made]) -> None:
    with pytest.raises(bl.InputError, match="nothing to check the result against"):
        bl.verify_run(made[0].run)
