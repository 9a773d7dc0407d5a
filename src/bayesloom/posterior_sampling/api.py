"""`bayesloom.posterior`: from a table or a score cache to the posterior over all networks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesloom import _core
from bayesloom.credible_sets.stages import StageClock
from bayesloom.errors import InputError, Interrupted, ResourceError, option, unknown
from bayesloom.limits import (
    check_count,
    check_seconds,
    reading_within,
    resolve_memory,
    resolve_threads,
)
from bayesloom.loops import ends_loops
from bayesloom.posterior_sampling import options as tuned
from bayesloom.posterior_sampling.diagnostics import Diagnostics, effective_size, r_hat
from bayesloom.posterior_sampling.in_blocks import ChainsInBlocks
from bayesloom.posterior_sampling.left_out import factor_for, left_out_of
from bayesloom.posterior_sampling.result import NetworkPosterior, largest_difference
from bayesloom.progress import Progress, ProgressFunction, kernel_progress, listening
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.constrained_cache import Constrained, constrain
from bayesloom.scoring.estimation import estimate
from bayesloom.scoring.parent_sets import score as score_parent_sets
from bayesloom.scoring.registry import scored_table
from bayesloom.solvers.api import search
from bayesloom.solvers.order_search import Minobs
from bayesloom.solvers.warm_start import start_candidates

if TYPE_CHECKING:
    from bayesloom.cluster.executors import Executor
    from bayesloom.table import Table

__all__ = ["posterior"]

METHODS = ("auto", "exact", "chains")
LEAST_SAMPLES = 4  # of each chain, to say anything about them
Sampler = _core.ChainSampler | ChainsInBlocks
Run = Callable[[int, int], dict[str, Any]]
STOPPED = "the time limit ended before the posterior was known: give more of it."


@ends_loops
def posterior(
    cache: object,
    *,
    method: str = "auto",
    chains: int | None = None,
    samples: int | None = None,
    score: str | None = None,
    options: Mapping[str, float] | None = None,
    max_parents: int | None = None,
    constraints: object = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    memory: float | None = None,
    executor: Executor = None,
    blocks: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> NetworkPosterior:
    """Find the posterior over all networks: of edges, parent sets, paths, Markov blankets, any feature.

    Parameters
    ----------
    cache
        A score cache, or a table, or anything that `read_table` takes, which is then scored so that the
        parent sets left out hold little of the posterior; ``result.left_out`` tells how much.
    method
        ``"exact"``: sums over all networks, for components of up to 24 variables (a component: variables that
        cycles of candidate parents connect); ``"chains"``: Markov chains over networks and ordered
        partitions, at any number of variables; ``"auto"``: exact up to 18.
    chains, samples
        How many chains, and how many networks of each; 4 and 500 if not given.  Of exact sums, `samples` is
        how many networks are drawn for paths and other features, 2,000 if not given.
    score, options, max_parents
        How a table is scored, see `bayesloom.score`; by its columns if not given.
    constraints
        `Constraints`, a dictionary of them, or a file: the networks are those that keep them.
    time_limit
        Seconds for all stages together.  Chains run until they agree; without a limit, up to a fixed number
        of moves.  ``result.diagnostics`` says whether they agree.
    seed, threads
        Same seed, same result, whatever the number of threads, unless time ends it.
    memory
        As in `bayesloom.search`.
    executor
        Score a table and run the chains on many machines, see `bayesloom.score`; the result is that of one
        process.  Exact sums are made here.
    blocks
        A folder in which the progress of the chains is saved; a later call with the same table, options and
        seed resumes from there, even after a kill, and gives the same result.
    progress
        As in `bayesloom.learn`.

    Raises
    ------
    Interrupted
        If Ctrl-C came before there was anything to keep.

    Examples
    --------
    >>> import bayesloom as bl
    >>> table = bl.random_network(6, seed=1).sample(200, seed=1)
    >>> found = bl.posterior(table)
    >>> found.method, found.left_out.most
    ('exact', 0.0)
    >>> sampled = bl.posterior(table, method="chains", seed=1)
    >>> sampled.diagnostics.agree
    True
    """
    if method not in METHODS:
        raise unknown("method", method, list(METHODS))
    check_seconds("time_limit", time_limit)
    check_count("seed", seed, least=0)
    many = tuned.OPTIONS.chains if chains is None else check_count("chains", chains, least=2, most=1000)
    if samples is not None:
        check_count("samples", samples, least=20, most=10_000_000)
    clock = StageClock(time_limit)
    with listening(progress) as listener:
        work = _Work(clock, seed, resolve_threads(threads), memory, listener, executor, blocks, threads)
        scoring = {"score": score, "options": options, "max_parents": max_parents}
        held = work.given(cache, scoring, constraints)
        largest = max(_core.part_sizes(held.shown.core), default=0)
        exact = method == "exact" or (method == "auto" and largest <= tuned.OPTIONS.exact_up_to)
        if exact:
            work.check_elsewhere(chains, scored=not isinstance(cache, ScoreCache))
            return work.by_sums(held, tuned.OPTIONS.draws if samples is None else samples)
        return work.by_chains(held, many, tuned.OPTIONS.samples if samples is None else samples)


@dataclass
class _Work:
    """One call of `posterior`."""

    clock: StageClock
    seed: int
    threads: int
    memory: float | None
    listener: ProgressFunction | None
    executor: Executor = None
    blocks: str | os.PathLike[str] | None = None
    task_threads: int | None = None
    """Of a task that scores parent sets on a worker: one, if nothing is said."""

    def check_elsewhere(self, chains: int | None, *, scored: bool) -> None:
        """Refuse what exact sums do not use: chains, their folder, and workers if nothing was scored."""
        kept = (("executor", self.executor), ("blocks", self.blocks))
        for name, value in (("chains", chains), *(() if scored and self.executor is not None else kept)):
            if value is not None:
                raise InputError(
                    f"{option(name, subject=True)} is for Markov chains; here sums over all networks are"
                    f" exact. Leave it out, or give {option('method')} 'chains'."
                )

    def given(self, given: object, scoring: dict[str, Any], constraints: object) -> Constrained:
        """Return the cache, scored if a table was given."""
        if isinstance(given, ScoreCache):
            if any(value is not None for value in scoring.values()):
                raise InputError(
                    "score, options and max_parents are for tables; a score cache has its scores."
                )
            given.check_whole("tell the posterior of networks")
            return constrain(given, constraints)
        self.clock.start("read")
        with reading_within(self.memory):
            table, found, values = scored_table(given, scoring["score"], scoring["options"])
        self.clock.start("score")
        cache = self.scored(table, {**scoring, "score": found.name, "options": values}, constraints)
        if cache.info.get("interrupted"):
            raise Interrupted("interrupted while the table was scored.")
        return constrain(cache)

    def scored(self, table: Table, scoring: dict[str, Any], constraints: object) -> ScoreCache:
        """Score a table so that what is left out is bounded, if that can be done."""
        tune = tuned.OPTIONS
        n, limit = len(table.names), scoring["max_parents"]
        factor = factor_for(tune.most_left_out, n, limit)
        if n <= tune.all_sets_up_to:
            factor = 1e300
        common: dict[str, Any] = {
            "score": scoring["score"],
            "options": scoring["options"],
            "max_parents": limit,
            "constraints": constraints,
            "time_limit": self.clock.left(),
            "threads": self.threads,
            "memory": self.memory,
            "progress": self.listener,
        }
        if self.executor is not None:
            common |= {"executor": self.executor, "blocks": self.blocks, "threads": self.task_threads}
        expected = estimate(
            table,
            score=scoring["score"],
            options=scoring["options"],
            max_parents=limit,
            bayes_factor=factor,
        ).local_scores
        if expected <= tune.most_local_scores:
            return score_parent_sets(table, bayes_factor=factor, **common)
        return score_parent_sets(
            table,
            method="independence",
            sets_per_variable=tune.sets_per_variable,
            bayes_factor=tune.list_factor,
            **common,
        )

    def by_sums(self, held: Constrained, draws: int) -> NetworkPosterior:
        """Sum over all networks, and draw some."""
        self.clock.start("sum")
        out = _core.exact_posterior(
            held.shown.core,
            24,
            threads=self.threads,
            memory_bytes=resolve_memory(self.memory),
            seconds=self.clock.left(),
            progress=kernel_progress(self.listener, "posterior"),
        )
        if out["interrupted"]:
            raise Interrupted("interrupted before the sums over all networks were known.")
        if out["found"] is None:
            raise ResourceError(STOPPED)
        found: _core.ExactPosterior = out["found"]
        self.clock.start("draw")
        rows = found.draw(
            draws,
            self.seed,
            threads=self.threads,
            seconds=self.clock.left(),
            progress=kernel_progress(self.listener, "posterior"),
        )
        self.clock.stop()
        cut = rows is None
        if rows is None:  # the posteriors of families are there; features are not
            if _core.interrupt_requested():
                raise Interrupted("interrupted before networks were drawn.")
            raise ResourceError(STOPPED)
        shares = np.array(found.candidates)
        shares.flags.writeable = False
        return NetworkPosterior(
            cache=held.plain,
            method="exact",
            left_out=left_out_of(held.plain),
            rows=rows.reshape(draws, -1),
            exact_candidates=shares,
            log_total=found.log_total,
            deviation=found.deviation,
            stopped=cut,
            seed=self.seed,
            seconds=dict(self.clock.seconds),
        )

    def starts(self, cache: ScoreCache, chains: int) -> np.ndarray[Any, Any]:
        """Return a good network for each chain, by searches of different seeds."""
        limit = self.clock.left(tuned.OPTIONS.start_share)

        def found(chain: int) -> list[int]:
            result = search(
                cache,
                solver="minobs",
                options=Minobs(patience=tuned.OPTIONS.start_patience),
                seed=self.seed + chain,
                threads=1,
                time_limit=limit,
            )
            if result.interrupted:
                raise Interrupted("interrupted before the chains began.")
            index = {name: v for v, name in enumerate(cache.names)}
            return list(start_candidates(cache, tuple(index[name] for name in result.network.order)))

        with ThreadPoolExecutor(min(self.threads, chains)) as pool:
            begun = list(pool.map(found, range(chains)))
        return np.array(begun, dtype=np.uint64).ravel()

    def by_chains(self, held: Constrained, chains: int, samples: int) -> NetworkPosterior:
        """Run chains until they agree, or until it is to end; here, or in blocks."""
        self.clock.start("start")
        shown, table_bytes = held.shown, resolve_memory(self.memory) / 4
        if self.executor is None and self.blocks is None:
            tune = tuned.OPTIONS
            sampler = _core.ChainSampler(
                shown.core,
                self.starts(shown, chains),
                chains,
                tune.temperatures,
                tune.step,
                self.seed,
                table_bytes,
                tune.block,
                tune.partition_moves,
            )
            return self._sampled(held.plain, sampler, self._running(sampler), chains, samples)
        far = ChainsInBlocks(
            shown,
            chains,
            samples,
            self.seed,
            table_bytes,
            self.executor,
            self.blocks,
            self.threads,
            self.memory,
            self.clock.left,
            self.listener,
        )
        with far.open(lambda: self.starts(shown, chains)):
            return self._sampled(held.plain, far, far.run, chains, samples)

    def _sampled(
        self, plain: ScoreCache, sampler: Sampler, run: Run, chains: int, samples: int
    ) -> NetworkPosterior:
        """Run chains until they agree, or until it is to end."""
        tune = tuned.OPTIONS
        self.clock.start("sample")
        sweeps = tune.first_sweeps
        kept: tuple[Diagnostics, Any] | None = None
        interrupted = stopped = False
        burned = run(max(1, round(samples * tune.burn_in * sweeps)), 1)
        interrupted, stopped = burned["interrupted"], self.clock.over()
        for _ in range(tune.doublings + 1 if self.clock.left() is None else 60):
            if interrupted or stopped:
                break
            out = run(samples, sweeps)
            interrupted, stopped = out["interrupted"], self.clock.over()
            if out["count"] >= LEAST_SAMPLES and (
                kept is None or out["count"] * sweeps >= kept[0].samples * kept[0].sweeps
            ):
                kept = self.diagnosed(plain, sampler, out, chains, sweeps), out
            if kept is not None and kept[0].agree:
                break
            sweeps *= 2
        self.clock.stop()
        if kept is None or kept[0].samples * kept[0].sweeps < burned["count"] // 2:
            # The later half of the way from the starts is more than what came after it.
            if burned["count"] >= 2 * LEAST_SAMPLES:
                burned = later_half(burned, chains)
                kept = self.diagnosed(plain, sampler, burned, chains, 1), burned
            elif kept is None:
                if interrupted:
                    raise Interrupted("interrupted before the chains had anything to tell.")
                raise ResourceError(STOPPED)
        diagnostics, out = kept
        return NetworkPosterior(
            cache=plain,
            method="chains",
            left_out=left_out_of(plain),
            rows=out["candidates"].reshape(-1, plain.variable_count),
            chains=chains,
            diagnostics=diagnostics,
            interrupted=bool(interrupted),
            stopped=bool(stopped) and not diagnostics.agree,
            seed=self.seed,
            seconds=dict(self.clock.seconds),
        )

    def _running(self, sampler: _core.ChainSampler) -> Run:
        def run(samples: int, sweeps: int) -> dict[str, Any]:
            return sampler.run(
                samples,
                sweeps,
                threads=self.threads,
                seconds=self.clock.left(),
                progress=kernel_progress(self.listener, "posterior"),
            )

        return run

    def diagnosed(
        self, cache: ScoreCache, sampler: Sampler, out: Mapping[str, Any], chains: int, sweeps: int
    ) -> Diagnostics:
        """Return whether the chains of a run agree."""
        weights = np.array(out["log_weights"]).reshape(chains, -1)
        rows = out["candidates"].reshape(-1, cache.variable_count)
        apart, edge, effective_edges = largest_difference(cache, rows, chains)
        tried = dict(sampler.moves)
        tried["exchange"] = sampler.swaps
        return Diagnostics(
            chains=chains,
            samples=int(out["count"]),
            sweeps=sweeps,
            r_hat=r_hat(weights),
            effective=effective_size(weights),
            effective_edges=effective_edges,
            largest_difference=apart,
            largest_edge=edge,
            accepted={name: (b / a if a else 0.0) for name, (a, b) in tried.items()},
        )


def later_half(out: Mapping[str, Any], chains: int) -> dict[str, Any]:
    """Return a run without the first half of each chain.

    >>> run = {"count": 4, "candidates": np.arange(16), "log_weights": np.arange(8)}
    >>> half = later_half(run, 2)
    >>> half["count"], half["log_weights"].tolist()
    (2, [2, 3, 6, 7])
    >>> half["candidates"].tolist()
    [4, 5, 6, 7, 12, 13, 14, 15]
    """
    count = int(out["count"])
    kept = count - count // 2
    weights = np.array(out["log_weights"]).reshape(chains, count)[:, count - kept :]
    rows = np.array(out["candidates"]).reshape(chains, count, -1)[:, count - kept :]
    return {**out, "count": kept, "log_weights": weights.ravel(), "candidates": rows.ravel()}
