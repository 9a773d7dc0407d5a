"""`learn`: the choice of method, the loop, what it tells, and what it writes."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.learning import api as learning
from bayesloom.learning import options
from bayesloom.learning.advice import gap_in_words, next_steps
from bayesloom.learning.closed_loop import ClosedLoop, LoopOptions
from bayesloom.progress import ProgressEvent, panel, progress_display
from bayesloom.report.page import report_text
from bayesloom.scoring.strength import edge_strengths
from made.command import run


@pytest.fixture(scope="module")
def table():
    return bl.random_network(12, states=(2, 3), max_parents=3, concentration=0.3, seed=8).sample(400, seed=8)


@pytest.fixture(scope="module")
def best(table):
    return bl.search(bl.score(table))


def limited(monkeypatch, local_scores):
    monkeypatch.setattr(options, "OPTIONS", replace(options.OPTIONS, most_local_scores=local_scores))


def test_the_method_follows_the_size_and_the_time(table, monkeypatch):
    work = bl.estimate(table).local_scores
    assert learning.plan(table).method == "exhaustive"
    limited(monkeypatch, work)
    assert learning.plan(table, time_limit=60).method == "exhaustive"
    assert learning.plan(table, time_limit=None).method == "exhaustive"
    assert learning.plan(table, time_limit=30).method == "loop"
    limited(monkeypatch, work - 1)
    assert learning.plan(table, time_limit=60).method == "loop"
    assert "scored where the search needs them" in learning.plan(table).reason


def test_the_loop_ends_by_itself_and_finds_the_best_of_a_small_table(table, best):
    result = bl.learn(table, method="loop", time_limit=None, threads=1)
    assert result.score == pytest.approx(best.score, abs=1e-6)
    assert result.solver == "loop+dp"
    assert result.method == "closed loop"
    assert not result.complete  # over the parent sets scored, and it says so
    assert "over the candidates scored" in result.claim
    scores = [point.score for point in result.trace]
    assert scores == sorted(scores)
    assert bl.verify(result.network, table=table, claimed_score=result.score).ok


def test_the_loop_gives_the_same_whatever_the_threads(table):
    one, two = (bl.learn(table, method="loop", time_limit=None, threads=k, seed=3) for k in (1, 2))
    assert (one.network, one.score, one.candidates) == (two.network, two.score, two.candidates)


def test_scoring_that_does_not_end_in_time_goes_over_to_the_loop(table, stepping_clock):
    stepping_clock(0.01)
    result = bl.learn(table, method="exhaustive", time_limit=0.1, threads=1)
    assert result.solver.startswith("loop")
    assert any(note.startswith("Scoring all parent sets did not end") for note in result.notes)
    assert not result.complete
    assert bl.verify(result.network, table=table, claimed_score=result.score).ok


def test_candidates_that_were_scored_before_are_used(table, best):
    loop = ClosedLoop(table, "bic", {}, loop=LoopOptions(widen=0), threads=1)
    loop.add(bl.score(table))
    loop.run(None)
    assert loop.turns[-1].score == pytest.approx(best.score, abs=1e-6)


def test_a_start_is_never_made_worse(table, best):
    for method in ("auto", "loop"):
        result = bl.learn(table, method=method, start=best.network, time_limit=None, threads=1)
        assert result.score == pytest.approx(best.score, abs=1e-6)
    with pytest.raises(InputError, match="different variables"):
        bl.learn(table, start=bl.Network(["a"], [[]]))
    edge = best.network.edges[0]
    with pytest.raises(InputError, match="start breaks the constraints"):
        bl.learn(table, start=best.network, constraints={"forbidden": [edge]})


def test_ctrl_c_gives_the_best_so_far(stepping_clock):
    table = bl.random_network(60, states=(2, 2), max_parents=3, seed=1).sample(2000, seed=1)

    def stop(event):
        if event.stage == "search":
            raise KeyboardInterrupt

    stepping_clock(0.001)
    result = bl.learn(table, method="loop", time_limit=30, threads=1, progress=stop)
    assert result.interrupted
    assert bl.verify(result.network, table=table, claimed_score=result.score, bound=result.bound).ok


def test_progress_tells_score_and_time_left(stepping_clock):
    table = bl.random_network(40, states=(2, 2), max_parents=3, seed=2).sample(1000, seed=2)
    events = []
    stepping_clock(0.001)
    bl.learn(table, method="loop", time_limit=1.5, threads=1, progress=events.append)
    assert {event.stage for event in events} >= {"search"}
    assert all(event.left is not None for event in events)
    assert any(event.score is not None for event in events)


def test_continuous_and_missing_values_work_and_are_told():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    given = {"x": x.tolist(), "y": (x + rng.normal(size=300) / 3).tolist(), "z": ["a", None, "b"] * 100}
    with pytest.raises(InputError):
        bl.read_table(given, strict=True)
    table = bl.read_table(given)
    assert table.cardinalities == (3, 3, 3)
    assert any("discretised by quantile:3" in note for note in table.notes)
    assert bl.read_table(given, discretize={"x": "mean"}).cardinalities == (2, 3, 3)
    assert bl.read_table(given, missing="drop").row_count == 200
    result = bl.learn(given)
    assert {"x", "y"} in [set(edge) for edge in result.network.edges]


def test_strengths_are_what_the_score_loses(table, best):
    edges = edge_strengths(table, best.network)
    assert {(edge.source, edge.target) for edge in edges} == set(best.network.edges)
    assert [edge.strength for edge in edges] == sorted((edge.strength for edge in edges), reverse=True)
    weakest = edges[-1]
    less = [edge for edge in best.network.edges if edge != (weakest.source, weakest.target)]
    without = sum(bl.network_scores(bl.Network.from_edges(table.names, less), table).values())
    assert best.score - without == pytest.approx(weakest.strength, abs=1e-6)
    assert edge_strengths(table, bl.Network(table.names, [[] for _ in table.names])) == ()


def test_advice_follows_the_numbers(table, best):
    assert gap_in_words(best) == "no better network exists"
    stopped = bl.search(bl.score(table), solver="inobs", work_limit=1)
    assert stopped.gap > 0
    assert "nats at most" in gap_in_words(stopped)
    assert any("--time-limit" in step for step in next_steps(stopped, table))


# The command line


@pytest.fixture
def folder(tmp_path, monkeypatch, table):
    monkeypatch.chdir(tmp_path)
    table.write(tmp_path / "t.csv")
    return tmp_path


def test_learn_tells_what_it_sees_what_it_plans_and_what_it_found(folder, capsys, monkeypatch):
    monkeypatch.setattr("bayesloom.cli.summary.EDGES_SHOWN", 2)
    code, out, err = run(capsys, "learn t.csv --report r.html --json run.json -o net.bif")
    assert code == 0
    assert "12 variables, 400 rows" in err
    assert "all of them are computed; at most 60 s for everything" in err
    for words in ("strongest edges", "weakest edges", "compelled", "gap 0: no better network exists"):
        assert words in out
    assert "report written to r.html" in out
    given = json.loads((folder / "run.json").read_text())
    assert given["table"]["rows"] == 400
    assert len(given["edges"]) == sum(map(len, given["parents"].values()))
    page = (folder / "r.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "optimal: no network scores higher" in page
    assert "<svg" in page
    assert run(capsys, "report run.json --data t.csv -o again.html")[0] == 0
    assert (folder / "again.html").read_text() == page
    assert run(capsys, "report run.json -o again.md")[0] == 0
    assert "|from|to|direction|strength|" in (folder / "again.md").read_text()
    assert run(capsys, "verify run.json --data t.csv")[0] == 0


def test_quiet_is_quiet(folder, capsys):
    code, out, err = run(capsys, "learn t.csv -q")
    assert (code, out, err) == (0, "", "")


def test_constraints_and_start_from_files(folder, capsys, table):
    a, b = table.names[:2]
    (folder / "known.toml").write_text(f'required = [["{b}", "{a}"]]\n[max_parents]\n"*" = 2\n')
    code, out, _ = run(capsys, "learn t.csv --constraints known.toml --json run.json")
    assert code == 0
    assert "no network that keeps the constraints scores higher" in out
    given = json.loads((folder / "run.json").read_text())
    assert b in given["parents"][a]
    assert given["constraints"] == {"required": [[b, a]], "max_parents": {"*": 2}}
    assert run(capsys, "learn t.csv --constraints known.toml --start run.json")[0] == 0
    assert run(capsys, "score t.csv -o t.blc --constraints known.toml")[0] == 0
    assert run(capsys, "search t.blc --json found.json")[0] == 0
    assert json.loads((folder / "found.json").read_text())["score"] == given["score"]
    assert run(capsys, "verify run.json --data t.csv --constraints known.toml")[0] == 0


def test_the_sweep_keeps_the_best_score(folder, capsys):
    code, out, _ = run(capsys, "learn t.csv --ess-sweep 0.1,1,10 --json run.json")
    assert code == 0
    assert "equivalent sample sizes" in out
    given = json.loads((folder / "run.json").read_text())
    assert [row["ess"] for row in given["ess_sweep"]] == [0.1, 1.0, 10.0]
    assert given["score"] == max(row["score"] for row in given["ess_sweep"])


def test_a_sweep_that_is_interrupted_ends_there_and_says_so(folder, capsys, monkeypatch):
    learn, sizes = learning.learn, []

    def interrupted_at_the_second(table, **options):
        sizes.append(options["options"]["ess"])
        return replace(learn(table, **options), interrupted=len(sizes) == 2)

    monkeypatch.setattr(learning, "learn", interrupted_at_the_second)
    code, _, _ = run(capsys, "learn t.csv --ess-sweep 10,1,0.1 --json run.json")
    given = json.loads((folder / "run.json").read_text())
    assert (code, given["interrupted"], sizes) == (130, True, [10.0, 1.0])
    assert [row["ess"] for row in given["ess_sweep"]] == sizes


def test_names_are_shown_as_they_are_in_a_report(capsys):
    table = bl.read_table({"<b>x|y</b>": [0, 1] * 30, "z": [0, 1] * 30})
    result = bl.learn(table)
    run_object = {**result.to_json(), "bayesloom": "0"}
    assert "<b>" not in report_text(run_object, "html")
    assert "&lt;b&gt;x|y&lt;/b&gt;" in report_text(run_object, "html")
    assert "\\<b\\>x\\|y\\</b\\>" in report_text(run_object, "markdown")


def test_help_teaches(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for words in ("A first try", "--constraints known.toml", "Exit codes", "gap"):
        assert words in out


def test_progress_tells_stage_score_bound_and_time_left(stepping_clock):
    table = bl.random_network(40, states=(2, 3), max_parents=4, seed=2).sample(500, seed=2)
    events = []
    stepping_clock(0.001)
    result = bl.learn(table, method="loop", time_limit=3, threads=1, progress=events.append)
    stages = {event.stage for event in events}
    assert stages <= {"climb", "score", "bound", "search", "prove"}
    assert "prove" in stages
    assert all(0 < event.left <= 3 and event.seconds >= 0 for event in events)
    bounded = [event for event in events if event.bound is not None]
    assert any(event.stage != "prove" for event in bounded)  # while the loop is at work
    for event in bounded:
        assert event.partial  # over the sets scored
        assert event.score <= result.score + 1e-6
        assert event.stage != "prove" or event.bound >= result.bound - 1e-6
        assert event.score <= event.bound + 1e-6
    scores = [event.score for event in events if event.score is not None]
    assert scores == sorted(scores)


@pytest.mark.parametrize("rules", [{}, {"before": [("X3", "X0"), ("X7", "X1")]}])
def test_the_bound_of_the_loop_holds_for_all_networks_over_its_sets(table, rules):
    names = {f"X{v}": name for v, name in enumerate(table.names)}
    held = bl.Constraints(**{kind: [(names[a], names[b]) for a, b in pairs] for kind, pairs in rules.items()})
    told = []
    loop = ClosedLoop(table, "bic", {}, constraints=held, threads=1, progress=told.append)
    loop._climb(None, None)
    scored = []
    loop._sets.around(loop.parents)
    for _ in range(3):
        optimum = bl.search(loop.cache(), solver="dp", threads=1)
        assert optimum.status == "optimal"
        scored.append(loop.scored)
        loop._bound(loop.cache(), None, None)
        assert loop.bound >= optimum.fixed_score
        loop._widen_by_prices(None, None)
        loop._tell(ProgressEvent("score", 1, 0.0))
        assert told[-1].bound == pytest.approx(loop.bound / 2**30)
    assert scored[1] > scored[0]  # next to sets of small reduced cost
    loop.score = loop.bound + 1  # as if new sets had led beyond it
    loop._tell(told[-1])
    assert told[-1].bound is None


def test_who_listens_changes_nothing(table):
    told, silent = (ClosedLoop(table, "bic", {}, threads=1, progress=p) for p in (lambda _: None, None))
    for loop in (told, silent):
        loop.run(None)
    assert told.network == silent.network
    assert told.scored == silent.scored


def test_what_is_shown_says_what_the_bound_is_over(capsys):
    event = ProgressEvent("search", 7, 1.5, score=-10.0, bound=-8.0, left=3.0, partial=True)
    with progress_display("plain") as listen:
        listen(replace(event, seconds=6.0))
        listen(replace(event, seconds=12.0, partial=False))
        listen(replace(event, seconds=18.0, sets=1234))
    lines = capsys.readouterr().err.splitlines()
    assert "bound -8.000, gap 2.000 over the sets scored so far" in lines[0]
    assert "over" not in lines[1]
    assert "gap 2.000 over 1,234 parent sets scored" in lines[2]
    with progress_display("json") as listen:
        listen(event)
    assert json.loads(capsys.readouterr().err)["partial"] is True
    shown = Console(width=120, file=io.StringIO(), record=True)
    shown.print(panel(event))
    assert "gap 2.000   over the sets scored so far" in shown.export_text()


def test_the_loop_keeps_to_its_memory_and_says_so(table):
    free = ClosedLoop(table, "bic", {}, threads=1)
    free.run(None)
    tight = ClosedLoop(table, "bic", {}, threads=1, memory_bytes=40_000)
    tight.run(None)
    assert tight.cache().candidate_count < free.cache().candidate_count
    assert free.cache().info["method"] == "closed loop"
    assert re.search(r"cut short by memory for \d+ of 12 variables", tight.cache().info["method"])
    result = bl.learn(table, method="loop", memory=4e-5, time_limit=None, threads=1)
    assert result.cut_by_memory > 0
    assert any("memory" in step for step in next_steps(result, table))
    assert bl.learn(table, method="loop", time_limit=None, threads=1).cut_by_memory == 0
    assert bl.verify(result.network, table=table, claimed_score=result.score).ok


def test_time_that_the_loop_leaves_goes_into_scoring_all_sets(table, best, monkeypatch, stepping_clock):
    limited(monkeypatch, 0)
    stepping_clock(0.002)
    result = bl.learn(table, time_limit=60, threads=1)
    assert result.complete
    assert result.status == "optimal"
    assert result.score == pytest.approx(best.score, abs=1e-6)
    assert result.solver.startswith("loop+")
