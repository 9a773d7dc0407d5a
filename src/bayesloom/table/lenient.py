"""Decisions about columns that strict reading would refuse, or take unchanged.

Every decision is recorded: in the record of the column, and in a note if it changes what can be learned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import option_in_note

from .column_records import Decisions, kind_in_words
from .columns import Columns, code_type, listed
from .continuous import is_kept
from .cutting import cut, cut_points_of, ranges_of
from .discretize import Rule, cut_texts
from .distinct import Distinct, number_in_text
from .forms import FEWEST_VALUES, ROWS_PER_STATE, Shown, Verdict, judge
from .missing_together import missing_together
from .rare import MANY_VALUES, OTHER, Collapsed, collapsed
from .reading_options import CONTINUOUS_ABOVE, Options

NAMES_ROWS = "it has another value in every row"
IS_ID = f"it is named as an id, and has more than {CONTINUOUS_ABOVE} values"
"""Of ids that come back, as of patients seen several times: ranges of them mean nothing."""
FEW_MISSING, FEW_DROPPED = 0.01, 0.05
"""Shares of the rows: below the first a column's missing values are no state, below the second the rows that
lack such values may go; the second is also the first where numbers are kept: see `without_few_missing`."""
SIGNS_OF_GAPS = frozenset({".", "-", "--", "*", "#N/A", "Na", "none", "None", "missing", "unknown"})
"""Texts that stand for a missing value among numbers, beside those that do so everywhere."""
TIME_NAMES = re.compile(r"(.*[ _.-])?(years?|months?|days?|dates?|times?|ages?)", re.IGNORECASE)
"""Names of columns that go up with the rows of a series, and are no numbers of rows."""
ID_NAMES = re.compile(r"(.*[ _.-])?(id|index|nr|no|row|rownames?|rownum(ber)?)", re.IGNORECASE)
"""Names of columns that number the rows, or name them."""
IDS = re.compile(r"(.*[ _.-])?id", re.IGNORECASE)
"""Names of columns that say whom a row is of, once or several times."""
AS_IT_IS = option_in_note("discrete", metavar="NAME")
Found = tuple[Columns, list[Distinct]]


def without_row_names(
    columns: Columns, found: list[Distinct], options: Options, notes: list[str], decisions: Decisions
) -> Found:
    """Return the columns without those that tell the rows apart and nothing else."""
    if len(options.discrete) == len(columns.names):
        return columns, found
    gone = {}
    for name, one in zip(columns.names, found, strict=True):
        if name in options.named or name in options.only:
            continue
        if why := names_rows(name, one):
            gone[name] = why
    if not gone or len(gone) == len(found):
        return columns, found
    for name, why in gone.items():
        decisions.say(name, why)
    for words, reason in (("another value in every row", NAMES_ROWS), ("its name, an id", IS_ID)):
        if names := [repr(name) for name, why in gone.items() if why == reason]:
            notes.append(f"Left out, for {words}: {listed(names)}. Keep one with {AS_IT_IS}.")
    return _without(columns, found, set(gone))


def numbers_with_gaps(one: Distinct, name: str, notes: list[str]) -> Distinct:
    """Return a column of texts as numbers, if all that is none among them is a common sign for a gap."""
    if one.kind != "text":
        return one
    odd = [text for text in one.values if number_in_text(text) is None]
    if not odd or 2 * len(odd) >= len(one) or not SIGNS_OF_GAPS.issuperset(odd):
        return one
    numbers = np.array([number_in_text(text) if text not in SIGNS_OF_GAPS else np.nan for text in one.values])
    values = np.unique(numbers[~np.isnan(numbers)])
    rank = np.append(np.where(np.isnan(numbers), len(values), np.searchsorted(values, numbers)), len(values))
    codes = rank.astype(code_type(len(values) + 1))[one.codes]
    whole = bool((values == np.floor(values)).all() and (np.abs(values) < 2**53).all())
    signs = listed([repr(text) for text in odd])
    notes.append(f"{name!r} holds numbers and {signs}, which is read as a missing value.")
    return replace(
        one,
        kind="integer" if whole else "real",
        values=values.astype(np.int64) if whole else values,
        codes=codes,
        missing=int(np.count_nonzero(codes == len(values))),
        stripped=False,
    )


def names_rows(name: str, one: Distinct) -> str | None:
    """Return why a column says nothing but which row it is, or of whom; None if it may say more."""
    if _tells_apart(name, one):
        return NAMES_ROWS
    if one.kind == "integer" and len(one) > CONTINUOUS_ABOVE and IDS.fullmatch(name.strip()):
        return IS_ID
    return None


def _tells_apart(name: str, one: Distinct) -> bool:
    """Whether a column holds another text in every row, counts the rows, or is named so and could."""
    if one.missing or len(one) != one.codes.size or len(one) <= CONTINUOUS_ABOVE:
        return False
    if one.kind == "text" or (one.kind == "integer" and ID_NAMES.fullmatch(name.strip())):
        return True
    if TIME_NAMES.fullmatch(name.strip()):
        return False
    counts_up = one.kind == "integer" and int(one.values[-1]) - int(one.values[0]) == len(one) - 1
    return counts_up and bool((np.diff(one.codes.astype(np.int64)) == 1).all())


def _without(columns: Columns, found: Sequence[Distinct], gone: set[str]) -> Found:
    kept = [i for i, name in enumerate(columns.names) if name not in gone]
    layout = columns.names if columns.layout is None else columns.layout
    return (
        replace(
            columns,
            names=[columns.names[i] for i in kept],
            arrays=[columns.arrays[i] for i in kept],
            cardinalities=columns.cardinalities and [columns.cardinalities[i] for i in kept],
            layout=layout,
        ),
        [found[i] for i in kept],
    )


def without_rare_texts(
    columns: Columns, found: list[Distinct], options: Options, notes: list[str], decisions: Decisions
) -> Found:
    """Return the columns without those texts of which most rows hold rare values: ids, free text.

    Before missing values are looked at: no row is dropped for what a column lacks that is left out.
    """
    if not options.leave_out:
        return columns, found
    gone = {}
    for name, one in zip(columns.names, found, strict=True):
        seen = one.only_seen() if one.kind == "declared" and options.count != "declared" else one
        rare = _collapsed(columns, name, seen, options)
        if rare is not None and rare.says_too_little and name not in options.only:
            gone[name] = rare
    if not gone or len(gone) == len(found):
        return columns, found
    for name, rare in gone.items():
        decisions.say(name, _rare_in_words(rare, left_out=True))
    left = listed([f"{name!r} ({rare.values} values)" for name, rare in gone.items()])
    notes.append(
        f"Texts with more than {MANY_VALUES} values, left out, for most rows hold values with less than 1 %"
        f" of the rows: {left}. {AS_IT_IS} keeps all values of a column."
    )
    return _without(columns, found, set(gone))


def with_rare_values_grouped(
    columns: Columns, found: list[Distinct], options: Options, notes: list[str], decisions: Decisions
) -> list[Distinct]:
    """Return the columns with the rare values of texts put together."""
    small: dict[str, Collapsed] = {}
    for name, one in zip(columns.names, found, strict=True):
        if (rare := _collapsed(columns, name, one, options)) is not None:
            small[name] = rare
    for name, rare in small.items():
        decisions.say(name, _rare_in_words(rare, left_out=False))
    if small:
        kept = listed([f"{n!r} ({rare.kept} of {rare.values} values kept)" for n, rare in small.items()])
        notes.append(
            f"Texts with more than {MANY_VALUES} values: values with less than 1 % of the rows are one state"
            f" {OTHER!r}: {kept}. {AS_IT_IS} keeps all values of a column."
        )
    return [
        small[name].column if name in small else one for name, one in zip(columns.names, found, strict=True)
    ]


def _collapsed(columns: Columns, name: str, one: Distinct, options: Options) -> Collapsed | None:
    """Return a column with its rare values as one state, if it has such and is not named."""
    if name in options.named or (one.kind == "declared" and columns.declares):
        return None
    return collapsed(one)


def _rare_in_words(rare: Collapsed, *, left_out: bool) -> str:
    share = f"{100 * rare.share:.0f} % of the rows"
    if left_out:
        return f"{rare.values} values, and {share} hold one that has less than 1 % of them"
    return f"{rare.kept} of {rare.values} values are states, the rest ({share}) is {OTHER!r}"


def rows_of(found: Sequence[Distinct]) -> int:
    """Return how many rows there are, each as often as its weight says."""
    each = found[0].weights
    return found[0].codes.size if each is None else int(each.sum(dtype=np.int64))


def without_few_missing(
    names: Sequence[str], found: list[Distinct], notes: list[str], *, numbers_kept: bool, of: int
) -> list[Distinct]:
    """Return the columns without the few rows that lack a value which all others have.

    A state for a handful of rows costs a parameter for each state of a parent and shows nothing: columns that
    lack less than 1 % of their values lose these rows, those that lack the fewest first, as long as less than
    5 % of all rows, `of` with those lost before, are lost.  Where numbers are kept, less than 5 % of a column
    are few: a regression for each state needs rows of each, so that such a state hides what others show.
    """
    few, gone = few_missing(names, found, FEW_DROPPED if numbers_kept else FEW_MISSING, of)
    if not few:
        return found
    as_state = option_in_note("missing", "state")
    kept = [one.without(gone) for one in found]
    notes.append(
        f"{rows_of(found) - rows_of(kept)} of {of} rows dropped: they lack {listed(list(map(repr, few)))},"
        f" which too few rows do to make a state of it. {as_state} keeps them."
    )
    return kept


def few_missing(
    names: Sequence[str], found: Sequence[Distinct], least: float, of: int
) -> tuple[list[str], NDArray[np.bool_]]:
    """Return which columns lack less than a share of the rows, so that these go, and these rows."""
    each = found[0].weights
    before = of - rows_of(found)

    def weight(mask: NDArray[np.bool_]) -> int:
        return int(np.count_nonzero(mask) if each is None else each[mask].sum(dtype=np.int64))

    lacking = {name: one.codes == len(one) for name, one in zip(names, found, strict=True) if one.missing}
    gone: NDArray[np.bool_] = np.zeros(found[0].codes.size, dtype=bool)
    few = set()
    for name in sorted(lacking, key=lambda name: weight(lacking[name])):
        together = gone | lacking[name]
        if weight(lacking[name]) < least * of and before + weight(together) < FEW_DROPPED * of:
            few.add(name)
            gone = together
    return [name for name in names if name in few], gone


def missing_in_words(
    names: Sequence[str], found: Sequence[Distinct], notes: list[str], *, lenient: bool, kept: bool = False
) -> None:
    """Say where missing values are a state, or stay missing, and which columns are missing together."""
    absent = {name: one for name, one in zip(names, found, strict=True) if one.missing}
    if not absent:
        return
    counts = [f"{name!r} ({one.missing})" for name, one in absent.items()]
    if kept:
        notes.append(f"Missing values stay missing: {listed(counts)}.")
    else:
        notes.append(f"Missing values are a state of their own: {listed(counts)}.")
    if not lenient or kept:
        return
    for group, rows in missing_together({n: one.codes == len(one) for n, one in absent.items()}):
        notes.append(
            f"{listed([repr(name) for name in group])} are missing in the same {rows} rows, so edges between"
            f" them may tell of nothing else. {option_in_note('missing', 'drop')} leaves such rows out,"
            f" {option_in_note('exclude', metavar='NAME')} a column."
        )


def group_few_values(
    columns: Columns,
    found: list[Distinct],
    options: Options,
    notes: list[str],
    decisions: Decisions,
    cut_points: dict[str, tuple[float, ...]],
) -> None:
    """Group the numbers of columns with 6 to 20 values into ranges where that shows more."""
    if options.rule is None:
        return
    cuts = {
        i: cut_points_of(found[i], options.rule, columns.source, apart=True)
        for i, name in enumerate(columns.names)
        if name not in options.named and _could_be_grouped(found[i], options.rule)
    }
    told = []
    shown = [
        # Numbers that are kept are looked at in the ranges they would be cut into.
        _shown(cut(one, cut_points_of(one, options.rule, columns.source, apart=True)), None)
        if is_kept(name, one, options) and len(one) > 1
        else _shown(one, cuts.get(i))
        for i, (name, one) in enumerate(zip(columns.names, found, strict=True))
    ]
    for i, verdict in judge(shown, found[0].weights if found else None).items():
        name, values = columns.names[i], len(found[i])
        if verdict.grouped:
            found[i] = cut(found[i], cuts[i])
            cut_points[name] = cuts[i]
            told.append((name, values, len(cuts[i]) + 1, listed(cut_texts(cuts[i]))))
        decisions.say(name, _verdict_in_words(verdict, values, len(cuts[i]) + 1))
    if len(told) == 1:
        [(name, values, ranges, where)] = told
        notes.append(
            f"{name!r} ({values} values) is grouped into {ranges} ranges, cut at {where}: as {values}"
            " separate states its dependences would show less or not at all."
            f" {option_in_note('discrete', name)} keeps the values."
        )
    elif told:
        counts = listed([f"{name!r} ({values} values)" for name, values, _, _ in told])
        notes.append(
            f"{len(told)} columns of numbers are grouped into ranges: {counts}. As separate states their"
            f" dependences would show less or not at all. {AS_IT_IS} keeps the values of a column."
        )


def _could_be_grouped(one: Distinct, rule: Rule) -> bool:
    finite = rule.method == "quantile" or (one.is_numeric and np.isfinite(one.values).all())
    return one.is_numeric and FEWEST_VALUES <= len(one) <= CONTINUOUS_ABOVE and bool(finite)


def _shown(one: Distinct, cuts: tuple[float, ...] | None) -> Shown:
    missing = bool(one.missing)
    states = len(one) + missing
    if cuts is None:
        return Shown(one.codes, states)
    ranges: NDArray[np.int64] = ranges_of(one, cuts)
    if missing:
        ranges = np.append(ranges, len(cuts) + 1)
    return Shown(one.codes, states, ranges, missing, ordered=kind_in_words(one) == "numbers")


def _verdict_in_words(verdict: Verdict, values: int, ranges: int) -> str:
    if not verdict.grouped and verdict.as_ranges > verdict.as_states:
        shuffled = "ranges of shuffled values show as much"
        return f"each of its {values} values is a state: {shuffled} ({verdict.looked_at})"
    if not verdict.grouped:
        return f"each of its {values} values is a state: {ranges} ranges show no more ({verdict.looked_at})"
    if verdict.as_ranges > verdict.as_states:
        gain = f"{verdict.as_ranges:,.0f} nats against {verdict.as_states:,.0f}"
        return f"{values} values in {ranges} ranges, which show more: {gain} ({verdict.looked_at})"
    return f"{values} values in {ranges} ranges: less than {ROWS_PER_STATE} rows for each value"
