"""Every reader of text that there is, with the texts made to be slow for it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from made.texts.networks import NETWORKS
from made.texts.other_files import CACHES, CONSTRAINTS, TABLES
from made.texts.text import FEW, NUMBER, PLACE, Reader

__all__ = ["FEW", "Reader", "readers"]


def readers() -> dict[str, Reader]:
    """Return every reader of text that there is."""
    made = [*_networks(), *_tables(), *_constraints(), *_caches(), *_reports()]
    return {reader.name: reader for reader in made}


def _networks() -> Iterator[Reader]:
    from bayesloom.networks.formats import FORMATS
    from bayesloom.networks.formats._format import Source

    for format in FORMATS:
        contexts, units = NETWORKS[format.name]

        def read(data: bytes, format=format) -> object:  # type: ignore[no-untyped-def]
            return format.read(Source(f"hostile{format.extensions[0]}", data))

        yield Reader(format.name, read, contexts, units)


def _tables() -> Iterator[Reader]:
    from bayesloom.table import read_table

    for suffix, (contexts, units) in TABLES.items():
        for strict, how in ((False, ""), (True, ", strict")):

            def read(data: bytes, suffix=suffix, strict=strict) -> object:  # type: ignore[no-untyped-def]
                with tempfile.NamedTemporaryFile(suffix=suffix) as file:
                    Path(file.name).write_bytes(data)
                    return read_table(file.name, strict=strict)

            yield Reader(suffix[1:] + how, read, contexts, units)


def _constraints() -> Iterator[Reader]:
    from bayesloom.constraints.model import Constraints

    for suffix, (contexts, units) in CONSTRAINTS.items():

        def read(data: bytes, suffix=suffix) -> object:  # type: ignore[no-untyped-def]
            with tempfile.NamedTemporaryFile(suffix=suffix) as file:
                Path(file.name).write_bytes(data)
                rules = Constraints.read(file.name)
                return rules.problems([])

        yield Reader(f"constraints {suffix[1:]}", read, contexts, units)


def _caches() -> Iterator[Reader]:
    from bayesloom.scoring.cache import read_cache

    for suffix, (contexts, units) in CACHES.items():

        def read(data: bytes, suffix=suffix) -> object:  # type: ignore[no-untyped-def]
            with tempfile.NamedTemporaryFile(suffix=suffix) as file:
                Path(file.name).write_bytes(data)
                return read_cache(file.name)

        yield Reader(suffix[1:], read, contexts, units)


def _reports() -> Iterator[Reader]:
    from bayesloom.json_input import read_json_object
    from bayesloom.report.page import report_text

    def read(data: bytes) -> object:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            Path(file.name).write_bytes(data)
            run = read_json_object(file.name)
        return report_text(run, "html"), report_text(run, "markdown")

    head = (
        '{"bayesloom":"0","command":"learn","score":-1,"bound":-1,"gap":0,"status":"optimal","claim":"c",'
        '"solver":"dp","complete":true,"candidates":1,"seconds":{},'
    )
    contexts = (
        head + '"variables":["a"],"parents":{"a":[' + PLACE + "]}}",
        head + '"variables":[],"parents":{' + PLACE + "}}",
        head + '"parents":{"a":[]},"edges":[' + PLACE + "]}",
        head + '"parents":{"a":[]},"constraints":' + PLACE + "}",
    )
    units = (
        f'"a{NUMBER}":["b"],',
        f'"a{NUMBER}":["a{NUMBER}"],',
        f'"a{NUMBER}":[],',
        '"a",',
        '{"from":"a","to":"b","compelled":true,"strength":1},',
    )
    yield Reader("report", read, contexts, units)
