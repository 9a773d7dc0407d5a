"""HiGHS as the linear program of branch and cut (``relaxation/cut_tree.hpp`` in the core).

The core asks for columns, rows and solutions; what it makes of them is exact whatever is answered here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Places = npt.NDArray[np.int32]

__all__ = ["HighsProgram", "NotLoaded", "with_highs"]

T = TypeVar("T")
OPTIMAL, INFEASIBLE, CUT_OFF, UNFINISHED, FAILED = range(5)


class NotLoaded(Exception):
    """HiGHS is not installed, or is and does not load."""


def with_highs(run: Callable[[HighsProgram | None], T]) -> tuple[T, tuple[str, ...]]:
    """Run something with the linear program of HiGHS, or without where there is none, and a note says so.

    HiGHS is loaded when it is first used: where that fails, `run` begins again without.
    """
    why = "is not installed"
    if find_spec("highspy"):
        try:
            return run(HighsProgram()), ()
        except NotLoaded as error:
            why = f"does not load ({error})"
    note = f"HiGHS (the package highspy) {why}, so there is no branch and cut: a proof may take much longer."
    return run(None), (note,)


class HighsProgram:
    """A linear program that rows and columns are added to and taken from; it keeps its basis."""

    def begin(self, variables: int) -> None:
        """Begin anew, with a row for each variable.  HiGHS and NumPy are loaded here at the latest."""
        import numpy as np

        try:
            import highspy
        except ImportError as error:
            raise NotLoaded(str(error)) from error
        self.highspy: Any = highspy
        self.numpy: Any = np
        status = self.highspy.HighsModelStatus
        self.ends = {
            status.kOptimal: OPTIMAL,
            status.kInfeasible: INFEASIBLE,
            status.kObjectiveBound: CUT_OFF,
            status.kIterationLimit: UNFINISHED,
        }
        self.highs = self.highspy.Highs()
        options = {
            "output_flag": False,
            "threads": 1,
            "solver": "simplex",
            "presolve": "off",
            "dual_feasibility_tolerance": 1e-9,
        }
        for name, value in options.items():
            self.highs.setOptionValue(name, value)
        ones, none = np.ones(variables), np.empty(0, dtype=np.int32)
        self.highs.addRows(variables, ones, ones, 0, np.zeros(variables, dtype=np.int32), none, np.empty(0))

    def add_columns(self, costs: Floats, first: Places, places: Places, values: Floats) -> None:
        count = len(costs)
        self.highs.addCols(
            count,
            costs,
            self.numpy.zeros(count),
            self.numpy.ones(count),
            len(places),
            first[:-1],
            places,
            values,
        )

    def add_rows(self, least: Floats, first: Places, places: Places, values: Floats) -> None:
        high = self.numpy.full(len(least), self.highspy.kHighsInf)
        self.highs.addRows(len(least), least, high, len(places), first[:-1], places, values)

    def remove_columns(self, columns: Places) -> None:
        self.highs.deleteCols(len(columns), columns)

    def remove_rows(self, rows: Places) -> None:
        self.highs.deleteRows(len(rows), rows)

    def change_costs(self, costs: Floats) -> None:
        count = len(costs)
        self.highs.changeColsCost(count, self.numpy.arange(count, dtype=self.numpy.int32), costs)

    def allow(self, columns: Places, most: Floats) -> None:
        self.highs.changeColsBounds(len(columns), columns, self.numpy.zeros(len(columns)), most)

    def solve(self, steps: int, cutoff: float) -> tuple[int, int]:
        """How it ended, and after how many steps of the simplex method."""
        self.highs.setOptionValue("simplex_iteration_limit", steps)
        self.highs.setOptionValue("objective_bound", min(cutoff, self.highspy.kHighsInf))
        end = self._run()
        if end == FAILED:
            # Rounding has spoilt the basis, now and then: once more, from none.
            self.highs.clearSolver()
            end = self._run()
        return end, max(0, int(self.highs.getInfo().simplex_iteration_count))

    def _run(self) -> int:
        self.highs.run()
        return self.ends.get(self.highs.getModelStatus(), FAILED)

    def solution(self) -> tuple[Floats, Floats]:
        """Shares and duals."""
        found = self.highs.getSolution()
        return self.numpy.array(found.col_value), self.numpy.array(found.row_dual)

    def ray(self) -> Floats | None:
        _, there, values = self.highs.getDualRay()
        return self.numpy.array(values, dtype=float) if there else None

    def keep_basis(self) -> None:
        self.basis = self.highs.getBasis()

    def return_to_basis(self) -> None:
        self.highs.setBasis(self.basis)
