"""Solvers that work on disk keep their files to the tests of this folder."""

from __future__ import annotations

import tempfile

import pytest


@pytest.fixture(autouse=True, scope="module")
def own_scratch(tmp_path_factory):
    before = tempfile.tempdir
    tempfile.tempdir = str(tmp_path_factory.mktemp("scratch"))
    yield
    tempfile.tempdir = before
