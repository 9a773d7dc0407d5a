"""Make the pictures of the terminal in docs/screens: real commands, run here, drawn by rich.

Usage: python tools/screens.py
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

import bayesloom as bl
from bayesloom.progress import ProgressEvent, panel

SCREENS = Path(__file__).parent.parent / "docs" / "screens"


def picture(name: str, title: str, parts: list[object], width: int = 110) -> None:
    """Draw lines and renderables as an SVG picture of a terminal."""
    console = Console(record=True, width=width, file=io.StringIO())
    for part in parts:
        console.print(part, highlight=False)
    SCREENS.mkdir(exist_ok=True)
    (SCREENS / f"{name}.svg").write_text(console.export_svg(title=title, unique_id=name), encoding="utf-8")


def shown(line: str, folder: Path) -> list[object]:
    """Run a command and return it with what it printed, stderr first."""
    done = subprocess.run(
        [sys.executable, "-m", "bayesloom", *line.split()[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [
        Text(f"$ {line}", style="bold green"),
        Text(done.stderr.rstrip(), style="dim"),
        Text(done.stdout.rstrip()),
    ]
    return [part for part in said if part.plain]


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    shown("bayesloom demo --output demo", folder)
    (folder / "known.toml").write_text(
        'required = [["x", "y"]]\nforbidden = [["x", "y"]]\n', encoding="utf-8"
    )
    (folder / "xy.csv").write_text("x,y\n" + "0,1\n1,0\n" * 20, encoding="utf-8")
    picture("learn-small", "bayesloom learn", shown("bayesloom learn demo/loom.csv -o network.bif", folder))
    picture("help", "bayesloom --help", shown("bayesloom --help", folder))
    picture(
        "contradiction",
        "constraints",
        shown("bayesloom learn xy.csv --constraints known.toml", folder),
        width=90,
    )
events: dict[str, ProgressEvent] = {}
table = bl.random_network(150, states=(2, 4), max_parents=4, seed=1).sample(3000, seed=1)
bl.learn(table, time_limit=20, progress=lambda event: events.__setitem__(event.stage, event))
live: list[object] = [Text("$ bayesloom learn table.csv --time-limit 20", style="bold green")]
for event in events.values():
    live += [panel(event), Text("")]
picture("live", "while it runs: the last of each stage", live)
