"""The command line, as a user meets it: what is printed, what is written, and the exit code."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys

import pytest

import bayesloom as bl
from bayesloom.cli import EXIT_STOPPED
from bayesloom.credible_sets.entries import CredibleClasses
from made.command import run


def test_learn_says_what_it_read_what_it_found_and_what_that_means(rain_folder, capsys):
    code, out, err = run(capsys, "learn", "rain.csv", "-o", "net.bif")
    assert code == 0
    assert "3 variables, 40 rows (4 different as read), 2 states each" in err
    assert "optimal: no network scores higher" in out
    assert "1 edge: 0 compelled" in out
    fitted = bl.read_network(rain_folder / "net.bif")
    assert fitted.network.names == ("rain", "wet", "cold")
    assert fitted.cpt("cold").tolist() == [0.5, 0.5]


def test_every_stage_by_itself_gives_the_same_as_learn(rain_folder, capsys):
    assert run(capsys, "score", "rain.csv", "-o", "rain.blc")[0] == 0
    assert run(capsys, "search", "rain.blc", "--json", "run.json")[0] == 0
    code, out, _ = run(capsys, "learn", "rain.csv", "--json", "-")
    assert code == 0
    whole, staged = json.loads(out), json.loads((rain_folder / "run.json").read_text())
    for key in ("score", "bound", "gap", "status", "complete", "parents", "candidates"):
        assert whole[key] == staged[key]
    assert (whole["command"], staged["command"]) == ("learn", "search")
    assert whole["bayesloom"] == bl.__version__
    assert set(whole["seconds"]) == {"read", "score", "search"}


def test_drawings_are_written_and_not_read(rain_folder, capsys):
    assert run(capsys, "learn", "rain.csv", "-o", "net.svg")[0] == 0
    learned = (rain_folder / "net.svg").read_text()
    assert learned.count('class="box"') == 3
    assert learned.count("stroke-dasharray") == 1  # rain and wet: either way
    assert run(capsys, "score", "rain.csv", "-o", "rain.blc")[0] == 0
    assert run(capsys, "search", "rain.blc", "-o", "searched.svg")[0] == 0
    assert (rain_folder / "searched.svg").read_text() == learned
    (rain_folder / "net.modelstring").write_text("[rain][cold][wet|rain:cold]")
    assert run(capsys, "convert", "net.modelstring", "net.svg")[0] == 0
    assert (rain_folder / "net.svg").read_text().count('class="tip"') == 2
    code, _, err = run(capsys, "convert", "net.svg", "net.json")
    assert code == 1
    assert err.count("\n") == 1
    assert "net.svg: an SVG file is a drawing" in err


def test_verify_accepts_a_true_result_and_refuses_a_changed_one(rain_folder, capsys):
    run(capsys, "learn", "rain.csv", "--json", "run.json")
    code, out, _ = run(capsys, "verify", "run.json", "--data", "rain.csv")
    assert (code, out.splitlines()[-1]) == (0, "verified")
    changed = json.loads((rain_folder / "run.json").read_text())
    changed["score"] += 0.5
    (rain_folder / "run.json").write_text(json.dumps(changed))
    code, out, _ = run(capsys, "verify", "run.json", "--data", "rain.csv")
    assert (code, out.splitlines()[-1]) == (1, "NOT verified")


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "bds", "k2", "qnml", "fnml", "mdl"])
def test_verify_shows_local_scores_of_any_network_in_any_score(rain_folder, capsys, score):
    (rain_folder / "net.modelstring").write_text("[rain][cold][wet|rain:cold]")
    code, out, _ = run(
        capsys, "verify", "net.modelstring", "--data", "rain.csv", "--score", score, "--json", "-"
    )
    shown = json.loads(out)
    table = bl.read_table(rain_folder / "rain.csv")
    expected = bl.network_scores(bl.read_network(rain_folder / "net.modelstring"), table, score=score)
    assert code == 0
    assert shown["local_scores"] == pytest.approx(expected)


def test_a_limit_gives_exit_code_3_and_still_writes_the_network(rain_folder, capsys):
    table = bl.random_network(20, max_parents=2, seed=1).sample(200, seed=1)
    table.write(rain_folder / "t.csv")
    run(capsys, "score", "t.csv", "-o", "t.blc", "--max-parents", "2")
    code, out, _ = run(capsys, "search", "t.blc", "--work-limit", "1", "-o", "net.dot", "--json", "run.json")
    result = json.loads((rain_folder / "run.json").read_text())
    assert code == 3
    assert result["status"] == "stopped"
    assert result["gap"] > 0
    assert "within" in out
    assert (rain_folder / "net.dot").exists()


def test_scratch_and_resume_are_for_the_search_on_disk(rain_folder, capsys):
    (rain_folder / "layers").mkdir()
    assert run(capsys, "score", "rain.csv", "-o", "rain.blc", "--quiet")[0] == 0
    found = run(
        capsys, "search", "rain.blc", "--solver", "bfbnb", "--scratch", "layers", "--resume", "--json", "-"
    )
    assert found[0] == 0
    assert json.loads(found[1])["status"] == "optimal"
    code, _, err = run(capsys, "search", "rain.blc", "--solver", "dp", "--resume")
    assert code == 1
    assert "--scratch and --resume are for --solver bfbnb, got --solver dp." in err
    code, _, err = run(capsys, "search", "rain.blc", "--solver", "bfbnb", "--scratch", "nowhere")
    assert code == 1
    assert "the scratch directory 'nowhere' does not exist" in err


def test_search_takes_a_start_a_target_and_options_of_the_solver(rain_folder, capsys):
    run(capsys, "score", "rain.csv", "-o", "rain.blc")
    (rain_folder / "start.modelstring").write_text("[wet][rain|wet][cold]")
    arguments = [
        "search",
        "rain.blc",
        "--solver",
        "inobs",
        "--start",
        "start.modelstring",
        "--target",
        "-1e9",
    ]
    code, out, _ = run(capsys, *arguments, "--option", "selection=first", "--json", "-")
    assert code in (0, 3)
    assert json.loads(out)["solver"] == "inobs"
    code, _, err = run(capsys, *arguments, "--option", "selection")
    assert (code, "--option must look like NAME=VALUE" in err) == (1, True)
    code, _, err = run(capsys, *arguments, "--option", "selektion=first")
    assert (code, "selektion" in err) == (1, True)


def test_parts_scored_apart_are_merged(rain_folder, capsys):
    for part in ("1/2", "2/2"):
        assert run(capsys, "score", "rain.csv", "-o", f"p{part[0]}.blc", "--shard", part)[0] == 0
    assert run(capsys, "merge", "p2.blc", "p1.blc", "-o", "all.blc")[0] == 0
    run(capsys, "score", "rain.csv", "-o", "one.blc", "--resume")
    assert (rain_folder / "all.blc").read_bytes() == (rain_folder / "one.blc").read_bytes()
    code, _, err = run(capsys, "merge", "p1.blc", "-o", "x.blc")
    assert (code, "of 2 parts these are missing: 2" in err) == (1, True)
    code, _, err = run(capsys, "score", "rain.csv", "-o", "x.blc", "--shard", "two")
    assert (code, "--shard must look like 2/8, got 'two'" in err) == (1, True)


@pytest.mark.parametrize("method", ["independence", "greedy", "sequential"])
def test_anytime_scoring(rain_folder, capsys, method):
    arguments = ["score", "rain.csv", "-o", "x.blc", "--method", method, "--sets-per-variable", "10"]
    code, out, _ = run(capsys, *arguments)
    assert (code, "complete: holds every parent set" in out) == (0, True)


def test_compare_names_the_differences(rain_folder, capsys):
    (rain_folder / "a.modelstring").write_text("[rain][wet|rain][cold]")
    (rain_folder / "b.modelstring").write_text("[rain|wet][wet][cold|wet]")
    code, out, _ = run(capsys, "compare", "a.modelstring", "b.modelstring")
    assert code == 0
    assert "reversed  rain -> wet" in out
    assert "missing   wet -> cold" in out
    shown = json.loads(run(capsys, "compare", "a.modelstring", "b.modelstring", "--json", "-")[1])
    assert shown["distance_dag"] == 2


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("rain.csv", "rain.parquet"),
        ("rain.blc", "rain.jkl.gz"),
        ("net.bif", "net.xmlbif"),
        ("net.bif", "net.net"),
    ],
)
def test_convert_there_and_back_changes_nothing(rain_folder, capsys, source, target):
    run(capsys, "learn", "rain.csv", "-o", "net.bif")
    run(capsys, "score", "rain.csv", "-o", "rain.blc")
    assert run(capsys, "convert", source, target)[0] == 0
    back = "back" + source[source.index(".") :]
    assert run(capsys, "convert", target, back)[0] == 0
    if source == "rain.csv":
        assert bl.read_table(back) == bl.read_table(source)
    elif source == "rain.blc":
        assert bl.read_cache(back).candidates("wet") == bl.read_cache(source).candidates("wet")
    else:
        assert bl.read_network(back) == bl.read_network(source)


def test_sample_is_the_same_for_the_same_seed(rain_folder, capsys):
    arguments = ["sample", "--random", "30", "--states", "2-3", "--parents", "0-2", "-n", "50", "--seed", "4"]
    for name in ("a.csv", "b.csv"):
        assert run(capsys, *arguments, "-o", name, "--save-network", "net.bif")[0] == 0
    assert (rain_folder / "a.csv").read_bytes() == (rain_folder / "b.csv").read_bytes()
    assert run(capsys, "sample", "net.bif", "-n", "50", "--seed", "4", "-o", "c.csv")[0] == 0
    assert (rain_folder / "c.csv").read_bytes() == (rain_folder / "a.csv").read_bytes()


def test_demo_shows_every_step_and_where_its_files_are(rain_folder, capsys):
    code, out, _ = run(capsys, "demo", "--rows", "500")
    assert code == 0
    assert "verified" in out
    assert "within Bayes factor 20" in out
    assert "P(complaint | supplier = Bo, speed = fast)" in out
    for name in ("loom.csv", "network.bif", "network.svg", "truth.bif", "report.html", "differences.svg"):
        assert f"bayesloom-demo/{name}" in out
        assert (rain_folder / "bayesloom-demo" / name).stat().st_size > 0


def test_help_teaches_and_every_verb_has_its_own(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for verb in ("learn", "score", "search", "verify", "compare", "convert", "sample", "demo"):
        assert f"  {verb} " in out
        assert run(capsys, verb, "--help")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["lern", "rain.csv"], 2, "unknown verb 'lern'. Did you mean 'learn'?"),
        (["learn"], 2, "Missing argument 'DATA'"),
        (["learn", "none.csv"], 1, "none.csv: no such file"),
        (["learn", "rain.csv", "-o", "net.gif"], 1, "unknown network file ending '.gif'"),
        (["learn", "rain.csv", "--score", "bci"], 1, "unknown score 'bci'. Did you mean 'bic'?"),
        (
            ["learn", "rain.csv", "--ess", "2"],
            1,
            "--score auto has no option 'ess'; it is one of 'bdeu' and 'bds': name the score.",
        ),
        (
            ["learn", "rain.csv", "--score", "bdeu", "--ess", "-1"],
            1,
            "must lie between 1e-09 and 1e+09, got -1",
        ),
        (["learn", "rain.csv", "--solver", "dq"], 1, "unknown solver 'dq'"),
        (["learn", "rain.csv", "--threads", "0"], 2, "0 is not in the range"),
        (["score", "rain.csv", "-o", "rain.txt"], 1, "rain.txt"),
        (["search", "rain.csv"], 1, "rain.csv"),
        (["search", "none.blc"], 1, "none.blc"),
        (["verify", "net.bif"], 2, "give either --cache or --data"),
        (["verify", "none.bif", "--data", "rain.csv"], 1, "none.bif"),
        (["convert", "rain.csv", "rain.bif"], 1, "rain.csv is a table, rain.bif is a network"),
        (["convert", "rain.xyz", "rain.bif"], 1, "the ending '.xyz' does not tell what it holds"),
        (["sample", "-n", "5", "-o", "x.csv"], 2, "give either a NETWORK or --random N"),
        (
            ["sample", "--random", "5", "--states", "two", "-n", "5", "-o", "x.csv"],
            1,
            "must look like 2-4, got 'two'",
        ),
        (["learn", "rain.csv", "-o", "missing/net.bif"], 1, "missing"),
    ],
)
def test_a_mistake_gets_one_clear_sentence(rain_folder, capsys, arguments, code, message):
    before = sorted(os.listdir(rain_folder))
    found, _, err = run(capsys, *arguments)
    assert found == code
    assert message in err
    assert "Traceback" not in err
    assert sorted(os.listdir(rain_folder)) == before  # nothing half-written


def test_candidates_that_allow_no_network_give_exit_code_4(rain_folder, capsys):
    (rain_folder / "c.jkl").write_text("2\na 1\n-1 1 b\nb 1\n-1 1 a\n")
    code, _, err = run(capsys, "search", "c.jkl")
    assert code == 4
    assert "no acyclic network" in err


@pytest.mark.parametrize("progress", ["plain", "json", "none", "auto"])
def test_progress_goes_to_stderr_only(rain_folder, capsys, progress):
    code, out, _ = run(capsys, "learn", "rain.csv", "--json", "-", "--progress", progress)
    assert code == 0
    json.loads(out)


def test_quiet_prints_nothing(rain_folder, capsys):
    assert run(capsys, "learn", "rain.csv", "-q", "-o", "net.bif") == (0, "", "")


def test_ctrl_c_is_heard_and_the_best_so_far_is_written(tmp_path):
    """A search that would take minutes, interrupted: exit code 130, result and bound written."""
    table = bl.random_network(30, states=(2, 2), max_parents=3, seed=2).sample(400, seed=2)
    bl.score(table, max_parents=2).write(tmp_path / "t.blc")
    process = subprocess.Popen(
        [sys.executable, "-c", "from bayesloom.cli import main; main()", "search", "t.blc", "--solver", "dp",
         "--memory", "12", "--json", "run.json", "--progress", "json"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert "search" in process.stderr.readline()  # it is at work
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(timeout=600) == 130  # so that a test that fails ends; no machine is so slow
    finally:
        process.kill()
    result = json.loads((tmp_path / "run.json").read_text())
    process.stderr.close()
    assert process.stdout is not None
    process.stdout.close()
    assert result["interrupted"]
    assert result["bound"] >= result["score"]


def test_credible_from_a_table_or_a_cache_counts_writes_and_shows_edges(rain_folder, capsys):
    code, out, _ = run(capsys, "credible", "rain.csv", "--bayes-factor", "20", "-o", "all.jsonl")
    assert code == 0
    assert "networks are within Bayes factor 20 of the best" in out
    assert "equivalence classes" in out
    lines = [json.loads(line) for line in (rain_folder / "all.jsonl").read_text().splitlines()]
    run(capsys, "score", "rain.csv", "-o", "rain.blc", "--bayes-factor", "20")
    code, out, _ = run(capsys, "credible", "rain.blc", "--json", "-", "--by", "class", "-o", "classes.jsonl")
    assert code == 0
    found = json.loads(out)
    assert found["count"] == len(lines)
    assert found["complete"] is True
    assert (found["bayes_factor"], found["tolerance"]) == (20, 0)
    assert found["classes"] == len((rain_folder / "classes.jsonl").read_text().splitlines())
    assert found["classes_estimate"] == [found["classes"], 0]
    assert {"from": "rain", "to": "wet", "posterior": 0.5, "adjacent": 1.0} in found["edges"]


def test_credible_shows_the_count_where_there_are_no_edge_posteriors(rain_folder, capsys, monkeypatch):
    found = bl.credible("rain.csv", 150)
    found.count_is_exact, found.count_bounds, found.count_error = False, (2, None), math.inf

    def stopped(_):
        raise bl.ResourceError("the posterior was stopped.")

    monkeypatch.setattr(bl, "credible", lambda *_, **__: found)
    monkeypatch.setattr(type(found), "edge_posterior", property(stopped))
    code, out, _ = run(capsys, "credible", "rain.csv", "--json", "found.json")
    assert code == EXIT_STOPPED
    assert found.claim in out
    assert "no edge posteriors: the posterior was stopped." in out
    written = json.loads((rain_folder / "found.json").read_text())
    assert written["edges"] is None
    assert written["edges_missing"] == "the posterior was stopped."
    assert written["count_error"] is None


@pytest.mark.parametrize(
    ("estimate", "shown"), [((12.4, 1.5), ", about 12 by"), ((math.nan, math.inf), None)]
)
def test_credible_estimates_classes_that_are_too_many_to_list(
    rain_folder, capsys, monkeypatch, estimate, shown
):
    monkeypatch.setattr(CredibleClasses, "complete", False)
    monkeypatch.setattr(CredibleClasses, "estimate", estimate)
    code, out, _ = run(capsys, "credible", "rain.csv", "--json", "found.json")
    assert code == EXIT_STOPPED
    assert "at least" in out
    assert ("about" in out) is (shown is not None)
    assert shown is None or shown in out
    written = json.loads((rain_folder / "found.json").read_text())
    assert written["classes_estimate"] == (None if shown is None else list(estimate))


def test_credible_k_best_writes_k_and_needs_a_file(rain_folder, capsys):
    code, out, _ = run(capsys, "credible", "rain.csv", "--k", "3", "-o", "three.jsonl")
    assert code == 0
    assert out.startswith("3 best")
    assert len((rain_folder / "three.jsonl").read_text().splitlines()) == 3
    code, _, err = run(capsys, "credible", "rain.csv", "--k", "3")
    assert code == 1
    assert "--k needs a file" in err
