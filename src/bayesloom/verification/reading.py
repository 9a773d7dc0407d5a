"""Read what is to be verified: the JSON object of a run, or a network; by content, not by file name.

A run may have any file name, be packed by gzip or come from stdin. Content that begins with ``{`` is JSON,
and JSON with the key ``"bayesloom"`` is a run. `bayesloom.json_input` reads it strictly.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from bayesloom.errors import InputError
from bayesloom.files import read_bytes, unpacked
from bayesloom.json_input import load_json
from bayesloom.text_input import decoded

__all__ = ["read_run"]

GZIP = b"\x1f\x8b"
EXPECTED = "a result that learn, search, credible, posterior or bootstrap wrote with --json"


def read_run(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return the JSON object of a run, or None if the file holds something else, such as a network.

    ``-`` is stdin, from which only a run can come.
    """
    file = os.fspath(path)
    stdin = file == "-"
    name = "stdin" if stdin else os.path.basename(os.path.normpath(file))
    data = sys.stdin.buffer.read() if stdin else read_bytes(file, gzipped=False)
    if data.startswith(GZIP):
        data = unpacked(data, name)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        if not data.strip():
            raise InputError(f"{name}: the file is empty. Expected a network, or {EXPECTED}.")
        if stdin:
            raise InputError(f"stdin: expected {EXPECTED}, a JSON object.")
        return None
    found = load_json(decoded(data, name), name)
    assert isinstance(found, dict)  # it begins with a brace
    if "bayesloom" in found:
        return found
    if "format" in found and not stdin:
        return None
    raise InputError(f'{name}: the JSON object has no "bayesloom" key. Expected {EXPECTED}, or a network.')
