"""Interventions end to end: read, learned, fitted, written, verified."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bayesloom as bl
from bayesloom.errors import InputError
from bayesloom.scoring.strength import edge_strengths
from made.command import exit_code
from made.interventions import chain, experiment
from reference.interventional import was_set

ROWS = {"a": [0, 1, 0, 1] * 10, "b": [0, 1, 1, 1] * 10, "set": [None, "b", "a + b", ""] * 10}


def test_a_chain_that_rows_alone_cannot_direct_is_directed_by_setting_its_middle():
    seen = bl.learn(replace(chain(500, 1), interventions=None))
    assert not bl.learn(chain(500, 1, None)).cpdag.compelled
    assert seen.interventions == ()
    found = bl.learn(chain(500, 1))
    assert found.cpdag.compelled == (("a", "b"), ("b", "c"))
    assert found.cpdag.set_apart == (("a", "b"), ("b", "c"))
    assert found.proof == "all networks"
    # Setting the end tells the edge at it, and nothing of the other.
    found = bl.learn(chain(500, 1, "c"))
    assert found.cpdag.compelled == (("b", "c"),)
    assert found.cpdag.reversible == (("a", "b"),)


def test_what_was_set_is_read_from_a_column_a_list_a_mask_and_a_mapping():
    table = bl.read_table(ROWS, interventions="set")
    assert table.names == ("a", "b")
    assert table.interventions.targets == (("a", "b"), ("b",))
    assert table.interventions.was_set("a").tolist() == [False, False, True, False] * 10
    assert table.interventions.was_set("b").tolist() == [False, True, True, False] * 10
    assert not table.columns[2].used
    bare = {name: ROWS[name] for name in "ab"}
    mask = np.array([[False, False], [False, True], [True, True], [False, False]] * 10)
    for given in (
        ROWS["set"],
        [(), ["b"], ("b", "a"), None] * 10,
        mask,
        {"b": mask[:, 1], "a": mask[:, 0].tolist()},
        pd.DataFrame({"b": mask[:, 1], "a": mask[:, 0]}),  # by name, not by place
        pd.DataFrame(mask),
        pa.table({"b": mask[:, 1], "a": mask[:, 0]}),
        pd.Series([pd.NA, "b", "a+b", pd.NA] * 10, dtype="string"),
        [float("nan"), np.array(["b"]), np.array(["b", "a"]), pd.NaT] * 10,
        pa.array([None, "b", "a+b", None] * 10),
        pa.chunked_array([[None, ["b"], ["a", "b"], None]] * 10),
        table.interventions,
    ):
        assert bl.read_table(bare, interventions=given) == table
        read = bl.read_table(bare, interventions=given).interventions
        assert {type(name) for target in read.targets for name in target} == {str}
        assert bl.read_table(bl.read_table(bare), interventions=given) == table
    assert bl.read_table(bl.read_table(ROWS), interventions="set") == table
    assert bl.read_table(bare) != table
    assert bl.read_table(bare, interventions=[None] * 40).interventions is None


def test_masks_and_weights_together():
    """Both as arrays, or the weights by their name: that column is no variable of the mask."""
    bare, often = {name: ROWS[name] for name in "ab"}, np.arange(40) % 3 + 1
    mask = np.array([[False, False], [False, True], [True, True], [False, False]] * 10)
    table = replace(bl.read_table(bare, interventions=mask), weights=often.astype(np.uint32))
    named = {**bare, "often": often}
    assert bl.read_table(bare, interventions=mask, weights=often) == table
    assert bl.read_table(bare, interventions=mask, weights=often.tolist()) == table
    assert bl.read_table({**bare, "set": ROWS["set"]}, interventions="set", weights=often) == table
    for given in (named, bl.read_table(named, discrete=True)):
        assert bl.read_table(given, interventions=mask, weights="often") == table


def test_a_variable_may_have_the_name_of_a_missing_value(tmp_path):
    """NA is sodium here: rows in which it was set must not count for it."""
    rows = {"NA": [0, 1, 0, 1] * 10, "b": [0, 1, 1, 1] * 10}
    table = bl.read_table({**rows, "set": ["NA", None, "b", "NA+b"] * 10}, interventions="set")
    assert table.interventions.was_set("NA").tolist() == [True, False, False, True] * 10
    assert bl.read_table(rows, interventions=["NA", None, "b", "NA+b"] * 10) == table
    for name in ("t.csv", "t.parquet"):
        table.write(tmp_path / name)
        again = bl.read_table(tmp_path / name, interventions="set")
        assert again.interventions == table.interventions


def test_rows_that_go_take_along_what_was_set_in_them():
    rows = {**ROWS, "a": [None, *ROWS["a"][1:]], "often": [1, 2, 0, 1] * 10}
    table = bl.read_table(rows, interventions="set", weights="often", missing="drop")
    assert table.row_count == 29
    assert table.interventions.targets == (("b",),)
    assert table.interventions.was_set("b").sum() == 10
    assert table.expanded().interventions.was_set("b").sum() == 20
    assert table.select(["a"]).interventions is None
    assert bl.read_table(rows, interventions="set", weights="often", exclude="b").interventions is None
    again = table.like({"a": [1, 0], "b": [0, 1], "set": ["b", None]})
    assert again.interventions.was_set("b").tolist() == [True, False]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.feather"])
@pytest.mark.parametrize("kind", ["discrete", "mixed"])
def test_files_and_data_frames_keep_what_was_set(name, kind, tmp_path):
    table = experiment(kind, 4, rows=40)
    table = replace(table, weights=np.arange(1, 41, dtype=np.uint32))
    table.write(tmp_path / name)
    text = name.endswith("sv")
    given = {"continuous": list(table.continuous)}
    given |= {"interventions": "set", "weights": "weight"} if text else {}
    again = bl.read_table(tmp_path / name, states="declared", **given)
    assert again.interventions == table.interventions
    assert again.weights.tolist() == table.weights.tolist()
    if not text:
        assert again == table
    assert bl.read_table(table.to_pandas(), interventions="set", weights="weight").interventions == (
        table.interventions
    )


def test_targets_that_would_be_read_as_another_variable_are_not_written(tmp_path):
    rows = {"a": [0, 1, 1, 0], "b": [0, 1, 0, 1], "a+b": [0, 1, 1, 1]}
    table = bl.read_table(rows, interventions=[None, ["a", "b"], "a", None])
    with pytest.raises(InputError, match="'a', 'b' cannot be written as one text"):
        table.write(tmp_path / "table.csv")
    table = bl.read_table(rows, interventions=[None, "a+b", "a", None])
    table.write(tmp_path / "table.csv")
    assert bl.read_table(tmp_path / "table.csv", interventions="interventions") == table


def test_a_dat_file_cannot_hold_it(tmp_path):
    with pytest.raises(InputError, match=r"\.dat file cannot say which variables were set"):
        bl.read_table(ROWS, interventions="set").write(tmp_path / "t.dat")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("sett", "the table has no column 'sett'. Did you mean 'set'"),
        (["b"], "targets of 1 row for 40 rows"),
        (["c"] * 40, "row 1: holds 'c', and 'c' is no variable"),
        ([3] * 40, "row 1: expected names of variables, or None where none was set; got 3"),
        ([["b", "x"]] * 40, "the table has no column 'x'"),
        (7, "expected the name of a column, a list with the targets of each row, or a mask; got 7"),
        (np.zeros((40, 2)), "got 2 columns of type float64"),
        (np.zeros((40, 5), dtype=bool), "got 5 columns of type bool"),
        ({"q": [True] * 40}, "the table has no column 'q'"),
        ({"a": [1] * 40}, "expected true or false for each of the 40 rows"),
        (["a"] * 40, "'a' was set in every row, so no row tells what it depends on"),
    ],
)
def test_bad_interventions_are_told_in_a_sentence(given, words):
    rows = (
        {name: ROWS[name] for name in ("a", "b", "set")}
        if isinstance(given, str)
        else {"a": ROWS["a"], "b": ROWS["b"]}
    )
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        bl.read_table(rows, interventions=given)


@pytest.mark.parametrize(
    ("targets", "rows", "words"),
    [
        ([("a",)], [-2] + [0] * 39, "row 1 has number -2; expected -1, where nothing was set, or the place"),
        ([("a",)], [0] * 39 + [1], "row 40 has number 1; expected .* one of 1 set of targets, from 0 on"),
        ([("a",)], [0.0] * 40, "expected a whole number for each row"),
        ([("q",)], [-1] * 39 + [0], "has no column 'q'"),
        ([("a",)], [-1, 0], "targets of 2 rows for 40 rows"),
    ],
)
def test_interventions_that_do_not_fit_their_table(targets, rows, words):
    with pytest.raises(InputError, match=words):
        bl.read_table(
            {name: ROWS[name] for name in "ab"},
            interventions=bl.table.Interventions(tuple(targets), np.array(rows)),
        )


def test_columns_named_twice_and_texts_that_are_no_variables():
    with pytest.raises(InputError, match="a column of interventions is no variable"):
        bl.read_table(ROWS, interventions="set", exclude="set")
    with pytest.raises(InputError, match="both name 'set'"):
        bl.read_table(ROWS, interventions="set", weights="set")
    with pytest.raises(InputError, match=r"row 2: column 'set' of interventions holds 'a\+x', and 'x' is no"):
        bl.read_table({**ROWS, "set": ["a", "a+x", "a", "b"] * 10}, interventions="set")
    with pytest.raises(InputError, match="has interventions already"):
        bl.learn(bl.read_table(ROWS, interventions="set"), interventions=[None] * 40)
    odd = bl.read_table({"x+y": [0, 1, 1], "z": [1, 0, 1]}, interventions=["x+y", None, ["z", "x+y"]])
    with pytest.raises(InputError, match="cannot be written as one text"):
        odd.to_arrow()


def test_a_number_that_varies_only_where_it_was_set():
    values = {"x": [1.0] * 30 + list(range(30)), "y": list(np.linspace(0, 1, 60) ** 2)}
    with pytest.raises(InputError, match="'x' has one value only in the rows in which it was not set"):
        bl.learn(values, score="bic-g", interventions=[None] * 30 + ["x"] * 30)


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_and_likelihood_leave_out_what_was_set(kind, seed):
    """The fitted family of a variable is that of the rows in which it was not set; so is its likelihood."""
    table = experiment(kind, seed, rows=300)
    score = {"discrete": "bic", "continuous": "bic-g", "mixed": "bic-cg"}[kind]
    result = bl.learn(table, score=score)
    fitted = result.fit(method="ml")
    total = 0.0
    for v, name in enumerate(table.names):
        kept = np.flatnonzero(~np.array(was_set(table, v)))
        few = replace(table, codes=tuple(column[kept] for column in table.codes), interventions=None)
        family = few.select([*result.network.parents[name], name])
        alone = bl.Network(family.names, {name: result.network.parents[name]})
        own = alone.fit(family, method="ml")
        parents = bl.Network(family.names[:-1], {})
        total += own.log_likelihood(family)
        if len(family.names) > 1:
            rest = family.select(family.names[:-1])
            total -= parents.fit(rest, method="ml").log_likelihood(rest)
    assert fitted.log_likelihood(table) == pytest.approx(total, rel=1e-9)


def test_constraints_shards_resume_weights_and_blocks(tmp_path):
    table = experiment("discrete", 7, variables=5, rows=200)
    table = replace(table, weights=np.arange(1, 201, dtype=np.uint32) % 3 + 1)
    rules = {"forbidden": [[table.names[0], table.names[1]]], "max_parents": {"*": 3}}
    whole = bl.score(table, constraints=rules)
    assert whole.info["interventions"] == [list(one) for one in table.interventions.targets]
    parts = [bl.score(table, constraints=rules, shard=(k, 2)) for k in (1, 2)]
    merged = bl.merge(parts)
    assert merged.core == whole.core
    assert bl.score(table.expanded(), constraints=rules).scores.tolist() == whole.scores.tolist()
    first = bl.score(table, checkpoint=tmp_path / "c", resume=False)
    assert bl.score(table, checkpoint=tmp_path / "c", resume=True).core == first.core
    other = replace(table, interventions=None)
    assert other.encoded.digest != table.encoded.digest
    whole.write(tmp_path / "w.blc")
    found = bl.search(bl.ScoreCache.read(tmp_path / "w.blc"))
    assert found.interventions == table.interventions.targets
    assert found.fixed_score == bl.learn(table, constraints=rules).fixed_score
    assert bl.score(table, executor="local:2").core == bl.score(table).core


def dict_of(edges):
    return {(a, b): one for a, b, one, _ in edges.rows()}


def test_posterior_bootstrap_and_averages():
    table = chain(300, 3)
    found = bl.posterior(table)
    assert dict_of(found.edge_posterior)["a", "b"] > 0.95
    drawn = bl.bootstrap(table, replicates=8, seed=1)
    assert drawn.interventions == (("b",),)
    assert dict_of(drawn.edge_frequencies)["a", "b"] == 1
    assert drawn.to_json()["interventions"] == [["b"]]


def test_the_verbs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = chain(200, 2)
    table.write("t.csv")
    read = ["--interventions", "interventions"]
    assert exit_code("learn", "t.csv", *read, "--json", "r.json", "-o", "n.dot", "--report", "r.html") == 0
    run = json.loads((tmp_path / "r.json").read_text())
    assert run["interventions"] == [["b"]]
    assert "dashed" not in (tmp_path / "n.dot").read_text()
    assert exit_code("verify", "r.json", "--data", "t.csv", *read) == 0
    assert exit_code("verify", "r.json", "--data", "t.csv", "--exclude", "interventions") == 1
    for wrong in ([], [["a"]], [["b"], ["b"]], [["b", "q"]], [[]]):
        (tmp_path / "w.json").write_text(json.dumps({**run, "interventions": wrong}))
        assert exit_code("verify", "w.json", "--data", "t.csv", *read) == 1
    turned = [{**edge, "compelled": False, "direction": "reversible"} for edge in run["edges"]]
    (tmp_path / "w.json").write_text(json.dumps({**run, "edges": turned}))
    assert exit_code("verify", "w.json", "--data", "t.csv", *read) == 1
    assert exit_code("score", "t.csv", *read, "-o", "c.blc", "--bayes-factor", "20") == 0
    assert exit_code("search", "c.blc", "--json", "s.json") == 0
    assert exit_code("verify", "s.json", "--cache", "c.blc") == 0
    search = json.loads((tmp_path / "s.json").read_text())
    (tmp_path / "w.json").write_text(json.dumps({**search, "interventions": []}))
    assert exit_code("verify", "w.json", "--cache", "c.blc") == 1
    for given in (["t.csv", *read], ["c.blc"]):
        assert exit_code("credible", *given, "--json", "k.json") == 0
        assert exit_code("credible", *given, "--classes") == 1
        assert exit_code("credible", *given, "--k", "3", "--by", "class") == 1
        assert exit_code("verify", "k.json", "--data", "t.csv", *read) == 0
        assert exit_code("credible", *given, "--k", "3", "--json", "k.json") == 0
        assert exit_code("verify", "k.json", "--data", "t.csv", *read) == 0
    for verb in (["posterior"], ["bootstrap", "--replicates", "3", "--learner", "exact"]):
        assert exit_code(*verb, "t.csv", *read, "--json", "p.json") == 0
        assert exit_code("verify", "p.json", "--data", "t.csv", *read) == 0
        found = json.loads((tmp_path / "p.json").read_text())
        (tmp_path / "w.json").write_text(json.dumps({**found, "interventions": []}))
        assert exit_code("verify", "w.json", "--data", "t.csv", *read) == 1


def test_a_bound_that_is_off_is_said_to_be_where_there_is_one():
    words = "without the bound by the table as a whole"
    table = experiment("discrete", 9, variables=5, rows=100)
    best = bl.learn(table)
    assert not any(words in note for note in best.notes)
    found = bl.learn(table, method="loop", max_parents=1, time_limit=5)
    assert not found.complete
    assert any(words in note for note in found.notes)
    assert found.bound_all_networks >= bl.learn(table, max_parents=1).score
    mixed = bl.learn(
        experiment("mixed", 9, variables=5, rows=100), score="bic-cg", method="loop", time_limit=3
    )
    assert not mixed.complete
    assert mixed.bound_all_networks is None
    assert not any(words in note for note in mixed.notes)


def test_what_fills_in_refuses_rows_in_which_something_was_set():
    table = experiment("discrete", 3, share=0.1)
    with pytest.raises(InputError, match="as if none had been"):
        bl.structural_em(table)
    fitted = bl.learn(experiment("discrete", 3)).fit()
    with pytest.raises(InputError, match="as if none had been"):
        fitted.impute(table)
    for kind, score in (("discrete", "bic"), ("mixed", "bic-cg")):
        table = experiment(kind, 3)
        fitted = bl.learn(table, score=score).fit()
        for name, states in zip(table.names, table.states, strict=True):
            with pytest.raises(InputError, match="as if none had been"):
                fitted.predict(table, name)
            if states:
                with pytest.raises(InputError, match="as if none had been"):
                    fitted.predict_proba(table, name)


def test_rows_to_evaluate_may_all_be_of_one_intervention():
    """Held-out rows in which b was always set: what is told is the probability of the others, given b."""
    table = chain(300, 4)
    result = bl.learn(table)
    rows = {"a": [0, 1, 1], "b": [1, 1, 0], "c": [0, 1, 0], "interventions": ["b"] * 3}
    fitted = result.fit()
    given = {name: rows[name] for name in "abc"}
    expected = fitted.log_likelihood(given)
    for k in range(3):
        own = {name: str(given[name][k]) for name in result.network.parents["b"]}
        expected -= np.log(fitted.query("b", own)[str(given["b"][k])])
    assert result.log_likelihood(rows) == pytest.approx(expected)
    evaluated = table.like(rows)
    with pytest.raises(InputError, match="'b' was set in every row"):
        bl.learn(evaluated)
    with pytest.raises(InputError, match="'b' was set in every row"):
        result.network.fit(evaluated)
    with pytest.raises(InputError, match="'b' was set in every row"):
        bl.verify(result.network, table=evaluated)
    assert bl.Network(["a", "c"], {}).fit(evaluated).states == (("0", "1"), ("0", "1"))


def test_a_data_frame_may_have_columns_called_interventions_and_weights():
    """These are columns like any other, and no design."""
    rows = {"a": [0, 1, 0, 1], "b": [0, 1, 1, 1]}
    named = pd.DataFrame({**rows, "interventions": [1, 2, 3, 4], "weights": [1, 2, 3, 4]})
    for score, continuous in (("bic", None), ("bic-g", ["a", "b"])):
        network = bl.Network("ab", {"b": ["a"]})
        fitted = network.fit(bl.read_table(rows, continuous=continuous))
        assert fitted.impute(named) == fitted.impute(pd.DataFrame(rows))
        assert fitted.predict(named, "b").tolist() == fitted.predict(pd.DataFrame(rows), "b").tolist()
        if score == "bic":
            assert edge_strengths(named, network) == edge_strengths(rows, network)


def test_a_drawing_dashes_what_interventions_leave_reversible():
    network = bl.Network.from_edges("abc", [("a", "b"), ("b", "c")])
    for given in ([["c"]], iter([["c"]])):
        drawn = network.plot(interventions=given)._repr_svg_()
        assert drawn == network.plot(constraints={}, interventions=[["c"]])._repr_svg_()
        assert drawn.count("stroke-dasharray") == 1
    assert network.plot()._repr_svg_().count("stroke-dasharray") == 0
