"""Slow, obvious twin of ``constraints.model``: whether a network keeps them, each looked at by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference.graphs import Parents, is_acyclic


def keeps(parents: Parents, rules: Mapping[str, Any], limit: int | None = None) -> bool:
    """Whether a network keeps constraints, variables called by their numbers, and a limit on all parents."""

    def there(edge: tuple[int, int]) -> bool:
        return edge[0] in parents[edge[1]]

    if not all(there(edge) for edge in rules.get("required", ())):
        return False
    if any(there(edge) for edge in rules.get("forbidden", ())):
        return False
    tiers = rules.get("tiers", ())
    for k, later in enumerate(tiers):
        for earlier in tiers[:k]:
            if any(there((a, b)) for a in later for b in earlier):
                return False
    if len({v for tier in tiers for v in tier}) < sum(map(len, map(set, tiers))):
        return False  # a variable in two tiers
    if any(parents[v] for v in rules.get("roots", ())):
        return False
    if any(v in up for v in rules.get("leaves", ()) for up in parents):
        return False
    limits = rules.get("max_parents", {})
    for v, up in enumerate(parents):
        most = limits.get(v, limits.get("*"))
        if (most is not None and len(up) > most) or (limit is not None and len(up) > limit):
            return False
    more = [set(up) for up in parents]
    for a, b in rules.get("before", ()):
        more[b].add(a)
    return is_acyclic(tuple(map(frozenset, more)))


def numbered(rules: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """Constraints as JSON has them, with numbers for names."""
    index = {name: v for v, name in enumerate(names)}
    index["*"] = "*"  # type: ignore[assignment]

    def plain(value: Any) -> Any:
        if isinstance(value, str):
            return index[value]
        if isinstance(value, Mapping):
            return {index[name]: limit for name, limit in value.items()}
        return tuple(plain(part) for part in value)

    return {kind: plain(value) for kind, value in rules.items()}
