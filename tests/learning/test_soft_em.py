"""Structural EM in its soft form, and of numbers: what it claims, held against EM as the textbooks"
" write it."""

from __future__ import annotations

import json
import shlex
from math import log

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.learning import filling_in
from bayesloom.learning.filling_in import parameters
from bayesloom.networks import expectation
from made.command import run
from made.missing import KINDS, gappy, with_gaps
from networks.test_expectation import rows_of, tables_of
from reference import expected


def charge_of(table: bl.Table, score: str) -> float:
    return 1.0 if score == "aic" else log(table.total_weight) / 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["hard", "soft"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_said_of_the_table_and_of_the_data(kind, form, seed):
    table = gappy(kind, seed, variables=5, rows=150, share=[0.1, 0.3][seed % 2])
    found = bl.structural_em(table, form=form, threads=1, time_limit=None, turns=50)
    assert found.converged
    assert not found.filled.gaps
    assert found.filled.total_weight == found.units * table.total_weight
    assert found.learned.proof == "all networks"
    assert found.learned.verify(exhaustive=True).ok
    assert found.scores[-1] == pytest.approx(found.learned.score / found.units)
    assert found.fitted.network == found.network
    if form == "hard":
        assert found.observed == ()
        assert list(found.scores) == sorted(found.scores)
        for name in table.names:
            there = ~table.lacking(name)
            assert np.array_equal(found.filled.column(name)[there], table.column(name)[there])
        return
    assert list(found.observed) == sorted(found.observed)
    own = found.fitted.log_likelihood(table) - charge_of(table, "bic") * parameters(found.fitted)
    assert found.observed[-1] == pytest.approx(own)
    assert found.scores[-1] < found.observed[-1]  # less by the entropy of what is missing


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("score", ["bic", "aic"])
def test_the_textbook_goes_the_same_way(seed, score):
    """The same turns with real weights, all networks looked at, and every way to fill in a row listed."""
    table = gappy("discrete", seed, variables=3, rows=60, share=0.25)
    empty = bl.Network(table.names, {}).fit(table, method="dirichlet")
    found = bl.structural_em(
        table, form="soft", score=score, start=empty, threads=1, turns=50, time_limit=None
    )
    charge = charge_of(table, score)
    rows, states = rows_of(table), table.cardinalities
    parents: list[tuple[int, ...]] = [(), (), ()]
    tables = tables_of(empty)
    values: list[float] = []

    def steps() -> float:
        nonlocal tables
        for _ in range(200):
            counts, _ = expected.completions(rows, states, parents, tables)
            tables = [expected.maximised(counts, states, v, up)[1] for v, up in enumerate(parents)]
        return expected.completions(rows, states, parents, tables)[1]

    steps()
    for _ in range(50):
        counts, _ = expected.completions(rows, states, parents, tables)
        _, parents = expected.best_network(counts, states, charge)
        tables = [expected.maximised(counts, states, v, up)[1] for v, up in enumerate(parents)]
        free = sum(
            (states[v] - 1) * np.prod([states[p] for p in up], dtype=int) for v, up in enumerate(parents)
        )
        values.append(steps() - charge * free)
        if len(values) > 1 and values[-1] - values[-2] < 1e-9:
            break
    assert values == sorted(values) or max(np.diff(values) * -1) < 1e-6
    assert found.observed[-1] == pytest.approx(values[-1], abs=0.2)
    named = bl.Network(
        table.names, {table.names[v]: [table.names[p] for p in up] for v, up in enumerate(parents)}
    )
    assert found.network.cpdag == named.cpdag


def test_some_turns_gain():
    gains = []
    for seed in (4, 6):
        table = gappy("discrete", seed, variables=5, rows=150, share=0.4)
        empty = bl.Network(table.names, {})
        observed = bl.structural_em(table, form="soft", start=empty, threads=1).observed
        gains.append(observed[-1] - observed[0])
    assert max(gains) > 0.5


def test_nothing_missing_nothing_to_do():
    whole = gappy("mixed", 1, share=0)
    for form in ("hard", "soft"):
        found = bl.structural_em(whole, form=form, threads=1)
        assert found.converged
        assert found.units == 1
        assert found.learned.score == pytest.approx(bl.learn(whole, threads=1).score)


def test_hidden_by_halves_the_edge_is_found_with_its_strength():
    """Numbers lost completely at random: the regression is that of the complete table, variance included."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=2000)
    y = 2 * x + rng.normal(size=2000)
    whole = bl.Table.from_codes("xy", [[], []], [x, y])
    table = with_gaps(whole, 0.25, 3)
    found = {form: bl.structural_em(table, form=form, threads=1) for form in ("hard", "soft")}
    for one in found.values():
        assert len(one.network.edges) == 1
    left = {}
    for form, one in found.items():
        cov = np.asarray(one.fitted.query(["x", "y"]).covariance)
        left[form] = cov[1, 1] - cov[0, 1] ** 2 / cov[0, 0]
    assert left["soft"] == pytest.approx(1, abs=0.1)
    assert left["hard"] < 0.8  # filled in by means, variances shrink


def test_weights_are_rows():
    table = gappy("discrete", 2, variables=4, rows=60, share=0.2)
    weights = np.random.default_rng(1).integers(1, 4, 60)
    heavy = bl.Table.from_codes(table.names, table.states, table.codes, gaps=True, weights=weights)
    for form in ("hard", "soft"):
        one, two = (bl.structural_em(each, form=form, threads=1) for each in (heavy, heavy.expanded()))
        assert one.network.cpdag == two.network.cpdag
        assert one.scores == pytest.approx(two.scores, rel=1e-3)
        assert one.observed == pytest.approx(two.observed, abs=0.1)


def test_the_form_goes_by_the_columns():
    for kind, form in (("discrete", "hard"), ("continuous", "soft"), ("mixed", "soft")):
        assert bl.structural_em(gappy(kind, 1), turns=1, threads=1).form == form
    assert bl.structural_em(gappy("continuous", 1), score="bge", turns=1, threads=1).form == "hard"


def test_gone_on_from():
    table = gappy("discrete", 5, variables=5, rows=120, share=0.4)
    empty = bl.Network(table.names, {})
    one = bl.structural_em(table, form="soft", turns=1, start=empty, threads=1)
    assert len(one.observed) == 1
    more = bl.structural_em(table, form="soft", start=one.fitted, threads=1)
    assert more.observed[0] >= one.observed[0] - 1e-9
    assert more.converged


def test_what_does_not_go_is_said():
    table = gappy("discrete", 1)
    with pytest.raises(InputError, match="unknown form of structural EM 'weak'"):
        bl.structural_em(table, form="weak")
    with pytest.raises(InputError, match=r"log-likelihood less a penalty: 'bic', .*; got 'bdeu'"):
        bl.structural_em(table, form="soft", score="bdeu")
    numbers = gappy("continuous", 1)
    with pytest.raises(
        InputError, match=r"'X0' is continuous, and structural EM fills in numbers under 'bic-g'"
    ):
        bl.structural_em(numbers, score="bic")
    a, b = table.names[:2]
    with pytest.raises(InputError, match="start breaks the constraints"):
        bl.structural_em(
            table, start=bl.Network.from_edges(table.names, [(a, b)]), constraints={"forbidden": [[a, b]]}
        )
    with pytest.raises(InputError, match="different variables: 'X0' is only in the table"):
        bl.structural_em(table, start=bl.Network("z", {}))


def test_too_large_for_whole_numbers(monkeypatch):
    monkeypatch.setattr(filling_in, "MOST_CELLS", 1000)
    with pytest.raises(InputError, match="too many for the soft form"):
        bl.structural_em(gappy("discrete", 1), form="soft")


@pytest.mark.parametrize("kind", KINDS)
def test_on_the_command_line(tmp_path, capsys, kind):
    table = gappy(kind, 2, variables=4, rows=200, share=0.2)
    table.write(tmp_path / "t.csv")
    filled, out, net = tmp_path / "filled.parquet", tmp_path / "run.json", tmp_path / "net.json"
    line = ["learn", tmp_path / "t.csv", "--em", filled, "--em-form", "soft", "--json", out]
    line += [] if kind == "discrete" else ["--score", {"continuous": "bic-g", "mixed": "bic-cg"}[kind]]
    ended = run(capsys, *line, "-o", net)
    assert ended.code == 0, ended.err
    assert "soft structural EM" in ended.out + ended.err
    said = json.loads(out.read_text())["em"]
    assert said["form"] == "soft"
    assert said["observed"] == sorted(said["observed"])
    assert said["units"] > 1
    again = run(capsys, "verify", out, "--data", filled)
    assert again.code == 0, again.out + again.err
    # Credible sets of rows that count many times mean nothing.
    assert f"bootstrap {tmp_path / 't.csv'} --score pnal" in ended.out
    assert "credible" not in ended.out
    units = json.loads(out.read_text())["em"]["units"]
    score = json.loads(out.read_text())["score"]
    assert f"each row counts as {units:,}" in ended.out
    assert f"score {score / units:.6f}, gap 0" in ended.out
    sure = run(capsys, "bootstrap", tmp_path / "t.csv", "--score", "pnal", "--replicates", "2", "-q")
    assert sure.code == 0, sure.err
    # The network in the file is the one with the parameters that the weighted table has.
    assert bl.read_network(net).names == table.names
    more = run(capsys, *line, "--start", net)
    assert more.code == 0, more.err
    other = run(capsys, *line[:6], "--score", "bdeu")
    assert (other.code, "or --em-form hard." in other.err) == (1, True)
    refused = run(capsys, "learn", tmp_path / "t.csv", "--em-form", "soft")
    assert (refused.code, "--em-form would be without effect" in refused.err) == (1, True)


@pytest.mark.parametrize("form", ["hard", "soft"])
@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "parquet", "dat"])
def test_a_run_tells_how_the_table_filled_in_is_read(tmp_path, capsys, form, ending):
    gappy_rows = [("" if k % 7 == 0 else k % 3, "" if k % 11 == 0 else "xy"[k % 2]) for k in range(120)]
    rows = [f"{k % 30},{one},{two},{1 + k % 2}" for k, (one, two) in enumerate(gappy_rows)]
    (tmp_path / "t.csv").write_text("\n".join(["day,1,weight,often", *rows]))  # names and values that mislead
    filled, out = tmp_path / f"filled.{ending}", tmp_path / "run.json"
    line = ["learn", tmp_path / "t.csv", "--em", filled, "--em-form", form, "--json", out, "-q"]
    made = run(capsys, *line, "--discrete", "all", "--weights", "often", "--score", "bic")
    assert made.code == 0, made.err
    checked = run(capsys, "verify", out, "--data", filled)
    assert checked.code == 0, checked.out + checked.err
    for verb in ("report", "view --no-open"):
        page = run(capsys, *verb.split(), out, "--data", filled, "-o", tmp_path / "page.html", "-q")
        assert page.code == 0, page.err
    wrong = run(capsys, "verify", out, "--data", tmp_path / "t.csv")  # the table with its gaps
    assert wrong.code == 1
    if form == "hard":  # the command that is suggested reads it so, too
        told = run(capsys, *line[:-1], "--discrete", "all", "--weights", "often", "--score", "bic")
        [suggested] = [
            one.partition("bayesloom ")[2] for one in told.out.splitlines() if "bayesloom credible" in one
        ]
        sure = run(capsys, *shlex.split(suggested), "--json", tmp_path / "sure.json", "-q")
        assert sure.code == 0, sure.err
        best = json.loads((tmp_path / "sure.json").read_text())["best"]
        assert best == pytest.approx(json.loads(out.read_text())["score"], abs=1e-6)


def test_ctrl_c_and_time_keep_the_last_turn(monkeypatch):
    table = gappy("mixed", 6, variables=5, rows=150, share=0.3)
    short = bl.structural_em(table, form="soft", time_limit=1e-6, threads=1)
    assert len(short.observed) == 1
    assert not short.converged
    assert short.learned.verify().ok
    empty = bl.Network(table.names, {})
    whole = bl.structural_em(table, form="soft", start=empty, threads=1)
    assert len(whole.observed) > 1
    calls, once = [], filling_in._settled

    def settled(*given):
        calls.append(1)
        if len(calls) == 3:  # of the network to begin with, of the first turn, of the second
            raise KeyboardInterrupt
        return once(*given)

    monkeypatch.setattr(filling_in, "_settled", settled)
    ended = bl.structural_em(table, form="soft", start=empty, threads=1)
    assert ended.learned.interrupted
    assert not ended.converged
    assert ended.observed == whole.observed[:1]
    assert ended.fitted.network == ended.network
    calls[:] = [1, 1]
    with pytest.raises(KeyboardInterrupt):  # before there is anything to keep
        bl.structural_em(table, form="soft", start=empty, threads=1)


def test_rows_that_need_draws_are_filled_in(monkeypatch):
    table = gappy("discrete", 4, variables=6, rows=200, share=0.3)
    exact = bl.structural_em(table, form="soft", threads=1)
    monkeypatch.setattr(expectation, "MOST_WAYS", 4)
    drawn = [bl.structural_em(table, form="soft", threads=threads) for threads in (1, 2)]
    assert drawn[0].observed == drawn[1].observed
    assert drawn[0].observed[-1] == pytest.approx(exact.observed[-1], rel=0.01)
    own = drawn[0].fitted.log_likelihood(table) - charge_of(table, "bic") * parameters(drawn[0].fitted)
    assert drawn[0].observed[-1] == pytest.approx(own)  # exact, whatever was drawn


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_are_counted_as_the_score_charges_them(kind):
    whole = gappy(kind, 3, variables=5, rows=150, share=0)
    found = bl.structural_em(whole, form="soft", threads=1)
    free = parameters(found.fitted)
    own = found.fitted.log_likelihood(whole) - charge_of(whole, "bic") * free
    assert own == pytest.approx(found.learned.score)


@pytest.mark.parametrize("seed", range(4))
def test_numbers_go_the_way_of_the_textbook(seed):
    """Every edge required, so that only parameters are left: EM of one covariance matrix, row by row."""
    table = gappy("continuous", seed, variables=4, rows=80, share=0.3)
    rows = np.column_stack(table.codes)
    mean, cov = np.nanmean(rows, axis=0), np.diag(np.nanvar(rows, axis=0))
    values: list[float] = []
    for _ in range(2000):
        centre, second, value = expected.expected_moments(rows, mean, cov)
        assert not values or value >= values[-1] - 1e-9
        mean, cov = centre, second
        if values and value - values[-1] < 1e-7:
            break
        values.append(value)
    names = table.names
    every = [(a, b) for k, b in enumerate(names) for a in names[:k]]
    found = bl.structural_em(table, form="soft", constraints={"required": every}, turns=60, threads=1)
    assert len(found.network.edges) == 6
    assert found.fitted.log_likelihood(table) == pytest.approx(values[-1], abs=0.1)
    assert found.fitted.log_likelihood(table) <= values[-1] + 1e-3
    density = found.fitted.query(list(names))
    assert np.asarray(density.mean) == pytest.approx(mean, abs=0.1)
