"""Certificates: files that prove a bound, read and checked against a score cache (``docs/certificate.md``).

This file reads the head, compares it with cache and result, and builds the candidate lists of the proof;
`bayesloom.verification.proof_tree` checks the proof itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError
from bayesloom.files import read_bytes, unpacked
from bayesloom.json_input import load_json
from bayesloom.limits import resolve_memory
from bayesloom.scoring.cache import ScoreCache
from bayesloom.verification.checks import UNIT
from bayesloom.verification.every_network import Allowed

if TYPE_CHECKING:
    from bayesloom.verification.proof_tree import Lists
    from bayesloom.verification.subject import Subject

__all__ = [
    "Certificate",
    "Proved",
    "certificate_of",
    "certificate_text",
    "check_certificate",
    "parsed",
    "read_certificate",
]

FIRST = "bayesloom certificate 1"
HEAD = re.compile(r"head ([1-9][0-9]{0,5}) ([0-9a-f]{16}) (-?[0-9]{1,19}) (-?[0-9]{1,19})")
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Certificate:
    """A certificate as it was read: what it claims, and the records that are to prove it."""

    name: str
    variables: int
    digest: str
    score: int
    bound: int
    constraints: Mapping[str, Any]
    parents: tuple[tuple[int, ...], ...]
    finer: int
    """Prices are in units of 2^-(30 + finer) nat."""
    body: str
    before: int
    """How many lines come before the body."""


@dataclass(frozen=True)
class Proved:
    """What came of checking a certificate: what is wrong, or the size of the proof."""

    problem: str = ""
    rules: int = 0
    records: int = 0
    leaves: int = 0
    sets: int = 0


def certificate_text(
    cache: ScoreCache,
    constraints: Mapping[str, Any],
    parents: Sequence[Sequence[int]],
    score: int,
    bound: int,
    body: str,
    finer: int = 0,
) -> str:
    """Return a certificate for a cache, from its parts; `body` is what a solver wrote."""
    import json

    lines = [FIRST, f"head {cache.variable_count} {cache.core.digest:016x} {score} {bound}"]
    if constraints:
        lines.append(f"constraints {json.dumps(constraints, ensure_ascii=False)}")
    if finer:
        lines.append(f"finer {finer}")
    lines += [" ".join(map(str, ("parents", v, *sorted(own)))) for v, own in enumerate(parents)]
    return "\n".join(lines) + "\n" + body


def read_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate from a file, packed or not; what it proves is not looked at."""
    file = os.fspath(path)
    name = os.path.basename(os.path.normpath(file))
    data = read_bytes(file, gzipped=False)
    if data.startswith(GZIP):
        data = unpacked(data, name)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{name}: this is no certificate: it is not text.") from None
    return parsed(text, name)


def parsed(text: str, name: str) -> Certificate:
    """Return a certificate from its text."""
    begin = 0
    line = 0

    def next_line() -> str:
        nonlocal begin, line
        while begin < len(text):
            end = text.find("\n", begin)
            end = len(text) if end < 0 else end
            found, begin, line = text[begin:end], end + 1, line + 1
            if found and not found.startswith("#"):
                return found
        raise InputError(f"{name}: the certificate ends within its head.")

    if text[:40].split("\n")[0] != FIRST:
        raise InputError(f"{name}: this is no certificate. Expected a file that begins with {FIRST!r}.")
    next_line()
    head = HEAD.fullmatch(next_line())
    if head is None:
        raise InputError(f"{name}, line {line}: expected 'head N DIGEST SCORE BOUND'.")
    n, score, bound = int(head[1]), int(head[3]), int(head[4])
    constraints: Mapping[str, Any] = {}
    parents, finer = [], 0
    for v in range(n):
        found = next_line()
        if v == 0 and found.startswith("constraints "):
            given = load_json(found.removeprefix("constraints "), f"{name}, line {line}")
            if not isinstance(given, dict):
                raise InputError(f"{name}, line {line}: constraints must be a JSON object.")
            constraints, found = given, next_line()
        if v == 0 and found.startswith("finer "):
            if not re.fullmatch(r"[1-9]|1[0-9]|20", found.removeprefix("finer ")):
                raise InputError(f"{name}, line {line}: expected 'finer S', S from 1 to 20.")
            finer, found = int(found.removeprefix("finer ")), next_line()
        words = found.split(" ")
        own = tuple(int(word) for word in words[2:] if re.fullmatch(r"0|[1-9][0-9]{0,5}", word))
        if words[:2] != ["parents", str(v)] or len(own) != len(words) - 2 or list(own) != sorted(set(own)):
            raise InputError(f"{name}, line {line}: expected 'parents {v}' and its parents, ascending.")
        parents.append(own)
    return Certificate(name, n, head[2], score, bound, constraints, tuple(parents), finer, text[begin:], line)


def check_certificate(given: Certificate, cache: ScoreCache, *, memory_bytes: float | None = None) -> Proved:
    """Check a certificate against the score cache that it is about: its network, and its proof.

    Rules and sets may take so much memory, by default half of what is free.
    """
    if problem := _head_problem(given, cache):
        return Proved(f"{given.name}: {problem}")
    from bayesloom.verification.proof_tree import MOST_SCORE, Fault, ProofTree

    lists = _lists(cache, Constraints.given(given.constraints))
    most = resolve_memory(None) / 2 if memory_bytes is None else memory_bytes
    # All in parts of a unit. Scores are whole units: what is above the bound is a whole unit above it.
    parts = 2**given.finer
    if int(abs(lists.scores).max(initial=0)) * parts >= MOST_SCORE:
        return Proved(f"{given.name}: its prices are finer than its scores allow.")
    lists, goal = replace(lists, scores=lists.scores * parts), (given.bound + 1) * parts - 1
    tree = ProofTree(lists, given.body, min(goal, MOST_SCORE), most)
    try:
        tree.check()
    except Fault as fault:
        return Proved(f"{given.name}, line {given.before + tree.line}: {fault}.")
    return Proved("", len(tree.rules), tree.records, tree.leaves, tree.sets)


def _head_problem(given: Certificate, cache: ScoreCache) -> str:
    """Return what is wrong with the head, beside the cache."""
    if given.variables != cache.variable_count:
        return f"it is about {given.variables} variables, the score cache has {cache.variable_count}."
    if given.digest != f"{cache.core.digest:016x}":
        return "it is about another score cache."
    if given.score > given.bound:
        return "the score of its network is above the bound."
    if any(p >= given.variables for own in given.parents for p in own):
        return "its network has a parent that is no variable."
    from bayesloom import _core

    if _core.check_cycle([list(own) for own in given.parents]):
        return "its network has a cycle."
    arrays = cache.first, cache.scores, cache.parent_first, cache.parents
    scores = _core.check_candidates(*arrays, [list(own) for own in given.parents])
    if None in scores:
        return "its network has a parent set that is not in the score cache."
    if sum(score for score in scores if score is not None) != given.score:
        return "the score of its network is not the one it says."
    rules = Constraints.given(given.constraints)
    rules.check(cache.names)
    names = cache.names
    network = {names[v]: [names[p] for p in own] for v, own in enumerate(given.parents)}
    if broken := rules.broken_by(network):
        return f"its network breaks its constraints: {broken[0]}."
    return ""


def _lists(cache: ScoreCache, rules: Constraints) -> Lists:
    """Return the sets of the cache that constraints allow; a is added to all sets of b for "a before b"."""
    import numpy as np

    from bayesloom.verification.proof_tree import Lists

    if not rules:
        arrays = (cache.first, cache.scores, cache.parent_first, cache.parents)
        return Lists(*(part.astype(np.int64) for part in arrays))
    allowed, names = Allowed(rules), cache.names
    earlier: dict[int, set[int]] = {}
    for a, b in rules.before:
        earlier.setdefault(cache.index(b), set()).add(cache.index(a))
    flat, edges, scores = cache.parents.tolist(), cache.parent_first.tolist(), cache.scores.tolist()
    first, kept, parent_first, parents = [0], [], [0], []
    for v, name in enumerate(names):
        for c in range(int(cache.first[v]), int(cache.first[v + 1])):
            own = flat[edges[c] : edges[c + 1]]
            if allowed.family(name, [names[p] for p in own]):
                kept.append(scores[c])
                parents += sorted({*own, *earlier.get(v, ())})
                parent_first.append(len(parents))
        first.append(len(kept))
    return Lists(*(np.array(part, dtype=np.int64) for part in (first, kept, parent_first, parents)))


def certificate_of(subject: Subject, path: str | os.PathLike[str]) -> Certificate | None:
    """Check that a file proves the bound of a result of `search`; return it if it does."""
    checks, run = subject.checks, subject.run
    if subject.own_cache is None:
        checks.skip("certificate", "it is over a score cache: of a result of search, with that cache given")
        return None
    given = read_certificate(path)
    found = check_certificate(given, subject.own_cache)
    problem = found.problem
    if not problem:
        names = subject.names
        network = {names[v]: sorted(names[p] for p in own) for v, own in enumerate(given.parents)}
        if Constraints.given(given.constraints) != subject.rules:
            problem = f"{given.name}: it is about other constraints than the result."
        elif given.bound > run["fixed_bound"]:
            proved = given.bound * UNIT
            problem = f"{given.name}: it proves the bound {proved!r}, not {run['bound']!r}, which is lower."
        elif network != {name: sorted(own) for name, own in subject.parents.items()}:
            problem = f"{given.name}: it is about another network than the result."
    size = f"{found.rules:,} rules, {found.records:,} records, {found.leaves:,} leaves"
    size += f", {found.sets:,} sets" if found.sets else ""
    checks.all_of("certificate", [problem] if problem else [], f"proved: {size}")
    return None if problem else given
