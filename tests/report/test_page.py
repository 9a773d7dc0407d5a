"""The page: one file, nothing from outside, complete without scripts, harmless whatever names hold."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

import bayesloom as bl
from bayesloom.report import charts, network_part, variables
from bayesloom.report.content import how_sure_object, of_how_sure, of_network, of_run
from bayesloom.report.how_sure import how_sure
from bayesloom.report.page import page_text
from bayesloom.solvers.result import about_table, run_object
from made.command import exit_code
from report.test_drawing import HOSTILE

VOID = {"meta", "br", "input"}
TAGS = """html head meta title style body a header h1 h2 h3 p nav ul li main section form label input datalist
span button select option output div svg g path rect text aside table caption thead tbody tr th td details
summary small br footer script code dl dt dd"""


class Tree(HTMLParser):
    """Tags, attributes and text of a page; fails where tags do not close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.scripts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.scripts if self.open and self.open[-1] in ("script", "style") else self.text).append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def loom():
    table = bl.random_network(8, max_parents=3, seed=3).sample(300, seed=3)
    return table, bl.learn(table)


@pytest.fixture(scope="module")
def page(loom):
    table, result = loom
    return page_text(of_run(run_object(result, "learn", line="bayesloom learn x.csv"), table=table))


def test_nothing_comes_from_outside(page):
    tree = Tree(page)
    assert {name for name, _ in tree.tags} <= set(TAGS.split())
    for name, attributes in tree.tags:
        assert not {"src", "style", "srcset", "action", "data"} & set(attributes), (name, attributes)
        assert not any(key.startswith("on") for key in attributes)
        assert attributes.get("href", "#").startswith("#")
    assert "http" not in re.sub(r"http-equiv|http://www\.w3\.org/2000/svg", "", page)


def test_the_policy_allows_the_own_script_and_style_and_nothing_else(page):
    policy = next(a["content"] for a in Tree(page).named("meta") if a.get("http-equiv"))
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"

    def hash_of(tag):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.S)[1]
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules["script-src"] == hash_of("script")
    assert rules["style-src"] == hash_of("style")


def test_every_link_leads_somewhere_and_every_id_is_one(page):
    tree = Tree(page)
    ids = [attributes["id"] for _, attributes in tree.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    links = {attributes["href"][1:] for attributes in tree.named("a")}
    assert links <= set(ids)
    assert {f"v{i}" for i in range(8)} <= links


def test_all_is_there_without_scripts(loom, page):
    table, result = loom
    text = " ".join(Tree(page).text)
    assert result.claim in text
    for a, b in result.network.edges:
        assert a in text
        assert b in text
    fitted = result.fit()
    for name in table.names:
        row = fitted.cpt(name).reshape(-1, len(table.states[table.index(name)]))[0]
        assert all(f"{p:.3f}" in text for p in row)
    assert "bayesloom learn x.csv" in text
    assert "Local scores" in text
    assert f"{result.local_scores[table.names[0]]:,.4f}" in text
    assert page.count('class="bars"') == 2 * len(table.names)
    for part in (
        "nats",
        "Markov blanket",
        "v-structure" if result.cpdag.compelled else "reversible",
        "Seconds".lower(),
    ):
        assert part in text


def test_bars_are_as_long_as_probabilities(sprinkler):
    page = page_text(of_network(sprinkler, "x"))
    cells = re.findall(r"<td class=p(\d+)>([\d.]+)</td>", page)
    assert len(cells) == sum(sprinkler.cpt(name).size for name in sprinkler.names)
    assert all(abs(int(share) - 100 * float(p)) <= 0.51 for share, p in cells)
    assert ".cpt .p37{background-size:37% 78%}" in page


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: repr(name[:12]))
def test_hostile_names_are_text_and_nothing_else(name):
    network = bl.Network(["first", name], {name: ["first"]})
    states = [[name, f"{name}2"], ["x", f"{name} y"]]
    fitted = bl.FittedNetwork(network, states, [[0.5, 0.5], [[0.5, 0.5], [0.2, 0.8]]])
    plain = bl.FittedNetwork(
        bl.Network("ab", {"b": ["a"]}), [["x", "y"]] * 2, [[0.5, 0.5], [[0.5, 0.5], [0.2, 0.8]]]
    )
    tree, same = Tree(page_text(of_network(fitted, name))), Tree(page_text(of_network(plain, "x")))
    kept = [tag for tag, _ in tree.tags if tag != "title"]  # a long name has one more
    assert kept == [tag for tag, _ in same.tags if tag != "title"]
    assert len("".join(tree.text)) < 20_000
    data = json.loads(next(text for text in tree.scripts if text.startswith("{")))
    assert len(data["names"]) == 2
    assert "\x1b" not in "".join(data["names"])


def test_a_run_with_hostile_words_everywhere(loom):
    table, result = loom
    bad = "</script><script>alert(1)</script>"
    run = run_object(result, "learn", line=bad)
    run |= {"claim": bad, "solver": bad, "notes": [bad], "method": bad}
    run["table"] |= {"source": bad, "notes": [bad]}
    text = page_text(of_run(run, table=table))
    assert text.count("<script") == 2
    assert "alert(1)</script>" not in text


def test_five_hundred_variables_are_less_than_two_megabytes():
    """With all that a page can show: probabilities, local scores, histograms, strengths, a credible set."""
    fitted = bl.random_network(500, max_parents=5, seed=1)
    network, table = fitted.network, fitted.sample(300, seed=1)
    strengths = [{"from": a, "to": b, "compelled": None, "strength": 123.456} for a, b in network.edges]
    run = dict.fromkeys(("score", "bound", "gap"), 0.0) | {
        "status": "stopped",
        "claim": "within 0 of the best",
        "solver": "auto",
        "parents": {name: list(up) for name, up in network.parents.items()},
        "score_name": "bic",
        "edges": strengths,
        "trace": [[k / 100, k, -1e5 + k, 1e5 / (k + 1)] for k in range(3000)],
        "table": about_table(table),
    }
    credible = {"bayes_factor": 20.0, "best": 0.0, "claim": "many", "parents": run["parents"]}
    credible["edges"] = [
        {"from": x, "to": y, "posterior": 0.49, "adjacent": 0.98}
        for a, b in network.edges
        for x, y in ((a, b), (b, a))
    ]
    text = page_text(of_run(run, table=table, sure=credible))
    assert len(text.encode()) < 2_000_000
    assert text.count('class="v"') == 500
    assert text.count('<g class="e ') == len(network.edges) >= 1000


def test_larger_networks_are_seen_by_neighbourhood():
    fitted = bl.random_network(520, max_parents=3, seed=1)
    text = page_text(of_network(fitted, "large"))
    assert "neighbourhood by neighbourhood" in text
    assert 2 <= text.count('class="v"') <= network_part.AROUND
    assert text.count('class="variable"') == 520
    tree = Tree(text)
    ids = {attributes["id"] for _, attributes in tree.tags if "id" in attributes}
    boxes = [a["href"][1:] for a in tree.named("a") if a.get("class") == "v"]
    assert set(boxes) <= ids


def test_what_is_cut_is_said(monkeypatch):
    network = bl.Network("abcdefgh", {"h": list("abcdefg")})
    tables = [[0.5, 0.5]] * 7 + [[[[[[[[[0.5, 0.5]] * 2] * 2] * 2] * 2] * 2] * 2] * 2]
    fitted = bl.FittedNetwork(network, [["x", "y"]] * 8, tables)
    assert "the first 64 of 128 rows" in page_text(of_network(fitted, "x"))
    monkeypatch.setattr(variables, "ROOM", 6000)
    shown = re.search(r"the first (\d+) of 128 rows", page_text(of_network(fitted, "x")))
    assert 1 <= int(shown[1]) < 64


def test_a_credible_set_alone_and_beside_a_run(loom, tmp_path, monkeypatch):
    table, result = loom
    monkeypatch.chdir(tmp_path)
    table.write("t.csv")
    assert exit_code("credible", "t.csv", "-q", "--json", "set.json") == 0
    found = json.loads((tmp_path / "set.json").read_text())
    alone = page_text(of_how_sure(found))
    beside = page_text(of_run(run_object(result, "learn"), table=table, sure=found))
    for text in (alone, beside):
        assert f"{found['count']:,}" in text
        assert 'class="map"' in text
        assert text.count('class="cell"') == len([e for e in found["edges"] if e["posterior"] > 0])
    assert "Credible networks" in page_text(of_run(run_object(result, "learn"), sure=found), "markdown")
    same = result.credible(20)
    result.report("r.html", credible=same)
    drawn = (tmp_path / "r.html").read_text().count('class="cell"')
    assert drawn == len(same.edge_posterior.rows()) > 0
    assert "equivalence classes" not in (tmp_path / "r.html").read_text()
    assert same.classes.count > 0
    result.report("r.html", credible=same)  # now they are known
    assert "equivalence classes" in (tmp_path / "r.html").read_text()
    with pytest.raises(bl.InputError, match="different variables"):
        of_run(run_object(bl.learn({"a": [0, 1] * 9, "b": [0, 1] * 9}), "learn"), sure=found)
    found["edges"][0]["posterior"] = 7
    with pytest.raises(bl.InputError, match="between 0 and 1"):
        of_how_sure(found)


@pytest.mark.parametrize("verb", ["posterior", "bootstrap"])
def test_a_posterior_or_a_bootstrap_alone_and_beside_a_run(verb, loom, tmp_path, monkeypatch, capsys):
    table, result = loom
    monkeypatch.chdir(tmp_path)
    table.write("t.csv")
    few = ["--replicates", "20"] if verb == "bootstrap" else []
    assert exit_code(verb, "t.csv", "-q", *few, "--json", "sure.json") == 0
    (tmp_path / "run.json").write_text(json.dumps(run_object(result, "learn")))
    assert exit_code("view", "sure.json", "--no-open", "-o", "alone.html") == 0
    assert exit_code("view", "run.json", f"--{verb}", "sure.json", "--no-open", "-o", "beside.html") == 0
    assert exit_code("report", "run.json", f"--{verb}", "sure.json", "-o", "beside.md") == 0
    found = json.loads((tmp_path / "sure.json").read_text())
    sure = how_sure(found)
    for name in ("alone.html", "beside.html"):
        text = (tmp_path / name).read_text()
        assert sure.heading in text
        assert text.count('class="cell"') == sum(share > 0 for share in sure.shares.values()) > 0
    assert "The network shown is the averaged one" in (tmp_path / "alone.html").read_text()
    assert sure.heading in (tmp_path / "beside.md").read_text()
    drawn = Tree((tmp_path / "alone.html").read_text())
    averaged = bl.Network(found["variables"], found["averaged"]["parents"])
    assert len([a for a in drawn.named("g") if a.get("class", "").startswith("e ")]) == len(averaged.edges)
    # the object that Python has is the one that the command wrote
    again = bl.posterior(table) if verb == "posterior" else bl.bootstrap(table, replicates=20)
    result.report("python.html", credible=again)
    assert sure.heading in (tmp_path / "python.html").read_text()
    capsys.readouterr()
    for wrong in (
        {**found, "edges": [{**found["edges"][0], "from": "nobody"}]},
        {**found, "averaged": {"parents": 3}},
        {**found, "variables": [*found["variables"], "one more"]},
    ):
        with pytest.raises(bl.InputError, match=r"nobody|parents"):
            how_sure(wrong)
    first = result.network.names[0]
    other = {**found, "variables": [], "edges": [], "averaged": {"parents": {"odd": [], first: []}}}
    del other["variables"]
    with pytest.raises(bl.InputError, match="different variables"):
        of_run(run_object(result, "learn"), sure=other)
    with pytest.raises(
        bl.InputError, match="not the JSON object of a run of credible, posterior or bootstrap"
    ):
        how_sure({"claim": "all is well"})


def test_a_share_is_called_what_it_is(loom):
    """The frequency of a bootstrap is no posterior, and the posterior of all networks not one of some."""
    table, result = loom
    for found in (result.credible(20), bl.posterior(table), bl.bootstrap(table, replicates=20)):
        sure = how_sure(how_sure_object(found))
        tree = Tree(page_text(of_run(run_object(result, "learn"), sure=how_sure_object(found))))
        data = json.loads(next(text for text in tree.scripts if text.startswith("{")))
        assert (data["share"], data["meaning"]) == (sure.column, sure.meaning)
        script = next(text for text in tree.scripts if "use strict" in text)
        assert not re.search("posterior|credible|resampled|frequency", script, re.IGNORECASE)
        [named] = [a["aria-label"] for a in tree.named("svg") if a.get("class") == "map"]
        assert named.startswith(f"{sure.column.capitalize()} of edges among")


def test_nearly_all_are_not_all(loom):
    table, result = loom
    found = bl.bootstrap(table, replicates=20).to_json()
    certain = "Every edge is there, or left out, in all of them."
    for strength, said in ((1.0, True), (0.9999, False)):
        edges = [{**edge, "strength": strength, "direction": 1.0} for edge in found["edges"]]
        page = page_text(of_run(run_object(result, "learn"), sure={**found, "edges": edges}))
        assert (certain in page) is said
        assert ("a share of at least 0.9995" in page) is not said


def test_a_bootstrap_without_edges_says_so(loom):
    table, result = loom
    names = table.names
    none = bl.bootstrap(table, replicates=3, constraints={"roots": list(names)}).to_json()
    assert none["edges"] == []
    assert "None of them has an edge." in page_text(of_how_sure(none))
    run = run_object(result, "learn")
    for form in ("html", "markdown"):
        text = page_text(of_run(run, sure=none), form)
        assert "None of them has an edge." in text
    shown = Tree(page_text(of_run(run, sure=none))).text.count("0.000")
    assert shown == len(result.network.edges) > 0  # known to be 0, not left open


def test_what_the_network_of_a_page_is(loom):
    """The one of a bootstrap has a threshold and not the least distance; what was not proved is not said."""
    table, _ = loom
    for given, words in (
        (bl.posterior(table).to_json(), "the averaged one, whose mean distance from all of them is least"),
        (
            bl.bootstrap(table, replicates=20).to_json(),
            "the averaged one, which joins the pairs above the threshold",
        ),
    ):
        assert f"<p>The network shown is {words}.</p>" in page_text(of_how_sure(given))
        open_one = {**given, "averaged": {**given["averaged"], "exact": False}}
        assert f"{words}, as far as was searched" in page_text(of_how_sure(open_one))


def test_shares_of_a_bootstrap_are_of_both_directions(loom):
    table, _ = loom
    found = bl.bootstrap(table, replicates=20)
    shares = how_sure(found.to_json()).shares
    directed = {(e.source, e.target): e.strength * e.direction for e in found.edges()}
    for (a, b), share in directed.items():
        assert shares[a, b] == share
        assert shares[a, b] + shares[b, a] == pytest.approx(found.strength(a, b))


def test_another_table_is_refused(loom):
    table, result = loom
    other = bl.random_network(8, max_parents=3, seed=4).sample(30, seed=3)
    run = run_object(result, "learn")
    if other.names == table.names:
        run["table"]["states"] = {name: ["a", "b", "c", "d", "e"] for name in table.names}
        with pytest.raises(bl.InputError, match="its states are not those"):
            of_run(run, table=other)


def test_charts():
    assert charts.trace_chart([]) == ""
    assert charts.trace_chart([[0.0, 1, -5.0, -3.0]]) == ""
    chart = charts.trace_chart([[0.1, 1, -9.0, -1e9], [0.2, 2, -5.0, -3.0], [0.9, 3, -5.0, -4.9]])
    assert chart.count("<path") >= 3
    assert "from -9.000 to -5.000" in chart
    points = [[float(k), k, -1e6 / (k + 1), 0.0] for k in range(5000)]
    assert len(charts.trace_chart(points)) < 100_000
    svg, drawn = charts.heat_map([f"v{i}" for i in range(100)], {("v98", "v99"): 0.5})
    assert drawn == charts.MAPPED
    assert svg.count('class="cell"') == 1
    assert charts.heat_map([], {})[1] == 0


# The verb


def test_view_shows_networks_runs_caches_and_sets(loom, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    loom[0].write("t.csv")
    table = bl.read_table("t.csv")
    result = bl.learn(table)
    result.write("net.bif")
    bl.score(table).write("t.blc")
    (tmp_path / "run.json").write_text(json.dumps(run_object(result, "learn")))
    assert exit_code("credible", "t.csv", "-q", "--json", "set.json") == 0
    assert exit_code("view", "net.bif") == 0
    assert opened == [(tmp_path / "net.html").as_uri()]
    assert "P(" in (tmp_path / "net.html").read_text()
    assert exit_code("view", "run.json", "--data", "t.csv", "--credible", "set.json", "--no-open") == 0
    assert "Local scores" in (tmp_path / "run.html").read_text()
    assert exit_code("view", "t.blc", "--no-open", "-o", "cache.html") == 0
    assert "best of the parent sets scored" in (tmp_path / "cache.html").read_text()
    assert exit_code("view", "set.json", "--no-open") == 0
    assert "Credible Bayesian networks" in (tmp_path / "set.html").read_text()
    result.network.write("plain.json")
    assert exit_code("view", "plain.json", "--no-open") == 0
    assert len(opened) == 1
    capsys.readouterr()
    assert exit_code("report", "t.blc", "-o", "report.html") == 1
    assert "t.blc is a score cache" in capsys.readouterr().err


def test_view_writes_over_no_file_of_others(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    bl.Network("ab", {"b": ["a"]}).write("net.json")
    (tmp_path / "net.html").write_text("mine")
    assert exit_code("view", "net.json", "--no-open") == 1
    assert "is no page of Bayesloom" in capsys.readouterr().err
    assert (tmp_path / "net.html").read_text() == "mine"
    assert exit_code("view", "net.json", "--no-open", "-o", "net.html") == 0
    assert exit_code("view", "net.json", "--no-open") == 0  # now it is ours
    assert exit_code("view", "net.json", "--no-open", "-o", "net.md") == 1
    assert exit_code("view", "net.json", "--no-open", "--time-limit", "3") == 1
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert exit_code("view", "net.json") == 0
    assert "no browser was found" in capsys.readouterr().err
