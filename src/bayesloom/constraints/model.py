"""Constraints: what is required of a network, and what is forbidden.

Constraints are checked for contradictions first, compiled into the candidate parent sets, so that they
make the work less instead of more, and asserted on every result.  What each one means:

================  =====================================================================================
``required``      edge ``(a, b)``: a is a parent of b
``forbidden``     edge ``(a, b)``: a is not a parent of b
``tiers``         lists of names, earliest first: no edge leads from a later tier to an earlier one;
                  variables in no tier are free
``roots``         variables without parents
``leaves``        variables without children
``max_parents``   the most parents a variable may have, by name; ``"*"`` stands for all others
``before``        pair ``(a, b)``: a comes before b in some order of the network, so no path leads from
                  b to a
================  =====================================================================================

They are given in Python, in a TOML file, or in the constraint file of GOBNILP; see
`bayesloom.constraints.files`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from bayesloom.errors import InfeasibleError, InputError, shown, unknown
from bayesloom.limits import check_count
from bayesloom.networks.network import MAX_VARIABLES, Network

__all__ = ["Constraints"]

Edge = tuple[str, str]
Rule = tuple[list[int], list[int], int | None]
ALL = "*"


@dataclass(frozen=True, init=False)
class Constraints:
    """Required and forbidden edges, tiers, roots, leaves, limits on parents and orders.

    Examples
    --------
    >>> rules = Constraints(required=[("rain", "wet")], leaves=["wet"], max_parents={"wet": 2})
    >>> rules.problems(["rain", "wet"])
    []
    >>> Constraints(required=[("a", "b")], roots=["b"]).problems(["a", "b"])
    ["required edge 'a' -> 'b' leads into root 'b'"]
    """

    required: tuple[Edge, ...]
    forbidden: tuple[Edge, ...]
    tiers: tuple[tuple[str, ...], ...]
    roots: tuple[str, ...]
    leaves: tuple[str, ...]
    max_parents: Mapping[str, int]
    before: tuple[Edge, ...]
    of_score: bool
    """Whether nobody gave them: they are what the score allows, see `bayesloom.scoring.registry`."""

    def __init__(
        self,
        required: Iterable[Sequence[str]] = (),
        forbidden: Iterable[Sequence[str]] = (),
        tiers: Iterable[Sequence[str]] = (),
        roots: Iterable[str] = (),
        leaves: Iterable[str] = (),
        max_parents: Mapping[str, int] | int | None = None,
        before: Iterable[Sequence[str]] = (),
        of_score: bool = False,
    ) -> None:
        put = object.__setattr__
        put(self, "required", _pairs("required", required))
        put(self, "forbidden", _pairs("forbidden", forbidden))
        put(
            self,
            "tiers",
            tuple(_names(f"tier {k + 1}", tier) for k, tier in enumerate(_listed("tiers", tiers))),
        )
        put(self, "roots", _names("roots", roots))
        put(self, "leaves", _names("leaves", leaves))
        put(self, "max_parents", _limits(max_parents))
        put(self, "before", _pairs("before", before))
        if not isinstance(of_score, bool):
            raise InputError(f"constraint 'of_score' must be true or false, got {shown(of_score)}.")
        put(self, "of_score", of_score)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read constraints from a file: ``.toml``, or GOBNILP's format under any other name."""
        from bayesloom.constraints.files import read_constraints

        return cls(**read_constraints(path))

    @classmethod
    def given(
        cls, constraints: Constraints | Mapping[str, Any] | str | os.PathLike[str] | None
    ) -> Constraints:
        """Return constraints from whatever a user may give: an instance, a dictionary, a path, None."""
        if constraints is None:
            return cls()
        if isinstance(constraints, Constraints):
            return constraints
        if isinstance(constraints, (str, os.PathLike)):
            return cls.read(constraints)
        if not isinstance(constraints, Mapping):
            raise InputError(
                f"constraints must be Constraints, a dictionary or a path, got {type(constraints).__name__}."
            )
        known = [entry.name for entry in fields(cls)]
        for name in constraints:
            if name not in known:
                raise unknown("constraint", name, known)
        return cls(**constraints)

    def __bool__(self) -> bool:
        return any(getattr(self, entry.name) for entry in fields(self) if entry.name != "of_score")

    def to_json(self) -> dict[str, Any]:
        """Return what was given as plain lists and dictionaries; `given` takes it back."""
        plain: dict[str, Any] = {}
        for entry in fields(self):
            if value := getattr(self, entry.name):
                if entry.name == "of_score":
                    plain[entry.name] = value
                elif entry.name == "max_parents":
                    plain[entry.name] = dict(value)
                else:
                    plain[entry.name] = [part if isinstance(part, str) else list(part) for part in value]
        return plain

    def together_with(self, other: Constraints) -> Constraints:
        """Return both; of two limits on parents the smaller.

        Of two lists of tiers that differ, the second is told as forbidden edges.

        >>> one = Constraints(tiers=[["a", "b"], ["c"]])
        >>> one.together_with(Constraints(tiers=[["a"], ["b", "c"]])).forbidden
        (('b', 'a'),)
        """
        if not other or self == other:
            return self
        if not self:
            return other
        backward = other.backward_edges(unless=self.tiers) if self.tiers else []
        mine, theirs = dict(self.max_parents), dict(other.max_parents)
        limits = {}
        for name in {**mine, **theirs}:
            both = [group.get(name, group.get(ALL)) for group in (mine, theirs)]
            limits[name] = min(limit for limit in both if limit is not None)
        return Constraints(
            required=list(dict.fromkeys(self.required + other.required)),
            forbidden=list(dict.fromkeys((*self.forbidden, *other.forbidden, *backward))),
            tiers=self.tiers or other.tiers,
            roots=list(dict.fromkeys(self.roots + other.roots)),
            leaves=list(dict.fromkeys(self.leaves + other.leaves)),
            max_parents=limits,
            before=list(dict.fromkeys(self.before + other.before)),
            of_score=self.of_score and other.of_score,
        )

    def backward_edges(self, unless: Sequence[Sequence[str]] = ()) -> list[Edge]:
        """Return the edges that the tiers forbid, but for those that other tiers forbid anyway."""
        tier = {name: k for k, names in enumerate(unless) for name in names}
        return [
            (a, b)
            for k, later in enumerate(self.tiers)
            for earlier in self.tiers[:k]
            for a in later
            for b in earlier
            if not (a in tier and b in tier and tier[a] > tier[b])
        ]

    # Contradictions

    def check(self, names: Sequence[str], max_parents: int | None = None) -> None:
        """Raise an error that names what is wrong, if anything is.

        A name that is not among the variables is an `InputError`; constraints that no network over the
        variables satisfies are an `InfeasibleError`, also if it is only a limit on the parents of all
        variables that they contradict.
        """
        self._check_names(names)
        if problems := self.problems(names, max_parents):
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            raise InfeasibleError(f"no network satisfies the constraints: {problems[0]}{more}.")

    def problems(self, names: Sequence[str], max_parents: int | None = None) -> list[str]:
        """Return the contradictions, one phrase each; none means that some network satisfies all.

        >>> Constraints(required=[("a", "b")]).problems(["a", "b"], max_parents=0)
        ["'b' has 1 required parent ('a'), but no variable may have more than 0 parents"]
        """
        found = []
        forbidden, roots, leaves = set(self.forbidden), set(self.roots), set(self.leaves)
        tier_of: dict[str, int] = {}
        for k, tier in enumerate(self.tiers):
            for name in tier:
                if name in tier_of and tier_of[name] != k:
                    found.append(f"{name!r} is in tier {tier_of[name] + 1} and in tier {k + 1}")
                tier_of.setdefault(name, k)
        parents: dict[str, list[str]] = {}
        for a, b in self.required:
            edge = f"required edge {a!r} -> {b!r}"
            if a not in parents.setdefault(b, []):
                parents[b].append(a)
            if (a, b) in forbidden:
                found.append(f"{edge} is forbidden too")
            if b in roots:
                found.append(f"{edge} leads into root {b!r}")
            if a in leaves:
                found.append(f"{edge} leads out of leaf {a!r}")
            if a in tier_of and b in tier_of and tier_of[a] > tier_of[b]:
                found.append(f"{edge} leads from tier {tier_of[a] + 1} back to tier {tier_of[b] + 1}")
        for name, chosen in parents.items():
            limit = self.max_parents.get(name, self.max_parents.get(ALL))
            if max_parents is not None and (limit is None or max_parents < limit):
                limit, words = max_parents, f"no variable may have more than {counted_parents(max_parents)}"
            else:
                words = f"may have {limit} at most"
            if limit is not None and len(chosen) > limit:
                many = f"{len(chosen)} required parent{'s' if len(chosen) > 1 else ''}"
                shown = ", ".join(map(repr, chosen[:5])) + (", ..." if len(chosen) > 5 else "")
                found.append(f"{name!r} has {many} ({shown}), but {words}")
        if cycle := self._cycle():
            found.append(cycle)
        return found

    def _cycle(self) -> str | None:
        """Return a cycle of required edges and orders in words, if there is one."""
        reasons = dict.fromkeys(self.before, "before") | dict.fromkeys(self.required, "->")
        after: dict[str, list[str]] = {}
        for a, b in reasons:
            after.setdefault(a, []).append(b)
        done: set[str] = set()
        for start in after:
            path: dict[str, None] = {}
            stack: list[tuple[str, int]] = [(start, 0)]
            while stack:
                name, k = stack.pop()
                if k == 0:
                    if name in done:
                        continue
                    path[name] = None
                nexts = after.get(name, [])
                if k == len(nexts):
                    done.add(name)
                    path.popitem()
                    continue
                stack.append((name, k + 1))
                if nexts[k] in path:
                    along = list(path)
                    ring = [*along[along.index(nexts[k]) :], nexts[k]]
                    shown = repr(ring[0])
                    for a, b in itertools.pairwise(ring):
                        shown += f" {reasons[a, b]} {b!r}"
                    kinds = {reasons[pair] for pair in itertools.pairwise(ring)}
                    what = (
                        "required edges"
                        if kinds == {"->"}
                        else "orders"
                        if kinds == {"before"}
                        else ("required edges and orders")
                    )
                    return f"{what} form a cycle, {shown}"
                stack.append((nexts[k], 0))
        return None

    def _check_names(self, names: Sequence[str]) -> None:
        known = set(names)
        for kind in ("required", "forbidden", "before"):
            for pair in getattr(self, kind):
                for name in pair:
                    if name not in known:
                        raise unknown(f"variable in constraint {kind!r}:", name, list(names))
                if pair[0] == pair[1]:
                    raise InputError(f"constraint {kind!r} pairs variable {pair[0]!r} with itself.")
        for kind in ("roots", "leaves"):
            for name in getattr(self, kind):
                if name not in known:
                    raise unknown(f"variable in constraint {kind!r}:", name, list(names))
        for tier in self.tiers:
            for name in tier:
                if name not in known:
                    raise unknown("variable in constraint 'tiers':", name, list(names))
        for name in self.max_parents:
            if name != ALL and name not in known:
                raise unknown("variable in constraint 'max_parents':", name, list(names))

    # What follows for each variable

    def rules(self, names: Sequence[str], max_parents: int | None = None) -> list[Rule]:
        """Return for each variable required parents, forbidden parents and the most there may be.

        For constraints that `check` has passed, with the same limit on the parents of all variables.
        """
        index = {name: v for v, name in enumerate(names)}
        roots = set(self.roots)
        required: list[set[int]] = [set() for _ in names]
        forbidden: list[set[int]] = [set() for _ in names]
        for a, b in self.required:
            required[index[b]].add(index[a])
            forbidden[index[a]].add(index[b])
        for a, b in self.forbidden:
            forbidden[index[b]].add(index[a])
        for a, b in self.before:
            forbidden[index[a]].add(index[b])
        later: set[int] = set()
        for tier in reversed(self.tiers):
            here = {index[name] for name in tier}
            for v in here:
                forbidden[v] |= later
            later |= here
        for leaf in self.leaves:
            for v in range(len(names)):
                if v != index[leaf]:
                    forbidden[v].add(index[leaf])
        made: list[Rule] = []
        for v, name in enumerate(names):
            limits = [max_parents, self.max_parents.get(name, self.max_parents.get(ALL))]
            if name in roots:
                limits.append(0)
            most = min((limit for limit in limits if limit is not None), default=None)
            made.append((sorted(required[v]), sorted(forbidden[v] - {v}), most))
        return made

    def broken_by(self, network: Network | Mapping[str, Iterable[str]]) -> list[str]:
        """Return which constraints a network, or a dictionary of parents, breaks, one phrase each.

        >>> from bayesloom import Network
        >>> Constraints(forbidden=[("a", "b")]).broken_by(Network(["a", "b"], [[], [0]]))
        ["forbidden edge 'a' -> 'b' is there"]
        """
        found = []
        roots, leaves = set(self.roots), set(self.leaves)
        lists = network.parents if isinstance(network, Network) else network
        parents = {name: set(given) for name, given in lists.items()}
        for a, b in self.required:
            if a not in parents[b]:
                found.append(f"required edge {a!r} -> {b!r} is missing")
        for a, b in self.forbidden:
            if a in parents[b]:
                found.append(f"forbidden edge {a!r} -> {b!r} is there")
        tier_of = {name: k for k, tier in enumerate(self.tiers) for name in tier}
        for b, given in parents.items():
            for a in sorted(given):
                if a in tier_of and b in tier_of and tier_of[a] > tier_of[b]:
                    found.append(
                        f"edge {a!r} -> {b!r} leads from tier {tier_of[a] + 1} to tier {tier_of[b] + 1}"
                    )
                if a in leaves:
                    found.append(f"leaf {a!r} has child {b!r}")
            limit = self.max_parents.get(b, self.max_parents.get(ALL))
            if limit is not None and len(given) > limit:
                found.append(f"{b!r} has {counted_parents(len(given))}, more than {limit}")
            if b in roots and given:
                found.append(f"root {b!r} has parents")
        edges = [(a, b) for b, given in parents.items() for a in sorted(given)]
        if self.before and (phrase := Constraints(required=edges, before=self.before)._cycle()):
            found.append(f"no order of the network keeps all pairs of 'before': {phrase}")
        return found


def counted_parents(number: int) -> str:
    """Return a number of parents in words.

    >>> counted_parents(1)
    '1 parent'
    """
    return f"{number} parent{'s' if number != 1 else ''}"


def _listed(kind: str, given: Any) -> list[Any]:
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise InputError(f"constraint {kind!r} must be a list, got {shown(given)}.")
    return list(given)


def _names(kind: str, given: Any) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) and kind in ("roots", "leaves") else _listed(kind, given)
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"constraint {kind!r} takes names of variables, got {shown(name)}.")
    return tuple(names)


def _pairs(kind: str, given: Any) -> tuple[Edge, ...]:
    pairs = []
    for pair in _listed(kind, given):
        names = _listed(kind, pair)
        if len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise InputError(
                f"constraint {kind!r} takes pairs of names such as ['a', 'b'], got {shown(pair)}."
            )
        pairs.append((names[0], names[1]))
    return tuple(pairs)


def _limits(given: Mapping[str, int] | int | None) -> dict[str, int]:
    if given is None:
        return {}
    limits = dict(given) if isinstance(given, Mapping) else {ALL: given}
    for name, limit in limits.items():
        check_count(f"max_parents of {name!r}", limit, least=0, most=MAX_VARIABLES)
    return limits
