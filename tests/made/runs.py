"""Results of learn, search and credible, with and without constraints, as their verbs write them."""

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
    }
    made = []
    table = bl.read_table(str(folder / "t.csv"))
    for name, line in lines.items():
        arguments = [
            str(folder / word) if word.endswith((".csv", ".blc", ".jkl", ".toml")) else word
            for word in line.split()
        ]
        if name.startswith("score"):
            _run(arguments)
            continue
        out = folder / (name.replace(" ", "-").replace(",", "") + ".json")
        _run([*arguments, "--json", str(out), "-q", "--threads", "1"])
        against: dict[str, Any] = {"table": table}
        if arguments[1].endswith((".blc", ".jkl")):
            against = {"cache": bl.read_cache(arguments[1])}
        if "--constraints" in line or "bdeu.blc" in line:
            against["constraints"] = str(folder / ("known.toml" if "known" in line else "rules.toml"))
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


def _run(arguments: list[str]) -> None:
    assert exit_code(*arguments) in (0, 3), arguments
