"""Work in blocks on many machines: through Dask, or through any executor of `concurrent.futures`.

``content``    what all blocks of a job need (a table, a score cache), brought to each worker once
``workers``    the interface of an executor: it takes blocks, reports how they ended, and may be lost
``dask_workers``, ``pool_workers``  a scheduler of Dask with its workers; pools of processes, threads, MPI
``executors``  from what a caller gives as ``executor`` to workers
``stores``     where results of blocks are kept: a folder, or an object store
``blocks``     the loop that hands out blocks until all are done, whatever workers are lost

Each method defines its own blocks, see `bayesloom.scoring.in_blocks` and `bayesloom.solvers.islands`.
"""

from __future__ import annotations

from bayesloom.cluster.blocks import Block, Finished, run_blocks
from bayesloom.cluster.content import Content
from bayesloom.cluster.executors import Executor, opened
from bayesloom.cluster.workers import TaskLimits, Workers

__all__ = ["Block", "Content", "Executor", "Finished", "TaskLimits", "Workers", "opened", "run_blocks"]
