"""What must hold of every score where variables were set from outside in some rows."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.scoring.registry import scores
from bayesloom.verification.network import family_scores
from made.families import NO_SCORE, all_families, candidates, not_beaten
from made.families import local_scores as score_of
from made.interventions import KINDS, experiment
from reference.graphs import all_networks
from reference.interventional import class_key, local_score, was_set

CASES = [
    (name, kind)
    for name, score in sorted(scores.items())
    for kind in KINDS
    if score.kinds == "any" or score.kinds == kind
]
every_case = pytest.mark.parametrize(("name", "kind"), CASES)


def numbered(table: bl.Table) -> list[frozenset[int]]:
    own = table.interventions
    return [] if own is None else [frozenset(map(table.index, target)) for target in own.targets]


def weighted(table: bl.Table, seed: int) -> bl.Table:
    rng = np.random.default_rng([seed, 3])
    return replace(table, weights=rng.integers(1, 4, table.row_count).astype(np.uint32))


def test_every_score_is_tried():
    assert {name for name, _ in CASES} == set(scores)


@every_case
@pytest.mark.parametrize("seed", range(4))
def test_a_score_equals_its_definition_over_the_rows_not_set_and_so_does_the_verifier(name, kind, seed):
    table = experiment(kind, seed, variables=3 + seed % 2, rows=[60, 200][seed % 2])
    if seed == 3:
        table = weighted(table, seed)
    families = all_families(len(table.names))
    found = 0
    for family, fixed in zip(families, score_of(table, name, families), strict=True):
        expected = local_score(table, *family, name)
        own = [(table.names[family[0]], [table.names[p] for p in family[1]])]
        if expected is None or fixed < NO_SCORE:
            assert expected is None or not math.isfinite(expected) or kind != "discrete"
            assert fixed < NO_SCORE
            continue
        found += 1
        assert _core.to_nats(fixed) == pytest.approx(expected, rel=1e-9, abs=1e-5)
        assert family_scores(table, own, name) == pytest.approx([expected], rel=1e-9, abs=1e-5)
    assert found >= len(table.names)


def test_what_was_set_is_there_to_be_seen():
    """The tests above look at tables in which leaving rows out matters."""
    table = experiment("discrete", 1)
    assert table.interventions is not None
    other = replace(table, interventions=None)
    families = all_families(4)
    pairs = zip(score_of(table, "bic", families), score_of(other, "bic", families), strict=True)
    assert sum(a != b for a, b in pairs) > 8
    assert any(any(was_set(table, v)) for v in range(4))


@every_case
@pytest.mark.parametrize("seed", range(3))
def test_complete_scoring_keeps_just_what_no_subset_beats(name, kind, seed):
    """Pruning by bounds is safe: nothing is lost against all families."""
    table = experiment(kind, seed + 10, variables=5, rows=[40, 120, 300][seed])
    margin = [0.0, 3.0, 0.5][seed]
    for prune in (True, False):
        out = _core.exhaustive(table.encoded, table.names, name, {}, margin=margin, prune=prune, threads=1)
        assert candidates(out["cache"]) == not_beaten(table, name, all_families(5), margin)
        assert out["exhausted"]


@pytest.mark.parametrize("name", sorted(name for name, score in scores.items() if score.kinds == "discrete"))
@pytest.mark.parametrize("seed", range(3))
def test_bounds_on_sets_not_scored_hold(name, seed):
    table = experiment("discrete", seed + 40, variables=5, rows=80)
    score = dict(zip(all_families(5), score_of(table, name, all_families(5)), strict=True))
    for size in range(4):
        out = _core.exhaustive(table.encoded, table.names, name, {}, max_parents=size, threads=1)
        for (child, parents), value in score.items():
            if len(parents) <= size:
                continue
            best = max(
                score[child, smaller] for c, smaller in score if c == child and {*smaller} < {*parents}
            )
            if value > best:
                assert _core.to_nats(value) <= out["unscored"][child] + 1e-6
            assert _core.to_nats(value) <= out["fits"][child] + 1e-6


@pytest.mark.parametrize("method", ["independence", "greedy", "sequential"])
@every_case
def test_anytime_methods_score_the_same_and_claim_only_what_holds(name, kind, method):
    table = experiment(kind, 5, variables=5, rows=100)
    expected = not_beaten(table, name, all_families(5), 0.0)
    cache = bl.score(table, score=name, method=method, sets_per_variable=1000, max_parents=4)
    found = candidates(cache.core)
    every = dict(zip(all_families(5), score_of(table, name, all_families(5)), strict=True))
    assert all(every[family] == value for family, value in found.items())
    if cache.complete:
        assert {(c, p): v for (c, p), v in expected.items() if (c, p) not in found} == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_pnal_with_missing_values_and_interventions(kind, seed):
    table = experiment(kind, seed, variables=4, rows=150, share=0.1)
    families = all_families(4)
    some = 0
    for family, fixed in zip(families, score_of(table, "pnal", families), strict=True):
        expected = local_score(table, *family, "pnal")
        assert (expected is None) == (fixed < NO_SCORE)
        if expected is not None:
            some += 1
            assert _core.to_nats(fixed) == pytest.approx(expected, rel=1e-9, abs=1e-5)
            own = [(table.names[family[0]], [table.names[p] for p in family[1]])]
            assert family_scores(table, own, "pnal") == pytest.approx([expected], rel=1e-9, abs=1e-5)
    assert some >= 4
    out = _core.exhaustive(table.encoded, table.names, "pnal", {}, margin=1.0, threads=1)
    assert candidates(out["cache"]) == not_beaten(table, "pnal", families, 1.0)


def totals(table: bl.Table, name: str, n: int) -> dict[tuple[frozenset[int], ...], int]:
    """The score of every network without families that have none, in units."""
    families = all_families(n)
    score = dict(zip(families, score_of(table, name, families), strict=True))
    found = {}
    for network in all_networks(n):
        values = [score[v, tuple(sorted(up))] for v, up in enumerate(network)]
        if all(value > NO_SCORE for value in values):
            found[network] = sum(values)
    return found


@pytest.mark.parametrize("name", ["bic", "bdeu", "bic-g", "bge", "qnml"])
@pytest.mark.parametrize("seed", range(4))
def test_networks_score_alike_in_an_interventional_class_and_only_there(name, seed):
    """Equal to the last bit within; and classes differ where rows are in general position."""
    kind = "continuous" if name in ("bic-g", "bge") else "discrete"
    table = experiment(kind, seed + 20, variables=4, rows=400)
    assert table.interventions is not None
    groups: dict[object, set[int]] = {}
    for network, total in totals(table, name, 4).items():
        groups.setdefault(class_key(network, numbered(table)), set()).add(total)
    assert all(len(found) == 1 for found in groups.values())
    if kind == "continuous":
        assert len({total for found in groups.values() for total in found}) == len(groups)


@pytest.mark.parametrize("seed", range(5))
def test_labels_are_those_of_all_networks_of_the_class(seed):
    """Compelled and reversible, against a look at every network of up to four variables."""
    rng = random.Random(seed)
    n = 4
    names = "abcd"
    targets = [frozenset(rng.sample(range(n), rng.randint(1, 3))) for _ in range(rng.randint(1, 2))]
    sets = [[names[v] for v in target] for target in targets]
    members: dict[object, list[tuple[frozenset[int], ...]]] = {}
    for network in all_networks(n):
        members.setdefault(class_key(network, targets), []).append(network)
    from bayesloom.verification.labels import compelled_edges

    turned = kept = 0
    for group in members.values():
        first = group[rng.randrange(len(group))]
        own = bl.Network(names, {names[v]: [names[p] for p in up] for v, up in enumerate(first)})
        picture = own.cpdag_under(None, interventions=sets)
        again = compelled_edges(own.parents, interventions=sets)
        for a, b in own.edges:
            other = any(names.index(b) in network[names.index(a)] for network in group)
            assert ((a, b) in picture.compelled) == (not other)
            assert again[a, b] == (not other)
            turned, kept = turned + other, kept + ((a, b) in picture.set_apart)
        assert len(picture.compelled) + len(picture.reversible) == len(own.edges)
    assert turned > 10
    assert kept > 10


def by_names(network, names="abcd"):
    return {names[v]: [names[p] for p in sorted(up)] for v, up in enumerate(network)}


def classes_of(rng: random.Random) -> tuple[list[list[str]], list[list[tuple[frozenset[int], ...]]]]:
    """Sets of targets, and the interventional classes of four variables."""
    targets = [frozenset(rng.sample(range(4), rng.randint(1, 3))) for _ in range(rng.randint(1, 2))]
    members: dict[object, list[tuple[frozenset[int], ...]]] = {}
    for network in all_networks(4):
        members.setdefault(class_key(network, targets), []).append(network)
    return [["abcd"[v] for v in target] for target in targets], list(members.values())


@pytest.mark.parametrize(
    "given",
    [
        {"forbidden": [("b", "a"), ("c", "d")]},
        {"before": [("d", "a")]},
        {"max_parents": {"c": 1}},
        {"required": [("a", "c")], "roots": ["b"]},
        {"tiers": [["a", "b"], ["c", "d"]], "before": [("a", "b")]},
    ],
)
def test_labels_under_constraints_too_are_those_of_all_networks_that_keep_them(given):
    """And of what is compelled it is said right what by interventions, and what by constraints alone."""
    from bayesloom.constraints.model import Constraints
    from bayesloom.verification.labels import compelled_edges

    rng = random.Random(str(given))
    rules = Constraints.given(given)
    constrained = apart = 0
    for sets, group in (
        (sets, group) for sets, groups in (classes_of(rng) for _ in range(4)) for group in groups
    ):
        kept = [network for network in group if not rules.broken_by(by_names(network))]
        if not kept:
            continue
        own = bl.Network("abcd", by_names(rng.choice(kept)))
        picture, alone = (own.cpdag_under(one, interventions=sets) for one in (rules, None))
        again = compelled_edges(own.parents, rules, interventions=sets)
        for a, b in own.edges:
            other = any("abcd".index(b) in network["abcd".index(a)] for network in kept)
            assert ((a, b) in picture.compelled) == (not other)
            assert again[a, b] == (not other)
            assert ((a, b) in picture.constrained) == (not other and (a, b) not in alone.compelled)
        assert picture.set_apart == alone.set_apart
        constrained, apart = constrained + len(picture.constrained), apart + len(picture.set_apart)
    assert constrained > 0
    assert apart > 10


@pytest.mark.parametrize("seed", range(2))
def test_parent_sets_of_a_class_are_those_of_its_networks(seed):
    """Which effects averaged over a class go through."""
    from bayesloom.networks.averaged_effects import parent_sets_in_class

    rng = random.Random(seed)
    sets, groups = classes_of(rng)
    several = 0
    for group in groups:
        own = bl.Network("abcd", by_names(rng.choice(group)))
        for x, name in enumerate("abcd"):
            found = list(parent_sets_in_class(own, name, sets))
            wanted = {frozenset("abcd"[p] for p in network[x]) for network in group}
            assert len(found) == len(wanted)
            assert {frozenset(up) for _, up in found} == wanted
            inside = [by_names(network) for network in group]
            for network, up in found:
                assert {n: sorted(given) for n, given in network.parents.items()} in inside
                assert set(network.parents[name]) == set(up)
            several += len(wanted) > 1
    assert several > 20


@pytest.mark.parametrize(("name", "kind"), [("bic", "discrete"), ("bdeu", "discrete"), ("bge", "continuous")])
@pytest.mark.parametrize("seed", range(3))
def test_learn_finds_the_best_of_all_networks_and_a_credible_set_all_within(name, kind, seed):
    table = experiment(kind, seed + 60, variables=4 + (seed == 0), rows=150)
    n = len(table.names)
    every = totals(table, name, n)
    best = max(every.values())
    result = bl.learn(table, score=name)
    assert result.proof == "all networks"
    assert result.fixed_score == best
    assert result.interventions == table.interventions.targets
    found = bl.credible(table, 20, score=name)
    within = [total for total in every.values() if total >= best - math.floor(math.log(20) * 2**30)]
    assert found.count == len(within)
    with pytest.raises(InputError, match="interventions"):
        _ = found.classes
    # Labels by the networks with the same score.
    if name != "bdeu":
        top = [network for network, total in every.items() if total == best]
        for a, b in result.network.edges:
            i, j = table.index(a), table.index(b)
            same = all(i in network[j] for network in top)
            assert ((a, b) in result.cpdag.compelled) == same


@pytest.mark.parametrize("seed", range(3))
def test_a_limit_on_parents_and_a_bound_over_all_networks(seed):
    """What `learn` says of networks beyond the sets scored holds, without a bound by the table as a whole."""
    from bayesloom.learning.all_networks import bound_all_networks
    from bayesloom.scoring.unscored import unscored_sets

    for name in ("bic", "bdeu", "aic", "qnml"):
        table = experiment("discrete", seed + 80, variables=5, rows=60)
        options = {"ess": 1.0} if name == "bdeu" else {}
        best = max(totals(table, name, 5).values())
        found = bl.learn(table, score=name)
        for most in (0, 1, 2):
            some = unscored_sets(table, name, options, most_parents=most)
            assert some.joint is None
            bound = bound_all_networks(some, name, options, found.local_scores).bound
            assert bound >= best
