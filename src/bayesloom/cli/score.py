"""``bayesloom score``: from a table to a score cache."""

from __future__ import annotations

import contextlib
import os
import re
from typing import Any

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.help import Verb, constraint_lines, methods_of_score, score_names
from bayesloom.cli.options import (
    constraint_option,
    executor_options,
    given_score_options,
    left_after_reading,
    output_options,
    patience,
    read_given_table,
    refuse_given,
    run_options,
    score_options,
    table_options,
    write_json,
)
from bayesloom.cli.outputs import Outputs, check_outputs
from bayesloom.errors import InputError
from bayesloom.interrupts import answer_to_save


@click.command(
    "score",
    cls=Verb,
    lists=[score_names, constraint_lines, methods_of_score],
    examples=[
        ("All parent sets that a best network can use", "bayesloom score data.csv -o data.blc"),
        (
            "Of hundreds of columns, a second for each",
            "bayesloom score data.csv -o data.jkl --method independence --time-per-variable 1",
        ),
        (
            "On the workers of a Dask scheduler, kept block by block",
            "bayesloom score data.csv -o data.blc --dask local:2 --blocks blocks",
        ),
        (
            "Half of the work on this machine; the other half is --shard 2/2",
            "bayesloom score data.csv -o part1.blc --shard 1/2",
        ),
    ],
)
@click.argument("data")
@click.option(
    "-o", "--output", metavar="CACHE", required=True, help="The score cache: .blc, .jkl, .scores or .pss."
)
@click.option(
    "--method",
    metavar="NAME",
    default="exhaustive",
    show_default=True,
    help="How parent sets are found, see below.",
)
@click.option(
    "--max-parents",
    type=click.IntRange(0),
    metavar="N",
    help="Largest parent set to look at [no limit; 12 of methods with a time budget].",
)
@click.option(
    "--bayes-factor",
    type=click.FloatRange(1),
    metavar="F",
    default=1.0,
    show_default=True,
    help="Keep the parent sets that networks within this factor of the best can use: give what you will give"
    " `credible`; `search` needs no more than 1.",
)
@click.option(
    "--time-per-variable",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Seconds for each variable: independence, greedy and sequential only [1, unless another limit is"
    " given].",
)
@click.option(
    "--sets-per-variable", type=click.IntRange(1), metavar="N", help="The same, in parent sets scored."
)
@click.option(
    "--estimate",
    metavar="NAME",
    default="conditional",
    show_default=True,
    help="How --method independence guesses the score of a set before it is computed: additive, as if what"
    " single parents gain added up (Scanagatta et al., 2015), or conditional, mended by sets scored so far.",
)
@click.option(
    "--shard", metavar="I/M", help="Score part I of M of the variables, into a .blc file; see `merge`."
)
@click.option("--resume", is_flag=True, help="Go on where the same command was killed or stopped.")
@constraint_option
@score_options
@table_options
@executor_options
@run_options(
    memory=True,
    time="Stop after S seconds: exhaustive keeps the sizes of parent sets that are done, the others share S"
    " among the variables [no limit].",
)
@output_options("Write what was done as JSON, for other programs")
def command(
    data: str,
    output: str,
    method: str,
    max_parents: int | None,
    bayes_factor: float,
    time_per_variable: float | None,
    sets_per_variable: int | None,
    estimate: str,
    shard: str | None,
    resume: bool,
    constraints: str | None,
    score_name: str,
    ess: float | None,
    score_option: tuple[str, ...],
    executor: str | None,
    blocks: str | None,
    threads: int | None,
    time_limit: float | None,
    memory: float | None,
    progress: str,
    json_to: str | None,
    quiet: bool,
    **how_to_read: Any,
) -> int:
    """Score parent sets of every variable of the table DATA, for `search` and `credible`.

    Those that a best network may use are kept: the candidates, each with its local score, which is what the
    variable adds to the score of a network. What DATA may be and how it is read is told below.

    A score cache is a .blc file, or for other programs .jkl or .scores (GOBNILP) or .pss (URLearning); each
    also .gz. A .jkl or .scores file does not keep the score, the constraints and whether the cache is
    complete, so that nothing is proved with it about other parent sets.

    Exit code 3: a limit ended --method exhaustive; the cache is written, but not complete.
    """
    import time

    import bayesloom
    from bayesloom.cli.options import shown_progress
    from bayesloom.cli.summary import show_cache, show_table
    from bayesloom.scoring.cache_files import format_of

    if method != "independence":
        refuse_given(["estimate"], "it is for --method independence")
    if executor is None:
        refuse_given(["blocks"], "it is for --dask")
    part = _shard(shard)
    check_outputs(output, json_to, reads=[data, constraints])
    kind, _ = format_of(output)  # an unknown ending is better refused before the work than after
    if part is not None and kind != "blc":
        raise InputError(
            f"a part can be written to a .blc file only, which keeps that it is one; got {output!r}."
        )
    checkpoint = f"{output}.resume"
    if any(path and os.path.realpath(path) == os.path.realpath(checkpoint) for path in (data, constraints)):
        raise InputError(f"{checkpoint}: the command reads this file; its checkpoint would take its place.")
    begin = time.perf_counter()
    with patience("reading", progress, quiet=quiet):
        table = read_given_table(data, score_name, **how_to_read)
    if time_limit is not None:
        time_limit = left_after_reading(time_limit, time.perf_counter() - begin)
    if not quiet:
        show_table(table)
        if method == "exhaustive":
            work = bayesloom.estimate(
                table,
                score=score_name,
                options=given_score_options(ess, score_option),
                max_parents=max_parents,
                bayes_factor=bayes_factor,
            )
            click.echo(f"{work}", err=True)
    start = time.perf_counter()
    with answer_to_save(), shown_progress(progress, quiet=quiet) as listen:
        cache = bayesloom.score(
            table,
            score=score_name,
            options=given_score_options(ess, score_option),
            method=method,
            max_parents=max_parents,
            bayes_factor=bayes_factor,
            time_per_variable=time_per_variable,
            sets_per_variable=sets_per_variable,
            estimate=estimate,
            time_limit=time_limit,
            threads=threads,
            memory=memory,
            shard=part,
            checkpoint=checkpoint if executor is None else None,
            resume=resume,
            executor=executor,
            blocks=blocks,
            constraints=constraints,
            progress=listen,
        )
    seconds = time.perf_counter() - start
    outputs = Outputs()
    written = outputs.write(output, lambda: cache.write(output))
    info = cache.info
    # An anytime method has done what was asked when its budget is used; exhaustive has not.
    unfinished = method == "exhaustive" and info.get("stopped")
    if written and not unfinished and not info.get("interrupted"):
        # Not before: if the result cannot be written, the work can still be gone on with.
        with contextlib.suppress(OSError):
            os.unlink(checkpoint)
    if json_to is not None:
        run = {
            "bayesloom": bayesloom.__version__,
            "command": "score",
            "output": output,
            "variables": list(cache.names),
            "candidates": cache.candidate_count,
            "complete": cache.complete,
            "part": cache.part,
            "info": info,
            "seconds": {"score": round(seconds, 6)},
        }
        outputs.write(json_to if json_to != "-" else "standard output", lambda: write_json(run, json_to))
    if not quiet and json_to != "-":
        show_cache(cache)
        if written:
            click.echo(f"written to {output} after {seconds:.2f} s")
    if info.get("interrupted"):
        return outputs.exit_code(EXIT_INTERRUPTED)
    return outputs.exit_code(EXIT_STOPPED if unfinished else 0)


def _shard(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9}+)/([0-9]{1,9}+)", text)
    if not match:
        raise InputError(f"--shard must look like 2/8, got {text!r}.")
    return int(match[1]), int(match[2])
