"""No false alarm: results of random tables, scores, constraints, limits, solvers and counts pass."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import bayesloom as bl
from bayesloom.cli import main
from bayesloom.solvers.result import run_object
from made.constraints import any_constraints
from made.tables import tied_table

DISCRETE = sorted(name for name, score in bl.scores.items() if score.kinds == "discrete")
SOLVERS = ("dp", "astar", "bblp", "minobs", "inobs")


@pytest.mark.parametrize("seed", range(40))
def test_results_pass_whatever_they_are_of(seed: int) -> None:
    rng = random.Random(seed)
    table = tied_table(rng, rng.randint(2, 5))
    score = rng.choice(DISCRETE)
    rules = any_constraints(rng, table.names) if rng.random() < 0.7 else bl.Constraints()
    limit = rng.choice([None, None, 1, 2])
    try:
        if rng.random() < 0.4:
            learned = bl.learn(table, score=score, constraints=rules, max_parents=limit, threads=1)
            run, against = run_object(learned, "learn"), {"table": table}
        else:
            cache = bl.score(table, score=score, constraints=rules, max_parents=limit, threads=1)
            solver = rng.choice(SOLVERS)
            work = None if solver in ("dp", "astar", "bblp") else 20
            found = bl.search(cache, solver=solver, work_limit=work, threads=1)
            run, against = run_object(found, "search"), {"cache": cache}
    except bl.InfeasibleError:
        assert rules
        return
    kept = json.loads(json.dumps(run))
    for exhaustive in (False, True):
        found_out = bl.verify_run(kept, **against, constraints=rules, exhaustive=exhaustive)
        assert found_out.problems == ()
    optimality = next(check for check in found_out.checks if check.what == "optimality")
    assert optimality.outcome == ("ok" if kept["complete"] or "cache" in against else "not checked")


@pytest.mark.parametrize("seed", range(60))
def test_credible_sets_and_the_k_best_pass_whatever_they_are_of(seed: int, tmp_path: Path) -> None:
    """Of tables and of caches, complete for a factor or not, by network and by class."""
    rng = random.Random(1000 + seed)
    table = tied_table(rng, rng.randint(2, 5))
    score = rng.choice(DISCRETE)
    rules = any_constraints(rng, table.names) if rng.random() < 0.6 else bl.Constraints()
    data, cache, known, out = (str(tmp_path / name) for name in ("t.csv", "c.blc", "k.toml", "r.json"))
    table.write(data)
    table = bl.read_table(data)
    Path(known).write_text("\n".join(f"{key} = {toml(value)}" for key, value in rules.to_json().items()))
    scoring = ["--score", score, *rng.choice([[], [], ["--max-parents", "2"]])]
    asked = ["--constraints", known] if rules else []
    of_cache = rng.random() < 0.6
    if of_cache:
        scored_under = asked if rng.random() < 0.5 else []
        width = rng.choice([[], ["--bayes-factor", "50"]])
        if called(["score", data, "-o", cache, *scoring, *scored_under, *width, "-q"]) == 4:
            return
    line = ["credible", cache, *asked] if of_cache else ["credible", data, *scoring, *asked]
    by = "class" if bl.scores[score].equivalent else "network"  # of others a class has no one score
    line += rng.choice([[], ["--k", "3"], ["--k", "3", "--by", by], ["--bayes-factor", "3"]])
    if called([*line, "--json", out, "-q", "--threads", "1"]) == 4:
        assert rules
        return
    run = json.loads(Path(out).read_text())
    if not of_cache:  # a cache that the result was not made from, with fewer parent sets
        bl.score(table, score=score, max_parents=rng.choice([None, 1])).write(cache)
    sources = {"table": table, "cache": bl.read_cache(cache)}
    for names in (["table"], ["cache"], ["table", "cache"]):
        for exhaustive in (False, True):
            against = {name: sources[name] for name in names}
            try:
                problems = bl.verify_run(run, **against, constraints=rules, exhaustive=exhaustive).problems
            except bl.InputError as error:
                problems = () if "may be right: give the table" in str(error) else (str(error),)
                problems += ("the table was given",) if "table" in names else ()
            assert problems == (), line


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {limit}" for key, limit in value.items()) + "}"
    return json.dumps(value)


def called(line: list[str]) -> object:
    with pytest.raises(SystemExit) as ended:
        main(line)
    assert ended.value.code in (0, 3, 4), line
    return ended.value.code


@pytest.mark.parametrize(
    "rules",
    [{}, {"forbidden": [["s", "a"]]}, {"tiers": [["s"], ["a", "b"]]}, {"tiers": [["s", "t"], ["a", "b"]]}],
)
def test_what_a_score_of_both_kinds_demands_is_not_asked_of_the_constraints_given(rules) -> None:
    rng = random.Random(4)
    rows = {name: [rng.gauss(0, 1) for _ in range(80)] for name in "ab"}
    rows |= {name: [rng.choice("xy") for _ in range(80)] for name in "st"}
    found = bl.learn(rows, score="bic-cg", continuous=["a", "b"], constraints=rules, threads=1)
    run = run_object(found, "learn")
    assert bl.verify_run(run, table=found.table, constraints=rules).ok
    assert bl.verify_run(run, table=found.table).ok
    assert not bl.verify_run({**run, "constraints": {}}, table=found.table).ok
    assert not bl.verify_run(run, table=found.table, constraints={"roots": ["a"]}).ok
