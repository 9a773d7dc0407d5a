"""Chains beside sumu's Gadget: the same posterior over the same parent sets, effective samples a CPU second.

Usage: BAYESLOOM_SUMU=/path/to/python run.py [--full] [--only NAME]

The environment variable names a Python that has sumu; without it the table is not run. sumu chooses candidate parents,
and scores all their subsets and all other single parents; our score cache is made of exactly these, with its scores,
so both sample the same posterior. Each has two chains on one core; the first half of each chain is left out. CPU is of sampling alone,
burn-in with it. Both are measured by the same functions, on the same kind of output: networks drawn. Edges are compared in
their combined standard errors, which are by batches and whole chains, and rough where chains have not settled.
Beside that, how far the programs are apart on all edges (root mean square) is held against what the differences between
each program's own two chains let expect. Quick mode takes 20 variables, full mode 20, 40, 60 and 100, and the tables with
weak edges, on which sumu's chains settle. `--only NAME` takes one table.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[3]))
import numpy as np
from measure import put_row, results_of

import bayesloom as bl
from bayesloom import _core
from bayesloom.posterior_sampling import options as tuned
from bayesloom.posterior_sampling.diagnostics import effective_size, error_of_batches, r_hat
from bayesloom.posterior_sampling.result import batched_edges, largest_difference

CHAINS, NETWORKS = 2, 1000


class Table(NamedTuple):
    """A table, and how sumu samples: moves and temperatures of each of its chains."""

    name: str
    variables: int
    rows: int
    moves: int
    network: dict[str, Any]
    seed: int
    ess: int = 1
    candidates: int = 8
    temperatures: int = 16

    def made(self) -> bl.Table:
        return bl.random_network(self.variables, seed=self.seed, **self.network).sample(
            self.rows, seed=self.seed
        )


STRONG = {"states": (2, 3), "max_parents": 3}
WEAK = {"states": (2, 2), "max_parents": 2, "concentration": 4.0}
TABLES = (
    # Edges strong as they come: with 500 rows sumu's chains take long to settle.
    *(
        Table(f"{n}-{rows}", n, rows, moves, STRONG, n)
        for n, rows, moves in (
            (20, 500, 8_000),
            (20, 100, 4_000),
            (40, 100, 4_000),
            (60, 100, 4_000),
            (100, 100, 4_000),
        )
    ),
    # Weak edges, many rows: its chains settle, and faster with two temperatures than with sixteen.
    *(
        Table(f"weak-{n}-{seed}", n, 2_000, 1_000 * n, WEAK, seed, ess=10, candidates=6, temperatures=2)
        for seed in (1, 2)
        for n in (40, 60, 100)
    ),
)


def by_sumu(asked: Table, table: bl.Table, folder: Path) -> dict[str, Any]:
    codes = np.stack([np.asarray(column) for column in table.codes], axis=1)
    np.savetxt(folder / "data.csv", codes, fmt="%d")
    subprocess.run(
        [
            os.environ["BAYESLOOM_SUMU"],
            str(Path(__file__).with_name("peer.py")),
            str(folder / "data.csv"),
            str(folder / "out.npz"),
            *map(str, (asked.candidates, asked.moves, asked.ess, asked.temperatures)),
        ],
        check=True,
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    return dict(np.load(folder / "out.npz"))


def cache_of(names: tuple[str, ...], found: dict[str, Any]) -> tuple[bl.ScoreCache, np.ndarray[Any, Any]]:
    """Return a score cache of sumu's parent sets, and the number that each has in it."""
    lists: dict[str, list[tuple[float, list[str]]]] = {name: [] for name in names}
    keys = []
    for k, v in enumerate(found["owner"].tolist()):
        parents = [names[p] for p in found["members"][found["first"][k] : found["first"][k + 1]].tolist()]
        lists[names[v]].append((float(found["scores"][k]), parents))
        keys.append((v, frozenset(parents)))
    cache = bl.ScoreCache.from_candidates(names, lists)
    at = {}
    for v, name in enumerate(names):
        for c, (_, parents) in enumerate(cache.candidates(name)):
            at[v, frozenset(parents)] = int(cache.first[v]) + c
    return cache, np.array([at[key] for key in keys], dtype=np.uint64)


def own_difference(cache: bl.ScoreCache, rows: np.ndarray[Any, Any]) -> float:
    """Return the root mean square over all edges of the difference between the two chains."""
    _, means = batched_edges(cache, rows, CHAINS, tuned.OPTIONS.batches)
    first, second = means.mean(axis=1)
    return float(np.sqrt(((first - second) ** 2).sum() / cache.variable_count**2))


def told(cache: bl.ScoreCache, rows: np.ndarray[Any, Any], cpu: float) -> dict[str, Any]:
    scores = np.asarray(cache.scores)[rows.astype(np.int64)].sum(axis=1).astype(float) / 2**30
    values = scores.reshape(CHAINS, -1)
    apart, _, edges = largest_difference(cache, rows, CHAINS)
    effective = effective_size(values)
    return {
        "cpu": cpu,
        "r_hat": r_hat(values),
        "difference": apart,
        "rms_own": own_difference(cache, rows),
        "effective": effective,
        "effective_edges": edges,
        "effective_a_second": effective / cpu,
        "effective_edges_a_second": edges / cpu,
        "mean_score": float(scores.mean()),
        "error_score": float(np.sqrt(values.var() / effective)),
    }


def edges_of(cache: bl.ScoreCache, rows: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], ...]:
    """Return the share of each edge, and its standard error."""
    n = cache.variable_count
    ids, means = batched_edges(cache, rows, CHAINS, tuned.OPTIONS.batches)
    shares, errors = np.zeros(n * n), np.full(n * n, 1 / len(rows))
    shares[ids], errors[ids] = means.mean(axis=(0, 1)), error_of_batches(means, 1 / len(rows))
    return shares, errors


def ours(cache: bl.ScoreCache, sweeps: int) -> tuple[np.ndarray[Any, Any], float]:
    tune = tuned.OPTIONS
    used = time.process_time()
    result = bl.search(cache, solver="minobs", threads=1, seed=1)
    start = [
        int(cache.first[v])
        + [set(p) for _, p in cache.candidates(name)].index(set(result.network.parents[name]))
        for v, name in enumerate(cache.names)
    ]
    sampler = _core.ChainSampler(
        cache.core,
        np.tile(start, CHAINS).astype(np.uint64),
        CHAINS,
        tune.temperatures,
        tune.step,
        1,
        block=tune.block,
        partition_moves=tune.partition_moves,
    )
    each = NETWORKS // CHAINS
    sampler.run(each, sweeps, threads=1)
    rows = sampler.run(each, sweeps, threads=1)["candidates"].reshape(-1, cache.variable_count)
    return rows, time.process_time() - used


def one(asked: Table) -> list[dict[str, Any]]:
    table = asked.made()
    with tempfile.TemporaryDirectory() as folder:
        peer = by_sumu(asked, table, Path(folder))
    cache, number = cache_of(table.names, peer)
    theirs = number[peer["rows"]]
    mine, cpu = ours(cache, 4)
    (first, first_error), (second, second_error) = edges_of(cache, theirs), edges_of(cache, mine)
    apart = np.abs(first - second)
    in_errors = apart / np.hypot(first_error, second_error)
    both = {
        "largest_edge_difference": float(apart.max()),
        "largest_in_errors": float(in_errors.max()),
        "beyond_three_errors": int((in_errors > 3).sum()),
        "edges_seen": int(((first > 0) | (second > 0)).sum()),
        "rms": float(np.sqrt((apart**2).mean())),
        # A mean of two chains has a quarter of the variance of their difference.
        "rms_expected": float(np.hypot(own_difference(cache, theirs), own_difference(cache, mine)) / 2),
    }
    return [
        {
            "table": asked.name,
            "variables": asked.variables,
            "rows": asked.rows,
            "sampler": name,
            "moves": asked.moves if name == "sumu" else "",
            "parent_sets": cache.candidate_count,
            **told(cache, rows, seconds),
            **both,
        }
        for name, rows, seconds in (("sumu", theirs, float(peer["cpu"])), ("bayesloom", mine, cpu))
    ]


if __name__ == "__main__":
    full = "--full" in sys.argv[1:]
    if "BAYESLOOM_SUMU" not in os.environ:
        sys.exit("set BAYESLOOM_SUMU to a Python that has sumu.")
    out = results_of(__file__, full=full)
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv[1:] else None
    for asked in TABLES:
        if (asked.variables > 20 and not full) or only not in (None, asked.name):
            continue
        for row in one(asked):
            put_row(out, row, budget="to the end", key=("table", "sampler"))
            print({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
