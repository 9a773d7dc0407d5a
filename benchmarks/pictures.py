"""Pictures of the tables: small PNG files of few colours, drawn by matplotlib.

Some 10 to 40 KB each, whatever the number of points; the numbers behind them are in ``results.csv``.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

DOTS = 100  # per inch
COLOURS = 48


def figure(width: float, height: float, columns: int = 1, **how: Any) -> tuple[Any, Any]:
    """A figure of so many inches and its axes; an error that says so without matplotlib."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise SystemExit("no picture: matplotlib is not installed") from None
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    return plt.subplots(1, columns, figsize=(width, height), layout="constrained", **how)


def save(drawn: Any, path: Path) -> None:
    """Write a figure."""
    from PIL import Image  # comes with matplotlib

    pixels = io.BytesIO()
    drawn.savefig(pixels, dpi=DOTS)
    Image.open(pixels).convert("RGB").quantize(COLOURS).save(path, optimize=True)
    print(f"drawn to {path.name}")
