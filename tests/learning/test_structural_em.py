"""Structural EM: what is filled in, that no turn lowers the score, and where it ends."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.learning import filling_in
from made.command import run
from made.missing import gappy, with_gaps


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("score", ["bic", "aic"])
def test_no_turn_lowers_the_score_and_it_ends(seed, score):
    table = gappy("discrete", seed, variables=5, rows=120, share=[0.05, 0.2, 0.4][seed % 3])
    found = bl.structural_em(table, score=score, turns=100, threads=1, time_limit=None)
    assert list(found.scores) == sorted(found.scores)
    assert found.converged
    assert not found.filled.gaps
    for name in table.names:
        there = ~table.lacking(name)
        assert np.array_equal(found.filled.column(name)[there], table.column(name)[there])
    # A fixed point: the network is the best of the table filled in, and fills it in the same way.
    assert found.learned.proof == "all networks"
    assert found.learned.score == pytest.approx(found.scores[-1])
    again = found.network.fit(found.filled, method="ml").impute(table, "joint")
    assert all(map(np.array_equal, again.codes, found.filled.codes))
    assert found.learned.verify(exhaustive=True).ok


def test_some_take_several_turns():
    turns = [
        len(bl.structural_em(gappy("discrete", seed, variables=5, rows=120, share=0.4), threads=1).scores)
        for seed in range(8)
    ]
    assert max(turns) > 1


def test_filled_in_is_the_most_probable_completion_by_brute_force():
    table = gappy("discrete", 3, variables=4, rows=60, share=0.4)
    found = bl.structural_em(table, threads=1)
    fitted = found.network.fit(found.filled, method="ml")
    gone = np.array([table.lacking(name) for name in table.names])
    looked = 0
    for row in np.flatnonzero(gone.sum(axis=0) > 1)[:20]:
        holes = np.flatnonzero(gone[:, row])
        own = [int(column[row]) for column in found.filled.codes]

        def log_of(codes: list[int]) -> float:
            one = bl.Table.from_codes(table.names, table.states, [[code] for code in codes])
            return fitted.log_likelihood(one)

        best = max(
            log_of([dict(zip(holes, chosen, strict=True)).get(v, code) for v, code in enumerate(own)])
            for chosen in np.ndindex(*(len(table.states[v]) for v in holes))
        )
        assert log_of(own) == pytest.approx(best)
        looked += 1
    assert looked > 5


@pytest.mark.parametrize("state", range(3))
def test_a_state_called_missing_is_a_value(state):
    """What it is called does not matter: the same is found as under another name."""
    rng = np.random.default_rng(7)
    a = rng.integers(0, 3, 300)
    b = np.where(rng.random(300) < 0.8, a, rng.integers(0, 3, 300))
    gone = rng.random((2, 300)) < 0.15
    found = []
    for name in ("missing", "other"):
        states = ["p", "q"]
        states.insert(state, name)
        whole = bl.Table.from_codes("ab", [states] * 2, [a, b])
        given = bl.Table.from_codes(
            "ab", [states] * 2, [np.where(gone[v], 3, whole.codes[v]) for v in range(2)], gaps=True
        )
        found.append(bl.structural_em(given, threads=1))
        for v in range(2):
            assert np.array_equal(found[-1].filled.codes[v][~gone[v]], whole.codes[v][~gone[v]])
        assert found[-1].filled.states == given.states
    assert found[0].scores == found[1].scores
    assert all(map(np.array_equal, found[0].filled.codes, found[1].filled.codes))


def test_turns_and_what_there_is_nothing_to_do_for():
    table = gappy("discrete", 5, variables=5, rows=120, share=0.4)
    assert len(bl.structural_em(table, turns=1, threads=1).scores) == 1
    whole = bl.random_network(4, seed=1).sample(200, seed=1)
    found = bl.structural_em(whole, threads=1)
    assert found.converged
    assert found.filled == whole
    assert found.learned.score == bl.learn(whole, threads=1).score


def test_ctrl_c_before_the_first_turn_leaves_one_short_turn(monkeypatch):
    given = []

    def learn(table, **options):
        given.append((options["score"], options["time_limit"]))
        found = bl.learn(table, **options)
        return replace(found, interrupted=options["score"] == "pnal")

    monkeypatch.setattr(filling_in, "learn", learn)
    table = gappy("discrete", 5, variables=5, rows=120, share=0.4)
    found = bl.structural_em(table, threads=1, time_limit=None)
    assert given == [("pnal", None), ("bic", filling_in.LEAST_TIME)]
    assert found.learned.interrupted
    assert not found.converged
    assert "it ended before it settled" in str(found)
    assert not found.filled.gaps


def test_constraints_are_kept():
    table = gappy("discrete", 5, variables=5, rows=200, share=0.2)
    a, b = table.names[:2]
    found = bl.structural_em(table, constraints={"required": [[a, b]]}, max_parents=1, threads=1)
    assert (a, b) in found.network.edges
    assert max(map(len, found.network.parents.values())) == 1


def test_an_edge_that_dropping_rows_loses_is_found():
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2, 400)
    b = np.where(rng.random(400) < 0.85, a, 1 - a)
    whole = bl.Table.from_codes("ab", [["n", "y"]] * 2, [a, b])
    found = bl.structural_em(with_gaps(whole, 0.3, 1), threads=1)
    assert len(found.network.edges) == 1


def test_on_the_command_line(tmp_path, capsys):
    table = gappy("discrete", 2, variables=4, rows=200, share=0.2)
    table.write(tmp_path / "t.csv")
    filled, out = tmp_path / "filled.parquet", tmp_path / "run.json"
    ended = run(capsys, "learn", tmp_path / "t.csv", "--em", filled, "--json", out)
    assert ended.code == 0
    assert "structural EM" in ended.out + ended.err
    assert "of the table filled in" in ended.out + ended.err
    assert bl.read_table(filled).row_count == 200
    assert json.loads(out.read_text())["table"]["source"] == str(filled)
    assert run(capsys, "verify", out, "--data", filled).code == 0
    # What is suggested is of the table filled in: the result is.
    assert f"bayesloom credible {filled}" in ended.out
    options = ("--exclude", table.names[0], "--score", "aic")
    ended = run(capsys, "learn", tmp_path / "t.csv", "--em", filled, *options)
    [line] = [line for line in ended.out.splitlines() if "bayesloom credible" in line]
    assert line.endswith(f"bayesloom credible {filled} --strict --score aic")
    lines = [
        "@relation r",
        "@attribute a {x,y,z}",
        "@attribute b {u,v}",
        "@data",
        *["x,u", "y,v", "?,u"] * 10,
    ]
    (tmp_path / "t.arff").write_text("\n".join(lines))
    for ending, kept in (("csv", False), ("parquet", True)):
        filled_too = tmp_path / f"filled.{ending}"
        ended = run(capsys, "learn", tmp_path / "t.arff", "--em", filled_too, "--json", out)
        assert ("does not keep the states that no row shows" in ended.out) == (not kept)
        assert (run(capsys, "verify", out, "--data", filled_too).code == 0) == kept
    for option, value in (
        ("--null", ()),
        ("--dask", ("local:2",)),
        ("--memory", (1,)),
        ("--blocks", (tmp_path,)),
    ):
        refused = run(capsys, "learn", tmp_path / "t.csv", "--em", filled, option, *value)
        assert refused.code == 1
        assert f"{option} would be without effect" in refused.err
