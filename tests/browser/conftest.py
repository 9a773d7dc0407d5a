"""A real browser: Debian's chromium, driven by Playwright. Where there is none, these tests are skipped."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bayesloom as bl
from bayesloom.report.content import of_network, of_run
from bayesloom.report.page import write_page
from bayesloom.solvers.result import run_object
from made.command import exit_code

ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
AXE = Path(__file__).parents[2] / "build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
HOSTILE = [
    "<script>alert(1)</script>", "</text></svg><img src=x onerror=alert(1)>", "</script><script>alert(2)",
    "javascript:alert(3)", "&lt;b&gt;", '" onload="alert(4)', "a\nb", "\x1b[31m", "\u202eright", "__proto__",
    "constructor", "東京", "x" * 5000, "${alert(5)}", "{0}", "#v1",
]  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api",
        reason="Playwright is not installed (make browser installs it): no browser tests",
    )
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no chromium here (Debian: apt-get install chromium): no browser tests")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Open a page; when the test ends, nothing may have gone wrong in it or left it."""
    contexts, wrong, asked = [], [], []

    def hear(message: Any) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    def open_page(path: Path, *, wide: int = 1300, tall: int = 900, **how: Any) -> Any:
        context = chromium.new_context(viewport={"width": wide, "height": tall}, **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", hear)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert all(address.startswith("file://") for address in asked)


@pytest.fixture(scope="session")
def loom(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with all there is: a run with its table and its credible set."""
    folder = tmp_path_factory.mktemp("pages")
    truth = bl.read_network(Path(bl.__file__).parent / "demo" / "loom.bif")
    truth.sample(1500, seed=1).write(folder / "loom.csv")
    table = bl.read_table(folder / "loom.csv")
    assert exit_code("credible", str(folder / "loom.csv"), "-q", "--json", str(folder / "set.json")) == 0
    run = run_object(bl.learn(table, solver="bblp"), "learn", line="bayesloom learn loom.csv")
    run["trace"] = [
        [0.01 * k, k, run["score"] - 10 / (k + 1), run["score"] + 20 / (k + 1)] for k in range(30)
    ]
    content = of_run(run, table=table, sure=json.loads((folder / "set.json").read_text()))
    write_page(content, folder / "loom.html")
    return folder / "loom.html"


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "hostile.html"
    network = bl.Network(HOSTILE, {name: HOSTILE[max(0, i - 2) : i] for i, name in enumerate(HOSTILE)})
    states = [[f"{name[:40]} {k}" for k in range(2)] for name in HOSTILE]
    table = bl.Table.from_codes(HOSTILE, states, [[0, 1, 1]] * len(HOSTILE))
    write_page(of_network(network.fit(table, method="dirichlet"), HOSTILE[0]), path)
    return path


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "large.html"
    write_page(of_network(bl.random_network(700, max_parents=3, seed=2), "large"), path)
    return path
