"""A proof on many machines: each block is a subtree of branch and bound, with the dual prices of its node.

`bblp` first runs here for a while.  Each component that this leaves open is divided into subtrees of branch
and bound: a subset of its candidates, and the prices of the node.  A task searches one subtree for a counted
amount of work.  It returns the best network in it, or that none is above the floor, or the subtrees that are
still open; these are tasks of the next round, with twice the work.  All tasks of a round use the floors from
its start, so a round does not depend on where, or how often, its tasks run.

A component is proved when none of its subtrees is open.  Bounds are trusted, as scores of workers are;
networks are put together and checked here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bayesloom import _core
from bayesloom.cluster.blocks import Block, run_blocks
from bayesloom.cluster.content import Content
from bayesloom.cluster.workers import TaskLimits, Workers
from bayesloom.limits import LEAST_SECONDS
from bayesloom.progress import ProgressFunction
from bayesloom.scoring.cache import ScoreCache
from bayesloom.solvers.highs import HighsProgram
from bayesloom.solvers.protocol import Answer, SearchLimits
from bayesloom.solvers.relaxation import Bblp
from bayesloom.solvers.warm_start import start_candidates

__all__ = ["SubtreeOptions", "prove_on", "search_subtree"]

MOST_WORK = 2**62
DEFAULT_MEMORY = 4e9
"""Bytes of a task where nothing is said."""


@dataclass(frozen=True)
class SubtreeOptions:
    """How a proof is cut; work is that of ``bblp``, about a million in a second of a core.

    Attributes
    ----------
    first_work
        Done here before anything is handed out: what is proved in it needs nobody.
    divide_work
        For dividing a component here.
    subtrees
        That a component, or a task that does not get to its end, is divided into: 2 to 64.
    task_work
        Of a task of the first round; each round has twice that of the one before.
    """

    first_work: int = 50_000_000
    divide_work: int = 200_000
    subtrees: int = 16
    task_work: int = 4_000_000


@dataclass(frozen=True)
class _Part:
    """Networks over some candidates of a component, with what is decided already."""

    component: int
    kept: bytes
    decided: tuple[int, ...]
    prices: Sequence[Any]
    bound: int


def prove_on(
    workers: Workers,
    solver: Bblp,
    cache: ScoreCache,
    limits: SearchLimits,
    *,
    folder: str | os.PathLike[str] | None,
    task_limits: TaskLimits,
    listener: ProgressFunction | None,
    how: SubtreeOptions | None = None,
) -> Answer:
    """Return what ``bblp`` finds, its subtrees searched by workers; `limits.start` is the network so far."""
    return _Proof(
        workers, solver, cache, limits, folder, task_limits, listener, how or SubtreeOptions()
    ).run()


class _Proof:
    def __init__(
        self,
        workers: Workers,
        solver: Bblp,
        cache: ScoreCache,
        limits: SearchLimits,
        folder: str | os.PathLike[str] | None,
        task_limits: TaskLimits,
        listener: ProgressFunction | None,
        how: SubtreeOptions,
    ) -> None:
        self.workers, self.solver, self.cache, self.limits = workers, solver, cache, limits
        self.folder, self.task_limits, self.listener, self.how = folder, task_limits, listener, how
        self.begin = time.perf_counter()
        self.first, self.scores, self.parent_first, self.parents = cache.core.plain_views
        self.owner = [v for v in range(cache.variable_count) for _ in range(self.first[v], self.first[v + 1])]
        self.work = self.tasks = 0
        self.interrupted = False
        self.network: list[int] = []
        self.score = self.root_bound = self.closed = 0
        self.open: list[_Part] = []
        self.members: list[set[int]] = []  # by component: its variables
        self.least: list[int] = []  # by component: its bound is no less
        self.trace: list[tuple[float, int, float, float]] = []

    def run(self) -> Answer:
        limits, how = self.limits, self.how
        out, notes = self.solver.with_program(self._root)
        self.network, self.score = list(out["candidates"]), out["score"]
        self.work, self.root_bound, self.closed = out["work"], out["bound"], out["closed"]
        self.trace, self.interrupted = [*out["trace"]], out["interrupted"]
        for kept, decided, prices, bound in out["open"]:
            self.members.append({self.owner[c] for c in _numbers(kept)})
            self.least.append(-(2**63))
            self.open.append(_Part(len(self.members) - 1, kept, tuple(decided), prices, bound))
        self._divide()
        work = how.task_work
        while self.open and not self._over():
            self._round(work)
            work = min(MOST_WORK, 2 * work)
        gap = _core.to_nats(self.bound - self.score)
        if (
            gap > self.solver.target_gap and not self.open and self.members
        ):  # what is best of each part does not go together
            rest = replace(limits.left(self.begin, self.work), start=tuple(self._order()))
            alone = self.solver.solve(self.cache, rest)
            return replace(alone, work=self.work + alone.work, notes=notes)
        return Answer(
            candidates=self.network,
            score=self.score,
            bound=self.bound,
            work=self.work,
            interrupted=self.interrupted,
            trace=self.trace,
            solver=f"bblp in {self.tasks} subtrees" if self.tasks else "bblp",
            notes=notes,
        )

    def _root(self, program: HighsProgram | None) -> Mapping[str, Any]:
        """Run `bblp` here for a while; what is open then comes by component."""
        limits = self.limits
        return _core.bblp(
            self.cache.core,
            seed=limits.seed,
            moves=self.solver.moves,
            sets=self.solver.sets,
            memory_bytes=limits.memory_bytes,
            threads=limits.threads,
            threads_beside=limits.threads,
            target_gap=self.solver.target_gap,
            start=start_candidates(self.cache, limits.start),
            seconds=limits.seconds,
            work=min(self.how.first_work, limits.work or MOST_WORK),
            progress=limits.progress,
            components=True,
            program=program,
        )

    def _divide(self) -> None:
        """Divide every open component here, so that there is something to hand out."""
        for part in tuple(self.open):
            if self._over():
                return
            arguments = self._arguments(part, self._floor(part), self.how.divide_work)
            seconds = self.limits.left(self.begin).seconds
            memory = self.limits.memory_bytes / 1e9
            answer = _searched(
                self.cache, arguments, TaskLimits(seconds, self.limits.threads, memory, self.limits.progress)
            )
            self.interrupted = self.interrupted or answer["interrupted"]
            self.open.remove(part)
            self._take(part, answer)
        self._record()

    def _round(self, work: int) -> None:
        """Search every open part for this much work."""
        parts = sorted(self.open, key=lambda part: -part.bound)
        if self.limits.work is not None:
            left = self.limits.left(self.begin, self.work).work or 1
            work = max(1, min(work, left // len(parts)))
        content = Content(_core.format_blc(self.cache.core), loaded)
        asked = [self._arguments(part, self._floor(part), work) for part in parts]
        blocks = [
            Block(f"subtree {i} of {len(parts)}", f"prove-{_fingerprint(content.digest, one)}.json", one)
            for i, one in enumerate(asked, 1)
        ]
        answers: dict[int, Mapping[str, Any]] = {}

        def accept(number: int, result: bytes) -> bool | None:
            answer = _read(result, asked[number]["kept"])
            if answer is None:
                return False
            answers[number] = answer
            return None if answer["late"] else True

        seconds = self.limits.left(self.begin).seconds
        finished = run_blocks(
            self.workers,
            search_subtree,
            content,
            blocks,
            accept,
            stage="search",
            folder=self.folder,
            time_limit=seconds,
            threads=1,
            memory=self.task_limits.memory,
            progress=self._telling(),
        )
        self.interrupted = self.interrupted or finished.interrupted
        self.tasks += len(answers)
        self.open = [part for number, part in enumerate(parts) if number not in answers]
        for number in sorted(answers):
            self._take(parts[number], answers[number])
        self.open = [part for part in self.open if part.bound > self._floor(part)]
        self._record()

    def _arguments(self, part: _Part, floor: int, work: int) -> dict[str, Any]:
        return {
            "kept": part.kept,
            "prices": part.prices,
            "floor": floor - sum(self.scores[c] for c in part.decided),
            "seed": self.limits.seed,
            "moves": self.solver.moves // 10,
            "sets": self.solver.sets,
            "work": work,
            "subtrees": self.how.subtrees,
        }

    def _take(self, part: _Part, answer: Mapping[str, Any]) -> None:
        """Take over what was found out about a part."""
        own = sum(self.scores[c] for c in part.decided)
        self.work += answer["work"]
        if answer["candidates"]:
            self._adopt(part.component, [*part.decided, *answer["candidates"]])
        for one in answer["open"]:
            self.open.append(
                _Part(
                    part.component,
                    _unpacked(one["kept"]),
                    (*part.decided, *one["decided"]),
                    one["prices"],
                    min(part.bound, own + one["bound"]),
                )
            )

    def _adopt(self, component: int, choice: Sequence[int]) -> None:
        """Adopt a network that improves a component, if it is acyclic together with the rest."""
        value = sum(self.scores[c] for c in choice)
        if value <= self._own(component):
            return
        network = list(self.network)
        for c in choice:
            network[self.owner[c]] = c
        if len(self._order(network)) < len(network):
            self.least[component] = max(self.least[component], value)
            return
        self.network, self.score = network, sum(self.scores[c] for c in network)

    def _own(self, component: int) -> int:
        """Return what the best network known has for a component."""
        return sum(int(self.scores[self.network[v]]) for v in self.members[component])

    def _component_bound(self, component: int) -> int:
        return max(
            self._own(component),
            self.least[component],
            *(part.bound for part in self.open if part.component == component),
        )

    @property
    def bound(self) -> int:
        """No network of the cache is better."""
        known = self.closed + sum(self._component_bound(k) for k in range(len(self.members)))
        return max(self.score, min(self.root_bound, known)) if self.members else self.root_bound

    def _floor(self, part: _Part) -> int:
        """Return what must be beaten in the component of a part; more if the others leave some of the gap."""
        own = self._own(part.component)
        others = self.bound - self.score - (self._component_bound(part.component) - own)
        allowed = int(_core.to_fixed(min(self.solver.target_gap, 1e9)))
        floor = own + max(0, allowed - max(0, others))
        self.least[part.component] = max(self.least[part.component], floor)
        return floor

    def _over(self) -> bool:
        left = self.limits.left(self.begin, self.work)
        late = left.seconds is not None and left.seconds <= LEAST_SECONDS
        spent = left.work is not None and left.work <= 1
        near = _core.to_nats(self.bound - self.score) <= self.solver.target_gap
        return self.interrupted or late or spent or near

    def _order(self, network: Sequence[int] | None = None) -> list[int]:
        """Return the variables in an order, parents first; not all of them if there is none."""
        chosen = self.network if network is None else network
        waiting = {
            v: set(self.parents[self.parent_first[c] : self.parent_first[c + 1]])
            for v, c in enumerate(chosen)
        }
        children: dict[int, list[int]] = {}
        for v, own in waiting.items():
            for p in own:
                children.setdefault(p, []).append(v)
        order = [v for v, own in waiting.items() if not own]
        for v in order:
            for child in children.get(v, ()):
                waiting[child].discard(v)
                if not waiting[child]:
                    order.append(child)
        return order

    def _record(self) -> None:
        point = (
            time.perf_counter() - self.begin,
            self.work,
            _core.to_nats(self.score),
            _core.to_nats(self.bound),
        )
        if not self.trace or self.trace[-1][2:] != point[2:]:
            self.trace.append(point)

    def _telling(self) -> ProgressFunction | None:
        listener = self.listener
        if listener is None:
            return None
        score, bound = _core.to_nats(self.score), _core.to_nats(self.bound)

        def tell(event: Any) -> None:
            listener(replace(event, score=score, bound=bound))

        return tell


def loaded(content: Any) -> ScoreCache:
    """Return the score cache of a content."""
    return ScoreCache(_core.parse_blc(bytes(content), "score cache of an executor"))


def search_subtree(cache: ScoreCache, arguments: Mapping[str, Any], limits: TaskLimits) -> bytes:
    """Search a part; runs on a worker."""
    answer = _searched(cache, arguments, limits)
    if answer["interrupted"]:
        raise KeyboardInterrupt
    return json.dumps(answer).encode()


def _searched(cache: ScoreCache, arguments: Mapping[str, Any], limits: TaskLimits) -> dict[str, Any]:
    """Return what is found in a part: its best network if that is above the floor, and what is open."""
    out = _core.bblp_part(
        cache.core,
        arguments["kept"],
        arguments["prices"],
        arguments["floor"],
        seed=arguments["seed"],
        moves=arguments["moves"],
        sets=arguments["sets"],
        memory_bytes=DEFAULT_MEMORY if limits.memory is None else limits.memory * 1e9,
        threads=limits.threads,
        subtrees=arguments["subtrees"],
        seconds=limits.seconds,
        work=arguments["work"],
        progress=limits.progress,
    )
    return {
        "candidates": list(out["candidates"]) if out["score"] > arguments["floor"] else [],
        "work": out["work"],
        "late": out["late"],
        "interrupted": out["interrupted"],
        "open": [
            {"kept": _packed(kept), "decided": list(decided), "prices": prices, "bound": bound}
            for kept, decided, prices, bound in out["open"]
        ],
    }


def _read(content: bytes, kept: bytes) -> Mapping[str, Any] | None:
    """Return the answer of a task, if it can be one of this part."""
    try:
        given = json.loads(content)
        allowed = int.from_bytes(kept, "little")
        members = set(_numbers(kept))
        numbers = [*given["candidates"]]
        for one in given["open"]:
            numbers += one["decided"]
            there = _unpacked(one["kept"])
            if len(there) != len(kept) or int.from_bytes(there, "little") & ~allowed:
                return None
            one["prices"] = [(list(m), int(need), int(p), list(b)) for m, need, p, b in one["prices"]]
            one["bound"] = int(one["bound"])
        if not members.issuperset(numbers):
            return None
        return {**given, "work": int(given["work"]), "late": bool(given["late"])}
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error):
        return None


def _packed(bits: bytes) -> str:
    return base64.b64encode(zlib.compress(bits)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def _numbers(bits: bytes) -> list[int]:
    return [8 * at + bit for at, byte in enumerate(bits) if byte for bit in range(8) if byte >> bit & 1]


def _fingerprint(digest: str, arguments: Mapping[str, Any]) -> str:
    from bayesloom import __version__

    text = repr((__version__, digest, sorted(arguments.items())))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
