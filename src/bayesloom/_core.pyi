"""
Bayesloom's C++ core. Private: use the names in `bayesloom`. It needs the interpreter lock: a free-threaded
Python turns it on at import. Kernels let go of it.
"""

from collections.abc import Callable, Mapping, Sequence
import enum
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def thread_count(wanted: int = 0) -> int:
    """
    The number of threads to use: `wanted`, or for 0 the processors this process may run on.
    """

def parallel_use(wanted: bool = True) -> dict[str, float]:
    """
    For benchmarks: what shared work took since the last call: `regions`, how many times it was shared, in how many `tasks`; `started`, how often another thread was asked to help; and in seconds `wall`, `cpu` of all threads, `busiest`, of the busiest thread each time, `longest`, the same if every thread had a processor of its own. Collects from now on if wanted.
    """

def request_interrupt(wanted: bool = True) -> None:
    """
    Asks every kernel of the process to stop and keep its answer, as Ctrl-C does.
    """

def interrupt_requested() -> bool: ...
def to_fixed(nats: float) -> int:
    """A score as a whole number of 2^-30 nats."""

def to_nats(fixed: int) -> float:
    """A whole number of 2^-30 nats as a score."""

def clock() -> float:
    """What the clock of the core shows, in seconds."""

def step_clock(seconds: float | None) -> None:
    """
    For tests: from now on each look at the clock is so much later than the one before; None is the time again.
    """

class EncodedData:
    """The table as the core sees it: small integers, equal rows merged."""

    def __init__(
        self,
        columns: Sequence[NDArray[numpy.uint8] | NDArray[numpy.uint16] | NDArray[numpy.float64]],
        cardinalities: Sequence[int],
        weights: NDArray[numpy.uint32] | None = None,
        missing: bool = False,
        set_rows: Sequence[NDArray[numpy.uint8] | None] = (),
    ) -> None: ...
    @property
    def variable_count(self) -> int: ...
    @property
    def row_count(self) -> int: ...
    @property
    def unique_row_count(self) -> int: ...
    @property
    def digest(self) -> int:
        """
        A number that changes with the rows, their weights and the cardinalities.
        """

    @property
    def weights(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

def cell_counts(
    data: EncodedData, variables: Sequence[int], form: str = "by_cost", merge: bool = False
) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)], float]:
    """
    Rows in each cell of a set of variables, and how many cells are possible.
    """

def time_counting(
    data: EncodedData, size: int, most: int, form: str = "by_cost", merge: bool = True
) -> tuple[float, int]:
    """Nanoseconds per set, and how many sets were counted."""

def count_with_every_kernel(
    cells: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    plane: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    shift: int = 0,
) -> list[tuple[str, list[int]]]:
    """The same bit count by each kernel of this processor."""

def count_tables_with_every_kernel(
    a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    words: int,
    shift: int = 0,
) -> list[tuple[str, list[int]]]:
    """Common bits of planes and others by each kernel of this processor."""

def describe_scores() -> dict[str, dict[str, Any]]:
    """Every score with its properties and options."""

def score_families(
    data: EncodedData,
    score: str,
    options: Mapping[str, float],
    children: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    first: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    threads: int = 0,
    seconds: float | None = None,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
    """Local scores, in fixed point, of families given as flat arrays."""

def exhaustive(
    data: EncodedData,
    names: Sequence[str],
    score: str,
    options: Mapping[str, float],
    max_parents: int | None = None,
    margin: float = 0.0,
    prune: bool = True,
    threads: int = 0,
    memory_bytes: float = 0.0,
    max_sets: int = 8589934592,
    shard: tuple[int, int] = (0, 1),
    checkpoint: bytes = ...,
    resume: bool = False,
    checkpoint_interval: float = 10.0,
    by_child: bool | None = None,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """A score cache of all parent sets that matter, and what was done."""

def estimate_exhaustive(
    data: EncodedData,
    score: str,
    options: Mapping[str, float],
    max_parents: int | None = None,
    margin: float = 0.0,
) -> tuple[float, int]:
    """
    How many local scores are computed at most, and the largest parent set that can matter.
    """

def anytime_parent_sets(
    data: EncodedData,
    names: Sequence[str],
    score: str,
    options: Mapping[str, float],
    strategy: str,
    conditional: bool = True,
    max_parents: int = 12,
    margin: float = 0.0,
    parents_considered: int = 512,
    seconds_per_variable: float | None = None,
    sets_per_variable: int | None = None,
    memory_bytes: float = 0.0,
    adaptive: bool = True,
    threads: int = 0,
    shard: tuple[int, int] = (0, 1),
    checkpoint: bytes = ...,
    resume: bool = False,
    checkpoint_interval: float = 10.0,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    A score cache of the best parent sets found in the time given, and what was done.
    """

class AtomicFile:
    """
    A plain file, whole or not at all; links followed, devices and pipes written through.
    """

    def __init__(self, path: bytes) -> None: ...
    def write(self, content: object) -> None:
        """
        Writes bytes, or what has them in one piece, as they are: no copy is made.
        """

    @property
    def written(self) -> int:
        """Bytes written so far."""

    def commit(self) -> None:
        """Gives the file its name."""

    def abandon(self) -> None:
        """Ends without a file."""

def remove_unfinished_files() -> None:
    """
    Removes the temporary files of all that is being written; for a process about to end.
    """

class ScoreCache:
    """Candidates with local scores; see bayesloom.cache."""

    def __init__(
        self,
        names: Sequence[str],
        cardinalities: Sequence[int],
        first: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        scores: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        parent_first: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        parents: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        info: str,
    ) -> None:
        """From flat arrays in any order of candidates; `scores` in nats."""

    @property
    def variable_count(self) -> int: ...
    @property
    def candidate_count(self) -> int: ...
    @property
    def max_parents_seen(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def cardinalities(self) -> list[int]: ...
    @property
    def info(self) -> str: ...
    @property
    def first(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]: ...
    @property
    def scores(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...
    @property
    def parent_first(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]: ...
    @property
    def parents(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...
    @property
    def plain_views(
        self,
    ) -> tuple[
        Annotated[memoryview, dict(dtype="uint64", shape=(None,), writable=False)],
        Annotated[memoryview, dict(dtype="int64", shape=(None,), writable=False)],
        Annotated[memoryview, dict(dtype="uint64", shape=(None,), writable=False)],
        Annotated[memoryview, dict(dtype="uint32", shape=(None,), writable=False)],
    ]:
        """
        first, scores, parent_first and parents for who does not need NumPy: importing it takes longer than a
        small search.
        """

    def find(self, variable: int, parents: Sequence[int]) -> int | None:
        """The number of the candidate with these parents, or None."""

    def best_within(self, variable: int, allowed: Sequence[int]) -> int | None:
        """The number of the best candidate within `allowed`, or None."""

    def select(
        self,
        keep: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> ScoreCache: ...
    def without_dominated(self, margin: int, drop_ties: bool) -> ScoreCache: ...
    def with_info(self, info: str) -> ScoreCache: ...
    @property
    def digest(self) -> int:
        """
        A number that changes with names, cardinalities, candidates and scores.
        """

    def with_orders(self, orders: Sequence[tuple[int, int]]) -> ScoreCache:
        """
        The cache with an edge a -> b that costs nothing for each order (a, b): a is added to every candidate of b. Candidates keep their numbers. Not for files.
        """

    def __eq__(self, other: object, /) -> bool: ...

def read_blc(path: bytes, mapped: bool = False) -> ScoreCache:
    """
    A .blc file, copied into memory or mapped: a mapped file must not change while it is used.
    """

def parse_blc(content: bytes, file: str) -> ScoreCache:
    """The content of a .blc file; `file` is for messages."""

def write_blc(cache: ScoreCache, path: bytes) -> None: ...
def format_blc(cache: ScoreCache) -> bytes: ...
def read_jkl(path: bytes, mapped: bool = False) -> ScoreCache: ...
def parse_jkl(content: bytes, file: str) -> ScoreCache:
    """The content of a .jkl file; `file` is for messages."""

def write_jkl(cache: ScoreCache, path: bytes) -> None: ...
def format_jkl(cache: ScoreCache) -> bytes: ...
def read_pss(path: bytes, mapped: bool = False) -> tuple[ScoreCache, list[tuple[int | None, str, str]]]:
    """The cache and its META lines: (variable or None, key, value)."""

def parse_pss(content: bytes, file: str) -> tuple[ScoreCache, list[tuple[int | None, str, str]]]:
    """The content of a .pss file; `file` is for messages."""

def write_pss(cache: ScoreCache, meta: Sequence[tuple[str, str]], path: bytes) -> None: ...
def format_pss(cache: ScoreCache, meta: Sequence[tuple[str, str]]) -> bytes: ...
def write_file(path: bytes, content: bytes) -> None:
    """Writes a whole file under a temporary name and renames it."""

def xxh64(content: bytes, seed: int = 0) -> int:
    """The XXH64 checksum, as in the trailer of .blc files."""

class NeighbourSets:
    """Parent sets scored on demand, next to a network."""

    def __init__(
        self,
        data: EncodedData,
        score: str,
        options: Mapping[str, float],
        parents_considered: int = 1024,
        threads: int = 0,
        rules: Sequence[tuple[Sequence[int], Sequence[int], int | None]] = [],
        before: Sequence[tuple[int, int]] = [],
        most_bytes: int | None = None,
    ) -> None: ...
    @property
    def scored(self) -> int:
        """Local scores computed so far."""

    @property
    def set_count(self) -> int:
        """Parent sets kept."""

    @property
    def bytes(self) -> int:
        """Memory of the parent sets kept."""

    @property
    def full_count(self) -> int:
        """Children that have used up their part of the memory."""

    @property
    def rows_compared(self) -> int:
        """Unique rows by which the parents considered were chosen."""

    def prepare(
        self,
        within: float | None = None,
        sample: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """
        Scores all pairs of variables, once; if `within` so many seconds that cannot be done, those that are best by a sample of the rows, or of `sample` rows if that is given.
        """

    def climb(
        self,
        start: Sequence[Sequence[int]] | None = None,
        tabu: int = 20,
        stall: int = 100,
        together: int = 1,
        members: int = 3,
        seed: int = 0,
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """Climbs to a network: its parents and score, and what was done."""

    @property
    def climbs_orders(self) -> bool:
        """Whether `climb_orders` can be used."""

    def climb_orders(
        self,
        start: Sequence[Sequence[int]] | None = None,
        patience: int = 0,
        seed: int = 0,
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """
        Climbs over orders to a network: its parents and score, and what was done.
        """

    def scores(self, parents: Sequence[Sequence[int]]) -> list[int]:
        """
        The local scores of a network; those that are known are not counted again.
        """

    def around(
        self,
        parents: Sequence[Sequence[int]],
        both_ways: bool = False,
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """Scores the sets with one parent added, removed or exchanged."""

    def grow(
        self,
        order: Sequence[int],
        parents: Sequence[Sequence[int]],
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """Grows and shrinks parent sets along an order."""

    def look_beyond(
        self,
        parents: Sequence[Sequence[int]],
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """
        Tries parents that are not considered beside the sets of a network; `steps` gain.
        """

    def widen(
        self,
        count: int,
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """Expands the best sets of each child that were not expanded yet."""

    def beside(
        self,
        cache: ScoreCache,
        candidates: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """
        Scores the sets next to candidates of a cache; `steps` says how many sets were expanded.
        """

    def add(self, cache: ScoreCache) -> None:
        """Adds the candidates of a cache."""

    def cache(self, names: Sequence[str]) -> ScoreCache:
        """Everything scored so far that can matter."""

def polish(
    data: EncodedData,
    score: str,
    options: Mapping[str, float],
    cache: ScoreCache,
    parents: Sequence[Sequence[int]],
    threads: int = 0,
    rules: Sequence[tuple[Sequence[int], Sequence[int], int | None]] = [],
    before: Sequence[tuple[int, int]] = [],
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    Takes away, adds and turns single edges of a network while that raises its score.
    """

def supersets(
    data: EncodedData,
    score: str,
    options: Mapping[str, float],
    child: int,
    rules: Sequence[tuple[Sequence[int], Sequence[int], int | None]],
    margin: float = 0.0,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    All parent sets of a child with given parents that can matter among those.
    """

def check_score_names() -> list[str]:
    """The scores that the verifier knows."""

def check_local_scores(
    columns: Sequence[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ],
    cardinalities: Sequence[int],
    variables: Sequence[int],
    parents: Sequence[Sequence[int]],
    score: str,
    ess: float = 1.0,
    gamma: float = 1.0,
    weights: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None = None,
    alpha_mu: float = 1.0,
    degrees: float = 2.0,
    least: float = 5.0,
    power: float = 0.25,
    penalty: float = 1.0,
    gaps: bool = False,
) -> list[float]:
    """The local score of each variable with its parents."""

def check_log_normalizer(n: int, k: float, approximate: bool = False) -> float:
    """ln C(n, k) of the multinomial NML."""

def check_cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """Variables along a cycle, each a parent of the next; empty if acyclic."""

def check_candidates(
    first: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    scores: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parent_first: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    parents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    chosen: Sequence[Sequence[int]],
) -> list[int | None]:
    """
    For each variable the score of the candidate with the chosen parents, or None.
    """

def check_best_score(
    first: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    scores: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parent_first: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    parents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    orders: Sequence[tuple[int, int]] = [],
) -> int:
    """
    The best score of all networks over a score cache of at most 16 variables, of those that some
    order fits in which the first of each pair comes before the second.
    """

def check_sets(
    first: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    scores: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    prices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    needs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.int16], dict(shape=(None,), order="C", device="cpu", writable=False)],
    goal: int,
    memory_bytes: float,
) -> tuple[str, int, bool]:
    """
    The record `sets` of a certificate: what is wrong, if anything, how many sets were looked at, and
    whether Ctrl-C came.
    """

def subset_dp(
    cache: ScoreCache,
    threads: int = 0,
    memory_bytes: float = 0.0,
    start: Sequence[int] = [],
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """Dense dynamic programming over all subsets."""

def subset_dp_bytes(variables: int, threads: int) -> float:
    """The least memory of `subset_dp` for a component of so many variables."""

def astar(
    cache: ScoreCache,
    start: Sequence[int] = [],
    memory_bytes: float = 0.0,
    pattern_size: int = 16,
    cluster_rounds: int = 100000,
    threads: int = 0,
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """Best-first search on the order graph."""

def bfbnb(
    cache: ScoreCache,
    scratch: str,
    memory_bytes: float,
    threads: int = 0,
    start: Sequence[int] = [],
    resume: bool = False,
    pattern_size: int = 16,
    cluster_rounds: int = 100000,
    dense: bool | None = None,
    asked: Sequence[tuple[str, str]] = [],
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    Breadth-first branch and bound with layers on disk; dense: when it pays, never or always.
    """

class OrderSearchLimits:
    """What the solvers of order search share."""

    def __init__(self) -> None: ...
    @property
    def work(self) -> int | None: ...
    @work.setter
    def work(self, arg: int | None, /) -> None: ...
    @property
    def target(self) -> int | None: ...
    @target.setter
    def target(self, arg: int | None, /) -> None: ...
    @property
    def patience(self) -> float: ...
    @patience.setter
    def patience(self, arg: float, /) -> None: ...
    @property
    def islands(self) -> int: ...
    @islands.setter
    def islands(self, arg: int, /) -> None: ...
    @property
    def only(self) -> int | None: ...
    @only.setter
    def only(self, arg: int | None, /) -> None: ...
    @property
    def threads(self) -> int: ...
    @threads.setter
    def threads(self, arg: int, /) -> None: ...
    @property
    def seed(self) -> int: ...
    @seed.setter
    def seed(self, arg: int, /) -> None: ...
    @property
    def start(self) -> list[int]: ...
    @start.setter
    def start(self, arg: Sequence[int], /) -> None: ...
    @property
    def exchange(self) -> Exchange: ...
    @exchange.setter
    def exchange(self, arg: Exchange | None, /) -> None: ...

class ObsOptions:
    def __init__(self) -> None: ...
    @property
    def tabu(self) -> int: ...
    @tabu.setter
    def tabu(self, arg: int, /) -> None: ...
    @property
    def stall(self) -> int: ...
    @stall.setter
    def stall(self, arg: int, /) -> None: ...
    @property
    def climbs(self) -> int: ...
    @climbs.setter
    def climbs(self, arg: int, /) -> None: ...

def obs(
    cache: ScoreCache,
    options: ObsOptions,
    limits: OrderSearchLimits,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """Swaps neighbours, with a tabu list."""

class OrderMoves(enum.Enum):
    """What follows acyclic selection."""

    none = 0

    swaps = 1

    inserts = 2

class AsobsOptions:
    def __init__(self) -> None: ...
    @property
    def moves(self) -> OrderMoves: ...
    @moves.setter
    def moves(self, arg: OrderMoves, /) -> None: ...
    @property
    def tabu(self) -> int: ...
    @tabu.setter
    def tabu(self, arg: int, /) -> None: ...
    @property
    def stall(self) -> int: ...
    @stall.setter
    def stall(self, arg: int, /) -> None: ...
    @property
    def climbs(self) -> int: ...
    @climbs.setter
    def climbs(self, arg: int, /) -> None: ...

def asobs(
    cache: ScoreCache,
    options: AsobsOptions,
    limits: OrderSearchLimits,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """Acyclic selection, then order moves."""

class Selection(enum.Enum):
    """How a climb picks among improving inserts."""

    best = 0

    first = 1

    hybrid = 2

class InobsOptions:
    def __init__(self) -> None: ...
    @property
    def selection(self) -> Selection: ...
    @selection.setter
    def selection(self, arg: Selection, /) -> None: ...
    @property
    def climbs(self) -> int: ...
    @climbs.setter
    def climbs(self, arg: int, /) -> None: ...

class Shake(enum.Enum):
    """How a local optimum is left."""

    swaps = 0

    inserts = 1

class IinobsOptions:
    def __init__(self) -> None: ...
    @property
    def shake(self) -> Shake: ...
    @shake.setter
    def shake(self, arg: Shake, /) -> None: ...
    @property
    def strength(self) -> float: ...
    @strength.setter
    def strength(self, arg: float, /) -> None: ...
    @property
    def leeway(self) -> float: ...
    @leeway.setter
    def leeway(self, arg: float, /) -> None: ...
    @property
    def soft_restart(self) -> int: ...
    @soft_restart.setter
    def soft_restart(self, arg: int, /) -> None: ...
    @property
    def soft_restart_share(self) -> float: ...
    @soft_restart_share.setter
    def soft_restart_share(self, arg: float, /) -> None: ...
    @property
    def hard_restart(self) -> int: ...
    @hard_restart.setter
    def hard_restart(self, arg: int, /) -> None: ...
    @property
    def neutral(self) -> int: ...
    @neutral.setter
    def neutral(self, arg: int, /) -> None: ...

def iinobs(
    cache: ScoreCache,
    options: IinobsOptions,
    limits: OrderSearchLimits,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """Climbs by inserts, shakes up, climbs again."""

class Crossover(enum.Enum):
    """How two orders are combined."""

    cx = 0

    rx = 1

    ob = 2

class MinobsOptions:
    def __init__(self) -> None: ...
    @property
    def population(self) -> int: ...
    @population.setter
    def population(self, arg: int, /) -> None: ...
    @property
    def crossover(self) -> Crossover: ...
    @crossover.setter
    def crossover(self, arg: Crossover, /) -> None: ...
    @property
    def crossovers(self) -> int: ...
    @crossovers.setter
    def crossovers(self, arg: int, /) -> None: ...
    @property
    def mutations(self) -> int: ...
    @mutations.setter
    def mutations(self, arg: int, /) -> None: ...
    @property
    def mutation_power(self) -> float: ...
    @mutation_power.setter
    def mutation_power(self, arg: float, /) -> None: ...
    @property
    def diversify_after(self) -> int: ...
    @diversify_after.setter
    def diversify_after(self, arg: int, /) -> None: ...
    @property
    def diversify_change(self) -> float: ...
    @diversify_change.setter
    def diversify_change(self, arg: float, /) -> None: ...
    @property
    def diversify_keep(self) -> int: ...
    @diversify_keep.setter
    def diversify_keep(self, arg: int, /) -> None: ...
    @property
    def polish(self) -> float: ...
    @polish.setter
    def polish(self, arg: float, /) -> None: ...
    @property
    def neutral(self) -> int: ...
    @neutral.setter
    def neutral(self, arg: int, /) -> None: ...

def minobs(
    cache: ScoreCache,
    options: MinobsOptions,
    limits: OrderSearchLimits,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """A population of local optima."""

def best_for_order(cache: ScoreCache, order: Sequence[int]) -> list[int]:
    """The candidate of every variable in the best network for an order."""

def acyclic_selection(cache: ScoreCache, order: Sequence[int]) -> list[int]:
    """The candidate of every variable that acyclic selection takes."""

def insert_gains(cache: ScoreCache, order: Sequence[int], variable: int) -> tuple[list[int | None], int, int]:
    """
    The gain of every position of a variable; the best position and its gain.
    """

def inobs(
    cache: ScoreCache,
    options: InobsOptions,
    limits: OrderSearchLimits,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """Climbs by inserts."""

class Exchange:
    """What two solvers of the same cache tell each other."""

    def __init__(self, turns: bool, target_gap: int = 0) -> None: ...
    def close(self) -> None:
        """Tell both solvers to stop."""

    def leave(self, who: int) -> None:
        """Solver `who`, 0 or 1, is done for good."""

    @property
    def score(self) -> int: ...
    @property
    def bound(self) -> int: ...

class MixedGraph:
    """A graph with directed and undirected edges."""

    def __init__(
        self, size: int, directed: Sequence[tuple[int, int]], undirected: Sequence[tuple[int, int]]
    ) -> None: ...
    def __len__(self) -> int: ...
    def __eq__(self, arg: object, /) -> bool: ...
    @property
    def directed(self) -> list[tuple[int, int]]:
        """Pairs (from, to)."""

    @property
    def undirected(self) -> list[tuple[int, int]]:
        """Pairs, smaller index first."""

    def extension(self) -> Network | None:
        """
        A network with this skeleton, these directions and no v-structure that is not shown here, or None.
        """

class Network:
    """One parent set per variable, without a cycle."""

    def __init__(self, parents: Sequence[Sequence[int]]) -> None: ...
    def __len__(self) -> int: ...
    def __eq__(self, arg: object, /) -> bool: ...
    @property
    def parents(self) -> list[list[int]]: ...
    @property
    def children(self) -> list[list[int]]: ...
    @property
    def order(self) -> list[int]:
        """
        Parents first; among those that could come next, the smallest index first.
        """

    def cpdag(self) -> MixedGraph:
        """The picture of the equivalence class."""

    def moral(self) -> MixedGraph:
        """Directions dropped, parents of a common child joined."""

    def directed(self) -> MixedGraph:
        """The network as a MixedGraph."""

    def is_covered(self, source: int, target: int) -> bool:
        """Whether reversing the edge gives an equivalent network."""

def find_cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """
    Variables of one cycle, each a parent of the next; empty if there is none.
    """

def strong_components(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """
    Sets of variables that lead to each other, each ascending; parents of others come first.
    """

def is_equivalent(a: Network, b: Network) -> bool:
    """Same skeleton and same v-structures."""

def directions_under(
    network: Network,
    known: Sequence[tuple[int, int]],
    most: Sequence[int],
    orders: Sequence[tuple[int, int]],
    work_limit: int,
) -> tuple[list[int], int]:
    """
    For each edge, by child and then by parent: 0 compelled, 1 by constraints alone, 2 reversible, 3 not decided; and the steps taken.
    """

def distance(a: MixedGraph, b: MixedGraph) -> int:
    """Structural Hamming distance: pairs that are joined differently."""

class Layout:
    """Boxes in layers and curves that touch no box but their own."""

    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    @property
    def crossings(self) -> int:
        """Of edges as lines between layers."""

    @property
    def boxes(self) -> list[tuple[float, float]]:
        """The upper left corner of each."""

    @property
    def routes(self) -> list[list[tuple[float, float]]]:
        """Of each edge the points of cubic Bezier curves, one after the other."""

def layered_layout(widths: Sequence[float], height: float, edges: Sequence[tuple[int, int]]) -> Layout:
    """
    Lay out boxes of these widths; edges (from, to) have no cycle and do not repeat.
    """

def layers_of(vertices: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """
    The layer of each vertex of a connected graph, the sum of lengths of edges being least.
    """

def layer_crossings(
    layer: Sequence[int], edges: Sequence[tuple[int, int]], reduced: bool
) -> tuple[int, list[list[int]]]:
    """
    Crossings, and the vertices of each layer in order; bends of long edges count on.
    """

def reduced_costs(
    cache: ScoreCache,
    known: int,
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
    prices: Sequence[Sequence[tuple[Sequence[int], int, int, Sequence[int]]]] = [],
) -> dict[str, Any]:
    """
    The gap of a bound over the known score, its prices, and for each candidate by how much that bound is lower for networks that use it. Lists of given prices are tried, and it goes on from the last; `last` is what to go on from the next time.
    """

def dual_bound(
    cache: ScoreCache, known: int, prices: Sequence[Sequence[tuple[Sequence[int], int, int, Sequence[int]]]]
) -> tuple[
    int,
    Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)],
    Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)],
]:
    """
    The bound of lists of prices, taken in turn, and the candidates that a network better than the known score may use.
    """

def remaining_bounds(
    cache: ScoreCache, prices: Sequence[tuple[Sequence[int], int, int, Sequence[int]]], placed: int
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
    """
    What the variables that are not placed can still add to the sum of the best local scores, at most; then for each of them, in ascending order, the same once it is placed too.
    """

def inequalities_of_four() -> list[list[int]]:
    """
    For each: for each member the sets of the other three that block it, as bits of a number.
    """

def cut_bound(
    cache: ScoreCache, known: int, rounds: int = 4, seed: int = 0
) -> tuple[
    int,
    list[tuple[list[int], int, int, list[int]]],
    list[
        tuple[
            list[tuple[list[int], int, int, list[int]]],
            list[int],
            list[int],
            int,
            int,
            list[tuple[int, int, int]],
        ]
    ],
]:
    """
    The bound by prices of clusters and of zero-half cuts: the bound, the clusters, and the cuts, each with the inequalities and the earlier cuts it is made of, the halved variables, need, price, and the weights (variable, candidate, weight).
    """

def weight_kernel(
    name: str,
    weights: Sequence[float],
    masks: Sequence[int],
    local: Sequence[int],
    words: int,
    need: int,
    sets: int,
    blocked: float,
    free: float,
) -> tuple[float, float, list[float]] | None:
    """
    Of weights the sums of those that a test blocks and of the others, and what they are times two factors: by the kernel of this name, None if this processor has none.
    """

class Separation:
    """Cluster inequalities as rows of a linear program over candidates."""

    def __init__(
        self,
        cache: ScoreCache,
        candidates: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def add(
        self, inequalities: Sequence[tuple[Sequence[int], int, int, Sequence[int]]]
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)],
        Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)],
        Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)],
        Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)],
    ]:
        """
        The rows of these inequalities: where each begins, columns, values, and what they sum up to at least.
        """

    def violated(
        self,
        shares: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        least: float,
        seconds: float | None = None,
    ) -> tuple[list[tuple[list[int], int, int, list[int]]], bool]:
        """
        Inequalities that were not added and are violated by at least so much, and whether Ctrl-C came.
        """

def has_block_kernel(name: str) -> bool:
    """Whether this processor has a kernel of dense search of this name."""

def block_tabulate(
    name: str,
    bits: int,
    losses: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    lows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
    """For each set the least loss of a candidate inside it."""

def block_place(
    name: str,
    bits: int,
    losses: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    lows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    best: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    before: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
    """The least of `best` and of `before` with one more high member."""

def block_finish(
    name: str,
    bits: int,
    best: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    tables: Sequence[
        Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ],
) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], int]:
    """The block once the low members are placed too, and its least loss."""

def greedy_order(cache: ScoreCache) -> list[int]:
    """The order of a greedy network; empty if there is no network."""

def bblp(
    cache: ScoreCache,
    seed: int = 0,
    moves: int = 10000,
    branch: bool = True,
    target_gap: float = 0.0,
    start: Sequence[int] = [],
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
    sets: str = "in turns",
    memory_bytes: float = 4000000000.0,
    exchange: Exchange | None = None,
    threads: int = 1,
    threads_beside: int = 1,
    least_shared: int = 128,
    prices: Sequence[Sequence[tuple[Sequence[int], int, int, Sequence[int]]]] = [],
    cuts: int = 8,
    components: bool = False,
    program: object | None = None,
    program_after: int = 2,
    first_turn: int = 30000,
) -> dict[str, Any]:
    """
    Cluster prices with branch and bound; with a `program` (solvers/highs.py) branching goes by it after so many first turns. Zero-half cuts begin after so many first turns (a power of two), or never if 0. With `components`, what a limit left open is listed by component: (candidates, decided, prices, bound), and `closed` is the bound of the rest.
    """

def cut_proof(
    cache: ScoreCache,
    known: int,
    program: object,
    prices: Sequence[Sequence[tuple[Sequence[int], int, int, Sequence[int]]]] = [],
    seed: int = 0,
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    Branch and cut for networks above the known score. If there are none, `body` is the proof, for a certificate (with prices that many bits `finer` than units); else there is the best of them.
    """

def bblp_part(
    cache: ScoreCache,
    candidates: bytes,
    prices: Sequence[tuple[Sequence[int], int, int, Sequence[int]]],
    floor: int,
    seed: int = 0,
    moves: int = 10000,
    sets: str = "in turns",
    memory_bytes: float = 4000000000.0,
    threads: int = 1,
    subtrees: int = 8,
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    `bblp` over some candidates of a cache (a bit for each) and the variables that have any; parents outside come before. Only scores above `floor` count. What a limit left open: parts, of which one has what is above score and floor.
    """

def set_search(
    cache: ScoreCache,
    prices: Sequence[Sequence[tuple[Sequence[int], int, int, Sequence[int]]]],
    steps: Sequence[tuple[int, int]],
    threads: int = 1,
) -> dict[str, Any]:
    """
    The search over sets of `bblp` by itself, in steps of work and a floor that rises: whether it came to its end, what no network is better than, unless it is at most the floor, and the candidates of the best network above the floor, if there is one.
    """

class Pace(enum.Enum):
    """How long dual prices are worked on."""

    rough = 0

    quick = 1

    slow = 2

class CredibleSet:
    """All networks within a Bayes factor of the best."""

    @property
    def backend(self) -> str:
        """'subset DP' or 'diagram'."""

    @property
    def best(self) -> int:
        """
        The best score that is known, in units of 2^-30 nat; of all, once counted.
        """

    @property
    def gap(self) -> int:
        """How far the bound by dual prices is above it, in these units."""

    @property
    def best_network(self) -> list[int]:
        """One candidate per variable."""

    @property
    def max_loss(self) -> int: ...
    @property
    def component_sizes(self) -> list[int]: ...
    @property
    def state_count(self) -> int: ...
    @property
    def whole(self) -> bool:
        """Whether the count has come to its end."""

    @property
    def drawable(self) -> bool:
        """Whether networks can be drawn."""

    def stream(self, within: int | None = None) -> CredibleStream:
        """
        A fresh stream of the networks, or of those at most `within` below the best; of those found, if they are not counted to the end.
        """

    def classes(
        self,
        within: int | None = None,
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
        most: int = 20000000,
    ) -> CredibleClasses:
        """
        The equivalence classes of the networks, or of those at most `within` below the best; as many as were found until it was stopped. Of a component with more than `most` networks diagrams list some only.
        """

    def draw(
        self, networks: int, seed: int, even: bool = False
    ) -> tuple[
        Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)],
        Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)],
    ]:
        """
        Networks drawn with probability proportional to their weight, or each as likely as the other: candidates and scores.
        """

    def count(
        self,
        seconds: float | None = None,
        work: int | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """
        The number of networks, a proved lower bound and a proved upper one, and their weight if the number is exact; None for all but the lower bound if stopped.
        """

    def count_within(self, loss: int, seconds: float | None = None) -> int | None:
        """
        The number of networks at most `loss` below the best, by rounded losses if these were; None if that is not known.
        """

    def estimate(
        self,
        probes: int,
        seed: int,
        seconds: float | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> tuple[float, float, int, float]:
        """
        An unbiased estimate of the number of networks, its standard error, the random walks made, and the effective sample size.
        """

    def find_near_best(self, most: int, seconds: float | None = None) -> int:
        """
        Finds at most so many networks near the best, to list where the count did not end; returns how many networks there are for certain.
        """

    def annealed_estimate(
        self, near: CredibleSet, particles: int, seed: int, threads: int = 0, seconds: float | None = None
    ) -> tuple[float, float, int, float] | None:
        """
        An estimate of the number of networks by annealed sampling that begins with the networks of a smaller set, which must be counted; as `estimate`. None if stopped.
        """

    def candidate_weights(
        self, seconds: float | None = None, progress: Callable[[int, float], None] | None = None
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)] | None:
        """
        For each candidate of the cache the sum of exp(score - best) over networks that use it; None if stopped or if there are too many networks.
        """

    def estimated_shares(
        self, draws: int, seed: int, seconds: float | None = None
    ) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)], float]:
        """
        For each candidate of the cache an estimate of its share in the weight, and the effective sample size.
        """

    def pair_weights(
        self,
        ancestor: bool,
        seconds: float | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)] | None:
        """
        At a * n + b the weight of networks with b in the Markov blanket of a, or with a path from a to b; None if stopped or if there are too many networks.
        """

    def pair_counts(
        self,
        networks: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        ancestor: bool,
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """The same of given networks: how many of them."""

class CredibleStream:
    """The networks of a credible set, many at a time."""

    def take(
        self, most: int
    ) -> tuple[
        Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)],
        Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)],
    ]:
        """
        Candidates, one per variable and network, and fixed-point scores of the next networks.
        """

    def take_json(self, most: int) -> tuple[list[memoryview], int]:
        """
        The next networks as lines of JSON, one text after the other, and how many they are. The texts are those of the stream: valid until the next call.
        """

class CredibleClassStream:
    """The classes of a credible set, many at a time."""

    def take(
        self, most: int
    ) -> tuple[
        Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)],
        Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)],
        list[int],
    ]:
        """
        Candidates of one network per class, fixed-point scores and numbers of members.
        """

class CredibleClasses:
    """The equivalence classes of a credible set."""

    @property
    def count(self) -> int: ...
    @property
    def whole(self) -> bool:
        """Whether all classes and all their members were found."""

    def stream(self) -> CredibleClassStream:
        """A fresh stream of the classes."""

def parent_lists(
    cache: ScoreCache,
    candidates: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> list[
    tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)],
        Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)],
    ]
]:
    """
    For each variable, of candidates by network and then by variable: where the parents of each network begin, and the parents, one list after the other.
    """

def class_size(network: Network) -> int:
    """The number of networks equivalent to this one."""

def subset_dp_set(
    cache: ScoreCache,
    max_loss: int,
    threads: int = 0,
    memory_bytes: float = 4000000000.0,
    orders: Sequence[tuple[int, int]] = [],
    known: Sequence[int] = [],
    tried: CredibleSet | None = None,
    dense_up_to: int = 22,
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    The credible set for networks at most `max_loss` (in units of 2^-30 nat) below the best, of those that keep the orders, pairs of which the first comes before the second; None if stopped, or if there are more sets of variables than the memory allows. `known` is a good network, `tried` a set by diagrams around that, whose prices are used.
    """

def diagram_set(
    cache: ScoreCache,
    max_loss: int,
    orders: Sequence[tuple[int, int]] = [],
    known: Sequence[int] = [],
    pace: Pace = Pace.slow,
    memory_bytes: float = 4000000000.0,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    The same by diagrams, not counted yet, around a known network; how long dual prices are worked on is the pace.
    """

def log_total_weight(
    cache: ScoreCache,
    reference: int,
    orders: Sequence[tuple[int, int]] = [],
    threads: int = 0,
    memory_bytes: float = 4000000000.0,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> float | None:
    """
    ln of the sum over all networks that keep the orders of exp(score - reference), or None if stopped.
    """

class DiscreteNetwork:
    """A network of discrete variables with its tables."""

    def __init__(
        self,
        cardinalities: Sequence[int],
        parents: Sequence[Sequence[int]],
        tables: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def __len__(self) -> int: ...
    def infer(
        self,
        rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        ask: str,
        targets: Sequence[int],
        draws: int = 1,
        seed: int = 0,
        threads: int = 1,
        memory_bytes: float = 1000000000.0,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """
        Answers for every row: codes one row after the other, negative where hidden.
        """

def part_sizes(cache: ScoreCache) -> list[int]:
    """The number of variables of each component of a cache, largest first."""

def pair_counts(
    cache: ScoreCache,
    networks: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ancestor: bool,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
    """
    At a * n + b how many of the given networks have a path from a to b, or b in the Markov blanket of a. `networks` holds a candidate per variable, network by network.
    """

class ExactPosterior:
    """Exact sums over all networks of a cache."""

    @property
    def log_total(self) -> float:
        """ln of the sum of exp(score) over all networks."""

    @property
    def deviation(self) -> float:
        """
        By how much the posteriors of the candidates of a variable miss 1, at most.
        """

    @property
    def candidates(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """The posterior of each candidate of the cache."""

    def draw(
        self,
        count: int,
        seed: int,
        threads: int = 0,
        seconds: float | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)] | None:
        """
        Networks drawn independently, a candidate for each variable; None if stopped.
        """

def exact_posterior(
    cache: ScoreCache,
    most: int,
    threads: int = 0,
    memory_bytes: float = 4000000000.0,
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """
    Exact sums over all networks of a cache whose parts have at most so many variables; None if stopped.
    """

class ChainSampler:
    """Chains over partitions of the variables."""

    def __init__(
        self,
        cache: ScoreCache,
        starts: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        chains: int,
        temperatures: int,
        step: float,
        seed: int,
        memory_bytes: float = 1000000000.0,
        block: int = 6,
        partition_moves: float = 0.1,
    ) -> None: ...
    def run(
        self,
        samples: int,
        sweeps: int,
        threads: int = 0,
        seconds: float | None = None,
        progress: Callable[[int, float], None] | None = None,
    ) -> dict[str, Any]:
        """
        Continues all chains: draws `samples` networks of each, `sweeps` sweeps apart.
        """

    def begin(
        self,
        chain: int,
        number: int,
        start: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """
        Resets a chain to the start of chain `number` of a larger run, with an initial network.
        """

    def state(self, chain: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]:
        """The state of a chain, enough to continue it."""

    def restore(
        self,
        chain: int,
        state: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """Replaces the state of a chain by one from `state`."""

    @property
    def moves(self) -> dict[str, Any]:
        """
        For each kind of move how many were tried and how many accepted, at temperature 1.
        """

    @property
    def swaps(self) -> tuple[int, int]:
        """Exchanges between temperatures, tried and accepted."""
