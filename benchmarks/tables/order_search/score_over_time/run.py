"""Score against time for every solver over orders on three large instances, as rows and as a picture.

Usage: python benchmarks/tables/order_search/score_over_time/run.py [--full] [--caches DIR]

One seed, one thread; 20 s a run (quick mode: 5 s, no picture). The picture needs matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
import pictures
from measure import keep, option, results_of
from score_caches import FOLDER, cache_path

import bayesloom as bl

SOLVERS = ("obs", "asobs", "inobs", "iinobs", "minobs")
INSTANCES = ("pigs-5000", "munin-5000", "bbc.test")


def picture(traces: dict[str, dict[str, list[tuple[float, float]]]], seconds: float) -> None:
    figure, axes = pictures.figure(13, 4, len(traces))
    for axis, (instance, lines) in zip(axes, traces.items(), strict=True):
        best = max(score for line in lines.values() for _, score in line)
        for solver, line in lines.items():
            points = [*line, (seconds, line[-1][1])]
            # Distance from the best score seen, plus one: zero must show on the scale.
            axis.step(
                [max(t, 1e-3) for t, _ in points],
                [best - s + 1 for _, s in points],
                where="post",
                label=solver,
            )
        axis.set(
            xscale="log",
            yscale="log",
            title=instance,
            xlabel="seconds",
            ylabel="below the best seen, + 1 nat",
        )
        axis.grid(alpha=0.3)
    axes[0].legend()
    pictures.save(figure, Path(__file__).with_name("score_over_time.png"))


def main(full: bool, folder: Path) -> None:
    seconds = 20 if full else 5
    rows, traces = [], {}
    for instance in INSTANCES:
        cache = bl.ScoreCache.read(cache_path(instance, folder))
        traces[instance] = {}
        for solver in SOLVERS:
            found = bl.search(cache, solver=solver, time_limit=seconds, seed=0, threads=1)
            line = [(point.seconds, point.score) for point in found.trace]
            traces[instance][solver] = line
            row = {"instance": instance, "solver": solver, "seconds": seconds}
            for moment in (0.1, 1, 5, 10, 20):
                if moment <= seconds:
                    reached = [score for at, score in line if at <= moment]
                    row[f"after_{moment}s"] = round(reached[-1], 2) if reached else None
            print(row, flush=True)
            rows.append(row)
    keep(results_of(__file__, full=full), rows, budget=f"{seconds} s a run, one thread")
    if full:
        picture(traces, seconds)


if __name__ == "__main__":
    main("--full" in sys.argv[1:], Path(option("--caches", str(FOLDER))))
