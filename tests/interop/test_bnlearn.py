"""R's bnlearn for real: its scores of numbers, of mixed tables and of missing values beside ours.

Skipped where there is no Rscript with bnlearn. Where a definition differs, the difference is added here, term
by term: bnlearn divides a sum of squares by what is left of the rows, N - p - 1, and not by N, and its `pnal`
is the average per row where ours is of all rows.
"""

from __future__ import annotations

import math
import shutil
import subprocess

import numpy as np
import pytest

import bayesloom as bl
from made.continuous import conditional_gaussian, linear_gaussian
from made.missing import with_gaps

R = """
suppressMessages(library(bnlearn))
for (line in readLines(commandArgs(trailingOnly = TRUE)[1])) {
  words <- strsplit(line, "|", fixed = TRUE)[[1]]
  data <- read.csv(words[1], colClasses = strsplit(words[3], ",")[[1]], na.strings = "", check.names = FALSE)
  for (level in strsplit(words[4], ";")[[1]]) {
    one <- strsplit(level, "=")[[1]]
    data[[one[1]]] <- factor(data[[one[1]]], levels = strsplit(one[2], ",")[[1]])
  }
  network <- empty.graph(names(data))
  edges <- strsplit(words[5], ";")[[1]]
  if (length(edges) > 0) arcs(network) <- do.call(rbind, strsplit(edges, ">"))
  extra <- if (is.na(words[6])) list() else list(k = as.numeric(words[6]))
  cat(sprintf("%.13g\\n", do.call(score, c(list(network, data, type = words[2]), extra))))
}
"""
SEEDS = range(6)


@pytest.fixture(scope="module")
def bnlearn(tmp_path_factory):
    """Ask R for the scores of networks: (table, score, edges, penalty) each."""
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not there")
    if subprocess.run(["Rscript", "-e", "library(bnlearn)"], capture_output=True, check=False).returncode:
        pytest.skip("R is there without bnlearn")
    folder = tmp_path_factory.mktemp("bnlearn")
    (folder / "run.R").write_text(R)

    def ask(cases):
        lines = []
        for number, (table, score, edges, penalty) in enumerate(cases):
            columns = [shown(table, name) for name in table.names]
            rows = [",".join(row) for row in zip(*columns, strict=True)]
            (folder / f"{number}.csv").write_text("\n".join([",".join(table.names), *rows]) + "\n")
            kinds = ",".join("numeric" if name in table.continuous else "character" for name in table.names)
            states = zip(table.names, table.states, strict=True)
            levels = ";".join(f"{name}={','.join(own)}" for name, own in states if own)
            arcs = ";".join(f"{a}>{b}" for a, b in edges)
            more = [] if penalty is None else [repr(penalty)]
            lines.append("|".join([str(folder / f"{number}.csv"), score, kinds, levels, arcs, *more]))
        (folder / "asked").write_text("\n".join(lines) + "\n")
        command = ["Rscript", str(folder / "run.R"), str(folder / "asked")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [float(word) for word in done.stdout.split()]

    return ask


def shown(table, name):
    """A column as texts that R reads as the same numbers; empty where a value is missing."""
    v = table.names.index(name)
    texts = table.states[v] or ()
    values = table.codes[v].tolist()
    lacking = table.lacking(name) if table.gaps else np.zeros(len(values), dtype=bool)
    return [
        "" if gone else texts[value] if texts else repr(value)
        for gone, value in zip(lacking, values, strict=True)
    ]


def ours(table, score, edges, options=None):
    parents = {name: tuple(a for a, b in edges if b == name) for name in table.names}
    return float(bl.local_scores(table, list(parents.items()), score=score, options=options).sum())


def edges_of(table, parents):
    names = table.names
    return [(names[u], names[v]) for v, own in enumerate(parents) for u in own]


def divided(rows, p):
    """What a regression on p parents loses if its variance is the sum of squares over rows - p - 1."""
    return rows / 2 * math.log((rows - p - 1) / rows) + (p + 1) / 2


def cells(table, names):
    """Rows in each cell of some discrete variables."""
    if not names:
        return [table.row_count]
    cell = np.unique(np.stack([table.column(name) for name in names]), axis=1, return_counts=True)
    return cell[1].tolist()


@pytest.mark.parametrize("score", ["bic-g", "bge"])
def test_numbers(bnlearn, score):
    cases = []
    for seed in SEEDS:
        table, parents = linear_gaussian(seed, variables=6, rows=[8, 10, 30, 100, 400, 1000][seed])
        cases.append((table, score, edges_of(table, parents), None))
    expected = bnlearn(cases)
    for (table, _, edges, _), theirs in zip(cases, expected, strict=True):
        mine = ours(table, score, edges)
        if score == "bic-g":
            mine += sum(divided(table.row_count, sum(b == name for _, b in edges)) for name in table.names)
        assert mine == pytest.approx(theirs, abs=2e-8)


def test_mixed_tables(bnlearn):
    cases = []
    for seed in SEEDS:
        table, parents = conditional_gaussian(seed, variables=6, rows=[400, 600, 1000][seed % 3])
        cases.append((table, "bic-cg", edges_of(table, parents), None))
    compared = 0
    for (table, _, edges, _), theirs in zip(cases, bnlearn(cases), strict=True):
        if not math.isfinite(theirs):  # bnlearn: a cell with n_z <= p + 1
            continue
        mine = ours(table, "bic-cg", edges)
        for name in table.continuous:
            up = [a for a, b in edges if b == name]
            discrete = [a for a in up if a not in table.continuous]
            mine += sum(divided(rows, len(up) - len(discrete)) for rows in cells(table, discrete))
        assert mine == pytest.approx(theirs, abs=2e-8)
        compared += 1
    assert compared >= 4


@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_missing_values(bnlearn, kind):
    """With our charge as its k, N times its average per row is ours."""
    cases = []
    for seed in SEEDS:
        if kind == "discrete":
            fitted = bl.random_network(6, states=(2, 3), max_parents=2, seed=seed)
            table, edges = fitted.sample(500, seed=seed), list(fitted.network.edges)
        else:
            table, parents = linear_gaussian(seed, variables=6, rows=400)
            edges = edges_of(table, parents)
        n, rows = len(table.names), table.row_count
        charge = max(rows**0.75 / n, math.log(rows) / 2)
        cases.append(
            (with_gaps(table, 0.15, seed), "pnal" if kind == "discrete" else "pnal-g", edges, charge)
        )
    for (table, _, edges, _), theirs in zip(cases, bnlearn(cases), strict=True):
        mine = ours(table, "pnal", edges)
        if kind == "continuous":
            for name in table.names:
                up = [a for a, b in edges if b == name]
                complete = ~np.any([table.lacking(v) for v in [name, *up]], axis=0)
                rows = int(complete.sum())
                mine += table.row_count / rows * divided(rows, len(up))
        assert mine == pytest.approx(theirs * table.row_count, rel=1e-11)
