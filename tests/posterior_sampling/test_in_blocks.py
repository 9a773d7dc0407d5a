"""Chains in blocks: on workers, kept in a folder, gone on with; the bytes are those of one process."""

from __future__ import annotations

import json
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest

import bayesloom as bl
from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.posterior_sampling import api, in_blocks
from bayesloom.posterior_sampling import options as tuned
from bayesloom.scoring.parent_sets import score as score_parent_sets
from made.command import run


@pytest.fixture(scope="module")
def table():
    return bl.random_network(7, states=(2, 3), max_parents=2, seed=2).sample(50, seed=2)


@pytest.fixture(scope="module")
def cache(table):
    return bl.score(table, bayes_factor=1e3)


GIVEN = {"method": "chains", "chains": 3, "samples": 60, "seed": 4}
ROUNDS = tuned.PosteriorOptions(doublings=1)  # a burn-in and two runs, however little they agree
SMALL = replace(ROUNDS, block_variables=70.0, blocks_per_round=6)


@pytest.fixture(autouse=True)
def _few_rounds(monkeypatch):
    monkeypatch.setattr(tuned, "OPTIONS", ROUNDS)


def told(found):
    """All of it but the time it took."""
    return {**found.to_json(), "seconds": None}, found.rows.tobytes()


@pytest.fixture(scope="module")
def one(cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuned, "OPTIONS", ROUNDS)
        return told(bl.posterior(cache, **GIVEN))


@pytest.fixture
def small_blocks(monkeypatch):
    """So that a round has many blocks."""
    monkeypatch.setattr(tuned, "OPTIONS", SMALL)


# The state of a chain


def test_a_chain_goes_on_from_its_state(cache):
    start = np.array([int(cache.first[v]) + _empty(cache, v) for v in range(7)] * 2, dtype=np.uint64)
    whole = _core.ChainSampler(cache.core, start, 2, 3, 0.2, 9)
    wanted = whole.run(40, 2, threads=1)
    rows = wanted["candidates"].reshape(2, 40, 7)
    weights = wanted["log_weights"].reshape(2, 40)
    for chain in range(2):
        state, found, heights = None, [], []
        for count in (1, 9, 30):
            sampler = _core.ChainSampler(cache.core, start[:7], 1, 3, 0.2, 9)
            if state is None:
                sampler.begin(0, chain, start[:7])
            else:
                sampler.restore(0, state)
                assert np.array_equal(sampler.state(0), state)
            out = sampler.run(count, 2, threads=1)
            found.append(out["candidates"].reshape(-1, 7))
            heights.append(out["log_weights"])
            state = sampler.state(0)
        assert np.array_equal(np.concatenate(found), rows[chain])
        assert np.array_equal(np.concatenate(heights), weights[chain])
        assert np.array_equal(state, whole.state(chain))


def _empty(cache, v):
    return next(k for k, (_, up) in enumerate(cache.candidates(cache.names[v])) if not up)


def test_what_is_no_state_is_refused(cache):
    start = np.array([int(cache.first[v]) + _empty(cache, v) for v in range(7)], dtype=np.uint64)
    sampler = _core.ChainSampler(cache.core, start, 1, 2, 0.2, 9)
    state = sampler.state(0)
    with pytest.raises(InputError, match="not the state of a chain"):
        sampler.restore(0, state[:-1])
    refused = 0
    for place in range(len(state)):
        wrong = state.copy()
        wrong[place] = 2**40
        try:
            sampler.restore(0, wrong)
        except InputError:
            refused += 1
    assert refused >= 2 * 2 * 7  # families and orders, at each of two temperatures
    with pytest.raises(InputError, match="initial network"):
        sampler.begin(1, 0, start)


# The same bytes


@pytest.mark.usefixtures("small_blocks")
def test_threads_and_folders_do_not_show(cache, one, tmp_path):
    for threads in (1, 2):
        folder = tmp_path / str(threads)
        assert told(bl.posterior(cache, blocks=folder, threads=threads, **GIVEN)) == one
        assert len(list(folder.iterdir())) > 3 * 3 * 5
    with ThreadPoolExecutor(2) as pool:
        assert told(bl.posterior(cache, executor=pool, **GIVEN)) == one


@pytest.mark.usefixtures("small_blocks")
def test_a_pool_of_processes_does_not_show(cache, one):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert told(bl.posterior(cache, executor=pool, **GIVEN)) == one


def test_a_table_is_scored_on_workers_too(table):
    given = {**GIVEN, "samples": 30}
    with ThreadPoolExecutor(2) as pool:
        assert told(bl.posterior(table, executor=pool, **given)) == told(bl.posterior(table, **given))


@pytest.mark.parametrize("threads", [None, 3])
def test_tasks_that_score_a_table_have_one_thread_if_nothing_is_said(monkeypatch, threads):
    given = []

    def noted(*arguments, **options):
        given.append(options["threads"])
        return score_parent_sets(*arguments, **options)

    monkeypatch.setattr(api, "score_parent_sets", noted)
    table = bl.random_network(4, seed=1).sample(50, seed=1)
    with ThreadPoolExecutor(2) as pool:
        bl.posterior(table, executor=pool, threads=threads)
    assert given == [threads]


# Gone on with


class Enough(Exception):
    """Ends a run in the middle, as a kill would."""


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("after", [1, 8, 14])
def test_a_folder_is_gone_on_from(cache, one, tmp_path, monkeypatch, after):
    kept = in_blocks.run_blocks
    seen: list[int] = []

    def some(*given, **more):
        if len(seen) == after:
            raise Enough
        seen.append(1)
        return kept(*given, **more)

    monkeypatch.setattr(in_blocks, "run_blocks", some)
    with pytest.raises(Enough):
        bl.posterior(cache, blocks=tmp_path / "kept", **GIVEN)
    done: list[int] = []
    sample = in_blocks.sample_block

    def counted(*given):
        done.append(1)
        return sample(*given)

    monkeypatch.setattr(in_blocks, "run_blocks", kept)
    monkeypatch.setattr(in_blocks, "sample_block", counted)
    monkeypatch.setattr(api._Work, "starts", lambda *_: pytest.fail("starts are kept, too"))
    assert told(bl.posterior(cache, blocks=tmp_path / "kept", **GIVEN)) == one
    first = len(done)
    assert told(bl.posterior(cache, blocks=tmp_path / "kept", **GIVEN)) == one
    assert len(done) == first  # nothing is done a second time


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("short", [0, 4, 20])
def test_a_block_that_time_ended_early_does_not_show_later(cache, one, tmp_path, monkeypatch, short):
    """As where more chains than workers share the last second, and one of them is slow: the run goes on from
    an unfinished block, which a later call repeats to its end."""
    sample, calls = in_blocks.sample_block, []

    def some(content, arguments, limits):
        calls.append(1)
        if len(calls) == short + 1:
            arguments = {**arguments, "samples": arguments["samples"] // 2}
        return sample(content, arguments, limits)

    monkeypatch.setattr(in_blocks, "sample_block", some)
    assert told(bl.posterior(cache, blocks=tmp_path, threads=1, **GIVEN)) != one
    monkeypatch.setattr(in_blocks, "sample_block", sample)
    found = told(bl.posterior(cache, blocks=tmp_path, **GIVEN))
    assert found == one


@pytest.mark.usefixtures("small_blocks")
def test_damaged_blocks_are_done_anew(cache, one, tmp_path):
    bl.posterior(cache, blocks=tmp_path, **GIVEN)
    files = sorted(path for path in tmp_path.iterdir() if "chain" in path.name)
    for k, path in enumerate(files):
        data = path.read_bytes()
        if k % 7 == 0:
            path.write_bytes(data[: len(data) // 2])
        elif k % 7 == 1:
            path.write_bytes(files[0].read_bytes())  # another's
        elif k % 7 == 2:
            middle = len(data) - 9
            path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    starts = next(path for path in tmp_path.iterdir() if "starts" in path.name)
    starts.write_bytes(b"nothing")
    assert told(bl.posterior(cache, blocks=tmp_path, **GIVEN)) == one


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 5}, "seed was 4 and is 5"),
        ({"chains": 2}, "chains was 3 and is 2"),
        ({"samples": 40}, "samples was 60 and is 40"),
        ({"constraints": {"forbidden": [("X0", "X1")]}}, "constraints was {} and is"),
    ],
)
def test_other_options_are_refused(cache, tmp_path, change, message):
    bl.posterior(cache, blocks=tmp_path, **GIVEN)
    with pytest.raises(InputError, match="holds chains of another posterior: .*" + message):
        bl.posterior(cache, blocks=tmp_path, **{**GIVEN, **change})


def test_another_table_is_refused(cache, table, tmp_path):
    bl.posterior(cache, blocks=tmp_path, **GIVEN)
    rows = bl.random_network(7, states=(2, 3), max_parents=2, seed=2).sample(50, seed=3)
    with pytest.raises(InputError, match="its table, or the parent sets scored, differ"):
        bl.posterior(bl.score(rows, bayes_factor=1e3), blocks=tmp_path, **GIVEN)
    with pytest.raises(InputError, match="score was 'bic' and is 'bdeu'"):
        bl.posterior(bl.score(table, score="bdeu", bayes_factor=1e3), blocks=tmp_path, **GIVEN)
    kept = json.loads((tmp_path / in_blocks.MANIFEST).read_text())
    (tmp_path / in_blocks.MANIFEST).write_text(json.dumps({**kept, "bayesloom": "0.0.1"}))
    with pytest.raises(InputError, match="another version of Bayesloom wrote it"):
        bl.posterior(cache, blocks=tmp_path, **GIVEN)
    (tmp_path / in_blocks.MANIFEST).write_text("[")
    with pytest.raises(InputError, match="another version of Bayesloom wrote it"):
        bl.posterior(cache, blocks=tmp_path, **GIVEN)


def test_exact_sums_have_no_chains(cache, table, tmp_path):
    for name, value in (("blocks", tmp_path), ("executor", "local:1"), ("chains", 4)):
        for method in ("auto", "exact"):
            with pytest.raises(InputError, match=f"{name} is for Markov chains"):
                bl.posterior(cache, method=method, **{name: value})
    with pytest.raises(InputError, match="chains is for Markov chains"):
        bl.posterior(table, chains=4, executor="local:1")
    with pytest.raises(InputError, match="blocks is for Markov chains"):
        bl.posterior(table, blocks=tmp_path)


@pytest.mark.usefixtures("small_blocks")
def test_time_ends_blocks_too(cache, tmp_path):
    found = bl.posterior(
        cache, method="chains", chains=2, samples=200_000, time_limit=1.0, blocks=tmp_path, seed=1
    )
    assert 0 < found.diagnostics.samples < 200_000
    assert found.stopped == (not found.reliable)


def test_the_verb_keeps_chains(cache, tmp_path, monkeypatch, capsys, one):
    monkeypatch.chdir(tmp_path)
    cache.write("t.blc")
    line = "posterior t.blc --method chains --chains 3 --samples 60 --seed 4 --json run.json --blocks kept"
    for _ in range(2):
        assert run(capsys, line).code in (0, 3)
        written = json.loads((tmp_path / "run.json").read_text())
        assert written["edges"] == json.loads(json.dumps(one[0]["edges"]))
    assert in_blocks.MANIFEST in os.listdir("kept")
    ended = run(capsys, line.replace("--seed 4", "--seed 5"))
    assert ended.code == 1
    assert "seed was 4 and is 5" in ended.err
    ended = run(capsys, "posterior t.blc --method exact --blocks kept")
    assert ended.code == 1
    assert "--blocks would be without effect" in ended.err
