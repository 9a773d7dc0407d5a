"""Blocks of scoring, and islands of a search, with an accident: on a worker, at one that is named, once.

Workers import this module by its name, so it is here and not in a test.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from typing import Any

from bayesloom.learning import neighbourhoods
from bayesloom.posterior_sampling import in_blocks as chains
from bayesloom.resampling import replicates
from bayesloom.scoring import in_blocks
from bayesloom.solvers import islands, subtrees

score_block = in_blocks.score_block
search_island = islands.search_island
search_subtree = subtrees.search_subtree
loop_block = neighbourhoods.loop_block
sample_block = chains.sample_block
TASKS = {
    "replicates": replicates.learn_block,
    "chain": sample_block,
    "subtree": search_subtree,
    "loop": loop_block,
}


def told(result: Any) -> tuple[Any, ...]:
    """All of a search but what the clock says."""
    return (
        result.network,
        result.fixed_score,
        result.fixed_bound,
        result.status,
        result.complete,
        result.work,
        result.seed,
        result.local_scores,
    )


def first_time(folder: str, name: object) -> bool:
    """Whether nobody, in any process, has called this with the name before."""
    try:
        os.close(os.open(os.path.join(folder, str(name)), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def killed(
    folder: str, numbers: tuple[int, ...], table: Any, arguments: Mapping[str, Any], limits: Any
) -> bytes:
    """Kill the worker at each of the blocks, the first time that it gets there."""
    number = arguments["shard"][0]
    if number in numbers and first_time(folder, number):
        os.kill(os.getpid(), signal.SIGKILL)
    return score_block(table, arguments, limits)


def chain_killed(
    folder: str, numbers: tuple[int, ...], content: Any, arguments: Mapping[str, Any], limits: Any
) -> bytes:
    """Kill the worker at each of the chains, the first time that it goes on with it."""
    number = arguments["chain"] + 1
    if number in numbers and arguments["state"] is not None and first_time(folder, number):
        os.kill(os.getpid(), signal.SIGKILL)
    return sample_block(content, arguments, limits)


def island_killed(
    folder: str, numbers: tuple[int, ...], cache: Any, arguments: Mapping[str, Any], limits: Any
) -> bytes:
    """Kill the worker at each of the islands, the first time that it gets there."""
    number = arguments["only"] + 1
    if number in numbers and first_time(folder, f"island {number}"):
        os.kill(os.getpid(), signal.SIGKILL)
    return search_island(cache, arguments, limits)


def subtree_killed(folder: str, times: int, cache: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Kill the worker at the first subtrees that are begun."""
    for number in range(times):
        if first_time(folder, f"subtree {number}"):
            os.kill(os.getpid(), signal.SIGKILL)
    return search_subtree(cache, arguments, limits)


def loop_killed(folder: str, times: int, table: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Kill the worker at the first neighbourhoods that are begun."""
    for number in range(times):
        if first_time(folder, f"loop {number}"):
            os.kill(os.getpid(), signal.SIGKILL)
    return loop_block(table, arguments, limits)


def island_held_up(folder: str, number: int, cache: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Say that the island has begun, and go on when nobody wants it any more."""
    if arguments["only"] + 1 == number:
        _hold_up(folder, limits)
    return search_island(cache, arguments, limits)


def island_counted(folder: str, cache: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Leave a file for each island that is searched."""
    first_time(folder, f"island {arguments['only'] + 1}")
    return search_island(cache, arguments, limits)


def _call(folder: str, task: str) -> int:
    """Return how many have begun such a task, in any process."""
    number = 1
    while not first_time(folder, f"{task} {number}"):
        number += 1
    return number


def killed_at_calls(
    task: str, folder: str, calls: tuple[int, ...], content: Any, arguments: Mapping[str, Any], limits: Any
) -> bytes:
    """Kill the worker as it begins the task for the n-th time, for each n that is named."""
    if _call(folder, task) in calls:
        os.kill(os.getpid(), signal.SIGKILL)
    return TASKS[task](content, arguments, limits)


def held_up_at_call(
    task: str, folder: str, call: int, content: Any, arguments: Mapping[str, Any], limits: Any
) -> bytes:
    """Say that the task was begun for the n-th time, and go on when nobody wants it any more."""
    if _call(folder, task) == call:
        _hold_up(folder, limits)
    return TASKS[task](content, arguments, limits)


def counted_calls(task: str, folder: str, content: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Leave a file for each task that is begun."""
    _call(folder, task)
    return TASKS[task](content, arguments, limits)


def always_killed(number: int, table: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Kill every worker that comes to the block."""
    if arguments["shard"][0] == number:
        os.kill(os.getpid(), signal.SIGKILL)
    return score_block(table, arguments, limits)


def held_up(folder: str, number: int, table: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Say that the block has begun, and go on when nobody wants it any more."""
    if arguments["shard"][0] == number:
        _hold_up(folder, limits)
    return score_block(table, arguments, limits)


def _hold_up(folder: str, limits: Any) -> None:
    first_time(folder, "begun")
    while True:
        limits.progress()
        time.sleep(0.01)


def forged(table: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Score with another score than was asked for."""
    return score_block(table, {**arguments, "score": "aic"}, limits)


def counted(folder: str, table: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Leave a file for each block that is done."""
    first_time(folder, "-".join(map(str, arguments["shard"])))
    return score_block(table, arguments, limits)


def score_within(columns: dict[str, list[int]]) -> str:
    """Want workers on a worker, and return what is said to that."""
    from distributed import get_client

    import bayesloom as bl

    try:
        bl.score(columns, executor=get_client())
    except bl.InputError as error:
        return str(error)
    return ""


def failing(table: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """End in an error of nobody's."""
    raise ZeroDivisionError("by zero.\nmore")
