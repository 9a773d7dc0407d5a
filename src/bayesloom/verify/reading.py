"""Reading what is to be verified: the JSON object of a run, or a network; by content, not by name.

A run may be called anything, be packed by gzip or come from stdin. What begins with ``{`` is JSON, and what
has the key ``"bayesloom"`` in it claims to be a run. Damaged JSON, keys that are given twice and numbers that
JSON does not know are refused.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from bayesloom.errors import InputError
from bayesloom.files import read_bytes, unpacked
from bayesloom.formats._format import Source

__all__ = ["json_object", "read_run"]

GZIP = b"\x1f\x8b"
EXPECTED = "a result that learn, search or credible wrote with --json"


def read_run(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return the JSON object of a run, or None if the file holds something else, such as a network.

    ``-`` is stdin, from which only a run can come.
    """
    file = os.fspath(path)
    stdin = file == "-"
    name = "stdin" if stdin else Path(file).name
    data = sys.stdin.buffer.read() if stdin else read_bytes(file, gzipped=False)
    if data.startswith(GZIP):
        data = unpacked(data, name)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        if not data.strip():
            raise InputError(f"{name}: the file is empty. Expected a network, or {EXPECTED}.")
        if stdin:
            raise InputError(f"stdin: expected {EXPECTED}, a JSON object.")
        return None
    found = json_object(Source(name, data))
    if "bayesloom" in found:
        return found
    if "format" in found and not stdin:
        return None
    raise InputError(f'{name}: the JSON object has no "bayesloom" key. Expected {EXPECTED}, or a network.')


def json_object(source: Source) -> dict[str, Any]:
    """Return the JSON object of a file, each of its keys given once."""

    def refuse(name: str) -> float:
        raise ValueError(f"{name} is not a number of JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(result := dict(pairs)) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise ValueError(f"an object has the key {twice[:60]!r} twice")
        return result

    try:
        found = json.loads(source.text, parse_constant=refuse, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise source.error_on(error.lineno, f"the JSON is damaged: {error.msg}.") from None
    except RecursionError:
        raise InputError(f"{source.name}: the JSON is damaged: it is nested too deeply.") from None
    except InputError:
        raise
    except ValueError as error:
        message = "a number has too many digits" if "digits" in str(error) else str(error)
        raise InputError(f"{source.name}: the JSON is damaged: {message}.") from None
    if not isinstance(found, dict):
        raise InputError(f"{source.name}: expected a JSON object.")
    return found
