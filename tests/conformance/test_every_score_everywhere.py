"""What works under one score works under all: parts, checkpoints, credible sets, constraints, verify."""

from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.scoring.registry import scores
from made.command import run
from made.continuous import conditional_gaussian, linear_gaussian
from made.missing import with_gaps

every_score = pytest.mark.parametrize("name", sorted(scores))


def table_of(name: str, variables: int, rows: int, seed: int = 1) -> bl.Table:
    """A table that the score reads: mixed where it may be, with gaps where it reads them."""
    kinds = scores[name].kinds
    if kinds == "discrete":
        made = bl.random_network(variables, states=(2, 3), max_parents=2, concentration=0.5, seed=seed)
        whole = made.sample(rows, seed=seed)
    elif kinds == "continuous":
        whole, _ = linear_gaussian(seed, variables=variables, rows=rows)
    else:
        whole, _ = conditional_gaussian(seed, variables=variables, rows=rows)
    return with_gaps(whole, 0.1, seed) if scores[name].reads_missing else whole


@every_score
def test_merged_parts_are_byte_identical_to_one_run(name, tmp_path):
    table = table_of(name, 8, 300)
    options = {"score": name, "bayes_factor": 3, "max_parents": 3}
    bl.score(table, **options).write(tmp_path / "one.blc")
    bl.merge([bl.score(table, shard=(i, 3), **options) for i in (3, 1, 2)]).write(tmp_path / "merged.blc")
    assert (tmp_path / "merged.blc").read_bytes() == (tmp_path / "one.blc").read_bytes()


@every_score
def test_what_is_resumed_ends_as_one_run(name, tmp_path):
    """From a checkpoint of the last level done it ends with the same cache and the same work counted."""
    table = table_of(name, 8, 300)
    common = {"margin": 1.0, "max_parents": 3, "threads": 1}
    one = _core.exhaustive(table.encoded, list(table.names), name, {}, **common)
    path = str(tmp_path / "work.resume").encode()
    kept = {"checkpoint": path, "checkpoint_interval": 0.0}
    _core.exhaustive(table.encoded, list(table.names), name, {}, **{**common, **kept})
    again = _core.exhaustive(table.encoded, list(table.names), name, {}, resume=True, **{**common, **kept})
    assert (tmp_path / "work.resume").exists()
    for key in ("scored", "exhausted", "finished_size"):
        assert again[key] == one[key]
    bl.ScoreCache(one["cache"]).write(tmp_path / "one.blc")
    bl.ScoreCache(again["cache"]).write(tmp_path / "again.blc")
    assert (tmp_path / "again.blc").read_bytes() == (tmp_path / "one.blc").read_bytes()


@every_score
def test_a_credible_set_holds_every_network_that_it_should(name):
    """Counted beside all networks of four variables, each put together from the score cache."""
    table = table_of(name, 4, 60)
    factor = 50.0
    cache = bl.score(table, score=name, bayes_factor=factor)
    assert cache.complete
    held = [{frozenset(parents): fixed for parents, fixed in candidates_of(cache.core, v)} for v in range(4)]
    totals = [
        sum(own[parents] for own, parents in zip(held, chosen, strict=True))
        for chosen in itertools.product(*held)
        if acyclic(chosen)
    ]
    best = max(totals)
    within = sum(total >= best - int(np.floor(np.log(factor) * 2**30)) for total in totals)
    found = bl.credible(cache, factor)
    assert found.count == within
    assert bl.search(cache, solver="dp").fixed_score == best


def candidates_of(core, v):
    for c in range(int(core.first[v]), int(core.first[v + 1])):
        begin, end = int(core.parent_first[c]), int(core.parent_first[c + 1])
        yield core.parents[begin:end].tolist(), int(core.scores[c])


def acyclic(chosen) -> bool:
    left = dict(enumerate(chosen))
    while free := [v for v, parents in left.items() if not parents & set(left)]:
        for v in free:
            del left[v]
    return not left


@every_score
def test_learn_with_constraints_verify_and_the_files_of_a_run(name, tmp_path, capsys):
    table = table_of(name, 6, 250)
    kinds = [not states for states in table.states]
    a, b = next(  # an edge that any score allows
        (table.names[u], table.names[v])
        for u, v in itertools.permutations(range(6), 2)
        if not kinds[u] or kinds[v]
    )
    rules = {"required": [[a, b]], "max_parents": 2}
    result = bl.learn(table, score=name, constraints=rules, threads=1)
    assert (a, b) in result.network.edges
    assert max(map(len, result.network.parents.values())) <= 2
    assert result.status == "optimal"
    assert result.verify(exhaustive=True).ok
    data, out = tmp_path / "t.parquet", tmp_path / "run.json"
    table.write(data)
    read = [word for column in table.continuous for word in ("--continuous", column)]
    asked = ["learn", data, "--score", name, "--json", out, "-q", *read]
    assert run(capsys, *asked).code == 0
    checked = run(capsys, "verify", out, "--data", data)
    assert checked.code == 0, checked.err


@every_score
def test_the_estimator_takes_it(name):
    pytest.importorskip("sklearn")
    pandas = pytest.importorskip("pandas")
    learner = importlib.import_module("bayesloom.sklearn").StructureLearner
    table = table_of(name, 4, 200)
    frame = pandas.DataFrame(table.to_arrow().to_pandas())
    fitted = learner(name, bayes_factor=3.0, time_limit=None).fit(frame)
    assert fitted.status_ == "optimal"
    assert fitted.edge_posterior_.shape == (4, 4)
