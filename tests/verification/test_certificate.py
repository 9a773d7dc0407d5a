"""Certificates: the checker beside its slow twin and brute force, what solvers write, and damage."""

from __future__ import annotations

import gzip
import random
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.solvers.highs import HighsProgram
from bayesloom.solvers.result import run_object
from bayesloom.verification.certificate import certificate_text, check_certificate, parsed
from bayesloom.verification.proof_tree import Fault, Lists, ProofTree
from fuzz.proofs import divided_lists
from made.caches import random_cache
from made.command import run as run_command
from made.constraints import kept_by
from made.lists import UNIT, cache_of
from reference.certificate import Case, Twin, scores

ENOUGH = 1e9  # bytes


# Random trees

Plain = list[list[tuple[int, frozenset[int]]]]


def random_lists(rng: random.Random, n: int) -> Plain:
    out: Plain = []
    for i in range(n):
        others = [v for v in range(n) if v != i]
        sets = {
            frozenset(rng.sample(others, rng.randint(0, min(3, n - 1)))) for _ in range(rng.randint(1, 5))
        }
        if rng.random() < 0.8:
            sets.add(frozenset())
        own = [(rng.randint(-40, 0) - 10 * (not p), p) for p in sets]
        out.append(sorted(own, key=lambda entry: (-entry[0], sorted(entry[1]))))
    return out


def arrays(lists: Plain) -> Lists:
    flat = [entry for own in lists for entry in own]
    parts = (
        np.cumsum([0, *map(len, lists)]),
        [s for s, _ in flat],
        np.cumsum([0, *(len(p) for _, p in flat)]),
        [v for _, p in flat for v in sorted(p)],
    )
    return Lists(*(np.array(part, dtype=np.int64) for part in parts))


class RandomBody:
    """A random tree with random rules and prices."""

    def __init__(self, rng: random.Random, tops: list[int]) -> None:
        n = len(tops)
        self.rng, self.n, self.rules, self.tops = rng, n, 0, tops
        self.lines: list[str] = []
        self.kinds: Counter[str] = Counter()
        for _ in range(rng.randint(0, 6)):
            self.rule()
        self.tree(0, list(range(n)))

    def put(self, *words: object) -> None:
        self.kinds[str(words[0])] += 1
        self.lines.append(" ".join(map(str, words)))

    def rule(self) -> None:
        rng, n = self.rng, self.n
        kind = rng.choice(["cluster", "cluster", "four", "cut", "cut"])
        if kind == "four" and n >= 4:
            blocks = rng.choice(_core.inequalities_of_four())
            self.put("four", 2, *sorted(rng.sample(range(n), 4)), "/", *blocks)
        elif kind == "cut" and self.rules:
            used = [rng.randrange(self.rules) for _ in range(rng.randint(1, 4))]
            extra = [f"{i}:{rng.choice([-2, -1, 1, 1, 1])}" for i in rng.sample(range(n), rng.randint(0, 2))]
            self.put("cut", rng.choice([2, 2, 2, 3]), *used, "/", *extra)
        else:
            members = rng.sample(range(n), rng.randint(1, n))
            self.put("cluster", rng.randint(1, min(2, len(members))), *members)
        self.rules += 1

    def prices(self) -> list[str]:
        rules = self.rng.sample(range(self.rules), self.rng.randint(0, self.rules))
        return [f"{r}:{self.rng.choice([0, 1, 3, 8, 20])}" for r in rules]

    def tree(self, depth: int, counted: list[int]) -> None:
        rng = self.rng
        if rng.random() < 0.2:
            self.rule()
        kinds = ["leaf", "sets", "fix", "in", "order", "reach", "dominated", "parts"]
        kind = rng.choice(kinds[:2] if depth > 4 else kinds)
        everyone = range(self.n)
        if kind in ("leaf", "sets", "fix"):
            self.put(kind, *self.prices())
        elif kind == "in":
            i, *rest = rng.sample(everyone, self.n)
            self.put("in", i, *rest[: rng.choice([1, 1, 2])])
            self.tree(depth + 1, counted)
        elif kind == "order":
            self.put("order", *rng.sample(everyone, 2))
            self.tree(depth + 1, counted)
        elif kind == "reach":
            self.put("reach", rng.choice(everyone))
        elif kind == "dominated":
            self.put("dominated")
        else:
            cut = rng.randint(1, len(counted))
            mixed = rng.sample(counted, len(counted))
            parts = [part for part in (mixed[:cut], mixed[cut:]) if part]
            self.put("parts", len(parts))
            for part in parts[:-1]:
                self.put("part", self.goal(part), *part)
                self.tree(depth + 1, part)
            self.put("part", self.goal(parts[-1]), *parts[-1])
            counted = parts[-1]
        if kind not in ("leaf", "sets"):
            self.tree(depth + 1, counted)

    def goal(self, part: list[int]) -> int:
        return sum(self.tops[i] for i in part) + self.rng.choice([0, 0, 0, -1, 3, -8])

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def proves(lists: Lists, body: str, goal: int) -> bool:
    try:
        ProofTree(lists, body, goal, ENOUGH).check()
    except Fault:
        return False
    return True


def test_random_trees_beside_the_twin_and_brute_force() -> None:
    """Checker and twin agree, and what they call proved is true."""
    rng = random.Random(1)
    seen: Counter[str] = Counter()
    for _ in range(250):
        n = rng.randint(2, 5)
        lists = random_lists(rng, n)
        best = max(scores(Case(lists, 0, frozenset(range(n)), {})), default=None)
        body = RandomBody(rng, [own[0][0] for own in lists])
        simple = sum(own[0][0] for own in lists)
        for goal in {simple, (simple + (best or simple)) // 2, best or -200, (best or -200) - 1}:
            found = proves(arrays(lists), body.text, goal)
            if "sets" not in body.kinds or "parts" not in body.kinds:
                # A rule on variables that do not count is refused in `sets` of a part; the twin takes it.
                assert found == Twin(lists, body.text).proved(goal), body.text
            assert not found or best is None or goal >= best, body.text
            seen[f"{found}, {'tight' if goal == best else 'wide'}"] += 1
            if found:
                seen.update(body.kinds.keys())
    assert min(seen["True, tight"], seen["True, wide"], seen["False, tight"]) > 20, seen
    for kind in (
        "cluster",
        "four",
        "cut",
        "in",
        "order",
        "fix",
        "reach",
        "dominated",
        "part",
        "leaf",
        "sets",
    ):
        assert seen[kind] > 5, seen


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("", "ends before its tree does"),
        ("leaf \n", "expected NUMBER:NUMBER"),
        ("leaf\nleaf\n", "something follows"),
        ("grow\n", "no record begins with 'grow'"),
        ("cluster\nleaf\n", "'cluster' must say more"),
        ("cluster 3 0 1\nleaf\n", "from 1 to 2, found 3"),
        ("cluster 1 0 0\nleaf\n", "twice"),
        ("cluster 1 0 9\nleaf\n", "a variable must be from 0 to 3, found 9"),
        ("cluster 1 0 +1\nleaf\n", "a variable must be a whole number, found '+1'"),
        ("cluster 1 0 1\nleaf 0:-1\n", "a price must be from 0"),
        ("cluster 1 0 1\nleaf 0:1 0:1\n", "names a rule twice"),
        ("cluster 1 0 1\nleaf 1:1\n", "a rule must be from 0 to 0, found 1"),
        ("leaf 0:1\ncluster 1 0 1\n", "a rule must be from 0 to -1"),
        ("four 3 0 1 2 3 / 0 0 0 0\nleaf\n", ""),
        ("four 4 0 1 2 3 / 0 0 0 1\nleaf\n", "some network does not obey"),
        ("four 2 0 1 3 2 / 0 0 0 0\nleaf\n", "must ascend"),
        ("cut 2 0 / \nleaf\n", "a rule must be"),
        ("cut 0 / 0:1\nleaf\n", "the divisor of a cut must be from 1"),
        ("cut 1 / 0:99999\nleaf\n", "beyond 2^15"),
        ("cut 1 0\nleaf\n", "a cut is"),
        ("part 0 1 2\nleaf\n", "a part is expected here, or none"),
        ("parts 2\npart 0 0 1\nleaf\npart 0 2\nleaf\n", "in no part"),
        ("parts 2\npart 0 0 1\nleaf\npart 0 1 2 3\nleaf\n", "in another"),
        ("parts 1\nleaf\n", "a part is expected"),
        ("parts 5\nleaf\n", "from 1 to 4"),
        ("parts 1\npart 1 0 1 2 3\nleaf\n", "add up to more than the goal"),
        ("order 1 1\nleaf\nleaf\n", "twice"),
        ("order 1\nleaf\nleaf\n", "an order is"),
        ("in 1\nleaf\nleaf\n", "names no variable"),
        ("order 0 1\nleaf\n", "ends before its tree does"),
        ("reach 1 2\nleaf\n", "a record reach is"),
        ("dominated 1\nleaf\n", "no other words"),
    ],
)
def test_what_is_no_certificate_is_told(body: str, problem: str) -> None:
    lists = arrays([[(-1, frozenset())] for _ in range(4)])
    if problem:
        with pytest.raises(Fault, match=re.escape(problem)):
            ProofTree(lists, body, 0, ENOUGH).check()
    else:
        ProofTree(lists, body, 0, ENOUGH).check()


def test_prices_that_could_overflow_are_refused() -> None:
    lists = arrays([[(-1, frozenset())] for _ in range(4)])
    body = "".join(f"cluster 1 {i} {(i + 1) % 4}\n" for i in range(4)) * 2
    with pytest.raises(Fault, match="too high to add up"):
        ProofTree(lists, body + "leaf " + " ".join(f"{r}:{2**60}" for r in range(8)), 0, ENOUGH).check()


def test_memory_is_kept() -> None:
    lists = arrays([[(-1, frozenset())] for _ in range(4)])
    with pytest.raises(Fault, match="do not fit the memory"):
        ProofTree(lists, "cluster 1 0 1\nleaf\n", 0, 2.0).check()
    with pytest.raises(Fault, match="do not fit the memory"):
        ProofTree(lists, "sets\n", -9, 100.0).check()


# What solvers write


def proved(cache: bl.ScoreCache, path: Path, **options: object) -> bl.SearchResult:
    """Search with a certificate, and check both together."""
    result = bl.search(cache, certificate=path, threads=1, **options)  # type: ignore[arg-type]
    found = bl.verify_run(run_object(result, "search"), cache=cache, certificate=path)
    assert found.ok, found.problems
    lines = {check.what: check for check in found.checks}
    assert lines["certificate"].outcome == "ok"
    assert lines["certificate"].detail.startswith("proved: ")
    assert lines["optimality"].outcome == "ok"
    return result


@pytest.mark.parametrize("solver", ["auto", "dp", "astar", "bfbnb", "bblp", "minobs"])
def test_what_exact_solvers_write_is_proved(solver: str, tmp_path: Path) -> None:
    for seed in range(4):
        cache = random_cache(seed, 5 + 3 * seed, 12)
        result = bl.search(cache, solver=solver, certificate=tmp_path / "c.cert", threads=1)
        if result.status == "optimal":
            proved(cache, tmp_path / "c.cert", solver=solver)
        else:
            assert solver == "minobs"


def chains(seed: int, count: int, length: int) -> bl.ScoreCache:
    """A cache of a table of chains that know nothing of each other; equivalent networks tie."""
    rng = np.random.default_rng(seed)
    columns = {}
    for chain in range(count):
        last = rng.integers(0, 2, 60)
        for k in range(length):
            last = np.where(rng.random(60) < 0.7, last, rng.integers(0, 2 + k % 2, 60))
            columns[f"{'abcdef'[chain]}{k}"] = last.tolist()
    return bl.score(bl.read_table(columns), score="bdeu")


@pytest.mark.parametrize("highs", [True, False])
def test_constraints_and_components(highs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders, tiers, limits and required edges; without HiGHS, components that are proved each by itself."""
    if not highs:
        monkeypatch.setattr("bayesloom.solvers.highs.find_spec", lambda name: None)
    rng = random.Random(3)
    seen: Counter[str] = Counter()
    for seed in range(60):
        cache = random_cache(seed, rng.randint(4, 8), 10) if seed % 4 == 0 else chains(seed, 2, 5)
        known = bl.search(cache, solver="obs", seed=seed).network
        rules = kept_by(rng, known) if seed % 3 else None
        try:
            result = proved(cache, tmp_path / "c.cert.gz", constraints=rules)
        except bl.InfeasibleError:
            continue
        text = gzip.decompress((tmp_path / "c.cert.gz").read_bytes()).decode()
        assert result.certificate == text
        seen.update(word for word in ("constraints", "finer", "parts", "sets", "leaf") if f"\n{word}" in text)
        seen.update(key for key, value in (rules.to_json() if rules else {}).items() if value)
    own = ("finer",) if highs else ("parts", "sets")
    for word in ("constraints", *own, "leaf", "before", "max_parents", "forbidden"):
        assert seen[word] > 2, seen


def test_a_stopped_search_has_a_certificate_of_a_bound(tmp_path: Path) -> None:
    cache = random_cache(5, 30, 40)
    result = bl.search(cache, solver="obs", certificate=tmp_path / "c.cert")
    assert result.status == "stopped"
    assert result.certificate is not None
    given = parsed(result.certificate, "c.cert")
    assert not check_certificate(given, cache).problem
    assert given.bound >= result.fixed_score
    found = bl.verify_run(run_object(result, "search"), cache=cache, certificate=tmp_path / "c.cert")
    if given.bound > result.fixed_bound:
        assert any("which is lower" in problem for problem in found.problems)
    else:
        assert found.ok


def test_a_certificate_is_of_one_cache_one_result_and_its_constraints(tmp_path: Path) -> None:
    path = tmp_path / "c.cert"
    cache, other = random_cache(1, 6, 10), random_cache(2, 6, 10)
    one, two = proved(other, path), proved(cache, path)
    run = run_object(two, "search")
    assert bl.verify_run(run, cache=cache, certificate=path).ok
    with pytest.raises(InputError, match="the cache that was searched"):
        bl.verify_run(run, table={"x0": [1, 2]}, certificate=path)
    problems = bl.verify_run(run_object(one, "search"), cache=other, certificate=path).problems
    assert problems == ("c.cert: it is about another score cache.",)
    worse = bl.search(cache, solver="obs", start=list(reversed(cache.names)), work_limit=1)
    if worse.network != two.network:
        problems = bl.verify_run(run_object(worse, "search"), cache=cache, certificate=path).problems
        assert problems == ("c.cert: it is about another network than the result.",)
    held = bl.search(cache, constraints={"forbidden": [["x0", "x1"], ["x1", "x0"]]})
    problems = bl.verify_run(run_object(held, "search"), cache=cache, certificate=path).problems
    assert problems
    assert all(problem.startswith("c.cert: it ") for problem in problems)


def test_the_commands(five: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(capsys, "search full.blc --json r.json --certificate r.cert").code == 0
    ended = run_command(capsys, "verify r.json --cache full.blc --certificate r.cert")
    assert ended.code == 0
    assert "certificate: proved: " in ended.out
    assert "the certificate proves it" in ended.out
    text = (five / "r.cert").read_text()
    (five / "r.cert").write_text(text.rsplit("\n", 2)[0] + "\n")
    ended = run_command(capsys, "verify r.json --cache full.blc --certificate r.cert")
    assert ended.code == 1
    assert "WRONG" in ended.out
    assert "r.cert, line " in ended.out
    (five / "r.cert").write_text("{}")
    ended = run_command(capsys, "verify r.json --cache full.blc --certificate r.cert")
    assert ended.code == 1
    assert "this is no certificate" in ended.err
    ended = run_command(capsys, "verify r.json --data t.csv --certificate r.cert")
    assert ended.code == 1
    assert "the cache that was searched" in ended.err
    ended = run_command(capsys, "search full.blc --json r.json --certificate r.json")
    assert ended.code == 1
    assert "the same file" in ended.err


# Damage


def damaged(rng: random.Random, text: str) -> str:
    """A certificate with something changed: a number, a word, a line, the order of lines, the end."""
    lines = text.split("\n")[:-1]
    at = rng.randrange(1, len(lines))
    words = lines[at].split(" ")
    kind = rng.choice(["number", "number", "number", "word", "drop", "twice", "swap", "cut short", "line"])
    if kind == "number":
        k = rng.randrange(len(words))
        halves = words[k].split(":")
        h = rng.randrange(len(halves))
        if halves[h].lstrip("-").isdigit():
            change = rng.choice([1, -1, 7, -(10**6), 10**9, -2 * int(halves[h])])
            halves[h] = str(int(halves[h]) + change)
        words[k] = ":".join(halves)
        lines[at] = " ".join(words)
    elif kind == "word":
        words.pop(rng.randrange(len(words)))
        lines[at] = " ".join(words)
    elif kind == "drop":
        lines.pop(at)
    elif kind == "twice":
        lines.insert(at, lines[at])
    elif kind == "swap":
        other = rng.randrange(1, len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == "cut short":
        lines = lines[:at]
    else:
        lines.insert(at, rng.choice(["leaf", "fix", "order 0 1", "in 0 1", "reach 0", "cluster 1 0 1", "x"]))
    return "\n".join(lines) + "\n"


def with_cuts(rng: random.Random) -> tuple[bl.ScoreCache, str, int]:
    """A cache whose relaxation is divided, the certificate by branch and cut, and the best score."""
    lists = divided_lists(rng, rng.randint(5, 7))
    cache = cache_of([[(-loss, frozenset(s)) for loss, s in one] for one in lists], unit=UNIT)
    best = _core.subset_dp(cache.core, threads=1)
    out = _core.cut_proof(cache.core, best["score"], HighsProgram())
    _, _, first, flat = cache.core.plain_views
    parents = [list(flat[first[c] : first[c + 1]]) for c in best["candidates"]]
    text = certificate_text(cache, {}, parents, best["score"], best["score"], out["body"], out["finer"])
    return cache, text, best["score"]


def test_a_thousand_damaged_certificates_are_refused(tmp_path: Path) -> None:
    """Refused, or else still a proof of something true: the best score of the cache is known."""
    rng = random.Random(11)
    refused = accepted = 0
    seen: Counter[str] = Counter()
    for seed in range(40):
        if seed % 4 == 0:
            cache, whole, best = with_cuts(rng)
        else:
            cache = random_cache(seed, rng.randint(4, 9), 10)
            result = bl.search(cache, certificate=True, threads=1, options={"dp_first": 0})
            assert result.status == "optimal"
            assert result.certificate is not None
            whole, best = result.certificate, result.fixed_score
        seen.update(word for word in ("finer", "cut", "in", "fix") if f"\n{word} " in whole)
        for _ in range(60):
            text = damaged(rng, whole)
            if text == whole:
                continue
            try:
                given = parsed(text, "c.cert")
                problem = check_certificate(given, cache).problem
            except InputError:
                refused += 1
                continue
            if problem:
                refused += 1
                continue
            accepted += 1
            assert given.score <= best <= given.bound, text
    assert refused > 1000, refused
    assert accepted > 20, accepted
    assert min(seen[word] for word in ("finer", "cut", "fix")) > 2, seen


def test_lower_bounds_are_never_accepted() -> None:
    """The worst damage: the body of a proof under a bound that is too low."""
    for seed in range(30):
        cache = random_cache(seed, 4 + seed % 5, 10)
        result = bl.search(cache, certificate=True, threads=1)
        assert result.certificate is not None
        given = parsed(result.certificate, "c.cert")
        body, parts = given.body, 2**given.finer
        held = (cache.first, cache.scores * parts, cache.parent_first, cache.parents)
        lists = Lists(*(part.astype(np.int64) for part in held))
        for by in (0, 1, 10, 10**6, 10**9):
            goals = body.split("\n")
            for k, line in enumerate(goals):
                if line.startswith("part "):  # the goals of parts fall with it
                    words = line.split(" ")
                    goals[k] = " ".join(["part", str(int(words[1]) - by * parts), *words[2:]])
            goal = (result.fixed_score - by + 1) * parts - 1
            assert proves(lists, "\n".join(goals), goal) == (by == 0)


def test_all_rules_of_four_are_taken_and_no_stronger_one() -> None:
    lists = arrays(
        [
            [(-1, frozenset(p)) for r in range(4) for p in combinations({0, 1, 2, 3} - {i}, r)]
            for i in range(4)
        ]
    )
    for blocks in _core.inequalities_of_four():
        words = " ".join(map(str, blocks))
        ProofTree(lists, f"four 2 0 1 2 3 / {words}\nleaf\n", 0, ENOUGH).check()
        with pytest.raises(Fault, match="does not obey"):
            ProofTree(lists, f"four 3 0 1 2 3 / {words}\nleaf\n", 0, ENOUGH).check()
