"""A naive reader of .jkl files: split into lines, split into words, look everything up."""

from __future__ import annotations

import math
import re

Candidates = dict[str, dict[frozenset[str], int]]

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
COUNT = re.compile(rb"\d+")
LARGEST = 2.0**31


def content_lines(text: bytes) -> list[list[bytes]]:
    """Return the words of each line that is neither blank nor a comment."""
    if b"\0" in text:
        raise ValueError("NUL byte")
    lines = [line.split() for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    return [words for words in lines if words and not words[0].startswith(b"#")]


def to_count(word: bytes) -> int:
    if not COUNT.fullmatch(word) or int(word) >= 2**64:
        raise ValueError(f"no count: {word!r}")
    return int(word)


def to_units(word: bytes) -> int:
    """Return a score as a whole number of 2^-30 nats."""
    if not NUMBER.fullmatch(word):
        raise ValueError(f"no number: {word!r}")
    value = float(word)
    underflow = value == 0 and re.search(rb"[1-9]", re.split(rb"[eE]", word)[0])
    if underflow or abs(value) > LARGEST:
        raise ValueError(f"out of range: {word!r}")
    scaled = abs(value) * 2**30  # exact, so half away from zero is exact too
    return int(math.copysign(math.floor(scaled) + (scaled % 1 >= 0.5), value))


def check_range(candidates: Candidates) -> None:
    if sum(max(map(abs, lists.values())) for lists in candidates.values()) / 2**30 > LARGEST:
        raise ValueError("the sum of scores is out of range")


def read_jkl(text: bytes) -> Candidates:
    """Return the candidates of each variable, in the order of the file; ValueError if it is wrong."""
    lines = iter(content_lines(text))
    try:
        (announced,) = next(lines)
        blocks = []
        for _ in range(to_count(announced)):
            name, count = next(lines)
            blocks.append((name.decode("utf-8"), [next(lines) for _ in range(to_count(count))]))
    except StopIteration:
        raise ValueError("truncated") from None
    if next(lines, None) is not None:
        raise ValueError("trailing lines")
    names = [name for name, _ in blocks]
    if not 1 <= len(names) <= 1_000_000 or len(set(names)) < len(names):
        raise ValueError("no variables, too many, or two of one name")

    numbers_are_names = any(re.fullmatch("[0-9]+", name) and int(name) < 2**64 for name in names)
    kinds = set()

    def resolve(word: bytes) -> str:
        if word.decode("utf-8", "surrogateescape") in names:
            kinds.add("name")
            return word.decode("utf-8")
        if numbers_are_names or to_count(word) >= len(names):
            raise ValueError(f"unknown parent {word!r}")
        kinds.add("position")
        return names[to_count(word)]

    result: Candidates = {}
    for name, candidates in blocks:
        found = result[name] = {}
        for score, size, *words in candidates:
            parents = [resolve(word) for word in words]
            if len(parents) != to_count(size) or len(set(parents)) < len(parents) or name in parents:
                raise ValueError("wrong parents")
            if frozenset(parents) in found:
                raise ValueError("two candidates with the same parents")
            found[frozenset(parents)] = to_units(score)
        if not found:
            raise ValueError("no candidate")
    if len(kinds) > 1:
        raise ValueError("names and positions mixed")
    check_range(result)
    return result
