"""The k best networks, or classes.

A credible set with a large enough factor is counted, not listed. The count also gives the number of networks
within every smaller loss, so bisection finds the loss of the k-th network, and only the networks up to that
loss are listed: k, and those that tie with the last. Classes are found by listing up to a loss that grows
with the number of networks per class seen so far.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from bayesloom import _core
from bayesloom.credible_sets.api import credible
from bayesloom.credible_sets.entries import CredibleClass, CredibleNetwork, check_no_interventions
from bayesloom.credible_sets.set import CredibleSet
from bayesloom.credible_sets.stages import StageClock
from bayesloom.errors import InputError, Interrupted, ResourceError
from bayesloom.limits import check_count, check_seconds, reading_within
from bayesloom.loops import ends_loops
from bayesloom.networks.network import Network
from bayesloom.progress import Progress
from bayesloom.scoring.cache import UNITS, ScoreCache
from bayesloom.scoring.registry import scored_table

__all__ = ["KBest", "k_best"]

WIDEST = 690.0  # nats; beyond that a Bayes factor is no number any more


@dataclass(frozen=True)
class KBest:
    """The k best networks, or classes.

    Attributes
    ----------
    entries
        `CredibleNetwork` or `CredibleClass` entries, best first; fewer than k if there are no more. Their
        `posterior` is their share among the entries.
    bayes_factor
        The factor between the best and the last of them.
    complete
        Whether no network outside the cache can be among them.
    stopped
        Whether the time limit ended the scoring of the table: they are then the best over the parent sets
        that were scored by then.
    note
        That in words, and why there are fewer than k; None if neither is so.
    seconds
        Time of each stage, summed over the factors tried.
    found_under
        Variables, score and its options, limit on parents and constraints, by the keys of ``--json``.
    """

    entries: tuple[CredibleNetwork, ...] | tuple[CredibleClass, ...]
    bayes_factor: float
    complete: bool
    seconds: Mapping[str, float]
    stopped: bool = False
    note: str | None = None
    found_under: Mapping[str, Any] = field(default_factory=dict)

    @property
    def networks(self) -> list[Network]:
        """The networks, best first."""
        return [entry.network for entry in self.entries]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[CredibleNetwork | CredibleClass]:
        yield from self.entries

    @overload
    def __getitem__(self, index: int) -> CredibleNetwork | CredibleClass: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[CredibleNetwork, ...] | tuple[CredibleClass, ...]: ...
    def __getitem__(self, index: int | slice) -> object:
        return self.entries[index]


@ends_loops
def k_best(
    cache: object,
    k: int,
    *,
    by: Literal["network", "class"] = "network",
    score: str | None = None,
    options: Mapping[str, float] | None = None,
    max_parents: int | None = None,
    constraints: object = None,
    time_limit: float | None = None,
    threads: int | None = None,
    memory: float | None = None,
    progress: Progress = None,
) -> KBest:
    """Find the k best networks, or one network of each of the k best classes.

    Parameters
    ----------
    cache
        A score cache, or a table or anything that `read_table` takes, which is scored for as wide a
        Bayes factor as is needed.
    k
        How many. Among equal scores the choice at the end is that of the walk, the same every time.
    by
        ``"network"`` or ``"class"``.
    score, options, max_parents
        How a table is scored, see `bayesloom.score`; by its columns if not given.
    constraints
        The best of the networks that keep them, as in `credible`.
    time_limit
        Seconds in all. If they end the scoring of a table, the k best over the parent sets scored by then
        are looked for, and `KBest.stopped` is True. A `ResourceError` if even these are not known in time.
    threads, memory
        As in `bayesloom.search`.
    progress
        True shows how far the work is, live on a terminal, else as a line at times; a function is called with
        a `ProgressEvent` a few times a second.

    Examples
    --------
    >>> best = k_best({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5}, 3)
    >>> [(entry.network.edges, round(entry.score, 2)) for entry in best.entries]
    [([('wet', 'rain')], -18.36), ([('rain', 'wet')], -18.36), ([], -30.72)]
    """
    check_count("k", k, least=1)
    check_seconds("time_limit", time_limit)
    if by not in ("network", "class"):
        raise InputError(f"by must be 'network' or 'class', got {by!r}.")
    clock = StageClock(time_limit)
    given = cache
    if not isinstance(cache, ScoreCache):
        with reading_within(memory):
            given, found_score, options = scored_table(cache, score, options)
        score = found_score.name
    seconds: dict[str, float] = {}
    scoring: dict[str, Any] = {
        "score": score,
        "options": options,
        "max_parents": max_parents,
        "constraints": constraints,
    }
    stopped = False

    def within(nats: float) -> CredibleSet:
        nonlocal given, scoring, stopped
        found = credible(
            given,
            math.exp(nats),
            **scoring,
            time_limit=clock.left(),
            threads=threads,
            memory=memory,
            progress=progress,
        )
        for stage, value in found.seconds.items():
            seconds[stage] = seconds.get(stage, 0.0) + value
        if not found.count_is_exact:
            if found.interrupted:
                raise Interrupted(f"interrupted before the {k:,} best were known.")
            raise ResourceError(f"the time limit ended before the {k:,} best were known.")
        if not isinstance(given, ScoreCache) and not found.cache_complete:
            # There is no time to score more for a wider factor: what was scored is gone on with.
            given, scoring, stopped = found.cache, {}, True
        return found

    nats = math.log(20)
    wanted = k  # networks that are expected to be enough
    while True:
        found = within(nats)
        clock.start("list")
        entries: list[Any] = []
        while found.count >= wanted or nats == WIDEST:
            entries = _networks(found, k, clock) if by == "network" else _classes(found, k, wanted, clock)
            if len(entries) == k or wanted >= found.count:
                break
            # Twice as many networks as the classes so far would need.
            wanted = min(found.count, max(wanted, 1)) * 2 * (1 + k // max(1, len(entries)))
        if len(entries) == k or nats == WIDEST:
            break
        # The logarithm of the number grows about evenly with the loss.
        rate = math.log(found.count) / nats if found.count > 1 else 0.0
        guess = 1.1 * math.log(2 * wanted) / rate if rate > 0 else 2 * nats
        nats = min(WIDEST, max(1.25 * nats, min(guess, 3 * nats)))
    clock.stop()
    seconds["list"] = seconds.get("list", 0.0) + clock.seconds.get("list", 0.0)
    loss = entries[0].score - entries[-1].score
    factor = math.exp(min(WIDEST, loss))
    # A table is scored for the factor of the set, which is at least that of the last entry.
    table = ("variables", "interventions", "reading")
    under = (*table, "max_parents", "constraints", "score_name", "score_options")
    about = found.to_json()
    proved = found.cache.complete_factor is not None and found.cache.complete_factor >= factor
    return KBest(
        entries=tuple(entries),
        bayes_factor=factor,
        complete=proved and len(entries) == k,
        seconds=seconds,
        stopped=stopped,
        note=_note(found, len(entries), k, by, stopped=stopped, proved=proved),
        found_under={key: about[key] for key in under},
    )


def _note(found: CredibleSet, number: int, k: int, by: str, *, stopped: bool, proved: bool) -> str | None:
    """Return what ended the scoring, and why there are fewer than asked for; None if there is nothing to say.

    What lies beyond the widest factor is not counted; within it all networks were, if the cache is complete
    that far, else those over its candidates.
    """
    sentences = []
    if stopped:
        sentences.append(
            "the time limit ended the scoring: these are the best over the parent sets scored by then."
        )
    if number < k:
        which = found._among if found.cache_complete else f" over the candidates of this cache{found._among}"
        what = "networks" if by == "network" else "classes of networks" if which else "classes"
        others = "worse ones, if there are any, were not looked for."
        if not found.cache_complete:
            better = "" if proved else ", also better ones"
            others = f"the cache is not complete that far, so there may be others{better}."
        sentences.append(
            f"there are {number:,} {what}{which}, not {k:,}, within {WIDEST:g} nats of the best; {others}"
        )
    return " ".join(sentences) or None


def _loss_of(found: CredibleSet, number: int, clock: StageClock) -> int:
    """Return the least loss within which there are `number` networks, or all of the set."""
    low, high = -1, math.ceil(math.log(found.bayes_factor) * UNITS)
    while high - low > 1:
        middle = (low + high) // 2
        count = found._core.count_within(middle, seconds=clock.left())
        if count is None:
            raise ResourceError("the time limit ended before the best were known.")
        low, high = (low, middle) if count >= number else (middle, high)
    return high


def _networks(found: CredibleSet, k: int, clock: StageClock) -> list[CredibleNetwork]:
    """The k best: all better than the last, then those that tie with it, as the walk meets them."""
    loss = _loss_of(found, k, clock)
    stream = found._core.stream(loss)
    last = found._core.best - loss
    better: list[tuple[int, Any]] = []
    ties: list[tuple[int, Any]] = []
    while True:
        candidates, scores = stream.take(4096)
        for row, score in zip(candidates.reshape(-1, len(found.names)), scores.tolist(), strict=True):
            if score > last:
                better.append((score, row))
            elif len(ties) < k:
                ties.append((score, row))
        if len(scores) < 4096:
            break
    better.sort(key=lambda entry: -entry[0])
    chosen = (better + ties)[:k]
    weights = [math.exp((score - found._core.best) / UNITS) for score, _ in chosen]
    total = math.fsum(weights)
    return [
        CredibleNetwork(found._network(row), _core.to_nats(score), weight / total)
        for (score, row), weight in zip(chosen, weights, strict=True)
    ]


def _classes(found: CredibleSet, k: int, wanted: int, clock: StageClock) -> list[CredibleClass]:
    """The k best classes of the set, or fewer if it has no more."""
    check_no_interventions(found.cache.info)
    loss = _loss_of(found, wanted, clock)
    narrow = found._core.classes(within=loss, seconds=clock.left())
    if not narrow.whole:
        raise ResourceError("the time or memory limit ended before the best classes were known.")
    stream = narrow.stream()
    listed: list[tuple[int, int, int, Any]] = []
    number = 0
    while True:
        candidates, scores, members = stream.take(4096)
        for row, score, size in zip(
            candidates.reshape(-1, len(found.names)), scores.tolist(), members, strict=True
        ):
            listed.append((-score, number, size, row))
            number += 1
        if len(scores) < 4096:
            break
    listed.sort(key=lambda entry: entry[:2])
    chosen = listed[:k]
    weights = [size * math.exp((-score - found._core.best) / UNITS) for score, _, size, _ in chosen]
    total = math.fsum(weights)
    entries = []
    for (score, _, members_found, row), weight in zip(chosen, weights, strict=True):
        network = found._network(row)
        entries.append(
            CredibleClass(
                network=network,
                score=_core.to_nats(-score),
                members=members_found,
                size=_core.class_size(network._core),
                posterior=weight / total,
            )
        )
    return entries
