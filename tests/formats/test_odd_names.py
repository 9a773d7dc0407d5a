"""Names that no one expects: every format gives them back as they were, or refuses them in one sentence."""

import itertools

import numpy as np
import pytest

import bayesloom as bl
from bayesloom.networks.formats import FORMATS

ODD = [
    "", " ", " a", "a ", "a b", "a\tb", "a\nb", "a\r\nb", 'a"b', '"', "a'b", "a\\b", "\\", "a\\nb",
    "\x00", "\x1b[31m", "\x7f", "\u202e", "\ufeff", "\ud800", "\u2028",
    "0", "-1", "1e5", "nan", "a->b", "[a|b:c]", "a:b", "a|b", "}", "{", "]", ";", "//", "/*", "*/", "#", "%",
    "&amp;", "&", "<a>", "]]>", "digraph", "node", "network", "variable", "table", "ä", "変数", "😀",
    "x" * 1_000_000,
]  # fmt: skip
ENDINGS = sorted({format.extensions[0] for format in FORMATS})
CANNOT_HOLD = {  # characters that a format has no way to write
    ".dot": "\0",
    ".graphml": "\0\x1b",
    ".modelstring": "\0[]|:",
    ".net": "\0",
    ".xmlbif": "\0\x1b",
}
WITH_STATES = {".bif", ".json", ".net", ".xmlbif"}


def shown(text):
    return repr(text if len(text) < 20 else text[:3] + "...")


def same_or_refused(network, path):
    """Whether the file gives back the network; False if writing it was refused."""
    try:
        network.write(path)
    except bl.InputError:
        assert not path.exists()
        return False
    back = bl.read_network(path)
    structure = back.network if isinstance(back, bl.FittedNetwork) else back
    wanted = network.network if isinstance(network, bl.FittedNetwork) else network
    assert structure.parents == wanted.parents
    if isinstance(back, bl.FittedNetwork) and isinstance(network, bl.FittedNetwork):
        order = [back.names.index(name) for name in network.names]
        assert [back.states[i] for i in order] == list(network.states)
    return True


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", ODD, ids=shown)
def test_a_name_comes_back_or_is_refused(tmp_path, ending, name):
    try:
        network = bl.Network(["first", name], {name: ["first"]})
        tables = [np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.125, 0.875]])]
        fitted = bl.FittedNetwork(network, [("no", "yes"), ("no", "yes")], tables)
    except bl.InputError:
        return
    kept = same_or_refused(fitted, tmp_path / f"network{ending}")
    assert kept == (not set(name) & set(CANNOT_HOLD.get(ending, "")))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("state", ODD, ids=shown)
def test_a_state_comes_back_or_is_refused(tmp_path, ending, state):
    try:
        network = bl.Network(["a", "b"], {"b": ["a"]})
        tables = [np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.125, 0.875]])]
        fitted = bl.FittedNetwork(network, [(state, "other"), ("no", "yes")], tables)
    except bl.InputError:
        return
    kept = same_or_refused(fitted, tmp_path / f"network{ending}")
    assert kept == (ending not in WITH_STATES or not set(state) & set(CANNOT_HOLD.get(ending, "")))


@pytest.mark.parametrize("ending", ENDINGS)
def test_names_that_differ_little_stay_apart(tmp_path, ending):
    """Formats with plain identifiers must not make two names one."""
    names = [a + b for a, b in itertools.product(["a", "A", "ä", "a_", "_a"], ["", "_", " ", "-", "."])]
    names = [name for name in dict.fromkeys(names) if name == name.strip()]
    parents = {name: [names[k - 1]] for k, name in enumerate(names) if k > 0}
    network = bl.Network(names, parents)
    tables = [np.array([0.25, 0.75]), *[np.array([[0.5, 0.5], [0.125, 0.875]])] * (len(names) - 1)]
    fitted = bl.FittedNetwork(network, [("no", "yes")] * len(names), tables)
    assert same_or_refused(fitted, tmp_path / f"network{ending}")
