"""What a report can be made of: the JSON object of a run, its fields and of which kind each must be.

What is wrong is refused with one sentence that names the field. More fields may be there: they are not shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.json_input import described, field, is_number
from bayesloom.networks.network import Network

__all__ = ["check_bootstrap", "check_credible", "check_posterior", "check_run"]

NEEDED = ("score", "bound", "gap", "status", "claim", "solver", "parents")


def check_run(run: Mapping[str, Any], name: str) -> None:
    """Refuse what is not the JSON object of a run, with the field that is wrong.

    A report shows what the run says; that it is true is for ``bayesloom verify`` to check.
    """
    for key in NEEDED:
        if key not in run:
            raise InputError(
                f"{name} is not the JSON object of a run of learn or search: {key!r} is missing. Give what"
                " --json wrote; -o writes the network alone."
            )
    for key, kind in FIELDS.items():
        field(run, key, kind, name, *([] if key in NEEDED else [None]))
    variables = run.get("variables")
    structure = Network(list(run["parents"]) if variables is None else variables, run["parents"])
    if len(run["parents"]) != len(structure.names):
        raise InputError(f'{name}: "variables" has a name that "parents" has not.')
    for key, fields in PARTS.items():
        part = run.get(key) or []
        for k, entry in enumerate(part if isinstance(part, list) else [part]):
            where = f"{name}, {key}[{k}]" if isinstance(part, list) else f"{name}, {key}"
            if not isinstance(entry, dict):
                raise InputError(f"{where}: expected an object, found {described(entry)}.")
            for inner, kind in fields.items():
                field(entry, inner, kind, where)
    for k, point in enumerate(run.get("trace") or []):
        if not (isinstance(point, list) and len(point) == 4 and all(map(is_number, point))):
            raise InputError(
                f"{name}, trace[{k}]: expected a list of four numbers, found {described(point)}."
            )
    columns = field(run.get("table") or {}, "columns", "a list", f"{name}, table", None)
    for k, entry in enumerate(columns or []):
        where = f"{name}, table.columns[{k}]"
        if not isinstance(entry, dict):
            raise InputError(f"{where}: expected an object, found {described(entry)}.")
        for inner, kind in COLUMN.items():
            field(entry, inner, kind, where)
    edges = set(structure.edges)
    for entry in run.get("edges") or []:
        if (entry["from"], entry["to"]) not in edges:
            edge = f"{entry['from']!r} -> {entry['to']!r}"
            raise InputError(f"{name}: edge {edge} of this run is not among its parents.")
    Constraints.given(run.get("constraints")).check(structure.names)


# What a report reads, and of which kind it must be. More may be there: it is not shown.
FIELDS = {
    **dict.fromkeys(("score", "bound", "gap"), "a number"),
    **dict.fromkeys(
        ("status", "claim", "solver", "bayesloom", "method", "line", "score_name", "command"), "a text"
    ),
    **dict.fromkeys(("candidates", "seed"), "a whole number"),
    **dict.fromkeys(("seconds", "local_scores", "score_options"), "an object with numbers"),
    **dict.fromkeys(("edges", "ess_sweep", "trace"), "a list"),
    **dict.fromkeys(("table", "constraints"), "an object"),
    "interrupted": "true or false",
    "notes": "a list of texts",
    "null": "an object",
    "variables": "a list of texts",
    "parents": "an object with lists of names",
}
PARTS = {
    "edges": {"from": "a text", "to": "a text", "compelled": "true, false or null", "strength": "a number"},
    "ess_sweep": {
        **dict.fromkeys(("ess", "score", "gap"), "a number"),
        "edges": "a whole number",
        "chosen": "true or false",
    },
    "null": {
        **dict.fromkeys(("edges", "stronger", "of"), "a whole number"),
        **dict.fromkeys(("median", "strongest"), "a number"),
    },
    "table": {
        "source": "a text",
        **dict.fromkeys(("variables", "rows", "unique_rows"), "a whole number"),
        "notes": "a list of texts",
    },
}


COLUMN = {
    **dict.fromkeys(("name", "kind", "why"), "a text"),
    **dict.fromkeys(("states", "missing"), "a whole number"),
    "used": "true or false",
}


# The same of what says how sure edges are: what must be there, and what may be.
CREDIBLE = {
    **dict.fromkeys(("bayes_factor", "best"), "a number"),
    "claim": "a text",
    "parents": "an object with lists of names",
}
POSTERIOR = {"claim": "a text", "draws": "a whole number", "edges": "a list", "averaged": "an object"}
BOOTSTRAP = {
    **dict.fromkeys(("replicates", "asked"), "a whole number"),
    "learner": "a text",
    "threshold": "a number",
    "edges": "a list",
    "averaged": "an object",
}
HOW_SURE = {
    "variables": "a list of texts",
    "constraints": "an object",
    "seconds": "an object with numbers",
    "score_options": "an object with numbers",
    **dict.fromkeys(
        ("bayesloom", "score_name", "coverage_missing", "edges_missing", "line", "command"), "a text"
    ),
    "seed": "a whole number",
    "edges": "a list",
    "edges_error": "a number",
}
CREDIBLE_TOO = {"classes": "a whole number", "classes_complete": "true or false", "coverage": "an object"}
DIAGNOSTICS = {"chains": "a whole number", "effective": "a number", "agree": "true or false"}


def check_credible(run: Mapping[str, Any], name: str) -> None:
    """Refuse what is not the JSON object of ``bayesloom credible``, with the field that is wrong."""
    _check_fields(run, CREDIBLE, "credible", "`bayesloom credible --json` wrote, without --k", name)
    for key, kind in CREDIBLE_TOO.items():
        field(run, key, kind, name, None)
    if coverage := run.get("coverage"):
        field(coverage, "share", "a number", f"{name}, coverage")
        field(coverage, "among", "a text", f"{name}, coverage")
    _check_edges(run, run["parents"], ("posterior", "adjacent"), name)


def check_posterior(run: Mapping[str, Any], name: str) -> None:
    """Refuse what is not the JSON object of ``bayesloom posterior``, with the field that is wrong."""
    _check_fields(run, POSTERIOR, "posterior", "`bayesloom posterior --json` wrote", name)
    if told := run.get("diagnostics"):
        if not isinstance(told, dict):
            raise InputError(f"{name}, diagnostics: expected an object, found {described(told)}.")
        for key, kind in DIAGNOSTICS.items():
            field(told, key, kind, f"{name}, diagnostics")
        if told.get("r_hat") is not None:
            field(told, "r_hat", "a number", f"{name}, diagnostics")
    averaged = field(run["averaged"], "parents", "an object with lists of names", f"{name}, averaged")
    _check_edges(run, averaged, ("posterior", "adjacent"), name)


def check_bootstrap(run: Mapping[str, Any], name: str) -> None:
    """Refuse what is not the JSON object of ``bayesloom bootstrap``, with the field that is wrong."""
    _check_fields(run, BOOTSTRAP, "bootstrap", "`bayesloom bootstrap --json` wrote", name)
    averaged = field(run["averaged"], "parents", "an object with lists of names", f"{name}, averaged")
    _check_edges(run, averaged, ("strength", "direction"), name)
    for k, edge in enumerate(run["edges"]):
        field(edge, "significant", "true or false", f"{name}, edges[{k}]")


def _check_fields(run: Mapping[str, Any], needed: Mapping[str, str], verb: str, give: str, name: str) -> None:
    for key, kind in needed.items():
        if key not in run:
            raise InputError(
                f"{name} is not the JSON object of a run of {verb}: {key!r} is missing. Give what {give}."
            )
        field(run, key, kind, name)
    for key, kind in HOW_SURE.items():
        if key not in needed:
            field(run, key, kind, name, None)


def _check_edges(
    run: Mapping[str, Any], parents: Mapping[str, list[str]], shares: tuple[str, str], name: str
) -> None:
    """Refuse a network and edges that do not belong together, and shares that are none."""
    variables = run.get("variables")
    structure = Network(list(parents) if variables is None else variables, parents)
    if len(parents) != len(structure.names):
        raise InputError(f'{name}: "variables" has a name that "parents" has not.')
    known = set(structure.names)
    for k, edge in enumerate(run.get("edges") or []):
        where = f"{name}, edges[{k}]"
        if not isinstance(edge, dict):
            raise InputError(f"{where}: expected an object, found {described(edge)}.")
        for end in ("from", "to"):
            if field(edge, end, "a text", where) not in known:
                raise InputError(f"{where}: {edge[end]!r:.60} is no variable of this run.")
        for key in shares:
            if not 0 <= field(edge, key, "a number", where) <= 1:
                raise InputError(f'{where}: "{key}" must lie between 0 and 1, found {edge[key]}.')
    Constraints.given(run.get("constraints")).check(structure.names)
