"""Texts of score caches made to be slow: names that fall onto one place, and META lines without end."""

from __future__ import annotations

import pytest

from bayesloom.errors import InputError
from bayesloom.scoring.cache import read_cache


def _place(name: str, slots: int) -> int:
    """The place of a name in the reader's table of `slots` (FNV-1a)."""
    code = 0xCBF29CE484222325
    for byte in name.encode():
        code = (code ^ byte) * 0x100000001B3 % 2**64
    return (code ^ code >> 32) % slots


def _names_on_one_place(count: int) -> list[str]:
    slots = 1 << (2 * count + 1).bit_length()
    found: list[str] = []
    k = 0
    while len(found) < count:
        if _place(name := f"v{k}", slots) == 5:
            found.append(name)
        k += 1
    return found


@pytest.mark.parametrize("suffix", [".jkl", ".pss"])
@pytest.mark.parametrize("count", [3, 250])
def test_names_that_share_a_place_are_told_apart(tmp_path, suffix, count):
    names = _names_on_one_place(count)
    path = tmp_path / f"a{suffix}"
    if suffix == ".jkl":
        rows = [f"{name} 2\n-2 0\n-1 1 {names[k - 1]}\n" for k, name in enumerate(names)]
        path.write_text(f"{count}\n" + "".join(rows))
    else:
        rows = [f"VAR {name}\n-2\n-1 {names[k - 1]}\n" for k, name in enumerate(names)]
        path.write_text("".join(rows))
    cache = read_cache(path)
    assert list(cache.names) == names
    for k, name in enumerate(names):
        assert cache.candidates(name)[0][1] == (names[k - 1],)
    path.write_text(path.read_text().replace(f"1 {names[-1]}\n", "1 nobody\n"))
    with pytest.raises(InputError, match=r"'nobody'.* is not a variable of this file"):
        read_cache(path)


def test_many_meta_lines_are_each_there_once(tmp_path):
    path = tmp_path / "a.pss"
    lines = "".join(f"META a{k}=b\n" for k in range(100_000))
    path.write_text(lines + "VAR a\nMETA a7=b\n-1\nVAR b\nMETA a7=b\n-1\n")
    assert len(read_cache(path).info["pss"]) == 100_000
    for again, line in (("META a99=b\n", 100_001), ("VAR a\nMETA x=1\nMETA x=2\n-1\n", 100_003)):
        path.write_text(lines + again + "VAR c\n-1\n")
        with pytest.raises(InputError, match=f"line {line}, .* is there twice"):
            read_cache(path)
