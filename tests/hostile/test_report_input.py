"""`report` on JSON of others: every field of every wrong type, cycles and unknown parents: one sentence."""

from __future__ import annotations

import copy
import json

import pytest

from bayesloom.errors import InputError
from bayesloom.report.drawing import network_svg
from bayesloom.report.page import report_text
from made.command import exit_code

RUN = {
    "bayesloom": "1.0",
    "command": "learn",
    "score": -3.5,
    "bound": -3.5,
    "gap": 0.0,
    "status": "optimal",
    "complete": True,
    "claim": "optimal",
    "solver": "dp",
    "seed": 0,
    "seconds": {"score": 0.1},
    "candidates": 4,
    "interrupted": False,
    "constraints": {"required": [["a", "b"]], "max_parents": {"*": 2}},
    "variables": ["a", "b"],
    "parents": {"a": [], "b": ["a"]},
    "local_scores": {"a": -1.5, "b": -2.0},
    "method": "exhaustive",
    "edges": [{"from": "a", "to": "b", "compelled": False, "strength": 1.5}],
    "ess_sweep": [{"ess": 1.0, "score": -3.5, "gap": 0.0, "edges": 1, "chosen": True}],
    "notes": ["many columns for the rows"],
    "null": {"edges": 3, "median": 1.5, "strongest": 2.5, "stronger": 1, "of": 4},
    "table": {"source": "a.csv", "variables": 2, "rows": 9, "unique_rows": 4, "notes": ["a note"]},
}
DEEP: list[object] = []
for _ in range(900):
    DEEP = [DEEP]
ODD = [
    None,
    True,
    -1,
    1.5,
    10**400,
    10**5000,
    "text",
    "\x1b[31m",
    [],
    [None],
    ["a", "a"],
    {},
    {"a": None},
    DEEP,
    [[]],
]


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def changed(path, value):
    run = copy.deepcopy(RUN)
    at = run
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return run


def test_the_run_is_good_before_it_is_damaged():
    assert "a.csv" in report_text(RUN)


@pytest.mark.parametrize("path", [path for path in places(RUN) if path], ids=str)
@pytest.mark.parametrize("form", ["html", "markdown"])
def test_every_field_of_every_type_is_shown_or_refused(path, form):
    messages = []
    for value in ODD:
        try:
            report_text(changed(path, value), form)
        except InputError as error:
            messages.append(str(error))
    assert all(len(message) < 300 for message in messages)
    if path[0] not in ("command", "complete"):  # these are not shown
        assert messages


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({"a": ["b"], "b": ["a"]}, "the network has a cycle"),
        ({"a": ["a"], "b": []}, "its own parent"),
        ({"a": ["c"], "b": []}, "unknown variable 'c'"),
        ({"a": [], "b": ["a", "a"]}, "name a variable twice"),
        ({"a": []}, '"variables" has a name that "parents" has not'),
    ],
)
def test_networks_that_are_none_are_refused(parents, message):
    with pytest.raises(InputError, match=message):
        report_text({**RUN, "parents": parents})
    without = {key: value for key, value in RUN.items() if key != "variables"}
    if len(parents) > 1:
        with pytest.raises(InputError, match=message):
            report_text({**without, "parents": parents})


@pytest.mark.parametrize("parents", [{"a": ["b"], "b": ["a"]}, {"a": ["c"]}])
def test_a_drawing_ends(parents):
    with pytest.raises(InputError, match="cannot be drawn"):
        network_svg(parents, set())


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        json.dumps(RUN).replace("-3.5", "9" * 400),
        json.dumps(RUN).replace("-3.5", "1e999"),
        json.dumps(RUN).replace("-3.5", "NaN"),
        json.dumps(RUN)[:-1] + ', "score": 0}',
        json.dumps(RUN)[:-20],
        "5",
        "null",
        "",
        "\ufeff{}",
    ],
    ids=lambda text: text[:12],
)
@pytest.mark.parametrize("arguments", [["report"], ["verify"]])
def test_files_that_are_no_run_get_one_sentence(text, arguments, tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_text(text)
    table = tmp_path / "a.csv"
    table.write_text("a,b\n0,1\n1,0\n0,0\n")
    output = tmp_path / "a.html"
    more = ["-o", str(output)] if arguments == ["report"] else ["--data", str(table)]
    assert exit_code(*arguments, str(path), *more) == 1
    error = capsys.readouterr().err
    assert error.startswith("bayesloom: ")
    assert error.count("\n") == 1
    assert not output.exists()
