"""``bayesloom credible``: all networks within a Bayes factor of the best, and what they agree on."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.given import refuse_given, was_given
from bayesloom.cli.help import SCORES, Verb, constraint_lines
from bayesloom.cli.outputs import Outputs, check_outputs
from bayesloom.cli.work import Work, work_options
from bayesloom.errors import InputError, ResourceError
from bayesloom.interrupts import heard, nothing_to_save

if TYPE_CHECKING:
    from bayesloom.credible_sets import Coverage, CredibleClasses, CredibleSet
    from bayesloom.credible_sets.edge_posterior import EdgePosterior

SHOWN = 40  # edges printed; the JSON object has all
COVERED = 12  # variables for which the coverage takes no time worth asking for
RESERVE = 0.3  # of the time for counting: kept for what the networks agree on

LINES = (".jsonl", ".jsonl.gz")
"""Endings of files with a JSON object a line."""

T = TypeVar("T")


@click.command(
    "credible",
    cls=Verb,
    lists=[*SCORES, constraint_lines],
    examples=[
        ("How sure is each edge", "bayesloom credible data.csv"),
        ("The same kept, for `report` and `view`", "bayesloom credible data.csv --json credible.json"),
        (
            "All networks within a factor of 3, to a file",
            "bayesloom credible data.csv --bayes-factor 3 -o networks.jsonl",
        ),
        (
            "The ten best that are not equivalent",
            "bayesloom credible data.csv --k 10 --by class -o best.jsonl",
        ),
    ],
)
@click.argument("given", metavar="CACHE|DATA")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the networks, one each line or row, in no order of score but with --k: .jsonl, .jsonl.gz or"
    " .parquet.",
)
@click.option(
    "--bayes-factor",
    type=click.FloatRange(1),
    metavar="F",
    default=20.0,
    show_default=True,
    help="Count networks whose posterior is at least that of the best divided by this.",
)
@click.option(
    "--limit",
    type=click.IntRange(0),
    metavar="N",
    help="With -o, write N networks at most, which are not the best N (--k N finds those); all are counted"
    " [no limit].",
)
@click.option(
    "--by",
    type=click.Choice(["network", "class"]),
    default="network",
    show_default=True,
    help="With -o or --k, every network, or one per equivalence class: networks that fit any data alike.",
)
@click.option(
    "--k",
    type=click.IntRange(1),
    metavar="K",
    help="Find the K best, whatever their factor, with their shares among these K, and nothing else, best"
    " first. Of a CACHE the K best over its candidates: the result says if others may be better, which were"
    " not scored. Needs -o or --json; not with --bayes-factor, --limit, --classes, --coverage or"
    " --tolerance.",
)
@click.option("--classes/--no-classes", default=True, help="Whether to count equivalence classes [yes].")
@click.option(
    "--coverage/--no-coverage",
    default=None,
    help="Whether to find how much of the posterior of all networks these hold [up to 12 variables].",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    metavar="NATS",
    default=0.0,
    help="Also count networks that score up to this much less than the factor allows, in nats [0].",
)
@click.option(
    "--max-parents",
    type=click.IntRange(0),
    metavar="N",
    help="Most parents that a variable may have [no limit].",
)
@work_options(
    seed="Only what is estimated differs with another seed.",
    json="Write counts, edges and all else that is known as JSON, for `verify`",
    time="Stop after S seconds; what is not counted by then is left out or estimated [no limit].",
)
def command(
    given: str,
    output: str | None,
    bayes_factor: float,
    limit: int | None,
    by: Literal["network", "class"],
    k: int | None,
    classes: bool,
    coverage: bool | None,
    tolerance: float,
    max_parents: int | None,
    work: Work,
) -> int:
    """Find all networks within a Bayes factor of the best, and how sure each edge is.

    Takes a table, which is scored first, or a score cache: made by `bayesloom score --bayes-factor F` with
    F at least the factor asked for here, else networks may be missing, and the result says so. Options of the
    score and of reading, and --max-parents, are of a table alone.

    The networks with a score of at least the best minus ln F are counted. Each weighs exp(score), see the
    score below. For each pair of variables `posterior` is the share of the weight of these networks with the
    edge, `adjacent` with it in either direction. From a factor of 20 on evidence is called strong (Kass and
    Raftery 1995); a larger one takes longer. `posterior` is the verb for shares of all networks.

    What a limit ends is left out or estimated, the rest is shown, and the exit code is 3; if time ends
    before the best score is known, nothing can be shown, and it is 1.
    """
    import bayesloom
    from bayesloom.credible_sets.entries import check_no_interventions
    from bayesloom.credible_sets.stages import StageClock
    from bayesloom.scoring.cache_files import is_cache_name

    _refuse_what_has_no_effect(k, by, output, classes=classes)
    if k is not None:
        refuse_given(["executor", "blocks"], "--k scores the table here, as far as it needs to")
    check_outputs(output, work.json_to, reads=[given, work.constraints])
    _check_ending(output, (*LINES, ".parquet"))
    is_table = not is_cache_name(given)
    scoring: dict[str, Any] = {}
    if is_table:
        cache: Any = work.read_table(given)
        scoring = work.scoring | {"max_parents": max_parents}
        if k is None:
            scoring |= work.elsewhere
    else:
        work.refuse_scoring(given, "executor", "blocks")
        cache = work.read_cache(given)
    own = getattr(cache, "interventions", None) if is_table else cache.info.get("interventions")
    if own:
        if by == "class" or was_given("classes"):
            check_no_interventions({"interventions": [True]} if classes else {})
        classes = False
    clock = StageClock(work.time_limit)
    outputs = Outputs()
    written = None
    with work.listening() as listen:
        if k is not None:
            more = {"time_limit": work.time_limit, "progress": listen, "constraints": work.constraints}
            return _k_best(cache, k, by, output, work, scoring | work.limits | more)
        found = bayesloom.credible(
            cache,
            bayes_factor,
            limit=limit,
            tolerance=tolerance,
            time_limit=clock.left(),
            reserve=RESERVE,
            seed=work.seed,
            progress=listen,
            constraints=work.constraints,
            on_estimate=_show_estimate if work.prints else None,
            **scoring,
            **work.limits,
        )
        counted = found.count_is_exact and not found.interrupted
        covering = coverage or (coverage is None and counted and len(found.names) <= COVERED)
        stages = ["posterior"] + ["classes"] * (classes and counted) + ["coverage"] * bool(covering)

        def stage(ask: Callable[[], T]) -> T:
            """Ask the set for something, in an even share of the time that is left."""
            found.share_time(StageClock(clock.left(1 / len(stages))))
            clock.start(stages.pop(0))
            return ask()

        posterior, no_edges = stage(lambda: _or_why_not(lambda: found.edge_posterior))
        listed = stage(lambda: found.classes) if classes and counted else None
        covered: Coverage | None = None
        no_coverage: str | None = _why_not_covered(found, coverage)
        if covering:
            covered, no_coverage = stage(lambda: _or_why_not(found.coverage))
        clock.stop()
        found.share_time(clock)
    seconds = found.seconds | clock.seconds
    if work.json_to is not None:
        head = {"bayesloom": bayesloom.__version__, "command": "credible"}
        parts = {
            "classes": None if listed is None else listed.count,
            "classes_complete": listed is not None and listed.complete,
            "classes_estimate": None if listed is None else _known(listed.estimate),
            "coverage": None if covered is None else {"share": covered.share, "among": covered.among},
            "coverage_missing": no_coverage,
            "edges": None if posterior is None else _edges(posterior),
            "edges_error": None if posterior is None else posterior.error,
            "edges_missing": no_edges,
            "seconds": {name: round(value, 6) for name, value in seconds.items()},
        }
        run = {**head, **found.to_json(), **parts, "line": Verb.line}
        work.write_json(outputs, run)
    if output is not None:
        with nothing_to_save():  # may take long, and the result is written already

            def write() -> None:
                nonlocal written
                written = found.write(output, by=by)

            outputs.write(output, write)
    if work.prints:
        _show(found, listed, covered, posterior)
        if own:
            click.echo("classes are not counted: under interventions a class is not scored alike")
        if no_edges is not None:
            click.echo(f"no edge posteriors: {no_edges}")
        if covering and no_coverage is not None:
            click.echo(f"no coverage: {no_coverage}")
        click.echo(", ".join(f"{name} {value:.2f} s" for name, value in seconds.items()))
        if written is not None:
            from bayesloom.words import counted as number_of

            click.echo(f"{number_of(written, by)} written to {output}")
    # A count by rounded losses may leave a number or two open; nothing ended it early.
    done = found.count_bounds[1] is not None and not found.interrupted and no_edges is None
    done = done and (listed is None or listed.complete)
    done = done and not (covering and covered is None) and not (is_table and not found.cache_complete)
    if found.interrupted or (heard() and not done):
        click.echo("bayesloom: interrupted; this is what was found so far.", err=True)
        return outputs.exit_code(EXIT_INTERRUPTED)
    return outputs.exit_code(0 if done else EXIT_STOPPED)


def _refuse_what_has_no_effect(
    k: int | None, by: Literal["network", "class"], output: str | None, *, classes: bool
) -> None:
    """Refuse options that the others leave without effect."""
    if k is not None:
        refuse_given(
            ["bayes_factor", "limit", "classes", "coverage", "tolerance"],
            "--k finds the K best, whatever their factor, and nothing else",
        )
    elif output is None:
        refuse_given(["limit", "by"], "without -o FILE no networks are written")
    elif by == "class" and not classes:
        raise InputError("--by class and --no-classes exclude each other.")


def _show_estimate(count: float, error: float) -> None:
    if math.isinf(error):
        click.echo("no estimate of their number so soon; counting", err=True)
        return
    click.echo(f"about {count:,.0f} networks expected (standard error {error:,.0f}); counting", err=True)


def _or_why_not(ask: Callable[[], T]) -> tuple[T | None, str | None]:
    """What the set is asked for, or why there is none: a limit that ended it takes nothing else down."""
    try:
        return ask(), None
    except ResourceError as error:
        return None, "interrupted." if heard() else str(error)


def _why_not_covered(found: CredibleSet, asked: bool | None) -> str:
    """Why the coverage was not looked for, if it was not."""
    if asked is not None:
        return "--no-coverage was given."
    if not found.count_is_exact or found.interrupted:
        return "the set was not counted to the end."
    return f"it may take long for more than {COVERED} variables; --coverage asks for it."


def _edges(posterior: EdgePosterior) -> list[dict[str, object]]:
    return [
        {"from": a, "to": b, "posterior": directed, "adjacent": adjacent}
        for a, b, directed, adjacent in posterior.rows()
    ]


def _known(estimate: tuple[float, float]) -> list[float] | None:
    return list(estimate) if math.isfinite(estimate[0]) else None


def _number_of(classes: CredibleClasses, *, constraints: bool) -> str:
    with_one = " with such a network" if constraints else ""  # one that keeps them
    if classes.complete:
        return f"{_classes(classes.count)}{with_one}"
    found = f"at least {_classes(classes.count)}{with_one}"
    if (about := _known(classes.estimate)) is not None:
        found += f", about {about[0]:,.0f} by networks drawn evenly (standard error {about[1]:,.0f})"
    return found


def _classes(number: int) -> str:
    from bayesloom.words import counted

    return counted(number, "equivalence class")


def _show(
    found: CredibleSet,
    classes: CredibleClasses | None,
    covered: Coverage | None,
    posterior: EdgePosterior | None,
) -> None:
    from bayesloom.cli.summary import aligned

    click.echo(found.claim)
    if classes is not None:
        click.echo(_number_of(classes, constraints=bool(found.cache.info.get("constraints"))))
    if covered is not None:
        click.echo(str(covered))
    click.echo(f"best score  {found.best:.6f}")
    if posterior is not None:
        rows = posterior.rows()
        shown = [("  from", "to", "posterior", "adjacent")]
        shown += [(f"  {a}", b, f"{one:.3f}", f"{both:.3f}") for a, b, one, both in rows[:SHOWN]]
        click.echo("\n".join(aligned(shown, right=[2, 3])))
        if len(rows) > SHOWN:
            click.echo(f"  ... and {len(rows) - SHOWN:,} more (see --json)")
        if posterior.error > 0:
            click.echo(f"  estimated; standard errors up to {posterior.error:.2g}")


def _check_ending(output: str | None, known: tuple[str, ...]) -> None:
    """Refuse a name whose ending says that something else is in the file; a pipe or device has none."""
    if output is None or output.lower().endswith(known):
        return
    if os.path.exists(output) and not os.path.isfile(output):
        return
    raise InputError(f"{output}: the networks are written as {', '.join(known[:-1])} or {known[-1]}.")


def _k_best(
    cache: object,
    k: int,
    by: Literal["network", "class"],
    output: str | None,
    work: Work,
    how: dict[str, Any],
) -> int:
    import bayesloom
    from bayesloom.credible_sets.files import write_entries

    if output is None and work.json_to is None:
        raise InputError("--k needs a file to write to: add -o FILE or --json FILE.")
    best = bayesloom.k_best(cache, k, by=by, **how)
    rows = []
    for entry in best.entries:
        row: dict[str, Any] = {"score": entry.score, "posterior": entry.posterior}
        if isinstance(entry, bayesloom.CredibleClass):
            row |= {"members": entry.members, "size": entry.size}
        rows.append(row | {"parents": {name: list(up) for name, up in entry.network.parents.items()}})
    outputs = Outputs()
    if output is not None:
        outputs.write(output, lambda: write_entries(rows, output))
    if work.json_to is not None:
        head = {"bayesloom": bayesloom.__version__, "command": "credible", "k": k, "by": by}
        tail = {
            "complete": best.complete,
            "bayes_factor": best.bayes_factor,
            "stopped": best.stopped,
            "note": best.note,
            "seconds": {stage: round(value, 6) for stage, value in best.seconds.items()},
            "entries": rows,
        }
        run = {**head, **best.found_under, **tail}
        work.write_json(outputs, run)
    if work.prints:
        # Of fewer than asked for the note says what is known.
        known = best.complete or len(rows) < k
        proof = "" if known else "; the cache is not complete this far, there may be better ones"
        click.echo(f"{len(rows):,} best, within Bayes factor {best.bayes_factor:.4g} of the first{proof}")
        if best.note is not None:
            click.echo(f"note: {best.note}")
    return outputs.exit_code(EXIT_STOPPED if best.stopped else 0)
