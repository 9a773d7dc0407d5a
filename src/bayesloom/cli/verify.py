"""``bayesloom verify``: check a network from scratch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from bayesloom.cli import EXIT_ERROR
from bayesloom.cli.options import (
    constraint_option,
    given_score_options,
    lenient_option,
    output_options,
    read_given_table,
    score_options,
    table_options,
    write_json,
)


@click.command("verify")
@click.argument("network")
@click.option("--cache", "cache_path", metavar="CACHE", help="Check against this score cache.")
@click.option("--data", metavar="DATA", help="Check against this table.")
@constraint_option
@score_options
@table_options
@lenient_option
@output_options
def command(
    network: str,
    cache_path: str | None,
    data: str | None,
    constraints: str | None,
    score_name: str,
    ess: float | None,
    score_option: tuple[str, ...],
    json_to: str | None,
    quiet: bool,
    lenient: bool,
    **how_to_read: Any,
) -> int:
    """Recompute the score of NETWORK from scratch, variable by variable.

    NETWORK is a network in any format, or the JSON that learn or search wrote: then the score and the
    bound it claims are checked too, and after learn the table is read as learn reads it. The verifier
    shares no code with the solvers or the scores.
    Exit code 0 if all is well, 1 if not.
    """
    import bayesloom
    from bayesloom.cli.summary import aligned
    from bayesloom.fitted import structure_of
    from bayesloom.scores import resolve_score

    if (cache_path is None) == (data is None):
        raise click.UsageError("give either --cache or --data, to check against.")
    structure = structure_of(bayesloom.read_network(network))
    score, options = resolve_score(score_name, given_score_options(ess, score_option))
    claims, learned = _claims(network)
    found = bayesloom.verify(
        structure,
        table=None if data is None else read_given_table(data, lenient=lenient or learned, **how_to_read),
        cache=None if cache_path is None else bayesloom.read_cache(cache_path),
        score=score.name,
        options=options,
        claimed_score=claims.get("score"),
        bound=claims.get("bound"),
        constraints=constraints,
    )
    if json_to is not None:
        write_json(
            {
                "bayesloom": bayesloom.__version__,
                "command": "verify",
                "ok": found.ok,
                "score": found.score,
                "local_scores": found.local_scores,
                "problems": list(found.problems),
            },
            json_to,
        )
    if not quiet and json_to != "-":
        rows = [
            (name, "not a candidate" if value is None else f"{value:.6f}")
            for name, value in found.local_scores.items()
        ]
        click.echo("\n".join(aligned(rows, right=[1])))
        if found.score is not None:
            click.echo(f"score  {found.score:.6f}")
        for problem in found.problems:
            click.echo(f"problem: {problem}")
        click.echo("verified" if found.ok else "NOT verified")
    return 0 if found.ok else EXIT_ERROR


def _claims(path: str) -> tuple[dict[str, float], bool]:
    """Return the score and bound that a result file claims, none for other files, and if `learn` wrote it."""
    if not path.endswith(".json"):
        return {}, False
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    claims = {key: data[key] for key in ("score", "bound") if isinstance(data.get(key), (int, float))}
    return claims, data.get("command") == "learn"
