"""``bayesloom verify``: check a result, or a network, from scratch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli import EXIT_ERROR
from bayesloom.cli.given import HOW_IT_IS_SCORED, refuse_given, was_given
from bayesloom.cli.help import SCORES, Verb, constraint_lines
from bayesloom.cli.options import (
    constraint_option_for,
    given_score_options,
    memory_option,
    output_options,
    patience,
    score_options,
    write_json,
)
from bayesloom.cli.outputs import check_outputs
from bayesloom.cli.reading import HOW_A_TABLE_IS_READ, read_given_table, table_options
from bayesloom.errors import InputError

if TYPE_CHECKING:
    from bayesloom.verification import Check, Verification

MARKS = {"ok": "ok", "wrong": "WRONG", "not checked": "not checked"}


@click.command(
    "verify",
    cls=Verb,
    lists=[*SCORES, constraint_lines],
    examples=[
        (
            "All that a run says, against the table it was learned from",
            "bayesloom verify run.json --data data.csv",
        ),
        (
            "A network of your own: its local scores",
            "bayesloom verify network.bif --data data.csv --score bdeu",
        ),
        ("A network against a score cache", "bayesloom verify network.bif --cache data.blc"),
        (
            "The proof that a search wrote",
            "bayesloom verify run.json --cache data.blc --certificate run.cert",
        ),
    ],
)
@click.argument("network", metavar="RUN|NET|-")
@click.option(
    "--cache", "cache_path", metavar="CACHE", help="Check against this score cache; or --data, or both."
)
@click.option(
    "--data",
    metavar="DATA",
    help="Check against this table (of a RUN of `learn --em FILE`: FILE); or --cache, or both.",
)
@click.option(
    "--certificate",
    metavar="FILE",
    help="Check this proof of the bound, which `search --certificate` wrote; with --cache.",
)
@click.option(
    "--exhaustive",
    is_flag=True,
    help="Look at all networks too, over a cache of up to 16 variables or of a table of up to 10 (beyond"
    " it is an error): whether one is better, and of a RUN of `credible` which are in the set, with their"
    " edges and classes. The shares of posterior and bootstrap are computed again up to 9 variables (without"
    " this option: posterior up to 7, bootstrap up to 5), and not checked beyond.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    metavar="NATS",
    help="How far scores may differ in nats, their unit; at most 1 [what rounding can explain: 1e-9 for each"
    " local score, more where numbers are large].",
)
@constraint_option_for(
    " Of a RUN: those that it was learned with, to be compared with those in it, which hold without this. Of"
    " a NET: whether it keeps them."
)
@score_options(default="of the run or the cache, else by the kinds of columns")
@table_options
@memory_option
@output_options("Write all checks as JSON, for other programs")
def command(
    network: str,
    cache_path: str | None,
    data: str | None,
    certificate: str | None,
    exhaustive: bool,
    tolerance: float | None,
    constraints: str | None,
    score_name: str,
    ess: float | None,
    score_option: tuple[str, ...],
    json_to: str | None,
    quiet: bool,
    **how_to_read: Any,
) -> int:
    """Check a result from scratch: every field that a table (--data) or a score cache (--cache) can tell.

    RUN is what `learn`, `search`, `credible`, `posterior` or `bootstrap` wrote with --json, under any name,
    also .gz; - reads it from stdin. Score, local scores, gap, status, claim, constraints, edges and the rest
    are recomputed, and a line is printed for each: ok, WRONG, or not checked. Score, and how the table was
    read, are known from the run; an option of reading given here takes the place of the run's.

    NET, a network file (.bif, .xmlbif, .net (Hugin), .json, .dot, .graphml, .modelstring (bnlearn)),
    holds no claims: its local scores, what each variable adds to the score, are shown, by --score of the
    table as the options read it here; without --score by bic where the file has the states of all
    variables, as .bif has.

    "verified" says that nothing that was checked is wrong; that no other network is better is checked only
    with --certificate, a proof that `search` wrote, or with --exhaustive. The verifier shares no code with
    the solvers or the scores.

    Exit code 0: verified; 1: something is wrong or cannot be read; 2: neither --data nor --cache is given;
    4: the --constraints given contradict each other.
    """
    import bayesloom
    from bayesloom.networks.network import structure_of
    from bayesloom.scoring.registry import is_auto, score_of
    from bayesloom.verification.reading import read_run

    if cache_path is None and data is None:
        raise click.UsageError("give either --cache or --data, or both, to check against.")
    if data is None:
        refuse_given(HOW_A_TABLE_IS_READ, "no table is read without --data")
    check_outputs(json_to, reads=[network, cache_path, data, constraints, certificate])
    run = read_run(network)
    if certificate is not None and run is None:
        raise InputError("--certificate is a proof of what a run says; a network alone says nothing.")
    with patience("reading", "auto", quiet=quiet):
        cache = None if cache_path is None else bayesloom.read_cache(cache_path)
        told: Mapping[str, Any] = {} if run is None else run
        if run is None and cache is not None:
            told = {"score_name": cache.info.get("score"), "reading": cache.info.get("reading")}
        scored_by = told.get("score_name") if is_auto(score_name) else score_name
        alone = None if run is not None else bayesloom.read_network(network)
        states = getattr(alone, "states", ())
        if scored_by is None and states and all(states) and not was_given("continuous"):
            scored_by = "bic"  # these are the states of a table that was cut
        how = told.get("reading") or {}
        given: dict[str, Any] = {
            "table": None if data is None else read_given_table(data, scored_by, how, **how_to_read),
            "cache": cache,
            "constraints": constraints,
            "exhaustive": exhaustive,
            "tolerance": tolerance,
        }
    if constraints is not None:  # what contradicts itself is no fault of the result
        from bayesloom.constraints.model import Constraints

        source = given["cache"] if data is None else given["table"]
        given["constraints"] = Constraints.given(constraints)
        given["constraints"].check(source.names)
    if run is None and data is None:
        refuse_given(HOW_IT_IS_SCORED, "the network has the scores of the cache, unless --data is given")
    if any(map(was_given, HOW_IT_IS_SCORED)):
        own = scored_by if isinstance(scored_by, str) or data is None else score_of(given["table"])[0].name
        score, options = score_of(given["table"], own, given_score_options(ess, score_option))
        given |= {"score": score.name, "options": options}
    with patience("checking", "auto", quiet=quiet):
        if run is not None:
            found = bayesloom.verify_run(run, certificate=certificate, **given)
        else:
            found = bayesloom.verify(structure_of(alone), **given)
    if json_to is not None:
        write_json(_object(found, is_run=run is not None), json_to)
    if not quiet and json_to != "-":
        _show(found, is_run=run is not None)
    return 0 if found.ok else EXIT_ERROR


def _object(found: Verification, *, is_run: bool) -> dict[str, Any]:
    import bayesloom

    return {
        "bayesloom": bayesloom.__version__,
        "command": "verify",
        "ok": found.ok,
        "score": found.score,
        "best_score": found.best_score,
        "local_scores": found.local_scores,
        "problems": list(found.problems),
        "checks": [check._asdict() for check in _listed(found, is_run=is_run)],
    }


def _listed(found: Verification, *, is_run: bool) -> list[Check]:
    from bayesloom.verification import Check

    alone = Check("claims", "not checked", "the file holds a network alone: no score, no bound, no claim")
    return [*found.checks] if is_run else [*found.checks, alone]


def _show(found: Verification, *, is_run: bool) -> None:
    from bayesloom.cli.summary import aligned
    from bayesloom.verification.checks import taken_on_trust

    rows = [
        (name, "not a candidate" if value is None else f"{value:.6f}")
        for name, value in found.local_scores.items()
    ]
    if rows:
        click.echo("\n".join(aligned(rows, right=[1])))
    if found.score is not None:
        click.echo(f"score  {found.score:.6f}")
    checks = _listed(found, is_run=is_run)
    told = taken_on_trust(checks) if is_run else []
    shown = [check for check in checks if check.what not in told]
    for line in aligned((MARKS[check.outcome], f"{check.what}: {check.detail}") for check in shown):
        click.echo(line)
    if told:
        click.echo(f"not checked  {len(told)} that only the run itself can tell: {', '.join(told)}")
    right = sum(check.outcome == "ok" for check in checks)
    open_ones = sum(check.outcome == "not checked" for check in checks)
    best = any(check.what == "optimality" and check.outcome == "not checked" for check in checks)
    among = ", optimality among them" if best else ""
    click.echo(f"{right} ok, {len(found.problems)} wrong, {open_ones} not checked{among}")
    if found.ok and not is_run:
        looked = next((check for check in found.checks if check.what == "optimality"), None)
        if looked is None:
            click.echo("scored: the file makes no claim to verify")
        else:
            click.echo(f"{'verified' if looked.outcome == 'ok' else 'scored'}: {looked.detail}")
    else:
        click.echo("verified" if found.ok else "NOT verified")
