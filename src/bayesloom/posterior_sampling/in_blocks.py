"""Run chains in blocks: on the workers of an executor, or with progress saved in a folder.

A block is a number of consecutive samples of one chain; it starts from the state in which the previous block
ended.  Chains are independent and each has its own random numbers, so the result is, to the last byte, that
of one process.  A later call of the same job resumes from the saved blocks.  A folder with chains of another
job is refused with an error that says what differs.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bayesloom import _core
from bayesloom.cluster.blocks import Block, run_blocks
from bayesloom.cluster.content import Content
from bayesloom.cluster.executors import Executor, opened
from bayesloom.cluster.stores import Place, Store, store_of
from bayesloom.cluster.workers import TaskLimits, Workers
from bayesloom.errors import InputError
from bayesloom.posterior_sampling import options as tuned
from bayesloom.progress import ProgressFunction
from bayesloom.scoring.cache import ScoreCache

__all__ = ["ChainsInBlocks", "sample_block"]

Words = npt.NDArray[np.uint64]
MANIFEST = "posterior.json"
"""The file of a folder that says which job its chains belong to."""
FORMAT = 1
"""Version of the saved blocks; blocks of other versions are refused."""


class Sampled(NamedTuple):
    """A finished block of a chain."""

    samples: int
    candidates: Words
    weights: npt.NDArray[np.float64]
    state: Words
    moves: dict[str, list[int]]


@dataclass
class ChainsInBlocks:
    """All chains of a run, with the methods of ``_core.ChainSampler`` that `posterior` uses."""

    cache: ScoreCache
    chains: int
    samples: int
    seed: int
    table_bytes: float
    executor: Executor
    folder: Place | None
    threads: int
    memory: float | None
    left: Callable[[], float | None]
    listener: ProgressFunction | None
    starts: Words = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))
    workers: Workers | None = None
    rounds: int = 0
    states: list[Words | None] = field(default_factory=list)
    counted: list[dict[str, list[int]]] = field(default_factory=list)
    taken_up: int = 0

    def __post_init__(self) -> None:
        self.content = Content(_core.format_blc(self.cache.core), held)
        text = json.dumps(self.described(), sort_keys=True)
        self.job = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=6).hexdigest()
        self.states = [None] * self.chains
        self.counted = [{} for _ in range(self.chains)]

    def described(self) -> dict[str, Any]:
        """Return everything that identifies this job."""
        from bayesloom import __version__

        info, tune = self.cache.info, tuned.OPTIONS
        return {
            "format": FORMAT,
            "bayesloom": __version__,
            "scores": self.content.digest,
            "variables": list(self.cache.names),
            "score": info.get("score"),
            "options": dict(info.get("options") or {}),
            "max_parents": info.get("max_parents"),
            "constraints": dict(info.get("constraints") or {}),
            "chains": self.chains,
            "samples": self.samples,
            "seed": self.seed,
            "settings": [
                tune.temperatures,
                tune.step,
                tune.block,
                tune.partition_moves,
                tune.first_sweeps,
                tune.burn_in,
                tune.block_variables,
                tune.blocks_per_round,
            ],
        }

    @contextmanager
    def open(self, found: Callable[[], Words]) -> Iterator[ChainsInBlocks]:
        """Open the workers and set the initial networks: those saved in the folder, or `found()`."""
        store = None if self.folder is None else store_of(self.folder)
        if store is not None:
            store.prepare()
            self._refuse_another(store)
        self.starts = self._kept_starts(store, found)
        if self.executor is None:
            many = min(self.threads, self.chains)
            with ThreadPoolExecutor(many, thread_name_prefix="posterior") as pool, opened(pool) as workers:
                self.workers = workers
                yield self
            return
        with opened(self.executor, self.left()) as workers:
            self.workers = workers
            yield self

    def _refuse_another(self, store: Store) -> None:
        """Refuse a folder with chains of another job; else write the manifest."""
        own = json.loads(json.dumps(self.described()))
        kept = store.read(MANIFEST)
        if kept is not None:
            try:
                known = json.loads(kept)
                differ = [key for key in own if known.get(key) != own[key]]
            except (ValueError, AttributeError, RecursionError):
                known, differ = {}, ["format"]
            if differ:
                raise InputError(
                    f"{store.shown} holds chains of another posterior: {_difference(known, own, differ)}."
                    " Give another folder, or the same inputs as then."
                )
        store.write(MANIFEST, json.dumps(own, indent=1).encode())

    def _kept_starts(self, store: Store | None, found: Callable[[], Words]) -> Words:
        name = f"posterior-{self.job}-starts.bin"
        size = self.chains * self.cache.variable_count
        kept = None if store is None else store.read(name)
        if kept is not None and len(kept) == 16 + 8 * size and _digest(kept[16:]) == kept[:16]:
            return np.frombuffer(kept[16:], dtype="<u8").astype(np.uint64)
        starts = found()
        if store is not None:
            data = starts.astype("<u8").tobytes()
            store.write(name, _digest(data) + data)
        return starts

    # The methods of a sampler

    def run(self, samples: int, sweeps: int) -> dict[str, Any]:
        """Continue all chains: draw `samples` networks of each, `sweeps` sweeps apart."""
        self.rounds += 1
        n = self.cache.variable_count
        each = max(
            -(-samples // tuned.OPTIONS.blocks_per_round),
            int(tuned.OPTIONS.block_variables / (n * sweeps)),
        )
        parts: list[list[Sampled]] = []
        interrupted = False
        for place, begin in enumerate(range(0, samples, each)):
            wanted = min(each, samples - begin)
            done, interrupted = self._block(place, wanted, sweeps)
            whole = [part for part in done if part is not None]
            if len(whole) == self.chains:
                parts.append(whole)
            if len(whole) < self.chains or min(part.samples for part in whole) < wanted or interrupted:
                # A later call repeats this block to its end, so what comes after it here is of no use to it.
                self.folder = None
                break
        count = sum(min(part.samples for part in row) for row in parts)
        rows, weights = [np.zeros((0, n), dtype=np.uint64)], [np.zeros(0)]
        for chain in range(self.chains):
            for row in parts:
                kept = min(part.samples for part in row)  # equally many of each chain
                rows.append(row[chain].candidates[:kept])
                weights.append(row[chain].weights[:kept])
        return {
            "count": count,
            "candidates": np.concatenate(rows).ravel(),
            "log_weights": np.concatenate(weights),
            "interrupted": interrupted,
        }

    def _block(self, place: int, samples: int, sweeps: int) -> tuple[list[Sampled | None], bool]:
        """Run one block of each chain."""
        assert self.workers is not None
        n, tune = self.cache.variable_count, tuned.OPTIONS
        settings = (
            tune.temperatures,
            tune.step,
            self.seed,
            self.table_bytes,
            tune.block,
            tune.partition_moves,
        )
        blocks = [
            Block(
                f"chain {chain + 1}",
                f"posterior-{self.job}-{self.rounds}-{place + 1}-of-chain-{chain + 1}.bin",
                {
                    "job": self.job,
                    "chain": chain,
                    "settings": settings,
                    "start": self.starts[chain * n : (chain + 1) * n],
                    "state": self.states[chain],
                    "samples": samples,
                    "sweeps": sweeps,
                },
            )
            for chain in range(self.chains)
        ]
        found: list[Sampled | None] = [None] * self.chains

        def accept(number: int, content: bytes) -> bool | None:
            read = _read(content, self.job, number, n, self.cache.candidate_count)
            if read is None or read.samples > samples:
                return False
            found[number] = read
            return True if read.samples == samples else None

        finished = run_blocks(
            self.workers,
            sample_block,
            self.content,
            blocks,
            accept,
            stage="posterior",
            folder=self.folder,
            time_limit=self.left(),
            threads=max(1, self.threads // self.chains) if self.executor is None else 1,
            memory=self.memory,
            progress=self.listener,
        )
        self.taken_up += finished.taken_up
        for chain, one in enumerate(found):
            if one is not None:
                self.states[chain], self.counted[chain] = one.state, one.moves
        return found, finished.interrupted

    def _sum(self, kind: str) -> tuple[int, int]:
        pairs = [one[kind] for one in self.counted if kind in one]
        return sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)

    @property
    def moves(self) -> dict[str, tuple[int, int]]:
        """For each kind of move how many were tried and accepted at temperature 1."""
        kinds = [kind for kind in next((one for one in self.counted if one), {}) if kind != "exchange"]
        return {kind: self._sum(kind) for kind in kinds}

    @property
    def swaps(self) -> tuple[int, int]:
        """Exchanges between temperatures, tried and accepted."""
        return self._sum("exchange")


def _difference(known: Mapping[str, Any], own: Mapping[str, Any], differ: list[str]) -> str:
    """Return in words how two jobs differ."""
    told = []
    for key in differ:
        if key == "variables":
            told.append("its variables differ")
        elif key == "scores":
            if differ == ["scores"]:
                told.append("its table, or the parent sets scored, differ")
        elif key in ("format", "bayesloom", "settings"):
            told.append("another version of Bayesloom wrote it")
        else:
            told.append(f"{key} was {known.get(key)!r} and is {own[key]!r}")
    return "; ".join(dict.fromkeys(told))


# On workers


class _Held:
    """A score cache, and idle samplers of one chain each: their tables are expensive to build."""

    def __init__(self, cache: ScoreCache) -> None:
        self.cache = cache
        self.lock = threading.Lock()
        self.idle: dict[tuple[Any, ...], list[_core.ChainSampler]] = {}

    @contextmanager
    def sampler(self, settings: tuple[Any, ...], start: Words) -> Iterator[_core.ChainSampler]:
        """Lend a sampler to one block."""
        with self.lock:
            free = self.idle.setdefault(settings, [])
            found = free.pop() if free else None
        if found is None:
            temperatures, step, seed, table_bytes, block, partition_moves = settings
            found = _core.ChainSampler(
                self.cache.core, start, 1, temperatures, step, seed, table_bytes, block, partition_moves
            )
        yield found
        with self.lock:
            free.append(found)


def held(content: Any) -> _Held:
    """Return the score cache of a content, with its samplers."""
    return _Held(ScoreCache(_core.parse_blc(bytes(content), "score cache of an executor")))


def sample_block(content: _Held, arguments: Mapping[str, Any], limits: TaskLimits) -> bytes:
    """Continue one chain, as long as time allows; runs on a worker."""
    start = np.ascontiguousarray(arguments["start"], dtype=np.uint64)
    with content.sampler(tuple(arguments["settings"]), start) as sampler:
        if arguments["state"] is None:
            sampler.begin(0, arguments["chain"], start)
        else:
            sampler.restore(0, np.ascontiguousarray(arguments["state"], dtype=np.uint64))
        out = sampler.run(
            arguments["samples"],
            arguments["sweeps"],
            threads=limits.threads,
            seconds=limits.seconds,
            progress=limits.progress,
        )
        if out["interrupted"]:
            raise KeyboardInterrupt
        moves = {kind: list(pair) for kind, pair in sampler.moves.items()}
        moves["exchange"] = list(sampler.swaps)
        arrays = [
            np.asarray(out["candidates"]).astype("<u8").tobytes(),
            np.asarray(out["log_weights"]).astype("<f8").tobytes(),
            np.asarray(sampler.state(0)).astype("<u8").tobytes(),
        ]
    body = b"".join(arrays)
    head = {
        "job": arguments["job"],
        "chain": arguments["chain"],
        "count": int(out["count"]),
        "moves": moves,
        "digest": _digest(body).hex(),
    }
    return json.dumps(head).encode() + b"\n" + body


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _read(content: bytes, job: str, chain: int, variables: int, candidates: int) -> Sampled | None:
    """Return the samples of a block, if it is one of this chain of this job, whole."""
    line, _, body = content.partition(b"\n")
    try:
        head = json.loads(line)
        if (head["job"], head["chain"]) != (job, chain) or head["digest"] != _digest(body).hex():
            return None
        count, moves = int(head["count"]), dict(head["moves"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    words = np.frombuffer(body, dtype="<u8")
    size = count * variables
    if count < 0 or len(words) < size + count:
        return None
    rows = words[:size].astype(np.uint64).reshape(count, variables)
    if rows.size and int(rows.max()) >= candidates:
        return None
    weights = words[size : size + count].view("<f8").astype(np.float64)
    return Sampled(count, rows, weights, words[size + count :].astype(np.uint64), moves)
