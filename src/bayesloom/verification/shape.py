"""The schema of the JSON object of a run: its keys, and the kind of each value.

A number must be a number: not a text, not null, not ``true``, not 400 digits. ``run`` checks whether it is
the right one. A missing key, or a value of another kind, is refused with one sentence; unknown keys are
returned, so that they can be reported as not checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bayesloom.errors import InputError
from bayesloom.json_input import described, is_number

__all__ = ["BOOTSTRAP", "CREDIBLE", "K_BEST", "LEARN", "POSTERIOR", "SEARCH", "Shape", "unknown_keys"]

Shape = Callable[[object, str], list[str]]
"""Takes a value and what to call it, refuses or returns unknown keys inside of it."""
VERSION = re.compile(r"[0-9]+\.[A-Za-z0-9.+-]{1,60}")


def _kind(words: str, fits: Callable[[Any], bool]) -> Shape:
    def shape(value: object, where: str) -> list[str]:
        if not fits(value):
            raise InputError(f"{where} must be {words}, found {described(value)}.")
        return []

    return shape


def _is_whole(value: object) -> bool:
    return type(value) is int and abs(value) < 2**63


number = _kind("a number", is_number)
nats = _kind("a number between -2^32 and 2^32", lambda value: is_number(value) and abs(value) <= 2**32)
nats_lost = _kind("a number between 0 and 2^32", lambda value: is_number(value) and 0 <= value <= 2**32)
not_negative = _kind("a number of at least 0", lambda value: is_number(value) and value >= 0)
share = _kind("a number between 0 and 1", lambda value: is_number(value) and 0 <= value <= 1)
whole = _kind("a whole number", _is_whole)
count = _kind("a whole number of at least 0", lambda value: _is_whole(value) and value >= 0)
# How many networks there are can have more digits than any other number.
many = _kind(
    "a whole number of at least 1",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
)
text = _kind("a text", lambda value: isinstance(value, str))
version = _kind("a version", lambda value: isinstance(value, str) and bool(VERSION.fullmatch(value)))
name = _kind("a name", lambda value: isinstance(value, str) and value != "")
flag = _kind("true or false", lambda value: isinstance(value, bool))
anything = _kind("anything", lambda _: True)


bounds = _kind(
    "a whole number and another, or null",
    lambda value: (
        isinstance(value, list)
        and len(value) == 2
        and all(type(item) is int and item >= 0 for item in value if item is not None)
        and value[0] is not None
    ),
)


def one_of(*known: str) -> Shape:
    """One of these texts."""
    return _kind(" or ".join(map(repr, known)), lambda value: isinstance(value, str) and value in known)


def or_null(inner: Shape) -> Shape:
    """Null, or what else is said."""
    return lambda value, where: [] if value is None else inner(value, where)


def list_of(inner: Shape, length: int | None = None) -> Shape:
    """A list of such values."""

    def shape(value: object, where: str) -> list[str]:
        if not isinstance(value, list) or (length is not None and len(value) != length):
            size = "" if length is None else f" of {length}"
            raise InputError(f"{where} must be a list{size}, found {described(value)}.")
        return [key for k, item in enumerate(value) for key in inner(item, f"{where}[{k}]")]

    return shape


def by_name(inner: Shape) -> Shape:
    """An object with such values under any names."""

    def shape(value: object, where: str) -> list[str]:
        if not isinstance(value, dict):
            raise InputError(f"{where} must be an object, found {described(value)}.")
        return [key for part, item in value.items() for key in inner(item, f"{where}[{described(part)}]")]

    return shape


def fields(needed: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    """An object with these keys; others are unknown."""
    known = {**needed, **(optional or {})}

    def shape(value: object, where: str) -> list[str]:
        if not isinstance(value, dict):
            raise InputError(f"{where} must be an object, found {described(value)}.")
        if missing := [key for key in needed if key not in value]:
            raise InputError(f"{where} has no {missing[0]!r}: part of it is missing.")
        found = []
        for key, item in value.items():
            if key in known:
                found += known[key](item, key if where == TOP else f"{where}.{key}")
            else:
                found.append(repr(key[:60]) if where == TOP else f"{key[:60]!r} in {where}")
        return found

    return shape


TOP = "the result"
HEAD: dict[str, Shape] = {
    "bayesloom": version,
    "command": one_of("learn", "search", "credible", "posterior", "bootstrap"),
}
UNDER: dict[str, Shape] = {
    "seconds": by_name(not_negative),
    "variables": list_of(name),
    "max_parents": or_null(count),
    "constraints": by_name(anything),
    "score_name": or_null(name),
    "score_options": by_name(number),
}
DESIGN: dict[str, Shape] = {  # older files have none
    "interventions": list_of(list_of(name)),
    "reading": by_name(anything),
}
NETWORK: dict[str, Shape] = {
    **UNDER,
    "parents": by_name(list_of(name)),
}
RESULT: dict[str, Shape] = {
    **HEAD,
    **NETWORK,
    "score": nats,
    "bound": nats,
    "gap": nats,
    "fixed_score": whole,
    "fixed_bound": whole,
    "status": one_of("optimal", "stopped"),
    "complete": flag,
    "proof": or_null(one_of("all networks", "sets scored")),
    "claim": text,
    "solver": name,
    "seed": count,
    "work": count,
    "candidates": count,
    "interrupted": flag,
    "local_scores": by_name(nats),
    "method": text,
}
EDGE = fields(
    {
        "from": name,
        "to": name,
        "compelled": or_null(flag),
        "direction": one_of("compelled", "constrained", "reversible", "undecided"),
        "strength": nats,
        "rests_on_missing": flag,
    }
)
KIND = one_of(
    "text", "true/false", "whole numbers", "numbers", "categories", "date", "continuous", "not read"
)
COLUMN = fields({"name": name, "kind": KIND, "states": count, "missing": count, "used": flag, "why": text})
TABLE = fields(
    {
        "source": text,
        "variables": count,
        "rows": count,
        "unique_rows": count,
        "states": by_name(list_of(text)),
        "cut_points": by_name(list_of(number)),
        "columns": list_of(COLUMN),
        "notes": list_of(text),
    },
    {"counts": by_name(list_of(count))},
)
SWEEP = fields(
    {
        "ess": number,
        "score": nats,
        "gap": nats_lost,
        "edges": count,
        "parents": by_name(list_of(name)),
        "chosen": flag,
    }
)
EM = fields(
    {
        "form": one_of("hard", "soft"),
        "scores": list_of(nats),
        "observed": list_of(nats),
        "converged": flag,
        "units": count,
    }
)
REMARKS: dict[str, Shape] = {
    **DESIGN,
    "bound_all_networks": or_null(nats),
    "gap_all_networks": or_null(nats_lost),
    "fixed_bound_all_networks": or_null(whole),
    "unscored_gains": by_name(nats_lost),
    "chance": or_null(fields({"pairs": count, "expected": not_negative})),
    "null": or_null(
        fields({"edges": count, "median": nats, "strongest": nats, "stronger": count, "of": count})
    ),
    "notes": list_of(text),
    "cut_by_memory": count,
    "trace": list_of(list_of(number, 4)),
    "line": text,
}
SEARCH = fields({**RESULT, "edges": list_of(EDGE)}, REMARKS)
LEARN = fields(
    {**RESULT, "edges": list_of(EDGE), "table": TABLE},
    {"ess_sweep": list_of(SWEEP), "em": EM, **REMARKS},
)
CREDIBLE = fields(
    {
        **HEAD,
        **NETWORK,
        "count": many,
        "count_is_exact": flag,
        "count_error": or_null(not_negative),
        "count_bounds": bounds,
        "count_effective": or_null(not_negative),
        "count_by": one_of("count", "walks", "populations"),
        "expected": list_of(or_null(not_negative), 2),
        "complete": flag,
        "claim": text,
        "best": nats,
        "bayes_factor": _kind("a number of at least 1", lambda value: is_number(value) and value >= 1),
        "tolerance": nats_lost,
        "components": list_of(count),
        "classes": or_null(count),
        "classes_complete": flag,
        "classes_estimate": or_null(list_of(number, 2)),
        "coverage": or_null(fields({"share": share, "among": text})),
        "coverage_missing": or_null(text),
        "edges": or_null(list_of(fields({"from": name, "to": name, "posterior": share, "adjacent": share}))),
        "edges_error": or_null(not_negative),
        "edges_missing": or_null(text),
    },
    {"line": text, **DESIGN},
)
K_BEST = fields(
    {
        **HEAD,
        **UNDER,
        "k": _kind("a whole number of at least 1", lambda value: _is_whole(value) and value >= 1),
        "by": one_of("network", "class"),
        "complete": flag,
        "stopped": flag,
        "note": or_null(text),
        "bayes_factor": _kind("a number of at least 1", lambda value: is_number(value) and value >= 1),
        "entries": list_of(
            fields(
                {"score": nats, "posterior": share, "parents": by_name(list_of(name))},
                {"members": many, "size": many},
            )
        ),
    },
    DESIGN,
)

at_least_one = _kind("a whole number of at least 1", lambda value: _is_whole(value) and value >= 1)
AVERAGED = fields(
    {
        "parents": by_name(list_of(name)),
        "expected_distance": not_negative,
        "distance": one_of("pairs", "edges"),
        "threshold": or_null(share),
        "exact": flag,
    }
)
DIAGNOSTICS = fields(
    {
        "chains": _kind("a whole number of at least 2", lambda value: _is_whole(value) and value >= 2),
        "samples": at_least_one,
        "sweeps": at_least_one,
        "r_hat": or_null(not_negative),
        "effective": not_negative,
        "effective_edges": not_negative,
        "largest_difference": share,
        "largest_edge": or_null(list_of(name, 2)),
        "accepted": by_name(share),
        "agree": flag,
    }
)
POSTERIOR = fields(
    {
        **HEAD,
        **UNDER,
        "method": one_of("exact", "chains"),
        "claim": text,
        "reliable": flag,
        "interrupted": flag,
        "stopped": flag,
        "left_out": fields({"most": or_null(share), "among": text}),
        "log_total": or_null(number),
        "deviation": not_negative,
        "diagnostics": or_null(DIAGNOSTICS),
        "draws": at_least_one,
        "edges": list_of(
            fields({"from": name, "to": name, "posterior": share, "adjacent": share, "error": not_negative})
        ),
        "edges_error": not_negative,
        "averaged": AVERAGED,
        "seed": count,
    },
    DESIGN,
)
BOOTSTRAP = fields(
    {
        **HEAD,
        **UNDER,
        "replicates": at_least_one,
        "asked": at_least_one,
        "interrupted": flag,
        "learner": name,
        "classes": flag,
        "seed": count,
        "level": _kind("a number between 0 and 1", lambda value: is_number(value) and 0 < value < 1),
        "threshold": share,
        "edges": list_of(
            fields(
                {
                    "from": name,
                    "to": name,
                    "strength": share,
                    "direction": share,
                    "low": share,
                    "high": share,
                    "significant": flag,
                }
            )
        ),
        "averaged": AVERAGED,
    },
    DESIGN,
)


def unknown_keys(run: object, shape: Shape) -> list[str]:
    """Refuse what does not have this shape; return the keys that nobody knows."""
    return shape(run, TOP)
