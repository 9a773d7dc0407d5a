"""One learner on one table, in a process of its own: prints one JSON object.

    python learners.py LEARNER TABLE SECONDS THREADS PATIENCE [TRUTH]

LEARNER is bayesloom, pyagrum-hc, pyagrum-tabu or pgmpy-hc.  All get the same table of state numbers;
networks are scored by Bayesloom's BIC and, with a TRUTH (a network file), compared with it by the
distance of their CPDAGs.  SECONDS is the time limit of bayesloom; the others end by themselves, or are
killed (SIGPROF) after PATIENCE CPU seconds of learning.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
import warnings
from typing import Any

import bayesloom as bl
from bayesloom.table import read_table

warnings.filterwarnings("ignore")
Edges = list[tuple[str, str]]


def import_all() -> None:
    """Import what is compared, so that copies of this process need not."""
    import pandas  # noqa: F401
    import pgmpy.estimators  # noqa: F401
    import pyagrum  # noqa: F401


def frame_of(table: bl.Table) -> Any:
    """The table as a data frame of texts "s0", "s1", ..., which both packages take for states."""
    import pandas

    texts = [f"s{k}" for k in range(max(table.cardinalities))]
    return pandas.DataFrame({name: [texts[code] for code in table.column(name)] for name in table.names})


def by_pyagrum(table: bl.Table, tabu: bool, threads: int, patience: float) -> tuple[Edges, float]:
    import pyagrum

    frame = frame_of(table)
    signal.setitimer(signal.ITIMER_PROF, patience)
    start = time.perf_counter()
    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(threads)
    learner.useScoreBIC()
    learner.useNoPrior()
    if tabu:
        learner.useLocalSearchWithTabuList()
    else:
        learner.useGreedyHillClimbing()
    dag = learner.learnDAG()
    seconds = time.perf_counter() - start
    names = learner.names()
    return [(names[a], names[b]) for a, b in dag.arcs()], seconds


def by_pgmpy(table: bl.Table, patience: float) -> tuple[Edges, float]:
    from pgmpy.estimators import HillClimbSearch

    frame = frame_of(table).astype("category")
    signal.setitimer(signal.ITIMER_PROF, patience)
    start = time.perf_counter()
    dag = HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)
    return list(dag.edges()), time.perf_counter() - start


def read_as_measured(path: str) -> bl.Table:
    """Read a table as the runs on the page did: texts, and numbers with up to 20 values, are states."""
    whole = read_table(path, discrete=True)
    states = {column.name: column.states - bool(column.missing) for column in whole.columns}
    cut = {column.name for column in whole.columns if "numbers" in column.kind and states[column.name] > 20}
    names_rows = {name for name, count in states.items() if count > 20 and count == whole.row_count}
    stay = [name for name in states if name not in cut | names_rows]
    return read_table(path, discrete=stay, discretize=dict.fromkeys(sorted(cut - names_rows), "quantile:3"))


def run(
    learner: str, path: str, seconds: float, threads: int, patience: float, truth: str | None
) -> dict[str, Any]:
    table = read_as_measured(path)
    row: dict[str, Any] = {"learner": learner, "variables": len(table.names), "rows": table.row_count}
    cpu = time.process_time()
    if learner == "bayesloom":
        begin = time.perf_counter()
        result = bl.learn(table, time_limit=seconds, threads=threads)
        row["seconds"] = time.perf_counter() - begin
        network = result.network
        status = "stopped" if result.proof is None else "optimal"  # over what is told by complete
        row |= {"gap": round(result.gap, 4), "status": status, "complete": result.complete}
        row |= {"solver": result.solver, "candidates": result.candidates}
    else:
        if learner == "pgmpy-hc":
            edges, taken = by_pgmpy(table, patience)
        else:
            edges, taken = by_pyagrum(table, learner == "pyagrum-tabu", threads, patience)
        signal.setitimer(signal.ITIMER_PROF, 0)
        network = bl.Network.from_edges(table.names, edges)
        row["seconds"] = taken
    row["seconds"] = round(row["seconds"], 3)
    row["cpu_seconds"] = round(time.process_time() - cpu, 2)
    row["bic"] = round(sum(bl.network_scores(network, table).values()), 4)
    row["edges"] = len(network.edges)
    if truth is not None:
        given = bl.read_network(truth)
        row["distance"] = bl.compare(network, getattr(given, "network", given)).distance_cpdag
    row["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
    return row


if __name__ == "__main__":
    learner, path, seconds, threads, patience, *truth = sys.argv[1:]
    row = run(learner, path, float(seconds), int(threads), float(patience), truth[0] if truth else None)
    print(json.dumps(row))
