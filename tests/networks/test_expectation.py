"""Rows completed in all ways: shares, moments and log-likelihoods, held against the textbook."""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.errors import ResourceError
from bayesloom.networks import expectation as module
from bayesloom.networks.expectation import IncompleteRows, expectation
from made.missing import gappy
from reference import expected


def rows_of(table: bl.Table) -> list[expected.Row]:
    columns = [
        [None if gone else int(k) for gone, k in zip(table.lacking(name), table.column(name), strict=True)]
        for name in table.names
    ]
    return list(zip(*columns, strict=True))


def tables_of(fitted: bl.FittedNetwork) -> list[expected.Shares]:
    found = []
    for table in fitted.tables:
        cells = table.reshape(-1, table.shape[-1])
        found.append({tuple(cell): cells[k].tolist() for k, cell in enumerate(np.ndindex(*table.shape[:-1]))})
    return found


def some_network(table: bl.Table, seed: int) -> bl.FittedNetwork | bl.GaussianNetwork:
    """A chain, in an order in which no discrete variable has a continuous parent, fitted to the gaps"
    " filled anyhow."""
    rng = np.random.default_rng(seed)
    order = [
        *rng.permutation([n for n in table.names if n not in table.continuous]),
        *rng.permutation(table.continuous),
    ]
    edges = [(order[i], order[j]) for j in range(len(order)) for i in range(max(0, j - 2), j)]
    codes = [
        np.where(
            table.lacking(name),
            rng.normal(size=table.row_count) if name in table.continuous else 0,
            table.column(name),
        )
        for name in table.names
    ]
    whole = bl.Table.from_codes(table.names, table.states, codes)
    return bl.Network.from_edges(table.names, edges).fit(whole, method="dirichlet")


@pytest.mark.parametrize("seed", range(6))
def test_shares_of_states_are_those_of_the_textbook(seed):
    table = gappy("discrete", seed, variables=4, rows=40, share=0.3)
    fitted = some_network(table, seed)
    found = expectation(fitted, IncompleteRows(table))
    counts, log = expected.completions(
        rows_of(table), table.cardinalities, fitted.network.parent_indices, tables_of(fitted)
    )
    assert found.log_likelihood == pytest.approx(log)
    assert found.log_likelihood == pytest.approx(fitted.log_likelihood(table))
    own = found.weighted
    got: dict[tuple[int, ...], float] = {}
    for row, weight in zip(zip(*own.codes, strict=True), own.weights, strict=True):
        got[tuple(map(int, row))] = got.get(tuple(map(int, row)), 0.0) + weight
    assert got == pytest.approx(dict(counts))
    # In whole numbers: each row has its units, shared within one of what is due.
    units = 1000
    filled = found.table(units)
    assert filled.total_weight == units * table.row_count
    whole: dict[tuple[int, ...], int] = {}
    for row, weight in zip(zip(*filled.codes, strict=True), filled.weights, strict=True):
        whole[tuple(map(int, row))] = whole.get(tuple(map(int, row)), 0) + int(weight)
    for row, count in counts.items():
        assert abs(whole.get(row, 0) - units * count) <= table.row_count


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("units", [None, 7, 1000])
def test_moments_of_numbers_are_the_expected_ones(seed, units):
    table = gappy("continuous", seed, variables=5, rows=60, share=[0.1, 0.4][seed % 2])
    fitted = some_network(table, seed)
    given = IncompleteRows(table)
    found = expectation(fitted, given)
    slopes = np.zeros((5, 5))
    for v, up in enumerate(fitted.network.parent_indices):
        slopes[v, list(up)] = fitted.families[v].coefficients
    mean, cov = expected.joint_normal(
        [float(one.intercept) for one in fitted.families],
        slopes,
        [float(one.variance) for one in fitted.families],
    )
    centre, second, log = expected.expected_moments(np.column_stack(table.codes), mean, cov)
    assert found.log_likelihood == pytest.approx(log)
    assert found.log_likelihood == pytest.approx(fitted.log_likelihood(table))
    if units is None:
        x, w = np.column_stack(found.weighted.codes), found.weighted.weights
    else:
        filled = found.table(units)
        x, w = np.column_stack(filled.codes), filled.weights.astype(float)
        assert w.sum() == units * table.row_count
    w = w / w.sum()
    assert w @ x == pytest.approx(centre)
    assert (x - centre).T @ ((x - centre) * w[:, None]) == pytest.approx(second)


@pytest.mark.parametrize("seed", range(4))
def test_a_mixed_row_by_hand(seed):
    """Of each row alone: the states that are missing listed, the numbers conditioned on each."""
    table = gappy("mixed", seed, variables=5, rows=60, share=0.3)
    fitted = some_network(table, seed)
    states = [v for v, own in enumerate(table.states) if own]
    numbers = [v for v, own in enumerate(table.states) if not own]
    rows = rows_of_mixed(table)
    found = expectation(fitted, IncompleteRows(table)).weighted
    total = 0.0
    means: dict[tuple[int, ...], np.ndarray] = {}
    for codes, values in rows:
        logs, parts = [], []
        each = expected.ways(tuple(codes), [len(table.states[v]) for v in states])
        for way in each:
            at = dict(zip(states, way, strict=True))
            a, b, d = np.zeros(len(numbers)), np.zeros((len(numbers), len(numbers))), np.zeros(len(numbers))
            log = 0.0
            for v, up in enumerate(fitted.network.parent_indices):
                cell = tuple(at[p] for p in up if p in at)
                if v in at:
                    log += np.log(fitted.families[v][(*cell, at[v])])
                    continue
                k = numbers.index(v)
                a[k], d[k] = fitted.families[v].intercept[cell], fitted.families[v].variance[cell]
                b[k, [numbers.index(p) for p in up if p not in at]] = fitted.families[v].coefficients[cell]
            whole, extra, density = expected.conditioned(values, *expected.joint_normal(a, b, d))
            logs.append(log + density)
            parts.append((way, whole, extra))
        shares, log = expected.of_mixture(logs)
        total += log
        for share, (way, whole, extra) in zip(shares, parts, strict=True):
            one = np.concatenate([[1.0], whole, (np.outer(whole, whole) + extra).reshape(-1)])
            means[way] = means.get(way, 0) + share * one
    assert expectation(fitted, IncompleteRows(table)).log_likelihood == pytest.approx(total)
    got: dict[tuple[int, ...], np.ndarray] = {}
    for r in range(found.row_count):
        way = tuple(int(found.codes[v][r]) for v in states)
        x = np.array([found.codes[v][r] for v in numbers])
        one = found.weights[r] * np.concatenate([[1.0], x, np.outer(x, x).reshape(-1)])
        got[way] = got.get(way, 0) + one
    assert set(got) == set(means)
    for way, one in means.items():
        assert got[way] == pytest.approx(one, rel=1e-7, abs=1e-7)


def rows_of_mixed(table: bl.Table) -> list[tuple[list[int | None], np.ndarray]]:
    found = []
    for r in range(table.row_count):
        codes: list[int | None] = []
        values = []
        for states, column in zip(table.states, table.codes, strict=True):
            if states:
                codes.append(None if column[r] == len(states) else int(column[r]))
            else:
                values.append(float(column[r]))
        found.append((codes, np.array(values)))
    return found


def test_weights_are_rows():
    table = gappy("mixed", 3, variables=4, rows=30, share=0.3)
    weights = np.random.default_rng(1).integers(1, 4, table.row_count)
    heavy = bl.Table.from_codes(table.names, table.states, table.codes, gaps=True, weights=weights)
    fitted = some_network(table, 3)
    one, two = (expectation(fitted, IncompleteRows(each)) for each in (heavy, heavy.expanded()))
    assert one.log_likelihood == pytest.approx(two.log_likelihood)
    again = [fitted.network.fit(each.weighted, method="ml") for each in (one, two)]
    for a, b in zip(again[0].families, again[1].families, strict=True):
        if isinstance(a, np.ndarray):
            assert a == pytest.approx(b)
        else:
            assert a.intercept == pytest.approx(b.intercept)
            assert a.variance == pytest.approx(b.variance)
    assert one.table(50).total_weight == two.table(50).total_weight == 50 * weights.sum()


def test_rows_of_many_joint_states_are_drawn(monkeypatch):
    table = gappy("discrete", 4, variables=6, rows=60, share=0.3)
    fitted = some_network(table, 4)
    exact = expectation(fitted, IncompleteRows(table))
    monkeypatch.setattr(module, "MOST_WAYS", 8)
    given = IncompleteRows(table)
    assert 0 < given.drawn.sum() < len(given.rows)
    drawn = expectation(fitted, given, seed=1)
    assert drawn.log_likelihood == pytest.approx(exact.log_likelihood)
    for v, r in enumerate(table.cardinalities):
        a, b = (np.bincount(one.weighted.codes[v], one.weighted.weights, r) for one in (exact, drawn))
        assert a == pytest.approx(b, abs=0.05 * table.row_count)
    assert drawn.table(100).total_weight == 100 * table.row_count
    mixed = gappy("mixed", 4, variables=8, rows=60, share=0.5)
    monkeypatch.setattr(module, "MOST_LISTED", 1)
    with pytest.raises(
        ResourceError, match="joint states, and structural EM of tables with numbers lists 1 at most"
    ):
        IncompleteRows(mixed)
