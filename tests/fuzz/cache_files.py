"""Changed score caches only: what C++ reads, for the build with sanitizers."""

from __future__ import annotations

from fuzz.files import CACHES, FileCase, changed_file, check, smaller

__all__ = ["FileCase", "check", "random_case", "smaller"]


def random_case(seed: int) -> FileCase:
    return changed_file("cache", CACHES[seed % len(CACHES)], seed)
