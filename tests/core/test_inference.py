"""Inference in the core: random networks and evidence against the whole joint table; what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.networks.inference import engine_of
from reference import inference as obvious


def infer(engine, rows, ask, targets=(), **options):
    flat = np.ascontiguousarray(rows, dtype=np.int32).reshape(-1)
    return engine.infer(flat, ask, list(targets), **options)


@pytest.mark.parametrize("seed", range(20))
def test_every_question_against_the_whole_table(seed):
    draw = np.random.default_rng(seed)
    fitted = bl.random_network(6, states=(1, 3), max_parents=3, seed=seed)
    engine, whole = engine_of(fitted), obvious.joint(fitted)
    rows = np.array([[draw.integers(0, r) for r in whole.shape] for _ in range(300)])
    rows[draw.random(rows.shape) < 0.5] = -1
    target = int(draw.integers(0, 6))
    rows[:, target] = -1
    joint = infer(engine, rows, "joint", [target])["values"].reshape(300, -1)
    each = infer(engine, rows, "each", range(6), threads=2)["values"].reshape(300, -1)
    logs = infer(engine, rows, "evidence")["logs"]
    best = infer(engine, rows, "most_probable", range(6))
    modes = infer(engine, rows, "modes", range(6))["codes"].reshape(300, 6)
    ends = np.cumsum([0, *whole.shape])
    for r, row in enumerate(rows.tolist()):
        part = whole[tuple(slice(None) if k < 0 else slice(k, k + 1) for k in row)]
        assert logs[r] == pytest.approx(math.log(part.sum()))
        assert best["logs"][r] == pytest.approx(math.log(part.max()))
        assert whole[tuple(best["codes"].reshape(300, 6)[r])] == pytest.approx(part.max())
        for v in range(6):
            alone = part.sum(axis=tuple(u for u in range(6) if u != v)) / part.sum()
            found = each[r, ends[v] : ends[v + 1]]
            if row[v] >= 0:
                assert found.tolist() == [float(k == row[v]) for k in range(whole.shape[v])]
                assert modes[r, v] == row[v]
            else:
                assert found.tolist() == pytest.approx(alone.tolist())
                assert alone[modes[r, v]] == pytest.approx(alone.max())
        assert joint[r].tolist() == pytest.approx(each[r, ends[target] : ends[target + 1]].tolist())


def test_draws_are_the_same_for_any_number_of_threads():
    fitted = bl.random_network(8, seed=3)
    rows = np.full((700, 8), -1)
    rows[:, 2] = 0
    engine = engine_of(fitted)
    one, two = (infer(engine, rows, "draw", seed=5, threads=k)["codes"] for k in (1, 2))
    assert (one == two).all()
    assert len(np.unique(one.reshape(700, 8), axis=0)) > 10
    assert (one.reshape(700, 8)[:, 2] == 0).all()


def test_what_cannot_be_is_refused():
    engine = _core.DiscreteNetwork([2, 2], [[], [0]], np.full(6, 0.5))
    assert len(engine) == 2
    for ask, match in [
        (lambda: infer(engine, [0, 2], "evidence"), "code that its variable does not have"),
        (lambda: infer(engine, [0, 0, 1], "evidence"), "a code for each variable"),
        (lambda: infer(engine, [-1, -1], "joint", [2]), "different variables of the network"),
        (lambda: infer(engine, [-1, -1], "joint", [1, 1]), "different variables of the network"),
        (lambda: infer(engine, [0, -1], "joint", [0]), "known already"),
        (lambda: infer(engine, [0, 0], "why"), "unknown question"),
        (lambda: _core.DiscreteNetwork([2, 2], [[1], [0]], np.full(8, 0.5)), "cycle"),
        (lambda: _core.DiscreteNetwork([2, 2], [[], [0]], np.full(5, 0.5)), "size of the network"),
        (lambda: _core.DiscreteNetwork([2, 2], [[], [7]], np.full(6, 0.5)), "no variable of the network"),
        (lambda: _core.DiscreteNetwork([2, 2], [[]], np.full(6, 0.5)), "one set of parents"),
    ]:
        with pytest.raises(bl.InputError, match=match):
            ask()
    with pytest.raises(bl.ResourceError, match="GB"):
        infer(engine, [-1, -1], "joint", [0, 1], memory_bytes=16.0)
    with pytest.raises(bl.ResourceError, match="too densely connected"):
        infer(engine, [-1, 0], "evidence", memory_bytes=4.0)
