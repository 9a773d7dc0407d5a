"""No false alarm: results of random tables, scores, constraints, limits and solvers pass."""

from __future__ import annotations

import json
import random

import pytest

import bayesloom as bl
from bayesloom.cli.finish import run_object
from made.constraints import any_constraints
from made.tables import tied_table

SOLVERS = ("dp", "astar", "bblp", "minobs", "inobs")


@pytest.mark.parametrize("seed", range(40))
def test_results_pass_whatever_they_are_of(seed: int) -> None:
    rng = random.Random(seed)
    table = tied_table(rng, rng.randint(2, 5))
    score = rng.choice(sorted(bl.scores))
    rules = any_constraints(rng, table.names) if rng.random() < 0.7 else bl.Constraints()
    limit = rng.choice([None, None, 1, 2])
    try:
        if rng.random() < 0.4:
            learned = bl.learn(table, score=score, constraints=rules, max_parents=limit, threads=1)
            run, against = run_object(learned, "learn", table), {"table": table}
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
