"""Constraints: contradictions are named, and what is left holds of every result of every solver."""

from __future__ import annotations

import itertools
import json
import random

import pytest

import bayesloom as bl
from bayesloom.cli import main
from bayesloom.constraints.model import Constraints
from bayesloom.errors import InfeasibleError, InputError
from bayesloom.scoring.constrained_cache import constrain
from bayesloom.solvers.api import SOLVERS
from reference.climbing import acyclic

NAMES = list("abcdef")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "required edge 'a' -> 'b' is forbidden too"),
        ({"required": [("a", "b")], "roots": ["b"]}, "required edge 'a' -> 'b' leads into root 'b'"),
        ({"required": [("a", "b")], "leaves": ["a"]}, "required edge 'a' -> 'b' leads out of leaf 'a'"),
        (
            {"required": [("b", "a")], "tiers": [["a"], ["b"]]},
            "required edge 'b' -> 'a' leads from tier 2 back to tier 1",
        ),
        ({"tiers": [["a"], ["b", "a"]]}, "'a' is in tier 1 and in tier 2"),
        (
            {"required": [("a", "c"), ("b", "c")], "max_parents": {"c": 1}},
            "'c' has 2 required parents ('a', 'b'), but may have 1 at most",
        ),
        (
            {"required": [("a", "c"), ("a", "c")], "max_parents": 0},
            "'c' has 1 required parent ('a'), but may have 0 at most",
        ),
        (
            {"required": [("a", "b"), ("b", "a")]},
            "required edges form a cycle, 'a' -> 'b' -> 'a'",
        ),
        (
            {"required": [("a", "b"), ("b", "c"), ("c", "a")]},
            "required edges form a cycle, 'a' -> 'b' -> 'c' -> 'a'",
        ),
        ({"before": [("a", "b"), ("b", "a")]}, "orders form a cycle, 'a' before 'b' before 'a'"),
        (
            {"required": [("a", "b")], "before": [("b", "a")]},
            "required edges and orders form a cycle, 'b' before 'a' -> 'b'",
        ),
    ],
)
def test_contradictions_are_named(given, message):
    with pytest.raises(InfeasibleError) as error:
        Constraints(**given).check(NAMES)
    assert str(error.value).startswith(f"no network satisfies the constraints: {message}")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": [("a", "x")]}, "unknown variable in constraint 'required': 'x'"),
        ({"roots": ["x"]}, "unknown variable in constraint 'roots': 'x'"),
        ({"tiers": [["x"]]}, "unknown variable in constraint 'tiers': 'x'"),
        ({"max_parents": {"x": 1}}, "unknown variable in constraint 'max_parents': 'x'"),
        ({"forbidden": [("a", "a")]}, "constraint 'forbidden' pairs variable 'a' with itself"),
    ],
)
def test_names_are_checked(given, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        Constraints(**given).check(NAMES)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": "ab"}, "must be a list"),
        ({"required": ["ab"]}, "must be a list"),
        ({"required": [("a",)]}, "takes pairs of names"),
        ({"required": [("a", 1)]}, "takes pairs of names"),
        ({"max_parents": {"a": -1}}, "at least 0"),
        ({"max_parents": 1.5}, "at least 0"),
        ({"roots": [1]}, "takes names"),
        ({"requires": []}, "unknown constraint 'requires'. Did you mean 'required'"),
    ],
)
def test_shapes_are_checked(given, message):
    with pytest.raises(InputError, match=message):
        Constraints.given(given)


TWO_PARENTS = {"required": [("a", "c"), ("b", "c")]}
LIMIT = r"'c' has 2 required parents \('a', 'b'\), but no variable may have more than {} parents?"


def small_table() -> bl.Table:
    rng = random.Random(1)
    return bl.read_table({name: [rng.randrange(2) for _ in range(40)] for name in "abc"}, discrete=True)


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
        entry(small_table(), limit)


@pytest.mark.parametrize("verb", ["learn", "score", "credible"])
def test_the_command_line_ends_with_code_4(tmp_path, verb, capsys):
    small_table().write(tmp_path / "t.csv")
    (tmp_path / "k.toml").write_text('required = [["a", "c"], ["b", "c"]]\n')
    out = ["-o", str(tmp_path / "t.blc")] if verb == "score" else []
    command = [verb, str(tmp_path / "t.csv"), "--max-parents", "1", "--constraints", str(tmp_path / "k.toml")]
    with pytest.raises(SystemExit) as ended:
        main([*command, *out])
    assert ended.value.code == 4
    message = "'c' has 2 required parents ('a', 'b'), but no variable may have more than 1 parent"
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "t.blc").exists()


def test_the_command_line_ends_with_code_4_for_the_limit_of_a_cache(tmp_path, capsys):
    bl.score(small_table(), max_parents=1).write(tmp_path / "t.blc")
    (tmp_path / "k.toml").write_text('required = [["a", "c"], ["b", "c"]]\n')
    for verb in ("search", "credible"):
        with pytest.raises(SystemExit) as ended:
            main([verb, str(tmp_path / "t.blc"), "--constraints", str(tmp_path / "k.toml")])
        assert ended.value.code == 4
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
    assert limited.claim.startswith("optimal: no network with at most 1 parents each that keeps the constr")


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
        bl.learn(small_table(), start=start, max_parents=1, method=method)


def test_two_lists_of_tiers_are_not_put_together_silently():
    table = small_table()
    cache = bl.score(table, constraints={"tiers": [["a"], ["b", "c"]]})
    same = bl.search(cache, constraints={"tiers": [["a"], ["c", "b"]]})
    assert same.constraints["tiers"] == [["a"], ["b", "c"]]
    with pytest.raises(InputError, match="these constraints have other tiers"):
        bl.search(cache, constraints={"tiers": [["a", "b"], ["c"]]})


def test_of_two_limits_the_smaller_holds():
    both = Constraints(max_parents={"*": 3, "a": 1}).together_with(Constraints(max_parents={"*": 2, "b": 5}))
    assert both.max_parents == {"*": 2, "a": 1, "b": 3}
    assert Constraints(roots=["a"]).together_with(Constraints(max_parents=1)).max_parents == {"*": 1}


def random_constraints(rng: random.Random, names: list[str]) -> dict:
    """Constraints that some network satisfies: all agree with a random order."""
    order = rng.sample(names, len(names))
    pairs = list(itertools.combinations(order, 2))
    required = rng.sample(pairs, rng.randint(0, 2))
    forbidden = [
        edge
        for edge in rng.sample(list(itertools.permutations(names, 2)), rng.randint(0, 5))
        if edge not in required
    ]
    given: dict = {
        "required": required,
        "forbidden": forbidden,
        "before": rng.sample(pairs, rng.randint(0, 3)),
    }
    if rng.random() < 0.4:
        cut = rng.randint(1, len(order) - 1)
        given["tiers"] = [order[:cut], order[cut:]]
    if rng.random() < 0.4:
        root = next((name for name in names if all(b != name for _, b in required)), None)
        given["roots"] = [root] if root else []
    if rng.random() < 0.4:
        leaf = next((name for name in reversed(names) if all(a != name for a, _ in required)), None)
        given["leaves"] = [leaf] if leaf else []
    if rng.random() < 0.5:
        given["max_parents"] = {"*": 3, names[0]: max(1, sum(b == names[0] for _, b in required))}
    return given


def best_by_hand(table, rules: Constraints) -> float:
    """The best score of all networks that keep the constraints, one by one."""
    names = list(table.names)
    n = len(names)
    sets = [
        [c for k in range(n) for c in itertools.combinations([u for u in range(n) if u != v], k)]
        for v in range(n)
    ]
    families = [(names[v], [names[p] for p in chosen]) for v in range(n) for chosen in sets[v]]
    values = iter(bl.local_scores(table, families, threads=1).tolist())
    scored = [{chosen: next(values) for chosen in sets[v]} for v in range(n)]
    best = -float("inf")
    for parents in itertools.product(*sets):
        score = sum(scored[v][chosen] for v, chosen in enumerate(parents))
        if score > best and acyclic([set(chosen) for chosen in parents]):
            lists = {names[v]: [names[p] for p in chosen] for v, chosen in enumerate(parents)}
            if not rules.broken_by(lists):
                best = score
    return best


@pytest.mark.parametrize("seed", range(8))
def test_every_solver_finds_the_best_network_that_keeps_them(seed):
    rng = random.Random(seed)
    table = bl.random_network(4, states=(2, 3), max_parents=2, concentration=0.3, seed=seed).sample(
        60, seed=seed
    )
    rules = Constraints(**random_constraints(rng, list(table.names)))
    rules.check(table.names)
    expected = best_by_hand(table, rules)
    cache = bl.score(table, constraints=rules, threads=1)
    assert cache.complete
    for solver in [*SOLVERS, "auto"]:
        exact = solver == "auto" or SOLVERS[solver].exact
        result = bl.search(
            cache, solver=solver, threads=1, memory=1, seed=1, work_limit=None if exact else 20_000
        )
        assert rules.broken_by(result.network) == []
        assert result.score <= expected + 1e-9
        if exact:
            assert result.score == pytest.approx(expected, abs=1e-6)
            assert "that keeps the constraints" in result.claim or not rules
    for method in ("exhaustive", "loop", "independence"):
        learned = bl.learn(table, constraints=rules, threads=1, time_limit=0.5, method=method)
        assert rules.broken_by(learned.network) == []
        assert learned.score <= expected + 1e-6
    assert bl.learn(table, constraints=rules, threads=1).score == pytest.approx(expected, abs=1e-6)


def test_forbidding_keeps_a_cache_complete_and_requiring_does_not():
    table = bl.random_network(6, seed=2).sample(200, seed=2)
    a, b = table.names[:2]
    cache = bl.score(table)
    assert constrain(cache, {"forbidden": [(a, b)]}).plain.complete
    held = constrain(cache, {"forbidden": [(a, b)]})
    again = bl.score(table, constraints={"forbidden": [(a, b)]})
    assert held.plain == again
    child = next(v for v in table.names if any(len(p) for _, p in cache.candidates(v)))
    parent = next(p[0] for _, p in cache.candidates(child) if p)
    assert not constrain(cache, {"required": [(parent, child)]}).plain.complete
    assert bl.score(table, constraints={"required": [(parent, child)]}).complete


def test_a_required_edge_that_no_candidate_has_is_refused_with_what_to_do():
    table = bl.read_table({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10})
    with pytest.raises(InfeasibleError, match=r"no candidate of 'b' .* Score the table with the same"):
        bl.search(bl.score(table), constraints={"required": [("a", "b")]})
    result = bl.learn(table, constraints={"required": [("a", "b")]})
    assert result.network.edges == [("a", "b")]
    assert result.complete


def test_constraints_of_a_cache_are_kept_with_it(tmp_path):
    table = bl.random_network(5, seed=4).sample(100, seed=4)
    a, b = table.names[:2]
    rules = {"before": [[b, a]], "max_parents": {"*": 2}}
    bl.score(table, constraints=rules).write(tmp_path / "held.blc")
    cache = bl.read_cache(tmp_path / "held.blc")
    assert cache.info["constraints"] == rules
    result = bl.search(cache)
    assert result.constraints == rules
    assert Constraints.given(rules).broken_by(result.network) == []
    more = bl.search(cache, constraints={"roots": [a]})
    assert more.network.parents[a] == ()
    assert more.constraints == {**rules, "roots": [a]}


def test_credible_keeps_constraints():
    table = bl.random_network(4, seed=1).sample(80, seed=1)
    a, b = table.names[:2]
    free = bl.credible(table, 20)
    held = bl.credible(table, 20, constraints={"forbidden": [(a, b), (b, a)]})
    assert all(not ({(a, b), (b, a)} & set(network.edges)) for network in held.networks)
    assert held.best <= free.best
    must = bl.credible(table, 20, constraints={"required": [(a, b)]})
    assert must.edge_posterior.directed(a, b) == pytest.approx(1.0)
    assert must.complete
    later = Constraints(before=[(a, b)])
    assert all(not later.broken_by(g) for g in bl.credible(table, 20, constraints=later).networks)


def test_verify_says_which_constraint_is_broken():
    table = bl.read_table({"a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10})
    network = bl.Network(["a", "b"], {"b": ["a"]})
    assert bl.verify(network, table=table, constraints={"required": [("a", "b")]}).ok
    [problem] = bl.verify(network, table=table, constraints={"forbidden": [("a", "b")]}).problems
    assert problem == "the constraints are broken: forbidden edge 'a' -> 'b' is there."


@pytest.mark.parametrize(
    ("given", "edges", "phrase"),
    [
        ({"required": [("a", "b")]}, [], "required edge 'a' -> 'b' is missing"),
        ({"tiers": [["a"], ["b"]]}, [("b", "a")], "edge 'b' -> 'a' leads from tier 2 to tier 1"),
        ({"leaves": ["a"]}, [("a", "b")], "leaf 'a' has child 'b'"),
        ({"roots": ["b"]}, [("a", "b")], "root 'b' has parents"),
        ({"max_parents": {"b": 0}}, [("a", "b")], "'b' has 1 parents, more than 0"),
        (
            {"before": [("a", "b")]},
            [("b", "c"), ("c", "a")],
            "no order of the network keeps all pairs of 'before': required edges and orders form a cycle",
        ),
    ],
)
def test_a_network_that_breaks_them_is_told_how(given, edges, phrase):
    network = bl.Network.from_edges(["a", "b", "c"], edges)
    assert any(found.startswith(phrase) for found in Constraints(**given).broken_by(network))


# Files


def test_toml(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text(
        'required = [["a", "b"]]\ntiers = [["a"], ["b", "c"]]\nroots = ["a"]\nleaves = ["c"]\n'
        'before = [["b", "c"]]\nforbidden = []\n[max_parents]\n"*" = 2\nb = 1\n'
    )
    read = Constraints.read(path)
    assert read == Constraints(
        required=[("a", "b")],
        tiers=[["a"], ["b", "c"]],
        roots=["a"],
        leaves=["c"],
        before=[("b", "c")],
        max_parents={"*": 2, "b": 1},
    )
    assert Constraints.given(json.loads(json.dumps(read.to_json()))) == read


def test_the_constraint_file_of_gobnilp(tmp_path):
    path = tmp_path / "known.con"
    path.write_text(
        "# edges\nb<-a\n~c<-a   # not this one\n~d-e\nf < a\nsink c\n\nd->f<-e\n",
    )
    assert Constraints.read(path) == Constraints(
        required=[("a", "b"), ("d", "f"), ("e", "f")],
        forbidden=[("a", "c"), ("d", "e"), ("e", "d"), ("d", "e"), ("e", "d")],
        before=[("f", "a")],
        leaves=["c"],
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.toml", "required = [", "not a TOML file"),
        ("k.toml", 'needed = [["a","b"]]', "unknown .*constraint 'needed'"),
        ("k.con", "a b\n", "line 1: 'a b' is no constraint"),
        ("k.con", "\na-b\n", "line 2: 'a-b' asks for an edge in either direction"),
        ("k.con", "a<--b\n", "asks for an ancestor"),
        ("k.con", "a_|_b|c\n", "asks for a conditional independence"),
        ("k.con", "~a->b<-c\n", "asks for an immorality that is forbidden"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        Constraints.read(tmp_path / name)
