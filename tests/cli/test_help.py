"""The help of every verb: complete, from the registries, with examples that run."""

from __future__ import annotations

import shlex

import click
import pytest

import bayesloom as bl
from bayesloom.cli import VERBS, _cli
from bayesloom.cli.help import Verb
from bayesloom.errors import InputError, option
from bayesloom.learning.planning import OWN_METHODS
from bayesloom.scoring.parent_sets import METHODS
from bayesloom.solvers.api import SOLVERS
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
    truth = bl.random_network(5, seed=1)
    table = truth.sample(200, seed=1)
    truth.write("truth.bif")
    table.write("data.csv")
    bl.score(table, bayes_factor=20).write("data.blc")
    for part in (1, 2):
        bl.score(table, shard=(part, 2)).write(f"part{part}.blc")
    bl.learn(table).network.fit(table).write("network.bif")
    (tmp_path / "known.toml").write_text(f'leaves = ["{table.names[0]}"]\n')
    return tmp_path


EXAMPLES = [(name, shown) for name in VERBS for _, shown in verb(name).examples]


@pytest.mark.parametrize(("name", "shown"), EXAMPLES, ids=[shown for _, shown in EXAMPLES])
def test_every_example_runs(folder, capsys, name, shown):
    if "run.json" in shown and name != "search":
        assert run(capsys, "learn data.csv -q --json run.json").code == 0
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
    out = " ".join(run(capsys, name, "--help").out.split())
    for score in bl.scores.values():
        assert f" {score.name} {score.summary}" in out
        for one in score.options:
            assert f"--score-option {one.name}=X: {one.help}" in out


def test_methods_and_solvers_are_listed(capsys):
    learn = " ".join(run(capsys, "learn", "--help").out.split())
    for name, sentence in {**METHODS, **OWN_METHODS}.items():
        assert f" {name} {sentence}" in learn
    for solver in SOLVERS.values():
        assert f" {solver.name} {solver.title}; " in learn
    assert all(name in run(capsys, "score", "--help").out for name in METHODS)


@pytest.mark.parametrize("score", sorted(bl.scores))
def test_every_option_of_a_score_can_be_given(folder, capsys, score):
    for one in bl.scores[score].options:
        given = ["--score-option", f"{one.name}={one.initial * 2:g}"]
        assert run(capsys, "score", "data.csv", "-o", "new.blc", "--score", score, *given).code == 0
        assert bl.read_cache("new.blc").info["options"] == {one.name: one.initial * 2}
        too_much = ["--score-option", f"{one.name}={one.high * 2:g}"]
        ended = run(capsys, "score", "data.csv", "-o", "new.blc", "--score", score, *too_much)
        assert (ended.code, one.name in ended.err) == (1, True)


def test_messages_name_options_as_the_surface_writes_them(folder, capsys):
    with pytest.raises(InputError, match=r"use time_limit=, or method='independence'\.") as error:
        bl.score("data.csv", sets_per_variable=3)
    assert error.value.options == ("time_limit", "method")
    ended = run(capsys, "score data.csv -o new.blc --sets-per-variable 3")
    assert "use --time-limit, or --method independence." in ended.err
    with pytest.raises(InputError, match=r"^max_parents must be a whole number from 0 to 65,535"):
        bl.score("data.csv", max_parents=70_000)
    ended = run(capsys, "score data.csv -o new.blc --max-parents 70000")
    assert ended.err.splitlines()[-1].startswith("bayesloom: --max-parents must be a whole number from 0")


def test_an_option_that_the_verb_does_not_have_keeps_its_name(folder, capsys):
    ended = run(capsys, "search data.blc --solver obs --option tabu=-1")
    assert ended.err == "bayesloom: tabu must be a whole number of at least 0, got -1.\n"
    assert str(InputError(f"give {option('nothing', 'here')}")) == "give nothing='here'"
