"""Options with which bfbnb goes to disk on small caches: in layers, and in dense pieces."""

from __future__ import annotations

from typing import Any

SIMPLE: dict[str, Any] = {"cluster_rounds": 0, "pattern_size": 1, "threads": 1}
LAYERS: dict[str, Any] = {"dense": False, "memory_bytes": 20_000.0, **SIMPLE}
DENSE: dict[str, Any] = {"dense": True, "memory_bytes": 500_000.0, **SIMPLE}
