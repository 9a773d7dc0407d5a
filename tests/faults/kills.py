"""Random kills across the verbs: nothing half-written, nothing lost, and the next run ends as if nothing was.

    python -m faults.kills [N] [SEED]        from the folder `tests`; 100 kills take some minutes

Each kill starts a command in a fresh folder, sends SIGKILL, SIGTERM or SIGINT at a random moment of its run
(drawn from how long it takes undisturbed), and then looks:

- what the command reads is as it was;
- each of its files is not there, is the older one that was there before, or is whole and valid;
- nothing else lies there but hidden temporary files, the checkpoint of `score` and the scratch of `bfbnb`;
- after a signal that can be heard: the exit code is 130 or that of a command that was done, no traceback;
- the command run again (with ``--resume`` where there is something to go on from) ends with exactly the
  files that it makes undisturbed.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bayesloom as bl
from faults.program import COMMAND, is_temporary

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
NOT_COMPARED = ("seconds", "trace", "work", "scratch", "interrupted", "line")
SCRATCH = "layers"
OLD = b"an older result\n"


@dataclass(frozen=True)
class Scenario:
    """A command, what it reads, what it writes, and what it may leave beside that."""

    name: str
    arguments: list[str]
    outputs: list[str]
    reads: list[str]
    beside: tuple[str, ...] = ()
    resumes_from: str | None = None


SCENARIOS = [
    Scenario(
        "score", ["score", "t.csv", "-o", "c.blc"], ["c.blc"], ["t.csv"], ("c.blc.resume",), "c.blc.resume"
    ),
    Scenario(
        "score independence",
        ["score", "t.csv", "-o", "c.jkl", "--method", "independence", "--sets-per-variable", "3000"],
        ["c.jkl"],
        ["t.csv"],
        ("c.jkl.resume",),
        "c.jkl.resume",
    ),
    Scenario(
        "search", ["search", "t.blc", "--json", "r.json", "-o", "n.dot"], ["r.json", "n.dot"], ["t.blc"]
    ),
    Scenario(
        "search bfbnb",
        ["search", "t.blc", "--solver", "bfbnb", "--scratch", SCRATCH, "--json", "r.json"],
        ["r.json"],
        ["t.blc"],
        (SCRATCH,),
        SCRATCH,
    ),
    Scenario(
        "learn",
        ["learn", "t.csv", "--json", "r.json", "-o", "n.bif", "--report", "r.md"],
        ["r.json", "n.bif"],
        ["t.csv"],
        ("r.md",),
    ),
    Scenario(
        "credible",
        ["credible", "t.csv", "-o", "n.jsonl", "--json", "r.json"],
        ["n.jsonl", "r.json"],
        ["t.csv"],
    ),
    Scenario("merge", ["merge", "p1.blc", "p2.blc", "-o", "c.blc"], ["c.blc"], ["p1.blc", "p2.blc"]),
    Scenario("convert", ["convert", "t.blc", "t.jkl.gz"], ["t.jkl.gz"], ["t.blc"]),
    Scenario("sample", ["sample", "net.bif", "-n", "200000", "-o", "s.csv"], ["s.csv"], ["net.bif"]),
    Scenario("report", ["report", "run.json", "-o", "r.html"], ["r.html"], ["run.json"]),
]


def valid(path: Path) -> bool:
    """Whether a file is whole, by its own format."""
    try:
        if path.suffix == ".json":
            return isinstance(json.loads(path.read_text()), dict)
        if path.suffix == ".jsonl":
            text = path.read_text()
            return all(isinstance(json.loads(line), dict) for line in text.splitlines()) and text[-1:] in (
                "",
                "\n",
            )
        if path.suffix == ".bif":
            return bool(bl.read_network(path))
        if path.suffix == ".dot":
            return path.read_text().rstrip().endswith("}")
        if path.suffix in (".blc", ".jkl", ".gz"):
            return len(bl.read_cache(path)) > 0
    except (bl.BayesloomError, ValueError, OSError):
        return False
    return False  # a table or a report is whole if it is as undisturbed


def content(path: Path) -> object:
    """What is compared: the bytes, without the times that a run tells of itself."""
    if path.suffix == ".json":
        run = json.loads(path.read_text())
        return {key: value for key, value in run.items() if key not in NOT_COMPARED}
    return path.read_bytes()


def make_inputs(folder: Path) -> None:
    """What all scenarios read."""
    network = bl.random_network(17, states=(2, 3), max_parents=4, seed=3)
    network.write(folder / "net.bif")
    table = network.sample(2000, seed=1)
    table.write(folder / "t.csv")
    bl.score(folder / "t.csv", bayes_factor=20).write(folder / "t.blc")
    for part in (1, 2):
        bl.score(folder / "t.csv", shard=(part, 2)).write(folder / f"p{part}.blc")
    code = _run(["learn", "t.csv", "--json", "run.json"], folder).returncode
    assert code == 0


def _hearing() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def _run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False, preexec_fn=_hearing
    )


class Kills:
    """Kills in one folder of inputs, with what was found."""

    def __init__(self, folder: Path, seed: int, say: Callable[[str], None] = lambda text: None) -> None:
        self.folder, self.draw, self.say = folder, random.Random(seed), say
        self.problems: list[str] = []
        self.ended: Counter[str] = Counter()
        self.inputs = folder / "inputs"
        self.inputs.mkdir()
        make_inputs(self.inputs)
        self.known: dict[str, tuple[float, dict[str, object]]] = {}

    def undisturbed(self, scenario: Scenario) -> tuple[float, dict[str, object]]:
        """How long a scenario takes, and what it writes."""
        if scenario.name not in self.known:
            place = self._place(scenario)
            begin = time.perf_counter()
            ended = _run(scenario.arguments, place)
            seconds = time.perf_counter() - begin
            assert ended.returncode == 0, ended.stderr
            self.known[scenario.name] = (seconds, {name: content(place / name) for name in scenario.outputs})
            shutil.rmtree(place)
        return self.known[scenario.name]

    def _place(self, scenario: Scenario) -> Path:
        place = Path(tempfile.mkdtemp(dir=self.folder))
        for name in scenario.reads:
            shutil.copy(self.inputs / name, place / name)
        if scenario.resumes_from == SCRATCH:
            (place / SCRATCH).mkdir()
        return place

    def one(self, scenario: Scenario) -> bool:
        """Kill a scenario once and look; whether it was still running."""
        seconds, reference = self.undisturbed(scenario)
        number = self.draw.choice(SIGNALS)
        delay = self.draw.uniform(0.0, 1.1 * seconds)
        older = self.draw.random() < 0.3
        place = self._place(scenario)
        if older:
            for name in scenario.outputs:
                (place / name).write_bytes(OLD)
        what = f"{scenario.name}, {signal.Signals(number).name} after {delay:.2f} of {seconds:.2f} s"

        def wrong(text: str) -> None:
            self.problems.append(f"{what}: {text}")

        process = subprocess.Popen(
            [*COMMAND, *scenario.arguments],
            cwd=place,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_hearing,
        )
        time.sleep(delay)
        running = process.poll() is None
        process.send_signal(number)
        _, err = process.communicate()
        code = process.returncode
        if running:
            self.ended[f"{scenario.name}: {code}"] += 1
            self.say(f"{what}: exit code {code}")
        else:  # the machine has become faster: look all the same, and aim earlier
            self.known[scenario.name] = (0.8 * seconds, reference)
        # Before the program hears signals (Python itself starts) they end it as they end any.
        begun = not any(words in err for words in ("Could not import runpy", "Fatal Python error: init_"))
        if code not in (0, 130, -number) and begun:
            wrong(f"exit code {code}: {err}")
        if code == 0 and {name: content(place / name) for name in scenario.outputs} != reference:
            wrong("it said that it was done, and its files are not those of a run undisturbed")
        if "Traceback" in err and code != -number and "bayesloom" in err:
            wrong(f"a traceback: {err}")
        for name in scenario.reads:
            if (place / name).read_bytes() != (self.inputs / name).read_bytes():
                wrong(f"what it reads has changed: {name}")
        for name in scenario.outputs:
            path = place / name
            if path.exists() and not (
                (older and path.read_bytes() == OLD) or _same(path, reference[name]) or valid(path)
            ):
                wrong(f"half-written: {name}")
        allowed = {*scenario.reads, *scenario.outputs, *scenario.beside}
        for path in place.iterdir():
            if path.name not in allowed and not is_temporary(path):
                wrong(f"left behind: {path.name}")
        self._again(scenario, place, reference, wrong)
        shutil.rmtree(place)
        return running

    def _again(
        self, scenario: Scenario, place: Path, reference: dict[str, object], wrong: Callable[[str], None]
    ) -> None:
        left = scenario.resumes_from
        path = None if left is None else place / left
        resume = path is not None and (any(path.iterdir()) if path.is_dir() else path.exists())
        ended = _run([*scenario.arguments, *(["--resume"] if resume else [])], place)
        if ended.returncode != 0:
            wrong(f"the next run{' with --resume' if resume else ''} failed: {ended.stderr}")
            return
        for name in scenario.outputs:
            if not _same(place / name, reference[name]):
                wrong(f"the next run made another {name}")


def _same(path: Path, wanted: object) -> bool:
    try:
        return content(path) == wanted
    except ValueError:
        return False


def kill(count: int, seed: int, folder: Path, say: Callable[[str], None] = lambda text: None) -> Kills:
    """Kill `count` commands while they run, each scenario as often; what ended before is not counted."""
    kills = Kills(folder, seed, say)
    for number in range(count):
        while not kills.one(SCENARIOS[number % len(SCENARIOS)]):
            pass
    return kills


def main() -> int:
    given = [int(text) for text in sys.argv[1:]]
    count, seed = (*given, *(100, 1)[len(given) :])
    with tempfile.TemporaryDirectory() as folder:
        kills = kill(count, seed, Path(folder), say=lambda text: print(text, flush=True))
    print(f"{count} kills, {len(kills.problems)} problems")
    print("\n".join(kills.problems))
    for ended, times in sorted(kills.ended.items()):
        print(f"  {ended}  x {times}")
    return 1 if kills.problems else 0


if __name__ == "__main__":
    sys.exit(main())
