"""Bayesloom's C++ core. Private: use the names in `bayesloom`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def thread_count(wanted: int = 0) -> int:
    """
    The number of threads to use: `wanted`, or for 0 the processors this process may run on.
    """

def to_fixed(nats: float) -> int:
    """A score as a whole number of 2^-30 nats."""

def to_nats(fixed: int) -> float:
    """A whole number of 2^-30 nats as a score."""

class EncodedData:
    """The table as the core sees it: small integers, equal rows merged."""

    def __init__(
        self, columns: Sequence[NDArray[numpy.uint8] | NDArray[numpy.uint16]], cardinalities: Sequence[int]
    ) -> None: ...
    @property
    def variable_count(self) -> int: ...
    @property
    def row_count(self) -> int: ...
    @property
    def unique_row_count(self) -> int: ...
    @property
    def weights(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]: ...

def cell_counts(
    data: EncodedData, variables: Sequence[int], form: str = "by_cost"
) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)], float]:
    """
    Rows in each cell of a set of variables, and how many cells are possible.
    """

def time_counting(data: EncodedData, size: int, most: int, form: str = "by_cost") -> tuple[float, int]:
    """Nanoseconds per set, and how many sets were counted."""

def count_with_every_kernel(
    cells: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    plane: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    shift: int = 0,
) -> list[tuple[str, list[int]]]:
    """The same bit count by each kernel of this processor."""

def describe_scores() -> dict[str, dict[str, Any]]:
    """Every score with its properties and options."""

def score_families(
    data: EncodedData,
    score: str,
    options: Mapping[str, float],
    children: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
    first: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
    threads: int = 0,
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
    seconds: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """A score cache of all parent sets that matter, and what was done."""

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
            NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)
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
    def parents(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,), writable=False)]: ...
    def find(self, variable: int, parents: Sequence[int]) -> int | None:
        """The number of the candidate with these parents, or None."""

    def best_within(self, variable: int, allowed: Sequence[int]) -> int | None:
        """The number of the best candidate within `allowed`, or None."""

    def select(
        self,
        keep: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> ScoreCache: ...
    def without_dominated(self, slack: int, drop_ties: bool) -> ScoreCache: ...
    def with_info(self, info: str) -> ScoreCache: ...
    def __eq__(self, other: object, /) -> bool: ...

def read_blc(path: bytes) -> ScoreCache:
    """A memory-mapped .blc file."""

def parse_blc(content: bytes, file: str) -> ScoreCache:
    """The content of a .blc file; `file` is for messages."""

def write_blc(cache: ScoreCache, path: bytes) -> None: ...
def format_blc(cache: ScoreCache) -> bytes: ...
def read_jkl(path: bytes) -> ScoreCache: ...
def parse_jkl(content: bytes, file: str) -> ScoreCache:
    """The content of a .jkl file; `file` is for messages."""

def write_jkl(cache: ScoreCache, path: bytes) -> None: ...
def format_jkl(cache: ScoreCache) -> bytes: ...
def read_pss(path: bytes) -> tuple[ScoreCache, list[tuple[int | None, str, str]]]:
    """The cache and its META lines: (variable or None, key, value)."""

def parse_pss(content: bytes, file: str) -> tuple[ScoreCache, list[tuple[int | None, str, str]]]:
    """The content of a .pss file; `file` is for messages."""

def write_pss(cache: ScoreCache, meta: Sequence[tuple[str, str]], path: bytes) -> None: ...
def format_pss(cache: ScoreCache, meta: Sequence[tuple[str, str]]) -> bytes: ...
def write_file(path: bytes, content: bytes) -> None:
    """Writes a whole file under a temporary name and renames it."""

def xxh64(content: bytes, seed: int = 0) -> int:
    """The XXH64 checksum, as in the trailer of .blc files."""

def check_score_names() -> list[str]:
    """The scores that the verifier knows."""

def check_local_scores(
    columns: Sequence[
        Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)]
    ],
    cardinalities: Sequence[int],
    variables: Sequence[int],
    parents: Sequence[Sequence[int]],
    score: str,
    ess: float,
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
    parents: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
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
    parents: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> int:
    """
    The best score of all networks over a score cache of at most 16 variables.
    """

def subset_dp(
    cache: ScoreCache,
    threads: int = 0,
    memory_bytes: float = 0.0,
    seconds: float | None = None,
    work: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> dict[str, Any]:
    """Dense dynamic programming over all subsets."""

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

def is_equivalent(a: Network, b: Network) -> bool:
    """Same skeleton and same v-structures."""

def distance(a: MixedGraph, b: MixedGraph) -> int:
    """Structural Hamming distance: pairs that are joined differently."""

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
) -> dict[str, Any]:
    """Cluster prices with branch and bound."""
