"""``bayesloom score``: from a table to a score cache."""

from __future__ import annotations

import contextlib
import os
import re
import time

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.given import refuse_given
from bayesloom.cli.help import SCORES, Verb, constraint_lines, methods_of_score
from bayesloom.cli.outputs import Outputs, check_outputs
from bayesloom.cli.work import Work, work_options
from bayesloom.errors import InputError


@click.command(
    "score",
    cls=Verb,
    lists=[*SCORES, constraint_lines, methods_of_score],
    examples=[
        ("All parent sets that a best network can use", "bayesloom score data.csv -o data.blc"),
        (
            "Of hundreds of columns, a second for each",
            "bayesloom score data.csv -o data.blc --method independence --time-per-variable 1",
        ),
        (
            "On two processes of this machine, kept block by block",
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
    help="Most parents that a variable may have [no limit; 12 for independence, greedy and sequential].",
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
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where the same command was killed or stopped, from what it left beside CACHE.",
)
@work_options(
    json="Write what was done as JSON, for other programs",
    seed=None,
    time="Stop after S seconds: exhaustive keeps the sizes of parent sets that are done, the others share S"
    " among the variables [no limit].",
)
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
    work: Work,
) -> int:
    """Score parent sets of every variable of the table DATA, for `search` and `credible`.

    Those that a best network may use are kept: the candidates, each with its local score, which is what the
    variable adds to the score of a network. What DATA may be and how it is read is told below.

    A score cache is a .blc file, or for other programs .jkl or .scores (GOBNILP) or .pss (URLearning); each
    also .gz. A .jkl or .scores file does not keep the score, the constraints and whether the cache is
    complete, so that nothing is proved with it about other parent sets.

    Exit code 3: a limit ended --method exhaustive; the cache is written, but not complete. The other methods
    are meant to end so, with exit code 0.
    """
    import bayesloom
    from bayesloom.cli.summary import show_cache
    from bayesloom.scoring.cache_files import format_of

    if method != "independence":
        refuse_given(["estimate"], "it is for --method independence")
    part = _shard(shard)
    check_outputs(output, work.json_to, reads=[data, work.constraints])
    kind, _ = format_of(output)  # an unknown ending is better refused before the work than after
    if part is not None and kind != "blc":
        raise InputError(
            f"a part can be written to a .blc file only, which keeps that it is one; got {output!r}."
        )
    checkpoint = f"{output}.resume"
    if any(
        path and os.path.realpath(path) == os.path.realpath(checkpoint) for path in (data, work.constraints)
    ):
        raise InputError(f"{checkpoint}: the command reads this file; its checkpoint would take its place.")
    table = work.read_table(data)
    if method == "exhaustive" and not work.quiet:
        expected = bayesloom.estimate(
            table, max_parents=max_parents, bayes_factor=bayes_factor, **work.scoring
        )
        click.echo(f"{expected}", err=True)
    start = time.perf_counter()
    with work.listening() as listen:
        cache = bayesloom.score(
            table,
            method=method,
            max_parents=max_parents,
            bayes_factor=bayes_factor,
            time_per_variable=time_per_variable,
            sets_per_variable=sets_per_variable,
            estimate=estimate,
            time_limit=work.time_limit,
            shard=part,
            checkpoint=checkpoint if work.executor is None else None,
            resume=resume,
            constraints=work.constraints,
            progress=listen,
            **work.scoring,
            **work.limits,
            **work.elsewhere,
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
    work.write_json(outputs, run)
    if work.prints:
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
