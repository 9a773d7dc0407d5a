"""What run.py asks of sumu, in the Python that has it: `peer.py DATA OUT CANDIDATES MOVES ESS TEMPERATURES`.

Writes to OUT (.npz): its candidate parents, every parent set it sums over with its score, the networks it draws (chain
by chain, a row of codes each), their scores, and the CPU seconds of sampling alone.
"""

import itertools
import sys
import time

import numpy as np
import sumu

DATA, OUT = sys.argv[1:3]
CANDIDATES, MOVES, ESS, TEMPERATURES = map(int, sys.argv[3:])
CHAINS, NETWORKS = 2, 500  # chains, and networks of each

data = sumu.Data(DATA)
dags, used, chosen = [], 0.0, None
for chain in range(CHAINS):
    np.random.seed(chain)  # noqa: NPY002
    gadget = sumu.Gadget(
        data=data,
        run_mode={"name": "normal", "params": {"n_target_chain_iters": MOVES}},
        mcmc={"n_independent": 1, "burnin": 0.5, "n_dags": NETWORKS},
        score={"name": "bdeu", "params": {"ess": ESS}},
        structure_prior={"name": "unif"},
        constraints={"K": CANDIDATES, "d": 1, "max_id": -1},
        metropolis_coupling={"name": "static", "params": {"M": TEMPERATURES}},
        logging={"silent": True},
    )
    gadget.precompute()
    candidates = [sorted(int(c) for c in gadget.C[v]) for v in range(data.n)]
    assert chosen in (None, candidates)
    chosen = candidates
    begin = time.process_time()
    drawn, _ = gadget.sample()
    used += time.process_time() - begin
    assert len(drawn) >= NETWORKS
    dags += drawn[:NETWORKS]

n = data.n
first, members, sets, scores = [0], [], [], []
local = sumu.gadget.LocalScore(
    data=data, score={"name": "bdeu", "params": {"ess": ESS}}, prior={"name": "unif"}, maxid=-1
)
number = []
for v in range(n):
    candidates = chosen[v]
    families = [
        family for size in range(len(candidates) + 1) for family in itertools.combinations(candidates, size)
    ] + [(u,) for u in range(n) if u != v and u not in candidates]
    number.append({family: len(sets) + k for k, family in enumerate(families)})
    for family in families:
        sets.append(family)
        members.extend(family)
        first.append(len(members))
        scores.append(local.local(v, np.array(family, dtype=np.int32)))
owner = [v for v in range(n) for _ in number[v]]
rows = np.zeros((len(dags), n), dtype=np.int64)
for k, dag in enumerate(dags):
    for v, parents in dag:
        rows[k, v] = number[v][tuple(sorted(int(p) for p in parents))]
np.savez(OUT, owner=owner, first=first, members=members, scores=scores, rows=rows, cpu=used)
