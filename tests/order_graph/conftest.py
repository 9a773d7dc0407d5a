"""A search on disk that was stopped: what the tests of the scratch directory begin with."""

from __future__ import annotations

import random

import pytest

from bayesloom import _core
from made.disk_search import LAYERS
from made.lists import tangled_cache


@pytest.fixture(scope="module")
def cache():
    return tangled_cache(random.Random(6), 15)


@pytest.fixture
def unfinished(cache, tmp_path):
    """A scratch directory with a search that a limit stopped."""
    answer = _core.bfbnb(cache.core, scratch=str(tmp_path), work=3000, **LAYERS)
    assert answer["score"] < answer["bound"]
    return tmp_path
