"""A limit on parents beside required edges: whichever is broken is named, by every way in."""

from __future__ import annotations

import random

import pytest

import bayesloom as bl
from bayesloom.errors import InfeasibleError, InputError
from made.command import exit_code
from made.tables import coins

TWO_PARENTS = {"required": [("a", "c"), ("b", "c")]}
LIMIT = r"'c' has 2 required parents \('a', 'b'\), but no variable may have more than {} parents?"


@pytest.mark.parametrize("limit", [0, 1])
@pytest.mark.parametrize(
    "entry",
    [
        lambda table, limit: bl.score(table, constraints=TWO_PARENTS, max_parents=limit),
        lambda table, limit: bl.score(
            table,
            constraints=TWO_PARENTS,
            max_parents=limit,
            method="greedy",
            sets_per_variable=10,
        ),
        lambda table, limit: bl.search(bl.score(table, max_parents=limit), constraints=TWO_PARENTS),
        *(
            lambda table, limit, method=method: bl.learn(
                table, constraints=TWO_PARENTS, max_parents=limit, method=method
            )
            for method in ("auto", "exhaustive", "loop", "independence", "greedy", "sequential")
        ),
        lambda table, limit: bl.credible(table, constraints=TWO_PARENTS, max_parents=limit),
        lambda table, limit: bl.credible(bl.score(table, max_parents=limit), constraints=TWO_PARENTS),
        lambda table, limit: bl.k_best(table, 3, constraints=TWO_PARENTS, max_parents=limit),
    ],
)
def test_a_limit_does_not_give_way_to_required_edges(entry, limit):
    with pytest.raises(InfeasibleError, match=LIMIT.format(limit)):
        entry(coins(), limit)


@pytest.mark.parametrize("verb", ["learn", "score", "credible"])
def test_the_command_line_ends_with_code_4(tmp_path, verb, capsys):
    coins().write(tmp_path / "t.csv")
    (tmp_path / "k.toml").write_text('required = [["a", "c"], ["b", "c"]]\n')
    out = ["-o", str(tmp_path / "t.blc")] if verb == "score" else []
    command = [verb, str(tmp_path / "t.csv"), "--max-parents", "1", "--constraints", str(tmp_path / "k.toml")]
    assert exit_code(*command, *out) == 4
    message = "'c' has 2 required parents ('a', 'b'), but no variable may have more than 1 parent"
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "t.blc").exists()


def test_the_command_line_ends_with_code_4_for_the_limit_of_a_cache(tmp_path, capsys):
    bl.score(coins(), max_parents=1).write(tmp_path / "t.blc")
    (tmp_path / "k.toml").write_text('required = [["a", "c"], ["b", "c"]]\n')
    for verb in ("search", "credible"):
        assert exit_code(verb, str(tmp_path / "t.blc"), "--constraints", str(tmp_path / "k.toml")) == 4
        assert "no variable may have more than 1 parent" in " ".join(capsys.readouterr().err.split())


def test_a_limit_that_only_required_edges_make_felt_is_part_of_the_claim():
    """Without the constraints no set of two parents matters; with them the best network has one."""
    table = bl.read_table({"p": [1] * 5, "q": [0, 0, 1, 1, 0], "c": [0, 0, 1, 1, 0]}, discrete=True)
    rules = {"required": [("p", "c")], "forbidden": [("c", "q")]}
    limited = bl.learn(table, max_parents=1, constraints=rules)
    free = bl.learn(table, constraints=rules)
    assert free.network.parents["c"] == ("p", "q")
    assert free.score > limited.score + 1
    assert (free.max_parents, limited.max_parents) == (None, 1)
    assert limited.claim.startswith("optimal: no network with at most 1 parent each that keeps the constr")


def test_more_required_parents_than_an_anytime_method_grows():
    """Without a limit given it is no contradiction; but then nothing is claimed about twelve parents."""
    rng = random.Random(2)
    names = [f"x{k}" for k in range(15)]
    table = bl.read_table({name: [rng.randrange(2) for _ in range(30)] for name in names}, discrete=True)
    rules = {"required": [(name, "x14") for name in names[:13]]}
    cache = bl.score(table, method="greedy", sets_per_variable=50, constraints=rules)
    assert cache.info["max_parents"] is None
    assert not cache.complete
    assert len(bl.search(cache, solver="inobs", work_limit=100).network.parents["x14"]) >= 13


@pytest.mark.parametrize("method", ["auto", "loop", "exhaustive"])
def test_a_start_with_too_many_parents_is_refused_by_name(method):
    start = bl.Network("abc", {"c": ["a", "b"]})
    with pytest.raises(InputError, match=r"start breaks .*: 'c' has 2 parents, more than 1"):
        bl.learn(coins(), start=start, max_parents=1, method=method)
