"""One learner on one table, in a process of its own: prints one JSON object.

    python learners.py LEARNER TABLE SECONDS THREADS [TRUTH]

LEARNER is bayesloom, pyagrum-hc, pyagrum-tabu or pgmpy-hc.  All get the same table of state numbers;
networks are scored by Bayesloom's BIC and, with a TRUTH (a network file), compared with it by the
distance of their CPDAGs.  SECONDS is the time limit of bayesloom; the others end by themselves.
"""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from typing import Any

import bayesloom as bl
from bayesloom.learn import read_any_table

warnings.filterwarnings("ignore")
Edges = list[tuple[str, str]]


def by_pyagrum(table: bl.Table, tabu: bool, threads: int) -> tuple[Edges, float]:
    import pandas
    import pyagrum

    frame = pandas.DataFrame({name: table.column(name) for name in table.names}, dtype="int64").astype(str)
    start = time.perf_counter()
    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(threads)
    learner.useScoreBIC()
    learner.useNoPrior()
    if tabu:
        learner.useLocalSearchWithTabuList()
    else:
        learner.useGreedyHillClimbing()
    dag = learner.learnBN()
    seconds = time.perf_counter() - start
    name = {node: dag.variable(node).name() for node in dag.nodes()}
    return [(name[a], name[b]) for a, b in dag.arcs()], seconds


def by_pgmpy(table: bl.Table) -> tuple[Edges, float]:
    import pandas
    from pgmpy.estimators import HillClimbSearch

    frame = pandas.DataFrame({name: table.column(name) for name in table.names}, dtype="int64").astype(
        "category"
    )
    start = time.perf_counter()
    dag = HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)
    return list(dag.edges()), time.perf_counter() - start


def run(learner: str, path: str, seconds: float, threads: int, truth: str | None) -> dict[str, Any]:
    table = read_any_table(path)
    row: dict[str, Any] = {"learner": learner, "variables": len(table.names), "rows": table.row_count}
    cpu = time.process_time()
    if learner == "bayesloom":
        result = bl.learn(table, time_limit=seconds, threads=threads)
        network = result.network
        row |= {"seconds": sum(result.seconds.values()), "gap": result.gap, "status": result.status}
        row |= {"complete": result.complete, "solver": result.solver, "candidates": result.candidates}
    else:
        if learner == "pgmpy-hc":
            edges, taken = by_pgmpy(table)
        else:
            edges, taken = by_pyagrum(table, learner == "pyagrum-tabu", threads)
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
    arguments = sys.argv[1:]
    given_truth = arguments[4] if len(arguments) > 4 else None
    print(json.dumps(run(arguments[0], arguments[1], float(arguments[2]), int(arguments[3]), given_truth)))
