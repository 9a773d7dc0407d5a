"""What scoring a table in blocks will take: tasks, bytes sent, seconds; computed before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bayesloom.cluster.stores import Place, store_of
from bayesloom.constraints.model import Constraints
from bayesloom.errors import unknown
from bayesloom.limits import check_factor
from bayesloom.scoring.estimation import NANOSECONDS_PER_ROW, NANOSECONDS_PER_SCORE, estimate
from bayesloom.scoring.in_blocks import ScoringJob, packed
from bayesloom.scoring.parent_sets import DEFAULT_SECONDS, METHODS
from bayesloom.scoring.registry import AUTO, rules_under, score_of

if TYPE_CHECKING:
    from bayesloom.table import Table

__all__ = ["BlockPlan", "plan_blocks"]

CUT_COST = 0.57
"""``exhaustive`` in m blocks takes up to m^0.57 times as long as one: benchmarks/tables/cluster/scoring."""


@dataclass(frozen=True)
class BlockPlan:
    """What scoring in blocks takes.

    Attributes
    ----------
    blocks, slots, workers
        Tasks in all, how many run at a time, and on how many workers.
    done
        Blocks that the folder has already.
    table_bytes
        What travels to each worker that does not see our files, once.
    seconds
        About how long it takes: of ``exhaustive`` at most, as `bayesloom.estimate` says.
    cpu_seconds
        The same for all workers together.
    """

    variables: int
    blocks: int
    done: int
    slots: int
    workers: int
    table_bytes: int
    seconds: float
    cpu_seconds: float
    at_most: bool

    def to_json(self) -> dict[str, Any]:
        """Return the plan as a plain dictionary."""
        return asdict(self)

    def __str__(self) -> str:
        each = self.variables / self.blocks
        kept = f", {self.done} of them done already" if self.done else ""
        most = "at most" if self.at_most else "about"
        return "\n".join(
            [
                f"tasks    {self.blocks}, {each:.3g} variable{'s' * (each != 1)} each{kept};"
                f" {self.slots} at a time",
                f"travels  {_bytes(self.table_bytes)} to each of {self.workers} workers, once; nothing where "
                "they see the files of this machine",
                f"takes    {most} {_seconds(self.seconds)}, {_seconds(self.cpu_seconds)} of one processor",
            ]
        )


def plan_blocks(
    table: Table,
    *,
    slots: int,
    workers: int,
    score: str = AUTO,
    options: Mapping[str, float] | None = None,
    method: str = "exhaustive",
    max_parents: int | None = None,
    bayes_factor: float = 1.0,
    time_per_variable: float | None = None,
    sets_per_variable: int | None = None,
    constraints: Constraints | None = None,
    folder: Place | None = None,
) -> BlockPlan:
    """Return what ``score(table, executor=...)`` would do.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.random_network(20, states=(2, 2), seed=1).sample(200, seed=1)
    >>> print(plan_blocks(table, slots=4, workers=4))
    tasks    4, 5 variables each; 4 at a time
    travels  4.64 kB to each of 4 workers, once; nothing where they see the files of this machine
    takes    at most 0.028 s, 0.11 s of one processor
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    found, values = score_of(table, score, options)
    rules = rules_under(constraints or Constraints(), table, found)
    rules.check(table.names, max_parents)
    asked: dict[str, Any] = {
        "score": found.name,
        "options": values,
        "method": method,
        "max_parents": max_parents,
        "bayes_factor": check_factor(bayes_factor),
        "constraints": rules.to_json(),
    }
    budgets = {
        "time_per_variable": time_per_variable,
        "sets_per_variable": sets_per_variable,
        "parents_considered": 512,
        "estimate": "conditional",
    }
    job = ScoringJob.of(table, asked | budgets, asked if method == "exhaustive" else asked | budgets)
    count = (None if folder is None else job.begun(folder)) or job.block_count(slots)
    done = 0
    if folder is not None:
        there = set(store_of(folder).names())
        done = sum(block.key in there for block in job.blocks(count))
    n = len(table.names)
    if method == "exhaustive":
        work = estimate(
            table, score=found.name, options=values, max_parents=max_parents, bayes_factor=bayes_factor
        )
        cpu = work.seconds * min(work.largest_set + 1.0, count**CUT_COST)
    elif sets_per_variable is not None and time_per_variable is None:
        rows = table.encoded.unique_row_count * NANOSECONDS_PER_ROW
        cpu = 1e-9 * (n * sets_per_variable + n * n) * (NANOSECONDS_PER_SCORE + rows)
    else:
        cpu = n * (DEFAULT_SECONDS if time_per_variable is None else time_per_variable)
    cpu *= (count - done) / count
    at_a_time = max(1, min(slots, count - done))
    return BlockPlan(
        variables=n,
        blocks=count,
        done=done,
        slots=slots,
        workers=workers,
        table_bytes=len(packed(table)),
        seconds=cpu / at_a_time,
        cpu_seconds=cpu,
        at_most=method == "exhaustive",
    )


def _bytes(count: int) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count = count / 1000  # type: ignore[assignment]
    return f"{count:,.3g} GB"


def _seconds(value: float) -> str:
    return f"{value:.1e} s" if value >= 1e6 else f"{value:,.0f} s" if value >= 10 else f"{value:.2g} s"
