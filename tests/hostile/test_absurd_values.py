"""Absurd values for every option of every verb and for every number in Python: one sentence, or it works."""

from __future__ import annotations

import importlib
import inspect

import click
import pytest

import bayesloom as bl
from bayesloom.cli import VERBS
from made.command import exit_code

ROWS = "rain,wet,cold\n" + "no,no,yes\nyes,yes,yes\nno,no,no\nyes,yes,no\nyes,no,no\n" * 10
ABSURD = [
    *("100000000000000000000", "-100000000000000000000", "1e20", "1e400", "-1", "nan", "inf", "-inf", ""),
    *("9" * 5000, "1e-320", "a" * 5000, "\x1b[31m", "null", "[]", "1/1", "1/99999999999999999999"),
    *("2-99999999999999999999", "99999999999999999999-2", "1,2,1e999", "rain=1e999", "a=b", "1000"),
]
USUAL = {
    "learn": ["rain.csv", "--time-limit", "1"],
    "score": ["rain.csv", "-o", "s.blc"],
    "merge": ["p1.blc", "p2.blc", "-o", "m.blc"],
    "search": ["t.blc"],
    "cluster": ["rain.csv"],
    "credible": ["t.blc"],
    "verify": ["n.bif", "--data", "rain.csv"],
    "report": ["run.json", "-o", "r.html"],
    "compare": ["n.bif", "n.bif"],
    "convert": ["n.bif", "c.json"],
    "sample": ["n.bif", "-n", "5", "-o", "x.csv"],
    "demo": ["--output", "demo", "--rows", "50"],
    "posterior": ["t.blc"],
    "bootstrap": ["rain.csv", "--replicates", "2"],
    "view": ["n.bif", "-o", "v.html", "--no-open"],
    "query": ["n.bif", "--target", "rain"],
}
OF_RANDOM_NETWORKS = {"variables", "states", "parents", "concentration", "save_network"}


def options():
    for verb in VERBS:
        for option in importlib.import_module(f"bayesloom.cli.{verb}").command.params:
            if isinstance(option, click.Option) and not option.is_flag:
                yield pytest.param(verb, option, id=f"{verb} {option.opts[-1]}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("absurd")
    (path / "rain.csv").write_text(ROWS)
    table = bl.read_table(path / "rain.csv")
    bl.score(table).write(path / "t.blc")
    for i in (1, 2):
        bl.score(table, shard=(i, 2)).write(path / f"p{i}.blc")
    bl.search(bl.score(table)).network.fit(table).write(path / "n.bif")
    assert exit_code("learn", str(path / "rain.csv"), "--json", str(path / "run.json"), "-q") == 0
    return path


def test_every_verb_is_tried():
    assert set(USUAL) == set(VERBS)


@pytest.mark.parametrize(("verb", "option"), list(options()))
def test_absurd_values_of_options_are_one_sentence_or_work(verb, option, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    for value in ABSURD:
        usual = USUAL[verb]
        if verb == "sample" and option.name in OF_RANDOM_NETWORKS:
            usual = usual[1:] if option.name == "variables" else ["--random", "3", *usual[1:]]
        code = exit_code(verb, *usual, f"{option.opts[-1]}={value}")
        assert code in (0, 1, 2, 3, 4)
        error = capsys.readouterr().err
        assert "Traceback" not in error
        if code == 1 and verb != "verify":
            assert sum(line.startswith("bayesloom: ") for line in error.splitlines()) == 1
        assert max(map(len, error.splitlines()), default=0) < 6000


WHOLE = [10**20, -(10**20), 10**400, -1, 1e20, 2.5, float("nan"), float("inf"), True]
NUMBERS = [10**20, 10**400, -1, 1e20, 1e308, float("nan"), float("inf"), -float("inf"), True]


def functions(folder):
    table = bl.read_table(folder / "rain.csv")
    cache = bl.score(table)
    network = bl.search(cache).network
    fitted = network.fit(table)
    return [
        (bl.score, {"table": table}),
        (bl.estimate, {"table": table}),
        (bl.search, {"cache": cache}),
        (bl.learn, {"table": table, "time_limit": 1}),
        (bl.credible, {"cache": cache}),
        (bl.credible, {"cache": table}),
        (bl.k_best, {"cache": cache, "k": 2}),
        (bl.random_network, {"n": 3}),
        (fitted.sample, {"n": 2}),
        (network.fit, {"table": table, "method": "dirichlet"}),
    ]


# What numbers the functions take, found by name: a new argument of these names is tried too.
COUNTS = {
    *("k", "n", "limit", "seed", "threads", "max_parents", "work_limit", "sets_per_variable"),
    *("parents_considered", "locality", "replicates"),
}
OTHERS = {
    *(
        "time_limit",
        "time_per_variable",
        "memory",
        "bayes_factor",
        "tolerance",
        "target",
        "concentration",
        "ess",
    ),
}


def test_absurd_numbers_in_python_are_one_sentence_or_work(folder):
    tried = set()
    for function, usual in functions(folder):
        for name in inspect.signature(function).parameters:
            values = WHOLE if name in COUNTS else NUMBERS if name in OTHERS else []
            for value in values:
                tried.add(name)
                try:
                    function(**{**usual, name: value})
                except bl.BayesloomError as error:
                    message = str(error)
                else:
                    message = ""
                assert len(message) < 500, (function, name, value)
    assert {"k", "n", "limit", "seed", "threads", "max_parents", "time_limit", "bayes_factor"} <= tried


@pytest.mark.parametrize("shard", [(10**20, 10**20), (1, 10**20), (0, 1), (-1, 1), (1.0, 2)])
def test_absurd_shards(shard, folder):
    with pytest.raises(bl.InputError):
        bl.score(folder / "rain.csv", shard=shard)


@pytest.mark.parametrize("value", [10**20, 10**400, -1, 1.5, float("nan"), True, "2"])
@pytest.mark.parametrize("kind", [{"*": 0}, None])
def test_absurd_limits_of_constraints(value, kind):
    with pytest.raises(bl.InputError, match="max_parents of '\\*' must be a whole number"):
        bl.Constraints(max_parents=value if kind is None else {"*": value})


@pytest.mark.parametrize("options", [{"ess": 10**400}, {"ess": 1e308}, {"ess": float("nan")}])
def test_absurd_options_of_scores(options, folder):
    with pytest.raises(bl.InputError, match="option 'ess' of score 'bdeu' must lie between"):
        bl.score(folder / "rain.csv", score="bdeu", options=options)
