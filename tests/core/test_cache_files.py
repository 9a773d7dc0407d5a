"""Files of the score cache: round trips, what is tolerated, and exact positions of errors."""

from __future__ import annotations

import gzip
import resource
import struct
from pathlib import Path

import pytest
from hypothesis import given

from bayesloom import _core
from bayesloom.errors import InputError, ResourceError
from bayesloom.scoring.cache import ScoreCache
from made.caches import ANY_NAMES, PLAIN_NAMES, TEXT_NAMES, caches, content, random_cache
from made.data import SCORES, needs_data
from reference.jkl import read_jkl
from reference.pss import read_pss
from reference.xxh64 import xxh64

JKL = b"3\nrain 1\n-12.5 0\nwet 2\n-7.25 1 rain\n-13.75 0\nslip 2\n-3 2 wet rain\n-4 0\n"
PSS = b"""META pss_version = 0.1
META score_type=BIC
VAR rain
META arity=2
-12.5

VAR wet
META arity=3
META values=a b c
-7.25 rain
-13.75
VAR slip
-3 wet rain
-4
"""


# Round trips


@given(cache=caches(names=TEXT_NAMES, info=False))
def test_jkl_survives_a_round_trip_and_reads_like_the_twin(cache: ScoreCache) -> None:
    text = _core.format_jkl(cache.core)
    assert _core.parse_jkl(text, "x") == cache.core
    assert read_jkl(text) == content(cache.core)


@given(cache=caches(names=PLAIN_NAMES))
def test_pss_survives_a_round_trip_and_reads_like_the_twin(cache: ScoreCache) -> None:
    text = _core.format_pss(cache.core, [("bayesloom_info", cache.core.info)])
    again, meta = _core.parse_pss(text, "x")
    assert again.with_info(cache.core.info) == cache.core
    assert (None, "bayesloom_info", cache.core.info) in meta
    candidates, cardinalities = read_pss(text)
    assert candidates == content(cache.core)
    assert list(cardinalities.values()) == cache.core.cardinalities


@given(cache=caches(names=ANY_NAMES))
def test_blc_survives_a_round_trip_byte_by_byte(cache: ScoreCache) -> None:
    content = _core.format_blc(cache.core)
    again = _core.parse_blc(content, "x")
    assert again == cache.core
    assert _core.format_blc(again) == content
    assert struct.unpack("<Q", content[-8:])[0] == xxh64(content[:-8])


def test_files_are_mapped_written_and_equal_to_what_the_bytes_hold(tmp_path: Path) -> None:
    cache = random_cache(1, 20, 30).core
    path = tmp_path / "x"
    name = bytes(path)
    _core.write_blc(cache, name)
    assert path.read_bytes() == _core.format_blc(cache)
    mapped = _core.read_blc(name)
    path.unlink()  # the map outlives the name
    assert mapped == cache
    _core.write_jkl(cache, name)
    assert path.read_bytes() == _core.format_jkl(cache)
    assert _core.read_jkl(name).with_info(cache.info).candidate_count == cache.candidate_count
    _core.write_pss(cache, [], name)
    assert path.read_bytes() == _core.format_pss(cache, [])
    assert _core.read_pss(name)[0].with_info(cache.info) == cache
    assert [p.name for p in tmp_path.iterdir()] == ["x"]  # no temporary file is left


@pytest.mark.parametrize("path", sorted(SCORES.glob("*.jkl.gz")), ids=lambda path: path.name)
def test_every_collected_score_file_reads_like_the_twin(path: Path) -> None:
    text = gzip.decompress(path.read_bytes())
    cache = _core.parse_jkl(text, path.name)
    if len(text) < 2_000_000:
        assert content(cache) == read_jkl(text)
    assert _core.parse_jkl(_core.format_jkl(cache), "x") == cache
    assert _core.parse_blc(_core.format_blc(cache), "x") == cache


@needs_data
def test_score_files_are_there_to_be_read() -> None:
    assert len(list(SCORES.glob("*.jkl.gz"))) >= 16


# Text that is unusual but right


def test_comments_blank_lines_tabs_and_crlf_do_not_matter() -> None:
    text = b"\xef\xbb\xbf# Method: x\r\n\r\n 3 \n#\n# Time 6.47\nrain\t1\n\n-12.5 0\n" + JKL[17:]
    assert _core.parse_jkl(text.replace(b"\n", b"\r\n"), "x") == _core.parse_jkl(JKL, "x")
    assert _core.parse_jkl(JKL.rstrip(), "x") == _core.parse_jkl(JKL, "x")


def test_parents_may_be_positions_where_no_name_is_a_number() -> None:
    positions = JKL.replace(b"1 rain", b"1 0").replace(b"2 wet rain", b"2 1 0")
    assert _core.parse_jkl(positions, "x") == _core.parse_jkl(JKL, "x")


def test_names_that_are_numbers_are_names() -> None:
    cache = _core.parse_jkl(b"2\n1 1\n-1 1 0\n0 1\n-2 0\n", "x")
    assert cache.names == ["1", "0"]
    assert cache.parents.tolist() == [1]


def test_pss_reads_keywords_in_any_case_and_keeps_meta_lines() -> None:
    cache, meta = _core.parse_pss(PSS.replace(b"VAR", b"var").replace(b"META a", b"meta a"), "x")
    assert cache.cardinalities == [2, 3, 0]
    assert meta == [
        (None, "pss_version", "0.1"),
        (None, "score_type", "BIC"),
        (0, "arity", "2"),
        (1, "arity", "3"),
        (1, "values", "a b c"),
    ]
    assert content(cache) == content(_core.parse_jkl(JKL, "x"))


# Errors and their positions


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"3\n", b"", "line 1, column 1: expected the number of variables, found 'rain'."),
        (b"3\n", b"0\n", "expected 1 to 1,000,000 variables, found 0."),
        (b"3\n", b"1000001\n", "expected 1 to 1,000,000 variables, found 1000001."),
        (b"3\n", b"3 x\n", "line 1, column 3: expected the end of the line, found 'x'."),
        (b"3\n", b"4\n", "line 9: the file ends where variable 4 of 4 should follow"),
        (b"3\n", b"2\n", "line 7, column 1: expected the end of the file after 2 variables"),
        (b"rain 1\n", b"rain x\n", "line 2, column 6: expected the number of candidates, found 'x'."),
        (
            b"rain 1\n",
            b"rain\n",
            "line 2, column 5: expected the number of candidates, found the end of the line",
        ),
        (b"rain 1\n-12.5 0", b"rain 0", "line 2, column 7: variable 'rain' has no candidate"),
        (b"wet 2", b"rain 2", "line 4, column 1: there is a second variable 'rain'."),
        (b"wet 2", b"\xff 2", "line 4, column 1: the name '\\?' is not UTF-8 text."),
        (b"slip 2", b"slip 3", "line 9: the file ends where candidate 3 of the 3 of variable 'slip' should"),
        (b"wet 2", b"wet 3", "line 7, column 1: expected a score, found 'slip'."),
        (b"wet 2", b"wet 1", "line 6, column 9: variable '-13.75' has no candidate"),
        (b"-13.75", b"nan", "line 6, column 1: the score 'nan' is not a finite number."),
        (b"-13.75", b"-inf", "line 6, column 1: the score '-inf' is not a finite number."),
        (b"-13.75", b"1e999", "line 6, column 1: the score '1e999' is too large or too small for a double."),
        (b"-13.75", b"-1e300", "the score '-1e300' is outside the range of -2\\^31 to 2\\^31 nats"),
        (b"-13.75", b"+-1", "line 6, column 1: expected a score, found '\\+-1'."),
        (b"1 rain", b"x rain", "line 5, column 7: expected a parent count, found 'x'."),
        (b"1 rain", b"2 rain", "line 5, column 13: expected a parent, found the end of the line."),
        (b"1 rain", b"9 rain", "9 parents are more than the other 2 variables."),
        (b"1 rain", b"0 rain", "line 5, column 9: expected the end of the line, found 'rain'."),
        (b"1 rain", b"1 snow", "line 5, column 9: the parent 'snow' is not a variable of this file."),
        (b"1 rain", b"1 3", "line 5, column 9: the parent '3' is not a variable of this file."),
        (b"1 rain", b"1 0", "line 8, column 6: the parent 'wet' mixes names and positions"),
        (b"1 rain", b"1 wet", "line 5, column 9: variable 'wet' is its own parent."),
        (b"wet rain", b"wet wet", "line 8, column 13: parent 'wet' is there twice."),
        (b"-13.75 0", b"-13.75 1 rain", "line 6: the same parents as in line 5."),
        (b"rain 1", b"ra\0n 1", "line 2, column 3: found a NUL byte"),
    ],
)
def test_jkl_errors_say_where(old: bytes, new: bytes, message: str) -> None:
    assert old in JKL
    with pytest.raises(InputError, match=r"^a\.jkl, .*" + message):
        _core.parse_jkl(JKL.replace(old, new, 1), "a.jkl")


def test_columns_count_characters_not_bytes() -> None:
    with pytest.raises(InputError, match="line 2, column 6: expected the number of candidates, found 'x'"):
        _core.parse_jkl("1\nЁжик x\n".encode(), "a.jkl")


def test_an_empty_file_says_what_should_be_there() -> None:
    with pytest.raises(InputError, match="the file ends where the number of variables should follow"):
        _core.parse_jkl(b"# nothing\n", "a.jkl")
    with pytest.raises(InputError, match="expected a variable \\(VAR name\\), found the end of the file"):
        _core.parse_pss(b"META a=1\n", "a.pss")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            b"VAR rain",
            b"rain",
            "line 3, column 1: expected META or VAR before the first candidate",
        ),
        (b"VAR rain", b"VAR", "line 3, column 4: expected the name of a variable, found the end of the line"),
        (b"VAR rain", b"VAR rain fall", "line 3, column 10: expected the end of the line, found 'fall'."),
        (b"VAR wet", b"VAR rain", "line 7, column 5: there is a second variable 'rain'."),
        (b"VAR wet", b"VAR wetter", "line 13, column 4: the parent 'wet' is not a variable of this file."),
        (b"-12.5\n", b"", "variable 'rain' has no candidate; expected at least one before this."),
        (b"META score_type=BIC", b"-12.5", "line 2, column 1: expected META or VAR before the first"),
        (b"META score_type=BIC", b"META score_type", "line 2, column 6: expected META key=value, found"),
        (b"META score_type=BIC", b"META =3", "line 2, column 6: expected META key=value"),
        (
            b"META score_type=BIC",
            b"META pss_version=1",
            "line 2, column 6: META 'pss_version' is there twice.",
        ),
        (b"arity=2", b"arity=0", "line 4, column 6: expected an arity of 1 to 65,536, found '0'."),
        (b"arity=2", b"arity=70000", "expected an arity of 1 to 65,536, found '70000'."),
        (b"-13.75", b"-13,75", "line 11, column 1: expected a score, found '-13,75'."),
        (b"-7.25 rain", b"-7.25 wet", "line 10, column 7: variable 'wet' is its own parent."),
        (b"-13.75", b"-13.75 rain", "line 11: the same parents as in line 10."),
        (b"-3 wet rain", b"-3 wet wet", "line 13, column 11: parent 'wet' is there twice."),
        (b"score_type=BIC", b"variable_count=4", "META variable_count announces '4', but the file has 3"),
        (b"score_type=BIC", b"candidate_count=9", "META candidate_count announces '9', but the file has 5"),
    ],
)
def test_pss_errors_say_where(old: bytes, new: bytes, message: str) -> None:
    assert old in PSS
    with pytest.raises(InputError, match=message):
        _core.parse_pss(PSS.replace(old, new, 1), "a.pss")


def test_files_that_cannot_be_opened_or_written(tmp_path: Path) -> None:
    cache = _core.parse_jkl(JKL, "x")
    with pytest.raises(InputError, match="nowhere: cannot read this file: No such file"):
        _core.read_blc(bytes(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="it is not a regular file"):
        _core.read_jkl(bytes(tmp_path))
    with pytest.raises(InputError, match="cannot be written: no such file"):
        _core.write_jkl(cache, bytes(tmp_path / "no" / "folder"))
    with pytest.raises(InputError, match="cannot be written: it is a folder"):
        _core.write_blc(cache, bytes(tmp_path))
    (tmp_path / "empty").touch()
    with pytest.raises(InputError, match="offset 0: the file ends within its header"):
        _core.read_blc(bytes(tmp_path / "empty"))


def test_a_link_stays_a_link_and_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    target.write_bytes(b"old")
    _core.write_file(bytes(link), b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    with_space = ScoreCache.from_candidates(["a b"], {"a b": [(-1, [])]})
    with pytest.raises(
        InputError, match=r"the name 'a b' cannot be written to a \.jkl file.*Write the binary"
    ):
        _core.write_jkl(with_space.core, bytes(target))
    assert target.read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "target"]


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\n", "#a"])
def test_names_that_a_text_file_would_break_are_refused(name: str) -> None:
    cache = ScoreCache.from_candidates([name], {name: [(-1, [])]}).core
    with pytest.raises(InputError, match=r"cannot be written to a \.jkl file"):
        _core.format_jkl(cache)
    with pytest.raises(InputError, match=r"cannot be written to a \.pss file"):
        _core.format_pss(cache, [])
    assert _core.parse_blc(_core.format_blc(cache), "x").names == [name]


@pytest.mark.parametrize("name", ["var", "MyVar", "metal", "xMETAx"])
def test_names_that_look_like_pss_keywords_are_refused(name: str) -> None:
    cache = ScoreCache.from_candidates([name], {name: [(-1, [])]}).core
    with pytest.raises(InputError, match=r"for keywords\. Write \.jkl or the binary"):
        _core.format_pss(cache, [])
    assert _core.parse_jkl(_core.format_jkl(cache), "x").names == [name]


def test_a_full_disk_is_a_resource_error_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    cache = random_cache(2, 20, 50).core
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(ResourceError, match="cannot be written: file too large"):
            _core.write_blc(cache, bytes(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
