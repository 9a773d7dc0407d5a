"""Certificates of what solvers found: proofs that `bayesloom.verify_run` checks, see ``docs/certificate.md``.

A solver may return its own proof (`Answer.certificate`).  For any other answer a certificate is made here
from the dual prices of the root: either these close the gap by themselves, or they bound a search over sets
of placed variables, which the checker repeats.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

from bayesloom import _core
from bayesloom.errors import InternalError
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import Constrained
from bayesloom.solvers.highs import HighsProgram, with_highs
from bayesloom.solvers.protocol import Answer, SearchLimits
from bayesloom.verification.certificate import certificate_text, check_certificate, parsed

__all__ = ["Certified", "certified"]

Inequality: TypeAlias = tuple[list[int], int, int, list[int]]
"""Members, need, price in fixed point, and the blocks of an inequality of four or none."""

MOST_FOR_SETS = 64  # variables of a component
MOST_IN_LAYER = 500_000  # sets of one size that a certificate has the checker go through: some seconds
BYTES_OF_SET = 64  # as the checker counts
LEAST_WORK, WORK_PART = 20_000_000, 3  # of branch and cut: half a minute, and so often what the search took
FIXES = 3  # times that candidates are fixed before the gap counts as not closed by prices


@dataclass(frozen=True)
class Certified:
    """A certificate and the bound that it proves, in units; or why there is none."""

    text: str | None
    bound: int
    why: str = ""


def certified(held: Constrained, cache: ScoreCache, answer: Answer, limits: SearchLimits) -> Certified:
    """Return a certificate of an answer to a cache under constraints, checked.

    Where the gap is open it proves the bound of the prices, which may be above that of the answer.
    """
    if answer.interrupted:
        return Certified(None, answer.bound, "the search was interrupted")
    _, _, first, flat = held.plain.core.plain_views
    parents = [list(flat[first[c] : first[c + 1]]) for c in answer.candidates]
    own = answer.certificate
    made = _made(held.shown, answer, limits) if own is None else _Body(own, answer.bound)
    if isinstance(made, str):
        return Certified(None, answer.bound, made)
    text = certificate_text(
        cache, held.constraints.to_json(), parents, answer.score, made.bound, made.text, made.finer
    )
    most = min(limits.memory_bytes / 2, MOST_IN_LAYER * BYTES_OF_SET if made.tried else inf)
    problem = check_certificate(parsed(text, "certificate"), cache, memory_bytes=most).problem
    if made.tried and "its sets do not fit the memory" in problem:
        return Certified(
            None, answer.bound, "prices do not close the gap, and there are too many sets to go through"
        )
    if problem:
        raise InternalError(
            f"the certificate of a search failed its check: {problem} "
            "Please report this with the score cache and the options."
        )
    return Certified(text, made.bound)


@dataclass(frozen=True)
class _Body:
    """What is to prove a bound, and how much finer than units its prices are."""

    text: str
    bound: int
    finer: int = 0
    tried: bool = False
    """Whether it may have the checker go through too many sets."""


class _Writer:
    """The records of a body: rules first, then what is put in."""

    def __init__(self, lists: Sequence[Sequence[Inequality]]) -> None:
        self.lines: list[str] = []
        self.numbers: dict[str, int] = {}
        self.members: list[frozenset[int]] = []
        self.lists: list[dict[int, int]] = []
        """Of each list the prices by rule."""
        for inequalities in lists:
            prices: dict[int, int] = {}
            for members, need, price, blocks in inequalities:
                words: list[object] = ["four" if blocks else "cluster", need, *sorted(members)]
                rule = self.rule(" ".join(map(str, [*words, *(("/", *blocks) if blocks else ())])), members)
                prices[rule] = prices.get(rule, 0) + price
            self.lists.append(prices)

    def rule(self, line: str, members: Iterable[int]) -> int:
        """Return the number of a rule, which is put in when it is first asked for."""
        if line not in self.numbers:
            self.numbers[line] = len(self.members)
            self.members.append(frozenset(members))
            self.lines.append(line)
        return self.numbers[line]

    def put(self, *words: object) -> None:
        self.lines.append(" ".join(map(str, words)))

    def fix_in_turn(self, within: Iterable[int] | None = None) -> None:
        """Put in a `fix` by each list of prices, or by those of rules within a set of variables."""
        inside = None if within is None else frozenset(within)
        before: dict[int, int] = {}
        for prices in self.lists:
            now = {r: y for r, y in prices.items() if y > 0 and (inside is None or self.members[r] <= inside)}
            gone = [f"{r}:0" for r in before if r not in now]
            self.put("fix", *gone, *(f"{r}:{y}" for r, y in now.items() if before.get(r) != y))
            before = now

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def _made(shown: ScoreCache, answer: Answer, limits: SearchLimits) -> _Body | str:
    """Return the body of a certificate, or why there is none."""
    begin = time.perf_counter()
    root = _core.bblp(
        shown.core,
        seed=limits.seed,
        branch=False,
        start=list(answer.candidates),
        memory_bytes=limits.memory_bytes,
        seconds=limits.seconds,
        work=limits.work,
        progress=limits.progress,
    )
    if root["interrupted"]:
        return "the search was interrupted"
    # The prices that took candidates out on the way to the last, which are for what they left.
    lists = [*root["fixes"], *([root["clusters"]] * FIXES)]
    bounds = [_core.dual_bound(shown.core, answer.score, lists[:count])[0] for count in range(len(lists) + 1)]
    bound = min(bounds)
    lists = lists[: bounds.index(bound)]
    if bound <= answer.score or not answer.proved:
        writer = _Writer(lists)
        writer.put("fix")  # by losses alone, as the core does
        writer.fix_in_turn()
        writer.put("leaf")
        return _Body(writer.text(), max(bound, answer.score))
    cut = _by_branch_and_cut(shown, answer, limits.left(begin), lists)
    if cut is not None:
        return cut
    components = _components(shown)
    large = max(map(len, components))
    if large > MOST_FOR_SETS:
        return (
            f"prices do not close the gap, and a component has {large} variables, "
            f"more than the {MOST_FOR_SETS} that can be gone through by sets"
        )
    writer = _Writer(lists)
    scores = shown.core.plain_views[1]
    single = [v for part in components if len(part) == 1 for v in part]
    parts = [part for part in components if len(part) > 1] + ([single] if single else [])
    if len(parts) > 1:
        writer.put("parts", len(parts))
    else:
        writer.put("fix")
    for part in parts:
        if len(parts) > 1:
            writer.put("part", sum(scores[answer.candidates[v]] for v in part), *part)
        if part is single:
            writer.put("leaf")
        else:
            writer.fix_in_turn(part)
            writer.put("sets")
    return _Body(writer.text(), answer.score, tried=True)


def _by_branch_and_cut(
    shown: ScoreCache, answer: Answer, limits: SearchLimits, lists: list[list[Inequality]]
) -> _Body | str | None:
    """Return the proof of branch and cut, if that ends within a few times the work of the search."""

    def proof(program: HighsProgram | None) -> dict[str, Any] | None:
        if program is None:
            return None
        return _core.cut_proof(
            shown.core,
            answer.score,
            program,
            lists,
            limits.seed,
            seconds=limits.seconds,
            work=limits.work if limits.work is not None else LEAST_WORK + WORK_PART * answer.work,
            progress=limits.progress,
        )

    tree, _ = with_highs(proof)
    if tree is None:
        return None
    if tree["interrupted"]:
        return "the search was interrupted"
    return _Body(tree["body"], answer.score, tree["finer"]) if tree["body"] else None


def _components(cache: ScoreCache) -> list[list[int]]:
    """Return the groups of variables that no cycle of candidates leaves."""
    first, _, parent_first, parents = cache.core.plain_views
    pairs = [
        sorted({parents[k] for k in range(parent_first[first[v]], parent_first[first[v + 1]])})
        for v in range(cache.variable_count)
    ]
    return [sorted(part) for part in _core.strong_components(pairs)]
