"""``bayesloom verify``: what is read, whatever it is called, and what is printed."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayesloom as bl
from made.command import run


@pytest.fixture
def folder(rain_folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert run(capsys, "learn rain.csv --json run.json -q")[0] == 0
    return rain_folder


def result(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return found


def test_a_line_is_printed_for_each_thing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify run.json --data rain.csv")
    lines = out.splitlines()
    assert code == 0
    assert lines[-1] == "verified"
    assert any(line.startswith("ok           score: -") for line in lines)
    assert "not checked  optimality: no proof was given, so that nothing scores above the bound" in out
    assert "WRONG" not in out
    (folder / "run.json").write_text(json.dumps({**result(folder), "gap": 1.5}))
    code, out, _ = run(capsys, "verify run.json --data rain.csv")
    assert code == 1
    assert "WRONG        gap: gap is 1.5, but bound and score leave 0.0." in out
    assert out.splitlines()[-1] == "NOT verified"


def test_a_network_alone_is_scored_and_not_called_verified(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "learn rain.csv -o net.modelstring -q")
    code, out, _ = run(capsys, "verify net.modelstring --data rain.csv")
    assert (code, out.splitlines()[-1]) == (0, "scored: the file makes no claim to verify")
    code, out, _ = run(capsys, "verify net.modelstring --data rain.csv --exhaustive")
    assert (code, out.splitlines()[-1]) == (0, "verified: no network scores higher")
    names = bl.read_network("net.modelstring").names
    bl.Network(names, {}).write("empty.modelstring")
    for source in ("--data rain.csv", "--cache rain.blc"):
        run(capsys, "score rain.csv -o rain.blc -q")
        code, out, _ = run(capsys, f"verify empty.modelstring {source} --exhaustive")
        assert code == 0
        assert out.splitlines()[-1].startswith("scored: another network scores ")


def test_a_file_of_states_is_scored_by_the_table_that_was_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = (f"{x:.4f},{'ab'[int(x > 0)]}" for x in np.random.default_rng(1).normal(size=200))
    Path("t.csv").write_text("x,g\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run(capsys, "learn t.csv -o net.bif --json run.json -q")
    learned = json.loads(Path("run.json").read_text(encoding="utf-8"))
    assert learned["score_name"] == "bic"
    code, out, _ = run(capsys, "verify net.bif --data t.csv --json -")
    assert (code, json.loads(out)["score"]) == (0, pytest.approx(learned["score"], abs=1e-6))


def test_the_json_object_has_all_checks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify run.json --data rain.csv --exhaustive --json -")
    found = json.loads(out)
    assert (code, found["ok"], found["problems"]) == (0, True, [])
    outcomes = {check["what"]: check["outcome"] for check in found["checks"]}
    assert outcomes["score"] == outcomes["optimality"] == "ok"
    assert outcomes["seconds"] == "not checked"
    assert found["best_score"] == pytest.approx(found["score"])


def test_a_run_is_known_by_its_content(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**result(folder), "score": result(folder)["score"] + 0.5}
    for text, expected in ((json.dumps(result(folder)), 0), (json.dumps(wrong), 1)):
        for name in ("run.JSON", "run.json.gz", "run", "run.bif", "run.txt.gz"):
            data = text.encode()
            (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
            assert run(capsys, f"verify {name} --data rain.csv")[0] == expected, name
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert run(capsys, "verify - --data rain.csv")[0] == expected


def test_what_is_no_result_is_refused_with_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = result(folder)
    empty = {"bayesloom": "0.1.0", "command": "learn", "status": "optimal", "variables": [], "parents": {}}
    bad = {
        "nothing": "",
        "blank": " \n ",
        "no key": "{}",
        "a list": "[]",
        "optimal alone": json.dumps(empty),
        "optimal and empty": json.dumps({**whole, "variables": [], "parents": {}}),
        "a text": json.dumps({**whole, "score": str(whole["score"])}),
        "null": json.dumps({**whole, "score": None}),
        "true": json.dumps({**whole, "score": True}),
        "NaN": json.dumps({**whole, "score": float("nan")}),
        "infinite": json.dumps(whole).replace(f'"score": {whole["score"]!r}', '"score": 1e999'),
        "400 digits": json.dumps({**whole, "score": 10**400}),
        "5,000 digits": json.dumps(whole).replace(f'"score": {whole["score"]!r}', '"score": ' + "9" * 5000),
        "deep": '{"bayesloom": ' + "[" * 100_000,
        "deep inside": json.dumps(whole)[:-1] + ', "claim": ' + '{"a":' * 400 + "1" + "}" * 400 + "}",
        "deep and closed": '{"bayesloom": ' + "[" * 900 + "]" * 900 + "}",
        "cut off": json.dumps(whole)[:-9],
        "a command": json.dumps({**whole, "command": ["learn"]}),
        "another command": json.dumps({**whole, "command": "bootstrap"}),
        "no command": json.dumps({key: value for key, value in whole.items() if key != "command"}),
        "not text": "\udc80",
    }
    for what, text in bad.items():
        (folder / "bad.json").write_bytes(text.encode(errors="surrogateescape"))
        code, out, err = run(capsys, "verify bad.json --data rain.csv")
        assert (code, out) == (1, ""), what
        assert err.startswith("bayesloom: "), what
        assert err.count("\n") == 1, what
        assert len(err) < 300, what
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"network unknown {}")))
    assert run(capsys, "verify - --data rain.csv")[0] == 1


def test_a_network_alone_holds_no_claims(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "net.modelstring").write_text("[rain][cold][wet|rain]")
    code, out, _ = run(capsys, "verify net.modelstring --data rain.csv")
    assert code == 0
    assert "ok           network: 3 variables, no cycle" in out
    assert "not checked  claims: the file holds a network alone: no score, no bound, no claim" in out
    run(capsys, "convert net.modelstring net.json")
    assert "claims: the file holds a network alone" in run(capsys, "verify net.json --data rain.csv")[1]


def test_another_score_than_that_of_the_result_is_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "verify run.json --data rain.csv --score bdeu")
    assert code == 1
    assert "the result is of score bic, but bdeu (ess 1.0) was asked for." in out
    assert run(capsys, "learn rain.csv --score bdeu --ess 3 --json bdeu.json -q")[0] == 0
    assert run(capsys, "verify bdeu.json --data rain.csv")[0] == 0
    assert run(capsys, "verify bdeu.json --data rain.csv --score bdeu --ess 3")[0] == 0
    assert run(capsys, "verify bdeu.json --data rain.csv --score bdeu")[0] == 1


def test_a_tolerance_beyond_a_nat_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "verify run.json --data rain.csv --tolerance 1000")
    assert code == 2
    assert "1000" in err
    code, out, _ = run(capsys, "verify run.json --data rain.csv --tolerance 0.5")
    assert code == 0
    assert "tolerance: scores that differ by 0.5 nats or less were called equal" in out


def test_a_search_is_checked_against_cache_and_table(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "score rain.csv -o rain.blc")
    run(capsys, "search rain.blc --json search.json -q")
    for against in ("--cache rain.blc", "--data rain.csv", "--cache rain.blc --data rain.csv"):
        assert run(capsys, f"verify search.json {against}")[0] == 0
    run(capsys, "score rain.csv --score bdeu -o other.blc")
    code, out, _ = run(capsys, "verify search.json --cache other.blc")
    assert code == 1
    assert "the score cache of bdeu" in out


def test_a_table_read_otherwise_is_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "n.csv").write_text("x,y\n" + "\n".join(f"{k},{k % 2}" for k in range(90)) + "\n")
    assert run(capsys, "learn n.csv --discretize width:4 --discrete x --json n.json -q")[0] in (0, 1)
    run(capsys, "learn n.csv --discretize x=20,50 --json n.json -q")
    assert run(capsys, "verify n.json --data n.csv --discretize x=20,50")[0] == 0
    code, out, _ = run(capsys, "verify n.json --data n.csv --discretize x=30,50")
    assert code == 1
    assert "Was it read with the same options?" in out or "local score" in out


def test_recorded_constraints_that_the_network_breaks_are_found(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = result(folder)
    [(child, [parent])] = [(name, up) for name, up in whole["parents"].items() if up]
    broken = {
        **whole,
        "constraints": {"forbidden": [[parent, child]]},
        "claim": "optimal: no network that keeps the constraints scores higher",
    }
    (folder / "run.json").write_text(json.dumps(broken))
    code, out, _ = run(capsys, "verify run.json --data rain.csv")
    assert code == 1
    assert f"the constraints are broken: forbidden edge {parent!r} -> {child!r} is there." in out
    (folder / "run.json").write_text(
        json.dumps({**whole, "constraints": {"required": [["rain", "wet"]] * 2 + [["wet", "rain"]]}})
    )
    assert run(capsys, "verify run.json --data rain.csv")[0] == 1


def test_constraints_that_contradict_each_other_have_their_own_exit_code(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "net.modelstring").write_text("[rain][cold][wet|rain]")
    (folder / "contra.toml").write_text('required = [["rain", "wet"]]\nforbidden = [["rain", "wet"]]\n')
    code, _, err = run(capsys, "verify net.modelstring --data rain.csv --constraints contra.toml")
    assert code == 4
    assert "no network satisfies the constraints" in err
