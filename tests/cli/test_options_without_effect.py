"""No option that was given is passed over in silence: it has its effect, or a sentence says it has none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import bayesloom as bl
from bayesloom.cli import main
from made.command import run

RAIN = "rain,wet,cold\n" + "no,no,yes\nyes,yes,yes\nno,no,no\nyes,yes,no\n" * 10

# The command, and the options that it must name.
REFUSED = [
    ("credible c.blc --max-parents 1", "--max-parents"),
    ("credible c.blc --score bic", "--score"),  # also where it is the default, or that of the cache
    ("credible c.blc --score bdeu --ess 5", "--score and --ess"),
    ("credible c.blc --score-option gamma=1", "--score-option"),
    ("credible c.blc --discretize mean", "--discretize"),
    ("credible c.blc --no-header", "--header"),
    ("credible c.blc --discrete all --missing drop --states seen", "--discrete and --missing and --states"),
    ("credible C.BLC --lenient", "--lenient"),
    ("credible C.BLC --strict", "--strict"),
    ("credible c.blc --k 2 --json k.json --max-parents 1", "--max-parents"),
    ("credible c.blc --k 2 --json k.json --bayes-factor 3", "--bayes-factor"),
    ("credible c.blc --k 2 --json k.json --limit 1 --no-classes", "--limit and --classes"),
    ("credible c.blc --k 2 --json k.json --coverage --tolerance 1", "--coverage and --tolerance"),
    ("credible c.blc --limit 3", "--limit"),
    ("credible c.blc --by class --json r.json", "--by"),
    ("verify net.json --cache c.blc --missing drop", "--missing"),
    ("verify net.json --cache c.blc --lenient", "--lenient"),
    ("verify net.json --cache c.blc --score bic", "--score"),
    ("verify run.json --cache c.blc --header", "--header"),
    ("convert net.json net.dot --lenient", "--lenient"),
    ("convert net.json net.dot --weights a --exclude b", "--exclude and --weights"),
    ("convert c.blc c.jkl --discretize mean", "--discretize"),
    ("sample net.bif -n 5 -o s.csv --save-network o.bif", "--save-network"),
    ("sample net.bif -n 5 -o s.csv --states 2-4", "--states"),
    ("sample net.bif -n 5 -o s.csv --parents 0-1 --concentration 2", "--parents and --concentration"),
    ("score rain.csv -o s.blc --estimate additive", "--estimate"),
    ("score rain.csv -o s.blc --method greedy --estimate additive", "--estimate"),
    ("learn rain.csv --ess-sweep 1,10 --score-option ess=3", "--score-option"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rain.csv").write_text(RAIN)
    cache = bl.score("rain.csv", bayes_factor=20)
    for name in ("c.blc", "C.BLC", "c.jkl.GZ"):
        cache.write(tmp_path / name)
    result = bl.search(cache)
    result.network.write(tmp_path / "net.json")
    result.network.fit(bl.read_table("rain.csv")).write(tmp_path / "net.bif")
    assert ended("search c.blc --json run.json -q") == 0
    return tmp_path


def ended(line: str) -> int:
    with pytest.raises(SystemExit) as code:
        main(line.split())
    assert isinstance(code.value.code, int)
    return code.value.code


@pytest.mark.parametrize(("line", "named"), REFUSED)
def test_an_option_without_effect_is_refused(folder, capsys, line, named):
    before = sorted(os.listdir(folder))
    assert ended(line) == 1
    assert capsys.readouterr().err.startswith(f"bayesloom: {named} would be without effect: ")
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("learn rain.csv --ess-sweep 1,10 --score bic", "--ess-sweep is for score bdeu, not 'bic'"),
        ("credible c.blc --by class --no-classes -o c.jsonl", "exclude each other"),
    ],
)
def test_options_that_contradict_each_other_are_refused(folder, capsys, line, message):
    assert ended(line) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "credible C.BLC",
        "credible c.jkl.GZ",
        "credible c.blc --k 2 --by class --json k.json",
        "credible c.blc --limit 1 --by class -o c.jsonl",
        "credible rain.csv --score bdeu --ess 5 --max-parents 1 --missing state",
        "verify net.json --data rain.csv --score bdeu --ess 5 --header",
        "verify run.json --cache c.blc --score bic",
        "convert rain.csv rain.dat --header",
        "sample --random 3 -n 5 -o s.csv --save-network o.bif --states 2-2",
        "score rain.csv -o s.blc --method independence --sets-per-variable 9 --estimate additive",
        "learn rain.csv --ess-sweep 1,10 --score bdeu --time-limit 5",
    ],
)
def test_options_that_have_an_effect_are_taken(folder, line):
    assert ended(line) in (0, 3)


def test_a_network_is_checked_in_the_score_of_the_cache(folder, capsys):
    """Not in bic, which is only what a table is scored by where nothing is said."""
    bl.score("rain.csv", score="bdeu").write("bdeu.blc")
    assert ended("verify net.json --cache bdeu.blc --data rain.csv") == 0
    assert "cache and table agree" in capsys.readouterr().out
    assert ended("verify net.json --cache bdeu.blc --data rain.csv --score bic") == 1


@pytest.mark.parametrize("verb", ["search", "credible"])
def test_reading_a_cache_counts_towards_the_limit(folder, capsys, stepping_clock, verb):
    stepping_clock(10.0)
    ended(f"{verb} c.blc --time-limit 5")
    assert "reading took 10.0 s, all of the 5 s allowed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (
            "report run.json --credible a.json --posterior b.json -o r.md",
            "--credible, --posterior, --bootstrap",
        ),
        ("view run.json --bootstrap a.json --bootstrap b.json", "--credible, --posterior, --bootstrap"),
        ("learn data.csv -o one.bif --output two.bif", "-o, --output"),
        ("learn data.csv --header --no-header", "--header, --no-header"),
    ],
)
def test_of_two_values_none_is_dropped_in_silence(capsys, line, names):
    ended = run(capsys, line)
    assert ended.code == 2
    assert f"{names}: given 2 times, and only one is taken. Give one." in ended.err


@pytest.mark.parametrize("verb", ["learn", "posterior", "bootstrap"])
def test_a_format_of_states_is_refused_before_the_work_where_numbers_are_kept(tmp_path, capsys, verb):
    rows = [f"{'ab'[k % 2]},{k * 37 % 101 / 7:.3f}" for k in range(60)]
    (tmp_path / "mixed.csv").write_text("\n".join(["kind,x", *rows]))
    ended = run(capsys, f"{verb} {tmp_path}/mixed.csv --score bic-cg -q -o {tmp_path}/net.bif --json -")
    assert (ended.code, ended.out) == (1, "")
    assert "BIF holds discrete variables only, and 'x' is continuous." in ended.err


def test_a_rule_for_all_columns_and_one_for_one(tmp_path, capsys):
    rows = [f"{k},{k * 37 % 101},{'ab'[k % 2]}" for k in range(1, 81)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y,z", *rows]))
    line = f"learn {tmp_path}/t.csv --only x --only y --only z --discretize x=40 --discretize mean"
    assert run(capsys, f"{line} -q --json {tmp_path}/run.json").code == 0
    states = json.loads((tmp_path / "run.json").read_text())["table"]["states"]
    assert states["x"] == ["<= 40", "> 40"]
    assert len(states["y"]) == 2
    ended = run(capsys, f"{line} --discretize quantile:4")
    assert (ended.code, "gives two rules for all columns, mean and quantile:4." in ended.err) == (1, True)
    ended = run(capsys, f"{line} --discretize x=50")
    assert (ended.code, "gives two rules for column 'x'." in ended.err) == (1, True)


def test_structural_em_refuses_a_score_of_numbers_for_states(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b\nx,u\n,v\ny,u\nx,v\n")
    ended = run(capsys, f"learn {tmp_path}/t.csv --em {tmp_path}/full.csv --score bge")
    assert (ended.code, "score 'bge' is of numbers, and 'a', 'b' are not continuous" in ended.err) == (
        1,
        True,
    )
