"""Random sequences of verbs with random faults, beside a model that knows the truth; after CaDiCaL's mobical.

A case is a table and a list of steps. A step is a command line and perhaps a fault: a signal at some moment,
a disk that is full, a second process that does the same at the same time. Other steps damage a file. The
model knows of every file what it holds: nothing, a score cache of a known job, a run, or something damaged.
After each step it checks the exit code, that no traceback was printed, that each output is as before or
complete, and that whatever is claimed is so. Steps without a fault run in this process, which is fast; the
others in one of their own.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

from fuzz.files import in_process
from fuzz.verb_cases import DAMAGES, EDITS, RULES, SIGNALS, Step, VerbCase, csv, random_case, smaller, toml
from fuzz.verb_model import DONE, REFUSED, STOPPED, Held, World, check_file, expect

__all__ = ["Step", "VerbCase", "check", "random_case", "smaller"]

PATIENCE = 600  # seconds after which a process is one that does not end


def check(case: VerbCase) -> tuple[int, list[str]]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = World(folder, {"t.csv": case.rows, "u.csv": case.other_rows})
        for table, rows in world.tables.items():
            (folder / table).write_text(csv(rows))
        for file, rules in RULES.items():
            (folder / file).write_text(toml(rules))
        os.chdir(folder)
        try:
            for number, step in enumerate(case.steps):
                take(world, step)
                if world.wrong:
                    world.wrong = [
                        f"{words} [step {number + 1}: {shlex.join(step.line)}]" for words in world.wrong
                    ]
                    break
        finally:
            os.chdir(before)
    return world.claims, world.wrong


def take(world: World, step: Step) -> None:
    """Take one step and check what came of it."""
    if step.line[0] == "damage":
        damage(world, step)
        return
    expected = expect(world, step.line)
    before = {name: content(world, name) for name in expected.outputs}
    files = set(os.listdir(world.folder))
    ends = run_step(world, step)
    codes = set(expected.codes)
    if step.fault == "full":
        codes |= {REFUSED}
    if step.fault == "twin":
        codes |= {REFUSED}
    if step.fault in SIGNALS:
        codes |= {130, 143, -signal.SIGTERM} if step.fault == "TERM" else {130}
        codes |= (
            {-signal.SIGINT} if step.fault == "INT" else {-signal.SIGKILL} if step.fault == "KILL" else set()
        )
    for code, err in ends:
        world.claim("Traceback" not in err or "bayesloom" not in err, f"traceback: {err[-300:]}")
        what = f"exit {code}, not {sorted(codes)}"
        world.claim(code in codes or "Traceback" in err, f"{what}: {err.strip()[-200:]}")
    success = any(code in (DONE, STOPPED) for code, _ in ends)
    for name, held in expected.outputs.items():
        now = content(world, name)
        if now is None:
            world.claim(not success, f"absent: {name} is not there after exit code 0")
            world.claim(before[name] is None, f"lost: {name} was there before and is gone")
            world.files.pop(name, None)
        elif now != before[name] or success:
            problem = check_file(world, name, held)
            world.claim(problem is None, str(problem))
            world.files[name] = held
    if step.fault != "KILL" and not any(code == -signal.SIGTERM for code, _ in ends):
        left = set(os.listdir(world.folder)) - files - set(expected.outputs) - {"s"}
        left = {name for name in left if not name.endswith((".resume", ".checkpoint"))}
        world.claim(not left, f"left behind: {sorted(left)}")


def content(world: World, name: str) -> bytes | None:
    path = world.folder / name
    return path.read_bytes() if path.exists() else None


def damage(world: World, step: Step) -> None:
    _, name, what = step.line
    held = world.files.get(name)
    if held is None:
        return
    change: dict[str, Any] = {}
    exec(DAMAGES[what], change)
    if what in EDITS:
        if held.kind != "run":
            return
        before = json.loads((world.folder / name).read_text())
        change["change"](world.folder / name)
        if json.loads((world.folder / name).read_text()) != before:
            world.files[name] = Held("changed", held.job)
        return
    change["change"](world.folder / name)
    world.files[name] = Held("damaged")


def run_step(world: World, step: Step) -> list[tuple[int, str]]:
    """The exit codes and messages of a step, one or two of them."""
    if step.fault is None:
        try:
            return [
                in_process([*step.line, "--progress", "none"] if takes_progress(step) else list(step.line))
            ]
        except BaseException as error:
            return [(1, f"Traceback bayesloom {type(error).__name__}: {error}")]
    processes = [start(world, step) for _ in range(2 if step.fault == "twin" else 1)]
    if step.fault in SIGNALS:
        wait_for_moment(world, step, processes[0])
        with contextlib.suppress(ProcessLookupError):
            processes[0].send_signal(signal.Signals[f"SIG{step.fault}"])
    ends = []
    for process in processes:
        try:
            _, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            ends.append((99, "it did not end"))
            continue
        ends.append((process.returncode, err))
    return ends


def takes_progress(step: Step) -> bool:
    return step.line[0] in ("score", "search", "learn", "credible")


def start(world: World, step: Step) -> subprocess.Popen[str]:
    def limits() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if step.fault == "full":
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    return subprocess.Popen(
        [sys.executable, "-m", "bayesloom", *step.line],
        cwd=world.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=limits,
    )


def wait_for_moment(world: World, step: Step, process: subprocess.Popen[str]) -> None:
    """Some time, or until there is a file that was not there before."""
    files = set(os.listdir(world.folder))
    for tick in count():
        if process.poll() is not None:
            return
        if step.moment < 0 and set(os.listdir(world.folder)) != files:
            return
        if 0 <= step.moment < tick / 1000:
            return
        time.sleep(0.001)
