"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = [
    *("compare", "cpdag", "errors", "fit", "fitted", "generate", "interop", "joint", "network"),
    *("formats", "formats._names", "formats.modelstring"),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"bayesloom.{name}")
    result = doctest.testmod(module)
    assert result.failed == 0
