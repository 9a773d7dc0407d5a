"""The cluster relaxation as a linear program, for the root of the solver ``bblp``.

    minimise    sum of loss(i, P) x(i, P)       x the share of each candidate, at least 0
    so that     sum over P of x(i, P) = 1       for every variable i
                sum over members i of C and candidates P of i that are not blocked, of x(i, P) >= need

    loss(i, P)  what candidate P of i scores below the best candidate of i
    C, need     an inequality: of clusters, with need 2 (k-cluster), of four [jaakkola2010, cussens2011]

The dual value of an inequality's row is its price.  The first program has rows for the inequalities priced by
the ascent, and columns for the candidates of lowest reduced cost.  HiGHS solves it; then candidates of
negative reduced cost are added (column generation), then inequalities that its solution violates
(separation), each time starting from the last basis.  The duals, rounded down to whole numbers, go back to
the core, which computes the bound from them: no bound comes from floating point.

Violated inequalities are found greedily, so the value reached is at least that of the relaxation with all
of them.  Off by default (option ``lp``): it stays until the work on bounds has decided whether a linear
program earns its place.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesloom import _core
from bayesloom.errors import InternalError
from bayesloom.scoring.cache import UNITS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bayesloom.scoring.cache import ScoreCache

__all__ = ["Inequality", "LpRoot", "check_installed", "lp_root"]

Inequality = tuple[list[int], int, int, list[int]]
"""Members, need, price in fixed point, and the blocks of an inequality of four or none."""

SLICE = 1.0  # seconds of HiGHS between looks at Ctrl-C and the clock
FIRST_COLUMNS = 30  # candidates for each variable in the first program
MOST_COLUMNS = 50  # that come in for each variable at a time
LEAST_GAIN = 1e-6  # in nats: a candidate that prices better by less may stay out
LEAST_VIOLATION = 0.01  # of an inequality that becomes a row
PATIENCE, LEAST_FALL = 10, 0.005  # stop if so many rounds lower the gap by less than this part of it


@dataclass
class LpRoot:
    """What the linear program gave."""

    prices: list[Inequality]
    """Of the lowest bound met; those of the ascent if the program did not lower it."""
    bound: int
    """With these prices, by the core."""
    complete: bool = False
    """Whether it ended because no violated inequality was found."""
    interrupted: bool = False
    rounds: int = 0
    rows: int = 0
    columns: int = 0
    work: int = 0
    """Steps of the simplex method."""
    trace: list[tuple[float, int, int]] = field(default_factory=list)
    """Seconds, work and bound, whenever it fell."""


def check_installed() -> Any:
    """Return the module `highspy`, or say how to get it."""
    try:
        import highspy
    except ImportError:
        raise ImportError(
            "option lp needs HiGHS, which is not installed. Install it with: pip install 'bayesloom[lp]'."
        ) from None
    return highspy


def lp_root(
    cache: ScoreCache,
    inequalities: Sequence[Inequality],
    network: Sequence[int],
    score: int,
    *,
    seconds: float | None = None,
    work: int | None = None,
    tell: Callable[[float, int, int], None] | None = None,
) -> LpRoot:
    """Lower the bound that the prices of `inequalities` give by a linear program.

    Parameters
    ----------
    cache
        The candidates.
    inequalities
        With prices, as `bblp` has them at its root.
    network, score
        The best network known, as candidates of the cache, and its score: candidates that no better network
        uses are left out.
    seconds, work
        Stop after this time, or so many steps of the simplex method.
    tell
        Called with seconds, work and bound after each round.
    """
    begin = time.perf_counter()
    bound, candidates, reduced_cost = _core.dual_bound(cache.core, score, [inequalities])
    out = LpRoot(list(inequalities), bound)
    if bound <= score:
        return out
    program = _Program(cache, candidates, reduced_cost, network)
    bounds = [bound]
    try:
        program.add_rows(inequalities)
        while True:
            left = None if seconds is None else seconds - (time.perf_counter() - begin)
            solved = program.solve(left, None if work is None else work - program.steps)
            if solved and program.add_columns():
                continue
            prices = program.prices()
            found, *_ = _core.dual_bound(cache.core, score, [inequalities, prices])
            out.rounds += 1
            if found < out.bound:
                out.bound, out.prices = found, prices
                out.trace.append((time.perf_counter() - begin, program.steps, found))
            if tell is not None:
                tell(time.perf_counter() - begin, program.steps, out.bound)
            bounds.append(out.bound)
            late = bounds[-1 - PATIENCE] if len(bounds) > PATIENCE else None
            out_of_patience = late is not None and late - out.bound < LEAST_FALL * (late - score)
            if not solved or out.bound <= score or out_of_patience:
                break
            left = None if seconds is None else seconds - (time.perf_counter() - begin)
            violated, out.interrupted = program.violated(left)
            if out.interrupted:
                break
            if not violated:
                out.complete = left is None or left > 0
                break
            program.add_rows(violated)
    except KeyboardInterrupt:
        out.interrupted = True
    out.rows, out.columns, out.work = len(program.inequalities), program.columns, program.steps
    return out


class _Program:
    """A linear program that rows and columns are added to; it keeps its basis."""

    def __init__(
        self, cache: ScoreCache, candidates: np.ndarray, reduced_cost: np.ndarray, network: Sequence[int]
    ) -> None:
        self.highspy = check_installed()
        chosen = candidates.astype(np.int64)
        first, scores = cache.first.astype(np.int64), cache.scores.astype(np.int64)
        self.n = cache.variable_count
        self.variable = np.searchsorted(first, chosen, side="right") - 1
        self.loss = (scores[first[:-1]][self.variable] - scores[chosen]) / UNITS
        self.separation = _core.Separation(cache.core, candidates)
        self.inequalities: list[Inequality] = []
        # Rows over all candidates, one after the other: where each begins, its columns and its values.
        self.first, self.cells = [0], np.empty(0, dtype=np.int32)
        self.values = np.empty(0, dtype=np.int8)
        self.position = np.full(len(chosen), -1, dtype=np.int32)  # by candidate: its column in HiGHS
        self.order = np.empty(0, dtype=np.int64)  # by column in HiGHS: its candidate here
        self.steps = 0
        self.highs = self.highspy.Highs()
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("solver", "simplex"),
            ("presolve", "off"),
        ):
            self.highs.setOptionValue(name, value)
        empty = np.empty(0, dtype=np.int32)
        ones = np.ones(self.n)
        self.highs.addRows(self.n, ones, ones, 0, np.zeros(self.n, dtype=np.int32), empty, np.empty(0))
        count = min(len(chosen), FIRST_COLUMNS * self.n)
        near = reduced_cost <= np.partition(reduced_cost, count - 1)[count - 1]
        # With the network there is always a solution.
        self._activate(np.nonzero(near | np.isin(chosen, np.asarray(network)))[0])

    @property
    def columns(self) -> int:
        """How many candidates are in the program."""
        return len(self.order)

    def add_rows(self, inequalities: Sequence[Inequality]) -> None:
        first, cells, values, least = self.separation.add(inequalities)
        begin = len(self.cells)
        self.inequalities += inequalities
        self.first += [begin + int(k) for k in first[1:]]
        self.cells = np.concatenate([self.cells, cells])
        self.values = np.concatenate([self.values, values.astype(np.int8)])
        columns = self.position[cells]
        inside = columns >= 0
        row = np.repeat(np.arange(len(inequalities)), np.diff(first))[inside]
        starts = np.searchsorted(row, np.arange(len(inequalities))).astype(np.int32)
        high = np.full(len(inequalities), self.highspy.kHighsInf)
        self.highs.addRows(
            len(inequalities), least, high, int(inside.sum()), starts, columns[inside], values[inside]
        )
        self.highs.setOptionValue("simplex_strategy", 1)  # dual: prices still fit, shares do not

    def solve(self, seconds: float | None, steps: int | None) -> bool:
        """Whether it got to the end; shares and prices are there in any case."""
        status = self.highspy.HighsModelStatus
        begin = time.perf_counter()
        before = self.steps
        while True:
            left = SLICE if seconds is None else min(SLICE, seconds - (time.perf_counter() - begin))
            if left <= 0 or (steps is not None and self.steps - before >= steps):
                return False
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + left)
            if steps is not None:
                self.highs.setOptionValue("simplex_iteration_limit", steps - (self.steps - before))
            self.highs.run()
            self.steps += max(0, int(self.highs.getInfo().simplex_iteration_count))
            found = self.highs.getModelStatus()
            if found == status.kOptimal:
                return True
            if found not in (status.kTimeLimit, status.kIterationLimit):
                raise InternalError(f"HiGHS ended with {self.highs.modelStatusToString(found)!r}.")

    def prices(self) -> list[Inequality]:
        """The inequalities that have a price, with it."""
        duals = np.maximum(np.array(self.highs.getSolution().row_dual)[self.n :], 0.0)
        whole = np.floor(duals * UNITS).astype(np.int64)
        return [
            (inequality[0], inequality[1], int(price), inequality[3])
            for inequality, price in zip(self.inequalities, whole, strict=True)
            if price > 0
        ]

    def add_columns(self) -> bool:
        """Take in candidates that price better than those in the program; False if there are none."""
        duals = np.array(self.highs.getSolution().row_dual)
        paid = np.bincount(
            self.cells,
            weights=np.repeat(duals[self.n :], np.diff(self.first)) * self.values,
            minlength=len(self.loss),
        )
        gain = paid + duals[: self.n][self.variable] - self.loss
        gain[self.position >= 0] = 0
        better = np.nonzero(gain > LEAST_GAIN)[0]
        if len(better) == 0:
            return False
        ranked = better[np.lexsort((-gain[better], self.variable[better]))]
        owners = self.variable[ranked]
        rank = np.arange(len(ranked)) - np.searchsorted(owners, owners)
        self._activate(np.sort(ranked[rank < MOST_COLUMNS]))
        self.highs.setOptionValue("simplex_strategy", 4)  # primal: shares still fit, prices do not
        return True

    def violated(self, seconds: float | None) -> tuple[list[Inequality], bool]:
        """Inequalities that the shares violate, and whether Ctrl-C came meanwhile."""
        shares = np.zeros(len(self.loss))
        shares[self.order] = self.highs.getSolution().col_value
        inequalities, interrupted = self.separation.violated(
            shares, LEAST_VIOLATION, None if seconds is None else max(seconds, 0.0)
        )
        return inequalities, interrupted

    def _activate(self, chosen: np.ndarray) -> None:
        """Make columns of candidates."""
        count = len(chosen)
        self.position[chosen] = len(self.order) + np.arange(count, dtype=np.int32)
        self.order = np.concatenate([self.order, chosen])
        number = np.full(len(self.loss), -1, dtype=np.int64)
        number[chosen] = np.arange(count)
        own = number[self.cells]
        inside = own >= 0
        row = self.n + np.repeat(np.arange(len(self.inequalities)), np.diff(self.first))[inside]
        column = np.concatenate([np.arange(count), own[inside]])
        rows = np.concatenate([self.variable[chosen], row]).astype(np.int32)
        values = np.concatenate([np.ones(count), self.values[inside].astype(float)])
        order = np.argsort(column, kind="stable")
        starts = np.searchsorted(column[order], np.arange(count)).astype(np.int32)
        self.highs.addCols(
            count,
            self.loss[chosen],
            np.zeros(count),
            np.full(count, self.highspy.kHighsInf),
            len(order),
            starts,
            rows[order],
            values[order],
        )
