"""A naive reader of .pss files."""

from __future__ import annotations

from reference.jkl import Candidates, check_range, content_lines, to_count, to_units


def read_pss(text: bytes) -> tuple[Candidates, dict[str, int]]:
    """Return the candidates and the cardinalities (0 where unknown); ValueError if the text is wrong."""
    lines = content_lines(text)
    names = [line[1].decode("utf-8") for line in lines if line[0].lower() == b"var" and len(line) == 2]
    if not 1 <= len(names) <= 1_000_000 or len(set(names)) < len(names):
        raise ValueError("no variables, too many, or two of one name")
    result: Candidates = {}
    cardinalities = dict.fromkeys(names, 0)
    about_file: dict[str, str] = {}
    about_variable: dict[str, str] = {}
    variable = None
    for line in lines:
        if line[0].lower() == b"var":
            if len(line) != 2 or (variable is not None and not result[variable]):
                raise ValueError("wrong VAR line, or a variable without candidates")
            variable = line[1].decode("utf-8")
            result[variable], about_variable = {}, {}
        elif line[0].lower() == b"meta":
            key, equals, value = (part.strip() for part in b" ".join(line[1:]).decode("utf-8").partition("="))
            scope = about_file if variable is None else about_variable
            if not equals or not key or key in scope:
                raise ValueError("wrong META line")
            scope[key] = value
            if variable is not None and key.lower() == "arity":
                cardinalities[variable] = to_count(value.encode())
                if not 1 <= cardinalities[variable] <= 65536:
                    raise ValueError("wrong arity")
        elif variable is None:
            raise ValueError("a candidate before the first VAR")
        else:
            parents = [word.decode("utf-8") for word in line[1:]]
            key_set = frozenset(parents)
            if len(key_set) < len(parents) or variable in key_set or key_set - set(names):
                raise ValueError("wrong parents")
            if key_set in result[variable]:
                raise ValueError("two candidates with the same parents")
            result[variable][key_set] = to_units(line[0])
    if not result[names[-1]]:
        raise ValueError("a variable without candidates")
    counts = {"variable_count": len(names), "candidate_count": sum(map(len, result.values()))}
    for key, count in counts.items():
        if key in about_file and to_count(about_file[key].encode()) != count:
            raise ValueError(f"wrong {key}")
    check_range(result)
    return result, cardinalities
