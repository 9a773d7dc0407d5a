"""From samples of known networks: how far is the learned class of networks from the true one?

    python run.py [--full] [--seconds S] [--stop-after S] [--clock LIBRARY]

The distance counts the pairs of variables whose edge differs between the two CPDAGs.  Quick mode: networks
of up to 56 variables, 1,000 rows; full mode: all, 1,000 and 5,000 rows.  `learn` gets 20 seconds, the
others end by themselves or are given up after 60.  All samples are drawn here, with the number of
rows as the seed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from runs import DATA, OTHERS, Results, given_options

import bayesloom as bl

NETWORKS = (
    *("asia", "sachs", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "andes", "pigs"),
)
QUICK = 6  # of them
given = given_options().parse_args()
seconds = given.seconds or 20
results = Results(HERE, ("network", "sample_rows", "learner"), given)
with tempfile.TemporaryDirectory() as folder:
    for name in NETWORKS if given.full else NETWORKS[:QUICK]:
        truth = DATA / "networks" / f"{name}.bif.gz"
        for rows in (1000, 5000) if given.full else (1000,):
            sample = Path(folder) / f"{name}-{rows}.csv"
            for learner in ("bayesloom", *OTHERS):
                if results.has(network=name, sample_rows=rows, learner=learner):
                    continue
                if not sample.exists():
                    bl.read_network(truth).sample(rows, seed=rows).write(sample)
                row = results.run_forked(learner, sample, seconds, 1, truth)
                results.add({"network": name, "sample_rows": rows, "budget": seconds, **row})
