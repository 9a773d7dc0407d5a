"""Encode columns as a table: name states, handle missing values, cut numbers, check limits.

The order matters.  Declared states come first, since a declared ``NA`` is a state; then missing values, since
dropped rows must not leave states behind; only then are the distinct values of a column of numbers counted,
to decide whether it is discrete or continuous.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bayesloom.errors import InputError, option, option_in_note

from .column_records import Decisions, reason_in_words
from .columns import STATE_LIMIT, Columns, code_type, counted, listed
from .continuous import is_continuous, is_kept, kept_numbers, without_missing_numbers
from .copies import copies_in_words
from .cutting import cut, cut_in_words, cut_points_of
from .distinct import Distinct, distinct, number_in_text
from .interventions import INTERVENTIONS_NAME, Interventions, check_some_rows_count, made
from .lenient import (
    group_few_values,
    missing_in_words,
    numbers_with_gaps,
    rows_of,
    with_rare_values_grouped,
    without_few_missing,
    without_rare_texts,
    without_row_names,
)
from .near_normal import with_near_normal
from .normality import NEAR_NORMAL, normality
from .reading_options import CONTINUOUS_ABOVE, Options
from .table import Table
from .weights import WEIGHT_NAME

CUTS_TOLD = 8
"""Most notes on columns that are cut by the rule for all; one note for all where there are more."""


def encode(columns: Columns, options: Options) -> Table:
    """Return the table that columns hold."""
    if not columns.row_count:
        raise InputError(f"{columns.source}: the table has no rows.")
    notes = list(columns.notes)
    found = [_found(columns, i, options) for i in range(len(columns.names))]
    if options.lenient and columns.from_text:
        found = [
            one if name in options.with_states else numbers_with_gaps(one, name, notes)
            for name, one in zip(columns.names, found, strict=True)
        ]
    if columns.weights is not None:
        found = [replace(one, weights=columns.weights) for one in found]
    if columns.regimes is not None:
        found = [replace(one, regimes=columns.regimes) for one in found]
    decisions = Decisions(columns.layout or columns.names, dict(zip(columns.names, found, strict=True)))
    if options.leave_out:
        columns, found = without_row_names(columns, found, options, notes, decisions)
    if options.lenient:
        columns, found = without_rare_texts(columns, found, options, notes, decisions)
    stripped = [repr(name) for name, one in zip(columns.names, found, strict=True) if one.stripped]
    if stripped:
        notes.append(f"White space around the values of {listed(stripped)} was removed.")
    lacks = any(one.missing for one in found)
    if lacks and options.missing is None:
        raise _missing_error(columns, found)
    if lacks and options.missing == "drop":
        found = _dropped(columns, found, notes)
    if options.keep == "normal":
        options = with_near_normal(columns, found, options)
    if lacks and options.missing == "state":
        rows = rows_of(found)
        kept = any(is_kept(name, one, options) for name, one in zip(columns.names, found, strict=True))
        found = without_missing_numbers(columns, found, options, notes)
        if options.drop_few:
            found = without_few_missing(columns.names, found, notes, numbers_kept=kept, of=rows)
    found = _settled(columns, found, options, notes)
    if options.lenient:
        found = with_rare_values_grouped(columns, found, options, notes, decisions)
    kept_missing = options.missing == "keep" and any(one.missing for one in found)
    missing_in_words(columns.names, found, notes, lenient=options.lenient, kept=kept_missing)
    _say_how_it_is_read(columns, found, options, decisions)
    numbers = kept_numbers(columns, found, options, decisions)
    cut_points = _cut(columns, found, options, notes, decisions)
    if options.lenient:
        group_few_values(columns, found, options, notes, decisions, cut_points)
    continuous = [
        i
        for i, name in enumerate(columns.names)
        if name not in numbers and is_continuous(name, found[i], options)
    ]
    if continuous:
        raise _continuous_error(columns, found, continuous)
    variables: list[tuple[tuple[str, ...], NDArray[Any]]] = [
        ((), numbers[name])
        if name in numbers
        else _variable(columns, name, one, lenient=options.lenient, gaps=kept_missing)
        for name, one in zip(columns.names, found, strict=True)
    ]
    notes += _observations(columns, found, gaps=kept_missing)
    if options.lenient:
        few = [(name, one) for name, one in zip(columns.names, found, strict=True) if name not in numbers]
        notes += copies_in_words([name for name, _ in few], [one for _, one in few])
    states: tuple[tuple[str, ...], ...] = tuple(states for states, _ in variables)
    interventions = _interventions(columns, found[0].regimes, notes)
    return Table(
        names=tuple(columns.names),
        states=states,
        codes=tuple(codes for _, codes in variables),
        cut_points=cut_points,
        notes=tuple(notes),
        source=columns.source,
        columns=decisions.records(dict(zip(columns.names, states, strict=True)), cut_points),
        weights=found[0].weights,
        weight_name=columns.weight_name or WEIGHT_NAME,
        gaps=kept_missing,
        interventions=interventions,
    )


def _interventions(
    columns: Columns, regimes: NDArray[np.int32] | None, notes: list[str]
) -> Interventions | None:
    """Return what was set of the variables that stay, and say of which others nothing is known."""
    if regimes is None:
        return None
    stay = set(columns.names)
    name = columns.target_name or INTERVENTIONS_NAME
    whole = made(columns.targets, regimes, name)
    if whole is None:
        return None
    if gone := sorted({one for target in whole.targets for one in target} - stay):
        notes.append(
            f"Set in some rows, but no variables of the table: {listed([repr(one) for one in gone])}; that"
            " they were set is not looked at."
        )
    found = whole.only(stay)
    check_some_rows_count(found, columns.source)
    return found


def _say_how_it_is_read(
    columns: Columns, found: Sequence[Distinct], options: Options, decisions: Decisions
) -> None:
    for name, one in zip(columns.names, found, strict=True):
        if not decisions.said(name):
            asked = name in options.discrete or name in options.states
            decisions.say(name, reason_in_words(one, asked=asked))


def _cut(
    columns: Columns, found: list[Distinct], options: Options, notes: list[str], decisions: Decisions
) -> dict[str, tuple[float, ...]]:
    """Cut the columns that are named for it, or continuous; return their cut points."""
    cut_points: dict[str, tuple[float, ...]] = {}
    told: list[str] = []
    near: list[str] = []
    for i, name in enumerate(columns.names):
        rule = options.rules.get(name)
        if own := rule is not None:
            pass
        elif is_continuous(name, found[i], options) and not is_kept(name, found[i], options):
            rule = options.rule
        if rule is None:
            continue
        where = f"{columns.source}: column {name!r}"
        cuts = cut_points_of(found[i], rule, where, apart=options.lenient and not own)
        (notes if own else told).append(cut_in_words(name, rule, cuts, found[i]))
        if cuts:
            looked_at = own or name in options.why
            if options.rule_guessed and not looked_at and normality(found[i]) >= NEAR_NORMAL:
                near.append(repr(name))
            why = "as asked for" if own else f"more than {CONTINUOUS_ABOVE} values"
            if name in options.why:
                why += f", {options.why[name]}"
            decisions.say(name, f"{len(found[i])} values in {len(cuts) + 1} ranges by {rule}: {why}")
            found[i] = cut(found[i], cuts)
            cut_points[name] = cuts
    if options.lenient and len(told) > CUTS_TOLD:
        names = [repr(name) for name in columns.names if name in cut_points and name not in options.rules]
        told = [f"{len(told)} columns of numbers are cut into ranges by {options.rule}: {listed(names)}."]
    notes += told
    if near:
        notes.append(
            f"Cut although near normal or flat: {listed(near)}. Kept as numbers"
            f" ({option_in_note('continuous', 'normal')}, and a score of numbers such as 'bic-cg') they show"
            " dependence that ranges lose."
        )
    return cut_points


def _found(columns: Columns, i: int, options: Options) -> Distinct:
    """Return the distinct values of a column, with the states that are declared for it."""
    name = columns.names[i]
    where = f"{columns.source}: column {name!r}"
    states = options.states.get(name)
    try:
        one = distinct(
            columns.arrays[i],
            from_text=columns.from_text and name not in columns.typed,
            declared=frozenset(states or ()),
            where=where,
        )
    except pa.ArrowException:
        raise InputError(f"{where} cannot be read: its Arrow data is not valid.") from None
    if states is not None:
        return _with_states(columns, name, one, states)
    if columns.cardinalities is not None:
        return _with_cardinality(columns, name, one, columns.cardinalities[i])
    return one


def _with_states(columns: Columns, name: str, one: Distinct, states: Sequence[str]) -> Distinct:
    """Return the column in declared states; a number matches a state that is the same number."""
    code_of: dict[str | float, int] = {state: i for i, state in enumerate(states)}
    keys: Sequence[str | float] = one.labels()
    if one.is_numeric:
        for i, state in enumerate(states):
            number = number_in_text(state)
            if number is not None:
                code_of.setdefault(number, i)
        keys = [
            label if label in code_of else float(value)
            for label, value in zip(one.labels(), one.values, strict=True)
        ]
    unknown = np.array([key not in code_of for key in keys] + [False])
    rows = np.flatnonzero(unknown[one.codes])
    if rows.size:
        label = one.labels()[one.codes[rows[0]]]
        raise InputError(
            f"{columns.source}, {columns.place(int(rows[0]))}: variable {name!r} has state {label!r},"
            f" not among {listed([repr(state) for state in states])}. Add it with {option('states')}."
        )
    rank = np.array([code_of.get(key, 0) for key in keys] + [len(states)])
    codes = rank.astype(code_type(len(states) + 1))[one.codes]
    return Distinct("declared", list(states), codes, one.missing)


def _with_cardinality(columns: Columns, name: str, one: Distinct, cardinality: int) -> Distinct:
    """Return the column with as many states as its file declares."""
    if one.kind == "integer" and (not len(one) or (one.values[0] >= 0 and one.values[-1] < cardinality)):
        rank = np.append(one.values, cardinality)
        codes = rank.astype(code_type(cardinality + 1))[one.codes]
        return Distinct("declared", [str(state) for state in range(cardinality)], codes, one.missing)
    if len(one) > cardinality:
        first = np.sort(np.unique(one.codes[one.codes < len(one)], return_index=True)[1])
        present = np.flatnonzero(one.codes < len(one))
        row = int(present[first[cardinality]])
        raise InputError(
            f"{columns.source}, {columns.place(row)}: variable {name!r} is declared with"
            f" {counted(cardinality, 'state')}; {one.labels()[one.codes[row]]!r} is one more."
        )
    unseen = [f"(unseen {i})" for i in range(1, cardinality - len(one) + 1)]
    rank = np.append(np.arange(len(one)), cardinality)
    codes = rank.astype(code_type(cardinality + 1))[one.codes]
    return Distinct("declared", [*one.labels(), *unseen], codes, one.missing)


def _settled(
    columns: Columns, found: Sequence[Distinct], options: Options, notes: list[str]
) -> list[Distinct]:
    """Return the columns with the states that count; tell where that is a choice."""
    settled = list(found)
    unseen = []
    count = options.count or ("declared" if columns.declares else "seen")
    for i, (name, one) in enumerate(zip(columns.names, found, strict=True)):
        if one.kind != "declared" or name in options.states:
            continue
        absent = int(np.count_nonzero(one.counts() == 0))
        if not absent:
            continue
        unseen.append(f"{name!r} ({absent} of {len(one)})")
        if count == "seen":
            settled[i] = one.only_seen()
    if unseen:
        which = "1 variable declares" if len(unseen) == 1 else f"{len(unseen)} variables declare"
        verdict = f"they count unless {option_in_note('states', 'seen')} leaves them out"
        if count == "seen":
            verdict = "they are left out, as asked for"
            if options.count is None:
                verdict = f"they are left out; with {option_in_note('states', 'declared')} they count"
        notes.append(f"{which} states that no row shows: {listed(unseen)}; {verdict}.")
    return settled


def _missing_error(columns: Columns, found: Sequence[Distinct]) -> InputError:
    affected = [i for i, one in enumerate(found) if one.missing]
    first = min(int(np.argmax(found[i].codes == len(found[i]))) for i in affected)
    counts = listed([f"{columns.names[i]!r} ({found[i].missing})" for i in affected])
    subject = "1 column has" if len(affected) == 1 else f"{len(affected)} columns have"
    return InputError(
        f"{columns.source}: {subject} missing values: {counts}, first in {columns.place(first)}."
        f" Drop those rows with {option('missing', 'drop')}, or make them a state with"
        f" {option('missing', 'state')}, which is what is done without {option('strict', True)}."
    )


def _dropped(columns: Columns, found: list[Distinct], notes: list[str]) -> list[Distinct]:
    """Return the columns without the rows in which any value is missing."""
    rows: NDArray[np.bool_] = np.zeros(columns.row_count, dtype=bool)
    for one in found:
        if one.missing:
            rows |= one.codes == len(one)
    count = int(np.count_nonzero(rows))
    if count == rows.size:
        raise InputError(
            f"{columns.source}: every row has a missing value, so {option('missing', 'drop')} leaves none."
            f" Use {option('missing', 'state')}, or leave out the columns with most of them."
        )
    notes.append(f"{count} of {counted(rows.size, 'row')} dropped for missing values.")
    return [one.without(rows) for one in found]


def _continuous_error(columns: Columns, found: Sequence[Distinct], which: Sequence[int]) -> InputError:
    counts = listed([f"{columns.names[i]!r} ({len(found[i])})" for i in which])
    subject = "1 column is" if len(which) == 1 else f"{len(which)} columns are"
    return InputError(
        f"{columns.source}: {subject} continuous, that is, numbers with more than {CONTINUOUS_ABOVE} distinct"
        f" values: {counts}. Cut into intervals with {option('discretize', 'quantile:3')} (or width:3,"
        f" or mean), keep them as numbers with {option('continuous', 'auto')}, or take every number as a"
        f" state with {option('discrete', metavar='NAME')};"
        f" without {option('strict', True)} they are cut in three."
    )


def _variable(
    columns: Columns, name: str, one: Distinct, *, lenient: bool, gaps: bool = False
) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Return the final states and codes of a column; with `gaps` missing values stay missing."""
    cardinality = len(one) + (gaps or bool(one.missing))
    if cardinality > STATE_LIMIT:
        raise InputError(
            f"{columns.source}: variable {name!r} has {cardinality} states; the limit is {STATE_LIMIT}."
            " Leave it out if it names the rows, or discretise it if it is a number."
        )
    states = one.labels()
    if one.missing and not gaps:
        if "missing" in states and not lenient:
            raise InputError(
                f"{columns.source}: variable {name!r} has a state named 'missing' already;"
                f" rename it before using {option('missing', 'state')}."
            )
        states.append(next(name for name in ("missing", "(missing)", "(no value)") if name not in states))
    if not states and gaps:
        states = ["missing"]  # in every row: constant
    if not states:
        raise InputError(f"{columns.source}: variable {name!r} has no values.")
    return tuple(states), one.codes.astype(code_type(cardinality), copy=False)


def _observations(columns: Columns, found: Sequence[Distinct], *, gaps: bool = False) -> list[str]:
    """Return notes on columns that are legal and look like a mistake."""
    notes = []
    constant = []
    for name, one in zip(columns.names, found, strict=True):
        if len(one) + (not gaps and bool(one.missing)) == 1:
            constant.append(repr(name))
        if one.kind == "text" and len(one) > CONTINUOUS_ABOVE:
            numbers = [number_in_text(label) is not None for label in one.values]
            if columns.from_text and 2 * sum(numbers) > len(numbers):
                odd = one.values[numbers.index(False)]
                notes.append(f"{name!r} is read as texts, since {odd!r} among its numbers is none.")
            elif len(one) == one.codes.size:
                notes.append(f"{name!r} has another state in every row.")
            elif 2 * len(one) > one.codes.size:
                notes.append(
                    f"{name!r} is read as texts, with {len(one)} states in {one.codes.size} rows: too many"
                    " to be related to anything."
                )
    if constant:
        notes.append(f"Constant, with one state only: {listed(constant)}.")
    if found[0].codes.size == 1 and found[0].weights is None:
        notes.append("The table has a single row.")
    return notes
