"""Blocks of scoring with an accident: on a worker, at a block that is named, once.

Workers import this module by its name, so it is here and not in a test.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from typing import Any

from bayesloom.scoring import in_blocks

score_block = in_blocks.score_block


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


def always_killed(number: int, table: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Kill every worker that comes to the block."""
    if arguments["shard"][0] == number:
        os.kill(os.getpid(), signal.SIGKILL)
    return score_block(table, arguments, limits)


def held_up(folder: str, number: int, table: Any, arguments: Mapping[str, Any], limits: Any) -> bytes:
    """Say that the block has begun, and go on when nobody wants it any more."""
    if arguments["shard"][0] == number:
        first_time(folder, "begun")
        while True:
            limits.progress()
            time.sleep(0.01)
    return score_block(table, arguments, limits)


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
