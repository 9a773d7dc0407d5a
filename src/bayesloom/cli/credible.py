"""``bayesloom credible``: all networks within a Bayes factor of the best, and what they agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from bayesloom.cli import EXIT_INTERRUPTED, EXIT_STOPPED
from bayesloom.cli.options import (
    constraint_option,
    given_score_options,
    output_options,
    read_given_table,
    run_options,
    score_options,
    table_options,
    write_json,
)
from bayesloom.errors import InputError

if TYPE_CHECKING:
    from bayesloom.credible import CredibleSet

CACHES = (".blc", ".jkl", ".scores", ".pss")
SHOWN = 40  # edges printed; the JSON object has all


@click.command("credible")
@click.argument("given", metavar="CACHE|DATA")
@click.option("-o", "--output", metavar="FILE", help="Write the networks as JSON lines: .jsonl, also .gz.")
@click.option(
    "--bayes-factor",
    type=click.FloatRange(1),
    default=20.0,
    show_default=True,
    help="Networks with less evidence than the best by at most this factor.",
)
@click.option("--limit", type=click.IntRange(0), metavar="N", help="Write at most N; the count stays.")
@click.option(
    "--by",
    type=click.Choice(["network", "class"]),
    default="network",
    show_default=True,
    help="Write every network, or one per equivalence class.",
)
@click.option("--k", type=click.IntRange(1), help="Write the K best instead; widens the factor as needed.")
@click.option("--classes/--no-classes", default=True, help="Whether to count equivalence classes.")
@click.option(
    "--tolerance", type=click.FloatRange(0), default=0.0, help="Lower the limit by this many nats [0]."
)
@click.option("--max-parents", type=click.IntRange(0), help="Largest parent set to look at [no limit].")
@constraint_option
@score_options
@table_options
@run_options(seed=True, memory=True)
@output_options
def command(
    given: str,
    output: str | None,
    bayes_factor: float,
    limit: int | None,
    by: Literal["network", "class"],
    k: int | None,
    classes: bool,
    tolerance: float,
    max_parents: int | None,
    constraints: str | None,
    score_name: str,
    ess: float | None,
    threads: int | None,
    time_limit: float | None,
    seed: int,
    memory: float | None,
    progress: str,
    json_to: str | None,
    quiet: bool,
    **how_to_read: Any,
) -> int:
    """Find all networks within a Bayes factor of the best.

    Takes a score cache made by `bayesloom score --bayes-factor F`, or a table, which is scored first.
    """
    import bayesloom
    from bayesloom.cli.display import progress_display
    from bayesloom.cli.summary import show_table

    common: dict[str, Any] = {"threads": threads, "memory": memory}
    with progress_display(progress, quiet=quiet) as listen:
        if given.removesuffix(".gz").endswith(CACHES):
            cache: object = bayesloom.read_cache(given)
            scoring: dict[str, Any] = {}
        else:
            cache = table = read_given_table(given, **how_to_read)
            if not quiet:
                show_table(table)
            scoring = {"score": score_name, "options": given_score_options(ess), "max_parents": max_parents}
        if k is not None:
            if constraints is not None:
                raise InputError(
                    "--k takes no --constraints. Score with them first: bayesloom score --constraints FILE."
                )
            return _k_best(cache, scoring, k, by, bayes_factor, output, json_to, quiet, common)
        found = bayesloom.credible(
            cache,
            bayes_factor,
            limit=limit,
            tolerance=tolerance,
            time_limit=time_limit,
            seed=seed,
            progress=listen,
            constraints=constraints,
            **scoring,
            **common,
        )
        number = found.classes.count if classes and found.count_is_exact else None
        written = None if output is None else found.write(output, by=by)
    edges = [
        {"from": a, "to": b, "posterior": directed, "adjacent": adjacent}
        for a, b, directed, adjacent in found.edge_posterior.rows()
    ] if found.count_is_exact else None  # fmt: skip
    if json_to is not None:
        head = {"bayesloom": bayesloom.__version__, "command": "credible"}
        write_json({**head, **found.to_json(), "classes": number, "edges": edges}, json_to)
    if not quiet and json_to != "-":
        _show(found, number)
        if written is not None:
            what = "networks" if by == "network" else "classes"
            click.echo(f"{written:,} {what} written to {output}")
    if found.interrupted:
        return EXIT_INTERRUPTED
    return 0 if found.count_is_exact else EXIT_STOPPED


def _show(found: CredibleSet, classes: int | None) -> None:
    from bayesloom.cli.summary import aligned

    click.echo(found.claim)
    if classes is not None:
        click.echo(f"{classes:,} equivalence classes")
    click.echo(f"best score  {found.best:.6f}")
    if found.count_is_exact:
        rows = found.edge_posterior.rows()
        shown = [("  from", "to", "posterior", "adjacent")]
        shown += [(f"  {a}", b, f"{one:.3f}", f"{both:.3f}") for a, b, one, both in rows[:SHOWN]]
        click.echo("\n".join(aligned(shown, right=[2, 3])))
        if len(rows) > SHOWN:
            click.echo(f"  ... and {len(rows) - SHOWN:,} more (see --json)")
    stages = ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in found.seconds.items())
    click.echo(stages)


def _k_best(
    cache: object,
    scoring: dict[str, Any],
    k: int,
    by: Literal["network", "class"],
    bayes_factor: float,
    output: str | None,
    json_to: str | None,
    quiet: bool,
    common: dict[str, Any],
) -> int:
    import json

    import bayesloom
    from bayesloom.files import write_text

    if output is None and json_to is None:
        raise InputError("--k needs a file to write to: add -o FILE or --json FILE.")
    if not isinstance(cache, bayesloom.ScoreCache):
        cache = bayesloom.score(cache, bayes_factor=bayes_factor, **scoring, **common)
    best = bayesloom.k_best(cache, k, by=by, **common)
    rows = []
    for entry in best.entries:
        row: dict[str, Any] = {"score": entry.score}
        if isinstance(entry, bayesloom.CredibleClass):
            row |= {"members": entry.members, "size": entry.size}
        rows.append(row | {"parents": {name: list(up) for name, up in entry.network.parents.items()}})
    if output is not None:
        write_text(output, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    if json_to is not None:
        head = {"bayesloom": bayesloom.__version__, "command": "credible", "k": k, "by": by}
        tail = {"complete": best.complete, "bayes_factor": best.bayes_factor, "entries": rows}
        write_json({**head, **tail}, json_to)
    if not quiet and json_to != "-":
        proof = "" if best.complete else "; the cache is not complete this far, there may be better ones"
        click.echo(f"{len(rows):,} best, within Bayes factor {best.bayes_factor:.4g} of the first{proof}")
    return 0
