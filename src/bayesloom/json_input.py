"""Read JSON from others strictly, and get values of the right kind from it.

Python's reader accepts more than JSON: of two equal keys the last one wins, and ``NaN`` and ``1e999`` become
numbers that are not finite.  Here each of these is refused, as is nesting that is too deep for Python, always
with an `InputError` of one sentence.  `field` returns one value of an object if it is of the kind asked for;
a value of another kind is described in the error, never printed whole, so that a strange file cannot flood a
message.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from bayesloom.errors import InputError
from bayesloom.files import read_bytes
from bayesloom.limits import is_number
from bayesloom.text_input import decoded, first_repeated

__all__ = [
    "described",
    "field",
    "is_count",
    "is_names",
    "is_number",
    "load_json",
    "read_json",
    "read_json_object",
]

DIGITS = 308  # of a whole number: more do not fit into a float
BEYOND: int = 10**308


def load_json(text: str, name: str) -> Any:
    """Return what a JSON text holds; `name` is what errors call it.

    >>> load_json('{"rain": [1, 2.5, null]}', "a.json")
    {'rain': [1, 2.5, None]}
    >>> load_json('{"rain": 1, "rain": 2}', "a.json")
    Traceback (most recent call last):
    bayesloom.errors.InputError: a.json: the JSON is damaged: the key 'rain' is in one object twice.
    """
    try:
        return json.loads(
            text, parse_constant=_no_number, parse_int=_whole, parse_float=_finite, object_pairs_hook=_once
        )
    except json.JSONDecodeError as error:
        raise InputError(f"{name}, line {error.lineno}: the JSON is damaged: {error.msg}.") from None
    except RecursionError:
        raise InputError(f"{name}: the JSON is nested too deeply to be read.") from None
    except ValueError as error:
        raise InputError(f"{name}: the JSON is damaged: {error}.") from None


def read_json(path: str | os.PathLike[str]) -> Any:
    """Return what a JSON file holds; one that ends in ``.gz`` is unpacked."""
    file = os.fspath(path)
    return load_json(decoded(read_bytes(file, gzipped=file.lower().endswith(".gz")), file), file)


def read_json_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the JSON object that a file holds; anything else is refused."""
    found = read_json(path)
    if not isinstance(found, dict):
        raise InputError(f"{os.fspath(path)}: expected a JSON object, found {described(found)}.")
    return found


def is_count(value: object) -> bool:
    """Return whether a value is a whole number of at least 0.

    >>> [is_count(value) for value in (3, -1, 3.0, True)]
    [True, False, False, False]
    """
    return type(value) is int and 0 <= value < BEYOND


def is_names(value: object) -> bool:
    """Return whether a value is a list of texts.

    >>> is_names(["a", "b"]), is_names("ab")
    (True, False)
    """
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_parents(value: object) -> bool:
    return isinstance(value, dict) and all(map(is_names, value.values()))


def _is_numbers(value: object) -> bool:
    return isinstance(value, dict) and all(map(is_number, value.values()))


#: What a field can be asked to be, in the words of messages.
KINDS: dict[str, Callable[[object], bool]] = {
    "a text": lambda value: isinstance(value, str),
    "a number": is_number,
    "a whole number": is_count,
    "true or false": lambda value: isinstance(value, bool),
    "true, false or null": lambda value: value is None or isinstance(value, bool),
    "a list": lambda value: isinstance(value, list),
    "a list of texts": is_names,
    "an object": lambda value: isinstance(value, dict),
    "an object with lists of names": _is_parents,
    "an object with numbers": _is_numbers,
}

_NEEDED = object()


def field(data: Mapping[str, Any], key: str, kind: str, name: str, default: Any = _NEEDED) -> Any:
    """Return a field of an object if it is of this kind (one of `KINDS`).

    Without a default the field must be there; with one, it may be missing or null.

    >>> field({"score": -3.5}, "score", "a number", "run.json")
    -3.5
    >>> field({"score": "high"}, "score", "a number", "run.json")
    Traceback (most recent call last):
    bayesloom.errors.InputError: run.json: "score" must be a number, found the text 'high'.
    """
    value = data.get(key)
    if value is None and default is not _NEEDED:
        return default
    if key not in data:
        raise InputError(f'{name}: "{key}" is missing; expected {kind}.')
    if not KINDS[kind](value):
        raise InputError(f'{name}: "{key}" must be {kind}, found {described(value)}.')
    return value


def described(value: object) -> str:
    """Return what a value is, in a few words.

    >>> described([1, 2]), described("x"), described(None), described(10**400)
    ('a list', "the text 'x'", 'null', 'a number of more than 308 digits')
    """
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else f"a text of {len(value):,} letters"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "an object"
    if type(value) is int and abs(value) >= BEYOND:
        return f"a number of more than {DIGITS} digits"
    return json.dumps(value) if value is None or isinstance(value, (bool, int, float)) else repr(type(value))


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number of JSON")


def _whole(text: str) -> int:
    if len(text) > DIGITS:
        raise ValueError(f"a number has {len(text):,} digits, and at most {DIGITS} can be read")
    return int(text)


def _finite(text: str) -> float:
    if math.isinf(value := float(text)):
        raise ValueError(f"the number {text[:40]} is too large to be read")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(result := dict(pairs)) < len(pairs):
        twice = first_repeated(key for key, _ in pairs) or ""
        shown = repr(twice) if len(twice) <= 40 else f"of {len(twice):,} letters that starts {twice[:30]!r}"
        raise ValueError(f"the key {shown} is in one object twice")
    return result
