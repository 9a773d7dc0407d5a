"""Random sequences of verbs with random faults, beside a model that knows the truth; after CaDiCaL's mobical.

A case is a table and a list of steps. A step is a command line and perhaps a fault: a signal at some moment,
a disk that is full, a second process that does the same at the same time. Other steps damage a file. The
model knows of every file what it holds: nothing, a score cache of a known job, a run, or something damaged.
After each step it checks the exit code, that no traceback was printed, that each output is as before or
complete, and that whatever is claimed is so. Steps without a fault run in this process, which is fast; the
others in one of their own.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from bayesloom.scoring.cache import ScoreCache
from fuzz.files import in_process
from fuzz.truth import NEAR, Truth, allowed_sets, bit_mask, scores_of_table

NAMES = ("a", "b", "c", "d")
SOLVERS = ("dp", "astar", "bfbnb", "bblp", "auto", "inobs", "minobs")
RULES = {
    "k0.toml": {"forbidden": [["a", "b"]], "leaves": ["d"]},
    "k1.toml": {"required": [["b", "c"], ["a", "c"]]},
    "k2.toml": {"tiers": [["d"], ["a", "b"], ["c"]]},
}
SIGNALS = ("KILL", "TERM", "INT")
PATIENCE = 600  # seconds after which a process is one that does not end


@dataclass(frozen=True)
class Step:
    line: tuple[str, ...]
    fault: str | None = None
    moment: float = 0.0  # of a signal: seconds, or the first file written if negative


@dataclass(frozen=True)
class VerbCase:
    rows: tuple[tuple[int, ...], ...]
    other_rows: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_plain(cls, given: dict[str, Any]) -> VerbCase:
        steps = tuple(Step(tuple(one["line"]), one["fault"], one["moment"]) for one in given["steps"])
        tables = (tuple(tuple(row) for row in given[name]) for name in ("rows", "other_rows"))
        return cls(*tables, steps)

    def script(self) -> str:
        """A shell script that does the same, as far as a shell can."""
        lines = ["set -x; cd $(mktemp -d)"]
        for name, rows in (("t.csv", self.rows), ("u.csv", self.other_rows)):
            lines.append(f"cat > {name} <<'END'\n{csv(rows)}END")
        for name, rules in RULES.items():
            lines.append(f"cat > {name} <<'END'\n{toml(rules)}END")
        for step in self.steps:
            if step.line[0] == "damage":
                lines.append(f"python3 - <<'END'\n{DAMAGES[step.line[2]]}\nchange({step.line[1]!r})\nEND")
                continue
            line = "bayesloom " + shlex.join(step.line)
            if step.fault in SIGNALS:
                line = f"timeout -s {step.fault} {max(step.moment, 0.3):.2f} {line}"
            elif step.fault == "full":
                line = f"(ulimit -f 1; {line})"
            elif step.fault == "twin":
                line = f"{line} & {line}; wait"
            lines.append(f"{line}; echo exit $?")
        return "\n".join(lines)


EDITS = {  # of the JSON object of a run
    "better": "run['score'] += 1; run['bound'] += 1",
    "empty": "run['parents'] = {v: [] for v in run['parents']}",
    "text": "run['score'] = str(run['score'])",
    "null": "run['score'] = None",
    "gap": "run['gap'] += 1",
    "status": "run['status'] = 'stopped' if run['status'] == 'optimal' else 'optimal'",
    "local": "run['local_scores']['a'] += 1",
    "claim": "run['claim'] = 'optimal: no network in the world scores higher'",
}
HEAD = "import json\nfrom pathlib import Path\n\n\ndef change(name):\n"
BYTES = "    data = bytearray(Path(name).read_bytes())\n    {}\n    Path(name).write_bytes(data)\n"
RUN = "    run = json.loads(Path(name).read_text())\n    {}\n    Path(name).write_text(json.dumps(run))\n"
DAMAGES = {
    "cut": HEAD + BYTES.format("del data[len(data) // 2 :]"),
    "noise": HEAD + BYTES.format("data[len(data) // 2] ^= 1"),
    **{name: HEAD + RUN.format(edit) for name, edit in EDITS.items()},
}


def csv(rows: tuple[tuple[int, ...], ...]) -> str:
    return "\n".join([",".join(NAMES), *(",".join("xyz"[value] for value in row) for row in rows), ""])


def toml(rules: dict[str, Any]) -> str:
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in rules.items())


# Making cases


def random_rows(rng: random.Random) -> tuple[tuple[int, ...], ...]:
    """Every column has two or three states, all of them seen."""
    rows = []
    for k in range(rng.choice((12, 30))):
        a, b = rng.randrange(2), rng.randrange(3)
        c = (a + b) % 2 if rng.random() < 0.85 else rng.randrange(2)
        rows.append(
            (a, b, c, c if rng.random() < 0.8 else rng.randrange(2)) if k > 2 else (k % 2, k, k % 2, k % 2)
        )
    return tuple(rows)


def random_case(seed: int) -> VerbCase:
    rng = random.Random(seed)
    steps: list[Step] = []
    while len(steps) < rng.randint(4, 12):
        steps += rng.choices((lambda _: [random_step(rng)], apart, tampered, again), (7, 1, 1, 1))[0](rng)
    faults = [step if rng.random() < 0.75 else with_fault(step, rng) for step in steps]
    return VerbCase(random_rows(rng), random_rows(rng), tuple(faults))


def apart(rng: random.Random) -> list[Step]:
    """Parts that belong together, or nearly so, put together and searched."""
    rules = rng.choice(([], [], ["--constraints", rng.choice(list(RULES))]))
    limit = rng.choice(([], ["--max-parents", "1"]))
    lines = [["score", "t.csv", "-o", f"p{k}.blc", "--shard", f"{k + 1}/2", *rules, *limit] for k in range(2)]
    if rng.random() < 0.6:
        other = rng.randrange(2)
        change = rng.choice(
            ("table", "--max-parents", "--constraints", "--score", "--bayes-factor", "--shard")
        )
        values = {"--max-parents": "2", "--constraints": "k0.toml", "--score": "aic", "--bayes-factor": "20"}
        if change == "table":
            lines[other][1] = "u.csv"
        elif change in lines[other]:
            lines[other][lines[other].index(change) + 1] = "1/3" if change == "--shard" else values[change]
        else:
            lines[other] += [change, values[change]]
    lines += [["merge", "p0.blc", "p1.blc", "-o", "c0.blc"], ["search", "c0.blc", "--json", "r0.json"]]
    return [Step(tuple(line)) for line in lines]


def tampered(rng: random.Random) -> list[Step]:
    """A run that somebody changes by hand before it is verified."""
    lines = [["learn", "t.csv", "--json", "r0.json"], ["verify", "r0.json", "--data", "t.csv"]]
    lines.insert(1, ["damage", "r0.json", rng.choice(list(DAMAGES))])
    return [Step(tuple(line)) for line in lines]


def again(rng: random.Random) -> list[Step]:
    """The same search by layers on disk: stopped, and then to its end."""
    search = ["search", "c0.blc", "--solver", "bfbnb", "--json", "r0.json"]
    lines = [["score", "t.csv", "-o", "c0.blc"], [*search, "--work-limit", rng.choice(("1", "5"))], search]
    return [Step(tuple(line)) for line in lines]


def with_fault(step: Step, rng: random.Random) -> Step:
    if step.line[0] == "damage":
        return step
    fault = rng.choice((*SIGNALS, "full", "full", "twin", "twin"))
    return replace(step, fault=fault, moment=rng.choice((-1.0, rng.uniform(0.2, 1.5))))


def random_step(rng: random.Random) -> Step:
    caches, parts = [f"c{k}.blc" for k in range(2)], [f"p{k}.blc" for k in range(3)]
    runs, nets = ["r0.json", "r1.json"], ["n0.bif", "n1.bif"]
    table = rng.choice(("t.csv", "t.csv", "t.csv", "u.csv"))
    score = rng.choice(([], [], ["--score", "bdeu"], ["--score", "aic"], ["--score", "bdeu", "--ess", "10"]))
    limit = rng.choice(([], [], ["--max-parents", "1"], ["--max-parents", "0"]))
    rules = rng.choice(([], [], [], *(["--constraints", name] for name in RULES)))
    verb = rng.choices(
        ("score", "shard", "merge", "search", "learn", "credible", "verify", "convert", "report", "sample",
         "compare", "damage"),
        (4, 5, 3, 6, 4, 3, 3, 2, 1, 1, 1, 2),
    )[0]  # fmt: skip
    if verb == "score":
        factor = rng.choice(([], ["--bayes-factor", "20"]))
        method = rng.choice(([], [], ["--method", "greedy", "--sets-per-variable", "50"]))
        resume = rng.choice(([], ["--resume"])) if not method else []
        return Step(
            ("score", table, "-o", rng.choice(caches), *score, *limit, *rules, *factor, *method, *resume)
        )
    if verb == "shard":
        which = rng.choice(("1/2", "2/2", "1/2", "2/2", "1/3"))
        few = rng.choice(([], [], limit)), rng.choice(([], [], [], score)), rng.choice(([], [], [], rules))
        return Step(("score", table, "-o", rng.choice(parts), "--shard", which, *few[0], *few[1], *few[2]))
    if verb == "merge":
        return Step(("merge", *rng.sample(parts, rng.choice((2, 2, 2, 3))), "-o", rng.choice(caches)))
    if verb == "search":
        solver = rng.choice(SOLVERS)
        work = (
            ["--work-limit", rng.choice(("1", "500"))] if solver.endswith("obs") or rng.random() < 0.2 else []
        )
        scratch = (
            rng.choice(([], ["--scratch", "s"], ["--scratch", "s", "--resume"])) if solver == "bfbnb" else []
        )
        given = rng.choice((*caches, *caches, *parts))
        out = rng.choice(([], ["-o", "n.dot"]))
        line = (
            "search",
            given,
            "--solver",
            solver,
            "--json",
            rng.choice(runs),
            *work,
            *scratch,
            *rules,
            *out,
        )
        return Step(line)
    if verb == "learn":
        out = rng.choice(([], ["-o", rng.choice(nets)], ["-o", rng.choice(nets), "--report", "r.html"]))
        return Step(("learn", table, "--json", rng.choice(runs), *score, *limit, *rules, *out))
    if verb == "credible":
        if rng.random() < 0.5:
            given, options = table, [*score, *limit, *rules]
        else:
            given, options = rng.choice((*caches, *parts)), []
        out = rng.choice(([], ["-o", "all.jsonl"]))
        return Step(
            (
                "credible",
                given,
                "--json",
                "found.json",
                "--bayes-factor",
                rng.choice(("1", "20")),
                *options,
                *out,
            )
        )
    if verb == "verify":
        against = rng.choice((["--data", table], ["--cache", rng.choice(caches)]))
        return Step(("verify", rng.choice(runs), *against))
    if verb == "convert":
        pair = rng.choice(
            ((rng.choice((*caches, *parts)), "c.jkl"), (rng.choice(nets), "n.net"), (table, "v.parquet"))
        )
        return Step(("convert", *pair))
    if verb == "report":
        return Step(("report", rng.choice(runs), "-o", "r.md"))
    if verb == "sample":
        return Step(("sample", rng.choice(nets), "-n", "20", "-o", "s.csv"))
    if verb == "compare":
        return Step(("compare", *runs))
    name = rng.choice((*caches, *parts, *runs, *runs))
    return Step(("damage", name, rng.choice(("cut", "noise") if name.endswith("blc") else tuple(DAMAGES))))


# The model


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


# Running


def check(case: VerbCase) -> tuple[int, list[str]]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = World(folder, {"t.csv": case.rows, "u.csv": case.other_rows})
        for table, rows in world.tables.items():
            (folder / table).write_text(csv(rows))
        for file, rules in RULES.items():
            (folder / file).write_text(toml(rules))
        os.chdir(folder)
        try:
            for number, step in enumerate(case.steps):
                take(world, step)
                if world.wrong:
                    world.wrong = [
                        f"{words} [step {number + 1}: {shlex.join(step.line)}]" for words in world.wrong
                    ]
                    break
        finally:
            os.chdir(before)
    return world.claims, world.wrong


def take(world: World, step: Step) -> None:
    """Take one step and check what came of it."""
    if step.line[0] == "damage":
        damage(world, step)
        return
    expected = expect(world, step.line)
    before = {name: content(world, name) for name in expected.outputs}
    files = set(os.listdir(world.folder))
    ends = run_step(world, step)
    codes = set(expected.codes)
    if step.fault == "full":
        codes |= {REFUSED}
    if step.fault == "twin":
        codes |= {REFUSED}
    if step.fault in SIGNALS:
        codes |= {130, 143, -signal.SIGTERM} if step.fault == "TERM" else {130}
        codes |= (
            {-signal.SIGINT} if step.fault == "INT" else {-signal.SIGKILL} if step.fault == "KILL" else set()
        )
    for code, err in ends:
        world.claim("Traceback" not in err or "bayesloom" not in err, f"traceback: {err[-300:]}")
        what = f"exit {code}, not {sorted(codes)}"
        world.claim(code in codes or "Traceback" in err, f"{what}: {err.strip()[-200:]}")
    success = any(code in (DONE, STOPPED) for code, _ in ends)
    for name, held in expected.outputs.items():
        now = content(world, name)
        if now is None:
            world.claim(not success, f"absent: {name} is not there after exit code 0")
            world.claim(before[name] is None, f"lost: {name} was there before and is gone")
            world.files.pop(name, None)
        elif now != before[name] or success:
            problem = check_file(world, name, held)
            world.claim(problem is None, str(problem))
            world.files[name] = held
    if step.fault != "KILL" and not any(code == -signal.SIGTERM for code, _ in ends):
        left = set(os.listdir(world.folder)) - files - set(expected.outputs) - {"s"}
        left = {name for name in left if not name.endswith((".resume", ".checkpoint"))}
        world.claim(not left, f"left behind: {sorted(left)}")


def content(world: World, name: str) -> bytes | None:
    path = world.folder / name
    return path.read_bytes() if path.exists() else None


def damage(world: World, step: Step) -> None:
    _, name, what = step.line
    held = world.files.get(name)
    if held is None:
        return
    change: dict[str, Any] = {}
    exec(DAMAGES[what], change)
    if what in EDITS:
        if held.kind != "run":
            return
        before = json.loads((world.folder / name).read_text())
        change["change"](world.folder / name)
        if json.loads((world.folder / name).read_text()) != before:
            world.files[name] = Held("changed", held.job)
        return
    change["change"](world.folder / name)
    world.files[name] = Held("damaged")


def run_step(world: World, step: Step) -> list[tuple[int, str]]:
    """The exit codes and messages of a step, one or two of them."""
    if step.fault is None:
        try:
            return [
                in_process([*step.line, "--progress", "none"] if takes_progress(step) else list(step.line))
            ]
        except BaseException as error:
            return [(1, f"Traceback bayesloom {type(error).__name__}: {error}")]
    processes = [start(world, step) for _ in range(2 if step.fault == "twin" else 1)]
    if step.fault in SIGNALS:
        wait_for_moment(world, step, processes[0])
        with contextlib.suppress(ProcessLookupError):
            processes[0].send_signal(signal.Signals[f"SIG{step.fault}"])
    ends = []
    for process in processes:
        try:
            _, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            ends.append((99, "it did not end"))
            continue
        ends.append((process.returncode, err))
    return ends


def takes_progress(step: Step) -> bool:
    return step.line[0] in ("score", "search", "learn", "credible")


def start(world: World, step: Step) -> subprocess.Popen[str]:
    def limits() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if step.fault == "full":
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    return subprocess.Popen(
        [sys.executable, "-m", "bayesloom", *step.line],
        cwd=world.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=limits,
    )


def wait_for_moment(world: World, step: Step, process: subprocess.Popen[str]) -> None:
    """Some time, or until there is a file that was not there before."""
    files = set(os.listdir(world.folder))
    for tick in count():
        if process.poll() is not None:
            return
        if step.moment < 0 and set(os.listdir(world.folder)) != files:
            return
        if 0 <= step.moment < tick / 1000:
            return
        time.sleep(0.001)


def smaller(case: VerbCase) -> Iterator[VerbCase]:
    size = len(case.steps) // 2
    while size:
        for at in range(0, len(case.steps), size):
            yield replace(case, steps=case.steps[:at] + case.steps[at + size :])
        size //= 2
    for k, step in enumerate(case.steps):
        if step.fault is not None:
            plain = replace(step, fault=None)
            yield replace(case, steps=(*case.steps[:k], plain, *case.steps[k + 1 :]))
    if len(case.steps) == 1:
        return
    for k in range(len(case.rows) - 1, 2, -6):
        rows = case.rows[:k]
        if len(rows) > 4 and len(set(rows)) > 1:
            yield replace(case, rows=rows)
