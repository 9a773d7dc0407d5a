"""Slow, obvious twins of the kernels of dense search (src/core/subsets/block_kernel.hpp)."""

from __future__ import annotations

import numpy as np

NONE = 1 << 61  # no candidate


def tabulate(bits, losses, lows):
    """For each set the least loss of a candidate inside it."""
    sets = np.arange(1 << bits)
    table = np.full(1 << bits, NONE)
    for loss, low in zip(losses, lows, strict=True):
        inside = (int(low) & ~sets) == 0
        table[inside] = np.minimum(table[inside], loss)
    return table


def place(bits, losses, lows, best, before):
    """The least of `best` and of `before` with one more high member, which takes its best candidate."""
    return np.minimum(best, before + tabulate(bits, losses, lows))


def finish(bits, best, tables):
    """Low members are placed too, in increasing sets; tables from 3 on leave out the bit of their member."""
    out, tables = best.tolist(), [table.tolist() for table in tables]
    for s in range(1 << bits):
        for x in range(bits):
            bit = 1 << x
            if s & bit:
                rest = s ^ bit
                at = rest if x < 3 else (rest >> 1 & ~(bit - 1)) | (rest & (bit - 1))
                out[s] = min(out[s], out[rest] + tables[x][at])
    return np.array(out)
