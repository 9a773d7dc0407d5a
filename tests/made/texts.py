"""Texts made to be slow: for every reader, every place in its grammar filled with every awkward run.

A text is a context of the reader, in which `PLACE` marks the place, and a unit that is repeated there until
the text has the size asked for; `NUMBER` in a unit counts from 0, so that names differ. Used by the tests,
which count the work at small sizes, and by ``benchmarks/tables/input/hostile``, which times 20 MB.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from pathlib import Path

PLACE, NUMBER = "\N{HORIZONTAL ELLIPSIS}", "\N{NUMERO SIGN}"

#: What every reader is given in every place.
UNITS = (
    *"\"'\\ \n\t\r[{(<]})>&%#,;:|=-~.0a@_\u00e9\u2028",
    '\\"',
    "\\'",
    "\\\\",
    '"a" ',
    "'a',",
    '"a\\" ',
    '""',
    "/*",
    "*/",
    "//",
    "/* */",
    "->",
    "<-",
    "--",
    "a ",
    "a,",
    "a\n",
    "0 ",
    "1,",
    "-1\n",
    "9",
    "1e",
    "[]",
    "{}",
    "()",
    '"" ',
    " \n",
    "\r\n",
    f"a{NUMBER} ",
    f"a{NUMBER},",
    f"a{NUMBER}\n",
)


#: Those that are likely to make an expression go back, for where each text is dear.
FEW = ('"', "\\", " ", "\n", "(", "0", "a", '\\"', "\\'", "/*", "/* */", "a ", "a,", "1e", f"a{NUMBER} ")


@dataclass(frozen=True)
class Reader:
    """A reader of text, the contexts of its grammar, and units of its own."""

    name: str
    read: Callable[[bytes], object]
    contexts: tuple[str, ...]
    units: tuple[str, ...] = ()

    def texts(
        self, size: int, units: tuple[str, ...] = UNITS, only: Container[str] | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """Yield a label and the text for each context and unit, or only for some labels."""
        for context in self.contexts:
            head, tail = context.split(PLACE)
            for unit in (*units, *self.units):
                label = f"{context!r} with {unit!r}"
                if only is None or label in only:
                    yield label, (head + filled(unit, size) + tail).encode()


def filled(unit: str, size: int) -> str:
    """Return a unit repeated up to a number of bytes."""
    if NUMBER not in unit:
        return unit * max(1, size // len(unit.encode()))
    parts, left, k = [], size, 0
    while left > 0:
        parts.append(unit.replace(NUMBER, str(k)))
        left -= len(parts[-1])
        k += 1
    return "".join(parts)


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
    from bayesloom.learning.api import read_any_table
    from bayesloom.table import read_table

    for suffix, (contexts, units) in TABLES.items():
        for reader, how in ((read_table, ""), (read_any_table, " as learn reads")):

            def read(data: bytes, suffix=suffix, reader=reader) -> object:  # type: ignore[no-untyped-def]
                with tempfile.NamedTemporaryFile(suffix=suffix) as file:
                    Path(file.name).write_bytes(data)
                    return reader(file.name)

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


_BIF = "network n {\n}\nvariable a {\n type discrete [ 2 ] { x, y };\n}\n"
_XML = '<BIF VERSION="0.3"><NETWORK><NAME>n</NAME>'
_XML_A = "<VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>"
_NET = 'net\n{\n}\nnode a\n{\n states = ("x" "y");\n}\n'
_VARIABLE = '"name": "a", "parents": []'
_JSON = '{"format": "bayesloom network", "version": 1, "variables": ['

NETWORKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "BIF": (
        (
            PLACE,
            f"network {PLACE} {{ }}",
            f'network "{PLACE}',
            f"network n {{ property {PLACE}; }}",
            f'network n {{ property "{PLACE}',
            f"network n {{ }} variable {PLACE} {{",
            f"network n {{ }} variable a {{ type discrete [ 2 ] {{ {PLACE} }}; }}",
            f"network n {{ }} variable a {{ type {PLACE}",
            f"network n {{ }} variable a {{ type discrete [ 2 ] {{ x, y }}; {PLACE} }}",
            "network n { } variable a { type discrete [ 1 ] { x }; "
            f"property bayesloom_states = {PLACE}; }}",
            f"{_BIF}{PLACE}",
            f"{_BIF}probability ( {PLACE} ) {{ table 0.5, 0.5; }}",
            f"{_BIF}probability ( a ) {{ {PLACE} }}",
            f"{_BIF}probability ( a ) {{ table {PLACE}; }}",
            f"{_BIF}probability ( a | a ) {{ ({PLACE}) 0.5, 0.5; }}",
            f'{_BIF}probability ( a ) {{ table "{PLACE}',
        ),
        (
            "network n { }\n",
            "property a;\n",
            "type discrete [ 1 ] { x };\n",
            f"variable v{NUMBER} {{ type discrete [ 1 ] {{ x }}; }}\n",
            f"variable v{NUMBER} {{ type discrete [ 1 ] {{ x }}; }} "
            f"probability ( v{NUMBER} ) {{ table 1; }}\n",
            "probability ( a ) { table 0.5, 0.5; }\n",
            "(x) 0.5, 0.5;\n",
            "table 0.5, 0.5;\n",
            "0.5, ",
            "default 0.5, 0.5;\n",
            'property a = "b\\" ',
        ),
    ),
    "XMLBIF": (
        (
            PLACE,
            f"<BIF{PLACE}><NETWORK></NETWORK></BIF>",
            f'<BIF VERSION="{PLACE}"></BIF>',
            f"<BIF><!--{PLACE}--></BIF>",
            f"<BIF><![CDATA[{PLACE}]]></BIF>",
            f"<!DOCTYPE BIF [{PLACE}]><BIF></BIF>",
            f"{_XML}{PLACE}</NETWORK></BIF>",
            f"{_XML}<VARIABLE><NAME>{PLACE}</NAME></VARIABLE></NETWORK></BIF>",
            f"{_XML}<VARIABLE><NAME>a</NAME>{PLACE}</VARIABLE></NETWORK></BIF>",
            f"{_XML}{_XML_A}{PLACE}</NETWORK></BIF>",
            f"{_XML}{_XML_A}<DEFINITION><FOR>a</FOR>{PLACE}<TABLE>1</TABLE></DEFINITION></NETWORK></BIF>",
            f"{_XML}{_XML_A}<DEFINITION><FOR>a</FOR><TABLE>{PLACE}</TABLE></DEFINITION></NETWORK></BIF>",
        ),
        (
            "<a>",
            "<a/>",
            "<!-- -->",
            "<!--",
            "<![CDATA[",
            "<?a ?>",
            "&amp;",
            "&#65;",
            "&a;",
            f'<!ENTITY a{NUMBER} "&a;&a;">',
            f"<!ELEMENT a{NUMBER} (#PCDATA)>",
            f'<!ATTLIST BIF a{NUMBER} CDATA "x">',
            f' a{NUMBER}="b"',
            "<OUTCOME>x</OUTCOME>",
            f"<OUTCOME>x{NUMBER}</OUTCOME>",
            "<GIVEN>a</GIVEN>",
            "<FOR>a</FOR>",
            f"<VARIABLE><NAME>v{NUMBER}</NAME><OUTCOME>x</OUTCOME></VARIABLE>",
            f"<VARIABLE><NAME>v{NUMBER}</NAME><OUTCOME>x</OUTCOME></VARIABLE>"
            f"<DEFINITION><FOR>v{NUMBER}</FOR><TABLE>1</TABLE></DEFINITION>",
        ),
    ),
    "NET": (
        (
            PLACE,
            f"net {{ {PLACE} }}",
            f'net {{ a = "{PLACE}',
            f"net {{ a = {PLACE}; }}",
            f"node {PLACE} {{ }}",
            f"node a {{ states = ({PLACE}); }}",
            f'node a {{ states = ("{PLACE}',
            f"discrete {PLACE} node",
            f"{_NET}{PLACE}",
            f"{_NET}potential ({PLACE}) {{ }}",
            f"{_NET}potential (a | {PLACE}) {{ }}",
            f"{_NET}potential (a) {{ data = {PLACE}; }}",
            f"{_NET}potential (a) {{ {PLACE} }}",
        ),
        (
            "net { }\n",
            "a = 1;\n",
            f"a{NUMBER} = 1;\n",
            'a = "b\\" ',
            f'node v{NUMBER} {{ states = ("x"); }}\n',
            f'node v{NUMBER} {{ states = ("x"); }} potential (v{NUMBER}) {{ data = (1); }}\n',
            "potential (a) { data = (0.5 0.5); }\n",
            "0.5 ",
            '% " \n',
        ),
    ),
    "JSON": (
        (
            PLACE,
            f'"{PLACE}',
            f"{_JSON}{PLACE}]}}",
            f'{_JSON}{{"name": "{PLACE}", "parents": []}}]}}',
            f'{_JSON}{{"name": "a", "parents": [{PLACE}]}}]}}',
            f'{_JSON}{{{_VARIABLE}, "states": [{PLACE}], "table": [[1]]}}]}}',
            f'{_JSON}{{{_VARIABLE}, "states": ["x"], "table": [[{PLACE}]]}}]}}',
            f'{{"bayesloom": "0", "variables": ["a"], "parents": {{{PLACE}}}}}',
            f'{{"bayesloom": "0", "variables": ["a"], "parents": {{}}, "x": {PLACE}}}',
        ),
        (
            '{"a":',
            '"\\u00e9',
            "0,",
            "0.5, ",
            f'"a{NUMBER}",',
            f'"a{NUMBER}": [],',
            '{"name": "a", "parents": []},',
            f'{{"name": "a{NUMBER}", "parents": []}},',
            f'{{"name": "a{NUMBER}", "parents": [], "states": ["x"], "table": [[1]]}},',
            "null,",
        ),
    ),
    "DOT": (
        (
            PLACE,
            f"digraph {PLACE} {{ }}",
            f"strict {PLACE} digraph",
            f"digraph {{ {PLACE} }}",
            f'digraph {{ "{PLACE}',
            f"digraph {{ a [{PLACE}]; }}",
            f'digraph {{ a [label="{PLACE}',
            f"digraph {{ a = {PLACE} }}",
            f"digraph {{ node {PLACE} [a=b] }}",
            f"digraph {{ a -> {PLACE} }}",
            f"digraph {{ }} {PLACE}",
        ),
        (
            "a -> ",
            "a -> b;\n",
            f"a -> b{NUMBER};\n",
            f"a{NUMBER} -> ",
            "a = b\n",
            "node [a=b];\n",
            'a [label="b\\" ',
            "\n#",
            "subgraph {",
            "[a=b]",
        ),
    ),
    "GraphML": (
        (
            PLACE,
            f"<graphml>{PLACE}</graphml>",
            f'<graphml><graph edgedefault="directed">{PLACE}</graph></graphml>',
            f'<graphml><graph edgedefault="directed"><node id="{PLACE}"/></graph></graphml>',
            f'<graphml><graph edgedefault="directed"><node id="a">{PLACE}</node></graph></graphml>',
        ),
        (
            "<a>",
            "<graph>",
            '<node id="a"/>',
            f'<node id="a{NUMBER}"/>',
            '<edge source="a" target="b"/>',
            f'<edge source="a" target="b{NUMBER}"/>',
            f'<node id="a{NUMBER}"/><edge source="a0" target="a{NUMBER}"/>',
            "&amp;",
            f' a{NUMBER}="b"',
        ),
    ),
    "model string": (
        (PLACE, f"[{PLACE}]", f"[a|{PLACE}]", f"[a][b|{PLACE}"),
        ("[a]", f"[a{NUMBER}]", f"[a{NUMBER}|a]", "a:", f"a{NUMBER}:", "[a|", "[a|b:"),
    ),
}

_ROWS = "a,b\n" + "x,y\nz,y\n" * 3
TABLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    ".csv": (
        (
            PLACE,
            f'"{PLACE}',
            f"sep={PLACE}",
            f"{PLACE}\n1,2\n2,1\n",
            f"a,b\n{PLACE}",
            f'a,b\n"{PLACE}',
            f"{_ROWS}{PLACE}",
            f'{_ROWS}x,"{PLACE}',
            f'{_ROWS}x,"{PLACE}"\n',
            f"{_ROWS}{PLACE},x\n",
        ),
        (
            '"x","y"\n',
            "x,y\n",
            f"x{NUMBER},y\n",
            f"{NUMBER},1\n",
            f"{NUMBER}.5,1\n",
            '"\n',
            "x\n",
            ";",
            "1;2\n",
        ),
    ),
    ".tsv": ((PLACE, f"a\tb\n{PLACE}", f"a\tb\nx\ty\nz\t{PLACE}"), ("x\ty\n", f"{NUMBER}\t1\n")),
    ".data": ((PLACE, f"1,2\n{PLACE}"), ("1,2\n", f"{NUMBER},1\n")),
    ".dat": (
        (
            PLACE,
            f"a b\n{PLACE}",
            f"{PLACE}\n2 2\n0 1\n",
            f"a b\n2 2\n{PLACE}",
            f"a b\n2 2\n0 1\n1 0\n{PLACE}",
        ),
        ("0 1\n", "# \n", "#", f"{NUMBER} 1\n", "  ", " \t"),
    ),
    ".arff": (
        (
            PLACE,
            f"@relation {PLACE}",
            f"@attribute {PLACE}",
            f"@attribute '{PLACE}",
            f"@attribute a {PLACE}",
            f"@attribute a {{{PLACE}}}\n@data\nx\n",
            f"@attribute a {{'{PLACE}}}\n@data\nx\n",
            f"@attribute a {{x,y}}\n@data\n{PLACE}",
            f"@attribute a {{x,y}}\n@data\n'{PLACE}",
            f'@attribute a {{x,y}}\n@data\n"{PLACE}',
            f"@attribute a real\n@data\n{PLACE}",
            f"@attribute a string\n@data\n{PLACE}",
            f"@attribute a string\n@data\nx{PLACE}x\n",
            f"@attribute a string\n@data\n'x'{PLACE}\n",
        ),
        (
            "x\n",
            "@attribute a real\n",
            f"@attribute a{NUMBER} real\n",
            "@attribute",
            "% \n",
            "?\n",
            f"{NUMBER}\n",
            "x,",
            " ,",
            "' ",
            "'\\' ",
        ),
    ),
}

CONSTRAINTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    ".toml": (
        (
            PLACE,
            f"a = {PLACE}",
            f'a = "{PLACE}',
            f"a = '''{PLACE}",
            f'a = """{PLACE}',
            f"a.{PLACE} = 1",
            f"[{PLACE}]",
            f"[[{PLACE}]]",
            f"required = [{PLACE}]",
            f"max_parents = {{{PLACE}}}",
            f"[max_parents]\n{PLACE}",
            f"roots = {PLACE}",
        ),
        (
            "a.",
            f"a{NUMBER}.",
            '"a".',
            "{a=",
            '["a", "b"],',
            f'["a{NUMBER}", "b{NUMBER}"],',
            f"a{NUMBER} = 1\n",
            f"a{NUMBER} = 1,",
            f"[a{NUMBER}]\n",
            "[[a]]\n",
            f"[a{NUMBER}.b]\na.b.c = 1\n",
            "1_",
            "1979-05-27",
            '"\\u00e9',
            "# \n",
            "a.b = 1\n",
        ),
    ),
    ".con": (
        (PLACE, f"a<-{PLACE}", f"~{PLACE}", f"{PLACE}<-b", f"a->{PLACE}<-b", f"sink {PLACE}", f"a{PLACE}b"),
        (
            "a<-b\n",
            f"a{NUMBER}<-b\n",
            f"a{NUMBER}<b{NUMBER}\n",
            "~a-b\n",
            "~ ",
            "~a<-",
            "a->b<-",
            "sink ",
            "sink a\n",
            "<",
            "_|_",
            " <",
            "- ",
        ),
    ),
}

CACHES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    ".jkl": (
        (
            PLACE,
            f"{PLACE}\na 1\n-1 0\n",
            f"2\n{PLACE}",
            f"2\na 1\n-1 {PLACE}",
            f"1\na 99999999\n{PLACE}",
            f"60000\n{PLACE}",
            f"2\na 1\n-1 1 {PLACE}\nb 1\n-1 0\n",
        ),
        ("a 1\n-1 0\n", f"a{NUMBER} 1\n-1 0\n", "-1 0\n", "-1 1 b\n", "# \n", "a 0\n", "b "),
    ),
    ".pss": (
        (
            PLACE,
            f"META {PLACE}",
            f"VAR {PLACE}",
            f"VAR a\n{PLACE}",
            f"VAR a\nMETA {PLACE}",
            f"VAR a\n-1\nVAR b\n-1 {PLACE}",
            f"META bayesloom_info={PLACE}\nVAR a\n-1\n",
        ),
        (
            "META a=b\n",
            f"META a{NUMBER}=b\n",
            "VAR a\n",
            f"VAR a{NUMBER}\n",
            f"VAR a{NUMBER}\n-1\n",
            "-1\n",
            "-1 a\n",
            '{"a":',
            "# \n",
        ),
    ),
}
