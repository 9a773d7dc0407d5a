"""Learn a network of benchpress' table with Bayesloom and write its adjacency matrix.

Snakemake runs this file with an object `snakemake` and puts lines of its own before it.
"""

import csv
import time
from pathlib import Path

import bayesloom as bl

CONTINUOUS = ("bic-g", "bge")


def read(path, score):
    """Return the columns of a table; of discrete data the second line, of cardinalities, is left out."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    if score in CONTINUOUS:
        return {name: [float(row[i]) for row in rows] for i, name in enumerate(names)}
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(names)}


def write(names, network, path):
    """Write the adjacency matrix: 1 in row i and column j for an edge from i to j."""
    edges = set(network.edges)
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(names)
        out.writerows([int((one, other) in edges) for other in names] for one in names)


def number(text, kind):
    """Return a number of the configuration; benchpress gives null as the text None."""
    return None if text == "None" else kind(text)


def run(given, wanted, asked):
    begin = time.perf_counter()
    columns = read(given["data"], asked["score"])
    result = bl.learn(
        columns,
        score=asked["score"],
        options={"ess": float(asked["ess"])} if asked["score"] in ("bdeu", "bds") else None,
        max_parents=number(asked["max_parents"], int),
        time_limit=number(asked["timeout"], float),
        seed=int(asked["seed"]),
        threads=1,
        discrete=None if asked["score"] in CONTINUOUS else True,
        continuous="all" if asked["score"] in CONTINUOUS else None,
    )
    write(list(columns), result.network, wanted["adjmat"])
    Path(wanted["time"]).write_text(str(time.perf_counter() - begin), encoding="utf-8")
    Path(wanted["ntests"]).write_text("None", encoding="utf-8")  # there are no tests of independence


if "snakemake" in globals():
    job = globals()["snakemake"]
    run(job.input, job.output, job.wildcards)
