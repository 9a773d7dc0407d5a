"""The bootstrap: seeds, threads, folders, limits, strengths, the threshold and the averaged network."""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.cluster import blocks as cluster_blocks
from bayesloom.cluster.workers import TaskLimits
from bayesloom.errors import InputError, ResourceError
from bayesloom.resampling import learners
from bayesloom.resampling.replicates import redrawn
from bayesloom.resampling.result import Bootstrap, wilson_interval
from bayesloom.resampling.threshold import significance_threshold
from made.command import run
from reference.averaging import threshold_by_search


@pytest.fixture(scope="module")
def table():
    return bl.random_network(7, states=(2, 3), max_parents=2, seed=4).sample(150, seed=4)


def own_learner(given):
    return bl.Network(given.names, {given.names[1]: [given.names[0]]})


class Kept:
    """A learner that holds something."""

    def __init__(self, first):
        self.first = first

    def __call__(self, table):
        return own_learner(table)

    def learn(self, table):
        return own_learner(table)


def test_replicates_draw_as_many_rows_and_only_those_there_are(table):
    rows = {tuple(row) for row in np.stack(table.codes, 1).tolist()}
    drawn = redrawn(table, 3, 8)
    assert drawn.total_weight == table.total_weight
    assert {tuple(row) for row in np.stack(drawn.codes, 1).tolist()} <= rows
    assert drawn == redrawn(table, 3, 8)
    assert drawn != redrawn(table, 3, 9)
    assert drawn != redrawn(table, 4, 8)


def test_weights_are_drawn_as_rows_are():
    plain = bl.Table.from_codes("a", [["x", "y"]], [[0] * 30 + [1] * 70])
    counted = bl.Table.from_codes("a", [["x", "y"]], [[0, 1]], weights=[30, 70])
    shares = []
    for given in (plain, counted):
        ones = [
            sum(int(w) for c, w in zip(t.codes[0], t.weights, strict=True) if c)
            for t in (redrawn(given, 1, k) for k in range(400))
        ]
        assert all(redrawn(given, 1, k).total_weight == 100 for k in range(5))
        shares.append((np.mean(ones), np.var(ones)))
    for mean, variance in shares:
        assert mean == pytest.approx(70, abs=1)  # four standard errors
        assert variance == pytest.approx(21, rel=0.3)


@pytest.mark.parametrize("learner", ["hill_climb", "tabu", "exact"])
def test_the_same_on_any_number_of_threads_and_on_an_executor(table, learner):
    one = bl.bootstrap(table, 13, learner=learner, seed=2, threads=1)
    assert one.networks == bl.bootstrap(table, 13, learner=learner, seed=2, threads=3).networks
    with ThreadPoolExecutor(2) as pool:
        assert one.networks == bl.bootstrap(table, 13, learner=learner, seed=2, executor=pool).networks
    assert one.networks != bl.bootstrap(table, 13, learner=learner, seed=3).networks
    assert one.complete
    assert one.replicates == 13
    assert not one.interrupted


def test_each_replicate_is_what_the_learner_gives_of_its_table(table):
    found = bl.bootstrap(table, 7, learner="exact", seed=5)
    for k, network in enumerate(found.networks):
        best = bl.search(bl.score(redrawn(table, 5, k)), solver="dp")
        assert bl.verify(network, table=redrawn(table, 5, k), score="bic").score == pytest.approx(best.score)


def neighbours(network):
    """All networks with one edge more, less, or turned."""
    for a, b in itertools.permutations(network.names, 2):
        parents = {v: set(up) for v, up in network.parents.items()}
        if a in parents[b]:
            parents[b].remove(a)
            yield parents
            parents = {v: set(up) for v, up in parents.items()}
            parents[a].add(b)
            yield parents
        else:
            parents[b].add(a)
            yield parents


def test_a_climb_ends_where_no_edge_gains_and_a_tabu_list_is_never_worse(table):
    climbs, tabus = (bl.bootstrap(table, 5, learner=name, seed=5).networks for name in ("hill_climb", "tabu"))
    for k, (climb, tabu) in enumerate(zip(climbs, tabus, strict=True)):
        again = redrawn(table, 5, k)

        def value(network, drawn=again):
            return bl.verify(network, table=drawn, score="bic").score

        reached = value(climb)
        assert value(tabu) >= reached - 1e-9
        for parents in neighbours(climb):
            try:
                other = bl.Network(table.names, parents)
            except InputError:  # a cycle
                continue
            assert value(other) <= reached + 1e-9


@pytest.mark.parametrize("learner", ["hill_climb", "tabu"])
def test_directions_do_not_follow_the_order_of_the_columns(learner):
    """Of two variables that are equal but for their names the table tells no direction."""
    pair = bl.Table.from_codes(["a", "b"], [["x", "y"]] * 2, [[0, 1] * 20] * 2)
    for given in (pair, pair.select(["b", "a"])):
        found = bl.bootstrap(given, 60, learner=learner, classes=False)
        assert found.strength("a", "b") == 1
        assert 0.25 < found.direction("a", "b") < 0.75


def test_rows_of_numbers_that_were_mostly_set_are_drawn_until_they_have_a_score():
    """Of three rows in which x was not set a ninth of all draws has one three times."""
    draw = np.random.default_rng(0)
    x = draw.normal(size=60)
    columns = {"x": x, "y": x + draw.normal(size=60)}
    was_set = ["x"] * 57 + [None] * 3
    table = bl.read_table(columns, continuous=["x", "y"], interventions=was_set)
    for learner in ("exact", "hill_climb"):
        found = bl.bootstrap(table, 40, score="bic-g", max_parents=1, learner=learner, threads=1)
        assert found.complete
    for k in range(40):
        again = redrawn(table, 0, k)
        assert again.total_weight == 60
        free = ~again.interventions.was_set("x")
        assert again.weights[free].sum() == 3
        assert len(set(again.column("x")[free].tolist())) > 1


def test_blocks_of_another_version_are_not_resumed(table, tmp_path, monkeypatch):
    """It may have drawn or climbed in another way, under the same name."""
    for version in ("0.0.1", "0.0.2"):
        monkeypatch.setattr(bl, "__version__", version)
        assert bl.bootstrap(table, 6, blocks=tmp_path, learner="hill_climb").taken_up == 0
    assert bl.bootstrap(table, 6, blocks=tmp_path, learner="hill_climb").taken_up == 2


def test_a_learner_of_ones_own(table):
    found = bl.bootstrap(table, 6, learner=own_learner, classes=False)
    a, b = table.names[:2]
    assert found.strength(a, b) == 1
    assert found.direction(a, b) == 1
    assert found.direction(b, a) == 0
    assert bl.bootstrap(table, 6, learner=own_learner).direction(a, b) == 0.5
    with pytest.raises(InputError, match="other variables"):
        bl.bootstrap(table, 2, learner=lambda _: bl.Network("xy", {}))


def test_a_learner_of_ones_own_keeps_the_constraints_or_is_refused(table):
    """The result says under which constraints its networks are."""
    a, b = table.names[:2]
    for given, words in (
        ({"constraints": {"forbidden": [[a, b]]}}, "forbidden edge"),
        ({"max_parents": 0}, "a variable has 1 parent, more than 0"),
    ):
        for classes in (True, False):
            with pytest.raises(InputError, match=f"own_learner returned a network that breaks .*{words}"):
                bl.bootstrap(table, 2, learner=own_learner, classes=classes, **given)
    found = bl.bootstrap(table, 2, learner=own_learner, constraints={"required": [[a, b]]}, max_parents=1)
    assert found.direction(a, b) == 1


@pytest.mark.parametrize("target", ["net.dot", "net.bif", "net.json", "net.svg"])
def test_an_averaged_network_that_breaks_the_constraints_is_written_and_says_so(
    tmp_path, monkeypatch, capsys, target
):
    """Every replicate keeps a limit of one parent; the pairs joined in a fifth of them do not."""
    monkeypatch.chdir(tmp_path)
    bl.random_network(6, states=(2, 2), max_parents=3, seed=3).sample(60, seed=3).write("t.csv")
    (tmp_path / "r.toml").write_text('[max_parents]\n"*" = 1\n')
    line = "bootstrap t.csv --replicates 12 --seed 1 --constraints r.toml --threshold 0.1 --json run.json"
    ended = run(capsys, f"{line} -o {target}")
    assert ended.code == 0
    assert "note: the averaged network breaks the constraints: " in ended.out
    written = json.loads((tmp_path / "run.json").read_text())
    assert max(map(len, written["averaged"]["parents"].values())) > 1
    assert (tmp_path / target).exists()
    assert run(capsys, "verify run.json --data t.csv --constraints r.toml").code == 0
    assert run(capsys, "view run.json -o page.html").code == 0
    page = (tmp_path / "page.html").read_text()
    assert "It breaks the constraints: " in page
    assert "that keeps the constraints" not in page


def test_strengths_and_directions_by_definition(table):
    found = bl.bootstrap(table, 30, learner="hill_climb")
    n = len(table.names)
    counts = np.zeros((n, n))
    for network in found.networks:
        for a, b in network.cpdag.compelled:
            counts[network.index(a), network.index(b)] += 1
        for a, b in network.cpdag.reversible:
            counts[network.index(a), network.index(b)] += 0.5
            counts[network.index(b), network.index(a)] += 0.5
    assert np.allclose(found.edge_frequencies.matrix, counts / 30)
    for edge in found.edges():
        i, j = table.index(edge.source), table.index(edge.target)
        assert edge.strength == pytest.approx((counts[i, j] + counts[j, i]) / 30)
        assert edge.direction == pytest.approx(counts[i, j] / (counts[i, j] + counts[j, i]))
        assert edge.direction >= 0.5
        assert edge.low <= edge.strength <= edge.high
    assert found.edges() == sorted(found.edges(), key=lambda edge: -edge.strength)


def test_under_constraints_directions_that_they_fix_count_whole():
    table = bl.read_table({"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9})
    held = bl.bootstrap(table, 5, constraints={"tiers": [["wet"], ["rain"]]})
    assert held.direction("wet", "rain") == 1


def test_the_threshold_is_nearest_in_l1():
    draw = np.random.default_rng(0)
    for _ in range(40):
        strengths = np.round(draw.beta(0.3, 0.5, size=draw.integers(1, 30)), 2)
        found = significance_threshold(strengths)
        t = float(np.mean(strengths <= found)) if (strengths <= found).any() and found > 0 else 0.0
        if found == 0:
            t = min((0.0, float(np.mean(strengths == 0))), key=lambda value: _norm(strengths, value))
        assert _norm(strengths, t) <= threshold_by_search(strengths) + 1e-9


def _norm(strengths, t):
    ordered = np.sort(strengths)
    knots = np.unique(np.concatenate([[0.0], ordered, [1.0]]))
    values = np.searchsorted(ordered, knots[:-1], side="right") / len(ordered)
    return float(np.abs(values - t) @ np.diff(knots))


def test_the_averaged_network_has_the_edges_above_the_threshold(table):
    found = bl.bootstrap(table, 40)
    averaged = found.averaged_network()
    above = {frozenset((edge.source, edge.target)) for edge in found.edges() if edge.significant}
    assert {frozenset(edge) for edge in averaged.network.edges} == above
    assert averaged.threshold == found.threshold
    assert found.averaged_network(1.0).network.edges == []


def test_pairs_joined_equally_often_have_equal_strengths():
    """0.1 + 0.2 is above 0.3 in floating point; 3 of 10 replicates are 3 of 10 whichever way edges point."""
    names = ("a", "b", "c", "d")
    none, along, against = (
        bl.Network.from_edges(names, edges)
        for edges in ([], [("a", "b"), ("c", "d")], [("b", "a"), ("c", "d")])
    )
    for replicates in (3, 7, 10, 23):
        for joined in range(1, replicates + 1):
            for turned in range(joined + 1):
                networks = [against] * turned + [along] * (joined - turned) + [none] * (replicates - joined)
                found = Bootstrap(names, tuple(networks), replicates, classes=False)
                assert found.strength("a", "b") == found.strength("c", "d") == joined / replicates
                assert found.edge_frequencies.directed("b", "a") == pytest.approx(turned / replicates)


def test_wilson_intervals_cover():
    draw = np.random.default_rng(1)
    held = [
        low <= 0.3 <= high
        for low, high in (wilson_interval(draw.binomial(200, 0.3) / 200, 200, 0.95) for _ in range(2000))
    ]
    assert 0.93 <= np.mean(held) <= 0.97


def test_a_folder_is_gone_on_from(table, tmp_path):
    first = bl.bootstrap(table, 10, learner="hill_climb", seed=1, blocks=tmp_path)
    assert first.taken_up == 0
    again = bl.bootstrap(table, 20, learner="hill_climb", seed=1, blocks=tmp_path)
    assert again.taken_up == 2
    assert again.networks == bl.bootstrap(table, 20, learner="hill_climb", seed=1).networks
    assert again.networks[:10] == first.networks
    # Another seed, score or table is another job.
    assert bl.bootstrap(table, 10, learner="hill_climb", seed=2, blocks=tmp_path).taken_up == 0
    assert bl.bootstrap(table, 10, learner="hill_climb", seed=1, score="aic", blocks=tmp_path).taken_up == 0
    with pytest.raises(InputError, match="without a name of a module"):
        bl.bootstrap(table, 5, learner=lambda t: own_learner(t), blocks=tmp_path)
    # Objects that can be called would all have the same name, whatever they hold.
    for learner in (partial(own_learner), Kept(0), Kept(0).learn):
        with pytest.raises(InputError, match="without a name of a module"):
            bl.bootstrap(table, 5, learner=learner, blocks=tmp_path)
        assert bl.bootstrap(table, 5, learner=learner).complete
    assert bl.bootstrap(table, 5, learner=own_learner, blocks=tmp_path).learner.endswith(".own_learner")


def test_damaged_blocks_are_done_anew(table, tmp_path):
    whole = bl.bootstrap(table, 10, learner="hill_climb", blocks=tmp_path)
    files = sorted(tmp_path.glob("bootstrap-*.json"))
    assert len(files) == 2
    files[0].write_bytes(files[0].read_bytes()[:-7])
    held = json.loads(files[1].read_text())
    held["replicates"] = {k: [[1], [0], *up[2:]] for k, up in held["replicates"].items()}  # a cycle
    files[1].write_text(json.dumps(held))
    again = bl.bootstrap(table, 10, learner="hill_climb", blocks=tmp_path)
    assert again.taken_up == 0
    assert again.networks == whole.networks


def test_interrupted_after_some(table, monkeypatch):
    keep = cluster_blocks._Run.keep

    def then_stop(self, *given):
        keep(self, *given)
        if len(self.finished.done) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(cluster_blocks._Run, "keep", then_stop)
    found = bl.bootstrap(table, 100, learner="hill_climb", threads=1)
    assert found.interrupted
    assert found.replicates == 10
    assert not found.complete
    assert found.networks == bl.bootstrap(table, 10, learner="hill_climb", threads=1).networks


def test_scoring_and_search_share_the_time_of_a_replicate(table, monkeypatch, stepping_clock):
    given = []

    def score(*args, **options):
        given.append(options.pop("time_limit"))
        return bl.score(*args, **options)

    def search(*args, **options):
        given.append(options["time_limit"])
        return bl.search(*args, **options)

    stepping_clock(1.0)
    monkeypatch.setattr(learners, "score_parent_sets", score)
    monkeypatch.setattr(learners, "search", search)
    learner = learners.Learner("exact", "bic", {}, None, {})
    learner.learn(table, 0, 0, TaskLimits(seconds=1e6, threads=1, memory=None))
    scoring, searching = given
    assert scoring == 1e6
    assert 0 < searching <= 1e6 - 1


def test_no_time_at_all():
    table = bl.random_network(30, seed=1).sample(5000, seed=1)
    with pytest.raises(ResourceError, match="before a replicate was learned"):
        bl.bootstrap(table, 5, learner="exact", time_limit=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"replicates": 0}, "replicates must be a whole number of at least 1"),
        ({"learner": "best"}, "learner"),
        ({"learner": 3}, "learner must be a name or a function"),
        ({"level": 1}, "level must lie between 0 and 1"),
        ({"constraints": {"required": [["no", "such"]]}}, "no"),
    ],
)
def test_bad_input(table, given, message):
    with pytest.raises(InputError, match=message):
        bl.bootstrap(table, **given)


def test_the_verb(table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table.write("t.csv")
    ended = run(capsys, "bootstrap t.csv --replicates 12 --seed 1 -o net.json --json run.json --blocks kept")
    assert ended.code == 0
    assert "all 12 replicates were learned, with learner exact" in ended.out
    written = json.loads((tmp_path / "run.json").read_text())
    assert written["replicates"] == written["asked"] == 12
    found = bl.bootstrap(bl.read_table("t.csv"), 12, seed=1)
    assert written["edges"] == found.to_json()["edges"]
    assert bl.read_network("net.json").network == found.averaged_network().network
    assert "kept before" in run(capsys, "bootstrap t.csv --replicates 12 --seed 1 --blocks kept").out
    assert run(capsys, "bootstrap t.csv --learner none").code == 1
