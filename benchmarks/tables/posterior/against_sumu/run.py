"""Chains beside sumu's Gadget: the same posterior over the same parent sets, effective samples a CPU second.

Usage: BAYESLOOM_SUMU=/path/to/python run.py [--full]

The environment variable names a Python that has sumu; without it the table is not run. sumu chooses candidate parents,
and scores all their subsets and all other single parents; our score cache is made of exactly these, with its scores,
so both sample the same posterior. Each has two chains on one core; the first half of each chain is left out. CPU is of sampling alone,
burn-in with it. Both are measured by the same functions, on the same kind of output: networks drawn.
Quick mode takes 20 variables, full mode 20, 40, 60 and 100.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
import numpy as np
from measure import put_row, results_of

import bayesloom as bl
from bayesloom import _core
from bayesloom.posterior_sampling import options as tuned
from bayesloom.posterior_sampling.diagnostics import effective_size, r_hat
from bayesloom.posterior_sampling.result import batched_edges, largest_difference

CHAINS, NETWORKS, CANDIDATES = 2, 1000, 8
ROWS = 500
SIZES = {20: 2_000, 40: 2_000, 60: 2_000, 100: 2_000}  # variables: moves of each of sumu's chains


def table_of(n: int) -> bl.Table:
    return bl.random_network(n, states=(2, 3), max_parents=3, seed=n).sample(ROWS, seed=n)


def by_sumu(table: bl.Table, moves: int, folder: Path) -> dict[str, Any]:
    codes = np.stack([np.asarray(column) for column in table.codes], axis=1)
    np.savetxt(folder / "data.csv", codes, fmt="%d")
    subprocess.run(
        [
            os.environ["BAYESLOOM_SUMU"],
            str(Path(__file__).with_name("peer.py")),
            str(folder / "data.csv"),
            str(CANDIDATES),
            str(moves),
            str(folder / "out.npz"),
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


def told(cache: bl.ScoreCache, rows: np.ndarray[Any, Any], cpu: float) -> dict[str, Any]:
    scores = np.asarray(cache.scores)[rows.astype(np.int64)].sum(axis=1).astype(float) / 2**30
    values = scores.reshape(CHAINS, -1)
    apart, _, edges = largest_difference(cache, rows, CHAINS)
    effective = effective_size(values)
    return {
        "cpu": cpu,
        "r_hat": r_hat(values),
        "difference": apart,
        "effective": effective,
        "effective_edges": edges,
        "effective_a_second": effective / cpu,
        "effective_edges_a_second": edges / cpu,
        "mean_score": float(scores.mean()),
    }


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


def one(n: int) -> list[dict[str, Any]]:
    table = table_of(n)
    with tempfile.TemporaryDirectory() as folder:
        peer = by_sumu(table, SIZES[n], Path(folder))
    cache, number = cache_of(table.names, peer)
    theirs = number[peer["rows"]]
    mine, cpu = ours(cache, 4)
    apart = {}
    for name, rows in (("sumu", theirs), ("bayesloom", mine)):
        ids, means = batched_edges(cache, rows, 1, 1)
        matrix = np.zeros(n * n)
        matrix[ids] = means[0, 0]
        apart[name] = matrix
    largest = float(np.abs(apart["sumu"] - apart["bayesloom"]).max())
    out = []
    for name, rows, seconds in (("sumu", theirs, float(peer["cpu"])), ("bayesloom", mine, cpu)):
        out.append(
            {
                "variables": n,
                "sampler": name,
                "parent_sets": cache.candidate_count,
                **told(cache, rows, seconds),
                "largest_edge_difference": largest,
            }
        )
    return out


if __name__ == "__main__":
    full = "--full" in sys.argv[1:]
    if "BAYESLOOM_SUMU" not in os.environ:
        sys.exit("set BAYESLOOM_SUMU to a Python that has sumu.")
    out = results_of(__file__, full=full)
    for n in list(SIZES) if full else [20]:
        for row in one(n):
            put_row(out, row, budget="to the end", key=("variables", "sampler"))
            print({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
