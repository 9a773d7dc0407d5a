"""What must hold of every score of continuous variables; a new one is tested without a line here."""

from __future__ import annotations

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.scoring.registry import scores
from bayesloom.verification import local_scores as verified_scores
from bayesloom.verification.network import family_scores
from made.continuous import linear_gaussian, numbers, tied_numbers
from made.families import NO_SCORE, all_families
from made.families import local_scores as score
from made.scores import of_numbers
from reference.gaussian_scores import local_score, predictive

every_score = pytest.mark.parametrize("name", of_numbers)


def matrix(table: bl.Table) -> np.ndarray:
    return np.stack([table.values(name) for name in table.names], axis=1)


def test_there_are_some():
    assert {"bic-g", "bge"} <= set(of_numbers)


@every_score
@pytest.mark.parametrize("seed", range(6))
def test_equals_the_textbook_definition(name, seed):
    table, _ = linear_gaussian(seed, variables=5, rows=8 + 40 * seed, scale=[1, 1e3][seed % 2])
    families = all_families(5)
    for (child, parents), fixed in zip(families, score(table, name, families), strict=True):
        expected = local_score(matrix(table), child, parents, name)
        assert _core.to_nats(fixed) == pytest.approx(expected, rel=1e-9, abs=1e-7)


@every_score
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_verifier(name, seed):
    table, _ = linear_gaussian(seed, variables=8, rows=300)
    parents = [list(range(max(0, v - 5), v)) for v in range(8)]
    fixed = score(table, name, [(v, tuple(up)) for v, up in enumerate(parents)])
    expected = verified_scores(table.codes, table.cardinalities, parents, name)
    assert [_core.to_nats(s) for s in fixed] == pytest.approx(expected, rel=1e-10, abs=1e-7)


@every_score
@pytest.mark.parametrize("seed", range(4))
def test_order_of_rows_and_parents_and_repeating_rows_do_not_matter_to_the_last_bit(name, seed):
    table, _ = linear_gaussian(seed, variables=5, rows=40)
    families = all_families(5)
    before = score(table, name, families)
    rng = np.random.default_rng(seed)
    assert score(numbers(rng.permutation(matrix(table))), name, families) == before
    assert score(table, name, [(child, parents[::-1]) for child, parents in families]) == before
    weights = rng.integers(1, 4, 40)
    weighted = numbers(matrix(table), weights=weights.tolist())
    repeated = numbers(np.repeat(matrix(table), weights, axis=0))
    assert score(weighted, name, families) == score(repeated, name, families) != before
    assert score(table, name, families, threads=2) == before


@pytest.mark.parametrize("name", [name for name in of_numbers if scores[name].equivalent])
@pytest.mark.parametrize("seed", range(10))
def test_turning_a_covered_edge_changes_nothing_not_even_the_last_bit(name, seed):
    table, _ = linear_gaussian(seed, variables=5, rows=30)
    rng = np.random.default_rng(seed)
    x, y, *others = rng.permutation(5).tolist()
    shared = tuple(others[: rng.integers(0, 4)])
    families = [(x, shared), (y, (*shared, x)), (y, shared), (x, (*shared, y))]
    one, two, three, four = score(table, name, families)
    assert one + two == three + four


@every_score
@pytest.mark.parametrize("seed", range(12))
def test_copies_and_constants(name, seed):
    """A constant costs nothing and says nothing; a copy either has no score, or that of the definition."""
    table = tied_numbers(seed, variables=5, rows=12)
    values = matrix(table)
    families = all_families(5)
    none = 0
    for (child, parents), fixed in zip(families, score(table, name, families), strict=True):
        varying = [v for v in (*parents, child) if np.ptp(values[:, v]) > 0]
        if np.ptp(values[:, child]) == 0 and fixed > NO_SCORE:
            assert fixed == 0
            continue
        rank = np.linalg.matrix_rank(np.corrcoef(values[:, varying], rowvar=False), tol=1e-9)
        if name == "bic-g" and fixed < NO_SCORE:
            none += 1
            left = np.linalg.eigvalsh(np.atleast_2d(np.corrcoef(values[:, varying], rowvar=False)))[0]
            assert left < 1e-6
            continue
        if name == "bic-g":
            assert rank == len(varying)
        expected = local_score(values, child, parents, name)
        assert _core.to_nats(fixed) == pytest.approx(expected, rel=1e-6, abs=1e-3)


@every_score
def test_options_are_used_and_checked(name):
    table, _ = linear_gaussian(1, variables=3, rows=50)
    families = [(0, (1, 2))]
    for option in scores[name].options:
        given = {option.name: 10 * option.initial}
        changed = score(table, name, families, given)
        assert changed != score(table, name, families)
        expected = local_score(matrix(table), 0, (1, 2), name, given)
        assert _core.to_nats(changed[0]) == pytest.approx(expected, rel=1e-10)
        [verified] = family_scores(table, [("X0", ["X1", "X2"])], name, given)
        assert verified == pytest.approx(expected, rel=1e-10)
    with pytest.raises(InputError, match=f"score '{name}' has no option 'colour'"):
        score(table, name, [(0, ())], {"colour": 1.0})


@every_score
def test_a_table_of_states_is_refused(name):
    with pytest.raises(InputError, match="is of numbers, and 's' is not continuous"):
        bl.score({"x": [1.0, 2.0, 3.5], "s": ["a", "b", "a"]}, score=name)


def test_scores_of_states_refuse_numbers():
    table, _ = linear_gaussian(1, variables=3, rows=30)
    with pytest.raises(InputError, match=r"score 'bic' is of states, and 'X0', 'X1', 'X2' are continuous"):
        bl.score(table, score="bic")
    for name in (name for name, one in scores.items() if one.kinds == "discrete"):
        with pytest.raises(InputError, match="is of states"):
            score(table, name, [(0, ())])


def test_bge_is_the_density_of_the_rows():
    """The whole network of three variables: the chain of predictive densities, by another formula."""
    table, _ = linear_gaussian(2, variables=3, rows=20)
    for m, a in [(1.0, 2.0), (0.5, 4.0)]:
        given = {"alpha_mu": m, "degrees": a}
        total = sum(score(table, "bge", [(0, ()), (1, (0,)), (2, (0, 1))], given))
        assert _core.to_nats(total) == pytest.approx(predictive(matrix(table), m, a), rel=1e-10)
