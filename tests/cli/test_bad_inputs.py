"""What users get wrong: one clear sentence each, the right exit code, and nothing half-written."""

from __future__ import annotations

import gzip
import json
import os
import re

import pytest

from made.command import exit_code, run
from made.tables import RAIN

RUN = {"bayesloom": "0", "command": "learn", "score": -1.0, "parents": {"a": []}}

FILES: dict[str, str | bytes] = {
    "rain.csv": RAIN,
    "empty.csv": "",
    "only_header.csv": "a,b,c\n",
    "ragged.csv": "a,b\n1,2\n1\n",
    "twice.csv": "a,a\n1,2\n2,1\n",
    "latin.csv": "a,b\n\xe9,1\nx,2\n".encode("latin-1"),
    "quote.csv": 'a,b\n"x,1\ny,2\n',
    "nul.csv": b"a,b\n\x001,2\n",
    "nameless.csv": "a,,c\nx,y,z\nx,y,y\n",
    "continuous.csv": "x,y\n" + "".join(f"{k / 7},{k % 2}\n" for k in range(60)),
    "gaps.csv": "a,b\nx,\ny,1\n",
    "infinite.csv": "x,y\n" + "".join(f"{'inf' if k == 9 else k / 7},{k % 2}\n" for k in range(60)),
    "missing_state.csv": "a,b\nmissing,1\n,2\n",
    "utf16.csv": RAIN.encode("utf-16"),
    "part.arff": "@relation r\n@attribute a {x,y}\n",
    "wrong.arff": "@attribute a {x,y}\n@data\nz\n",
    "broken.csv.gz": gzip.compress(RAIN.encode())[:40],
    "not.parquet": "a,b\n1,2\n",
    "short.dat": "a b\n2 2\n0 1\n1\n",
    "high.dat": "a b\n2 2\n0 1\n1 7\n0 9\n",
    "words.dat": "a b\ntwo 2\n0 1\n",
    "table.xyz": RAIN,
    "broken.blc": b"BLC?" + bytes(100),
    "broken.jkl": "2\na 1\n-1.0 0\nb 2\n-1.0 0\n",
    "self.jkl": "2\na 1\n-1.0 1 a\nb 1\n-1.0 0\n",
    "bad.bif": "network x { variable",
    "cycle.json": json.dumps({"variables": ["a", "b"], "parents": {"a": ["b"], "b": ["a"]}}),
    "other.json": json.dumps({**RUN, "variables": ["a"]}),
    "run.json": json.dumps(RUN),
    "list.json": "[1, 2]",
    "text.json": "hello",
    "known.toml": 'required = [["rain", "wet"]]\nforbidden = [["rain", "wet"]]\n',
    "cycle.toml": 'required = [["rain", "wet"], ["wet", "rain"]]\n',
    "tiers.toml": 'tiers = [["wet"], ["rain"]]\nrequired = [["rain", "wet"]]\n',
    "typo.toml": 'required = [["rain", "wett"]]\n',
    "kind.toml": 'require = [["rain", "wet"]]\n',
    "broken.toml": "required = [[\n",
    "ancestor.con": "rain<--wet\n",
    "word.con": "rain rains\n",
    "force.toml": 'required = [["cold", "wet"]]\n',
    "same.toml": 'required = [["rain", "rain"]]\n',
    "pairs.toml": 'required = ["rain", "wet"]\n',
    "tier_twice.toml": 'tiers = [["rain"], ["rain", "wet"]]\n',
    "root.toml": 'roots = ["wet"]\nrequired = [["rain", "wet"]]\n',
    "leaf.toml": 'leaves = ["rain"]\nrequired = [["rain", "wet"]]\n',
    "fewer.toml": "[max_parents]\nwet = -1\n",
    "round.toml": 'required = [["rain", "wet"]]\nbefore = [["wet", "cold"], ["cold", "rain"]]\n',
    "parents.toml": 'required = [["cold", "wet"], ["rain", "wet"]]\n[max_parents]\nwet = 1\n',
}

BAD: list[tuple[str, int, str]] = [
    # a table that is not one
    ("learn nothing.csv", 1, "nothing.csv: no such file"),
    ("learn empty.csv", 1, "empty.csv: .*empty"),
    ("learn only_header.csv", 1, "only_header.csv: .*no rows"),
    ("learn ragged.csv", 1, "ragged.csv, line 3: "),
    (
        "score twice.csv -o t.blc --strict",
        1,
        "columns 1 and 2 are both named 'a'. Rename one of them in line 1",
    ),
    ("learn latin.csv --strict", 1, "latin.csv.*UTF-8"),
    ("learn quote.csv", 1, "quote.csv.*quot"),
    ("learn nul.csv", 1, "nul.csv.*NUL"),
    (
        "score nameless.csv -o t.blc --strict",
        1,
        "nameless.csv, line 1: column 2 has no name. Give it one in line 1",
    ),
    (
        "score continuous.csv -o t.blc --strict",
        1,
        "'x' .60.. Cut into intervals with --discretize quantile:3",
    ),
    ("score gaps.csv -o t.blc --strict", 1, "'b' .1., first in line 2. Drop those rows with --missing drop"),
    ("credible continuous.csv --strict", 1, "--discrete NAME; without --strict they are cut in three"),
    ("credible gaps.csv --strict", 1, "with --missing state, which is what is done without --strict"),
    ("learn gaps.csv --strict --lenient", 1, "--strict and --lenient exclude each other"),
    ("learn gaps.csv --exclude zz", 1, "--exclude: the table has no column 'zz'"),
    ("convert not.parquet t.csv --no-header", 1, "--header has no meaning for .parquet files"),
    ("learn gaps.csv --discretize mean --discrete all", 1, "--discretize and --discrete all exclude each"),
    (
        "learn gaps.csv --discretize a=mean --discrete a",
        1,
        "--discretize and --discrete both name column 'a'",
    ),
    ("learn gaps.csv --discretize some", 1, "--discretize: unknown rule 'some'"),
    ("learn gaps.csv --weights zz", 1, "--weights: the table has no column 'zz'"),
    ("learn gaps.csv --exclude a --weights a", 1, "--exclude and --weights both name 'a'"),
    ("learn gaps.csv --discrete zz", 1, "--discrete: the table has no column 'zz'"),
    ("score gaps.csv -o t.blc --only a --exclude b", 1, "--exclude and --only exclude each other"),
    ("credible gaps.csv --weights a", 1, "column 'a' holds 'x', which is no number; --weights expects"),
    ("convert gaps.csv t.dat --weights b", 1, "line 2: the weight .'b'. is missing; --weights expects"),
    ("learn gaps.csv --exclude a --exclude b", 1, "--exclude leaves no column"),
    ("learn gaps.csv --missing drop --discretize a=mean", 1, "'a' cannot be discretised"),
    ("learn infinite.csv --discretize width:3", 1, "'x' has infinite values, .* Use quantile:k"),
    ("learn missing_state.csv --strict --missing state", 1, "'a' has a state named 'missing' already"),
    ("learn utf16.csv --strict", 1, "utf16.csv: the text is UTF-16. Save it as UTF-8"),
    ("learn part.arff", 1, "part.arff: there is no line @data"),
    ("learn wrong.arff", 1, "wrong.arff, line 3: variable 'a' has state 'z', which is not declared"),
    ("learn rain.csv --discrete snow", 1, "snow"),
    ("learn rain.csv --memory 0", 2, "--memory"),
    ("learn rain.csv --max-parents -1", 2, "--max-parents"),
    ("learn rain.csv --missing fill", 2, "--missing"),
    ("learn continuous.csv --discretize x=5,3", 1, "increasing cut points"),
    ("learn broken.csv.gz", 1, "broken.csv.gz: "),
    ("learn not.parquet", 1, "not.parquet: "),
    ("learn short.dat", 1, "short.dat"),
    ("learn high.dat", 1, "high.dat"),
    ("learn words.dat", 1, "words.dat"),
    ("learn table.xyz", 1, "table.xyz.*xyz"),
    ("learn .", 1, "is a directory|unknown"),
    # options
    ("learn", 2, "Missing argument 'DATA'"),
    ("learn rain.csv --time-limit 0", 2, "--time-limit"),
    ("learn rain.csv --threads 0", 2, "--threads"),
    ("learn rain.csv --threads two", 2, "--threads"),
    ("learn rain.csv --seed -1", 2, "--seed"),
    ("learn rain.csv --colour", 2, "No such option"),
    ("learn rain.csv --score bix", 1, "unknown score 'bix'. Did you mean 'bic'"),
    ("learn rain.csv --score bic --ess 2", 1, "'bic' .*ess"),
    ("learn rain.csv --score bdeu --ess -2", 1, "ess"),
    ("learn rain.csv --solver astr", 1, "unknown solver 'astr'. Did you mean 'astar'"),
    ("learn rain.csv --method exhaustiv", 1, "unknown method 'exhaustiv'. Did you mean 'exhaustive'"),
    ("learn rain.csv -o net.biff", 1, "biff"),
    ("learn rain.csv --report report.pdf", 1, "a report ends in .html or .md"),
    ("learn rain.csv -o missing/net.bif", 1, "there is no folder"),
    ("learn rain.csv --json missing/run.json", 1, "there is no folder"),
    ("learn rain.csv --discretize quantile", 1, "unknown rule 'quantile'"),
    ("learn rain.csv --discretize snow=mean", 1, "snow"),
    ("learn rain.csv --discretize rain=mean", 1, "'rain' cannot be discretised"),
    ("learn rain.csv --ess-sweep 1,two", 1, "positive numbers such as 0.1,1,10"),
    ("learn rain.csv --ess-sweep 1,10 --ess 1", 1, "exclude each other"),
    ("learn rain.csv --start nothing.bif", 1, "nothing.bif: no such file"),
    ("learn rain.csv --start bad.bif", 1, "bad.bif"),
    ("learn rain.csv --start cycle.json", 1, "cycle"),
    ("learn rain.csv --start other.json", 1, "different variables: 'a' is only in the start"),
    # constraints
    ("learn rain.csv --constraints nothing.toml", 1, "nothing.toml: no such file"),
    ("learn rain.csv --constraints broken.toml", 1, "broken.toml: not a TOML file"),
    ("learn rain.csv --constraints kind.toml", 1, "'require'. Did you mean 'required'"),
    ("learn rain.csv --constraints typo.toml", 1, "'wett'. Did you mean 'wet'"),
    ("learn rain.csv --constraints known.toml", 4, "'rain' -> 'wet' is forbidden too"),
    ("learn rain.csv --constraints cycle.toml", 4, "form a cycle, 'rain' -> 'wet' -> 'rain'"),
    ("learn rain.csv --constraints tiers.toml", 4, "from tier 2 back to tier 1"),
    ("learn rain.csv --constraints parents.toml", 4, "'wet' has 2 required parents .*, but may have 1"),
    ("learn rain.csv --constraints same.toml", 1, "pairs variable 'rain' with itself"),
    ("learn rain.csv --constraints pairs.toml", 1, "constraint 'required' must be a list"),
    ("learn rain.csv --constraints tier_twice.toml", 4, "'rain' is in tier 1 and in tier 2"),
    ("learn rain.csv --constraints root.toml", 4, "'rain' -> 'wet' leads into root 'wet'"),
    ("learn rain.csv --constraints leaf.toml", 4, "'rain' -> 'wet' .* leaf 'rain'"),
    ("learn rain.csv --constraints fewer.toml", 1, "max_parents of 'wet' must be a whole number"),
    ("learn rain.csv --constraints round.toml", 4, "'wet' before 'cold' before 'rain' -> 'wet'"),
    ("learn rain.csv --constraints ancestor.con", 1, "line 1: 'rain<--wet' asks for an ancestor"),
    ("learn rain.csv --constraints word.con", 1, "line 1: 'rain rains' is no constraint"),
    # other verbs
    ("lern rain.csv", 2, "unknown verb 'lern'. Did you mean 'learn'"),
    ("score rain.csv -o cache.xyz", 1, "xyz"),
    ("score rain.csv -o cache.blc --shard 3", 1, "--shard must look like 2/8"),
    ("search broken.blc", 1, "broken.blc"),
    ("search broken.jkl", 1, "broken.jkl"),
    ("search self.jkl", 1, "self.jkl"),
    ("verify cycle.json --data rain.csv", 1, "cycle"),
    ("verify other.json", 2, "--cache or --data"),
    ("report run.json -o report.html", 1, "'bound' is missing"),
    ("report list.json -o report.html", 1, "list.json: expected a JSON object, found a list"),
    ("report text.json -o report.html", 1, "text.json, line 1: the JSON is damaged"),
    ("report run.json -o report.pdf", 1, "a report ends in .html or .md"),
]


def test_there_are_fifty():
    assert len(BAD) >= 50


@pytest.mark.parametrize(("line", "code", "message"), BAD, ids=[line for line, _, _ in BAD])
def test_one_sentence_one_code_and_nothing_half_written(line, code, message, tmp_path, monkeypatch, capsys):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(tmp_path)
    before = sorted(os.listdir(tmp_path))
    printed = run(capsys, *line.split())
    assert printed.code == code, printed.err
    assert printed.out == ""
    said = [text for text in printed.err.splitlines() if text.startswith(("bayesloom: ", "Error: "))]
    assert len(said) == 1, printed.err
    assert re.search(message, said[0]), said[0]
    assert said[0].endswith((".", ")"))  # the second: what click suggests, in the words of its version
    assert "Traceback" not in printed.err
    assert sorted(os.listdir(tmp_path)) == before


def test_a_required_edge_that_a_cache_lacks_is_infeasible(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("rain.csv", "force.toml"):
        (tmp_path / name).write_text(str(FILES[name]))
    for line, code in (("score rain.csv -o rain.blc", 0), ("search rain.blc --constraints force.toml", 4)):
        assert exit_code(*line.split()) == code
    assert "Score the table with the same --constraints FILE." in capsys.readouterr().err


@pytest.mark.parametrize("more", ["", " --k 2"])
@pytest.mark.parametrize("name", ["net.json", "c.csv", "networks", "c.jsonl.zip"])
def test_credible_writes_no_lines_under_another_ending(rain_folder, capsys, name, more):
    ended = run(capsys, f"credible rain.csv -o {name}{more}")
    assert ended.code == 1
    assert f"{name}: the networks are written as .jsonl, .jsonl.gz or .parquet." in ended.err
    assert not (rain_folder / name).exists()
    assert run(capsys, f"credible rain.csv -o /dev/null{more}").code == 0
