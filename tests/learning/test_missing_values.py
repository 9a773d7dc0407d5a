"""`learn` and what follows it on tables whose values are missing."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from made.command import run
from made.missing import KINDS, gappy

every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@pytest.mark.parametrize("seed", range(3))
def test_a_small_table_is_proved_and_verified(kind, seed):
    table = gappy(kind, seed, variables=5, rows=300)
    result = bl.learn(table, score="pnal", threads=1)
    assert (result.status, result.proof, result.gap) == ("optimal", "all networks", 0)
    assert result.verify(exhaustive=True).ok
    assert bl.search(bl.score(table, score="pnal"), solver="dp").fixed_score == result.fixed_score
    assert bl.search(bl.score(table, score="pnal"), solver="astar").fixed_score == result.fixed_score
    assert any("rows that have a value" in note for note in result.notes)


@every_kind
def test_the_loop_constraints_and_credible_sets(kind):
    table = gappy(kind, 7, variables=6, rows=300)
    best = bl.search(bl.score(table, score="pnal"), solver="dp")
    loop = bl.learn(table, score="pnal", method="loop", time_limit=None, threads=1)
    assert loop.score <= best.score + 1e-9
    assert loop.verify().ok
    discrete = [name for name in table.names if name not in table.continuous]
    a, b = (discrete if len(discrete) > 1 else list(table.names))[:2]
    rules = {"required": [[a, b]], "max_parents": 2}
    kept = bl.learn(table, score="pnal", constraints=rules, threads=1)
    assert (a, b) in kept.network.edges
    assert kept.verify().ok
    found = bl.credible(table, 5.0, score="pnal")
    assert found.count >= 1
    assert found.best == pytest.approx(best.score)


def test_reading_keeps_what_is_missing_for_pnal_alone():
    rows = {"a": ["x", "y", None, "x"] * 20, "b": [1, 2, 1, None] * 20, "c": ["u", "v", "u", "u"] * 20}
    result = bl.learn(rows, score="pnal")
    assert result.table.gaps
    assert result.table.states == (("x", "y"), ("1", "2"), ("u", "v"))
    assert result.table.lacking("a").sum() == 20
    assert "Missing values stay missing: 'a' (20), 'b' (20)." in result.table.notes
    assert bl.learn(rows).table.states[0] == ("x", "y", "missing")
    assert bl.learn(rows, score="pnal", missing="state").table.states[0] == ("x", "y", "missing")
    with pytest.raises(
        InputError, match=r"score 'bic' needs every value, and 'a', 'b' are missing in some rows"
    ):
        bl.learn(rows, missing="keep", score="bic")
    assert bl.learn(rows, missing="keep").score_name == "pnal"
    whole = bl.read_table({"a": ["x", "y"] * 5}, missing="keep")
    assert not whole.gaps


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "feather"])
def test_tables_with_gaps_are_written_and_read_again(suffix, tmp_path):
    table = gappy("mixed", 2, variables=5, rows=50)
    table.write(tmp_path / f"t.{suffix}")
    states = {name: list(own) for name, own in zip(table.names, table.states, strict=True) if own}
    again = bl.read_table(tmp_path / f"t.{suffix}", missing="keep", continuous="all", states=states)
    assert again == table
    assert again.gaps


def test_tables_with_gaps_keep_them_on_the_way():
    import pickle

    table = gappy("mixed", 2, variables=5, rows=50)
    assert pickle.loads(pickle.dumps(table)) == table
    assert table.select(table.names[:2]).gaps
    assert table.with_seen_states().gaps
    changed = list(table.codes)
    changed[0] = np.where(table.lacking(table.names[0]), 0, table.codes[0])
    assert bl.Table.from_codes(table.names, table.states, changed, gaps=True) != table
    with pytest.raises(InputError, match=r"expected a finite number|expected 0 to"):
        bl.Table.from_codes(table.names, table.states, table.codes)


def rows_of(table):
    """What each row holds: the states of its values that are not missing."""
    shown = [
        np.where(table.lacking(name), None, np.array([*states, ""], dtype=object)[codes])
        for name, states, codes in zip(table.names, table.states, table.codes, strict=True)
    ]
    return [dict(zip(table.names, row, strict=True)) for row in zip(*shown, strict=True)]


@every_kind
def test_a_network_is_fitted_to_the_rows_complete_on_each_family(kind):
    table = gappy(kind, 3, variables=4, rows=400)
    network = bl.learn(table, score="pnal", threads=1).network
    fitted = network.fit(table)
    child, parents = max(network.parents.items(), key=lambda item: len(item[1]))
    here = ~np.logical_or.reduce([table.lacking(name) for name in (child, *parents)])
    part = bl.Table.from_codes(table.names, table.states, [c[here] for c in table.codes], gaps=True)
    again = network.fit(part)
    if kind == "discrete":
        assert np.allclose(fitted.cpt(child), again.cpt(child))
    filled = fitted.impute(table)
    assert not filled.gaps
    if kind == "discrete":
        each = [fitted.log_probability(row) for row in rows_of(table)]
        assert fitted.log_likelihood(table) == pytest.approx(sum(each))


def test_on_the_command_line(tmp_path, capsys):
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 300)
    b = np.where(rng.random(300) < 0.9, a, 1 - a)
    lines = ["a,b,c"]
    for x, y in zip(a, b, strict=True):
        lines.append(
            f"{x if rng.random() < 0.8 else ''},{y if rng.random() < 0.8 else 'NA'},{rng.integers(0, 2)}"
        )
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    out = tmp_path / "run.json"
    assert run(capsys, "learn", tmp_path / "t.csv", "--score", "pnal", "--json", out).code == 0
    found = json.loads(out.read_text())
    assert found["score_name"] == "pnal"
    assert {tuple(sorted((e["from"], e["to"]))) for e in found["edges"]} == {("a", "b")}
    assert run(capsys, "verify", out, "--data", tmp_path / "t.csv").code == 0
    assert run(capsys, "score", tmp_path / "t.csv", "-o", tmp_path / "t.blc", "--score", "pnal").code == 0
    assert run(capsys, "search", tmp_path / "t.blc", "--json", tmp_path / "again.json").code == 0
    again = json.loads((tmp_path / "again.json").read_text())
    assert again["score"] == pytest.approx(found["score"])


def test_the_bootstrap_and_the_shuffled_table_keep_gaps():
    table = gappy("discrete", 3, variables=4, rows=200)
    found = bl.bootstrap(table, replicates=3, score="pnal")
    assert found.replicates == 3
    assert bl.learn(table, score="pnal", null=True, time_limit=10).null is not None


def test_a_column_without_any_value_says_nothing():
    rows = {"a": ["x", "y"] * 30, "b": ["x", "y"] * 30, "c": [None] * 60}
    result = bl.learn(rows, score="pnal")
    assert all("c" not in edge for edge in result.network.edges)
    assert result.verify().ok
