"""The verbs that do long work: the options they share, as one object, and how they read, show and write."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bayesloom.cli.given import HOW_IT_IS_SCORED, refuse_given, was_given
from bayesloom.cli.options import (
    constraint_option,
    constraint_option_for,
    executor_options,
    given_score_options,
    left_after_reading,
    output_options,
    patience,
    run_options,
    score_options,
    shown_progress,
    write_json,
)
from bayesloom.cli.reading import HOW_A_TABLE_IS_READ, read_given_table, table_options

if TYPE_CHECKING:
    from bayesloom.cli.outputs import Outputs
    from bayesloom.progress import ProgressFunction
    from bayesloom.scoring.cache import ScoreCache
    from bayesloom.table import Table

__all__ = ["Work", "work_options"]

F = TypeVar("F", bound=Callable[..., Any])
OTHER_NETWORK = "With another seed or solver another network of the same score may be shown."
UNLIMITED = "Stop after S seconds, with the best so far [no limit]."


@dataclass
class Work:
    """What the shared options of a verb say.

    Attributes
    ----------
    constraints
        The file of ``--constraints``.
    threads, memory, seed, progress, json_to, quiet, executor, blocks
        As the options of these names.
    time_limit
        Seconds that are left: reading takes its part.
    read_seconds
        What reading took.
    """

    constraints: str | None
    threads: int | None
    time_limit: float | None
    memory: float | None
    progress: str
    json_to: str | None
    quiet: bool
    seed: int = 0
    executor: str | None = None
    blocks: str | None = None
    score_name: str = "auto"
    ess: float | None = None
    score_option: tuple[str, ...] = ()
    how_to_read: dict[str, Any] = field(default_factory=dict)
    read_seconds: float = 0.0

    # What the functions of the package take

    @property
    def scoring(self) -> dict[str, Any]:
        """The score and its options."""
        return {"score": self.score_name, "options": given_score_options(self.ess, self.score_option)}

    @property
    def limits(self) -> dict[str, Any]:
        """Threads and memory."""
        return {"threads": self.threads, "memory": self.memory}

    @property
    def elsewhere(self) -> dict[str, Any]:
        """Where the work is done, and kept."""
        return {"executor": self.executor, "blocks": self.blocks}

    # Reading

    def read_table(
        self, path: str, *, shown: bool = True, output: str | None = None, to_fill_in: bool = False
    ) -> Table:
        """Read the table, and show what was read; as states alone where the network's file holds no more.

        A table whose gaps are to be filled in keeps them, whatever the score.
        """
        with self._reading():

            def read() -> Table:
                how = self.how_to_read
                found: Table = read_given_table(path, self.score_name, to_fill_in=to_fill_in, **how)
                return found

            table = read()
            if table.continuous and self.score_name == "auto" and not was_given("continuous"):
                from bayesloom.cli.outputs import holds_states_alone

                if holds_states_alone(output):
                    self.score_name = "bic"
                    table = read()
                    if not self.quiet:
                        click.echo(
                            f"note: numbers are cut into ranges (--score bic), since {output} holds states"
                            " alone; a .json file holds both",
                            err=True,
                        )
        if shown and not self.quiet:
            from bayesloom.cli.summary import show_table

            show_table(table)
        return table

    def read_cache(self, path: str) -> ScoreCache:
        """Read the score cache."""
        from bayesloom.scoring.cache import read_cache

        with self._reading():
            return read_cache(path)

    def refuse_scoring(self, path: str, *more: str) -> None:
        """Refuse options of tables and scores, and more, because what was given is a score cache."""
        refuse_given(
            [*HOW_A_TABLE_IS_READ, *HOW_IT_IS_SCORED, "max_parents", *more],
            f"{path} is a score cache, which has its scores",
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        begin = time.perf_counter()
        with patience("reading", self.progress, quiet=self.quiet):
            yield
        self.read_seconds = time.perf_counter() - begin
        if self.time_limit is not None:
            self.time_limit = left_after_reading(self.time_limit, self.read_seconds)

    # Showing and writing

    @contextmanager
    def listening(self) -> Iterator[ProgressFunction | None]:
        """Show progress, and let Ctrl-C end the work with what there is."""
        from bayesloom.interrupts import answer_to_save

        with answer_to_save(), shown_progress(self.progress, quiet=self.quiet) as listen:
            yield listen

    @property
    def prints(self) -> bool:
        """Whether a summary is printed."""
        return not self.quiet and self.json_to != "-"

    def write_json(self, outputs: Outputs, run: dict[str, Any]) -> None:
        """Write what ``--json`` asks for, if it does."""
        to = self.json_to
        if to is not None:
            outputs.write("standard output" if to == "-" else to, lambda: write_json(run, to))


def work_options(
    *,
    json: str,
    time: str = UNLIMITED,
    scores: bool = True,
    seed: str | None = OTHER_NETWORK,
    elsewhere: bool = True,
    kept_alone: bool = False,
) -> Callable[[F], F]:
    """Add the options that verbs of long work share, and hand them on as one argument, `work`.

    Parameters
    ----------
    json, time
        What ``--json`` and ``--time-limit`` are for.
    scores
        Whether a table may be read and scored.
    seed
        What another seed changes; None where nothing is random.
    elsewhere
        Whether workers can do the work.
    kept_alone
        Whether what is done can be kept without workers, too.
    """
    groups: list[Callable[[Any], Any]] = [
        constraint_option
        if scores
        else constraint_option_for(" They hold beside those that CACHE was scored under.")
    ]
    if scores:
        groups += [score_options(), table_options]
    if elsewhere:
        groups.append(executor_options(kept_alone=kept_alone))
    groups += [run_options(seed=seed, memory=True, time=time), output_options(json)]
    own = set(Work.__dataclass_fields__)

    def add(command: F) -> F:
        @functools.wraps(command)
        def gathered(**given: Any) -> Any:
            read = {name: given.pop(name) for name in HOW_A_TABLE_IS_READ if name in given}
            shared = {name: given.pop(name) for name in own & given.keys()}
            if shared.get("executor") is None and not kept_alone:
                refuse_given(["blocks"], "it is for --dask")
            return command(work=Work(**shared, how_to_read=read), **given)

        found: Any = gathered
        for group in reversed(groups):
            found = group(found)
        return found  # type: ignore[no-any-return]

    return add
