"""``bayesloom query``: what it prints and writes is what Python says, and what is wrong is one sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bayesloom as bl
from made.command import run
from made.gaussian import random_gaussian


@pytest.fixture
def fitted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    network = bl.Network(["cloudy", "rain", "a=b"], {"rain": ["cloudy"], "a=b": ["rain", "cloudy"]})
    tables = [[0.5, 0.5], [[0.9, 0.1], [0.3, 0.7]], [[[0.9, 0.1], [0.8, 0.2]], [[0.4, 0.6], [0.1, 0.9]]]]
    fitted = bl.FittedNetwork(network, [["no", "yes"]] * 3, tables)
    fitted.write("net.json")
    return fitted


def test_it_says_what_python_says(fitted, capsys):
    out = run(capsys, "query net.json --target rain --evidence a=b=yes").out
    p = fitted.query("rain", {"a=b": "yes"})
    assert out.splitlines() == ["P(rain | a=b = yes)", f"  no   {p['no']:.6g}", f"  yes  {p['yes']:.6g}"]
    out = run(capsys, "query net.json --target a=b --do rain=yes --evidence cloudy=no").out
    assert out.startswith("P(a=b | do(rain = yes), cloudy = no)\n")
    out = run(capsys, "query net.json --do rain=yes").out
    assert out.count("P(") == 2  # what is set is not asked for


def test_json(fitted, capsys):
    found = json.loads(run(capsys, "query net.json --do rain=yes --json -").out)
    assert (found["command"], found["do"], found["evidence"]) == ("query", {"rain": "yes"}, {})
    assert found["distributions"] == fitted.do({"rain": "yes"}).query(["cloudy", "a=b"], joint=False)
    found = json.loads(run(capsys, "query net.json -t rain -t cloudy --joint --json -").out)
    expected = fitted.query(["rain", "cloudy"])
    assert len(found["joint"]) == 4
    for entry in found["joint"]:
        assert entry["probability"] == expected[entry["states"]["rain"], entry["states"]["cloudy"]]
    found = json.loads(run(capsys, "query net.json -e a=b=yes --most-probable --json -").out)
    best = fitted.most_probable({"a=b": "yes"})
    assert found["most_probable"]["states"] == best.states
    assert found["most_probable"]["probability"] == best.probability
    ended = run(capsys, "query net.json -q --json out.json")
    assert (ended.code, ended.out) == (0, "")


def test_an_intervention_names_what_it_takes_for_granted(tmp_path, monkeypatch, capsys):
    """The edge as the network draws it, against the order of the variables too; the answer is of that one."""
    monkeypatch.chdir(tmp_path)
    network = bl.Network(["smoking", "cancer"], {"smoking": ["cancer"]})
    states, drawn = [["no", "yes"]] * 2, [[[0.7, 0.3], [0.2, 0.8]], [0.9, 0.1]]
    bl.FittedNetwork(network, states, drawn).write("backwards.json")
    ended = run(capsys, "query backwards.json --do smoking=yes --target cancer --json -")
    assert ended.err == (
        "note: the answer holds only if 'cancer' is a cause of 'smoking', as the network draws it: no table"
        " without interventions tells, since an equivalent network turns this edge.\n"
    )
    found = json.loads(ended.out)
    assert (found["assumes"], found["distributions"]["cancer"]["yes"]) == ([["cancer", "smoking"]], 0.1)
    collider = bl.Network(["a", "b", "c"], {"c": ["a", "b"]})
    tables = [[0.5, 0.5], [0.5, 0.5], [[[0.9, 0.1], [0.2, 0.8]], [[0.2, 0.8], [0.9, 0.1]]]]
    bl.FittedNetwork(collider, [["no", "yes"]] * 3, tables).write("collider.json")
    ended = run(capsys, "query collider.json --do a=yes --json -")
    assert (ended.err, json.loads(ended.out)["assumes"]) == ("", [])


def test_numbers_find_their_range(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(1)
    age = draw.integers(20, 80, 400)
    bl.learn({"age": age, "old": np.where(age > 50, "yes", "no")}, score="bic").write("net.bif")
    found = json.loads(run(capsys, "query net.bif -e age=79 -t old --json -").out)
    assert found["distributions"]["old"]["yes"] > 0.9


def test_what_is_wrong_is_one_sentence(fitted, capsys):
    fitted.network.write("bare.json")
    for words, code, match in [
        ("query net.json -t rian", 1, "unknown variable 'rian'. Did you mean 'rain'?"),
        ("query net.json -e rian=yes", 1, "the network has no variable 'rian'. Did you mean 'rain'?"),
        ("query net.json -e rain=yess", 1, "unknown state of 'rain' 'yess'. Did you mean 'yes'?"),
        ("query net.json --do rain=maybe", 1, "unknown state of 'rain' 'maybe'."),
        ("query net.json -e rain", 1, "--evidence must look like NAME=VALUE"),
        ("query net.json -e rain=yes -e rain=no", 1, "twice"),
        ("query net.json -e rain=yes --do rain=no", 1, "give one of them"),
        ("query net.json -e rain=yes -t rain", 1, "asked for and given as evidence"),
        ("query bare.json", 1, "has no probabilities to ask"),
        ("query nothing.bif", 1, "nothing.bif"),
        ("query net.json --joint", 2, "--joint needs"),
        ("query net.json -t rain --joint --most-probable", 2, "exclude each other"),
        ("query net.json --json net.json", 1, "net.json"),
    ]:
        ended = run(capsys, words)
        assert ended.code == code, (words, ended)
        assert match in ended.err, (words, ended.err)
        assert "Traceback" not in ended.err


def test_continuous_networks_are_asked_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    net = random_gaussian(5, 2, 1)
    net.write("net.json")
    number, other = net.continuous[:2]
    state = next(name for name in net.names if name not in net.continuous)
    found = json.loads(run(capsys, f"query net.json -e {number}=1.5 --do {state}=s0 --json -").out)
    expected = net.do({state: "s0"}).query(None, {number: 1.5, state: "s0"})
    assert set(found["distributions"]) == set(expected)
    assert found["distributions"][other] == {"mean": expected[other].mean, "sd": expected[other].sd}
    out = run(capsys, f"query net.json -t {other} -e {number}=1.5").out
    assert out.startswith(f"density({other} | {number} = 1.5)\n  mean  ")
    for words, match in [
        (f"query net.json -e {number}=high", "expected a finite number"),
        (f"query net.json -t {number} --joint", "--joint is for discrete variables"),
        (f"query net.json -t {number} --most-probable", "the density is a mixture over"),
        ("convert net.json net.bif", "holds discrete variables only"),
    ]:
        ended = run(capsys, words)
        assert (ended.code, match in ended.err) == (1, True), ended
    assert run(capsys, "sample net.json -n 50 -o rows.csv --seed 3").code == 0
    rows = bl.read_table("rows.csv", continuous="all", discrete=list(net.discrete_part.names))
    assert rows.values(number).tolist() == net.sample(50, seed=3).values(number).tolist()
