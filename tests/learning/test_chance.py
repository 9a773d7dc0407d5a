"""What chance alone gives: by formula, by a shuffled table, and kept out by the extended BIC."""

from __future__ import annotations

import json
import math
import os
import signal
from dataclasses import replace

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.learning.advice import next_steps
from bayesloom.learning.run import LearningRun
from bayesloom.report.page import report_text
from bayesloom.scoring.chance import chance_edges, chi_square_tail, null_edges, shuffled
from bayesloom.scoring.strength import EdgeStrength
from bayesloom.verification import local_scores as verified_scores
from made.command import exit_code

NULL = {"edges": 1, "median": 1.0, "strongest": 1.0, "stronger": 0, "of": 3}


def unrelated(rows: int, columns: int, seed: int, states: int = 2) -> bl.Table:
    draw = np.random.default_rng(seed)
    return bl.read_table(draw.integers(0, states, (rows, columns)))


@pytest.fixture(scope="module")
def many_columns() -> bl.Table:
    return unrelated(80, 40, 1)


@pytest.fixture(scope="module")
def related() -> bl.Table:
    return bl.random_network(10, states=(2, 3), max_parents=3, concentration=0.3, seed=8).sample(800, seed=8)


@pytest.fixture(scope="module")
def found(many_columns) -> bl.SearchResult:
    return bl.learn(many_columns, method="loop", time_limit=None, null=True, threads=1)


# The formula


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 12, 60, 200, 201, 400])
def test_the_tail_is_the_integral_of_the_density(freedom):
    for x in (0.5 * freedom, freedom, 1.5 * freedom, 3.0 * freedom):
        at = np.linspace(math.sqrt(x), math.sqrt(x + 60 * math.sqrt(freedom) + 200), 400_001)  # u = sqrt(t)
        constant = math.log(2) - freedom / 2 * math.log(2) - math.lgamma(freedom / 2)
        density = np.exp(constant + (freedom - 1) * np.log(at) - at**2 / 2)
        expected = float(((density[1:] + density[:-1]) / 2 * np.diff(at)).sum())
        close = {"rel": 1e-5} if freedom <= 200 else {"rel": 0.01, "abs": 1e-4}
        assert chi_square_tail(freedom, x) == pytest.approx(expected, **close)
    assert chi_square_tail(freedom, 0) == 1
    assert chi_square_tail(freedom, 1e6) == pytest.approx(0, abs=1e-12)


def test_the_sum_over_kinds_is_the_sum_over_pairs():
    draw = np.random.default_rng(5)
    used, declared = (2, 2, 3, 4, 3, 1), (2, 3, 3, 4, 5, 1)
    columns = [draw.integers(0, r, 200) for r in used]
    table = bl.Table.from_codes("abcdef", [[str(k) for k in range(r)] for r in declared], columns)
    seen = [len(set(column.tolist())) for column in columns]
    for score, charge, edge in (
        ("bic", math.log(200), 0),
        ("aic", 2, 0),
        ("ebic", math.log(200), math.log(5)),
    ):
        expected = sum(
            chi_square_tail(
                (seen[i] - 1) * (seen[j] - 1),
                charge * (table.cardinalities[i] - 1) * (table.cardinalities[j] - 1) + 2 * edge,
            )
            for i in range(6)
            for j in range(i)
            if seen[i] > 1 and seen[j] > 1
        )
        got = chance_edges(table, score=score)
        assert got.pairs == 15
        assert got.expected == pytest.approx(expected, rel=1e-12)
    assert chance_edges(table, score="bdeu") is None


@pytest.mark.parametrize(("score", "options"), [("bic", {}), ("aic", {}), ("ebic", {"gamma": 0.5})])
def test_as_many_pairs_gain_by_chance_as_the_formula_says(score, options):
    gained = 0
    expected = 0.0
    for seed in range(10):
        table = unrelated(300, 40, seed, states=2 + seed % 2)
        names = table.names
        families = [(a, up) for a in names for up in ([], *([b] for b in names if b < a))]
        values = bl.local_scores(table, families, score=score, options=options)
        alone: dict[str, float] = {}
        for (child, up), value in zip(families, values, strict=True):
            if not up:
                alone[child] = value
            elif value > alone[child]:
                gained += 1
        expected += chance_edges(table, score=score, options=options).expected
    assert gained == pytest.approx(expected, abs=4 * math.sqrt(expected) + 1)


# What learn says


def test_many_columns_for_the_rows_are_warned_of(many_columns, found, tmp_path, capsys):
    edges = len(found.network.edges)
    assert edges > 20  # all false
    assert found.chance.expected > 10
    [note] = found.notes
    assert "by chance alone" in note
    assert f"{edges} edges were found" in note
    run = found.to_json()
    assert run["notes"] == [note]
    assert run["chance"] == {"pairs": 780, "expected": found.chance.expected}
    assert note in report_text({**run, "table": {}}, "html")
    steps = " ".join(next_steps(found, many_columns))
    assert "missing edges" not in steps
    assert "--score ebic" in steps
    assert "--null" not in steps  # it was done
    assert "--null" in " ".join(next_steps(replace(found, null=None), many_columns))


def test_enough_rows_bring_no_warning(related):
    result = bl.learn(related, threads=1)
    assert result.notes == ()
    assert result.chance.expected < 1
    steps = next_steps(result, related)
    assert steps
    assert not any("chance" in step for step in steps)


def test_a_score_without_a_formula_recommends_a_trial(many_columns):
    result = bl.learn(many_columns, score="bdeu", method="loop", time_limit=None, threads=1)
    assert result.chance is None
    assert any("--null" in step for step in next_steps(result, many_columns))


# The shuffled table


def test_shuffling_keeps_columns_and_loses_relations(related):
    one, two, other = shuffled(related, 1), shuffled(related, 1), shuffled(related, 2)
    assert one == two != other
    for name in related.names:
        assert np.bincount(one.column(name)).tolist() == np.bincount(related.column(name)).tolist()
        assert not np.array_equal(one.column(name), related.column(name))
    assert one.states == related.states


def test_null_says_how_many_and_how_strong(many_columns, found):
    shuffled_too = bl.learn(shuffled(many_columns, 0), method="loop", time_limit=None, threads=1)
    strengths = [edge.strength for edge in shuffled_too.edges]
    assert found.null.edges == len(strengths) > 20
    assert found.null.strongest == max(strengths)
    assert found.null.median == pytest.approx(float(np.median(strengths)))
    assert found.null.of == len(found.edges)
    assert found.null.stronger == sum(edge.strength > max(strengths) for edge in found.edges)
    assert found.to_json()["null"] == found.null.to_json()
    assert "learned by chance" in str(found.null)
    text = report_text(found.to_json(), "markdown")
    assert "With every column shuffled by itself" in text


@pytest.mark.parametrize("null", [5, {"edges": 1}, {**NULL, "median": "x"}, {**NULL, "edges": True}])
def test_a_report_of_something_else_is_refused(found, null):
    with pytest.raises(bl.InputError, match="null"):
        report_text({**found.to_json(), "null": null})


def test_real_edges_are_stronger_than_those_of_chance(related):
    result = bl.learn(related, null=True, threads=1)
    assert result.null.edges <= 2
    assert result.null.stronger >= 0.8 * len(result.edges)
    plain = bl.learn(related, threads=1)
    assert (result.network, result.score, result.edges) == (plain.network, plain.score, plain.edges)
    assert plain.null is None


def test_required_edges_are_no_chance():
    edges = [EdgeStrength("a", "b", True, 9.0), EdgeStrength("c", "d", True, 2.0)]
    chance = [EdgeStrength("a", "b", True, -4.0), EdgeStrength("x", "y", False, 1.0)]
    null = null_edges(edges, chance, [("a", "b")])
    assert (null.edges, null.median, null.strongest, null.stronger, null.of) == (1, 1.0, 1.0, 1, 1)
    assert str(null_edges(edges, [], [])) == "with every column shuffled by itself no edge is learned"


def test_the_network_gets_half_of_the_time_and_chance_what_is_left(related, monkeypatch):
    limits = []
    run = LearningRun.run

    def recorded(self, method):
        limits.append((self.table.source, self.time_limit, self.begin))
        return run(self, method)

    monkeypatch.setattr(LearningRun, "run", recorded)
    bl.learn(related, time_limit=50, null=True, threads=1)
    (_, first, begin), (source, second, same) = limits
    assert (first, second) == (25, 50)
    assert begin == same  # the second limit counts from the same beginning
    assert source.endswith("shuffled")


def test_no_trial_after_ctrl_c(many_columns):
    def stop(event) -> None:
        if not stopped:
            stopped.append(event)
            os.kill(os.getpid(), signal.SIGINT)

    stopped: list[object] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = bl.learn(many_columns, method="loop", time_limit=30, null=True, threads=1, progress=stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.interrupted
    assert result.null is None


# Extended BIC


def test_the_extended_bic_keeps_chance_out_and_relations_in(many_columns, found, related):
    strict = bl.learn(many_columns, score="ebic", method="loop", time_limit=None, threads=1)
    assert len(strict.edges) <= 3 < 20 < len(found.edges)
    bic, ebic = (bl.learn(related, score=score, threads=1) for score in ("bic", "ebic"))
    assert ebic.status == "optimal"
    assert ebic.complete
    assert len(ebic.edges) >= 0.8 * len(bic.edges)


def test_gamma_zero_is_bic_and_an_edge_costs_exactly_lambda(related):
    families = [("X0", []), ("X0", ["X1"]), ("X0", ["X1", "X2", "X3"])]
    bic = bl.local_scores(related, families)
    for gamma in (0.0, 0.5, 1.0, 3.0):
        ebic = bl.local_scores(related, families, score="ebic", options={"gamma": gamma})
        assert (bic - ebic).tolist() == pytest.approx([k * gamma * math.log(9) for k in (0, 1, 3)], abs=1e-8)


def test_all_scorers_and_the_verifier_agree_on_the_extended_bic(related):
    options = {"gamma": 0.7}
    best = bl.search(bl.score(related, score="ebic", options=options))
    checked = bl.verify(best.network, table=related, score="ebic", options=options, claimed_score=best.score)
    assert checked.ok
    for method in ("loop", "independence", "greedy", "exhaustive"):
        result = bl.learn(related, score="ebic", options=options, method=method, time_limit=None, threads=1)
        assert result.score == pytest.approx(best.score, abs=1e-6)
        assert result.score_name == "ebic"
    # A network of some of the columns: the prior still knows all of them.
    some = bl.Network(["X0", "X1"], [[], [0]])
    checked = bl.verify(some, table=related, score="ebic", options=options)
    expected = bl.local_scores(related, [("X0", []), ("X1", ["X0"])], score="ebic", options=options).sum()
    assert checked.score == pytest.approx(float(expected), abs=1e-8)
    with pytest.raises(bl.InputError, match="gamma must be a number of 0 or more"):
        verified_scores(related.codes, related.cardinalities, [[]] * 10, "ebic", {"gamma": -1})


# What more time can do


def test_advice_promises_no_smaller_gap(related):
    best = bl.learn(related, threads=1)
    first, *_ = next_steps(replace(best, constraints={"required": []}))
    assert "time" not in first
    told = {}
    for status in ("optimal", "stopped"):
        for complete in (True, False):
            gap = 0.0 if status == "optimal" else 2.0
            result = replace(best, status=status, complete=complete, bound=best.score + gap)
            told[status, complete] = " ".join(s for s in next_steps(result) if "--time-limit" in s)
    assert told["optimal", True] == ""
    assert "prove that there is none" in told["stopped", True]
    assert "not scored are not ruled out" in told["optimal", False]
    assert "can grow" in told["stopped", False]
    assert not any("smaller gap" in text for text in told.values())


# The command line


def test_null_and_score_options_on_the_command_line(many_columns, tmp_path, capsys):
    many_columns.write(tmp_path / "t.csv")
    source = str(tmp_path / "t.csv")
    common = ["--method", "loop", "--time-limit", "4", "--threads", "1"]
    assert exit_code("learn", source, "--null", "--report", str(tmp_path / "r.md"), *common) in (0, 3)
    text = capsys.readouterr().out
    assert "chance alone: with every column shuffled by itself" in text
    assert "--score ebic" in text
    assert "by chance alone" in (tmp_path / "r.md").read_text()
    strict = ["--score", "ebic", "--score-option", "gamma=2"]
    assert exit_code("learn", source, *strict, "--json", "-", *common) in (0, 3)
    run = json.loads(capsys.readouterr().out)
    assert run["score_name"] == "ebic"
    assert run["null"] is None
    parents = {name: tuple(up) for name, up in run["parents"].items()}
    network = bl.Network(run["variables"], parents)
    assert bl.verify(
        network, table=many_columns, score="ebic", options={"gamma": 2}, claimed_score=run["score"]
    ).ok
    for wrong in ("gamma", "gamma=x", "gamma=nan"):
        assert exit_code("learn", source, "--score", "ebic", "--score-option", wrong) == 1
        assert "--score-option must look like gamma=0.5" in capsys.readouterr().err
    assert exit_code("learn", source, "--score", "bic", "--score-option", "gamma=1") == 1
    assert "score 'bic' has no option 'gamma'" in capsys.readouterr().err
