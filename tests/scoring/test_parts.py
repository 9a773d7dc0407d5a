"""A part of a score cache knows that it is one: never certified, and joined only with what belongs to it."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.verification import verify
from made.command import exit_code

NAMES_MERGE = r"this score cache is part 1 of 2 .* with `merge` first\."


@pytest.fixture(scope="module")
def parts(ok_small):
    return [bl.score(ok_small, shard=(i, 2), bayes_factor=3) for i in (1, 2)]


def older(part: ScoreCache, **more: object) -> ScoreCache:
    """The part as versions wrote it whose parts said nothing about their job, and claimed to be complete."""
    info = {key: value for key, value in part.info.items() if key not in ("job", "part_complete_factor")}
    first, offsets = part.first, part.parent_first
    scores = part.scores / 2.0**30
    info |= {"complete_factor": 3.0, **more}
    return ScoreCache.from_arrays(part.names, first, scores, offsets, part.parents, info=info)


def test_a_part_is_not_complete_whatever_its_info_says(parts):
    for cache in [
        parts[0],
        older(parts[0]),
        parts[0].with_info({**parts[0].info, "complete_factor": 1}),
        parts[0].with_info({"complete_factor": 1}),
        parts[0].with_info({"complete_factor": 1, "shard": None}),
        parts[0].without_dominated(),
        parts[0].select(np.ones(len(parts[0]), dtype=bool)),
        pickle.loads(pickle.dumps(parts[0])),
    ]:
        assert (cache.part, cache.complete, cache.complete_factor) == ((1, 2), False, None)
        assert "part 1 of 2" in cache.summary()
    assert parts[0].info["complete_factor"] is None


def test_nothing_is_found_in_a_part(parts):
    cache = parts[0]
    network = bl.Network(cache.names, [[] for _ in cache.names])
    for use in [
        lambda: bl.search(cache),
        lambda: bl.search(cache, solver="minobs", work_limit=10),
        lambda: bl.search(older(cache)),
        lambda: bl.credible(cache, 2),
        lambda: bl.k_best(cache, 2),
        lambda: verify(network, cache=cache),
    ]:
        with pytest.raises(InputError, match=NAMES_MERGE):
            use()


@pytest.mark.parametrize("ending", ["jkl", "scores", "pss", "jkl.gz", "pss.gz"])
def test_other_formats_do_not_take_a_part(parts, tmp_path, ending):
    with pytest.raises(InputError, match=r"cannot be written to .* with `merge` first"):
        parts[0].write(tmp_path / f"part.{ending}")
    assert list(tmp_path.iterdir()) == []
    for name in ("part.blc", "part.blc.gz"):
        parts[0].write(tmp_path / name)
        assert ScoreCache.read(tmp_path / name) == parts[0]


def test_the_command_line_refuses_a_part(ok_small, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ok_small.write("t.csv")
    assert exit_code("score", "t.csv", "-o", "p.jkl", "--shard", "1/2", "-q") == 1
    assert "a part can be written to a .blc file only" in capsys.readouterr().err
    assert exit_code("score", "t.csv", "-o", "p.blc", "--shard", "1/2", "--json", "p.json") == 0
    assert "part 1 of 2" in capsys.readouterr().out
    told = json.loads((tmp_path / "p.json").read_text())
    assert (told["complete"], told["part"]) == (False, [1, 2])
    for command in [
        ["search", "p.blc"],
        ["credible", "p.blc"],
        ["credible", "p.blc", "--k", "2", "--json", "k.json"],
        ["convert", "p.blc", "p.jkl"],
        ["convert", "p.blc", "p.pss.gz"],
    ]:
        assert exit_code(*command) == 1, command
        captured = capsys.readouterr()
        assert "with `merge` first" in captured.err
        assert len(captured.err.strip().splitlines()) == 1, captured.err
        assert "optimal" not in captured.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.blc", "p.json", "t.csv"]


def shuffled(table):
    """Another table of the same shape, with the same states."""
    return bl.Table.from_codes(table.names, table.states, [np.roll(c, v) for v, c in enumerate(table.codes)])


def renamed_states(table):
    states = [[f"{state}!" for state in one] for one in table.states]
    return bl.Table.from_codes(table.names, states, table.codes)


DIFFERENT = [
    ({"max_parents": 1}, "part 2 was made with max_parents 1, part 1 without max_parents"),
    ({"bayes_factor": 4}, "part 2 was made with bayes_factor 4.0, part 1 with 3.0"),
    ({"score": "bdeu"}, "part 2 was made with score 'bdeu', part 1 with 'bic'"),
    ({"constraints": {"forbidden": [("X1", "X2")]}}, "part 2 was made with constraints .*, part 1 without"),
    ({"table": shuffled}, "part 2 was made from another table than part 1: the rows differ"),
    ({"table": renamed_states}, "from another table than part 1: the states of the variables differ"),
    ({"method": "greedy", "sets_per_variable": 50}, "part 2 was made with method 'greedy', part 1 with"),
]


@pytest.mark.parametrize(("change", "message"), DIFFERENT)
def test_parts_of_different_jobs_are_not_joined(ok_small, parts, change, message):
    given = {"bayes_factor": 3, "shard": (2, 2), **change}
    given["constraints"] = _named(given.get("constraints"), ok_small)
    data = given.pop("table", lambda same: same)(ok_small)
    other = bl.score(data, **given)
    with pytest.raises(InputError, match=message):
        bl.merge([parts[0], other])
    assert bl.merge([parts[1], parts[0]]) == bl.score(ok_small, bayes_factor=3)


def _named(constraints, table):
    if constraints is None:
        return None
    return {"forbidden": [(table.names[0], table.names[1])]}


def test_the_limit_of_either_part_is_seen(ok_small):
    """Also where the limit cut nothing off in that part, and where only the first part has it."""
    one, two = bl.score(ok_small, shard=(1, 2), max_parents=7), bl.score(ok_small, shard=(2, 2))
    with pytest.raises(InputError, match="part 2 was made without max_parents, part 1 with 7"):
        bl.merge([one, two])


@pytest.mark.parametrize(
    "change",
    [
        {"sets_per_variable": 31},
        {"time_per_variable": 5.0},
        {"parents_considered": 7},
        {"estimate": "additive"},
    ],
)
def test_budgets_of_anytime_methods_belong_to_the_job(ok_small, change):
    given = {"method": "independence", "sets_per_variable": 30}
    one, two = bl.score(ok_small, shard=(1, 2), **given), bl.score(ok_small, shard=(2, 2), **given)
    assert bl.merge([one, two]) == bl.score(ok_small, **given)
    other = bl.score(ok_small, shard=(2, 2), **{**given, **change})
    with pytest.raises(InputError, match=f"part 2 was made with {next(iter(change))} "):
        bl.merge([one, other])


def test_time_in_all_is_no_part_of_the_job(ok_small, tmp_path, monkeypatch):
    """What is left of it after reading differs from run to run; nothing is claimed because of it."""
    monkeypatch.chdir(tmp_path)
    ok_small.write("t.csv")
    budget = ["--method", "greedy", "--sets-per-variable", "30", "--time-limit", "600", "-q"]
    for i in (1, 2):
        assert exit_code("score", "t.csv", "-o", f"p{i}.blc", "--shard", f"{i}/2", *budget) == 0
    assert exit_code("merge", "p1.blc", "p2.blc", "-o", "m.blc", "-q") == 0
    one = bl.score("t.csv", method="greedy", sets_per_variable=30)
    assert bl.read_cache("m.blc") == one


def test_parts_of_other_versions_are_not_joined(parts):
    with pytest.raises(InputError, match="part 2 was made by another version of Bayesloom"):
        bl.merge([parts[0], older(parts[1])])
    with pytest.raises(InputError, match="part 1 was made by another version of Bayesloom"):
        bl.merge([older(part) for part in parts])
    info = parts[1].info
    info["job"] = {**info["job"], "bayesloom": "0.0.1"}
    with pytest.raises(InputError, match=r"part 2 was made with bayesloom 0\.0\.1, part 1 with "):
        bl.merge([parts[0], _with(parts[1], info)])


def _with(part, info):
    scores = part.scores / 2.0**30
    return ScoreCache.from_arrays(
        part.names,
        part.first,
        scores,
        part.parent_first,
        part.parents,
        cardinalities=part.cardinalities,
        info=info,
    )


def test_what_a_part_lost_is_missing_from_the_whole(ok_small, parts):
    """Whatever was done to a part before, the merged cache claims no more than every part can."""
    one, two = parts
    stopped = _with(two, {**two.info, "stopped": True})
    interrupted = _with(two, {**two.info, "interrupted": True})
    selected = two.select(np.arange(len(two)) >= 0)
    for other in (stopped, interrupted, selected):
        merged = bl.merge([one, other])
        assert (merged.part, merged.complete) == (None, False)
    assert bl.merge([one, two.without_dominated(bayes_factor=2)]).complete_factor == 2
    with pytest.raises(
        InputError, match="the info of part 2 has ties_dropped = true, that of part 1 has null"
    ):
        bl.merge([one, two.without_dominated(drop_ties=True)])
    assert bl.merge([one, two]).complete_factor == 3


def test_required_edges_in_parts(ok_small):
    """The variables of other parts have nothing that satisfies a rule, and need not."""
    a, b, c = ok_small.names[:3]
    rules = {"required": [(a, b), (b, c)], "forbidden": [(c, a)]}
    made = [bl.score(ok_small, shard=(i, 3), constraints=rules) for i in (1, 2, 3)]
    assert bl.merge(made) == bl.score(ok_small, constraints=rules)


@pytest.mark.parametrize("shard", [[1], [0, 2], [3, 2], "1/2", [1, 2, 3], [1.0, 2], {"number": 1}, [True, 2]])
def test_a_damaged_number_is_refused(shard):
    with pytest.raises(InputError, match=r"has shard = .*; expected \[i, m\]"):
        ScoreCache.from_candidates(["a"], {"a": [(-1, [])]}, info={"shard": shard})


def test_a_part_of_one_is_the_whole(ok_small):
    assert bl.score(ok_small, shard=(1, 1)) == bl.score(ok_small)


def test_a_claim_speaks_of_the_limit_that_cut_it():
    """Required parents are looked at apart: where the limit cut there and nowhere else, the claim says so."""
    table = bl.random_network(5, states=(2, 2), max_parents=3, concentration=0.3, seed=1).sample(20, seed=1)
    assert bl.score(table, max_parents=2).info["max_parents"] is None
    rules = {"required": [("X1", "X0"), ("X2", "X0")]}
    limited = bl.score(table, max_parents=2, constraints=rules)
    assert len(limited) < len(bl.score(table, constraints=rules))
    assert limited.info["max_parents"] == 2
