"""``bayesloom learn``: from a table to the best network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli.given import OWN_OF_SCORES, given_again, refuse_given, was_given
from bayesloom.cli.help import SCORES, Verb, constraint_lines, methods_of_learn, solver_names
from bayesloom.cli.options import NETWORK_FILES, RUN, STATES_ALONE, read_start
from bayesloom.cli.outputs import check_network_name, check_outputs
from bayesloom.cli.reading import options_to_read_back, reading_back
from bayesloom.cli.work import Work, work_options
from bayesloom.errors import InputError

if TYPE_CHECKING:
    from bayesloom.constraints.model import Constraints
    from bayesloom.learning.result import LearnResult
    from bayesloom.networks.network import Network
    from bayesloom.progress import ProgressEvent, ProgressFunction
    from bayesloom.table import Table


@click.command(
    "learn",
    cls=Verb,
    lists=[*SCORES, constraint_lines, methods_of_learn, solver_names],
    examples=[
        (
            "The best network, with its probabilities and a report",
            "bayesloom learn data.csv -o network.bif --report report.html",
        ),
        (
            "With what you know, in ten minutes at most",
            "bayesloom learn data.csv --constraints known.toml --time-limit 600",
        ),
        (
            "With another score, for other programs to read",
            "bayesloom learn data.csv --score bdeu --ess 10 --json -",
        ),
    ],
)
@click.argument("data")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the network alone, with probabilities where the format has them (frequencies, with a prior"
    f" worth one row in all for each variable): {NETWORK_FILES}; or a drawing, .svg, or with Matplotlib"
    f" .png or .pdf. {STATES_ALONE}",
)
@click.option("--report", metavar="FILE", help="Write a report to read or to pass on: .html or .md.")
@click.option(
    "--max-parents",
    type=click.IntRange(0),
    metavar="N",
    help="Most parents that a variable may have [no limit; 12 with --method independence, greedy and"
    " sequential].",
)
@click.option(
    "--method",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="How parent sets are found, see below: in half of the time, before the search. Where exhaustive does"
    " not end in that, loop takes over.",
)
@click.option(
    "--solver",
    metavar="NAME",
    default="auto",
    show_default=True,
    help="What searches the network, see below.",
)
@click.option(
    "--start",
    metavar="NET",
    help="A network of all variables to begin with, which keeps the constraints, to have a good one"
    f" sooner: {NETWORK_FILES}.",
)
@click.option(
    "--ess-sweep",
    metavar="A,B,...",
    help="Learn with bdeu for each of these equivalent sample sizes, sharing the time; keep the best score."
    " Not with --ess or another score than bdeu.",
)
@click.option(
    "--null",
    is_flag=True,
    help="Also learn the table once with every column shuffled (by --seed): how many edges chance alone"
    " gives, with the median and the largest of their strengths, in nats that the score loses without the"
    " edge. Takes half of the time limit, and the network the other. Not with --em.",
)
@click.option(
    "--em",
    metavar="FILE",
    help="Fill in missing values by structural EM (Friedman 1998), in at most 20 turns, and write the table"
    " filled in (of numbers that are cut their ranges) to FILE: .csv, .tsv, .dat, .parquet (keeps all"
    " states) or .feather; score, bound and proof are of that table, which `verify`, `report` and `view`"
    " take as --data and read as the run says. --score auto goes by the kinds of columns, and is never"
    " pnal. It begins with --start, if that is given. Not with --null, --method, --solver, --missing,"
    " --memory and --ess-sweep.",
)
@click.option(
    *("--em-form", "form"),
    type=click.Choice(["auto", "hard", "soft"]),
    default="auto",
    show_default=True,
    help="How --em fills in: hard, each row by its most probable values; soft, by all, weighed by their"
    " probability: FILE then has a row for each way, with weights (`weight`, or that of --weights) by which"
    " a row of DATA counts as 1,000, or fewer if the table is large (in --json `units`). Score, bound, gap"
    " and strengths are that many times those of a row each; score and gap are also shown divided by it. So"
    " do not ask `credible`, `posterior` or `bootstrap` about FILE. Soft is for the scores bic, aic, bic-g"
    " and bic-cg; auto is soft under bic-g and bic-cg, hard under all others. Numbers are filled"
    " in under bic-g, bge and bic-cg alone.",
)
@work_options(json=RUN, time="Stop after S seconds, with the best so far [60].")
def command(
    data: str,
    output: str | None,
    report: str | None,
    method: str,
    max_parents: int | None,
    solver: str,
    start: str | None,
    ess_sweep: str | None,
    null: bool,
    em: str | None,
    form: str,
    work: Work,
) -> int:
    """Learn the best network of the table DATA and say how good it is.

    Parent sets of every variable are scored, those that may matter are candidates, and the best network
    that they make is searched. All of it, from reading to --null, --em and each size of --ess-sweep,
    takes a minute at most, or --time-limit; Ctrl-C ends earlier with the best network so far. What DATA
    may be and how it is read is told below.

    No network made of the parent sets scored has a score above the bound. A gap of 0 between score and bound
    proves the network the best of these, and the best of all that --max-parents and --constraints allow where
    the result says that no better one exists. Where not all parent sets are scored, a second bound is told
    that holds for all networks.
    Exit code 0: proved the best of all of these; 3: the result is written, but not proved to be so.
    """
    from dataclasses import replace

    from bayesloom.cli.finish import finish
    from bayesloom.constraints.model import Constraints
    from bayesloom.learning.api import learn
    from bayesloom.learning.options import OPTIONS

    check_outputs(output, report, work.json_to, em, reads=[data, work.constraints, start])
    check_network_name(output)
    if report is not None:
        from bayesloom.report.page import report_format

        report_format(report)
    sizes = None if ess_sweep is None else _sizes(ess_sweep, work.score_name, work.ess)
    if sizes is not None:
        work.score_name = "bdeu"
    rules = Constraints.given(work.constraints)
    begin = read_start(start)
    limit = work.time_limit = OPTIONS.usual_seconds if work.time_limit is None else work.time_limit
    if em is not None:
        refuse_given(
            ["ess_sweep", "null", "method", "solver", "missing", "executor", "blocks", "memory"],
            "--em takes turns of filling in and learning",
        )
    else:
        refuse_given(["form"], "it says how --em fills in")
    table = work.read_table(data, output=output, to_fill_in=em is not None)
    check_network_name(output, continuous=table.continuous)
    rules.check(table.names, max_parents)
    common: dict[str, Any] = {
        "method": method,
        "max_parents": max_parents,
        "solver": solver,
        "constraints": rules,
        "start": begin,
        "null": null,
        "seed": work.seed,
        **work.limits,
        **work.elsewhere,
    }
    more: dict[str, Any] = {}
    chosen: dict[str, Any] = {}
    soft = False
    how: list[str] = []
    with work.listening() as listen:
        if em is not None:
            result, more["em"] = _by_em(table, em, form, work, rules, max_parents, begin)
            soft = more["em"]["units"] > 1
            if soft:  # the table filled in counts a row as many, so every edge looks sure: the one before it
                chosen = {"score_name": "pnal"}
            else:
                how = options_to_read_back(result.table, em)
        elif sizes is None:
            result = learn(
                table,
                time_limit=work.time_limit,
                progress=listen if work.quiet else _with_plan(listen, limit),
                **work.scoring,
                **common,
            )
        else:
            result, more["ess_sweep"] = _sweep(table, sizes, work.time_limit, listen, common)
            chosen = {"score_name": "bdeu", "ess": str(result.score_options["ess"]).removesuffix(".0")}
        if em is None and sizes is None and work.score_name != "auto" and not was_given("score_name"):
            chosen = {"score_name": work.score_name}
    if sizes is not None and work.prints:
        _show_sweep(more["ess_sweep"])
    result = replace(result, seconds={**result.seconds, "read": work.read_seconds})
    return finish(
        result,
        command="learn",
        output=output,
        work=work,
        report=report,
        again=given_again("data", chosen, None if soft else em, OWN_OF_SCORES if soft else (), how),
        **more,
    )


def _by_em(
    table: Table,
    path: str,
    form: Any,
    work: Work,
    rules: Constraints,
    max_parents: int | None,
    start: Network | None,
) -> tuple[LearnResult, dict[str, Any]]:
    """Learn by structural EM and write the table filled in; return the result, which is of that table."""
    from dataclasses import replace

    from bayesloom.learning.filling_in import structural_em

    found = structural_em(
        table,
        form=form,
        start=start,
        time_limit=work.time_limit,
        seed=work.seed,
        constraints=rules,
        max_parents=max_parents,
        threads=work.limits["threads"],
        **work.scoring,
    )
    filled = replace(found.filled, source=path, reading=reading_back(found.filled, path))
    filled.write(path)
    note = f"{found} {path} has it: the DATA of this result for `verify`, `report` and `view`."
    if filled.unseen and not path.lower().endswith((".parquet", ".feather")):
        note += " It does not keep the states that no row shows, so `verify` cannot be right; .parquet does."
    told: dict[str, Any] = {"notes": (note, *found.learned.notes), "reading": filled.reading}
    return replace(found.learned, table=filled, **told), found.to_json()


def _with_plan(listen: ProgressFunction | None, limit: float) -> ProgressFunction:
    """Return what also says what `learn` is going to do, once it knows."""
    from bayesloom.cli.summary import show_plan
    from bayesloom.progress import PLAN

    def hear(event: ProgressEvent) -> None:
        if event.stage == PLAN and event.text is not None:
            show_plan(event.text, limit)
        elif listen is not None:
            listen(event)

    return hear


def _sizes(text: str, score: str, ess: float | None) -> list[float]:
    if ess is not None:
        raise InputError("--ess and --ess-sweep exclude each other.")
    refuse_given(["score_option"], "--ess-sweep is for score bdeu, and says its option")
    if score != "bdeu" and was_given("score_name"):
        raise InputError(f"--ess-sweep is for score bdeu, not {score!r}.")
    try:
        sizes = [float(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or not all(0 < size < float("inf") for size in sizes):
        raise InputError(f"--ess-sweep must be a list of positive numbers such as 0.1,1,10, got {text!r}.")
    return sizes


def _sweep(
    table: Table, sizes: list[float], limit: float, listen: ProgressFunction | None, common: dict[str, Any]
) -> tuple[LearnResult, list[dict[str, Any]]]:
    """Return the result of the best score, and a row for each size."""
    from dataclasses import replace

    from bayesloom.learning.api import learn

    results = []
    for size in sizes:
        result = learn(
            table,
            score="bdeu",
            options={"ess": size},
            time_limit=limit / len(sizes),
            progress=listen,
            **common,
        )
        results.append(result)
        if result.interrupted:
            break
    best = max(results, key=lambda result: result.score)
    rows = [
        {
            "ess": size,
            "score": result.score,
            "gap": result.gap,
            "edges": len(result.network.edges),
            "parents": {name: list(up) for name, up in result.network.parents.items()},
            "chosen": result is best,
        }
        for size, result in zip(sizes, results, strict=False)  # fewer if it was interrupted
    ]
    return replace(best, interrupted=results[-1].interrupted), rows


def _show_sweep(rows: list[dict[str, Any]]) -> None:
    from bayesloom.cli.summary import aligned, heading

    heading("equivalent sample sizes (bdeu; * the best score, kept below)")
    shown = [("  ess", "score", "gap", "edges", "")]
    shown += [
        (
            f"  {row['ess']:g}",
            f"{row['score']:.4f}",
            f"{row['gap']:.4g}",
            f"{row['edges']}",
            "*" if row["chosen"] else "",
        )
        for row in rows
    ]
    click.echo("\n".join(aligned(shown, right=[1, 2, 3])))
