"""Without a score the columns choose: what is kept, what is cut, and that every verb reads the same again."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from statistics import NormalDist

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.errors import InfeasibleError, InputError
from bayesloom.scoring.registry import scored_table, table_again
from made.command import exit_code, run


def mixed(rows: int = 240, seed: int = 1) -> dict[str, object]:
    """Columns near normal, far from it, of states, and some that lack few or many values."""
    draw = np.random.default_rng(seed)
    group = np.where(draw.random(rows) < 0.4, "a", "b")
    x = draw.normal(size=rows)
    few, many = draw.normal(size=rows), draw.normal(size=rows)
    few[:3], many[: rows // 4] = np.nan, np.nan
    return {
        "group": group,
        "x": x,
        "y": x + 2.0 * (group == "a") + draw.normal(size=rows),
        "skewed": np.exp(3 * draw.normal(size=rows)),
        "few": few,
        "many": many,
        "level": draw.integers(0, 4, rows),
    }


def numbers(rows: int = 80, columns: int = 4) -> dict[str, object]:
    """Columns as near a normal distribution as can be, in any order."""
    draw = np.random.default_rng(2)
    normal = [NormalDist().inv_cdf((k + 0.5) / rows) for k in range(rows)]
    return {f"v{k}": draw.permutation(normal) for k in range(columns)}


@pytest.mark.parametrize(
    ("rows", "options", "score", "kept"),
    [
        (mixed(), {}, "bic-cg", ("x", "y", "few")),
        (mixed(), {"continuous": ["skewed"]}, "bic-cg", ("skewed",)),
        (mixed(), {"discretize": {"x": [0.0]}}, "bic-cg", ("y", "few")),
        (mixed(), {"discretize": {"x": [0.0], "*": "mean"}}, "bic", ()),
        (mixed(), {"discretize": "mean"}, "bic", ()),
        (mixed(), {"discrete": True}, "bic", ()),
        (mixed(), {"discrete": ["x", "y", "few"]}, "bic", ()),
        (mixed(), {"missing": "state"}, "bic-cg", ("x", "y")),
        (mixed(), {"missing": "drop"}, "bic-cg", ("x", "y", "few", "many")),
        (mixed(), {"missing": "keep"}, "pnal", ("x", "y", "few", "many")),
        (mixed(), {"only": ["x", "y"]}, "bic-g", ("x", "y")),
        (numbers(), {}, "bic-g", ("v0", "v1", "v2", "v3")),
        (numbers(rows=30, columns=30), {}, "bge", tuple(f"v{k}" for k in range(30))),
        (numbers(rows=15), {}, "bic", ()),  # too few values
    ],
)
def test_the_score_follows_from_what_is_kept(rows, options, score, kept):
    table, found, _ = scored_table(rows, "auto", None, **options)
    assert (found.name, table.continuous) == (score, kept)
    said = [note for note in table.notes if note.startswith(f"Score '{score}'")]
    by_itself = kept and "continuous" not in options
    assert len(said) == bool(by_itself)
    assert all(f"'{name}'" in said[0] for name in kept[:8] if by_itself)


def test_each_column_says_why():
    table, _, _ = scored_table(mixed(), "auto")
    why = {column.name: column.why for column in table.columns}
    assert "near normal (R^2 0.9" in why["x"]
    assert "kept as numbers" in why["x"]
    assert "far from normal (R^2 0." in why["skewed"]
    assert "3 ranges" in why["skewed"]
    assert "near normal (R^2 0.9" in why["many"]
    assert "with values missing" in why["many"]
    assert "is a state" in why["level"]


def test_strict_guesses_nothing():
    with pytest.raises(InputError, match="continuous, that is, numbers with more than 20"):
        bl.learn(numbers(), strict=True)
    assert bl.learn(numbers(), strict=True, continuous="all").score_name == "bic-g"


def test_a_table_stays_as_it_was_read():
    table = bl.read_table(mixed())
    assert table.continuous == ()
    result = bl.learn(table)
    assert (result.score_name, result.table) == ("bic", table)
    kept = bl.read_table(mixed(), continuous="normal")
    assert bl.learn(kept).score_name == "bic-cg"
    with pytest.raises(InputError, match="score 'bic' is of states"):
        bl.learn(kept, score="bic")


def test_an_option_without_its_score():
    with pytest.raises(
        InputError, match="has no option 'ess'; it is one of 'bdeu' and 'bds': name the score"
    ):
        bl.learn(mixed(), options={"ess": 5})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"missing": "state"},
        {"missing": "drop"},
        {"missing": "keep"},
        {"exclude": "y", "discretize": {"x": [0.0, 1]}},
        {"only": ["group", "skewed", "x"], "discretize": "mean"},
        {"discrete": True, "missing": "state"},
        {"discrete": ["level"], "states": {"group": ["b", "a", "c"], "*": "seen"}},
        {"continuous": "auto"},
        {"continuous": "all"},
        {"continuous": "normal"},
        {"continuous": ["skewed", "x"]},
        {"score": "bic"},
        {"score": "bic-cg"},
        {"score": "pnal"},
    ],
)
def test_what_a_result_keeps_reads_the_same_table_again(options):
    score = options.get("score", "auto")
    table, found, _ = scored_table(mixed(), score, **{k: v for k, v in options.items() if k != "score"})
    reading = json.loads(json.dumps(table.reading))
    again = table_again(mixed(), found.name, reading)
    assert again == table
    assert again.reading == table.reading
    assert again.cut_points == table.cut_points


def test_results_of_every_kind_keep_it():
    kept = {"continuous": ["x", "y", "few"]}
    rows = mixed()
    cache = bl.score(rows)
    assert cache.info["reading"] == kept
    assert bl.search(cache).reading == kept
    assert bl.learn(rows).reading == kept
    for result in (bl.credible(rows), bl.posterior(rows), bl.bootstrap(rows, replicates=3)):
        assert result.to_json()["reading"] == kept
    assert bl.k_best(rows, 2).found_under["reading"] == kept
    assert bl.learn(numbers(), score="bic").reading == {}


def test_parts_and_workers_keep_it():
    parts = [bl.score(mixed(), shard=(k, 2)) for k in (1, 2)]
    whole = bl.score(mixed())
    assert bl.merge(parts).info["reading"] == whole.info["reading"]
    with ThreadPoolExecutor(2) as workers:
        in_blocks = bl.score(mixed(), executor=workers)
    assert in_blocks.info["reading"] == whole.info["reading"]
    assert bl.search(in_blocks).score == bl.search(whole).score


def write(path, rows) -> None:
    columns = {name: ["" if value != value else str(value) for value in own] for name, own in rows.items()}
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    "how", [[], ["--missing", "drop"], ["--exclude", "skewed", "--discretize", "x=0"], ["--score", "bdeu"]]
)
def test_verbs_read_it_again_without_being_told(tmp_path, capsys, how):
    data, made, cache, page = (str(tmp_path / name) for name in ("d.csv", "run.json", "c.blc", "page.html"))
    write(tmp_path / "d.csv", mixed())
    assert exit_code("score", data, *how, "-o", cache, "-q") == 0
    for verb, given in (("learn", [data, *how]), ("search", [cache]), ("credible", [data, *how])):
        assert exit_code(verb, *given, "--json", made, "-q") == 0
        assert exit_code("verify", made, "--data", data, "-q") == 0, verb
        if verb != "credible":
            assert exit_code("report", made, "--data", data, "-o", page, "-q") == 0
    for verb, more in (("posterior", []), ("bootstrap", ["--replicates", "3"])):
        assert exit_code(verb, data, *how, *more, "--json", made, "-q") == 0
        assert exit_code("verify", made, "--data", data, "-q") == 0, verb
    capsys.readouterr()
    refused = run(capsys, "verify", made, "--data", data, "--exclude", "y")
    assert refused.code == 1


def test_another_reading_is_told():
    rows = mixed()
    cache = bl.score(rows)
    made = {**bl.search(cache).to_json(), "bayesloom": "0.1.0", "command": "search"}
    assert bl.verify_run(made, cache=cache).ok
    forged = {**made, "reading": {"continuous": ["x"]}}
    assert any("reading" in problem for problem in bl.verify_run(forged, cache=cache).problems)


def test_an_option_of_a_column_takes_the_place_of_what_the_result_says_of_it():
    rows = mixed()
    read = bl.learn(rows).reading
    assert set(read["continuous"]) == {"x", "y", "few"}
    for given in ({"discretize": {"x": "mean"}}, {"discrete": ["x"]}):
        assert set(table_again(rows, "bic-cg", read, **given).continuous) == {"y", "few"}
    assert table_again(rows, "bic-cg", read, discretize="quantile:3").continuous == ()
    assert set(table_again(rows, "bic-cg", read, continuous=["skewed"]).continuous) == {"skewed"}
    cut = bl.learn(rows, discretize={"x": "mean"}).reading
    assert "x" in table_again(rows, "bic-cg", cut, continuous=["x", "y"]).continuous


def test_a_file_of_states_alone_has_numbers_cut(tmp_path, capsys):
    write(tmp_path / "d.csv", mixed())
    data, net = str(tmp_path / "d.csv"), str(tmp_path / "n.bif")
    found = run(capsys, "learn", data, "-o", net, "--json", tmp_path / "r.json")
    assert found.code == 0
    assert "numbers are cut into ranges (--score bic)" in found.err
    assert "--score bic" in found.out  # in the command that is suggested next
    assert json.loads((tmp_path / "r.json").read_text())["score_name"] == "bic"
    assert bl.read_network(net).states
    assert exit_code("learn", data, "-o", str(tmp_path / "n.json"), "-q") == 0
    refused = run(capsys, "learn", data, "--score", "bic-cg", "-o", net)
    assert refused.code == 1
    assert "--score bic, which cuts numbers into ranges" in refused.err
    for result in (bl.learn(mixed()), bl.learn(numbers())):
        with pytest.raises(InputError, match="score='bic', which cuts numbers into ranges"):
            result.write(net)


def test_a_required_edge_that_the_score_does_not_have_says_what_to_do():
    with pytest.raises(InfeasibleError, match=r"'x' -> 'group' leads from.*Use score='bic'"):
        bl.learn(mixed(), constraints={"required": [["x", "group"]]})
    cut = bl.learn(mixed(), constraints={"required": [["x", "group"]]}, score="bic")
    assert ("x", "group") in cut.network.edges


def test_tiers_hold_beside_those_of_the_score():
    cache = bl.score(mixed())
    tiers = {"tiers": [["x"], ["y", "few"]]}
    found = bl.search(cache, constraints=tiers)
    assert found.score == bl.learn(mixed(), constraints=tiers).score
    assert ("y", "x") not in found.network.edges


def test_few_rows_that_lack_a_state_do_not_hide_what_the_others_show():
    """A state of a handful of rows has no regression, so that its column could be no parent."""
    draw = np.random.default_rng(5)
    sex = draw.choice(["f", "m"], 300).astype(object)
    kind = draw.choice(["a", "b", "c"], 300)
    mass = 2.0 * (sex == "m") + 2.0 * (kind == "a") + draw.normal(size=300)
    sex[:9] = None
    result = bl.learn({"sex": sex, "kind": kind, "mass": mass})
    assert set(result.network.parents["mass"]) == {"sex", "kind"}
    assert result.table.row_count == 291
    assert "9 of 300 rows dropped: they lack 'sex'" in " ".join(result.table.notes)
    assert bl.read_table({"sex": sex, "kind": kind}).row_count == 300
