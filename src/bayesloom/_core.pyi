"""Bayesloom's C++ core. Private: use the names in `bayesloom`."""

from collections.abc import Mapping, Sequence
from typing import Annotated

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
        self,
        columns: Sequence[Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)]],
        cardinalities: Sequence[int],
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

def describe_scores() -> dict:
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
