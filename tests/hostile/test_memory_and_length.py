"""A short file makes no large table before that is allowed, a long one no long sentence; and what constraints
allow is looked up in sets, for each candidate of a cache.
"""

from __future__ import annotations

import json

import pytest

import bayesloom as bl
from bayesloom.cli import main
from bayesloom.errors import InputError, ResourceError
from bayesloom.limits import reading_within
from bayesloom.networks.formats import format_of
from bayesloom.networks.formats._format import Source
from bayesloom.report.page import _plain
from bayesloom.verification.every_network import Allowed

PARENTS = 22


def bif(blocks):
    names = [f"v{k}" for k in range(PARENTS)]
    text = "network n {}\n"
    text += "".join(f"variable {v} {{ type discrete [2] {{ x, y }}; }}\n" for v in names)
    text += "".join(f"probability ( {v} ) {{ table 0.5 0.5; }}\n" for v in names)
    for k in range(blocks):
        text += f"variable c{k} {{ type discrete [2] {{ x, y }}; }}\n"
        text += f"probability ( c{k} | {', '.join(names[: PARENTS - blocks + 1])} ) {{ default 0.5 0.5; }}\n"
    return text


def net(blocks):
    names = [f"v{k}" for k in range(PARENTS)]
    text = "net { }\n" + "".join(f'node {v} {{ states = ("x" "y"); }}\n' for v in names)
    text += "".join(f"potential ({v}) {{ }}\n" for v in names)
    for k in range(blocks):
        text += f'node c{k} {{ states = ("x" "y"); }}\n'
        text += f"potential (c{k} | {' '.join(names[: PARENTS - blocks + 1])}) {{ }}\n"
    return text


@pytest.mark.parametrize(("name", "text"), [("n.bif", bif), ("n.net", net)])
@pytest.mark.parametrize("blocks", [1, 2])  # one large table, or two that are too large together
def test_tables_that_a_file_only_declares_are_refused_before_they_are_made(name, text, blocks):
    source = Source(name, text(blocks).encode())
    with reading_within(0.15), pytest.raises(ResourceError, match=f"{name}: reading it takes more than"):
        format_of(name).read(source)


def test_a_network_is_refused_under_the_memory_of_a_command(tmp_path, capsys):
    (tmp_path / "n.bif").write_text(bif(1))
    (tmp_path / "t.csv").write_text("a,b\n0,1\n1,0\n")
    with pytest.raises(SystemExit):
        main(["verify", str(tmp_path / "n.bif"), "--data", str(tmp_path / "t.csv"), "--memory", "0.1"])
    assert "reading it takes more than" in capsys.readouterr().err


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0
    __slots__ = ()

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def comparisons(edges):
    """How often names are compared to look at a hundred families under so many constraints of each kind."""
    names = [Counted(f"v{k}") for k in range(2 * edges)]
    pairs = [(names[k], names[k + edges]) for k in range(edges)]
    rules = bl.Constraints(
        required=pairs,
        forbidden=[(b, a) for a, b in pairs],
        before=pairs,
        leaves=[names[k + edges] for k in range(edges // 2)],
        roots=[names[k] for k in range(edges)],
    )
    allowed = Allowed(rules)
    Counted.compared = 0
    for k in range(100):
        child, parent = Counted(f"v{2 * edges - 1}"), Counted(f"v{k % 7}")
        allowed.family(child, [parent, Counted(f"v{edges - 1}")])
    return Counted.compared


def test_what_constraints_allow_is_looked_up_not_searched_for():
    assert comparisons(400) <= comparisons(50) + 100


def test_a_cycle_through_many_variables_is_told_shortly():
    names = [f"v{k}" for k in range(60_000)]
    parents = {name: [names[k - 1]] for k, name in enumerate(names)}

    class Given:
        pass

    given = Given()
    given.names, given.parents = names, parents
    table = bl.Table.from_codes(["v0"], [["x"]], [[0]])
    with pytest.raises(InputError, match="not a column"):
        bl.verify(given, table=table)
    cache = bl.ScoreCache.from_candidates(names, {name: [(0.0, [])] for name in names})
    [problem, *_] = bl.verify(given, cache=cache).problems
    assert len(problem) < 500
    assert problem.startswith("the network has a cycle: v")
    assert problem.endswith("(60,000 variables).")


def test_a_claim_of_megabytes_gives_no_megabytes_of_output(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n" + "0,1\n1,0\n0,0\n" * 9)
    with pytest.raises(SystemExit):
        main("learn t.csv --json r.json -q".split())  # noqa: SIM905
    run = json.loads((tmp_path / "r.json").read_text())
    (tmp_path / "r.json").write_text(json.dumps({**run, "claim": "optimal" * 400_000}))
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main("verify r.json --data t.csv".split())  # noqa: SIM905
    printed = capsys.readouterr()
    assert ended.value.code == 1
    assert len(printed.out) + len(printed.err) < 10_000


def test_many_problems_of_one_kind_are_counted():
    names = [f"v{k}" for k in range(1000)]
    cache = bl.ScoreCache.from_candidates(names, {name: [(0.0, [])] for name in names})
    network = bl.Network(names, {name: [names[0]] for name in names[1:]})
    problems = bl.verify(network, cache=cache).problems
    assert len(problems) == 101
    assert problems[-1] == "and 899 more of this kind."


def test_a_long_line_of_constraints_is_not_told_whole(tmp_path):
    path = tmp_path / "k.con"
    for line in ("a" * 1_000_000, "a-" * 500_000, "~a-b-" + "c" * 1_000_000, "a<--" + "b" * 1_000_000):
        path.write_text(line)
        with pytest.raises(InputError) as error:
            bl.Constraints.read(path)
        assert len(str(error.value)) < 500


def test_markdown_shows_entities_and_lines_as_they_are():
    assert _plain("a&lt;b ~~c~~") == r"a\&lt;b \~\~c\~\~"
