"""What must hold of every score in the table; a new score is tested without a line here."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.scoring.registry import scores
from bayesloom.verification import local_scores as verified_scores
from made.families import all_families
from made.families import local_scores as score
from made.scores import of_states
from made.tables import SmallTable, random_table, tables
from reference.local_scores import local_score

every_score = pytest.mark.parametrize("name", of_states)


@every_score
@given(table=tables(max_variables=4, max_rows=20))
def test_equals_the_textbook_definition(name, table):
    families = all_families(table.variables)
    for (child, parents), fixed in zip(families, score(table, name, families), strict=True):
        expected = local_score(table.rows, table.cardinalities, child, parents, name)
        assert _core.to_nats(fixed) == pytest.approx(expected, rel=1e-9, abs=4e-9)


@every_score
def test_equals_the_verifier_on_a_larger_table(name):
    table = random_table(11, variables=8, rows=3000)
    parents = [list(range(max(0, v - 5), v)) for v in range(8)]
    fixed = score(table, name, [(v, tuple(up)) for v, up in enumerate(parents)])
    expected = verified_scores(table.columns, table.cardinalities, parents, name)
    assert [_core.to_nats(s) for s in fixed] == pytest.approx(expected, rel=1e-9)


@every_score
@given(table=tables(min_variables=3), data=st.data())
def test_order_of_rows_parents_and_states_does_not_matter(name, table, data):
    n = table.variables
    families = all_families(n)
    before = score(table, name, families)

    shuffled = SmallTable(data.draw(st.permutations(table.rows)), table.cardinalities)
    assert score(shuffled, name, families) == before

    turned = [(child, parents[::-1]) for child, parents in families]
    assert score(table, name, turned) == before

    renamed = [data.draw(st.permutations(range(r))) for r in table.cardinalities]
    relabelled = SmallTable(
        [tuple(renamed[v][row[v]] for v in range(n)) for row in table.rows], table.cardinalities
    )
    assert score(relabelled, name, families) == before


@pytest.mark.parametrize("name", [name for name in of_states if scores[name].equivalent])
@given(table=tables(min_variables=3, max_variables=5), data=st.data())
def test_turning_a_covered_edge_changes_nothing_not_even_the_last_bit(name, table, data):
    """x -> y is covered if the parents of y are those of x and x: the two networks are equivalent."""
    x, y, *others = data.draw(st.permutations(range(table.variables)))
    shared = tuple(others[: data.draw(st.integers(0, len(others)))])
    families = [(x, shared), (y, (*shared, x)), (y, shared), (x, (*shared, y))]
    one, two, three, four = score(table, name, families)
    assert one + two == three + four


@every_score
def test_the_scores_that_are_not_equivalent_do_differ(name):
    """So that the property is declared as it is, not as it is safe."""
    table = random_table(2, variables=3, rows=50, cardinalities=[2, 3, 4])
    families = [(0, (2,)), (1, (2, 0)), (1, (2,)), (0, (2, 1))]
    one, two, three, four = score(table, name, families)
    assert (one + two == three + four) == scores[name].equivalent


@every_score
@given(table=tables())
def test_finite_and_never_above_the_log_likelihood_of_certainty(name, table):
    for fixed in score(table, name, all_families(table.variables)):
        assert -(2**62) < fixed <= 2  # a few units of rounding above ln 1


@every_score
@given(table=tables(max_variables=3))
def test_a_variable_with_one_state_costs_nothing_but_its_edges(name, table):
    constant = SmallTable([(*row, 0) for row in table.rows], [*table.cardinalities, 1])
    families = [(table.variables, parents) for parents in [(), tuple(range(table.variables))]]
    no_prior = {option.name: 0.0 for option in scores[name].options if option.low == 0}
    assert all(abs(fixed) <= 2 for fixed in score(constant, name, families, no_prior))


@every_score
@given(table=tables(min_variables=2))
def test_equal_columns_tie(name, table):
    """Two copies of a column are interchangeable as parents and as children."""
    doubled = SmallTable(
        [(row[0], *row) for row in table.rows], [table.cardinalities[0], *table.cardinalities]
    )
    one, two, three, four = score(doubled, name, [(2, (0,)), (2, (1,)), (0, (2,)), (1, (2,))])
    assert one == two
    assert three == four


@every_score
def test_declared_but_unseen_states_count(name):
    """Every score but those that look at seen cells only changes when a state is declared."""
    rows = random_table(5, variables=2, rows=60, cardinalities=[2, 2]).rows
    seen = score(SmallTable(rows, [2, 2]), name, [(1, (0,)), (0, ())])
    declared = score(SmallTable(rows, [2, 3]), name, [(1, (0,)), (0, ())])
    assert declared[0] != seen[0]
    assert declared[1] == seen[1]


@every_score
def test_threads_do_not_change_the_result(name):
    table = random_table(6, variables=6, rows=200)
    families = all_families(6)
    assert score(table, name, families, threads=2) == score(table, name, families, threads=1)


@every_score
def test_options_are_used_and_checked(name):
    table = random_table(7, variables=3, rows=100)
    for option in scores[name].options:
        changed = score(table, name, [(0, (1, 2))], {option.name: 10 * option.initial})
        assert changed != score(table, name, [(0, (1, 2))])
    with pytest.raises(InputError, match=f"score '{name}' has no option 'colour'"):
        score(table, name, [(0, ())], {"colour": 1.0})


@given(st.integers(1, 10**6), st.floats(1e-6, 1e3))
def test_bdeu_of_a_certain_variable_is_the_same_for_any_number_of_rows(rows, ess):
    """A child equal to its parent: closed form, beyond the tables of rising factorials."""
    assume(rows <= 20_000 or rows % 1000 == 0)
    column = np.zeros(rows, dtype=np.uint8)
    data = _core.EncodedData([column, column], [1, 2])
    fixed = _core.score_families(
        data,
        "bdeu",
        {"ess": ess},
        np.array([1], np.uint16),
        np.array([0, 1], np.uint64),
        np.array([0], np.uint16),
        1,
    )
    expected = math.lgamma(ess) - math.lgamma(rows + ess) + math.lgamma(rows + ess / 2) - math.lgamma(ess / 2)
    assert _core.to_nats(int(fixed[0])) == pytest.approx(expected, rel=1e-9, abs=1e-6)
