"""From what a file declares to a `FittedNetwork`; shared by BIF, XMLBIF and NET.

Files list parents in any order and repeat names freely, so everything is checked here once, and every
complaint carries the line of the declaration it is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayesloom.errors import InputError
from bayesloom.limits import check_fits, reading_memory
from bayesloom.networks.formats._format import Place, Source
from bayesloom.networks.network import MAX_VARIABLES, Network
from bayesloom.text_input import number

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork, Floats

MOST_NUMBERS = 2**31  # of one table
TABLE_BYTES = 26  # for each number of a table, with the copies made while it is checked and turned: measured


@dataclass(frozen=True)
class Declared:
    """A variable as the file declares it."""

    name: str
    states: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class Defined:
    """The probabilities of a variable; `values` run over parents as listed, the variable fastest."""

    child: str
    parents: tuple[str, ...]
    values: Floats
    place: Place


def check_number(source: Source, count: int) -> None:
    """Refuse more variables than a network can have as soon as they are declared."""
    if count > MAX_VARIABLES:
        raise InputError(f"{source.name}: a network has at most {MAX_VARIABLES:,} variables; here are more.")


def by_name(source: Source, variables: Iterable[Declared]) -> dict[str, Declared]:
    """Return the variables by name, each declared once and with distinct states."""
    known: dict[str, Declared] = {}
    for variable in variables:
        if variable.name in known:
            raise source.error_on(variable.place, f"variable {variable.name!r} is declared a second time.")
        if not variable.states:
            raise source.error_on(variable.place, f"variable {variable.name!r} has no states.")
        if len(set(variable.states)) < len(variable.states):
            raise source.error_on(variable.place, f"the states of {variable.name!r} are not distinct.")
        known[variable.name] = variable
    return known


def family(
    source: Source, known: dict[str, Declared], child: str, parents: Iterable[str], place: Place
) -> tuple[int, ...]:
    """Return the numbers of states of the parents as listed and of the child, all names checked."""
    names = (*parents, child)
    for name in names:
        if name not in known:
            raise source.error_on(place, f"variable {name!r} is not declared.")
    if len(set(names)) < len(names):
        raise source.error_on(place, f"the probabilities of {child!r} name a variable twice.")
    return tuple(len(known[name].states) for name in names)


def check_tables(source: Source, tables: Iterable[tuple[str, tuple[int, ...], Place]]) -> None:
    """Refuse tables that do not fit the memory before any is made; each as child, shape and place.

    Those meant here have fewer numbers in the file than in the end: a short file can declare large ones.
    """
    size = 0
    for child, shape, place in tables:
        if math.prod(shape) > MOST_NUMBERS:
            raise source.error_on(place, f"the table of {child!r} would have {math.prod(shape)} numbers.")
        size += TABLE_BYTES * math.prod(shape)
    check_fits(size, reading_memory(), source.name)


def assemble(source: Source, known: dict[str, Declared], defined: Iterable[Defined]) -> FittedNetwork:
    """Return the network; every variable must be defined once."""
    from bayesloom.networks.fitted import FittedNetwork, row_problem

    index = {name: i for i, name in enumerate(known)}
    parents: dict[str, tuple[str, ...]] = {}
    tables: dict[str, Floats] = {}
    for definition in defined:
        child, place = definition.child, definition.place
        shape = family(source, known, child, definition.parents, place)
        if child in tables:
            raise source.error_on(place, f"the probabilities of {child!r} are given a second time.")
        if definition.values.size != math.prod(shape):
            raise source.error_on(
                place,
                f"expected {math.prod(shape)} probabilities of {child!r}, found {definition.values.size}.",
            )
        table = definition.values.reshape(shape)
        if (problem := row_problem(table)) is not None:
            row, what = problem
            given = ", ".join(
                f"{p}={known[p].states[k]!r}" for p, k in zip(definition.parents, row, strict=True)
            )
            raise source.error_on(
                place, f"the probabilities of {child!r}{' given ' if given else ''}{given} {what}."
            )
        positions = [index[parent] for parent in definition.parents]
        order = sorted(range(len(positions)), key=positions.__getitem__)
        parents[child] = tuple(definition.parents[k] for k in order)
        tables[child] = table.transpose((*order, len(order)))
    for name, variable in known.items():
        if name not in tables:
            raise source.error_on(variable.place, f"variable {name!r} has no probabilities.")
    try:
        network = Network(tuple(known), parents)
        return FittedNetwork(network, {v.name: v.states for v in known.values()}, tables)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None


def numbers(source: Source, tokens: list[str], place: Place) -> Floats:
    """Return the tokens as numbers; one that is not is named."""
    try:
        together = "".join(tokens)
        if not together.isascii() or "_" in together:  # Python reads 1_000 as a number, the formats do not
            raise ValueError
        import numpy as np

        return np.array(list(map(float, tokens)), dtype=np.float64)
    except ValueError:
        bad = next(token for token in tokens if not _is_number(token))
        raise source.error_on(place, f"expected a number, found {bad[:30]!r}.") from None


def _is_number(token: str) -> bool:
    try:
        number(token)
    except ValueError:
        return False
    return True
