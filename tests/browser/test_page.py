"""The page in a real browser: it opens, moves, searches, tells, and stands without scripts."""

from __future__ import annotations

import re

import pytest

import bayesloom as bl
from bayesloom.report.content import of_run
from bayesloom.report.page import write_page
from browser.conftest import AXE, HOSTILE

# Where edges meet boxes that are not their own: points along every edge, in the drawing's own pixels.
THROUGH_BOXES = """() => {
  const boxes = [...document.querySelectorAll('.network .v')].map(
    v => [v.getAttribute('href'), v.querySelector('rect').getBBox()]);
  const edges = JSON.parse(document.getElementById('data').textContent).edges;
  let met = 0, looked = 0;
  document.querySelectorAll('.network .e').forEach(group => {
    const path = group.querySelector('.edge'), long = path.getTotalLength();
    const ends = edges[Number(group.dataset.edge)].slice(0, 2).map(i => '#v' + i);
    for (let k = 1; k < 60; k += 1) {
      const p = path.getPointAtLength(long * k / 60);
      looked += 1;
      for (const [href, b] of boxes) {
        const inside = p.x > b.x && p.x < b.x + b.width && p.y > b.y && p.y < b.y + b.height;
        if (!ends.includes(href) && inside) met += 1;
      }
    }
  });
  return [met, looked];
}"""


def until(page, condition):
    """Wait for a condition; `wait_for_function` makes a script of it, which the page forbids."""
    for _ in range(1000):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    pytest.fail(f"never true: {condition}")


def frame(page):
    return [float(x) for x in page.get_attribute(".network", "viewBox").split()]


def name_of(page, i):
    return page.evaluate(f"JSON.parse(document.getElementById('data').textContent).names[{i}]")


def test_it_opens_and_comes_alive(opened, loom):
    page = opened(loom)
    assert page.title().startswith("Bayesian network of")
    assert page.locator("#controls").is_visible()
    assert page.locator(".network .v").count() == 12
    assert page.locator("#panel").inner_text().startswith("Choose a variable or an edge.")
    assert page.locator(".claim.proved").is_visible()
    figures = page.locator(".figures").inner_text()
    assert all(word in figures for word in ("variables", "edges", "rows", "score", "bound", "gap"))
    for section in ("network", "edges", "sure", "variables", "trace", "table", "reproduce"):
        assert page.locator(f"#{section} h2").is_visible()
    assert "bayesloom learn loom.csv" in page.locator("#reproduce").inner_text()


def test_zoom_and_move(opened, loom):
    page = opened(loom)
    whole = frame(page)
    page.click("#in")
    assert frame(page)[2] == pytest.approx(whole[2] / 1.3, rel=1e-3)
    page.click("#out")
    page.click("#out")
    assert frame(page)[2] == pytest.approx(whole[2] * 1.3, rel=1e-3)
    page.click("#fit")
    assert frame(page) == pytest.approx(whole, abs=0.1)
    page.focus("#view")
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    moved = frame(page)
    assert moved[2] < whole[2]
    page.keyboard.press("0")
    assert frame(page) == pytest.approx(whole, abs=0.1)
    box = page.locator("#view").bounding_box()
    x, y = box["x"] + 20, box["y"] + box["height"] - 20
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y - 40, steps=6)
    page.mouse.up()
    assert frame(page)[0] < whole[0]
    assert frame(page)[1] > whole[1]
    page.mouse.move(x, y)
    before = frame(page)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    until(page, f"document.querySelector('.network').viewBox.baseVal.width < {before[2] - 1}")


def test_a_wheel_without_a_key_scrolls_the_page(opened, loom):
    page = opened(loom)
    before = frame(page)
    box = page.locator("#view").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.wheel(0, 400)
    for _ in range(
        1000
    ):  # a function to wait for would be text that becomes a script, which the page forbids
        if page.evaluate("window.scrollY") > 0:
            break
        page.wait_for_timeout(20)
    assert page.evaluate("window.scrollY") > 0
    assert frame(page) == before


def test_search(opened, loom):
    page = opened(loom)
    page.fill("#find", "YARN")
    assert page.locator(".v.hit").count() == 2
    assert page.locator("#told").inner_text().startswith("2 of 12 variables")
    page.fill("#find", "yarn_q")
    page.keyboard.press("Enter")
    assert page.locator("#panel h3").inner_text() == "yarn_quality"
    assert page.locator(".v.chosen").count() == 1
    page.fill("#find", "nothing like it")
    assert "No variable has" in page.locator("#told").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".v.hit").count() == 0


def test_a_variable_tells_probabilities_blanket_and_local_scores(opened, loom):
    page = opened(loom)
    page.locator(".v", has_text="breaks").click()
    panel = page.locator("#panel")
    assert panel.locator("h3").inner_text() == "breaks"
    assert "Markov blanket" in panel.inner_text()
    assert panel.locator("table.cpt tbody tr").count() > 1
    assert panel.locator("table.scores tr.chosen").count() == 1
    assert panel.locator("svg.bars").count() == 1
    for row in panel.locator("table.cpt td").all()[:6]:
        share = float(row.evaluate("cell => getComputedStyle(cell).backgroundSize").split("%")[0] or 0)
        assert share == pytest.approx(100 * float(row.inner_text()), abs=0.6)
    links = panel.locator("p a").all_inner_texts()
    panel.locator("p a").first.click()
    assert panel.locator("h3").inner_text() == links[0]
    page.keyboard.press("Tab")
    blanket = page.locator(".v.near").count()
    assert blanket >= 1


def test_an_edge_tells_why_it_points_there(opened, loom):
    page = opened(loom)
    for k in range(page.locator(".e").count()):
        page.locator(".e").nth(k).dispatch_event("click")
        text = page.locator("#panel").inner_text()
        assert re.search(r"This edge is (compelled|reversible)", text)
        assert "Strength: the score loses" in text
        assert "Posterior: " in text
        assert "how much of the weight of all credible networks has the edge this way" in text
        assert not re.search(r"[{}]|undefined|NaN", text)
    page.locator("#panel button").first.click()
    assert page.locator(".v.chosen").count() == 1


def test_what_is_strong_weak_and_in_the_middle_is_where_one_begins(opened, loom):
    page = opened(loom)
    panel = page.locator("#panel")
    strong, weak = panel.locator("table.edges").all()
    assert strong.locator("caption").inner_text() == "The strongest edges"
    assert weak.locator("caption").inner_text() == "The weakest edges"

    def strengths(table):
        return [
            float(cell.inner_text().replace(",", "")) for cell in table.locator("tbody td:nth-child(2)").all()
        ]

    assert strengths(strong) == sorted(strengths(strong), reverse=True)
    assert strengths(weak) == sorted(strengths(weak))
    assert strengths(strong)[-1] > strengths(weak)[-1]
    name = panel.locator(".busy a").first.inner_text()
    panel.locator(".busy a").first.click()
    assert panel.locator("h3").first.inner_text() == name
    page.focus("#view")
    page.keyboard.press("Escape")
    strong.locator("button").first.click()
    assert page.locator(".e.chosen").count() == 1


def test_edges_that_rest_on_missing_values_are_marked(opened, loom):
    page = opened(loom)
    assert page.locator(".e").count() > 2
    assert page.locator(".e.doubtful").count() == 0
    marked = loom.with_name("marked.html")
    network = bl.Network("abc", {"b": ["a"], "c": ["b"]})
    found = {
        **dict.fromkeys(("score", "bound"), -1.0),
        "gap": 0.0,
        **dict.fromkeys(("status", "claim"), "optimal"),
        "solver": "dp",
        "parents": {name: list(up) for name, up in network.parents.items()},
        "edges": [
            {"from": "a", "to": "b", "compelled": False, "strength": 9.0, "rests_on_missing": True},
            {"from": "b", "to": "c", "compelled": False, "strength": 3.0, "rests_on_missing": False},
        ],
    }
    write_page(of_run(found), marked)
    page = opened(marked)
    assert page.locator(".e.doubtful").count() == 1
    assert "rests on values missing together" in page.locator(".legend").inner_text()
    page.locator(".e.doubtful").dispatch_event("click")
    assert "It rests on values missing together" in page.locator("#panel").inner_text()
    page.locator(".v", has_text="a").first.click()
    page.check("#near")
    assert page.locator(".e.doubtful").count() == 1


def test_the_slider_hides_weak_edges(opened, loom):
    page = opened(loom)
    edges = page.locator(".e").count()

    def seen():
        return edges - page.locator(".e.weak").count()

    assert seen() == edges
    for choice in ("strength", "posterior"):
        page.select_option("#by", choice)
        counts = []
        for value in (0, 30, 60, 100):
            page.locator("#least").fill(str(value))
            counts.append(seen())
            assert page.locator("#shown-edges").inner_text().endswith(f"{counts[-1]} of {edges}")
        assert counts == sorted(counts, reverse=True)
        assert counts[-1] < edges
    page.locator("#least").fill("0")
    wide = {e.get_attribute("stroke-width") for e in page.locator(".edge:not(.key *)").all()}
    assert len(wide) > 2
    page.select_option("#by", "none")
    assert page.locator(".e.weak").count() == 0
    assert page.locator("#least").is_disabled()


def test_keys_alone_reach_everything(opened, loom):
    page = opened(loom)
    page.focus("#view")
    page.keyboard.press("Tab")
    at = "document.activeElement.getAttribute('href')"
    first = page.evaluate(at)
    assert first.startswith("#v")
    seen = {first}
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        seen.add(page.evaluate(at))
    assert len(seen) > 2
    page.keyboard.press("Enter")
    assert page.locator("#panel h3").inner_text() == name_of(page, int(page.evaluate(at)[2:]))
    page.keyboard.press("Escape")
    assert page.locator(".v.chosen").count() == 0
    assert page.evaluate("document.activeElement.id") == "view"


def test_without_scripts_all_is_there(opened, loom):
    page = opened(loom, java_script_enabled=False)
    assert page.locator("#controls").is_hidden()
    assert page.locator("#panel").is_hidden()
    assert page.locator(".network").is_visible()
    assert page.locator("#sure .map").is_visible()
    assert page.locator("#trace .chart").is_visible()
    assert page.locator("#table .bars").count() == 12
    details = page.locator("details.variable")
    assert details.count() == 12
    assert details.nth(4).locator("table.cpt").is_hidden()
    details.nth(4).locator("summary").click()
    assert details.nth(4).locator("table.cpt").is_visible()
    box = page.locator(".v").nth(2)
    box.click()
    assert page.url.endswith(box.get_attribute("href"))
    assert page.locator(box.get_attribute("href")).is_visible()  # the browser opens what holds the place


@pytest.mark.parametrize("wide", [320, 390, 768, 2200])
def test_from_phone_to_wide_screen_nothing_is_cut(opened, loom, wide):
    page = opened(loom, wide=wide, tall=800, has_touch=wide < 500)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator(".v", has_text="cloth").first.click()
    assert page.locator("#panel h3").inner_text() == "cloth"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_light_and_dark(opened, loom):
    def shade(page):
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    assert shade(opened(loom, color_scheme="dark")) < 150 < 600 < shade(opened(loom, color_scheme="light"))


def test_print_leaves_out_what_cannot_be_used_on_paper(opened, loom):
    page = opened(loom, color_scheme="dark")
    page.emulate_media(media="print")
    assert page.locator("#controls").is_hidden()
    assert page.locator("#panel").is_hidden()
    assert page.locator(".network").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for _ in range(8):
        page.locator("#in").dispatch_event("click")
    page.locator(".v").first.dispatch_event("click")
    assert page.locator("details.variable[open]").count() == 0
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.variable[open]").count() == 12
    assert page.locator(".chosing").count() == 0  # all of the drawing is as dark as the rest
    drawing, legend = (page.locator(each).bounding_box() for each in (".network", ".legend"))
    assert drawing["y"] + drawing["height"] <= legend["y"]
    for box in page.locator(".v").all():  # however it was zoomed, all of it is on the paper
        inner = box.bounding_box()
        assert drawing["x"] <= inner["x"] <= inner["x"] + inner["width"] <= drawing["x"] + drawing["width"]
        assert drawing["y"] <= inner["y"] <= inner["y"] + inner["height"] <= drawing["y"] + drawing["height"]
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.variable[open]").count() == 0
    assert len(page.pdf()) > 10_000


def test_hostile_names_stay_text(opened, hostile):
    page = opened(hostile)
    assert page.locator(".v").count() == len(HOSTILE)
    assert page.locator("img, iframe, object, embed").count() == 0
    assert page.evaluate("document.scripts.length") == 2
    for i in range(len(HOSTILE)):
        page.locator(".v").nth(i).dispatch_event("click")
        assert page.locator("#panel h3").evaluate("h => h.textContent") == name_of(page, i)
        page.locator(".e").nth(i % page.locator(".e").count()).dispatch_event("click")
    for text in ("<script>", "alert", "__proto__", "constructor", "#v1"):
        page.fill("#find", text)
        page.keyboard.press("Enter")
    page.check("#near")
    assert page.evaluate("document.scripts.length") == 2


def test_the_policy_stops_what_slipped_in(chromium, loom):
    """A script and a style of others, were they ever to come in, do nothing."""
    other = "<main><script>document.title='owned'</script><p id=odd style='color:red'>x</p>"
    slipped = loom.with_name("slipped.html")
    slipped.write_text(loom.read_text().replace("<main>", other, 1))
    page = chromium.new_page()
    page.goto(slipped.as_uri())
    assert page.title() != "owned"
    assert page.locator("#odd").evaluate("p => getComputedStyle(p).color") != "rgb(255, 0, 0)"
    assert page.locator("#controls").is_visible()  # the page's own script is
    page.close()


def test_neighbourhoods(opened, loom, large):
    page = opened(loom)
    page.locator(".v", has_text="tension").first.click()
    page.check("#near")
    assert page.locator(".v.chosen text").text_content() == "tension"
    assert 2 <= page.locator(".v").count() <= 12
    assert page.evaluate(THROUGH_BOXES)[0] == 0
    page.uncheck("#near")
    assert page.locator(".v").count() == 12
    page = opened(large)
    assert page.locator("#near").is_checked()
    looked = 0
    for name in ("X7", "X50", "X333", "X500", "X699"):
        page.fill("#find", name)
        page.keyboard.press("Enter")
        assert page.locator("#panel h3").inner_text() == name
        assert page.locator(".v.chosen").count() == 1
        met, points = page.evaluate(THROUGH_BOXES)
        assert met == 0
        looked += points
    assert looked > 500


def test_a_link_to_a_variable_shows_it(opened, loom):
    page = opened(loom)
    page.goto(f"{loom.as_uri()}#v3")
    page.reload()
    assert page.locator("#panel h3").inner_text() == name_of(page, 3)
    page.locator("#edges a").first.click()
    assert page.locator("#panel h3").inner_text() == page.locator("#edges a").first.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("wide", [390, 1300])
def test_axe_finds_nothing_serious(opened, loom, scheme, wide):
    if not AXE.exists():
        pytest.skip("axe-core is not installed (make browser gets it by npm): accessibility is not checked")
    page = opened(loom, wide=wide, color_scheme=scheme, bypass_csp=True)
    page.locator(".v", has_text="breaks").first.click()
    page.locator("details.variable summary").first.click()
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    shown = [
        (v["impact"], v["id"], v["help"], [n["html"][:200] for n in v["nodes"][:3]])
        for v in found["violations"]
    ]
    assert [one for one in shown if one[0] in ("serious", "critical")] == []
    assert len(found["passes"]) > 15
