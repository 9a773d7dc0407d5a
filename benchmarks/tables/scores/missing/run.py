"""What to do with missing values: distance of the learned class to the true one, way by way.

Usage: python benchmarks/tables/scores/missing/run.py [--full] [--networks asia,sachs]

Samples of known networks lose values: completely at random (mcar), or with a probability that hangs on another
variable, which is always observed (mar). Every way sees the same tables. `whole` is BIC before anything was lost.
`gauss10` stands for a linear Gaussian network of 10 variables with about 3 neighbours each, another one for each seed. The
distance counts the pairs of variables whose edge differs between the two CPDAGs. R's bnlearn is run beside, if
Rscript finds it (``R_LIBS_USER``): its hill climbing with `pnal`, under its own charge and under ours, and its
structural EM. Quick mode: one network, one seed. Full mode: ten seeds; rows that are there are kept; with --ours without R.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
import numpy as np
from measure import DATA, options, put_row, results_of, rows_of

import bayesloom as bl

NETWORKS = ("asia", "sachs", "child", "gauss10")
GAUSSIAN = ("gauss10",)
ROWS = 1000
SHARES = (0.05, 0.1, 0.2, 0.4)
FIRST_SEED = 8101
OURS = ("whole", "drop", "state", "pnal", "em", "em soft")
PEERS = ("bnlearn pnal", "bnlearn pnal, our charge", "bnlearn em")
STUDENT = (
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
)  # 97.5 %, 1 to 9 degrees of freedom
BUDGET = "exact search, 60 s at most"
R = """
suppressMessages(library(bnlearn))
folder <- commandArgs(trailingOnly = TRUE)[1]
for (file in list.files(folder, pattern = "csv$", full.names = TRUE)) {
  for (way in c("bnlearn pnal", "bnlearn pnal, our charge", "bnlearn em")) {
    numbers <- grepl("gauss", file)
    kind <- if (numbers) "numeric" else "factor"
    data <- read.csv(file, colClasses = kind, na.strings = "", check.names = FALSE)
    pnal <- if (numbers) "pnal-g" else "pnal"
    n <- nrow(data); p <- ncol(data)
    start <- proc.time()[["user.self"]]
    found <- tryCatch(switch(way,
      "bnlearn pnal" = hc(data, score = pnal),
      "bnlearn pnal, our charge" = hc(data, score = pnal, k = max(n^0.75 / p, log(n) / 2)),
      "bnlearn em" = structural.em(data)), error = function(e) NULL)
    seconds <- proc.time()[["user.self"]] - start
    if (is.null(found)) next
    cat(basename(file), way, seconds, paste(apply(arcs(found), 1, paste, collapse = ">"), collapse = ";"),
        sep = "|"); cat("\\n")
  }
}
"""


def with_gaps(table: bl.Table, share: float, how: str, seed: int) -> dict[str, list[str | float | None]]:
    """The rows of a table without some of its values."""
    draw = np.random.default_rng([seed, int(1000 * share), how == "mar"])
    n = len(table.names)
    observed = draw.permutation(n)[: max(1, n // 3)] if how == "mar" else np.array([], dtype=int)
    rows: dict[str, list[str | float | None]] = {}
    for i, name in enumerate(table.names):
        lost = draw.random(table.row_count) < share
        if how == "mar" and i in observed:
            lost[:] = False
        elif how == "mar":
            mean = min(0.95, share * n / (n - len(observed)))
            which = draw.choice(observed)
            driver = table.codes[which]
            if not table.states[which]:
                driver = (driver > np.quantile(driver, 0.6)).astype(int)
            often = driver == np.bincount(driver).argmax()
            high = min(0.95, 1.6 * mean)
            q = float(often.mean())
            low = max(0.0, (mean - (1 - q) * high) / q) if q > 0.5 else high
            lost = draw.random(table.row_count) < np.where(often, low, high if q > 0.5 else mean)
        states = table.states[i]
        rows[name] = [
            None if gone else states[k] if states else float(k)
            for gone, k in zip(lost, table.codes[i], strict=True)
        ]
    return rows


def gaussian(n: int, seed: int, degree: float = 3.0) -> bl.GaussianNetwork:
    """A random linear Gaussian network: coefficients 0.3 to 1 of either sign, residual variances 1."""
    draw = np.random.default_rng([seed, n, 41])
    names = [f"X{v}" for v in range(n)]
    place = draw.permutation(n)
    edges = [
        (names[a], names[b])
        for a in range(n)
        for b in range(n)
        if place[a] < place[b] and draw.random() < degree / (n - 1)
    ]
    network = bl.Network.from_edges(names, edges)
    families = [
        {
            "intercept": draw.normal(),
            "coefficients": draw.uniform(0.3, 1, len(up)) * draw.choice([-1, 1], len(up)),
            "variance": 1.0,
        }
        for up in network.parent_indices
    ]
    return bl.GaussianNetwork(network, [()] * n, families)


def learned(way: str, table: bl.Table, rows: dict[str, list[str | float | None]]) -> bl.Network:
    """The network that one way finds."""
    common = {"time_limit": 60, "threads": 1}
    if way == "whole":
        return bl.learn(table, **common).network
    kept = {"continuous": "all"} if table.continuous else {"discrete": True}
    if way in ("em", "em soft"):
        return bl.structural_em(rows, form="soft" if way == "em soft" else "hard", **kept, **common).network
    missing = {"drop": "drop", "state": "state", "pnal": "keep"}[way]
    score = "pnal" if way == "pnal" else "bic-g" if table.continuous else "bic"
    return bl.learn(rows, score=score, missing=missing, **kept, **common).network


def of_peers(
    gaps: dict[str, dict[str, list[str | float | None]]],
) -> list[tuple[str, str, float, list[list[str]]]]:
    """What R's bnlearn finds in each table: name, way, seconds, edges."""
    if shutil.which("Rscript") is None or not gaps or "--ours" in sys.argv:
        return []
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in gaps.items():
            lines = [
                ",".join(rows),
                *(
                    ",".join("" if v is None else str(v) for v in row)
                    for row in zip(*rows.values(), strict=True)
                ),
            ]
            (Path(folder) / f"{name}.csv").write_text("\n".join(lines) + "\n")
        script = Path(folder) / "run.R"
        script.write_text(R)
        done = subprocess.run(["Rscript", str(script), folder], capture_output=True, text=True, check=False)
    found = []
    for line in done.stdout.splitlines():
        file, way, seconds, arcs = line.split("|")
        edges = [arc.split(">") for arc in arcs.split(";") if arc]
        found.append((file.removesuffix(".csv"), way, float(seconds), edges))
    return found


def summary(path: Path) -> str:
    """Mean distance of each way, with the 95 % interval of the mean over seeds."""
    distances: dict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows_of(path):
        distances[row["network"], row["how"], row["share"]][row["way"]].append(float(row["distance"]))
    ways = [*OURS, *PEERS]
    lines = ["| network, lost | " + " | ".join(ways) + " |", "|---" * (len(ways) + 1) + "|"]
    for (network, how, share), found in distances.items():
        cells = []
        for way in ways:
            values = found.get(way, [])
            count = len(values)
            if count < 2:
                cells.append(f"{values[0]:.0f} (1 seed)" if values else "-")
                continue
            spread = STUDENT[min(count, 10) - 2] * statistics.stdev(values) / count**0.5
            few = f" ({count} seeds)" if count < 10 else ""
            cells.append(f"{statistics.mean(values):.1f} ± {spread:.1f}{few}")
        lines.append(f"| {network}, {how} {float(share):.0%} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(full: bool) -> None:
    path = results_of(__file__, full=full)
    keys = ("network", "how", "share", "seed", "way")
    done = {tuple(row[key] for key in keys) for row in rows_of(path)}
    networks = options("--networks") or (NETWORKS if full else NETWORKS[:1])
    for seed in range(FIRST_SEED, FIRST_SEED + (10 if full else 1)):
        for network in networks:
            truth = (
                gaussian(10, seed)
                if network in GAUSSIAN
                else bl.read_network(DATA / "networks" / f"{network}.bif.gz")
            )
            table = truth.sample(ROWS, seed=seed)
            gaps = {}
            for how in ("mcar", "mar"):
                for share in SHARES:
                    at = (network, how, str(share), str(seed))
                    rows = with_gaps(table, share, how, seed)
                    if (*at, PEERS[0]) not in done:
                        gaps[f"{how} {share} {network}"] = rows
                    for way in OURS:
                        if (*at, way) in done or (way == "state" and network in GAUSSIAN):
                            continue
                        start = time.process_time()
                        try:
                            found = learned(way, table, rows)
                        except bl.InputError:  # every row lacks something
                            found = bl.Network.from_edges(table.names, ())
                        seconds = time.process_time() - start
                        put(path, at, way, found, truth, seconds)
            for name, way, seconds, edges in of_peers(gaps):
                how, share, _ = name.split()
                found = bl.Network.from_edges(table.names, edges)
                put(path, (network, how, share, str(seed)), way, found, truth, seconds)
    print(summary(path))


def put(
    path: Path,
    at: tuple[str, ...],
    way: str,
    found: bl.Network,
    truth: bl.FittedNetwork | bl.GaussianNetwork,
    seconds: float,
) -> None:
    network, how, share, seed = at
    row = {
        "network": network,
        "how": how,
        "share": share,
        "seed": seed,
        "way": way,
        "distance": bl.compare(found, truth.network).distance_cpdag,
        "edges": len(found.edges),
        "cpu_seconds": round(seconds, 2),
    }
    print(json.dumps(row), flush=True)
    put_row(path, row, budget=BUDGET)


if __name__ == "__main__":
    main("--full" in sys.argv[1:])
