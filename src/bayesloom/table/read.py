"""``read_table``: looks at what was given, checks the options, and calls the reader it needs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from bayesloom.errors import InputError, unknown
from bayesloom.files import read_bytes
from bayesloom.limits import check_fits, reading_memory
from bayesloom.text_input import first_repeated

from .arff import read_arff
from .arrow import read_array, read_arrow_file, read_arrow_stream, read_mapping
from .columns import STATE_LIMIT, Columns, checked_names, unknown_column
from .dat import read_dat
from .dates import with_date_parts
from .discretize import Rule, parse_rule
from .encode import encode
from .files import ARROW_SUFFIXES, format_of, read_stdin, unknown_format
from .reading_options import Options, StatesThatCount
from .table import Table
from .text import read_text

OTHERS = "*"

StatesGiven = StatesThatCount | Mapping[str, Iterable[object]] | None
TIMES_ITS_SIZE = 6
"""Memory that a text takes at least while it is read, in sizes of it; up to 17 for numbers all different."""


def read_table(
    source: object,
    *,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    states: StatesGiven = None,
    discretize: str | Mapping[str, str | Sequence[float]] | None = None,
    discrete: bool | str | Iterable[str] | None = None,
    missing: Literal["drop", "state"] | None = None,
    delimiter: str | None = None,
) -> Table:
    """Read a table of discrete variables.

    Parameters
    ----------
    source
        A path to ``.csv``, ``.tsv``, ``.data`` (comma-separated, no header), ``.dat`` (names, numbers of
        states, rows), ``.arff`` (Weka), ``.parquet`` or ``.feather`` (also ``.arrow``, ``.ipc``), each also
        with ``.gz``;
        ``"-"`` for CSV on standard input; any object with ``__arrow_c_stream__``, such as a data frame of
        pandas or polars; a 2-d NumPy array; a mapping from names to sequences.
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
        all continuous columns that are not named.
    discrete
        ``True``, or the columns of numbers to take as they are however many distinct values they have.
    missing
        What to do with rows that lack a value: ``"drop"`` them, or make it a ``"state"`` of its own named
        ``missing``.  ``None`` refuses them.
    delimiter
        The character between the fields of a text file; found by looking if not given.

    Returns
    -------
    Table
        What was done to the data is told in ``table.notes``, and for each column in ``table.columns``.

    Notes
    -----
    This is strict reading: what would have to be guessed is refused.  What `learn` decides instead is told in
    docs/input.md.

    Texts, booleans and numbers with at most 20 distinct values are discrete.  States that are not declared
    (by ``states=``, a categorical column, a ``.dat`` or an ``.arff`` file) are those seen: numbers by size,
    false before true, texts by Unicode code point.  Declared states that no row has are told in the notes:
    where they count, they do so in every score (docs/scores.md).  Numbers with more distinct values are
    continuous and refused unless ``discretize`` or ``discrete`` says what to do.

    An empty field, ``NA``, ``N/A``, ``NaN``, ``null`` and ``?`` are missing values, and so are null and NaN.

    Examples
    --------
    >>> table = read_table({"smoke": ["yes", "no", "no"], "age": [31, 64, 50]}, discretize={"age": [40, 60]})
    >>> table.states
    (('no', 'yes'), ('<= 40', '(40, 60]', '> 60'))
    >>> table.column("age")
    array([0, 2, 1], dtype=uint8)
    """
    return _table(
        source,
        header=header,
        names=names,
        states=states,
        discretize=discretize,
        discrete=discrete,
        missing=missing,
        delimiter=delimiter,
    )


def read_leniently(source: object, *, keep_all: bool = False, **options: Any) -> Table:
    """Read a table as `learn` does: names are mended, and columns that only name the rows are left out.

    With `keep_all`, and of an array, all columns stay.
    """
    unknown_options = set(options) - set(_OPTIONS)
    if unknown_options:
        raise TypeError(f"read_any_table() got an unexpected keyword argument {min(unknown_options)!r}")
    given = {**dict.fromkeys(_OPTIONS), **options}
    keep_all = keep_all or isinstance(source, np.ndarray)
    return _table(source, **given, lenient=True, leave_out_row_names=not keep_all)


_OPTIONS = ("header", "names", "states", "discretize", "discrete", "missing", "delimiter")


def _table(
    source: object,
    *,
    header: bool | None,
    names: Sequence[str] | None,
    states: StatesGiven,
    discretize: str | Mapping[str, str | Sequence[float]] | None,
    discrete: bool | str | Iterable[str] | None,
    missing: Literal["drop", "state"] | None,
    delimiter: str | None,
    lenient: bool = False,
    leave_out_row_names: bool = False,
) -> Table:
    if names is not None:
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise InputError(f"names: expected a list of texts, got {names!r}.")
        names = checked_names(names, "names")
    if missing not in (None, "drop", "state"):
        raise unknown("value of missing", missing, ["drop", "state"])
    if isinstance(source, Table) and all(
        option is None for option in (header, names, states, discretize, discrete, missing, delimiter)
    ):
        return source
    count, given_states = _states(states)
    columns = _read(source, header=header, names=names, delimiter=delimiter, lenient=lenient)
    if lenient and leave_out_row_names and discrete is not True:
        columns = with_date_parts(columns, keep={*given_states, *_named(discretize), *_named(discrete)})
    options = Options(
        states=_checked_states(given_states, columns.names),
        rules=_rules(discretize, columns.names),
        rule=_rule_for_others(discretize, columns.names),
        discrete=_discrete(discrete, columns.names),
        missing=missing,
        count=count,
        lenient=lenient,
        leave_out=leave_out_row_names,
    )
    _check_conflicts(options, all_discrete=discrete is True)
    return encode(columns, options)


def _read(
    source: Any, *, header: bool | None, names: Sequence[str] | None, delimiter: str | None, lenient: bool
) -> Columns:
    """Return the columns of whatever was given."""
    if delimiter is not None and (len(delimiter.encode("utf-8")) != 1 or delimiter in '"\r\n\0'):
        raise InputError(f"delimiter: expected a single ASCII character, got {delimiter!r}.")
    if isinstance(source, str) and source == "-":
        data = read_stdin()
        check_fits(TIMES_ITS_SIZE * len(data), reading_memory(), "standard input")
        return read_text(
            data, "standard input", delimiter=delimiter, header=header, names=names, lenient=lenient
        )
    if isinstance(source, str | bytes | os.PathLike):
        path = os.fsdecode(source)
        return _read_file(path, header=header, names=names, delimiter=delimiter, lenient=lenient)
    if header is not None or delimiter is not None:
        raise InputError("header= and delimiter= are for text files.")
    if hasattr(source, "__arrow_c_stream__"):
        return read_arrow_stream(source, type(source).__name__, names=names)
    if isinstance(source, np.ndarray):
        return read_array(source, names=names)
    if isinstance(source, Mapping):
        return read_mapping(source, names=names)
    raise InputError(
        f"cannot read a table from an object of type {type(source).__name__}. Give a path, a data frame or"
        " another object with __arrow_c_stream__, a 2-d array, or a mapping from names to sequences."
    )


def _read_file(
    path: str, *, header: bool | None, names: Sequence[str] | None, delimiter: str | None, lenient: bool
) -> Columns:
    suffix, gzipped = format_of(path)
    data = read_bytes(path, gzipped=gzipped)
    check_fits(TIMES_ITS_SIZE * len(data), reading_memory(), path)
    if suffix in (*ARROW_SUFFIXES, ".dat", ".arff"):
        if header is not None or delimiter is not None:
            raise InputError(f"{path}: header= and delimiter= have no meaning for {suffix} files.")
        if suffix == ".dat":
            return read_dat(data, path, names=names)
        if suffix == ".arff":
            return read_arff(data, path, names=names)
        return read_arrow_file(data, suffix, path, names=names)
    if suffix == ".data" and header is None:
        header = False
    elif suffix == ".tsv" and delimiter is None:
        delimiter = "\t"
    elif suffix not in (".csv", ".tsv", ".data") and delimiter is None:
        raise unknown_format(path, suffix)
    return read_text(data, path, delimiter=delimiter, header=header, names=names, lenient=lenient)


def _states(given: object) -> tuple[StatesThatCount | None, dict[str, Any]]:
    """Return which declared states count, if that is said, and the states of columns that are given."""
    if given is None:
        return None, {}
    if isinstance(given, str):
        return _count(given), {}
    if not isinstance(given, Mapping):
        raise InputError(f"states: expected 'declared', 'seen' or a mapping from columns, got {given!r}.")
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
            raise unknown_column(name, names, option="states")
        if isinstance(given, str):
            raise InputError(f"states: expected a list of states for {name!r}, got {given!r}.")
        own = tuple(_state(value) for value in given)
        if not 1 <= len(own) <= STATE_LIMIT:
            raise InputError(f"states: {name!r} has {len(own)} states; expected 1 to {STATE_LIMIT}.")
        if (twice := first_repeated(own)) is not None:
            raise InputError(f"states: {name!r} has the state {twice!r} twice.")
        checked[name] = own
    return checked


def _state(value: object) -> str:
    """Return a declared state as the text it is known by."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _rules(discretize: object, names: Sequence[str]) -> dict[str, Rule]:
    if discretize is None or isinstance(discretize, str):
        return {}
    if not isinstance(discretize, Mapping):
        raise InputError(
            f"discretize: expected a rule, or a mapping from columns to rules, got {discretize!r}."
        )
    known = set(names)
    for name in discretize:
        if name not in known and name != OTHERS:
            raise unknown_column(name, names, option="discretize")
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
    if isinstance(discrete, str):
        discrete = [discrete]
    if not isinstance(discrete, Iterable):
        raise InputError(f"discrete: expected True or a list of columns, got {discrete!r}.")
    chosen = list(cast(Iterable[str], discrete))
    known = set(names)
    for name in chosen:
        if name not in known:
            raise unknown_column(name, names, option="discrete")
    return frozenset(chosen)


def _named(option: object) -> set[str]:
    """Return the columns that an option names."""
    names = [option] if isinstance(option, str) else option if isinstance(option, Iterable) else ()
    return {name for name in names if isinstance(name, str)}


def _check_conflicts(options: Options, *, all_discrete: bool) -> None:
    """Refuse options that ask for two different things."""
    if options.rule is not None and all_discrete:
        raise InputError("discretize= and discrete=True exclude each other.")
    for name in options.rules:
        if name in options.states:
            raise InputError(f"discretize= and states= both name column {name!r}; give one of them.")
        if name in options.discrete:
            raise InputError(f"discretize= and discrete= both name column {name!r}; give one of them.")
