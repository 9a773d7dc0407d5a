"""``bayesloom query``: what a network says of some variables, given what is known of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from bayesloom.cli.help import Verb
from bayesloom.cli.options import output_options, write_json
from bayesloom.cli.outputs import check_outputs
from bayesloom.errors import InputError, did_you_mean, shown
from bayesloom.printable import one_line

if TYPE_CHECKING:
    from bayesloom.networks.fitted import FittedNetwork
    from bayesloom.networks.gaussian import GaussianNetwork

    AnyFitted = FittedNetwork | GaussianNetwork

SHOWN = 50
"""Lines of one distribution that are printed; ``--json`` has all."""


@click.command(
    "query",
    cls=Verb,
    examples=[
        ("What the network says of each variable by itself", "bayesloom query network.bif"),
        (
            "Of one variable, given another",
            "bayesloom query network.bif --evidence smoking=yes --target cancer",
        ),
        (
            "What if a variable were set from outside",
            "bayesloom query network.bif --do smoking=yes --target cancer",
        ),
        (
            "Two variables together, for programs",
            "bayesloom query network.bif --target cancer --target smoking --joint --json -",
        ),
        ("What explains it best", "bayesloom query network.bif --evidence smoking=yes --most-probable"),
    ],
)
@click.argument("network")
@click.option(
    "-e",
    "--evidence",
    multiple=True,
    metavar="NAME=VALUE",
    help="What is known: a state, or a number, which finds its range; repeatable.",
)
@click.option(
    "-t",
    "--target",
    "targets",
    multiple=True,
    metavar="NAME",
    help="The variable to ask for; repeatable [all that is not known].",
)
@click.option(
    "--do",
    "interventions",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a variable from outside: edges into it are cut; repeatable. The answer is right only if edges"
    " point from cause to effect, as a table alone does not tell of reversible ones: a note (in --json"
    " `assumes`) names those at the variable. What was required of `learn`, or settled by its"
    " --interventions, the file does not hold: you know it yourself.",
)
@click.option(
    "--joint",
    is_flag=True,
    help="The targets, discrete variables, together and not each by itself; needs --target, not with"
    " --most-probable.",
)
@click.option(
    "--most-probable",
    is_flag=True,
    help="The states of the targets that are most probable together, all else summed out; of continuous ones"
    " the numbers.",
)
@output_options("Write the answer as JSON, for other programs")
def command(
    network: str,
    evidence: tuple[str, ...],
    targets: tuple[str, ...],
    interventions: tuple[str, ...],
    joint: bool,
    most_probable: bool,
    json_to: str | None,
    quiet: bool,
) -> None:
    """Ask NETWORK for the distribution of variables, given what is known of others; exact.

    NETWORK is a .bif, .xmlbif or .net file, or a .json file with probabilities, as `learn -o` writes them.
    Of a continuous variable it tells mean and standard deviation.
    """
    import bayesloom
    from bayesloom.networks.network import Network

    if joint and most_probable:
        raise click.UsageError("--joint and --most-probable exclude each other.")
    if joint and not targets:
        raise click.UsageError("--joint needs the --target that it is about.")
    check_outputs(json_to, reads=[network])
    asked = bayesloom.read_network(network)
    if isinstance(asked, Network):
        raise InputError(
            f"{network} has no probabilities to ask; give a network that has, as"
            " `bayesloom learn DATA -o network.bif` writes it."
        )
    assumed: list[tuple[str, str]] = []
    done = _given("--do", interventions, asked)
    known = _given("--evidence", evidence, asked)
    if both := [name for name in done if name in known]:
        raise InputError(f"variable {both[0]!r} is set by --do and given as --evidence; give one of them.")
    if done:
        assumed = _assumed(asked, done)
        if assumed:
            click.echo(one_line(f"note: {_in_words(assumed)}"), err=True)
        asked = asked.do(done)
    told = {**done, **known}  # a variable that is set has that value for certain
    condition = _condition(done, known)
    if most_probable:
        answer = _explained(asked, told, targets, condition, quiet or json_to == "-")
    else:
        answer = _distributions(asked, told, targets, joint, condition, quiet or json_to == "-")
    if json_to is not None:
        given = {"evidence": known, "do": done, "assumes": [list(edge) for edge in assumed]}
        write_json(
            {"bayesloom": bayesloom.__version__, "command": "query", "network": network, **given, **answer},
            json_to,
        )


def _given(option: str, texts: Sequence[str], network: AnyFitted) -> dict[str, str]:
    """Return names and values; a name may hold ``=``, so the longest that is a variable is taken."""
    known = set(network.names)
    found: dict[str, str] = {}
    for text in texts:
        ends = [k for k, letter in enumerate(text) if letter == "="]
        if not ends:
            raise InputError(f"{option} must look like NAME=VALUE, got {shown(text)}.")
        end = max((k for k in ends if text[:k].strip() in known), default=ends[0])
        name, value = text[:end].strip(), text[end + 1 :].strip()
        if name not in known:
            near = did_you_mean(name, network.names)
            raise InputError(f"{option} {shown(text)}: the network has no variable {shown(name)}.{near}")
        if name in found:
            raise InputError(f"{option} names variable {name!r} twice.")
        found[name] = value
    return found


def _assumed(network: AnyFitted, done: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the edges at variables that are set, as they point, that an equivalent network turns."""
    either_way = {frozenset(edge) for edge in network.network.cpdag.reversible}
    return [
        (a, b)
        for a, b in network.network.edges
        if frozenset((a, b)) in either_way and (a in done or b in done)
    ]


def _in_words(assumed: Sequence[tuple[str, str]]) -> str:
    """Return what an answer takes for granted of edges that rows alone do not direct.

    >>> print(_in_words([("cancer", "smoking")]))
    the answer holds only if 'cancer' is a cause of 'smoking', as the network draws it: no table \
without interventions tells, since an equivalent network turns this edge.
    """
    from bayesloom.table.columns import listed

    edges = listed([f"{a!r} is a cause of {b!r}" for a, b in assumed])
    these = "this edge" if len(assumed) == 1 else "these edges"
    return (
        f"the answer holds only if {edges}, as the network draws it: no table without interventions tells,"
        f" since an equivalent network turns {these}."
    )


def _condition(done: Mapping[str, str], known: Mapping[str, str]) -> str:
    parts = [f"do({name} = {value})" for name, value in done.items()]
    parts += [f"{name} = {value}" for name, value in known.items()]
    return f" | {', '.join(parts)}" if parts else ""


def _distributions(
    network: AnyFitted,
    known: Mapping[str, str],
    targets: Sequence[str],
    joint: bool,
    condition: str,
    silent: bool,
) -> dict[str, Any]:
    if joint and (continuous := [name for name in targets if name in getattr(network, "continuous", ())]):
        raise InputError(f"--joint is for discrete variables, and {continuous[0]!r} is continuous.")
    if joint:
        table = network.query(list(targets), known)
        rows = [(", ".join(states), p) for states, p in table.items()]
        if not silent:
            _print(f"P({', '.join(targets)}{condition})", rows)
        return {
            "targets": list(targets),
            "joint": [
                {"states": dict(zip(targets, states, strict=True)), "probability": p}
                for states, p in table.items()
            ],
        }
    each = network.query(list(targets) or None, known, joint=False)
    plain: dict[str, Any] = {}
    for name, found in each.items():
        if isinstance(found, dict):
            plain[name] = found
        else:
            plain[name] = {"mean": found.mean, "sd": found.sd}
        if not silent:
            _print(
                f"{'P' if isinstance(found, dict) else 'density'}({name}{condition})",
                list(plain[name].items()),
            )
    return {"targets": list(each), "distributions": plain}


def _explained(
    network: AnyFitted, known: Mapping[str, str], targets: Sequence[str], condition: str, silent: bool
) -> dict[str, Any]:
    found = network.most_probable(known, list(targets) or None)
    if not silent:
        given = f" given {condition.removeprefix(' | ')}" if condition else ""
        numbers = any(isinstance(value, float) for value in found.states.values())
        kind = "density" if numbers else "probability"
        click.echo(one_line(f"most probable together{given}: {kind} {found.probability:.4g}"))
        width = max(map(len, found.states))
        for name, state in found.states.items():
            shown = f"{state:.6g}" if isinstance(state, float) else state
            click.echo(one_line(f"  {name:<{width}}  {shown}"))
    return {
        "targets": list(found.states),
        "most_probable": {
            "states": found.states,
            "probability": found.probability,
            "log_probability": found.log_probability,
        },
    }


def _print(title: str, rows: Sequence[tuple[str, float]]) -> None:
    click.echo(one_line(title))
    width = max(len(state) for state, _ in rows)
    for state, p in rows[:SHOWN]:
        click.echo(one_line(f"  {state:<{width}}  {p:.6g}"))
    if len(rows) > SHOWN:
        click.echo(f"  and {len(rows) - SHOWN:,} more; --json writes all")
