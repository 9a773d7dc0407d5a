"""What `verbs` knows: what every file holds, what a command line may lead to, and what is true."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bayesloom.scoring.cache import ScoreCache
from fuzz.truth import NEAR, Truth, allowed_sets, bit_mask, scores_of_table
from fuzz.verb_cases import NAMES, RULES


@dataclass(frozen=True)
class Job:
    """What a score cache or a run was made of."""

    table: str
    score: str = "bic"
    ess: float = 1.0
    limit: int | None = None
    rules: str = ""
    factor: float = 1.0
    method: str = "exhaustive"
    shard: str | None = None


@dataclass(frozen=True)
class Held:
    """What a file holds: a cache or a run of a job, a run changed by hand, or nothing that is known."""

    kind: str
    job: Job | None = None
    late: str = ""


@dataclass
class World:
    folder: Path
    tables: dict[str, tuple[tuple[int, ...], ...]]
    files: dict[str, Held] = field(default_factory=dict)
    claims: int = 0
    wrong: list[str] = field(default_factory=list)

    def claim(self, holds: bool, words: str) -> None:
        self.claims += 1
        if not holds:
            self.wrong.append(words)

    def truth(self, job: Job, late: str = "") -> Truth:
        return _truth(self.tables[job.table], job.score, job.ess, job.limit, job.rules, late)


@cache
def _truth(rows: Any, score: str, ess: float, limit: int | None, rules: str, late: str) -> Truth:
    local = scores_of_table(
        rows, [len(set(column)) for column in zip(*rows, strict=True)], score, ess, len(NAMES) - 1
    )
    fits = allowed_sets(NAMES, RULES.get(rules, {}), limit) & allowed_sets(NAMES, RULES.get(late, {}), None)
    return Truth(np.where(fits, local, -np.inf))


@dataclass(frozen=True)
class Expected:
    """What may come out: exit codes, and what each output holds if it is written."""

    codes: frozenset[int]
    outputs: dict[str, Held] = field(default_factory=dict)


def option(line: tuple[str, ...], name: str) -> str | None:
    return line[line.index(name) + 1] if name in line else None


def job_of(line: tuple[str, ...]) -> Job:
    limit = option(line, "--max-parents")
    return Job(
        line[1],
        score=option(line, "--score") or "bic",
        ess=float(option(line, "--ess") or 1),
        limit=None if limit is None else int(limit),
        rules=option(line, "--constraints") or "",
        factor=float(option(line, "--bayes-factor") or 1),
        method=option(line, "--method") or "exhaustive",
        shard=option(line, "--shard"),
    )


DONE, REFUSED, STOPPED, INFEASIBLE = 0, 1, 3, 4
MISSING = frozenset({1, 2})
other = Held("other")


def expect(world: World, line: tuple[str, ...]) -> Expected:
    """What a command line may lead to, given what the files hold."""
    verb = line[0]
    outputs = {name: other for name in (option(line, "-o"), option(line, "--report")) if name}
    held = world.files.get(line[1])
    if verb in ("score", "learn") or (verb == "credible" and line[1].endswith("csv")):
        job = job_of(line)
        if world.truth(replace(job, shard=None)).best is None:
            return Expected(frozenset({INFEASIBLE}))
        if verb == "score":
            return Expected(frozenset({DONE}), {str(option(line, "-o")): Held("cache", job)})
        kind = "run" if verb == "learn" else "credible"
        return Expected(frozenset({DONE}), {**outputs, str(option(line, "--json")): Held(kind, job)})
    if verb == "merge":
        return expect_merge(world, line)
    if verb == "compare":
        both = [world.files.get(name) for name in line[1:3]]
        if None in both:
            return Expected(MISSING)
        fine = all(one is not None and one.kind == "run" for one in both)
        return Expected(frozenset({DONE}) if fine else frozenset({DONE, REFUSED, 4}))
    if verb == "convert":
        outputs = {line[2]: other}
        if line[1].endswith("csv"):
            return Expected(frozenset({DONE}), outputs)
    if held is None:
        return Expected(MISSING)
    if verb == "verify":
        against = option(line, "--cache")
        if against is not None and world.files.get(against) is None:
            return Expected(MISSING)
        return Expected(verify_codes(world, held, line))
    if held.kind == "changed":
        return Expected(frozenset({DONE, REFUSED, 4}), outputs)
    if held.kind == "damaged":
        return Expected(
            frozenset({REFUSED}) if line[1].endswith("blc") else frozenset({DONE, REFUSED, 4}), outputs
        )
    if held.kind == "cache" and held.job is not None:
        if held.job.shard is not None:
            return Expected(frozenset({REFUSED}))
        late = option(line, "--constraints") or ""
        codes = {DONE}
        if verb == "search":
            codes |= {STOPPED} if option(line, "--work-limit") else set()
            codes |= {INFEASIBLE} if late else set()
            outputs[str(option(line, "--json"))] = Held("run", held.job, late)
            if "--scratch" in line:
                codes |= {REFUSED}  # an unfinished search, or one with other options, may be there
        elif verb == "credible":
            outputs[str(option(line, "--json"))] = Held("credible", held.job)
        return Expected(frozenset(codes), outputs)
    return Expected(frozenset({DONE}), outputs)


def expect_merge(world: World, line: tuple[str, ...]) -> Expected:
    given = [world.files.get(name) for name in line[1 : line.index("-o")]]
    if None in given:
        return Expected(MISSING)
    jobs = [one.job for one in given if one is not None and one.kind == "cache"]
    shards = [job.shard for job in jobs if job is not None]
    whole = {replace(job, shard=None) for job in jobs if job is not None}
    fits = len(jobs) == len(given) and len(whole) == 1 and None not in shards
    if fits:
        total = int(str(shards[0]).split("/")[1])
        fits = sorted(map(str, shards)) == [f"{k + 1}/{total}" for k in range(total)]
    if not fits:
        return Expected(frozenset({REFUSED}))
    return Expected(frozenset({DONE}), {str(option(line, "-o")): Held("cache", whole.pop())})


def verify_codes(world: World, held: Held, line: tuple[str, ...]) -> frozenset[int]:
    """0 where run and table belong together, 1 where somebody raised the score or took the edges away."""
    either = frozenset({DONE, REFUSED, 4})
    if held.job is None or "--data" not in line:
        return either
    same = option(line, "--data") == held.job.table and (held.job.score, held.job.ess) == ("bic", 1.0)
    if held.kind == "run" and same:
        return frozenset({DONE})
    if held.kind == "changed" and same:
        return frozenset({REFUSED})
    return either


# What files say


def check_file(world: World, name: str, held: Held) -> str | None:
    """What is wrong with an output that was written, in words."""
    path = world.folder / name
    try:
        if held.kind == "cache" and held.job is not None:
            return check_cache(world, path, held.job)
        if held.kind in ("run", "credible"):
            found = json.loads(path.read_text())
            return (check_run if held.kind == "run" else check_credible)(world, found, held)
        if name.endswith(("html", "md")) and not path.read_text().rstrip():
            return f"half: {name} is empty"
    except Exception as error:
        return f"half: {name}: {type(error).__name__}: {str(error)[:150]}"
    return None


def check_cache(world: World, path: Path, job: Job) -> str | None:
    found = ScoreCache.read(path)
    held = np.full((len(NAMES), 2 ** len(NAMES)), -np.inf)
    for v, name in enumerate(NAMES):
        for score, parents in found.candidates(name):
            held[v, bit_mask(NAMES, parents)] = score
    truth = world.truth(replace(job, shard=None))
    if job.shard is not None:
        return f"part: {path.name} says that it is complete" if found.complete else None
    best = Truth(held).best
    if found.complete and (best is None or truth.best is None or abs(best - truth.best) > NEAR):
        return f"complete: {path.name} allows {best}, the best is {truth.best}"
    return None


def check_run(world: World, run: dict[str, Any], held: Held) -> str | None:
    assert held.job is not None
    truth = world.truth(held.job, held.late)
    own = truth.score_of([bit_mask(NAMES, run["parents"][name]) for name in NAMES])
    best = truth.best
    if best is None:
        return "feasible: a network where none is allowed"
    if not np.isfinite(own) or abs(own - run["score"]) > NEAR:
        return f"score: {run['score']} is claimed, it is {own} under constraints and limits"
    whole = run["complete"] or run.get("proof") == "all networks"
    if whole and run["bound"] < best - NEAR:
        return f"bound: {run['bound']}, the best is {best}"
    if whole and run["status"] == "optimal" and abs(best - run["score"]) > NEAR:
        return f"optimal: {run['score']} is claimed, the best is {best}"
    return None


def check_credible(world: World, found: dict[str, Any], held: Held) -> str | None:
    assert held.job is not None
    if not found["complete"]:
        return None
    scores = world.truth(held.job).all_scores
    loss = math.log(found["bayes_factor"])
    low, high = (int((scores >= scores[0] - loss + slip).sum()) for slip in (NEAR, -NEAR))
    return None if low <= found["count"] <= high else f"count: {found['count']}, there are {low} to {high}"
