"""Compelled or reversible: the same, and under the constraints, wherever it is shown."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

import bayesloom as bl
from bayesloom.learning.advice import gap_in_words, next_steps
from bayesloom.networks.formats import dot, graphml
from bayesloom.report.page import report_text
from bayesloom.scoring.strength import edge_strengths
from made.command import run

NAMES = ["a", "b", "c", "d"]
TIERS = {"tiers": [["a"], ["b"], ["c"], ["d"]]}


@pytest.fixture(scope="module")
def table() -> bl.Table:
    """A chain: no data tell which way it goes."""
    rng = random.Random(3)
    columns = [[rng.randrange(2) for _ in range(400)]]
    for _ in NAMES[1:]:
        columns.append([x if rng.random() < 0.85 else 1 - x for x in columns[-1]])
    return bl.read_table(dict(zip(NAMES, columns, strict=True)), discrete=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: bl.Table) -> Path:
    monkeypatch.chdir(tmp_path)
    table.write("t.csv")
    Path("tiers.toml").write_text('tiers = [["a"], ["b"], ["c"], ["d"]]\n')
    Path("required.toml").write_text('required = [["b", "a"]]\n')
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    ended = run(capsys, *words)
    assert ended.code == 0
    return ended.out


def test_without_constraints_all_of_a_chain_are_reversible(folder, capsys) -> None:
    out = printed(capsys, "learn", "t.csv", "-o", "net.dot")
    assert "3 edges: 0 compelled (same direction in every equivalent network), 3 reversible" in out
    assert Path("net.dot").read_text().count("[style=dashed]") == 3
    bl.read_network("net.dot").write("again.dot")  # nothing is known of constraints here
    assert "style" not in Path("again.dot").read_text()


def test_tiers_compel_every_edge_across_them(folder, capsys) -> None:
    common = ("learn", "t.csv", "--constraints", "tiers.toml")
    out = printed(capsys, *common, "-o", "net.dot", "--report", "r.md", "--json", "run.json")
    every = "3 compelled (same direction in every equivalent network that keeps the constraints; 3 by the"
    assert f"3 edges: {every} constraints alone), 0 reversible" in out
    assert "reversible edges can point" not in out
    assert "  a -- b  " not in out
    assert "  a -> b  " in out
    edges = json.loads(Path("run.json").read_text())["edges"]
    assert [(e["compelled"], e["direction"]) for e in edges] == [(True, "constrained")] * 3
    assert "dashed" not in Path("net.dot").read_text()
    assert every in Path("r.md").read_text()
    assert "|reversible|" not in Path("r.md").read_text()
    printed(capsys, *common, "-o", "net.graphml")
    assert Path("net.graphml").read_text().count('<data key="compelled">true</data>') == 3


def test_a_required_edge_is_compelled_and_what_follows_from_it(folder, capsys) -> None:
    """b -> a is required; b - c - d may still turn, all but into b."""
    out = printed(capsys, "learn", "t.csv", "--constraints", "required.toml", "--json", "run.json")
    edges = {(e["from"], e["to"]): e["direction"] for e in json.loads(Path("run.json").read_text())["edges"]}
    assert edges["b", "a"] == "constrained"
    assert sorted(edges.values()) == ["constrained", "reversible", "reversible"]
    assert "1 by the constraints alone" in out


def test_a_report_of_a_search_says_it_too(folder, capsys, table) -> None:
    bl.score(table, constraints=TIERS).write("c.blc")
    out = printed(capsys, "search", "c.blc", "--json", "run.json", "-o", "net.graphml")
    assert "3 edges: 3 compelled" in printed(capsys, "search", "c.blc")
    assert out
    assert Path("net.graphml").read_text().count('<data key="compelled">true</data>') == 3
    text = report_text(json.loads(Path("run.json").read_text()))
    assert "3 edges: 3 compelled" in text
    assert 'stroke-dasharray="' not in text


def test_a_report_does_not_take_labels_from_an_old_run(table) -> None:
    result = bl.learn(table, constraints=TIERS)
    run_object = result.to_json()
    for edge in run_object["edges"]:
        edge["compelled"] = False
    assert 'stroke-dasharray="' not in report_text(run_object)
    run_object["edges"][0]["to"] = "d"
    run_object["edges"][0]["from"] = "a"
    with pytest.raises(bl.InputError, match="'a' -> 'd' of this run is not among its parents"):
        report_text(run_object)


def test_what_was_not_found_out_is_said(table, monkeypatch) -> None:
    monkeypatch.setattr(bl.Network.cpdag_under, "__kwdefaults__", {"work_limit": 0})
    everything = bl.Network(NAMES, {"b": ["a"], "c": ["a", "b"], "d": ["a", "b", "c"]})
    rules = {"max_parents": {"c": 2}}
    edges = edge_strengths(table, everything, constraints=rules)
    result = replace(bl.learn(table), network=everything, constraints=rules, edges=edges)
    assert len(result.cpdag.undecided) > 0
    assert {edge.compelled for edge in result.edges} >= {None}
    edges = result.to_json()["edges"]
    assert {"compelled": None, "direction": "undecided"}.items() <= next(
        edge for edge in edges if edge["compelled"] is None
    ).items()
    text = report_text(result.to_json())
    assert "not decided (the search was too long)" in text
    assert 'stroke-dasharray="1.5 4"' in text
    graph = graphml.write_directed(result.network, result.cpdag)
    assert graph.count("<data") == len(result.network.edges) - len(result.cpdag.undecided)
    assert "[style=dotted]" in dot.write_directed(result.network, result.cpdag)


@pytest.mark.parametrize(("score", "alike"), [("bic", True), ("bdeu", True), ("k2", False), ("fnml", False)])
def test_a_score_that_tells_equivalent_networks_apart_is_not_passed_off_as_data(table, score, alike) -> None:
    result = bl.learn(table, score=score)
    [said] = [step for step in next_steps(result) if step.startswith("reversible edges can point either way")]
    assert (f"{score!r} does not score them alike" not in said) == alike
    assert "as far as the data tell" not in said


def test_no_better_network_is_said_of_those_that_were_asked_for_only(table) -> None:
    """Networks that break the constraints or the limit may well be better."""
    limited = bl.learn(table, max_parents=0)
    assert gap_in_words(limited) == "no better network with at most 0 parents each exists"
    apart = {"forbidden": [("a", "b"), ("b", "a")]}
    held = bl.learn(table, constraints=apart)
    assert held.score < bl.learn(table).score
    assert gap_in_words(held) == "no better network that keeps the constraints exists"
    stopped = replace(held, status="stopped", bound=held.score + 1, complete=False)
    assert gap_in_words(stopped).startswith(
        "a better network from the parent sets scored that keeps the constraints would gain 1 nats at most"
    )
    assert stopped.claim.endswith("any network over the candidates scored that keeps the constraints")


def test_a_rule_of_the_score_is_not_called_constraints(folder, capsys) -> None:
    """Who gave none has none: what is kept is what the score allows, also of a cache, and `verify` agrees."""
    draw = random.Random(5)
    rows = [f"{'ab'[k % 2]},{k % 2 + draw.gauss(0, 1):.4f},{draw.gauss(0, 1):.4f}" for k in range(120)]
    (folder / "mixed.csv").write_text("\n".join(["kind,x,y", *rows]))
    own = "no network that keeps the rule of the score (a discrete variable has discrete parents only)"
    out = printed(capsys, "learn", "mixed.csv", "--score", "bic-cg", "--json", "run.json")
    assert f"optimal: {own} scores higher" in out
    assert "the constraints" not in out.partition("what next")[0]
    assert "say so: --constraints FILE with tiers" in out or "reversible" not in out.partition("what next")[2]
    assert "wrong" not in printed(capsys, "verify", "run.json", "--data", "mixed.csv").replace(" 0 wrong", "")
    printed(capsys, "score", "mixed.csv", "--score", "bic-cg", "-o", "mixed.blc")
    assert own in printed(capsys, "search", "mixed.blc")
    (folder / "rule.toml").write_text('leaves = ["y"]')
    out = printed(capsys, "learn", "mixed.csv", "--score", "bic-cg", "--constraints", "rule.toml")
    assert "optimal: no network that keeps the constraints scores higher" in out
    # Constraints that are somebody's cannot be passed off as the score's.
    found = json.loads((folder / "run.json").read_text())
    found["constraints"]["leaves"] = ["y"]
    (folder / "run.json").write_text(json.dumps(found))
    ended = run(capsys, "verify run.json --data mixed.csv")
    assert (ended.code, "are said to be those of the score" in ended.out) == (1, True)


def test_a_cache_says_what_it_is_complete_for(folder, capsys) -> None:
    out = printed(capsys, "score", "t.csv", "-o", "c.blc", "--constraints", "tiers.toml")
    assert "complete: holds every parent set that a best network that keeps the constraints can use" in out


def test_reversible_edges_are_told_of_under_constraints_too(table) -> None:
    result = bl.learn(table, constraints={"tiers": [["a", "b"], ["c", "d"]]})
    [said] = [step for step in next_steps(result) if step.startswith("reversible")]
    assert "add more of it to the constraints" in said
    assert not [step for step in next_steps(replace(result, constraints={})) if "add more" in step]
