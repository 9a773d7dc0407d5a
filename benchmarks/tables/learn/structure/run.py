"""From samples of known networks: how far is the learned class of networks from the true one?

    python run.py [--full] [--seconds S]

The distance counts the pairs of variables whose edge differs between the two CPDAGs. Quick mode: networks
of up to 56 variables, 1,000 rows, 10 seconds; full mode: all, 1,000 and 5,000 rows, 60 seconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from runs import DATA, OTHERS, Results, run_one

import bayesloom as bl

NETWORKS = (
    *("asia", "sachs", "child", "insurance", "alarm", "hailfinder", "win95pts", "hepar2", "andes", "pigs"),
)
QUICK = 6  # of them
parser = argparse.ArgumentParser()
parser.add_argument("--full", action="store_true")
parser.add_argument("--seconds", type=float)
given = parser.parse_args()
seconds = given.seconds or (60 if given.full else 10)
results = Results(HERE / "results.csv")
with tempfile.TemporaryDirectory() as folder:
    for name in NETWORKS if given.full else NETWORKS[:QUICK]:
        truth = DATA / "networks" / f"{name}.bif.gz"
        network = bl.read_network(truth)
        for rows in (1000, 5000) if given.full else (1000,):
            sample = Path(folder) / f"{name}-{rows}.csv"
            network.sample(rows, seed=rows).write(sample)
            for learner in ("bayesloom", *OTHERS):
                row = run_one(learner, sample, seconds, 1, truth)
                results.add({"network": name, "sample_rows": rows, "budget": seconds, **row})
