"""Files by extension, compression, META lines, and damage of compressed files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.scoring.cache import ScoreCache, read_cache
from made.caches import ANY_NAMES, PLAIN_NAMES, TEXT_NAMES, caches, content, random_cache
from made.damage import damages
from made.data import SCORES, needs_data
from reference.jkl import read_jkl

FOLDER = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=40
)


@pytest.mark.parametrize("extension", [".blc", ".blc.gz", ".BLC"])
@FOLDER
@given(cache=caches(names=ANY_NAMES))
def test_binary_files_keep_everything(extension: str, cache: ScoreCache, tmp_path: Path) -> None:
    path = tmp_path / f"cache{extension}"
    cache.write(path)
    once = path.read_bytes()
    assert read_cache(path) == cache
    read_cache(path).write(path)
    assert path.read_bytes() == once


@pytest.mark.parametrize("extension", [".pss", ".pss.gz"])
@FOLDER
@given(cache=caches(names=PLAIN_NAMES))
def test_pss_files_keep_everything(extension: str, cache: ScoreCache, tmp_path: Path) -> None:
    path = tmp_path / f"cache{extension}"
    cache.write(path)
    assert read_cache(path) == cache


@pytest.mark.parametrize("extension", [".jkl", ".jkl.gz", ".scores", ".scores.gz"])
@FOLDER
@given(cache=caches(names=TEXT_NAMES, info=False))
def test_jkl_files_keep_names_and_candidates(extension: str, cache: ScoreCache, tmp_path: Path) -> None:
    path = tmp_path / f"cache{extension}"
    cache.write(path)
    assert read_cache(str(path)) == cache


def test_the_golden_text_of_each_format(tmp_path: Path) -> None:
    """What other programs will read; a change here is a change of format."""
    cache = ScoreCache.from_candidates(
        ["rain", "wet"],
        {"rain": [(-12.5, [])], "wet": [(-13.75, []), (-7.1, ["rain"])]},
        cardinalities=[2, 0],
        info={"score": "bdeu", "options": {"ess": 10.0}, "rows": 20, "max_parents": None},
    )
    cache.write(tmp_path / "a.jkl")
    score = cache.find("wet", ["rain"])  # the whole number of 2^-30 nats that is nearest to -7.1
    assert repr(score) == "-7.099999999627471"
    text = f"2\nrain 1\n-12.5 0\nwet 2\n{score!r} 1 rain\n-13.75 0\n"
    assert (tmp_path / "a.jkl").read_text() == text
    cache.write(tmp_path / "a.pss")
    assert (tmp_path / "a.pss").read_text() == (
        "META pss_version = 0.1\nMETA score_type=bdeu\nMETA num_records=20\nMETA ess=10.0\n"
        'META bayesloom_info={"max_parents":null,"options":{"ess":10.0},"rows":20,"score":"bdeu"}\n'
        "META variable_count=2\nMETA candidate_count=3\n"
        "\nVAR rain\nMETA arity=2\n-12.5\n"
        f"\nVAR wet\n{score!r} rain\n-13.75\n"
    )


def test_meta_lines_of_other_programs_become_info(tmp_path: Path) -> None:
    (tmp_path / "a.pss").write_text(
        "META pss_version = 0.1\nMETA input_file=iris.csv\nMETA num_records=150\nMETA parent_limit=4\n"
        "META score_type=BIC\nMETA ess=1.000000\n\nVAR a\nMETA arity=3\nMETA values=lo mid hi \n-5 \n"
    )
    cache = read_cache(tmp_path / "a.pss")
    assert cache.cardinalities == (3,)
    assert cache.info == {
        "score": "bic",
        "rows": 150,
        "max_parents": 4,
        "options": {"ess": 1.0},
        "pss": {
            "input_file": "iris.csv",
            "num_records": "150",
            "parent_limit": "4",
            "score_type": "BIC",
            "ess": "1.000000",
        },
        "pss_variables": {"a": {"values": "lo mid hi"}},
    }
    cache.write(tmp_path / "b.pss")
    assert read_cache(tmp_path / "b.pss") == cache


def test_meta_lines_that_make_no_sense_are_kept_but_not_believed(tmp_path: Path) -> None:
    (tmp_path / "a.pss").write_text("META num_records=many\nMETA ess=inf\nVAR a\n-5\n")
    assert read_cache(tmp_path / "a.pss").info == {"pss": {"num_records": "many", "ess": "inf"}}


def test_a_damaged_info_line_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pss").write_text('META bayesloom_info={"rows":\nVAR a\n-5\n')
    with pytest.raises(InputError, match="the info of this score cache is damaged"):
        read_cache(tmp_path / "a.pss")


@pytest.mark.parametrize("name", ["cache", "cache.csv", "cache.gz", "cache.jkl.zst", ".blc.txt"])
def test_other_extensions_are_refused_with_the_known_ones(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no extension of a score cache file\. Known: \.blc, \.jkl"):
        read_cache(tmp_path / name)


def test_missing_empty_and_wrong_files(tmp_path: Path) -> None:
    for extension in (".blc", ".jkl", ".pss", ".jkl.gz"):
        with pytest.raises(InputError, match=r"cannot read this file: No such file|no such file"):
            read_cache(tmp_path / f"nowhere{extension}")
    (tmp_path / "empty.jkl.gz").touch()
    with pytest.raises(InputError, match="the file is empty"):
        read_cache(tmp_path / "empty.jkl.gz")
    (tmp_path / "plain.jkl.gz").write_text("1\na 1\n-1 0\n")
    with pytest.raises(InputError, match="the gzip data is damaged or cut short"):
        read_cache(tmp_path / "plain.jkl.gz")


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX only")
def test_file_names_need_not_be_utf8(tmp_path: Path) -> None:
    cache = random_cache(1, 3, 3)
    path = os.fsdecode(bytes(tmp_path) + b"/\xff.blc")
    cache.write(path)
    assert read_cache(path) == cache
    with pytest.raises(InputError, match=r"\?\.jkl: cannot read this file"):
        read_cache(os.fsdecode(bytes(tmp_path) + b"/\xff.jkl"))


@pytest.mark.parametrize("kind", ["jkl", "pss", "blc"])
def test_damaged_compressed_files_are_refused(kind: str, tmp_path: Path) -> None:
    """gzip has its own checksum: what still unpacks is what was packed."""
    cache = random_cache(5, 6, 6)
    path = tmp_path / f"a.{kind}.gz"
    cache.write(path)
    whole = read_cache(path)
    refused = 0
    for damaged in damages(path.read_bytes(), 11, 200):
        path.write_bytes(damaged)
        try:
            assert read_cache(path) == whole  # a flipped bit in the time stamp changes nothing
        except InputError:
            refused += 1
    assert refused >= 180


def test_damage_before_packing_is_found_after_unpacking(tmp_path: Path) -> None:
    cache = random_cache(6, 5, 5)
    path = tmp_path / "a.blc.gz"
    for damaged in damages(_core.format_blc(cache.core), 12, 60):
        path.write_bytes(gzip.compress(damaged))
        with pytest.raises(InputError, match=r"a\.blc\.gz, offset \d+: "):
            read_cache(path)


@needs_data
@pytest.mark.parametrize(
    ("name", "variables", "candidates", "parents"),
    [
        ("iris_BIC.jkl.gz", 5, 26, 2),
        ("asia_10000.dat.3.jkl.gz", 8, 512, 3),
        ("alarm-5000.BLIP-BIC-k6.jkl.gz", 37, 2528, 4),
        ("steel_BIC.jkl.gz", 28, 93026, 5),
        ("munin-5000.BLIP-BIC-k6.jkl.gz", 1041, 177691, 3),
    ],
)
def test_collected_files_hold_what_their_list_says(
    name: str, variables: int, candidates: int, parents: int, tmp_path: Any
) -> None:
    cache = read_cache(SCORES / name)
    assert (cache.variable_count, cache.candidate_count, cache.max_parents_seen) == (
        variables,
        candidates,
        parents,
    )
    plain = tmp_path / "plain.jkl"
    plain.write_bytes(gzip.decompress((SCORES / name).read_bytes()))
    assert read_cache(plain) == cache
    if candidates < 1000:
        assert content(cache.core) == read_jkl(plain.read_bytes())


def test_a_number_of_hundreds_of_digits_is_one_sentence(tmp_path):
    cache = ScoreCache.from_candidates(["a"], {"a": [(-1.5, [])]}, info={"complete_factor": 1.5})
    cache.write(tmp_path / "a.pss")
    text = (tmp_path / "a.pss").read_text()
    assert '"complete_factor":1.5' in text
    (tmp_path / "a.pss").write_text(text.replace('"complete_factor":1.5', '"complete_factor":' + "9" * 400))
    with pytest.raises(InputError, match="a number of at least 1"):
        read_cache(tmp_path / "a.pss")
