"""Every tuned number of posteriors: what it is, its unit and its range.

The benchmark to run before and after a change is ``benchmarks/tables/posterior/exact``; numbers of the
kernels are in ``src/core/posterior/tuning.hpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OPTIONS", "PosteriorOptions"]


@dataclass(frozen=True)
class PosteriorOptions:
    """The numbers, in the order in which a run meets them."""

    # Tables
    most_left_out: float = 0.01
    """Share, above 0: a table is scored so that parent sets left out hold at most this much of the mass."""
    most_local_scores: float = 2e7
    """Local scores (`estimate`), 0 or more, up to which all parent sets that can matter are scored."""
    all_sets_up_to: int = 16
    """Variables, 0 to 20, up to which all parent sets are kept, so that nothing is left out."""
    sets_per_variable: int = 1_000
    """Parent sets, 1 or more, scored for each variable where that is too much."""
    list_factor: float = 100.0
    """A Bayes factor, 1 or more: what a set may lie below a subset and still be kept, where that is so."""

    # Exact sums
    exact_up_to: int = 18
    """Variables in a component, 0 to 24, up to which method ``auto`` sums exactly: takes seconds."""
    draws: int = 2_000
    """Networks, 2 or more, drawn for features that no single family decides."""

    # Chains
    chains: int = 4
    """Chains, 2 or more: fewer could not disagree."""
    samples: int = 500
    """Networks, 20 or more, from each chain."""
    first_sweeps: int = 1
    """Sweeps, 1 or more, between two samples at first; doubled until the chains agree."""
    burn_in: float = 0.5
    """Samples, as a share of those wanted, 0 or more, that are left out before the first run."""
    temperatures: int = 5
    """Of each chain, 1 or more: exchanges of regions with hotter ones lead out of valleys."""
    step: float = 0.15
    """Between inverse temperatures, above 0; the hottest of 5 is then 0.4."""
    block: int = 6
    """Variables, 1 to 12, whose parents are drawn together: 3 to this power terms."""
    partition_moves: float = 0.1
    """Moves of partitions for each variable in a sweep, 0 or more."""
    start_patience: float = 1.0
    """Patience of the searches that the chains begin with, see `Minobs`."""
    start_share: float = 0.2
    """Share of the time, 0 to 1, for them."""

    blocks_per_round: int = 20
    """Blocks, 1 or more, that a chain is cut into at most until all are looked at together, if it is kept or
    runs elsewhere."""
    block_variables: float = 10_000.0
    """Sweeps times variables, above 0, that a block has at least, if there are as many: some tenths of a
    second.  Another number starts kept chains anew."""

    # Whether chains agree
    most_r_hat: float = 1.05
    """R-hat of the weight, 1 or more, above which they do not [vehtari2021 has 1.01 for final work]."""
    most_difference: float = 0.2
    """Difference of the shares of an edge in two chains, 0 to 1, above which they do not."""
    least_effective: float = 100.0
    """Effective sample size of the weight, 1 or more, below which the chains continue."""
    least_effective_edges: float = 100.0
    """The same of the least certain edge, by batch means: 100 is a standard error of at most 0.05.  The
    least over many edges is well below that of a typical edge, so this criterion is on the safe side."""
    doublings: int = 8
    """How often a run may double its length, 0 or more, if there is no time limit."""
    batches: int = 10
    """Batches of each chain, 2 or more, by which standard errors are found."""


OPTIONS = PosteriorOptions()
"""Those in use."""
