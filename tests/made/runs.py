"""Results of all verbs that can be verified, with and without constraints, as the verbs write them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import bayesloom as bl
from made.command import exit_code

RULES = """
required = [["X1", "X4"]]
forbidden = [["X0", "X2"], ["X5", "X3"]]
tiers = [["X0", "X1", "X2"], ["X3", "X4", "X5"]]
leaves = ["X5"]
max_parents = { X3 = 2 }
before = [["X0", "X4"]]
"""
KNOWN = """
tiers = [["X0", "X1", "X2"], ["X3", "X4", "X5"]]
before = [["X0", "X4"]]
"""
FEW = """
required = [["X0", "X1"]]
forbidden = [["X3", "X2"]]
before = [["X1", "X2"]]
"""


@dataclass(frozen=True)
class Made:
    """A result, and what it is checked against."""

    name: str
    run: dict[str, Any]
    against: dict[str, Any]

    def __str__(self) -> str:
        return self.name


def make(folder: Path) -> list[Made]:
    """Make one result of every kind."""
    _write_table(folder / "t.csv")
    (folder / "rules.toml").write_text(RULES)
    (folder / "known.toml").write_text(KNOWN)
    (folder / "few.toml").write_text(FEW)
    _write_few(folder / "few.csv")
    write_kinds(folder)
    lines = {
        "score bic": "score t.csv -o bic.blc",
        "score bdeu": "score t.csv --score bdeu --ess 5 -o bdeu.blc --constraints rules.toml",
        "score some": "convert bic.blc some.jkl",
        "score none": "score t.csv --max-parents 0 -o none.blc",
        "score wide": "score t.csv --bayes-factor 3 -o wide.blc",
        "learn bic": "learn t.csv",
        "learn bdeu, constraints": "learn t.csv --score bdeu --ess 5 --constraints rules.toml",
        "learn limit": "learn t.csv --max-parents 1",
        "learn some sets": "learn t.csv --method loop --score bdeu --time-limit 0.3",
        "learn sweep": "learn t.csv --ess-sweep 0.5,2",
        "learn sweep, constraints": "learn t.csv --ess-sweep 0.5,2 --max-parents 2 --constraints rules.toml",
        "search bic": "search bic.blc",
        "search bdeu, constraints": "search bdeu.blc",
        "search bic, constraints": "search bic.blc --constraints rules.toml",
        "search some sets": "search some.jkl",
        "search stopped": "search bic.blc --solver inobs --work-limit 1",
        "credible cache": "credible wide.blc --bayes-factor 3",
        "credible, constraints": "credible wide.blc --bayes-factor 3 --constraints known.toml",
        "credible table": "credible t.csv --bayes-factor 3",
        "credible, no coverage": "credible wide.blc --bayes-factor 3 --no-coverage",
        "credible bdeu, constraints": "credible t.csv --score bdeu --constraints known.toml",
        "credible of a cache with constraints": "credible bdeu.blc --bayes-factor 1",
        "k best": "credible wide.blc --k 5",
        "k best, fewer": "credible none.blc --k 3",
        "k best, constraints": "credible wide.blc --k 4 --constraints known.toml",
        "k best of a cache with constraints": "credible bdeu.blc --k 3",
        "k best of a table": "credible t.csv --k 3 --score bdeu --ess 2 --max-parents 2",
        "k best classes": "credible wide.blc --k 4 --by class",
        "k best classes, constraints": "credible t.csv --k 3 --by class --constraints known.toml",
        "score few": "score few.csv -o few.blc --bayes-factor 50",
        "score few some": "convert few.blc few.jkl",
        "posterior": "posterior few.csv",
        "posterior limit": "posterior few.csv --score bdeu --ess 3 --max-parents 2",
        "posterior of a cache": "posterior few.blc",
        "posterior of some sets": "posterior few.jkl",
        "posterior, constraints": "posterior few.csv --constraints few.toml",
        "posterior of a cache, constraints": "posterior few.blc --constraints few.toml",
        "posterior by chains": "posterior few.blc --method chains --samples 500 --seed 3",
        "posterior not reliable": "posterior few.csv --method chains --samples 20 --chains 2",
        "bootstrap": "bootstrap few.csv --replicates 6",
        "bootstrap as found": "bootstrap few.csv --replicates 6 --as-found --score k2",
        "bootstrap, constraints": "bootstrap few.csv --replicates 6 --constraints few.toml",
        "bootstrap, threshold": "bootstrap few.csv --replicates 6 --threshold 0.2 --seed 5",
        "bootstrap by climbs": "bootstrap t.csv --replicates 20 --learner hill_climb --max-parents 2",
        "learn pnal": "learn gaps.csv --score pnal",
        "learn em": "learn gaps.csv --em filled.parquet",
        "learn em soft": "learn gaps.csv --em shared.parquet --em-form soft",
        "learn bge": "learn numbers.csv --score bge",
        "learn bic-cg": "learn mixed.csv --score bic-cg",
        "learn by kinds": "learn mixed.csv",
        "score by kinds": "score t.csv -o kinds.blc --score auto",
        "search by kinds": "search kinds.blc",
        "credible by kinds": "credible mixed.csv --bayes-factor 3",
        "learn interventions": "learn set.csv --interventions set",
        "learn weights": "learn counted.csv --weights count",
        "score bic-g": "score numbers.csv --score bic-g -o numbers.blc",
        "search bic-g": "search numbers.blc",
        "posterior bge": "posterior numbers.csv --score bge",
        "posterior interventions": "posterior set.csv --interventions set --max-parents 2",
    }
    read: dict[str, dict[str, Any]] = {
        "gaps": {"missing": "keep"},
        "numbers": {"continuous": "all"},
        "mixed": {"continuous": "auto"},
        "set": {"interventions": "set"},
        "counted": {"weights": "count"},
    }
    made = []
    table = bl.read_table(str(folder / "t.csv"))
    few = bl.read_table(str(folder / "few.csv"))
    for name, line in lines.items():
        if " t.csv" in line and "--score" not in line and "--ess-sweep" not in line:
            line += " --score bic"  # the table as it is read without a score, cut
        arguments = [
            str(folder / word) if word.endswith((".csv", ".blc", ".jkl", ".toml", ".parquet")) else word
            for word in line.split()
        ]
        if name.startswith("score"):
            _run(arguments)
            continue
        out = folder / (name.replace(" ", "-").replace(",", "") + ".json")
        _run([*arguments, "--json", str(out), "-q", "--threads", "1"])
        against: dict[str, Any] = {"table": few if "few" in line else table}
        for file, options in read.items():
            if f" {file}.csv" in line:
                against = {"table": bl.read_table(str(folder / f"{file}.csv"), **options)}
        if "--em-form" in line:
            against = {"table": bl.read_table(str(folder / "shared.parquet"), weights="weight")}
        elif "--em" in line:
            against = {"table": bl.read_table(str(folder / "filled.parquet"))}
        if arguments[1].endswith((".blc", ".jkl")):
            against = {"cache": bl.read_cache(arguments[1])}
        if "--constraints" in line or "bdeu.blc" in line:
            name_of = next((name for name in ("known", "few") if f"{name}.toml" in line), "rules")
            against["constraints"] = str(folder / f"{name_of}.toml")
        made.append(Made(name, json.loads(out.read_text()), against))
    return made


def write_five(path: Path) -> None:
    """Write a table of five binary columns in which a, b, c and d hang together and e does not."""
    rng = np.random.default_rng(1)
    a, noise = rng.random(200) < 0.4, rng.random((4, 200))
    b = noise[0] < np.where(a, 0.8, 0.2)
    c = noise[1] < np.where(b, 0.7, 0.3)
    d = noise[2] < np.where(a & c, 0.9, 0.25)
    rows = zip(a, b, c, d, noise[3] < 0.5, strict=True)
    lines = [",".join("ny"[int(value)] for value in row) for row in rows]
    path.write_text("\n".join(["a,b,c,d,e", *lines]) + "\n")


def _write_table(path: Path) -> None:
    table = bl.random_network(6, states=(2, 3), max_parents=2, seed=3).sample(120, seed=4)
    noise = np.random.default_rng(5).normal(size=120)
    names = [*table.names, "X6"]
    rows = zip(*(table.column(name).tolist() for name in table.names), strict=True)
    lines = [",".join([*map(str, row), f"{row[0] + 0.7 * noise[k]:.4f}"]) for k, row in enumerate(rows)]
    path.write_text("\n".join([",".join(names), *lines]) + "\n")


def _write_few(path: Path) -> None:
    """Write a table of four columns: posteriors between 0 and 1, and all networks are soon looked at."""
    table = bl.random_network(4, states=(2, 3), max_parents=2, seed=8).sample(40, seed=9)
    rows = zip(*(table.column(name).tolist() for name in table.names), strict=True)
    path.write_text("\n".join([",".join(table.names), *(",".join(map(str, row)) for row in rows)]) + "\n")


def write_kinds(folder: Path) -> None:
    """Write a table with gaps, one of numbers, one of both, one with interventions and one with weights."""
    rng = np.random.default_rng(11)
    discrete = bl.random_network(4, states=(2, 3), max_parents=2, seed=8).sample(150, seed=10)
    rows = [
        list(map(str, row))
        for row in zip(*(discrete.column(name).tolist() for name in discrete.names), strict=True)
    ]
    names = list(discrete.names)

    def write(file: str, header: list[str], lines: list[list[str]]) -> None:
        (folder / file).write_text("\n".join(",".join(line) for line in [header, *lines]) + "\n")

    gone = rng.random((150, 4)) < 0.1
    write(
        "gaps.csv",
        names,
        [
            ["" if g else x for x, g in zip(row, own, strict=True)]
            for row, own in zip(rows, gone, strict=True)
        ],
    )
    a = rng.normal(size=150)
    b = 0.8 * a + rng.normal(size=150)
    c = b - 0.5 * a + 0.3 * rng.normal(size=150)
    numbers = [[f"{x:.4f}" for x in row] for row in zip(a, b, c, strict=True)]
    write("numbers.csv", ["a", "b", "c"], numbers)
    write(
        "mixed.csv", ["a", "b", *names[:2]], [x[:2] + row[:2] for x, row in zip(numbers, rows, strict=True)]
    )
    targets = rng.choice(["", "", names[0], f"{names[1]}+{names[2]}"], 150).tolist()
    write("set.csv", [*names, "set"], [[*row, t] for row, t in zip(rows, targets, strict=True)])
    write("counted.csv", [*names, "count"], [[*row, str(1 + k % 3)] for k, row in enumerate(rows)])


def _run(arguments: list[str]) -> None:
    assert exit_code(*arguments) in (0, 3), arguments
