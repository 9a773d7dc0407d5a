"""Keep the house in order: layers of C++ and Python, rooms apart, bindings without loops, one word per thing.

Usage: python tools/check_layout.py [ROOT]. Prints what is wrong and exits 1 if anything is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# A folder may include itself and folders of lower rank; rooms come last.
RANK = {"base": 0, "data": 1, "check": 1, "score": 2, "cache": 2, "graph": 2, "layout": 1, "inference": 1}
RANK |= {"dual": 3, "orders": 3, "subsets": 3}  # what rooms share
SEARCH_ROOMS = {"order_search", "order_graph", "relaxation", "credible", "posterior"}
ROOMS = SEARCH_ROOMS | {"parent_sets"}
# Folders and modules of the Python package: each imports those before it; a method may import a later one
# when it is called.
LAYERS = (
    *(
        "lazy_imports",
        "words",
        "errors",
        "printable",
        "sparkline",
        "progress",
        "memory",
        "limits",
        "interrupts",
        "loops",
        "text_input",
        "files",
        "json_input",
        "cluster",
    ),
    *("table", "networks", "constraints", "scoring", "verification", "solvers", "credible_sets"),
    *("averaging", "posterior_sampling", "learning", "resampling"),
    *("report", "sklearn", "cli", "__init__", "__main__"),
)
LINES = 600
ALLOWED: dict[str, str] = {  # path -> why it may be longer
    "src/bayesloom/_core.pyi": "generated",
    "docs/reference/commands.md": "generated",
    "docs/reference/python.md": "generated",
}
FILE_KEYWORDS = {"arity": ("pss.cpp", "pss.hpp", "cache_files.py")}  # words that a format itself uses
# Machine paths and hosts have no place in the repository.
MARKER = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
FOREIGN = re.compile(r"/(home|root|work|Users)/[a-z]|https?://(localhost|127\.)")


def include_problems(core: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(core.rglob("*.[ch]pp")):
        here, text = path.relative_to(core).parts[0], path.read_text(encoding="utf-8")
        for target in re.findall(r'#include "([^"]+)"', text):
            there = target.split("/")[0]
            if there == here:
                continue
            if there in ROOMS and here in ROOMS:
                yield path, f"rooms do not know each other: {here}/ includes {target}"
            elif RANK.get(there, 9) > RANK.get(here, 9) or there in ROOMS:
                yield path, f"data flows one way: {here}/ may not include {target}"
            if here in SEARCH_ROOMS and there in {"data", "score"}:
                yield path, f"search sees the score cache only: {here}/ includes {target}"
            if here == "check" and there != "base":
                yield path, f"the verifier shares no code with what it checks: includes {target}"
        if re.search(r"#include <(nanobind/|Python\.h)", text):
            yield path, "only src/bindings/ may know Python"


def import_problems(package: Path) -> Iterator[tuple[Path, str]]:
    """Layers of the Python package, and modules that would hide a public function of their name."""
    public = set(
        re.findall(r'^    "([a-z_]+)",$', (package / "__init__.py").read_text(encoding="utf-8"), re.M)
    )
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        if parts[-1] in public and parts[0] != "cli":
            yield path, f"has the name of the public function bayesloom.{parts[-1]}"
        here = LAYERS.index(parts[0]) if parts[0] in LAYERS else -1
        if here < 0:
            yield path, "is in no layer: add it to LAYERS"
            continue
        text = path.read_text(encoding="utf-8")
        named = re.findall(r"^from bayesloom\.(\w+)", text, re.M)
        named += [
            name
            for line in re.findall(r"^from bayesloom import ([\w, ]+)", text, re.M)
            for name in line.split(", ")
        ]
        for there in named:
            if there in LAYERS and LAYERS.index(there) > here:
                yield path, f"data flows one way: {parts[0]} may not import {there}"


def binding_problems(bindings: Path) -> Iterator[tuple[Path, str]]:
    """Bindings translate; what repeats more than the translation of a list belongs into the core."""
    for path in sorted(bindings.glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        if re.search(r"\b(while|do)\b\s*[({]", text):
            yield path, "holds a loop with a condition: algorithms live in src/core"


def forbidden_words(glossary: str) -> dict[str, str]:
    """The last table of the glossary: words that do not appear, and what is said instead."""
    _, _, table = glossary.partition("## Words that do not appear")
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", table, re.M)
    return {word: better for words, better in rows[1:] for word in words.split(", ")}


def text_problems(root: Path) -> Iterator[tuple[Path, str]]:
    folders = ("src", "tests", "tools", "benchmarks")
    sources = (
        path
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.suffix in {".py", ".pyi", ".cpp", ".hpp"} and path.name != Path(__file__).name
    )
    pages = [page for page in (root / "docs").rglob("*.md") if page.name != "glossary.md"]
    for page in [*pages, *root.glob("*.md")]:
        if MARKER.search(page.read_text(encoding="utf-8")):
            yield page, "holds the marks of a merge that was not finished"
    banned = forbidden_words((root / "docs" / "glossary.md").read_text(encoding="utf-8"))
    if not banned:
        yield root / "docs" / "glossary.md", "has no table of words that do not appear"
    for path in sorted([*sources, *pages]):
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(root))
        if (lines := text.count("\n")) > LINES and name not in ALLOWED:
            yield path, f"{lines} lines: split it, or give the reason in ALLOWED"
        if found := FOREIGN.search(text):
            yield path, f"names a place outside the repository: {found[0]!r}"
        if not name.startswith(("tests", "docs/papers")):
            for word, better in banned.items():
                own_word = path.name in FILE_KEYWORDS.get(word, ())
                if not own_word and re.search(rf"\b{word}\b", text, re.IGNORECASE):
                    yield path, f"says {word!r}; the glossary says {better!r}"


def citation_problems(root: Path) -> Iterator[tuple[Path, str]]:
    """Every [key2011] in a source comment or a page is in the bibliography."""
    known = set(re.findall(r"@\w+\{(\w+),", (root / "docs" / "refs.bib").read_text(encoding="utf-8")))
    for folder in ("src", "docs"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".py", ".cpp", ".hpp", ".md"}:
                text = path.read_text(encoding="utf-8")
                for group in re.findall(r"\[([a-z]+\d{4}[a-z]?[^\]]*)\]", text):
                    for key in re.findall(r"\b[a-z]{3,}(?:19|20)\d\d\b", group):
                        if key not in known:
                            yield path, f"cites [{key}], which is not in docs/refs.bib"


if __name__ == "__main__":
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = [
        *include_problems(root / "src" / "core"),
        *import_problems(root / "src" / "bayesloom"),
        *binding_problems(root / "src" / "bindings"),
        *text_problems(root),
        *citation_problems(root),
    ]
    for path, message in found:
        print(f"{path}: {message}")
    sys.exit(bool(found))
