"""The closed loop on many machines: loops over neighbourhoods, joined by a search over orders.

1. Parents of every variable are found on workers, in parts of the variables (`scoring.in_blocks`): pairs, and
   a counted number of larger sets.  None of them needs the pairs of other parts.
2. Variables are cut into cores of some dozens that belong together by their best parents so far.  A
   neighbourhood is a core and what is next to it: neighbourhoods overlap.
3. Each is a task: a closed loop (`closed_loop`) over its columns alone.  What it has scored for the variables
   of its core goes into the cache of all variables; local scores do not depend on the other columns.
4. A search over orders, by islands on workers, puts together the best network of all these sets.

Steps 2 to 4 are done `rounds` times, from the second time on around the network that was found, which
each loop begins with.  Nothing here is done with all variables at once but the table, the cache and the
search over orders, so memory grows with the number of variables, and more workers shorten it.

Cores do not depend on the number of workers; without a time limit the result does not either.
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bayesloom import _core
from bayesloom.cluster.blocks import Block, run_blocks
from bayesloom.cluster.content import Content
from bayesloom.cluster.stores import Place
from bayesloom.cluster.workers import TaskLimits, Workers
from bayesloom.errors import InputError
from bayesloom.learning.closed_loop import ClosedLoop, LoopOptions, Turn
from bayesloom.limits import LEAST_SECONDS
from bayesloom.networks.network import Network
from bayesloom.progress import ProgressFunction
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.in_blocks import packed, unpacked
from bayesloom.scoring.merging import job_of
from bayesloom.scoring.parent_sets import score as score_parent_sets
from bayesloom.solvers.api import search
from bayesloom.table import Table

__all__ = ["NeighbourhoodLoop", "NeighbourhoodOptions", "neighbourhoods"]


@dataclass(frozen=True)
class NeighbourhoodOptions:
    """How a table is cut.

    Attributes
    ----------
    core, reach
        Variables of a core, and of a neighbourhood at most; 1 or more.
    near
        Best parent sets of a variable, 1 or more, whose members are next to it.
    first_sets
        Parent sets that are scored for every variable before it is cut, 1 or more.
    rounds
        How often it is cut and joined, 1 or more.
    islands, patience
        Of the search over orders that joins it, see `bayesloom.solvers.order_search`; not as many as there
        are workers, on which the network must not depend.
    first_share, loop_share
        Shares of the time for the first parents and for all rounds of loops; the searches have the rest.
    """

    core: int = 64
    reach: int = 192
    near: int = 3
    first_sets: int = 200
    rounds: int = 2
    islands: int = 4
    patience: float = 1.0
    first_share: float = 0.3
    loop_share: float = 0.5


COUNTED = LoopOptions(shakes=4, widen=16, fruitless_turns=1, idle_turns=1)
"""Of the loop of a neighbourhood where no time limits it."""


class NeighbourhoodLoop:
    """A closed loop whose turns are tasks.

    Attributes
    ----------
    network, scored, turns, interrupted, climbed
        As of `ClosedLoop`.
    cache
        The sets scored that can matter.
    count
        Neighbourhoods of the last round.
    """

    def __init__(
        self,
        table: Table,
        score: str,
        options: dict[str, float],
        workers: Workers,
        *,
        how: NeighbourhoodOptions | None = None,
        max_parents: int | None = None,
        start: Network | None = None,
        seed: int = 0,
        task_threads: int | None = None,
        memory: float | None = None,
        folder: Place | None = None,
        progress: ProgressFunction | None = None,
    ) -> None:
        self.how = NeighbourhoodOptions() if how is None else how
        self._table, self._score, self._options = table, score, options
        self._max_parents, self._seed = max_parents, seed
        self._threads, self._memory, self._progress = task_threads, memory, progress
        self._workers, self._folder = workers, folder
        self._start = start
        self.turns: list[Turn] = []
        self.prices: Sequence[Any] = ()
        """Empty: workers hand on sets alone."""
        self.interrupted = False
        self.climbed = False
        self.scored = 0
        self.count = 0
        self.cache: ScoreCache
        self.network: Network

    @functools.cached_property
    def _content(self) -> Content:
        return Content(packed(self._table), unpacked)

    def run(self, seconds: float | None) -> None:
        """Find the network; Ctrl-C keeps what is done."""
        begin = time.perf_counter()
        how = self.how

        def until(share: float) -> float | None:
            """Return the seconds that are left until a share of the time is over."""
            if seconds is None:
                return None
            return max(LEAST_SECONDS, begin + share * seconds - time.perf_counter())

        self.cache = self._first(until(how.first_share))
        self.interrupted = bool(self.cache.info.get("interrupted"))
        known = self._start
        for turn in range(how.rounds):
            done = how.first_share + (1 - how.first_share) * turn / how.rounds
            loops = done + how.loop_share / how.rounds
            if self.interrupted:
                break
            self._loops(until(loops), known, turn)
            if self.interrupted:
                break
            known = self._join(until(done + (1 - how.first_share) / how.rounds), known, turn, begin)
        if known is None:
            known = self._join(LEAST_SECONDS, None, 0, begin)
        self.network = known

    def _first(self, seconds: float | None) -> ScoreCache:
        """Return the first parents of every variable."""
        return score_parent_sets(
            self._table,
            score=self._score,
            options=self._options,
            method="greedy",
            sets_per_variable=self.how.first_sets,
            max_parents=self._max_parents,
            time_limit=seconds,
            executor=self._workers,
            blocks=self._folder,
            threads=self._threads,
            memory=self._memory,
            progress=self._progress,
        )

    def _loops(self, seconds: float | None, known: Network | None, turn: int) -> None:
        """Run the loop of every neighbourhood, and put what it scored into the cache."""
        parts = neighbourhoods(self.cache, known, self.how)
        self.count = len(parts)
        names = self._table.names
        asked: dict[str, Any] = {
            "score": self._score,
            "options": self._options,
            "max_parents": self._max_parents,
            "seed": self._seed + turn,
            "loop": asdict(LoopOptions() if seconds is not None else COUNTED),
        }
        up = None if known is None else known.parents
        of_table = job_of(self._table, {})  # once: it takes all names and states
        blocks = []
        for number, (core, rest) in enumerate(parts, start=1):
            inside = [names[v] for v in (*core, *rest)]
            start = None if up is None else _restricted(up, inside)
            arguments = {**asked, "names": inside, "start": start}
            job = _fingerprint({**of_table, **arguments, "timed": seconds is not None})
            name = f"neighbourhood {number} of {len(parts)}"
            blocks.append(Block(name, f"loop-{job}.blc", {**arguments, "job": job}))
        found: dict[int, ScoreCache] = {}

        def accept(number: int, content: bytes) -> bool | None:
            cache = _part(content, blocks[number].arguments)
            if cache is None:
                return False
            found[number] = cache
            ended = cache.info.get("stopped") or cache.info.get("cut_by_memory")
            return None if ended or seconds is not None else True

        finished = run_blocks(
            self._workers,
            loop_block,
            self._content,
            blocks,
            accept,
            stage="score",
            folder=self._folder,
            time_limit=seconds,
            threads=self._threads,
            memory=self._memory,
            progress=self._progress,
        )
        self.interrupted = finished.interrupted
        self.climbed = len(finished.done) == len(blocks)
        self.scored += sum(int(cache.info.get("scored", 0)) for cache in found.values())
        self.cache = _joined(self.cache, {n: (parts[n][0], found[n]) for n in sorted(found)}, self._info())

    def _join(self, seconds: float | None, known: Network | None, turn: int, begin: float) -> Network:
        """Return the best network that a search over orders puts together."""
        result = search(
            self.cache,
            solver="minobs",
            options={"islands": self.how.islands, "patience": self.how.patience},
            start=known,
            time_limit=seconds,
            seed=self._seed + turn,
            executor=self._workers,
            blocks=self._folder,
            progress=self._progress,
        )
        self.interrupted = self.interrupted or result.interrupted
        spent = time.perf_counter() - begin
        self.turns.append(Turn(spent, result.score, self.scored, self.cache.candidate_count))
        return result.network

    def _info(self) -> dict[str, Any]:
        return {
            "score": self._score,
            "options": self._options,
            "rows": self._table.total_weight,
            "method": "closed loop in neighbourhoods",
            "max_parents": self._max_parents,
            "complete_factor": None,
        }


def neighbourhoods(
    cache: ScoreCache, network: Network | None, how: NeighbourhoodOptions
) -> list[tuple[list[int], list[int]]]:
    """Return cores and what is around each of them; every variable is in one core.

    >>> lists = {"a": [(-1, ["b"]), (-2, [])], "b": [(-1, [])], "c": [(-1, ["d"])], "d": [(-1, ["b"])]}
    >>> cache = ScoreCache.from_candidates("abcd", lists)
    >>> neighbourhoods(cache, None, NeighbourhoodOptions(core=2, reach=3))
    [([0, 1], [3]), ([2, 3], [1])]
    """
    next_to = _next_to(cache, network, how.near)
    taken = [False] * cache.variable_count
    cores: list[list[int]] = []
    core: list[int] = []
    for seed in range(cache.variable_count):
        at = len(core)
        if taken[seed]:
            continue
        core.append(seed)
        taken[seed] = True
        while at < len(core) < how.core:  # breadth first
            for w in next_to[core[at]]:
                if not taken[w] and len(core) < how.core:
                    taken[w] = True
                    core.append(w)
            at += 1
        if len(core) == how.core:  # else what hangs together is small, and shares its core
            cores.append(core)
            core = []
    if core:
        cores.append(core)
    return [(sorted(each), _around(each, next_to, how.reach)) for each in cores]


def _next_to(cache: ScoreCache, network: Network | None, near: int) -> list[list[int]]:
    """Return who is next to whom: parents and children in the network, then in the best parent sets."""
    n = cache.variable_count
    found: list[dict[int, None]] = [{} for _ in range(n)]  # in the order in which they were found
    if network is not None:
        index = {name: v for v, name in enumerate(cache.names)}
        for a, b in network.edges:
            found[index[a]][index[b]] = found[index[b]][index[a]] = None
    first, offsets, parents = cache.first.tolist(), cache.parent_first, cache.parents
    for rank in range(near):
        for v in range(n):
            c = first[v] + rank
            if c >= first[v + 1]:
                continue
            for u in parents[int(offsets[c]) : int(offsets[c + 1])].tolist():
                found[v][u] = found[u][v] = None
    return [list(each) for each in found]


def _around(core: Sequence[int], next_to: list[list[int]], reach: int) -> list[int]:
    """Return what is next to a core, nearest first, until there are `reach` with it."""
    seen = set(core)
    around: list[int] = []
    ring: Sequence[int] = core
    while ring and len(seen) < reach:
        fresh: list[int] = []
        for v in ring:
            for w in next_to[v]:
                if w not in seen and len(seen) < reach:
                    seen.add(w)
                    fresh.append(w)
        around += fresh
        ring = fresh if len(around) < len(core) else []
    return sorted(around)


def _restricted(parents: Mapping[str, Sequence[str]], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the parents of some variables among themselves."""
    inside = set(names)
    return {name: [p for p in parents[name] if p in inside] for name in names}


def _fingerprint(job: Mapping[str, Any]) -> str:
    text = json.dumps(job, sort_keys=True)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _part(content: bytes, arguments: Mapping[str, Any]) -> ScoreCache | None:
    """Return the cache that bytes hold, if it is that of this neighbourhood."""
    try:
        cache = ScoreCache(_core.parse_blc(content, "a neighbourhood"))
    except InputError:
        return None
    fits = cache.info.get("neighbourhood") == arguments["job"] and list(cache.names) == arguments["names"]
    return cache if fits else None


def _joined(
    cache: ScoreCache, found: Mapping[int, tuple[list[int], ScoreCache]], info: dict[str, Any]
) -> ScoreCache:
    """Return the cache with what neighbourhoods have scored for their cores."""
    index = {name: v for v, name in enumerate(cache.names)}
    more: dict[int, tuple[ScoreCache, int, list[int]]] = {}
    for core, part in found.values():
        places = [index[name] for name in part.names]
        own = {v: k for k, v in enumerate(places)}
        more |= {v: (part, own[v], places) for v in core}
    first = [0]
    sizes: list[int] = []
    scores: list[int] = []
    parents: list[int] = []
    for v in range(cache.variable_count):
        sets = dict(_sets(cache, v))
        if v in more:
            part, k, places = more[v]
            sets |= {tuple(sorted(places[u] for u in set_)): s for set_, s in _sets(part, k)}
        first.append(first[-1] + len(sets))
        for set_, s in sets.items():
            scores.append(s)
            sizes.append(len(set_))
            parents.extend(set_)
    ends = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(sizes, dtype=np.uint64)])
    cut = sum(bool(part.info.get("cut_by_memory")) for _, part in found.values())
    joined = ScoreCache.from_arrays(
        cache.names,
        first,
        np.array(scores, dtype=np.float64) / 2.0**30,
        ends,
        np.array(parents, dtype=np.uint64),
        cardinalities=cache.cardinalities,
        info={**info, "cut_by_memory": cut},
    )
    return joined.without_dominated()


def _sets(cache: ScoreCache, v: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the parent sets of a variable with their scores."""
    begin, end = int(cache.first[v]), int(cache.first[v + 1])
    edges = cache.parent_first[begin : end + 1].tolist()
    flat = cache.parents[edges[0] : edges[-1]].tolist()
    for k, s in enumerate(cache.scores[begin:end].tolist()):
        yield tuple(flat[edges[k] - edges[0] : edges[k + 1] - edges[0]]), s


def loop_block(table: Table, arguments: Mapping[str, Any], limits: TaskLimits) -> bytes:
    """Run the closed loop of one neighbourhood; runs on a worker."""
    names = arguments["names"]
    loop = ClosedLoop(
        table.select(names),
        arguments["score"],
        dict(arguments["options"]),
        loop=LoopOptions(**arguments["loop"]),
        max_parents=arguments["max_parents"],
        threads=limits.threads,
        seed=arguments["seed"],
        memory_bytes=None if limits.memory is None else limits.memory * 1e9,
        progress=limits.progress,
    )
    start = arguments["start"]
    loop.run(limits.seconds, None if start is None else Network(names, start))
    if loop.interrupted:
        raise KeyboardInterrupt
    cache = loop.cache()
    info = {**cache.info, "neighbourhood": arguments["job"], "scored": loop.scored}
    if not loop.climbed:
        info["stopped"] = True
    return _core.format_blc(cache.with_info(info).core)
