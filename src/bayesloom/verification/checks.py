"""The list of checks with their outcomes, and how near two scores must be to count as equal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from bayesloom.errors import InputError

__all__ = [
    "EXACT",
    "UNIT",
    "Check",
    "Checklist",
    "Outcome",
    "Verification",
    "checked_tolerance",
    "in_units",
    "score_error",
]

UNIT = 2.0**-30  # of the whole numbers that a score cache stores, in nats
EXACT = 2.0**23  # nats: below, a score is a whole number of units to the last bit
MOST_TOLERANCE = 1.0  # nats: beyond a factor of e hardly anything would still be checked
LONGEST = 500  # letters of a sentence: what a file says may have megabytes
MOST_PROBLEMS = 100  # that are listed of one kind

# What only the run itself can tell, and what it says: checks of exactly these are listed in one line.
TAKEN_ON_TRUST = {
    "bayesloom": "which version wrote it",
    "solver": "which solver found the network",
    "seed": "what was given",
    "seconds": "how long it took",
    "work": "how much effort it took",
    "interrupted": "whether Ctrl-C ended it",
    "chance": "what chance alone would give, beyond the number of pairs",
    "null": "what the shuffled table gave, beyond the number of edges",
    "notes": "words for people",
    "note": "words for people",
    "cut_by_memory": "how the scoring went",
    "trace": "how the search went",
    "line": "what was given",
    "count_error": "an estimate",
    "count_effective": "an estimate",
    "expected": "an estimate",
    "edges_error": "an estimate",
    "edges_missing": "words for people",
    "coverage": "it takes all networks, also those far from the best",
    "coverage_missing": "words for people",
}

Outcome = Literal["ok", "wrong", "not checked"]


class Check(NamedTuple):
    """One thing that was looked at, or could not be: what, the outcome, and the values or the reason."""

    what: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What :func:`verify` or :func:`verify_run` found.

    Attributes
    ----------
    score
        The score of the network, recomputed; ``None`` if it cannot be, because a parent set is not
        in the cache.
    local_scores
        The local score of each variable; ``None`` for a parent set that is not in the cache.
    best_score
        The best score of all networks over the cache or the table, if it was asked for.
    problems
        What is wrong, one sentence each.
    checks
        Everything that was looked at, with its outcome: ``"ok"``, ``"wrong"``, or ``"not checked"`` for
        what neither table nor cache can tell.
    """

    score: float | None
    local_scores: dict[str, float | None]
    best_score: float | None = None
    problems: tuple[str, ...] = field(default=())
    checks: tuple[Check, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        """Return a line for each thing that was looked at, and the outcome of all, in the last."""
        outcomes = [check.outcome for check in self.checks]
        told = taken_on_trust(self.checks)
        lines = [
            f"{check.outcome}: {check.what}" + f" ({check.detail})" * bool(check.detail)
            for check in self.checks
            if check.what not in told
        ]
        if told:
            lines.append(f"not checked: what only the run itself can tell ({', '.join(told)})")
        lines += [f"wrong: {problem}" for problem in self.problems if "wrong" not in outcomes]
        return "\n".join([*lines, "verified" if self.ok else "NOT verified"])


def taken_on_trust(checks: Sequence[Check]) -> list[str]:
    """Return what only the run itself can tell."""
    return [check.what for check in checks if TAKEN_ON_TRUST.get(check.what) == check.detail]


class Checklist:
    """Checks as they are made."""

    def __init__(self) -> None:
        self.checks: list[Check] = []

    def ok(self, what: str, detail: str = "") -> None:
        """Note that something is as it should be."""
        self.checks.append(Check(what, "ok", detail))

    def wrong(self, what: str, problem: str) -> None:
        """Note a problem: one sentence that can stand alone."""
        self.checks.append(Check(what, "wrong", _short(problem)))

    def skip(self, what: str, why: str) -> None:
        """Note what could not be checked, and why."""
        self.checks.append(Check(what, "not checked", _short(why)))

    def all_of(self, what: str, problems: list[str], detail: str = "") -> bool:
        """Note each problem, or that there is none; return whether there is none."""
        for problem in problems[:MOST_PROBLEMS]:
            self.wrong(what, problem)
        if len(problems) > MOST_PROBLEMS:
            self.wrong(what, f"and {len(problems) - MOST_PROBLEMS:,} more of this kind.")
        if not problems:
            self.ok(what, detail)
        return not problems

    def same(self, what: str, given: object, expected: object, why: str, detail: str = "") -> bool:
        """Note whether a value is what it must be, and why it must be."""
        problem = [] if given == expected else [f"{what} is {given!r}, but {why} {expected!r}."]
        return self.all_of(what, problem, detail)

    @property
    def problems(self) -> tuple[str, ...]:
        """The sentences of all that is wrong."""
        return tuple(check.detail for check in self.checks if check.outcome == "wrong")

    def result(
        self,
        local_scores: Mapping[str, float | None] | None = None,
        best_score: float | None = None,
    ) -> Verification:
        """Return what was found; the score is the sum of the local scores if all are known."""
        local = dict(local_scores or {})
        values = [value for value in local.values() if value is not None]
        known = bool(local) and len(values) == len(local)
        return Verification(
            score=math.fsum(values) if known else None,
            local_scores=local,
            best_score=best_score,
            problems=self.problems,
            checks=tuple(self.checks),
        )


def _short(sentence: str) -> str:
    """Return a sentence, or where it begins and ends."""
    half = LONGEST // 2
    return sentence if len(sentence) <= LONGEST else f"{sentence[:half]} ... {sentence[-half:]}"


def in_units(score: float) -> bool:
    """Whether a score can be a whole number of units, as all scores that Bayesloom writes are.

    >>> in_units(-1.5), in_units(-0.1)
    (True, False)
    """
    return abs(score) >= EXACT or (score / UNIT).is_integer()


def checked_tolerance(tolerance: float | None) -> float | None:
    """Return the tolerance in nats, refusing one that would let nearly everything pass.

    >>> checked_tolerance(1000)
    Traceback (most recent call last):
    ...
    bayesloom.errors.InputError: tolerance must be a number of nats between 0 and 1, got 1000.
    """
    if tolerance is None:
        return None
    fits = isinstance(tolerance, (int, float)) and not isinstance(tolerance, bool)
    if not (fits and 0 <= tolerance <= MOST_TOLERANCE):
        raise InputError(
            f"tolerance must be a number of nats between 0 and {MOST_TOLERANCE:g}, got {tolerance!r}."
        )
    return float(tolerance)


OF_NUMBERS = frozenset({"bic-g", "bge", "bic-cg", "dg", "pnal"})
"""Scores that read numbers, not only states."""


def score_error(
    rows: int, score: str, table: Any = None, parents: Mapping[str, Sequence[str]] | None = None
) -> float:
    """Return how far a local score as Bayesloom stores it can be from the exact one, in nats.

    Terms of a cell are rounded to a fine unit, at most one for each row: 2^-40 nat, and coarser where
    sums of N (ln N + c) nats would not fit 62 bits (c is 710 for scores of gamma functions, else 0).
    Twice, since a score is a difference. Up to four times half a unit of 2^-30 for what is rounded last, as
    much again in hand, and the last bits of N ln N in floating point.

    The logarithm of a residual variance is off by the rounding of numbers of the size of the variance itself:
    2^-48 over the least part of its variance that all others leave a column, times the rows. Where each
    cell of discrete parents has a variance of its own, it is the least part in any cell, for the families
    given.

    >>> score_error(5000, "bic") < 2e-8
    True
    """
    if score in OF_NUMBERS:
        least = min(_least_left(table), _least_left_in_cells(table, parents or {}))
        return 4 * UNIT + rows * 2.0**-48 / least
    largest = rows * (math.log(rows) + (710 if score in ("bdeu", "bds", "k2") else 0) + 1)
    fine = 2.0 ** -min(40, 62 - math.ceil(math.log2(largest)))
    return 4 * UNIT + rows * fine + 1e-14 * rows * (math.log(rows) + 1)


def _least_left(table: Any) -> float:
    """The least part of its variance that all other numbers leave a column, 1e-8 at least."""
    import numpy as np

    columns = [np.asarray(column) for column in getattr(table, "codes", ())]
    numbers = [column for column in columns if column.dtype.kind == "f" and np.ptp(column) > 0]
    if any(np.isnan(column).any() for column in columns if column.dtype.kind == "f"):
        return 1e-8  # every family has rows of its own
    if not numbers or len(numbers) >= len(numbers[0]):
        return 1e-8 if numbers else 1.0
    shares = np.corrcoef(numbers).reshape(len(numbers), -1)
    if np.linalg.eigvalsh(shares)[0] < 1e-8:  # its inverse would say nothing
        return 1e-8
    inverse = np.linalg.pinv(shares, hermitian=True)
    return float(np.clip(1 / np.maximum(np.diag(inverse), 1.0), 1e-8, 1.0).min())


def _least_left_in_cells(table: Any, parents: Mapping[str, Sequence[str]]) -> float:
    """The least part of its variance that a column keeps in a cell, given its family; 1e-8 at least."""
    import numpy as np

    codes = getattr(table, "codes", None)
    if not parents or codes is None:
        return 1.0
    columns = {name: np.asarray(codes[i]) for i, name in enumerate(table.names)}
    numbers = {
        name: (column - np.nanmean(column)) / (np.nanstd(column) or 1.0)
        for name, column in columns.items()
        if column.dtype.kind == "f"
    }
    least = 1.0
    for child, of in parents.items():
        inside = [numbers[name] for name in (child, *of) if name in numbers]
        states = [columns[name] for name in of if name not in numbers]
        if child not in numbers or not states:
            continue
        _, cells = np.unique(np.stack(states), axis=1, return_inverse=True)
        for cell in range(cells.max() + 1):
            chosen = np.stack(inside)[:, cells.ravel() == cell]
            spread = np.cov(chosen, bias=True).reshape(len(inside), -1)
            if chosen.shape[1] <= len(inside) or not np.linalg.eigvalsh(spread)[0] > 1e-8:
                return 1e-8
            least = min(least, float(1 / np.diag(np.linalg.inv(spread)).max()))
    return least
