"""Make the pictures of the page in docs/screens: the demo's report, in Debian's chromium.

Usage: python tools/screenshots.py, after ``make browser`` has installed what it needs. Each picture is
smaller than 100 kB.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

SCREENS = Path(__file__).parent.parent / "docs" / "screens"
LARGEST = 100_000  # bytes
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def keep(name: str, picture: bytes) -> None:
    """Write a picture with few colours, so that it is small."""
    path = SCREENS / f"{name}.png"
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(128).save(path, optimize=True)
    assert path.stat().st_size < LARGEST, f"{path} has {path.stat().st_size} bytes"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run(
            [sys.executable, "-m", "bayesloom", "demo", "--output", "demo"],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        address = (Path(folder) / "demo" / "report.html").as_uri()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)

        def opened(wide: int, tall: int, scheme: Any) -> Any:
            page = browser.new_page(viewport={"width": wide, "height": tall}, color_scheme=scheme)
            page.goto(address)
            return page

        page = opened(1200, 860, "light")
        page.locator(".v", has_text="breaks").click()
        keep("page", page.screenshot())
        page = opened(390, 780, "dark")
        page.fill("#find", "tension")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.evaluate("document.getElementById('controls').scrollIntoView()")
        keep("phone", page.screenshot())
        page = opened(1000, 800, "light")
        keep("posteriors", page.locator("svg.map").screenshot())
        browser.close()


if __name__ == "__main__":
    main()
