"""Score cache files that change while they are used, and files that claim what cannot be."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys

import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.scoring import cache_files as _cache_files
from bayesloom.scoring.cache import ScoreCache
from made.lists import tangled_cache

USE = """
import sys
import bayesloom as bl
cache = bl.read_cache(sys.argv[1])
{change}
print(bl.search(cache, solver="dp").score)
"""


@pytest.mark.parametrize("change", ["truncate", "overwrite", "remove"])
@pytest.mark.parametrize("ending", ["blc", "jkl", "pss"])
def test_a_file_may_change_while_its_cache_is_in_use(tmp_path, change, ending):
    """In a process of its own: a mapped file would end it with SIGBUS."""
    cache = tangled_cache(random.Random(1), 12, candidates=300)
    path = tmp_path / f"c.{ending}"
    cache.write(path)
    assert path.stat().st_size > 3 * 4096
    words = {
        "truncate": "open(sys.argv[1], 'w').close()",
        "overwrite": "size = __import__('os').path.getsize(sys.argv[1])\n"
        "open(sys.argv[1], 'r+b').write(bytes(size))",
        "remove": "__import__('os').unlink(sys.argv[1])",
    }[change]
    done = subprocess.run(
        [sys.executable, "-c", USE.format(change=words), path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert float(done.stdout) == bl.search(cache, solver="dp").score


def test_only_a_file_too_large_for_a_copy_is_mapped(tmp_path, monkeypatch):
    cache = tangled_cache(random.Random(1), 8)
    asked = []
    for ending, name in (("blc", "read_blc"), ("jkl", "read_jkl"), ("pss", "read_pss")):
        path = tmp_path / f"c.{ending}"
        cache.write(path)
        size = path.stat().st_size
        kernel = getattr(_core, name)
        with monkeypatch.context() as patch:
            patch.setattr(
                _core, name, lambda p, mapped, kernel=kernel: (asked.append(mapped), kernel(p, mapped))[1]
            )
            for memory in (2 * size, 2 * size - 2):
                patch.setattr(_cache_files, "reading_memory", lambda memory=memory: memory)
                assert bl.read_cache(path) == cache
    assert asked == [False, True] * 3


@pytest.mark.parametrize("ending", ["blc", "jkl", "pss"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, ending):
    path = tmp_path / f"pipe.{ending}"
    os.mkfifo(path)
    with pytest.raises(InputError, match="it is not a regular file"):
        bl.read_cache(path)


def with_cardinality(content: bytes, number: int) -> tuple[bytes, int]:
    """The bytes of a .blc file in which the second variable has so many states, and where that is."""
    (at,) = struct.unpack_from("<Q", content, 64 + 4 * 8)
    changed = bytearray(content[:-8])
    struct.pack_into("<I", changed, at + 4, number)
    return bytes(changed) + struct.pack("<Q", _core.xxh64(bytes(changed))), at + 4


@pytest.mark.parametrize("number", [65_537, 2**31, 2**32 - 1])
def test_an_absurd_number_of_states_is_refused(tmp_path, number):
    lists = {"a": [(-1, [])], "b": [(-2, [])]}
    cache = ScoreCache.from_candidates("ab", lists, cardinalities=[2, 65_536])
    path = tmp_path / "c.blc"
    content, at = with_cardinality(_core.format_blc(cache.core), number)
    path.write_bytes(content)
    with pytest.raises(
        InputError, match=rf"c\.blc, offset {at}: variable 'b' has {number} states; expected at"
    ):
        bl.read_cache(path)
    with pytest.raises(InputError, match=rf"variable 'b' has {number} states; expected at most 65,536"):
        ScoreCache.from_candidates("ab", lists, cardinalities=[2, number])
    path = tmp_path / "c.pss"
    path.write_text(f"VAR a\nMETA arity={number}\n-1\n")
    with pytest.raises(InputError, match=r"line 2, .*expected an arity of 1 to 65,536"):
        bl.read_cache(path)
    content, _ = with_cardinality(_core.format_blc(cache.core), 65_536)
    assert ScoreCache(_core.parse_blc(content, "c.blc")).cardinalities == (2, 65_536)


def test_a_claim_in_a_text_file_holds_for_what_was_written_only(tmp_path):
    table = bl.random_network(5, max_parents=2, seed=1).sample(100, seed=1)
    cache = bl.score(table, bayes_factor=2)
    path = tmp_path / "c.pss"
    cache.write(path)
    assert bl.read_cache(path) == cache
    text = path.read_text()
    assert bl.read_cache(path).complete_factor == 2
    lines = text.splitlines(keepends=True)
    best = next(i for i, line in enumerate(lines) if line.startswith("VAR")) + 2
    fewer = lines[:best] + lines[best + 1 :]
    count = cache.candidate_count
    for other in [
        "".join(fewer).replace(f"candidate_count={count}", f"candidate_count={count - 1}"),
        text.replace(lines[best].split()[0], "-1000.5", 1),
        text.replace('"complete_factor":2.0', '"complete_factor":20.0'),
        "".join(line for line in lines if "bayesloom_digest" not in line),
    ]:
        assert other != text
        path.write_text(other)
        read = bl.read_cache(path)
        assert (read.complete, read.complete_factor) == (False, None)
        assert read.info["score"] == "bic"
