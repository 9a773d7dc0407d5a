"""All credible networks, not one: every network within a Bayes factor of the best.

With few rows many networks score almost the same and disagree about edges.  The credible set for a
Bayes factor F holds every network with ``score >= best - ln F``; asked together they say which
edges the table supports [liao2018].  The kernels are in ``src/core/credible``.

Scores are whole numbers of 2^-30 nat inside, so the limit is exact.  For `bic`, `aic`, `bdeu` and
`qnml` equivalent networks have exactly equal scores, and over a cache that is complete for F and has
no limit on parents the set consists of whole equivalence classes.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.cache import ScoreCache
from bayesloom.constrained import constrained_for_counting
from bayesloom.edge_posterior import EdgePosterior
from bayesloom.errors import InputError, InternalError, ResourceError
from bayesloom.limits import check_count, check_seconds, resolve_memory, resolve_threads
from bayesloom.network import Network
from bayesloom.parent_sets import score as score_parent_sets
from bayesloom.progress import ProgressFunction, kernel_progress
from bayesloom.scores import resolve_score
from bayesloom.search import search
from bayesloom.table import Table, read_table
from bayesloom.verify import verify

__all__ = ["CredibleClass", "CredibleNetwork", "CredibleSet", "credible", "k_best"]

UNIT = 2**30
CHUNK = 4096
PROBES = 20_000  # random walks of an estimated count
MOST_FOR_DENSE = 28


@dataclass(frozen=True)
class CredibleNetwork:
    """A network of a credible set, its score, and its share of the set's mass."""

    network: Network
    score: float
    posterior: float


@dataclass(frozen=True)
class CredibleClass:
    """An equivalence class of a credible set.

    Attributes
    ----------
    network
        One network of the class; `network.cpdag` is the picture of it.
    score
        The score of the first network found; where equivalent networks score alike, of all.
    members
        How many of its networks are in the set.
    size
        How many networks it has in all.
    posterior
        ``members`` times the share of one such network in the set's mass.
    """

    network: Network
    score: float
    members: int
    size: int
    posterior: float


class CredibleClasses:
    """The equivalence classes of a credible set, best first where the set has one component.

    Iterate to get each as a `CredibleClass`; ``len`` and `count` give their number.
    """

    def __init__(self, owner: CredibleSet, core: _core.CredibleClasses) -> None:
        self._owner = owner
        self._core = core

    @property
    def count(self) -> int:
        """How many classes there are."""
        return int(self._core.count)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[CredibleClass]:
        at = 0
        while True:
            candidates, scores, members = self._core.take(at, CHUNK)
            for row, score, number in zip(
                candidates.reshape(-1, len(self._owner.names)), scores.tolist(), members, strict=True
            ):
                network = self._owner._network(row)
                yield CredibleClass(
                    network=network,
                    score=_core.to_nats(score),
                    members=number,
                    size=_core.class_size(network._core),
                    posterior=number * self._owner._share(score),
                )
            at += len(scores)
            if len(scores) < CHUNK:
                return

    def __repr__(self) -> str:
        return f"<CredibleClasses: {self.count:,}>"


class CredibleNetworks:
    """The networks of a credible set; iterate to list them, each once, in constant memory."""

    def __init__(self, owner: CredibleSet, limit: int | None) -> None:
        self._owner = owner
        self._limit = limit

    def __iter__(self) -> Iterator[Network]:
        for found in self.with_scores():
            yield found.network

    def with_scores(self) -> Iterator[CredibleNetwork]:
        """Yield each network with its score and its share of the set's mass."""
        for candidates, scores in self._owner._chunks(self._limit):
            for row, score in zip(candidates, scores.tolist(), strict=True):
                yield CredibleNetwork(
                    self._owner._network(row), _core.to_nats(score), self._owner._share(score)
                )

    def __repr__(self) -> str:
        limit = "" if self._limit is None else f", at most {self._limit:,} listed"
        return f"<CredibleNetworks of {self._owner!r}{limit}>"


class CredibleSet:
    """All networks within a Bayes factor of the best; made by `credible`.

    Attributes
    ----------
    cache
        The score cache it is about.
    bayes_factor
        F: the networks have scores of at least ``best - ln F - tolerance``.
    tolerance
        Nats by which the limit was lowered; 0 unless asked for.
    best
        The best score.
    best_network
        One best network.
    count
        How many networks there are; an estimate unless `count_is_exact`.
    count_error
        The standard error of an estimated count; 0 for an exact one.
    complete
        Whether the set provably holds every credible network, over all parent sets: the cache is
        complete for this factor and nothing was stopped.  `claim` says it in words.
    seconds
        Time of each stage.
    limit
        How many networks are listed at most; None means all. It never changes the count.
    """

    def __init__(
        self,
        cache: ScoreCache,
        core: _core.CredibleSet,
        *,
        bayes_factor: float,
        tolerance: float,
        limit: int | None,
        counted: Mapping[str, Any],
        seconds: Mapping[str, float],
        progress: ProgressFunction | None,
    ) -> None:
        self.cache = cache
        self.bayes_factor = bayes_factor
        self.tolerance = tolerance
        self.limit = limit
        self.seconds = dict(seconds)
        self.interrupted = bool(counted["interrupted"])
        self.count: int = counted["count"]
        self.count_error: float = counted["error"]
        self.count_is_exact: bool = counted["exact"]
        self._mass: float | None = counted["mass"]
        self._core = core
        self._progress = progress
        self._parents = [
            tuple(map(int, cache.parents[int(a) : int(b)]))
            for a, b in zip(cache.parent_first[:-1], cache.parent_first[1:], strict=True)
        ]
        self.best = _core.to_nats(core.best)
        self.best_network = self._network(np.array(core.best_network))
        check = verify(self.best_network, cache=cache, claimed_score=self.best)
        if not check.ok:
            raise InternalError(f"the best network failed verification: {' '.join(check.problems)}")

    # What it claims

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.cache.names

    @property
    def cache_complete(self) -> bool:
        """Whether the cache provably holds every parent set that a credible network can use."""
        factor = self.cache.complete_factor
        return factor is not None and factor >= self.bayes_factor * math.exp(self.tolerance)

    @property
    def complete(self) -> bool:
        """Whether the set provably holds every credible network, and was counted to the end."""
        return self.cache_complete and self.count_is_exact

    @property
    def claim(self) -> str:
        """What is proved, in words."""
        limit = self.cache.info.get("max_parents")
        among = "" if limit is None else f" with at most {limit} parents each"
        number = f"{self.count:,}" if self.count_is_exact else f"about {self.count:,}"
        error = "" if self.count_is_exact else f" (estimated, standard error {self.count_error:.2g})"
        within = f"within Bayes factor {self.bayes_factor:g} of the best"
        if self.cache_complete:
            return f"{number} networks{among} are {within}{error}"
        return f"{number} networks over the candidates scored are {within}{error}; there may be others"

    @property
    def component_sizes(self) -> list[int]:
        """How many variables hang together in each independent part, largest first."""
        return list(self._core.component_sizes)

    # What it holds

    @property
    def networks(self) -> CredibleNetworks:
        """The networks, listed as they are asked for, at most `limit` of them."""
        return CredibleNetworks(self, self.limit)

    @cached_property
    def classes(self) -> CredibleClasses:
        """The equivalence classes. All networks are listed once to find them.

        Raises
        ------
        ResourceError
            If the classes do not fit the memory, or Ctrl-C stopped the listing.
        """
        found = self._core.classes(progress=kernel_progress(self._progress, "classes"))
        if found is None:
            raise ResourceError("listing the equivalence classes was stopped.")
        return CredibleClasses(self, found)

    @cached_property
    def candidate_posterior(self) -> npt.NDArray[np.float64]:
        """The posterior of each candidate of the cache, within the set: weights ``exp(score)``."""
        masses = self._core.candidate_masses(progress=kernel_progress(self._progress, "posterior"))
        if masses is None:
            raise ResourceError("computing the posterior was stopped.")
        # Every network has one candidate of the first variable.
        posterior = np.asarray(masses / math.fsum(masses[: int(self.cache.first[1])]))
        posterior.flags.writeable = False
        return posterior

    @cached_property
    def edge_posterior(self) -> EdgePosterior:
        """The posterior of every edge and adjacency, within the set."""
        n = len(self.names)
        directed = np.zeros((n, n))
        posterior = self.candidate_posterior
        for v in range(n):
            for c in range(int(self.cache.first[v]), int(self.cache.first[v + 1])):
                if posterior[c] > 0:
                    directed[list(self._parents[c]), v] += posterior[c]
        return EdgePosterior(self.names, np.minimum(directed, 1.0))

    def parent_set_posterior(self, variable: str) -> list[tuple[float, tuple[str, ...]]]:
        """Return the parent sets of a variable with their posterior, the most probable first."""
        v = self.cache.index(variable)
        found = [
            (float(self.candidate_posterior[c]), tuple(self.names[p] for p in self._parents[c]))
            for c in range(int(self.cache.first[v]), int(self.cache.first[v + 1]))
            if self.candidate_posterior[c] > 0
        ]
        return sorted(found, key=lambda entry: (-entry[0], entry[1]))

    def posterior(self, feature: Callable[[Network], float]) -> float:
        """Return the mean of a function of a network over the set, weighted by posterior.

        All networks are listed, whatever `limit` says. For whether a network has something, return
        True or False.
        """
        values: list[float] = []
        weights: list[float] = []
        for candidates, scores in self._chunks(None):
            for row, score in zip(candidates, scores.tolist(), strict=True):
                weight = math.exp((score - self._core.best) / UNIT)
                values.append(weight * feature(self._network(row)))
                weights.append(weight)
        return math.fsum(values) / math.fsum(weights)

    def path_posterior(self, source: str, target: str) -> float:
        """Return the posterior of a directed path from one variable to another."""
        start, end = self.cache.index(source), self.cache.index(target)

        def has_path(network: Network) -> bool:
            up = network.parent_indices
            seen, front = {end}, [end]
            while front:
                for p in up[front.pop()]:
                    if p == start:
                        return True
                    if p not in seen:
                        seen.add(p)
                        front.append(p)
            return False

        return self.posterior(has_path)

    def v_structure_posterior(self, a: str, child: str, b: str) -> float:
        """Return the posterior of ``a -> child <- b`` with `a` and `b` not adjacent."""
        i, x, j = (self.cache.index(name) for name in (a, child, b))

        def has_it(network: Network) -> bool:
            up = network.parent_indices
            return i in up[x] and j in up[x] and i not in up[j] and j not in up[i]

        return self.posterior(has_it)

    @cached_property
    def markov_blanket_posterior(self) -> npt.NDArray[np.float64]:
        """For each pair of variables the posterior that one is in the other's Markov blanket.

        All networks are listed for it.
        """
        n = len(self.names)
        total = np.zeros((n, n))
        mass = 0.0
        for candidates, scores in self._chunks(None):
            for row, score in zip(candidates, scores.tolist(), strict=True):
                blanket = np.zeros((n, n), dtype=bool)
                for v, c in enumerate(row.tolist()):
                    family = [v, *self._parents[c]]
                    blanket[np.ix_(family, family)] = True
                weight = math.exp((score - self._core.best) / UNIT)
                total += weight * blanket
                mass += weight
        np.fill_diagonal(total, 0.0)
        return total / mass

    def threshold_network(self, threshold: float = 0.5) -> Network:
        """Return the network of the edges whose posterior is above a threshold.

        Edges come in by posterior, the most probable first; one that would close a cycle, which
        several edges above one half can, is left out.
        """
        return self.edge_posterior.threshold_network(threshold)

    # Files

    def write(self, path: str | os.PathLike[str], *, by: Literal["network", "class"] = "network") -> int:
        """Write the networks, or one network per class, at most `limit` of them; return how many.

        The file has one JSON object per line: ``{"score": .., "parents": {name: [names]}}``, for
        classes also ``members``, ``size`` and ``posterior``. A name that ends in ``.gz`` is packed.
        """
        from bayesloom._credible_files import write_classes, write_networks

        if by == "class":
            return write_classes(self.classes, path, self.limit)
        return write_networks(self._core, path, self.limit)

    def to_json(self) -> dict[str, Any]:
        """Return the set as a dictionary of plain values, as ``--json`` writes it."""
        return {
            "count": self.count,
            "count_is_exact": self.count_is_exact,
            "count_error": self.count_error,
            "complete": self.complete,
            "claim": self.claim,
            "best": self.best,
            "bayes_factor": self.bayes_factor,
            "tolerance": self.tolerance,
            "components": self.component_sizes,
            "seconds": {name: round(value, 6) for name, value in self.seconds.items()},
            "variables": list(self.names),
            "parents": {name: list(up) for name, up in self.best_network.parents.items()},
        }

    def __repr__(self) -> str:
        number = f"{self.count:,}" if self.count_is_exact else f"about {self.count:,}"
        return f"<CredibleSet: {number} networks within Bayes factor {self.bayes_factor:g}>"

    # Inside

    def _network(self, row: npt.NDArray[np.uint64]) -> Network:
        return Network(self.names, [self._parents[c] for c in row.tolist()])

    @cached_property
    def _total_mass(self) -> float:
        if self._mass is not None:
            return self._mass
        masses = self._core.candidate_masses()
        if masses is None:
            raise ResourceError("computing the posterior was stopped.")
        return math.fsum(masses[: int(self.cache.first[1])])

    def _share(self, score: int) -> float:
        return math.exp((score - self._core.best) / UNIT) / self._total_mass

    def _chunks(self, limit: int | None) -> Iterator[tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]]:
        stream = self._core.stream()
        left = limit
        while left is None or left > 0:
            most = CHUNK if left is None else min(CHUNK, left)
            candidates, scores = stream.take(most)
            if len(scores) == 0:
                return
            yield candidates.reshape(-1, len(self.names)), scores
            if left is not None:
                left -= len(scores)


def credible(
    cache: object,
    bayes_factor: float = 20.0,
    *,
    limit: int | None = None,
    tolerance: float = 0.0,
    score: str | None = None,
    options: Mapping[str, float] | None = None,
    max_parents: int | None = None,
    constraints: object = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    progress: ProgressFunction | None = None,
) -> CredibleSet:
    """Find all networks within a Bayes factor of the best.

    Parameters
    ----------
    cache
        A score cache, best made with ``score(table, bayes_factor=F)``; or a table, or anything that
        `read_table` takes, which is then scored so.
    bayes_factor
        F: networks with a score of at least ``best - ln F``; 3, 20 and 150 are usual steps.
    limit
        List at most this many networks. Never changes the count.
    tolerance
        Lower the limit by this many nats; for caches whose scores were rounded elsewhere.
    score, options, max_parents
        How a table is scored, see `bayesloom.score`; ``"bic"`` if not given.
    constraints
        `Constraints`, a dictionary of them, or a file: the set then holds the networks that keep them.
        Orders (``before``) are refused, since they are no property of single parent sets.
    time_limit
        Seconds for all stages together. If counting does not end in time, `count` is an unbiased
        estimate with a standard error, and says so.
    seed
        Of the estimate.
    threads, memory, progress
        As in `bayesloom.search`.

    Examples
    --------
    >>> import bayesloom as bl
    >>> found = bl.credible({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}, bayes_factor=20)
    >>> found.count, found.complete, found.classes.count
    (2, True, 1)
    >>> found.edge_posterior.adjacent("rain", "wet")
    1.0
    """
    factor = _checked_factor(bayes_factor)
    if not (isinstance(tolerance, (int, float)) and 0 <= tolerance < math.inf):
        raise InputError(f"tolerance must be a number of nats of at least 0, got {tolerance!r}.")
    if limit is not None:
        check_count("limit", limit, least=0)
    check_seconds("time_limit", time_limit)
    check_count("seed", seed, least=0)
    clock = _Clock(time_limit)
    scoring = {"score": score, "options": options, "max_parents": max_parents, "constraints": constraints}
    given = _given_cache(cache, factor * math.exp(tolerance), scoring, threads, memory, progress, clock)
    core, out = _make(given, _slack(factor, tolerance), threads, memory, progress, clock, seed)
    clock.start("count")
    counted = core.count(seconds=clock.left(), progress=kernel_progress(progress, "count"))
    result: dict[str, Any] = {
        "count": counted["count"],
        "mass": counted["mass"],
        "exact": counted["count"] is not None,
        "error": 0.0,
        "interrupted": counted["interrupted"] or out["interrupted"],
    }
    if counted["count"] is None:
        estimated, error, _ = core.estimate(PROBES, seed)
        result |= {"count": round(estimated), "error": error}
    clock.stop()
    return CredibleSet(
        given,
        core,
        bayes_factor=factor,
        tolerance=float(tolerance),
        limit=limit,
        counted=result,
        seconds=clock.seconds,
        progress=progress,
    )


def _slack(factor: float, tolerance: float) -> int:
    return math.ceil(math.log(factor) * UNIT) + math.ceil(tolerance * UNIT)


def _checked_factor(value: float) -> float:
    if not (isinstance(value, (int, float)) and 1 <= value < math.inf):
        raise InputError(f"bayes_factor must be a number of at least 1, got {value!r}.")
    return float(value)


class _Clock:
    """The time of each stage, and what is left of a limit on all of them."""

    def __init__(self, limit: float | None) -> None:
        self.seconds: dict[str, float] = {}
        self._begin = time.perf_counter()
        self._limit = limit
        self._stage: tuple[str, float] | None = None

    def start(self, stage: str) -> None:
        self.stop()
        self._stage = (stage, time.perf_counter())

    def stop(self) -> None:
        if self._stage is not None:
            name, begin = self._stage
            self.seconds[name] = time.perf_counter() - begin
            self._stage = None

    def left(self) -> float | None:
        if self._limit is None:
            return None
        return max(0.01, self._limit - (time.perf_counter() - self._begin))


def _given_cache(
    given: object,
    factor: float,
    scoring: dict[str, Any],
    threads: int | None,
    memory: float | None,
    progress: ProgressFunction | None,
    clock: _Clock,
) -> ScoreCache:
    if isinstance(given, ScoreCache):
        if any(scoring[name] is not None for name in ("score", "options", "max_parents")):
            raise InputError("score, options and max_parents are for tables; a score cache has its scores.")
        return constrained_for_counting(given, scoring["constraints"])
    scoring["score"] = scoring["score"] or "bic"
    resolve_score(scoring["score"], scoring["options"])
    clock.start("read")
    table = given if isinstance(given, Table) else read_table(given)
    clock.start("score")
    return constrained_for_counting(
        score_parent_sets(
            table,
            bayes_factor=factor,
            time_limit=clock.left(),
            threads=threads,
            memory=memory,
            progress=progress,
            **scoring,
        )
    )


def _make(
    cache: ScoreCache,
    slack: int,
    threads: int | None,
    memory: float | None,
    progress: ProgressFunction | None,
    clock: _Clock,
    seed: int,
) -> tuple[_core.CredibleSet, Mapping[str, Any]]:
    clock.start("search")
    known: int | None = None
    if cache.variable_count > MOST_FOR_DENSE:
        # Beyond exact completion values for all sets a good network cuts most of the work.
        found = search(
            cache,
            solver="minobs",
            time_limit=min(10.0, clock.left() or 10.0),
            seed=seed,
            threads=threads,
            memory=memory,
            progress=progress,
        )
        known = found.fixed_score
    out = _core.credible_set(
        cache.core,
        slack,
        threads=resolve_threads(threads),
        memory_bytes=resolve_memory(memory) / 2,
        known=known,
        seconds=clock.left(),
        progress=kernel_progress(progress, "search"),
    )
    if out["set"] is None:
        if out["interrupted"]:
            raise KeyboardInterrupt
        raise ResourceError(
            "the time limit ended before the best score was known, without which no network can be called "
            "credible. Allow more time, or a smaller Bayes factor."
        )
    return out["set"], out


@dataclass(frozen=True)
class KBest:
    """The k best networks, or classes.

    Attributes
    ----------
    entries
        `CredibleNetwork` or `CredibleClass` entries, best first; fewer than k if there are no more.
    bayes_factor
        The factor between the best and the last of them.
    complete
        Whether no network outside the cache can be among them.
    """

    entries: tuple[CredibleNetwork, ...] | tuple[CredibleClass, ...]
    bayes_factor: float
    complete: bool

    @property
    def networks(self) -> list[Network]:
        """The networks, best first."""
        return [entry.network for entry in self.entries]


def k_best(
    cache: ScoreCache,
    k: int,
    *,
    by: Literal["network", "class"] = "network",
    threads: int | None = None,
    memory: float | None = None,
    progress: ProgressFunction | None = None,
) -> KBest:
    """Find the k best networks over a score cache, or one network of each of the k best classes.

    The Bayes factor is widened until the credible set has k members; then these are listed and sorted.
    Among equal scores the choice at the end is that of the walk, the same every time.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = {"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}
    >>> best = k_best(bl.score(table, bayes_factor=1e9), 3)
    >>> [(entry.network.edges, round(entry.score, 2)) for entry in best.entries]
    [([('wet', 'rain')], -18.36), ([('rain', 'wet')], -18.36), ([], -30.72)]
    """
    check_count("k", k, least=1)
    if by not in ("network", "class"):
        raise InputError(f"by must be 'network' or 'class', got {by!r}.")
    nats = 1.0
    before = -1
    while True:
        found = credible(cache, math.exp(nats), threads=threads, memory=memory, progress=progress)
        size = found.count if by == "network" else found.classes.count
        if size >= k or (size == before and nats > 64):
            break
        before = size
        nats = min(2 * nats, 700.0)
        if nats == 700.0 and size == before:
            found = credible(cache, math.exp(nats), threads=threads, memory=memory, progress=progress)
            break
    listed: list[Any] = list(found.classes) if by == "class" else list(found.networks.with_scores())
    listed.sort(key=lambda entry: -entry.score)
    entries = tuple(listed[:k])
    factor = math.exp(min(700.0, entries[0].score - entries[-1].score))
    proved = cache.complete_factor is not None and cache.complete_factor >= factor and len(entries) == k
    return KBest(entries=entries, bayes_factor=factor, complete=proved)
