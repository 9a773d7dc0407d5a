"""pgmpy and pyAgrum for real: the same scores, and our networks in their hands.

`make interop` installs both and runs this; elsewhere it is skipped.
"""

from __future__ import annotations

import itertools

import pytest

import bayesloom as bl


@pytest.fixture(scope="module")
def fitted():
    return bl.random_network(7, states=(2, 3), max_parents=3, concentration=0.5, seed=3)


@pytest.fixture(scope="module")
def table(fitted):
    return fitted.sample(500, seed=3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "options"), [("bic", {}), ("aic", {}), ("k2", {}), ("bdeu", {"ess": 10.0})])
def test_local_scores_equal_those_of_pgmpy(table, name, options):
    """States are declared to pgmpy, so that unseen ones count there as they do here."""
    estimators = pytest.importorskip("pgmpy.estimators", reason="pgmpy is not installed: run `make interop`")
    declared = dict(zip(table.names, table.states, strict=True))
    kind = {"bic": "BIC", "aic": "AIC", "k2": "K2", "bdeu": "BDeu"}[name]
    extra = {"equivalent_sample_size": options["ess"]} if options else {}
    theirs = getattr(estimators, kind)(table.to_arrow().to_pandas(), state_names=declared, **extra)
    families = [
        (child, parents)
        for child in table.names
        for size in range(3)
        for parents in itertools.combinations([n for n in table.names if n != child], size)
    ]
    ours = bl.local_scores(table, families, score=name, options=options)
    expected = [theirs.local_score(child, tuple(parents)) for child, parents in families]
    assert ours.tolist() == pytest.approx(expected, rel=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_pgmpy_gets_structure_and_probabilities(fitted):
    pytest.importorskip("pgmpy", reason="pgmpy is not installed: run `make interop`")
    assert sorted(fitted.network.to_pgmpy().edges()) == sorted(fitted.network.edges)
    model = fitted.to_pgmpy()
    assert model.check_model()
    assert set(model.nodes()) == set(fitted.names)


@pytest.mark.filterwarnings("ignore")
def test_pyagrum_gets_structure_and_probabilities(fitted):
    pytest.importorskip("pyagrum", reason="pyAgrum is not installed: run `make interop`")
    model = fitted.to_pyagrum()  # must outlive its tables: pyAgrum gives references into it
    assert model.sizeArcs() == len(fitted.network.edges)
    child = max(fitted.names, key=lambda name: len(fitted.network.parents[name]))
    parents = fitted.network.parents[child]
    first = {name: fitted.states[fitted.names.index(name)][0] for name in (child, *parents)}
    assert model.cpt(child)[first] == pytest.approx(fitted.cpt(child)[(0,) * (len(parents) + 1)])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ending", [".bif", ".net", ".xmlbif"])
def test_pyagrum_reads_what_we_write(fitted, tmp_path, ending):
    pyagrum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed: run `make interop`")
    path = tmp_path / f"net{'.bifxml' if ending == '.xmlbif' else ending}"
    fitted.write(path)
    model = pyagrum.loadBN(str(path))
    assert {model.variable(i).name() for i in model.nodes()} == set(fitted.names)
    assert model.sizeArcs() == len(fitted.network.edges)


@pytest.mark.filterwarnings("ignore")
def test_pgmpy_reads_our_bif(fitted, tmp_path):
    readers = pytest.importorskip("pgmpy.readwrite", reason="pgmpy is not installed: run `make interop`")
    fitted.write(tmp_path / "net.bif")
    model = readers.BIFReader(str(tmp_path / "net.bif")).get_model()
    assert sorted(model.edges()) == sorted(fitted.network.edges)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", ["pgmpy", "pyagrum", "networkx"])
def test_networks_come_back(fitted, package):
    pytest.importorskip(package, reason=f"{package} is not installed: run `make interop`")
    theirs = getattr(fitted, f"to_{package}")()
    assert bl.Network.from_graph(theirs).distance(fitted.network) == 0
    assert bl.compare(theirs, fitted).kept == tuple(bl.Network.from_graph(theirs).edges)
