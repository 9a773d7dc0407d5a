"""The options of reading a table, checked."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .discretize import Rule

StatesThatCount = Literal["declared", "seen"]

CONTINUOUS_ABOVE = 20
"""A column of numbers with more distinct values than this is continuous."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of reading a table, checked."""

    states: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)
    """Rules for columns by name."""
    rule: Rule | None = None
    """Rule for every continuous column that is not in `rules`."""
    rule_guessed: bool = False
    """Whether that rule is ours, not the caller's."""
    discrete: frozenset[str] = frozenset()
    """Columns of numbers whose values are states."""
    continuous: frozenset[str] = frozenset()
    """Columns of numbers to keep as numbers, without states."""
    keep: Literal["many", "normal", "all"] | None = None
    """Which columns not named in any option are kept as numbers: those of many numbers, those of them that
    are near a normal distribution, or those of any numbers."""
    why: Mapping[str, str] = field(default_factory=dict)
    """Why a column is kept, or cut, of those that were looked at for whether they are near normal."""
    missing: Literal["drop", "state", "keep"] | None = None
    drop_few: bool = False
    """Whether the rows of columns that hardly ever lack a value are dropped, rather than have a state."""
    count: StatesThatCount | None = None
    """Which states of a column that declares them count, if the caller says; those in `states` always do."""
    lenient: bool = False
    """Whether to decide where strict reading refuses, or takes columns as they stand."""
    leave_out: bool = False
    """Whether columns that say nothing, such as names of the rows, are left out."""

    only: frozenset[str] = frozenset()
    """Columns to keep, by ``only=``: none of them is left out."""

    @functools.cached_property
    def with_states(self) -> frozenset[str]:
        """Columns that an option names whose values are states."""
        return self.discrete | set(self.rules) | set(self.states)

    @functools.cached_property
    def named(self) -> frozenset[str]:
        """Columns named in an option: nothing is decided about them automatically."""
        return self.with_states | self.continuous
