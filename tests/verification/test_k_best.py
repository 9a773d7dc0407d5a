"""The k best: what they were found under is in the file, and each entry is held against it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import bayesloom as bl
from made.command import exit_code


def run(line: str) -> int:
    return exit_code(f"{line} -q")


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(name).read_text())
    return found


def with_entries(whole: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
    """The result with other entries, everything that follows from them put right."""
    logs = [math.log(entry.get("members", 1)) + entry["score"] for entry in entries]
    weights = [math.exp(value - max(logs)) for value in logs]
    made = [{**e, "posterior": w / math.fsum(weights)} for e, w in zip(entries, weights, strict=True)]
    factor = math.exp(entries[0]["score"] - entries[-1]["score"])
    return {**whole, "entries": made, "k": len(made), "bayes_factor": factor}


def test_what_the_k_best_were_found_under_is_written(five: Path) -> None:
    (five / "k.toml").write_text('forbidden = [["a", "b"], ["b", "a"]]\n')
    assert (
        run("credible t.csv --k 3 --score bdeu --ess 2 --max-parents 2 --constraints k.toml --json k.json")
        == 0
    )
    found = read("k.json")
    assert found["variables"] == list("abcde")
    assert (found["score_name"], found["score_options"], found["max_parents"]) == ("bdeu", {"ess": 2.0}, 2)
    assert found["constraints"] == {"forbidden": [["a", "b"], ["b", "a"]]}
    assert bl.verify_run(found, table=bl.read_table("t.csv"), constraints="k.toml", exhaustive=True).ok


def test_the_score_of_the_k_best_of_a_table_is_known(five: Path) -> None:
    assert run("credible t.csv --k 5 --score bdeu --json k.json") == 0
    assert run("verify k.json --data t.csv") == 0
    assert run("verify k.json --data t.csv --score bic") == 1


def test_entries_that_break_constraints_asked_for_are_found(five: Path) -> None:
    (five / "k.toml").write_text('forbidden = [["a", "b"], ["b", "a"]]\n')
    assert run("credible full.blc --k 5 --json k.json") == 0
    assert run("verify k.json --cache full.blc") == 0
    assert run("verify k.json --cache full.blc --constraints k.toml") == 1
    cache = bl.read_cache("full.blc")
    lies = {**read("k.json"), "constraints": {"forbidden": [["a", "b"], ["b", "a"]]}}
    found = bl.verify_run(lies, cache=cache, constraints="k.toml")
    assert "the constraints are broken: forbidden edge 'a' -> 'b' is there." in found.problems


def test_an_order_that_the_cache_was_scored_under_holds_for_each_entry(five: Path) -> None:
    """The path a -> b -> d, where d comes before a: no single edge is forbidden."""
    (five / "order.toml").write_text('before = [["d", "a"]]\n')
    assert run("score t.csv -o order.blc --constraints order.toml") == 0
    assert run("credible order.blc --k 2 --json k.json") == 0
    cache = bl.read_cache("order.blc")
    parents: dict[str, list[str]] = {name: [] for name in "abcde"} | {"b": ["a"], "d": ["b"]}
    values = [cache.find(name, up) for name, up in parents.items()]
    if None in values:
        parents |= {"c": ["b"], "d": ["c"]}
        values = [cache.find(name, up) for name, up in parents.items()]
    entry = {"score": math.fsum(value for value in values if value is not None), "parents": parents}
    found = bl.verify_run(with_entries(read("k.json"), [entry]), cache=cache)
    assert "no order of the network keeps all pairs of 'before'" in found.problems[0]


def test_a_class_that_is_listed_twice_is_found(five: Path) -> None:
    assert run("credible full.blc --k 5 --json k.json") == 0
    assert run("credible full.blc --k 2 --by class --json c.json") == 0
    cache = bl.read_cache("full.blc")
    classes, networks = read("c.json"), read("k.json")["entries"]
    assert bl.verify_run(classes, cache=cache).ok
    first = {key: classes["entries"][0][key] for key in ("members", "size")}
    same = [entry for entry in networks if entry["score"] == networks[0]["score"]][:2]
    found = bl.verify_run(with_entries(classes, [{**entry, **first} for entry in same]), cache=cache)
    assert "a class is listed twice." in found.problems


def test_members_and_size_of_a_class_are_counted(five: Path) -> None:
    assert run("credible full.blc --k 2 --by class --json c.json") == 0
    cache, classes = bl.read_cache("full.blc"), read("c.json")
    one = classes["entries"][0]
    for change, word in (
        ({"members": 1000, "size": 10**300}, "size is"),
        ({"members": one["members"] + 1, "size": one["size"] + 1}, "size is"),
        ({"members": one["size"] + 1}, "more members"),
        ({"members": 1}, "members is 1"),
    ):
        changed = with_entries(classes, [{**one, **change}, classes["entries"][1]])
        assert word in " ".join(bl.verify_run(changed, cache=cache).problems), change


def test_better_networks_left_out_are_found_where_all_are_looked_at(five: Path) -> None:
    for by in ("network", "class"):
        assert run(f"credible full.blc --k 5 --by {by} --json k.json") == 0
        cache, whole = bl.read_cache("full.blc"), read("k.json")
        for gone in (0, 1, 2):
            entries = [entry for k, entry in enumerate(whole["entries"]) if k != gone]
            if entries[gone]["score"] == entries[-1]["score"]:
                continue
            changed = {**with_entries(whole, entries)}
            assert bl.verify_run(changed, cache=cache).ok
            problems = bl.verify_run(changed, cache=cache, exhaustive=True).problems
            assert any("is not among the entries" in problem for problem in problems), (by, gone)
        assert bl.verify_run(whole, cache=cache, exhaustive=True).ok
        told = {check.what: check.outcome for check in bl.verify_run(whole, cache=cache).checks}
        assert (told["optimality"], told["none left out"]) == ("not checked", "not checked")


def test_complete_must_be_what_the_cache_says(five: Path) -> None:
    assert run("credible full.blc --k 3 --json k.json") == 0
    cache, whole = bl.read_cache("full.blc"), read("k.json")
    assert not bl.verify_run({**whole, "complete": not whole["complete"]}, cache=cache).ok


def test_the_local_scores_shown_are_those_of_the_best(five: Path) -> None:
    assert run("credible full.blc --k 4 --json k.json") == 0
    found = bl.verify_run(read("k.json"), cache=bl.read_cache("full.blc"))
    assert found.score == read("k.json")["entries"][0]["score"]
