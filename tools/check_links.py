"""Check a built site: every link and picture within it leads somewhere, and nothing is loaded from elsewhere.

Usage: python tools/check_links.py SITE. Prints what is wrong and exits 1 if anything is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The names that a page can be pointed at, what it links to and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.names |= {value for key, value in attrs if key in ("id", "name") and value}
        target = given.get("href") or given.get("src")
        if not target or target.startswith(("data:", "mailto:")):
            return
        loaded = tag in ("script", "img", "iframe") or (
            tag == "link" and given.get("rel") in ("stylesheet", "icon")
        )
        (self.loads if loaded else self.links).append(target)


def problems(site: Path) -> Iterator[str]:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for target in page.loads + page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loads:
                    yield f"{path.relative_to(site)}: loads {target} from elsewhere"
                continue
            aim = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            aim = aim / "index.html" if aim.is_dir() else aim
            if not aim.exists():
                yield f"{path.relative_to(site)}: {target} leads nowhere"
            elif (
                parts.fragment
                and aim.resolve() in pages
                and unquote(parts.fragment) not in pages[aim.resolve()].names
            ):
                yield f"{path.relative_to(site)}: {target}: no such place on that page"


def main() -> None:
    found = list(problems(Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
