"""src/core/graph against the definitions in tests/reference/graphs.py."""

from __future__ import annotations

import random

import pytest

from bayesloom import _core
from bayesloom.errors import InputError
from made.networks import random_parents
from reference import graphs

SMALL = [1, 2, 3, 4]


def core(parents):
    return _core.Network([sorted(up) for up in parents])


def both_ways(pairs):
    return {*pairs, *((j, i) for i, j in pairs)}


@pytest.mark.parametrize(("n", "networks", "classes"), [(1, 1, 1), (2, 3, 2), (3, 25, 11), (4, 543, 185)])
def test_the_reference_counts_what_the_literature_counts(n, networks, classes):
    """Robinson's numbers, and those of Gillispie and Perlman (2002)."""
    assert len(graphs.all_networks(n)) == networks
    assert len(graphs.classes(n)) == classes


@pytest.mark.parametrize("n", SMALL)
def test_cpdag_shows_what_all_equivalent_networks_agree_on(n):
    for members in graphs.classes(n):
        compelled, reversible = graphs.class_edges(members)
        for parents in members:
            picture = core(parents).cpdag()
            assert set(picture.directed) == compelled
            assert set(picture.undirected) == reversible


@pytest.mark.parametrize("n", [5])
def test_cpdags_of_all_networks_of_five_variables_are_the_classes(n):
    """29281 networks, 8782 classes; one member in nine is compared edge by edge."""
    pictures = set()
    for k, members in enumerate(graphs.classes(n)):
        compelled, reversible = graphs.class_edges(members)
        first = core(members[0]).cpdag()
        pictures.add((tuple(first.directed), tuple(first.undirected)))
        assert set(first.directed) == compelled
        assert set(first.undirected) == reversible
        if k % 9 == 0:
            assert all(core(parents).cpdag() == first for parents in members)
    assert len(pictures) == 8782


def test_equivalence_is_same_skeleton_and_same_v_structures():
    networks = graphs.all_networks(3)
    for a in networks:
        for b in networks:
            same = (graphs.skeleton(a), graphs.v_structures(a)) == (
                graphs.skeleton(b),
                graphs.v_structures(b),
            )
            assert _core.is_equivalent(core(a), core(b)) == same


def test_equivalence_agrees_with_equal_cpdags_on_random_pairs():
    rng = random.Random(7)
    networks = [core(rng.choice(graphs.all_networks(4))) for _ in range(150)]
    for a in networks:
        for b in networks:
            assert _core.is_equivalent(a, b) == (a.cpdag() == b.cpdag())


@pytest.mark.parametrize("n", SMALL)
def test_reversing_an_edge_stays_in_the_class_exactly_if_it_is_covered(n):
    for parents in graphs.all_networks(n):
        for j, i in graphs.edges(parents):
            turned = list(parents)
            turned[i] -= {j}
            turned[j] |= {i}
            turned = tuple(turned)
            same = graphs.is_acyclic(turned) and _core.is_equivalent(core(parents), core(turned))
            assert core(parents).is_covered(j, i) == same


@pytest.mark.parametrize("n", SMALL)
def test_order_has_parents_first_and_the_smallest_index_next(n):
    for parents in graphs.all_networks(n):
        assert core(parents).order == graphs.smallest_first_order(parents)


def test_order_of_larger_random_networks():
    rng = random.Random(3)
    for _ in range(50):
        parents = random_parents(rng.randint(1, 40), 5, rng)
        assert core(parents).order == graphs.smallest_first_order(parents)


def test_a_cycle_is_found_and_is_one():
    """On random graphs: a cycle is returned exactly if there is one, and each edge of it exists."""
    rng = random.Random(11)
    cyclic = 0
    for _ in range(400):
        n = rng.randint(1, 9)
        parents = tuple(
            frozenset(rng.sample([j for j in range(n) if j != i], rng.randint(0, min(2, n - 1))))
            for i in range(n)
        )
        cycle = _core.find_cycle([sorted(up) for up in parents])
        assert (cycle == []) == graphs.is_acyclic(parents)
        for here, there in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            assert here in parents[there]
        assert len(set(cycle)) == len(cycle)
        cyclic += cycle != []
    assert cyclic > 100


def test_distances_on_network_class_and_moral_graph():
    rng = random.Random(5)
    for _ in range(300):
        n = rng.randint(1, 8)
        a, b = random_parents(n, 3, rng), random_parents(n, 3, rng)
        x, y = core(a), core(b)
        assert _core.distance(x.directed(), y.directed()) == graphs.distance(
            n, graphs.edges(a), graphs.edges(b)
        )
        moral = [both_ways(graphs.moral_pairs(p)) for p in (a, b)]
        assert _core.distance(x.moral(), y.moral()) == graphs.distance(n, *moral)
        assert set(x.moral().undirected) == graphs.moral_pairs(a)
        pictures = [{*c.directed, *both_ways(c.undirected)} for c in (x.cpdag(), y.cpdag())]
        assert _core.distance(x.cpdag(), y.cpdag()) == graphs.distance(n, *pictures)


@pytest.mark.parametrize("n", SMALL)
def test_the_extension_of_a_cpdag_is_in_its_class(n):
    for members in graphs.classes(n):
        picture = core(members[0]).cpdag()
        assert picture.extension().cpdag() == picture


def test_extension_and_cpdag_of_larger_random_networks_agree():
    rng = random.Random(13)
    for _ in range(60):
        picture = core(random_parents(rng.randint(10, 60), 4, rng)).cpdag()
        assert picture.extension().cpdag() == picture


def test_extension_follows_given_directions():
    graph = _core.MixedGraph(3, [(2, 1)], [(0, 1)])
    assert graph.extension().parents == [[1], [2], []]


@pytest.mark.parametrize(
    ("size", "directed", "undirected"),
    [
        (4, [], [(0, 1), (1, 2), (2, 3), (0, 3)]),  # a square: every direction makes a v-structure
        (3, [(0, 1), (1, 2), (2, 0)], []),  # a directed cycle
    ],
)
def test_a_graph_without_extension_is_said_to_have_none(size, directed, undirected):
    assert _core.MixedGraph(size, directed, undirected).extension() is None


def test_extensions_exist_exactly_where_some_network_fits():
    """Random graphs of four variables, compared with a look at all 543 networks."""
    rng = random.Random(17)
    found = 0
    for _ in range(200):
        directed, undirected = [], []
        for pair in graphs.pairs(4):
            match rng.randint(0, 3):
                case 1:
                    directed.append(pair)
                case 2:
                    directed.append(pair[::-1])
                case 3:
                    undirected.append(pair)
        fits = graphs.extensions(4, set(directed), set(undirected))
        extension = _core.MixedGraph(4, directed, undirected).extension()
        assert (extension is not None) == bool(fits)
        if extension is not None:
            found += 1
            assert tuple(map(frozenset, extension.parents)) in fits
    assert 20 < found < 180


@pytest.mark.parametrize(
    ("directed", "undirected", "message"),
    [
        ([(0, 1), (1, 0)], [], r"variable 1 has parent 0 twice"),
        ([(0, 1)], [(1, 0)], r"variable 1 has parent 0 twice"),
        ([], [(1, 1)], r"variable 1 is its own parent"),
        ([(0, 2)], [], r"edge \(0, 2\) is outside the graph's 2 variables"),
    ],
)
def test_a_mixed_graph_joins_each_pair_once(directed, undirected, message):
    with pytest.raises(InputError, match=message):
        _core.MixedGraph(2, directed, undirected)


def test_covered_asks_for_an_edge_that_exists():
    with pytest.raises(InputError, match="there is no edge from 1 to 0"):
        core([set(), {0}]).is_covered(1, 0)
    with pytest.raises(InputError, match="there is no edge from 9 to 0"):
        core([set(), {0}]).is_covered(9, 0)


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ([[1], [0]], r"the network has a cycle: 0 -> 1 -> 0\."),
        ([[0]], r"variable 0 is its own parent\."),
        ([[], [2]], r"variable 1 has parent 2, but there are only 2 variables\."),
        ([[1, 1], []], r"variable 0 has parent 1 twice\."),
        ([[]] * 1_000_001, r"at most 1,000,000 variables, got 1000001\."),
    ],
)
def test_what_is_not_a_network_is_refused(parents, message):
    with pytest.raises(InputError, match=message):
        _core.Network(parents)


def test_networks_of_different_size_are_not_compared():
    a, b = core([set()]), core([set(), set()])
    with pytest.raises(InputError, match="networks of 1 and 2 variables"):
        _core.is_equivalent(a, b)
    with pytest.raises(InputError, match="networks of 1 and 2 variables"):
        _core.distance(a.directed(), b.directed())


def test_the_empty_network_and_the_largest():
    assert core([]).order == []
    assert core([]).cpdag().directed == []
    chain = _core.Network([[]] + [[i] for i in range(65534)])
    assert chain.order[-1] == 65534
    assert len(chain.cpdag().undirected) == 65534


@pytest.mark.parametrize("arcs_per_variable", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(20))
def test_strong_components_are_who_leads_to_whom_and_back(seed, arcs_per_variable):
    rng = random.Random(seed)
    n = rng.randint(1, 12)
    parents = [set() for _ in range(n)]
    for _ in range(int(arcs_per_variable * n)):
        parent, child = rng.randrange(n), rng.randrange(n)
        if parent != child:
            parents[child].add(parent)
    found = _core.strong_components([sorted(up) for up in parents])
    assert {frozenset(part) for part in found} == graphs.strong_components(parents)
    assert all(part == sorted(part) for part in found)
    place = {v: k for k, part in enumerate(found) for v in part}
    assert all(place[p] <= place[v] for v in range(n) for p in parents[v])  # parents come first


def test_strong_components_of_a_long_chain_and_a_long_cycle():
    n = 60_000  # no recursion: the machine's stack would not do
    chain = [[v - 1] if v else [] for v in range(n)]
    assert _core.strong_components(chain) == [[v] for v in range(n)]
    assert _core.strong_components([[n - 1], *chain[1:]]) == [list(range(n))]
