"""The help of every verb: complete, from the registries, with examples that run."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from dataclasses import fields
from statistics import NormalDist

import click
import numpy as np
import pytest

import bayesloom as bl
from bayesloom.cli import EPILOG, VERBS, _cli
from bayesloom.cli.help import CONSTRAINTS, READING, Verb
from bayesloom.cli.options import NETWORK_FILES
from bayesloom.cli.search import WITHOUT_TABLE
from bayesloom.constraints.files import KINDS
from bayesloom.errors import InputError, ResourceError, note_on_command_line, option
from bayesloom.learning.planning import OWN_METHODS
from bayesloom.networks.formats import FORMATS
from bayesloom.scoring.parent_sets import METHODS
from bayesloom.solvers.api import SOLVERS, solver_named
from bayesloom.solvers.order_search import OrderSearchSolver
from bayesloom.table.distinct import MISSING_TEXTS
from bayesloom.table.files import ARROW_SUFFIXES, EXCEL_SUFFIXES, TEXT_SUFFIXES
from bayesloom.table.forms import FEWEST_VALUES
from bayesloom.table.rare import MANY_VALUES, OTHER
from bayesloom.table.reading_options import CONTINUOUS_ABOVE
from made.command import run

CONTEXT = click.Context(_cli)


def verb(name: str) -> Verb:
    command = _cli.get_command(CONTEXT, name)
    assert isinstance(command, Verb)
    return command


def options_of(name: str) -> list[click.Option]:
    return [p for p in verb(name).params if isinstance(p, click.Option)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What the examples name."""
    monkeypatch.chdir(tmp_path)
    codes = bl.random_network(5, states=(2, 2), seed=1).sample(200, seed=1).codes
    names = ["smoking", "cancer", "region", "exercise", "fatigue"]
    table = bl.Table.from_codes(names, [["no", "yes"]] * 5, codes)
    table.write("data.csv")
    bl.score(table, bayes_factor=20).write("data.blc")
    for part in (1, 2):
        bl.score(table, shard=(part, 2)).write(f"part{part}.blc")
    bl.learn(table).network.fit(table).write("network.bif")
    bl.Network(names, {}).fit(table).write("other.bif")
    (tmp_path / "bayesloom-demo").mkdir()
    for name in ("network.bif", "truth.bif"):
        (tmp_path / "bayesloom-demo" / name).write_bytes((tmp_path / "network.bif").read_bytes())
    (tmp_path / "known.toml").write_text(f'leaves = ["{table.names[0]}"]\n')
    return tmp_path


EXAMPLES = [(name, shown) for name in VERBS for _, shown in verb(name).examples]


@pytest.mark.parametrize(("name", "shown"), EXAMPLES, ids=[shown for _, shown in EXAMPLES])
def test_every_example_runs(folder, capsys, name, shown):
    if "run.json" in shown and name != "search":
        made = "search data.blc --certificate run.cert" if "run.cert" in shown else "learn data.csv"
        assert run(capsys, f"{made} -q --json run.json").code == 0
    if "credible.json" in shown:
        assert run(capsys, "credible data.csv -q --json credible.json").code == 0
    program, given, *rest = shlex.split(shown)
    assert (program, given) == ("bayesloom", name)
    if name == "merge":
        (folder / "data.blc").unlink()
    ended = run(capsys, given, *rest)
    assert ended.code == 0, ended.err


def test_every_verb_has_examples():
    assert {name for name, _ in EXAMPLES} == set(VERBS)
    assert len(EXAMPLES) > 20


@pytest.mark.parametrize("name", VERBS)
def test_every_option_says_what_it_does_and_what_holds_without_it(name):
    for given in options_of(name):
        assert given.help, given.opts
        if given.type.name == "text" or isinstance(given.type, (click.IntRange, click.FloatRange)):
            assert given.metavar, given.opts
        limits = isinstance(given.type, (click.IntRange, click.FloatRange))
        told = given.required or given.show_default or "[" in given.help
        optional = {"k", "sets_per_variable", "variables"}  # without them something else is done
        assert not limits or told or given.name in optional, given.opts


@pytest.mark.parametrize("name", ["learn", "score", "credible", "verify"])
def test_scores_are_listed_from_the_registry(capsys, name):
    # A line may end within an option, at its hyphen.
    out = " ".join(run(capsys, name, "--help").out.split()).replace("--score- option", "--score-option")
    for score in bl.scores.values():
        assert f" {score.name} {score.summary.removesuffix('.')} (" in out
        for one in score.options:
            assert f"--score-option {one.name}=X: {one.help}" in out


def test_methods_and_solvers_are_listed(capsys):
    learn = " ".join(run(capsys, "learn", "--help").out.split())
    for name, sentence in {**METHODS, **OWN_METHODS}.items():
        assert f" {name} {sentence}" in learn
    for solver in SOLVERS.values():
        assert f" {solver.name} {solver.title}; " in learn
    assert all(name in run(capsys, "score", "--help").out for name in METHODS)


@pytest.mark.parametrize("score", sorted(name for name in bl.scores if bl.scores[name].kinds != "continuous"))
def test_every_option_of_a_score_can_be_given(folder, capsys, score):
    for one in bl.scores[score].options:
        value = min(one.initial * 2, one.high)
        given = ["--score-option", f"{one.name}={value:g}"]
        assert run(capsys, "score", "data.csv", "-o", "new.blc", "--score", score, *given).code == 0
        assert bl.read_cache("new.blc").info["options"][one.name] == value
        too_much = ["--score-option", f"{one.name}={one.high * 2:g}"]
        ended = run(capsys, "score", "data.csv", "-o", "new.blc", "--score", score, *too_much)
        assert (ended.code, one.name in ended.err) == (1, True)


def test_messages_name_options_as_the_surface_writes_them(folder, capsys):
    with pytest.raises(InputError, match=r"use time_limit=, or method='independence'\.") as error:
        bl.score("data.csv", sets_per_variable=3)
    assert error.value.options == ("time_limit", "method")
    ended = run(capsys, "score data.csv -o new.blc --sets-per-variable 3")
    assert "use --time-limit, or --method independence." in ended.err
    with pytest.raises(InputError, match=r"^max_parents must be a whole number from 0 to 1,000,000"):
        bl.score("data.csv", max_parents=2_000_000)
    ended = run(capsys, "score data.csv -o new.blc --max-parents 2000000")
    assert ended.err.splitlines()[-1].startswith("bayesloom: --max-parents must be a whole number from 0")


def test_an_option_that_the_verb_does_not_have_keeps_its_name(folder, capsys):
    ended = run(capsys, "search data.blc --solver obs --option tabu=-1")
    assert ended.err == "bayesloom: tabu must be a whole number of at least 0, got -1.\n"
    assert str(InputError(f"give {option('nothing', 'here')}")) == "give nothing='here'"


def words_of(capsys, *verb):
    """The page of a verb, whatever its lines."""
    return " ".join(run(capsys, *verb, "--help").out.split())


def test_the_examples_of_the_first_page_run_one_after_the_other(folder, capsys):
    shown = [line.strip() for line in EPILOG.splitlines() if line.startswith("  bayesloom ")]
    assert len(shown) == 12
    for line in shown:
        assert run(capsys, *shlex.split(line)[1:]).code == 0, line


def test_runs_have_one_name_on_all_pages(capsys):
    pages = [run(capsys, *verb, "--help").out for verb in ([], *([name] for name in VERBS))]
    named = {name for page in pages for name in re.findall(r"--json ([\w.-]+\.json|-)$", page, re.M)}
    assert named == {"run.json", "credible.json", "posterior.json", "-"}


def endings_in(text):
    """The endings that a text lists, without what is said of them."""
    return [part.split(" (")[0] for part in text.replace(" or ", ", ").split(", ")]


def test_endings_are_those_of_the_formats(capsys):
    assert endings_in(NETWORK_FILES) == [one.extensions[0] for one in FORMATS]
    plain = [one.extensions[0] for one in FORMATS if not one.holds_probabilities]
    assert endings_in(WITHOUT_TABLE) == plain
    for name in ("verify", "compare", "convert"):
        assert NETWORK_FILES.replace(" or ", ", ") in words_of(capsys, name)


def test_what_is_said_of_tables_is_what_the_reader_does(capsys):
    said = " ".join(READING.split())
    assert f"each number of a column with up to {FEWEST_VALUES - 1} values" in said
    assert f"Columns of numbers with more than {CONTINUOUS_ABOVE} values are kept" in said
    assert f"columns with {FEWEST_VALUES} to {CONTINUOUS_ABOVE} are cut only if" in said
    assert f"Ids of more than {CONTINUOUS_ABOVE} values" in said
    assert f"texts with more than {MANY_VALUES} values" in said
    assert f"`{OTHER}`" in said
    known = {*TEXT_SUFFIXES, *ARROW_SUFFIXES, *EXCEL_SUFFIXES} - {".arrow", ".ipc"}
    assert set(re.findall(r"\.[a-z]+", said)) == known | {".gz"}
    for name in ("learn", "score", "credible", "verify", "convert"):
        page = words_of(capsys, name)
        assert said in page
        listed = re.search(r"missing values \((empty, [^;]*);", page)
        assert listed is not None
        named = {"" if word == "empty" else word for word in listed[1].split(", ")}
        assert {word.lower() for word in named} == {word.lower() for word in MISSING_TEXTS}


def test_columns_without_names_are_called_as_every_verb_says(tmp_path, monkeypatch, capsys):
    verbs = [name for name in VERBS if any("--no-header" in one.secondary_opts for one in verb(name).params)]
    assert set(verbs) >= {"learn", "score", "credible", "verify", "report", "view", "convert", "cluster"}
    for name in verbs:
        assert "Without names the columns are called X0, X1, X2 and so on, from the left" in words_of(
            capsys, name
        )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("a,b,c\n" + "x,y,z\nu,v,w\n" * 9)
    (tmp_path / "known.toml").write_text('required = [["X2", "X0"]]')
    line = "learn rows.csv --no-header --exclude X1 --constraints known.toml --json run.json -q"
    assert run(capsys, line).code == 0
    assert json.loads((tmp_path / "run.json").read_text())["parents"] == {"X0": ["X2"], "X2": []}
    (tmp_path / "names.csv").write_text("a,a,\n" + "x,y,z\nu,v,w\n" * 9)
    assert run(capsys, "learn names.csv --json run.json -q").code == 0
    assert json.loads((tmp_path / "run.json").read_text())["variables"] == ["a", "a (2)", "column 3"]


def test_ids_are_what_the_help_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    columns = {
        "text": [f"row {k}" for k in range(200)],
        "up": range(7, 207),
        "other_nr": [k * 37 % 1009 for k in range(200)],
        "who_id": [k * 13 % 50 for k in range(200)],
        "shuffled": [k * 37 % 1009 for k in range(200)],
        "few": [k % 20 for k in range(200)],
        "id": [k % 20 for k in range(200)],
    }
    rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "ids.csv").write_text("\n".join(rows))
    assert run(capsys, "learn ids.csv --score bic --json run.json -q").code == 0
    assert json.loads((tmp_path / "run.json").read_text())["variables"] == ["shuffled", "few", "id"]


@pytest.mark.parametrize(
    ("columns", "more", "name"),
    [
        ("states", "", "bic"),
        ("numbers", "", "bic-g"),
        ("numbers few", "", "bge"),
        ("states numbers", "", "bic-cg"),
        ("states", "--missing keep", "pnal"),
    ],
)
def test_the_default_score_is_what_the_help_says(tmp_path, monkeypatch, capsys, columns, more, name):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    count = 24 if "few" in columns else 200
    drawn = {}
    if "states" in columns:
        drawn |= {f"s{k}": rng.choice(["a", "b", ""][: 3 if more else 2], count) for k in range(2)}
    if "numbers" in columns:
        normal = [NormalDist().inv_cdf((k + 0.5) / count) for k in range(count)]
        drawn |= {f"n{k}": rng.permutation(normal) for k in range(30 if "few" in columns else 2)}
    rows = [",".join(drawn), *(",".join(map(str, row)) for row in zip(*drawn.values(), strict=True))]
    (tmp_path / "kinds.csv").write_text("\n".join(rows))
    assert run(capsys, f"learn kinds.csv {more} --max-parents 1 --json run.json -q").code == 0
    assert json.loads((tmp_path / "run.json").read_text())["score_name"] == name


def test_all_of_a_table_can_be_converted(tmp_path, monkeypatch, capsys):
    """As the page says: ids, dates, rare texts, numbers and rows that lack what few lack."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{k},{k * 7 % 101},2024-01-{k % 28 + 1:02},name {k % 97},{k % 2}" for k in range(1, 301)]
    rows[5] = rows[5].removesuffix("0").removesuffix("1")
    text = "\n".join(["id,number,date,name,flag", *rows, ""])
    (tmp_path / "data.csv").write_text(text)
    example = next(shown for _, shown in verb("convert").examples if "data.parquet" in shown)
    assert run(capsys, *shlex.split(example.replace("data.parquet", "all.csv"))[1:]).code == 0
    rows[5] += "missing"
    assert (tmp_path / "all.csv").read_text().split() == "\n".join(
        ["id,number,date,name,flag", *rows]
    ).split()
    ended = run(capsys, "convert data.csv cut.csv")
    assert (ended.code, (tmp_path / "cut.csv").read_text().partition("\n")[0]) == (
        0,
        "number,date weekday,name,flag",
    )
    assert "Keep one with --discrete NAME." in ended.err
    assert "discrete=" not in ended.err


def test_a_table_from_standard_input_is_converted(tmp_path, monkeypatch, capsys):
    import io
    import sys

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\nx,y\ny,x\n")))
    assert run(capsys, "convert - new.csv").code == 0
    assert (tmp_path / "new.csv").read_text() == "a,b\nx,y\ny,x\n"
    assert run(capsys, "convert new.csv -").code == 1


def test_notes_name_options_as_the_command_line_writes_them():
    assert note_on_command_line("exclude='a b' (--exclude 'a b') and x= (--y NAME) it") == (
        "--exclude 'a b' and x= (--y NAME) it"
    )


def test_every_kind_of_constraints_is_shown_with_a_line_that_is_read(tmp_path):
    (tmp_path / "all.toml").write_text("\n".join(CONSTRAINTS))
    assert set(tomllib.loads("\n".join(CONSTRAINTS))) == set(KINDS)
    for line in CONSTRAINTS:
        (tmp_path / "one.toml").write_text(line)
        bl.Constraints.read(tmp_path / "one.toml").check("abc")


@pytest.mark.parametrize("name", ["learn", "score", "search", "credible", "verify"])
def test_constraints_are_shown_where_they_can_be_given(capsys, name):
    assert "constraints" in {given.name for given in options_of(name)}
    page = run(capsys, name, "--help").out
    assert all(line in page for line in CONSTRAINTS)


def test_a_constraint_that_is_not_known_is_named_after_its_file(folder, capsys):
    (folder / "bad.toml").write_text("foo = 1\n")
    ended = run(capsys, "learn data.csv --constraints bad.toml")
    assert (
        ended.code,
        ended.err.splitlines()[-1].startswith("bayesloom: bad.toml: unknown constraint 'foo'."),
    ) == (
        1,
        True,
    )


def test_search_says_which_solvers_take_a_target_and_when_they_end(folder, capsys):
    page = words_of(capsys, "search")
    takes = [name for name, solver in SOLVERS.items() if solver.takes_target]
    assert f"{', '.join(takes[:-1])} and {takes[-1]} only" in page
    ended = run(capsys, "search data.blc --target 5")
    assert (ended.code, ended.err) == (
        1,
        f"bayesloom: solver 'auto' takes no target; these do: {', '.join(takes)}.\n",
    )
    unproved = [solver for solver in SOLVERS.values() if issubclass(solver, OrderSearchSolver)]
    once = [solver.name for solver in unproved if not solver.endless]
    longer = [solver.name for solver in unproved if solver.endless]
    assert (
        f"{', '.join(once[:-1])} and {once[-1]} stop after one climb; {' and '.join(longer)} once ten times"
        in page
    )
    assert {solver.name for solver in unproved} == {name for name, one in SOLVERS.items() if not one.exact}


def test_the_options_of_all_solvers_can_be_listed(capsys):
    ended = run(capsys, "search --list-options")
    assert ended.code == 0
    blocks = ended.out.split("\n\n")
    names = ["auto", *SOLVERS]
    assert len(blocks) == len(names)
    for name, block in zip(names, blocks, strict=True):
        assert re.search(rf"\b{name}[:.]", block.partition("\n")[0])
        for one in fields(solver_named(name)):
            assert re.search(rf"Defaults: .*\b{one.name}=", block, re.DOTALL)
            assert re.search(rf"^  (\w+, )*{one.name}(, \w+)*$", block, re.MULTILINE), (name, one.name)


def test_a_format_that_needs_a_table_is_refused_before_the_search(folder, capsys):
    ended = run(capsys, "search none.blc -o new.bif")  # not even the cache is read
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "bayesloom: new.bif: BIF holds probabilities, and a score cache has none. Give a name that ends in "
        ".json, .dot, .graphml or .modelstring, or learn from the table: bayesloom learn DATA -o new.bif.\n"
    )
    for ending in endings_in(WITHOUT_TABLE):
        assert run(capsys, f"search data.blc -q -o new{ending}").code == 0


@pytest.mark.parametrize("more", ["", "--score bdeu"])
def test_after_a_sweep_the_best_size_is_suggested(folder, capsys, more):
    ended = run(capsys, f"learn data.csv --ess-sweep 0.5,3 {more} --json run.json")
    assert ended.code == 0
    best = json.loads((folder / "run.json").read_text())["score_options"]["ess"]
    suggested = re.search(r"bayesloom (credible .*)", ended.out)
    assert suggested is not None
    assert suggested[1] == f"credible data.csv --score bdeu --ess {best:g}"
    assert run(capsys, suggested[1]).code == 0


@pytest.mark.parametrize("what", ["network.json", "run.json"])
@pytest.mark.parametrize("against", ["--data data.csv", "--cache data.blc"])
def test_constraints_that_contradict_each_other_have_one_exit_code(folder, capsys, what, against):
    assert run(capsys, "learn data.csv -q -o network.json --json run.json").code == 0
    a, b, *_ = bl.read_table("data.csv").names
    (folder / "bad.toml").write_text(f'required = [["{a}", "{b}"]]\nroots = ["{b}"]\n')
    ended = run(capsys, f"verify {what} {against} --constraints bad.toml")
    assert (ended.code, "no network satisfies the constraints" in ended.err) == (4, True)


def test_report_says_which_file_it_needs(folder, capsys):
    assert run(capsys, "learn data.csv -q -o network.json").code == 0
    ended = run(capsys, "report network.json -o report.md")
    assert (ended.code, "Give what --json wrote; -o writes the network alone." in ended.err) == (1, True)


def test_what_only_says_what_is_written_needs_a_file(folder, capsys):
    ended = run(capsys, "credible data.csv --by class")
    assert ended.err == "bayesloom: --by would be without effect: without -o FILE no networks are written.\n"


def test_credible_without_a_best_score_names_the_options(folder, capsys, monkeypatch):
    from bayesloom.credible_sets import strategy

    maker = strategy._Maker
    for way in ("by_diagrams", "by_subset_dp", "around_best"):
        monkeypatch.setattr(maker, way, lambda *given, **more: None)
    with pytest.raises(
        ResourceError, match=r"with time_limit=, or ask for less with a smaller bayes_factor=\."
    ):
        bl.credible(bl.read_cache("data.blc"), 20, time_limit=10)
    ended = run(capsys, "credible data.blc")
    assert (ended.code, "with --time-limit, or ask for less with a smaller --bayes-factor." in ended.err) == (
        1,
        True,
    )


def test_the_commands_of_the_demo_make_its_files(folder, capsys):
    ended = run(capsys, "demo -o first --rows 200")
    assert (ended.code, "earlier" in ended.err) == (0, False)
    made = {path.name: path.read_bytes() for path in (folder / "first").iterdir()}
    shown = re.findall(r"^  \$ bayesloom (.*)$", ended.out, re.MULTILINE)
    assert len(shown) == 9
    named = set(re.findall(r"first/[\w.]+", ended.out))
    assert named == {f"first/{name}" for name in made}
    for name in made:
        (folder / "first" / name).unlink()
    for line in shown:
        assert run(capsys, line).code == 0
    again = {path.name: path.read_bytes() for path in (folder / "first").iterdir()}
    assert again.keys() == made.keys()
    timed = {"run.json", "credible.json", "report.html"}  # these say how long it took
    assert {name for name in made if again[name] != made[name]} <= timed
    (folder / "first" / "mine.txt").write_text("mine")
    ended = run(capsys, "demo -o first --rows 200")
    assert (ended.code, "first has the files of an earlier demo, which are replaced." in ended.err) == (
        0,
        True,
    )
    assert "mine.txt" not in ended.out
