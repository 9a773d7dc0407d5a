"""Print the requirements of pyproject.toml by group, so that they are written down once.

Usage: python tools/requirements.py GROUP...   where GROUP is ``run`` or the name of an extra.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def main(groups: list[str]) -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    for group in groups:
        for requirement in (
            project["dependencies"] if group == "run" else project["optional-dependencies"][group]
        ):
            print(requirement)


if __name__ == "__main__":
    main(sys.argv[1:])
