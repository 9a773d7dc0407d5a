"""A short run of each fuzzer with fixed seeds, and that they would notice; `make fuzz` takes minutes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom import credible as credible_networks
from fuzz import caches, files, kinds, proofs, run, tables, truth, verbs
from reference.enumeration import acyclic, best_by_subsets, class_ids, network_scores, networks
from reference.graphs import all_networks, classes

SHORT = {"tables": 150, "kinds": 40, "caches": 100, "proofs": 300, "files": 480, "verbs": 5}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHORT)
def test_nothing_is_claimed_wrongly(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(run, "HANGS", 0)  # no test knows the time
    cases, claims, wrong = run.fuzz(
        kind, seed=0, count=SHORT[kind], seconds=None, jobs=1, out=tmp_path / "wrong"
    )
    assert cases == SHORT[kind]
    assert claims >= cases
    assert wrong == 0, capsys.readouterr().out


# They would notice


def lying(real, **changes):
    def answer(*arguments, **options):
        return dataclasses.replace(real(*arguments, **options), **changes)

    return answer


def sorts(case):
    return {run.sort_of(words) for words in tables.check(case)[1]}


CHAIN = tables.TableCase(
    ("a", "b", "c"), (2, 2, 2), tuple((k % 2, k % 2, (k // 2) % 2) for k in range(16)), learn="auto"
)


def test_what_is_true_passes():
    assert tables.check(CHAIN)[1] == []


def test_a_false_optimum_a_false_bound_and_a_false_label_are_noticed(monkeypatch):
    empty = bl.Network(["a", "b", "c"], [[], [], []])
    real_search, real_learn = bl.search, bl.learn
    monkeypatch.setattr(bl, "search", lying(real_search, network=empty))
    assert sorts(CHAIN) >= {"score"}
    worse = real_search(bl.score(CHAIN.table), solver="inobs", work_limit=1)
    monkeypatch.setattr(bl, "search", lying(real_search, network=empty, score=float(empty_score(CHAIN))))
    assert sorts(CHAIN) >= {"optimal"}
    monkeypatch.setattr(bl, "search", lying(real_search, bound=worse.score - 1000.0))
    assert sorts(CHAIN) >= {"bound"}
    monkeypatch.setattr(bl, "search", real_search)
    found = real_learn(CHAIN.table)
    turned = tuple(edge._replace(compelled=not edge.compelled) for edge in found.edges)
    assert turned
    monkeypatch.setattr(bl, "learn", lying(real_learn, edges=turned))
    assert sorts(CHAIN) == {"label"}


def empty_score(case):
    local = truth.scores_of_table(case.rows, case.cardinalities, case.score, case.number, 0)
    return local[:, 0].sum()


def test_a_wrong_count_is_noticed(monkeypatch):
    monkeypatch.setattr(bl, "credible", lambda cache, factor, **more: credible_networks(cache, 1.0, **more))
    assert "count" in sorts(dataclasses.replace(CHAIN, factor=1000.0))


def test_a_cache_that_is_called_complete_is_noticed(monkeypatch):
    case = caches.random_case(1)
    assert caches.check(case)[1] == []
    monkeypatch.setattr(bl, "search", lying(bl.search, complete=True))
    assert {run.sort_of(words) for words in caches.check(case)[1]} == {"complete"}


def test_a_false_proof_by_any_way_is_noticed(monkeypatch):
    """Of each way to a proof a case in which the best score less one unit is told as the best."""
    real = _core.bblp
    told = set()

    def lower(*arguments, **options):
        out = real(*arguments, **options)
        return {**out, "bound": out["bound"] - 1}

    def lower_part(*arguments, **options):
        out = real_part(*arguments, **options)
        return {**out, "open": [], "candidates": [], "bound": -(2**61)}

    real_part = _core.bblp_part
    for seed in range(40):
        case = proofs.random_case(seed)
        assert proofs.check(case)[1] == []
        with monkeypatch.context() as changed:
            changed.setattr(_core, "bblp", lower)
            changed.setattr(_core, "bblp_part", lower_part)
            changed.setattr(bl, "search", lying(bl.search, fixed_bound=-(2**61)))
            wrong = {run.sort_of(words) for words in proofs.check(case)[1]}
        if wrong:
            told.add(case.way)
            assert wrong & {"bound", "optimal", "error"}, (seed, wrong)
    assert told >= {"prices", "part", "subtrees", "search"}


def test_wrong_shards_and_a_false_best_of_numbers_are_noticed(monkeypatch):
    case = kinds.KindCase(
        ("a", "b"),
        (0, 0),
        tuple((round(0.37 * k % 1, 3), round(0.37 * k % 1 + 0.11 * (k % 3), 3)) for k in range(20)),
        score="bic-g",
        shards=2,
        posterior=True,
    )
    assert kinds.check(case)[1] == []
    with monkeypatch.context() as changed:
        changed.setattr(bl, "merge", lambda parts: bl.score(case.table, score="bic-g", max_parents=0))
        assert {run.sort_of(words) for words in kinds.check(case)[1]} == {"merge"}
    empty = bl.Network(["a", "b"], [[], []])
    monkeypatch.setattr(bl, "search", lying(bl.search, network=empty))
    assert {run.sort_of(words) for words in kinds.check(case)[1]} >= {"score"}


def test_a_reader_that_breaks_is_noticed(monkeypatch):
    def breaks(_path):
        raise IndexError("list index out of range")

    monkeypatch.setattr(files, "read_network", breaks)
    assert files.check(files.changed_file("network", "bif", 3))[1] == [
        "IndexError: bif: list index out of range"
    ]


def test_steps_that_do_not_do_what_they_should_are_noticed(monkeypatch):
    case = verbs.VerbCase(
        verbs.random_case(0).rows,
        verbs.random_case(1).rows,
        (
            verbs.Step(("learn", "t.csv", "--json", "r0.json")),
            verbs.Step(("verify", "r0.json", "--data", "t.csv")),
        ),
    )
    assert verbs.check(case)[1] == []
    monkeypatch.setattr(verbs, "in_process", lambda line: (0, ""))
    assert "absent" in verbs.check(case)[1][0]
    assert "bayesloom learn t.csv --json r0.json" in case.script()


def test_a_case_that_fails_becomes_small_and_can_be_run_again(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bl, "search", lying(bl.search, bound=-1e9))
    case = tables.random_case(3)
    assert run.sort_of(tables.check(case)[1][0]) == "bound"
    less, words = run.shrink("tables", case, "bound")
    assert words.startswith("bound")
    assert len(less.rows) * len(less.names) < len(case.rows) * len(case.names)
    run.report("tables", 7, "bound: so", "bound", tmp_path)
    assert run.replay(tmp_path / "tables-7.json") == 1
    assert "wrong" in capsys.readouterr().out
    monkeypatch.undo()
    assert run.replay(tmp_path / "tables-7.json") == 0


@pytest.mark.parametrize("kind", run.CASES)
def test_cases_follow_from_their_seeds_and_survive_being_written(kind):
    here = run.module(kind)
    for seed in range(40):
        case = here.random_case(seed)
        assert case == here.random_case(seed)
        assert getattr(here, run.CASES[kind]).from_plain(case.plain()) == case


# The reference


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_networks_and_classes_are_those_of_the_definition(n):
    found = {tuple(map(int, row)) for row in networks(n)}
    assert found == {tuple(sum(1 << p for p in up) for up in parents) for parents in all_networks(n)}
    assert len(networks(n)) == len(found)
    assert len(set(class_ids(n).tolist())) == len(classes(n))


def test_larger_numbers_of_networks_are_known():
    assert [len(networks(n)) for n in (5, 6)] == [29281, 3781503]
    assert len(set(class_ids(5).tolist())) == 8782
    assert acyclic(networks(5)).all()


@pytest.mark.parametrize("seed", range(5))
def test_both_ways_to_the_best_agree(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(5, 32))
    for v in range(5):
        scores[v, (np.arange(32) >> v & 1) == 1] = -np.inf
    scores[rng.random((5, 32)) < 0.4] = -np.inf
    best = network_scores(scores).max()
    assert np.isfinite(best)
    assert best_by_subsets(scores) == pytest.approx(best)
