"""Cases of `verbs`: a table and a list of steps, drawn from a seed, as a shell script, and made smaller."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

NAMES = ("a", "b", "c", "d")
SOLVERS = ("dp", "astar", "bfbnb", "bblp", "auto", "inobs", "minobs")
RULES = {
    "k0.toml": {"forbidden": [["a", "b"]], "leaves": ["d"]},
    "k1.toml": {"required": [["b", "c"], ["a", "c"]]},
    "k2.toml": {"tiers": [["d"], ["a", "b"], ["c"]]},
}
SIGNALS = ("KILL", "TERM", "INT")


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
