"""A true result is not called wrong where it is held against something else than what it was made from:
another table order, another cache, fewer parent sets. And a false one is not passed for that.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import bayesloom as bl
from bayesloom.cli import main
from bayesloom.verification.network import family_scores
from made.command import exit_code


def run(line: str) -> int:
    return exit_code(f"{line} -q")


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(name).read_text())
    return found


def outcome(found: bl.Verification, what: str) -> str:
    return next(check.outcome for check in found.checks if check.what == what)


def test_the_score_of_a_network_is_that_of_the_cache(five: Path) -> None:
    assert run("score t.csv --score bdeu -o bdeu.blc") == 0
    assert run("search bdeu.blc --json s.json") == 0
    with pytest.raises(SystemExit):
        main(["convert", "s.json", "n.modelstring"])
    assert run("verify n.modelstring --cache bdeu.blc --data t.csv") == 0
    assert run("verify n.modelstring --cache bdeu.blc --data t.csv --score bdeu --ess 1") == 0
    assert run("verify n.modelstring --cache bdeu.blc --data t.csv --score bic") == 1


def test_a_credible_set_over_some_parent_sets_need_not_hold_the_best_of_all(five: Path) -> None:
    cache = bl.read_cache("full.blc")
    lists = {name: [entry for entry in cache.candidates(name) if len(entry[1]) <= 1] for name in cache.names}
    some = bl.ScoreCache.from_candidates(cache.names, lists, info={"score": "bic"})
    some.write("some.blc")
    assert run("credible some.blc --json c.json") == 0
    found = bl.verify_run(read("c.json"), table=bl.read_table("t.csv"), exhaustive=True)
    assert found.problems == ()
    assert read("c.json")["complete"] is False
    assert found.best_score is not None
    assert found.best_score > read("c.json")["best"]
    assert outcome(found, "optimality") == "not checked"


def test_all_networks_over_a_cache_are_those_within_the_limit_of_the_result(five: Path) -> None:
    assert run("learn t.csv --max-parents 1 --json l.json") == 0
    learned, cache = read("l.json"), bl.read_cache("full.blc")
    found = bl.verify_run(learned, cache=cache, exhaustive=True)
    assert found.problems == ()
    assert outcome(found, "optimality") == "ok"
    unlimited = bl.search(cache)
    assert unlimited.score > learned["score"]


def test_a_bound_over_the_sets_that_learn_scored_says_nothing_about_another_cache(five: Path) -> None:
    assert run("learn t.csv --json l.json") == 0
    learned = read("l.json") | {"complete": False, "proof": "sets scored", "status": "stopped"}
    learned |= dict.fromkeys(("bound_all_networks", "gap_all_networks", "fixed_bound_all_networks"))
    learned["claim"] = (
        "no network scores higher over the candidates scored; other parent sets were not all ruled out"
    )
    found = bl.verify_run(learned, cache=bl.read_cache("full.blc"), exhaustive=True)
    assert found.problems == ()
    assert outcome(found, "optimality") == "not checked"


def test_a_cache_that_lacks_parent_sets_that_learn_chose_is_no_proof_against_it(five: Path) -> None:
    assert run("learn t.csv --json l.json") == 0
    assert max(map(len, read("l.json")["parents"].values())) > 1
    assert run("score t.csv --max-parents 1 -o one.blc") == 0
    cache, table = bl.read_cache("one.blc"), bl.read_table("t.csv")
    with pytest.raises(bl.InputError, match="may be right: give the table"):
        bl.verify_run(read("l.json"), cache=cache)
    found = bl.verify_run(read("l.json"), cache=cache, table=table)
    assert found.problems == ()
    assert outcome(found, "candidates used") == "not checked"


def test_columns_of_a_table_may_have_another_order_than_the_cache(five: Path) -> None:
    rows = [line.split(",") for line in (five / "t.csv").read_text().splitlines()]
    (five / "turned.csv").write_text("\n".join(",".join(row[::-1]) for row in rows) + "\n")
    cache, turned = bl.read_cache("full.blc"), bl.read_table("turned.csv")
    for line in ("search full.blc", "credible full.blc", "credible full.blc --k 4"):
        assert run(f"{line} --json r.json") == 0
        made = read("r.json")
        for against in ({"table": turned}, {"table": turned, "cache": cache}):
            found = bl.verify_run(made, **against, exhaustive="cache" in against)  # type: ignore[arg-type]
            assert found.problems == (), line
        assert outcome(bl.verify_run(made, table=turned), "order of variables") == "not checked"
    # A table as learn was given is its own.
    assert run("learn t.csv --json l.json") == 0
    assert "in another order" in bl.verify_run(read("l.json"), table=turned).problems[0]


def test_posteriors_are_found_again_in_a_table_of_another_order(five: Path) -> None:
    rows = [line.split(",") for line in (five / "t.csv").read_text().splitlines()]
    (five / "turned.csv").write_text("\n".join(",".join(row[::-1]) for row in rows) + "\n")
    assert run("score t.csv --bayes-factor 20 -o wide.blc") == 0
    assert run("credible wide.blc --bayes-factor 20 --json c.json") == 0
    found = bl.verify_run(read("c.json"), table=bl.read_table("turned.csv"), exhaustive=True)
    assert found.problems == ()
    assert outcome(found, "values of posteriors") == "ok"


# Rows of --ess-sweep, components and posteriors: what was passed before


def swept(five: Path) -> tuple[dict[str, Any], int]:
    (five / "sw.toml").write_text('forbidden = [["b", "a"]]\n')
    assert run("learn t.csv --ess-sweep 0.5,2 --constraints sw.toml --max-parents 1 --json sw.json") == 0
    found = read("sw.json")
    assert bl.verify_run(found, table=bl.read_table("t.csv"), constraints="sw.toml").ok
    return found, next(k for k, row in enumerate(found["ess_sweep"]) if not row["chosen"])


def test_a_size_that_is_none_is_wrong_in_every_row(five: Path) -> None:
    whole, other = swept(five)
    for size in (0, -5):
        changed = copy.deepcopy(whole)
        changed["ess_sweep"][other] |= {"ess": size, "score": -1e6}
        problems = bl.verify_run(changed, table=bl.read_table("t.csv")).problems
        assert problems == (f"ess_sweep, ess {size}: the size must be above 0.",)


def test_limit_and_constraints_hold_for_every_row_of_a_sweep(five: Path) -> None:
    whole, other = swept(five)
    table = bl.read_table("t.csv")
    changed = copy.deepcopy(whole)
    row = changed["ess_sweep"][other]
    row["parents"] = {"a": ["b"], "b": [], "c": [], "d": [], "e": ["a", "b", "c", "d"]}
    row["edges"] = 5
    row["score"] = sum(family_scores(table, list(row["parents"].items()), "bdeu", {"ess": row["ess"]}))
    problems = " ".join(bl.verify_run(changed, table=table).problems)
    assert "forbidden edge 'b' -> 'a' is there" in problems
    assert "'e' has 4 parents, but max_parents is 1." in problems


def test_components_are_found_again_or_told_as_not_checked(five: Path) -> None:
    assert run("score t.csv --bayes-factor 20 -o wide.blc") == 0
    assert run("credible wide.blc --json c.json") == 0
    whole, cache = read("c.json"), bl.read_cache("wide.blc")
    right = bl.verify_run(whole, cache=cache, exhaustive=True)
    assert right.problems == ()
    assert outcome(right, "sizes of components") == "ok"
    assert outcome(bl.verify_run(whole, cache=cache), "sizes of components") == "not checked"
    for sizes in ([1] * 5, [5], [3, 2], [2, 1, 1, 1], [3, 1, 1], [2, 2, 1]):
        if sizes == whole["components"]:
            continue
        found = bl.verify_run({**whole, "components": sizes}, cache=cache, exhaustive=True)
        told = outcome(found, "sizes of components")
        assert told == ("wrong" if len(sizes) >= len(whole["components"]) else "not checked"), sizes


def test_edges_that_cannot_be_have_no_posterior(five: Path) -> None:
    (five / "k.toml").write_text('forbidden = [["a", "e"]]\nroots = ["a"]\n')
    assert run("credible t.csv --constraints k.toml --json c.json") == 0
    table, whole = bl.read_table("t.csv"), read("c.json")
    assert bl.verify_run(whole, table=table, constraints="k.toml").ok
    for pair in (("a", "e"), ("e", "a")):
        assert not any((edge["from"], edge["to"]) == pair for edge in whole["edges"])
        more = {"from": pair[0], "to": pair[1], "posterior": 1e-9, "adjacent": 1e-9}
        [problem] = bl.verify_run({**whole, "edges": [*whole["edges"], more]}, table=table).problems
        assert (
            problem == f"the edge from {pair[0]!r} to {pair[1]!r} is listed, but the constraints forbid it."
        )


def test_edges_in_no_parent_set_have_no_posterior(five: Path) -> None:
    assert run("credible full.blc --bayes-factor 1 --json c.json") == 0
    cache, whole = bl.read_cache("full.blc"), read("c.json")
    known = {(a, b) for b in cache.names for _, up in cache.candidates(b) for a in up}
    a, b = next((a, b) for a in "abcde" for b in "abcde" if a != b and not {(a, b), (b, a)} & known)
    more = {"from": a, "to": b, "posterior": 1e-9, "adjacent": 1e-9}
    [problem] = bl.verify_run({**whole, "edges": [*whole["edges"], more]}, cache=cache).problems
    assert problem == f"the edge from {a!r} to {b!r} is in no parent set of the score cache."
