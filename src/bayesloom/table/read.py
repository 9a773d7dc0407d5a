"""``read_table``: checks the options, reads the source, and encodes the columns.

Every function that takes a table accepts whatever this function accepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from bayesloom.errors import InputError, option, option_in_note, unknown
from bayesloom.text_input import first_repeated

from .columns import STATE_LIMIT, Columns, checked_names, unknown_column
from .dates import with_date_parts
from .discretize import Rule, parse_rule
from .distinct import distinct
from .encode import encode
from .missing_codes import MissingGiven, missing_values_given, without_codes
from .mixed import state_text
from .reading_options import Options, StatesThatCount
from .selection import Selection
from .sources import read_source
from .table import Table
from .weights import counts_in

OTHERS = "*"
CUT = "quantile:3"
"""How columns of many numbers are cut where the caller does not say, and is not strict."""

STATES, DISCRETIZE = (option(name, subject=True) for name in ("states", "discretize"))

ContinuousGiven = Literal["auto", "normal", "all"] | str | Iterable[str] | None
_KEPT: dict[str, Literal["many", "normal", "all"]] = {"auto": "many", "normal": "normal", "all": "all"}
StatesGiven = StatesThatCount | Mapping[str, Iterable[object]] | None


def read_table(
    source: object,
    *,
    strict: bool = False,
    exclude: str | Iterable[str] | None = None,
    only: str | Iterable[str] | None = None,
    weights: str | Sequence[int] | NDArray[Any] | None = None,
    interventions: object = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    states: StatesGiven = None,
    discretize: str | Mapping[str, str | Sequence[float]] | None = None,
    discrete: bool | str | Iterable[str] | None = None,
    continuous: ContinuousGiven = None,
    missing: Literal["drop", "state", "keep"] | None = None,
    missing_values: MissingGiven = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Read a table.

    What would have to be guessed is done in the usual way and told in ``table.notes``: columns of many
    numbers are cut into three states of about equal size, a missing value is a state of its own, columns
    that only name the rows are left out, and names are mended.

    Parameters
    ----------
    source
        A path to ``.csv``, ``.tsv``, ``.data`` (comma-separated, no header), ``.dat`` (names, numbers of
        states, rows), ``.arff`` (Weka), ``.parquet`` or ``.feather`` (also ``.arrow``, ``.ipc``), each also
        with ``.gz``, or ``.xlsx`` (Excel; needs openpyxl);
        ``"-"`` for CSV on standard input; any object with ``__arrow_c_stream__``, such as a data frame of
        pandas or polars; a 2-d NumPy array; a mapping from names to sequences; a list of rows, each a
        mapping from names to values; a `Table`.
    strict
        Whether to refuse, with a sentence that names the way out, what would have to be guessed: columns
        of many numbers, missing values, columns without a name or of the same name, text that is not
        UTF-8, columns of several types.  Columns that only name the rows stay.
    exclude, only
        Columns to leave out, or the only ones to keep: a name or a list of names.
    weights
        How often each row counts: the name of a column of whole numbers from 0 on, which is then not a
        variable, or a sequence of them.  The result is the same as with rows repeated that often.
    interventions
        Which variables were set by an experimenter in which rows: the name of a column that holds names of
        variables, several separated by ``+``, or nothing where none was set, and is no variable then; or a
        list with such a text, a list of names or None for each row; or a mask, true where a variable was
        set, rows by variables, or a data frame or mapping with such columns.  Such a row does not count in
        the local scores of what was set in it, whatever the parents, nor in their probabilities.
    header
        Whether the first line of a CSV or TSV file holds names.  ``None`` looks: a line of nothing but
        numbers does not.
    names
        Names of the variables, in place of those in the source.
    states
        Which states count where the source declares them: all that are ``"declared"``, which is the default
        of ``.dat`` and ``.arff`` files and of tables that Bayesloom wrote, or only those ``"seen"``, the
        default of categorical columns of all other sources.  Or the states of some columns,
        in order, as a mapping; these count whether a row has them or not, and ``"*"`` in it stands
        for all other columns: ``{"x": ["no", "yes"], "*": "seen"}``.
    discretize
        How to cut numbers into intervals: ``"mean"``, ``"quantile:k"`` or ``"width:k"`` for all continuous
        columns, or a mapping from columns to such a rule or to a list of cut points; ``"*"`` stands for
        all continuous columns that are not named.  The default is ``"quantile:3"`` unless `strict`.
    discrete
        ``True``, or the columns of numbers whose values are states, however many distinct ones there are.
    continuous
        Columns to keep as numbers, without states, for scores of continuous variables: ``"normal"`` for the
        columns of numbers with more than 20 distinct values that are near a normal distribution and that no
        other option names, as `learn` does by itself; ``"auto"`` for all such columns, near normal or not;
        ``"all"`` for all columns of numbers; or a list of columns.  ``table.continuous`` names them then, and
        ``table.values(name)`` has their numbers.  Rows that lack such a number are dropped.
    missing
        What to do with rows that lack a value: ``"drop"`` them, or make it a ``"state"`` of its own named
        ``missing``, which is the default unless `strict`, or ``"keep"`` the value missing, for scores that
        read missing values (``"pnal"``).
    missing_values
        Further texts and numbers that stand for a missing value, such as -99: for all columns, or a mapping
        from columns to theirs, where ``"*"`` stands for all.
    delimiter
        The character between the fields of a text file; found by looking if not given.
    sheet
        Which sheet of a workbook is read; the first if not given.

    Returns
    -------
    Table
        What was done to the data is told in ``table.notes``, and for each column in ``table.columns``.

    Notes
    -----
    With `strict`, what would have to be guessed is refused.  What is decided otherwise is described in
    docs/input.md.

    Texts, booleans and numbers with at most 20 distinct values are discrete.  States that are not declared
    (by ``states=``, a categorical column, a ``.dat`` or an ``.arff`` file) are those seen: numbers by size,
    false before true, texts by Unicode code point.  The notes name declared states that no row has: if they
    count, they count in every score (docs/scores.md).  Numbers with more distinct values are continuous, and
    are cut into ranges unless ``discrete`` says otherwise.

    An empty field, ``?``, and ``NA``, ``N/A``, ``NaN`` and ``null`` in capitals or small letters are missing
    values, and so are null and NaN, and what `missing_values` names.

    Examples
    --------
    >>> table = read_table({"smoke": ["yes", "no", "no"], "age": [31, 64, 50]}, discretize={"age": [40, 60]})
    >>> table.states
    (('no', 'yes'), ('<= 40', '(40, 60]', '> 60'))
    >>> table.column("age")
    array([0, 2, 1], dtype=uint8)

    A table of counts:

    >>> table = read_table({"rain": ["no", "yes"], "days": [265, 100]}, weights="days")
    >>> table.names, table.total_weight
    (('rain',), 365)

    Numbers that stay numbers:

    >>> table = read_table({"dose": [0.5, 1.5, 3.0], "ill": ["no", "no", "yes"]}, continuous=["dose"])
    >>> table.continuous, table.values("dose")
    (('dose',), array([0.5, 1.5, 3. ]))

    Values that stay missing:

    >>> table = read_table({"rain": ["no", None, "yes"], "wet": [0, 1, 1]}, missing="keep")
    >>> table.states[0], table.lacking("rain")
    (('no', 'yes'), array([False,  True, False]))

    A code of one's own for a missing value:

    >>> table = read_table({"age": [31, -99, 64]}, missing_values=-99, missing="keep")
    >>> table.states, table.notes[0]
    ((('31', '64'),), "Read as missing, as asked for: '-99', in 'age' (1).")

    What is done, and what is refused:

    >>> read_table({"x": [1, None, 2]}).notes
    ("Missing values are a state of their own: 'x' (1).",)
    >>> read_table({"x": [1, None, 2]}, strict=True)
    Traceback (most recent call last):
    ...
    bayesloom.errors.InputError: dict: 1 column has missing values: 'x' (1), first in row 2. Drop those rows \
with missing='drop', or make them a state with missing='state', which is what is done without strict=True.
    """
    return table_of(
        source,
        strict=strict,
        exclude=exclude,
        only=only,
        weights=weights,
        interventions=interventions,
        header=header,
        names=names,
        states=states,
        discretize=discretize,
        discrete=discrete,
        continuous=continuous,
        missing=missing,
        missing_values=missing_values,
        delimiter=delimiter,
        sheet=sheet,
    )


def table_of(
    source: object,
    *,
    strict: bool = False,
    keep_all: bool = False,
    exclude: str | Iterable[str] | None = None,
    only: str | Iterable[str] | None = None,
    weights: object = None,
    interventions: object = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    states: StatesGiven = None,
    discretize: str | Mapping[str, str | Sequence[float]] | None = None,
    discrete: bool | str | Iterable[str] | None = None,
    continuous: ContinuousGiven = None,
    missing: Literal["drop", "state", "keep"] | None = None,
    missing_values: MissingGiven = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Read a table as `read_table` does; `keep_all` keeps columns that only name the rows."""
    given = {
        "strict": strict or None,
        "weights": weights if isinstance(weights, str) else None,
        "interventions": interventions if isinstance(interventions, str) else None,
        "header": header,
        "names": names,
        "states": states,
        "discretize": discretize,
        "missing": missing,
        "missing_values": (codes := missing_values_given(missing_values)) or None,
        "delimiter": delimiter,
        "sheet": sheet,
    }
    if names is not None:
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise InputError(f"{option('names', subject=True)}: expected a list of texts, got {names!r}.")
        names = checked_names(names, "names")
    if missing not in (None, "drop", "state", "keep"):
        raise unknown("value of missing", missing, ["drop", "state", "keep"])
    count, given_states = _states(states)
    selection = Selection.given(exclude=exclude, only=only, weights=weights, interventions=interventions)
    others = (header, names, discretize, discrete, continuous, missing, codes or None, delimiter, sheet)
    if isinstance(source, Table) and not given_states and all(one is None for one in others):
        chosen = selection.of_table(source)
        chosen = chosen if chosen is source else replace(chosen, reading={})
        return chosen.with_seen_states() if count == "seen" else chosen
    if isinstance(source, Table) and continuous is None and not isinstance(discretize, str):
        said = {*given_states, *_named(discretize), *_named(discrete)}
        continuous = [] if discrete is True else [name for name in source.continuous if name not in said]
    columns = read_source(
        source, header=header, names=names, delimiter=delimiter, lenient=not strict, sheet=sheet
    )
    columns = without_codes(selection.of_columns(columns), codes)
    lenient = not strict
    leave_out = not (strict or keep_all or isinstance(source, np.ndarray))
    if leave_out and discrete is not True:
        columns = with_date_parts(columns, keep={*given_states, *_named(discretize), *_named(discrete)})
    options = Options(
        states=_checked_states(given_states, columns.names),
        rules=_rules(discretize, columns.names),
        rule=_rule_for_others(discretize, columns.names),
        discrete=_discrete(discrete, columns.names),
        continuous=_columns_named(continuous, columns.names, "continuous"),
        keep=_keep(continuous),
        missing=missing if missing or strict else "state",
        drop_few=missing is None and not strict,
        count=count,
        lenient=lenient,
        leave_out=leave_out,
        only=frozenset(selection.only or ()),
    )
    _check_conflicts(options, all_discrete=discrete is True)
    if options.rule is None and not strict:
        options = replace(options, rule=parse_rule(CUT), rule_guessed=True)
    table = encode(columns, options)
    if isinstance(source, Table):
        codes = {**source.missing_values, **codes}
    table = replace(table, missing_values=codes) if codes else table
    if not keep_all and not isinstance(source, Table):
        given["discrete"] = True if discrete is True else None
        columns_of = {
            "exclude": selection.exclude,
            "only": selection.only or (),
            "discrete": () if discrete is True else sorted(options.discrete),
            "continuous": table.continuous,
        }
        table = replace(table, reading=_in_plain_values(given, columns_of))
    if missing is None and all(states == ("missing",) for states in table.states):
        raise InputError(f"{table.source}: every value is missing, so there is nothing to learn from.")
    return _with_hint(table, columns)


def _in_plain_values(given: Mapping[str, Any], chosen: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """Return the options that read the same table from its source again, as JSON can hold them.

    Weights and interventions that are no columns of the source are not among them.
    """
    kept = {name: value for name, value in given.items() if value is not None}
    kept |= {name: list(columns) for name, columns in chosen.items() if columns}
    if isinstance(states := kept.get("states"), Mapping):
        kept["states"] = {
            name: own if isinstance(own, str) else list(map(state_text, own)) for name, own in states.items()
        }
    if isinstance(rules := kept.get("discretize"), Mapping):
        kept["discretize"] = {
            name: rule if isinstance(rule, str) else [float(cut) for cut in rule]
            for name, rule in rules.items()
        }
    return kept


def _with_hint(table: Table, columns: Columns) -> Table:
    """Return the table, with a note if it looks like counts: every row once, and one column of numbers."""
    found = counts_in(table.names) if table.weights is None and len(table.names) > 1 else []
    if len(found) != 1 or table.row_count < 2:
        return table
    one = distinct(columns.arrays[list(columns.names).index(found[0])], from_text=columns.from_text)
    others = table.select([name for name in table.names if name != found[0]])
    if one.kind != "integer" or one.values[0] < 0 or others.encoded.unique_row_count < table.row_count:
        return table
    given = option_in_note("weights", found[0])
    note = f"{found[0]!r} may say how often each row counts; if so, give {given}."
    return replace(table, notes=(*table.notes, note))


def as_table(given: object) -> Any:
    """Return an object with names and codes unchanged; read anything else as a table."""
    return given if all(hasattr(given, name) for name in _OF_TABLES) else read_table(given)


_OF_TABLES = ("names", "codes")


def _states(given: object) -> tuple[StatesThatCount | None, dict[str, Any]]:
    """Return which declared states count, if that is said, and the states of columns that are given."""
    if given is None:
        return None, {}
    if isinstance(given, str):
        return _count(given), {}
    if not isinstance(given, Mapping):
        raise InputError(f"{STATES}: expected 'declared', 'seen' or a mapping from columns, got {given!r}.")
    columns = dict(given)
    if isinstance(columns.get(OTHERS), str):
        return _count(columns.pop(OTHERS)), columns
    return None, columns


def _count(word: str) -> StatesThatCount:
    if word not in ("declared", "seen"):
        raise unknown("value of states", word, ["declared", "seen"])
    return cast(StatesThatCount, word)


def _checked_states(
    states: Mapping[str, Iterable[object]] | None, names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    checked = {}
    known = set(names)
    for name, given in (states or {}).items():
        if name not in known:
            raise unknown_column(name, names, named_by="states")
        if isinstance(given, str):
            raise InputError(f"{STATES}: expected a list of states for {name!r}, got {given!r}.")
        own = tuple(state_text(value) for value in given)
        if not 1 <= len(own) <= STATE_LIMIT:
            raise InputError(f"{STATES}: {name!r} has {len(own)} states; expected 1 to {STATE_LIMIT}.")
        if (twice := first_repeated(own)) is not None:
            raise InputError(f"{STATES}: {name!r} has the state {twice!r} twice.")
        checked[name] = own
    return checked


def _rules(discretize: object, names: Sequence[str]) -> dict[str, Rule]:
    if discretize is None or isinstance(discretize, str):
        return {}
    if not isinstance(discretize, Mapping):
        raise InputError(
            f"{DISCRETIZE}: expected a rule, or a mapping from columns to rules, got {discretize!r}."
        )
    known = set(names)
    for name in discretize:
        if name not in known and name != OTHERS:
            raise unknown_column(name, names, named_by="discretize")
    return {name: parse_rule(rule) for name, rule in discretize.items() if name in known}


def _rule_for_others(discretize: object, names: Sequence[str]) -> Rule | None:
    if isinstance(discretize, Mapping) and OTHERS not in names:
        discretize = discretize.get(OTHERS)
    return parse_rule(discretize) if isinstance(discretize, str) else None


def _discrete(discrete: object, names: Sequence[str]) -> frozenset[str]:
    if discrete is None or discrete is False:
        return frozenset()
    if discrete is True:
        return frozenset(names)
    return _columns_named(discrete, names, "discrete")


def _keep(continuous: object) -> Literal["many", "normal", "all"] | None:
    """Return which columns are kept as numbers without being named."""
    return _KEPT.get(continuous) if isinstance(continuous, str) else None


def _columns_named(given: object, names: Sequence[str], choice: str) -> frozenset[str]:
    """Return the columns that an option names, all of them columns of the table."""
    if given is None or (choice == "continuous" and _keep(given)):
        return frozenset()
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Iterable):
        other = "True" if choice == "discrete" else "'auto', 'normal', 'all'"
        where = option(choice, subject=True)
        raise InputError(f"{where}: expected {other} or a list of columns, got {given!r}.")
    chosen = list(cast(Iterable[str], given))
    known = set(names)
    for name in chosen:
        if name not in known:
            raise unknown_column(name, names, named_by=choice)
    return frozenset(chosen)


def _named(given: object) -> set[str]:
    """Return the columns that an option names."""
    names = [given] if isinstance(given, str) else given if isinstance(given, Iterable) else ()
    return {name for name in names if isinstance(name, str)}


def _check_conflicts(options: Options, *, all_discrete: bool) -> None:
    """Refuse options that ask for two different things."""
    if options.rule is not None and all_discrete:
        raise InputError(
            f"{option('discretize')} and {option('discrete', True, metavar='all')} exclude each other."
        )
    for name in options.rules:
        if name in options.states:
            raise _twice("states", name)
        if name in options.discrete:
            raise _twice("discrete", name)
    for name in options.continuous:
        for other, named in (("discretize", options.rules), ("discrete", options.discrete)):
            if name in named:
                raise _twice("continuous", name, other)
        if name in options.states:
            raise _twice("continuous", name, "states")


def _twice(other: str, name: str, first: str = "discretize") -> InputError:
    return InputError(f"{option(first)} and {option(other)} both name column {name!r}; give one of them.")
