"""Fixtures of the tests of faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faults.program import end_all


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    end_all()
