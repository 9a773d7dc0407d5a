"""Use the package that is installed: learn a generated table, with a proof, and verify it."""

import bayesloom as bl

truth = bl.random_network(8, states=(2, 3), max_parents=2, concentration=0.5, seed=1)
result = bl.learn(truth.sample(500, seed=1))
if result.status != "optimal" or not result.verify().ok:
    raise SystemExit(f"bayesloom {bl.__version__} does not work here: {result.claim}")
print(f"bayesloom {bl.__version__}: {result.claim}")
