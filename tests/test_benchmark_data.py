"""The script that brings the data of the benchmarks: what is taken, what is refused."""

import gzip
import hashlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks" / "data"))
import fetch


@pytest.fixture
def one_source(monkeypatch):
    content = b"0,1\n1,0\n"
    row = fetch.Source(
        "debd/x.data.gz", len(content), hashlib.sha256(content).hexdigest(), "a/b", "c0ffee", "x.data", "MIT"
    )
    made = row._replace(file="uci/derived/y.csv.gz", source="made", path="from uci/raw: as it is")
    monkeypatch.setattr(fetch, "sources", lambda: [row, made])
    return content


def test_what_is_fetched_is_checked_and_packed(tmp_path, one_source):
    outcomes = {source.file: outcome for source, outcome in fetch.fetch(tmp_path, lambda source: one_source)}
    assert outcomes["debd/x.data.gz"] == "fetched"
    assert outcomes["uci/derived/y.csv.gz"] == "missing; cannot be fetched: from uci/raw: as it is"
    assert gzip.decompress((tmp_path / "debd/x.data.gz").read_bytes()) == one_source
    again = {source.file: outcome for source, outcome in fetch.fetch(tmp_path, pytest.fail)}
    assert again["debd/x.data.gz"] == "there"


def test_another_content_is_not_taken(tmp_path, one_source):
    outcomes = dict(list(fetch.fetch(tmp_path, lambda source: one_source + b"0,0\n"))[:1])
    assert list(outcomes.values()) == ["not taken: its content is not the one that was measured"]
    assert not (tmp_path / "debd/x.data.gz").exists()


def test_every_source_is_told():
    for source in fetch.sources():
        assert source.source
        assert source.path
        assert source.licence
        assert len(source.sha256) == 64
