"""The places in the grammars of tables, constraints and score caches, and what repeats in their files."""

from __future__ import annotations

from made.texts.text import NUMBER, PLACE, Grammar

_ROWS = "a,b\n" + "x,y\nz,y\n" * 3
TABLES: dict[str, Grammar] = {
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

CONSTRAINTS: dict[str, Grammar] = {
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

CACHES: dict[str, Grammar] = {
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
