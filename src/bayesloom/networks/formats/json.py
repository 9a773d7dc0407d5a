"""Bayesloom's JSON: a network with or without probabilities.

    {"format": "bayesloom network", "version": 1,
     "variables": [
       {"name": "rain", "parents": [], "states": ["no", "yes"], "table": [[0.8, 0.2]]},
       {"name": "wet", "parents": ["rain"], "states": ["no", "yes"], "table": [[0.9, 0.1], [0.05, 0.95]]}]}

A continuous variable has ``intercept``, ``coefficients`` and ``variance`` instead of states and a table: an
entry for each joint state of its discrete parents, with a coefficient for each continuous one; such a file
has version 2.

``states`` and ``table`` are there for all other variables or for none. A table has one row for each joint
state of the parents as listed, the last parent varying fastest; each row has one number per state.
Numbers are written so that they read back to the last bit. The JSON that ``learn`` and ``search`` write
(``--json``) is read too, as the network it found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bayesloom.errors import InputError, unknown
from bayesloom.json_input import is_names, load_json
from bayesloom.networks.formats._assemble import Declared, Defined, assemble, by_name
from bayesloom.networks.formats._format import AnyNetwork, Format, Source, structure
from bayesloom.networks.network import Network
from bayesloom.text_input import first_repeated

NAME = "bayesloom network"
VERSION = 1
WITH_CONTINUOUS = 2
REGRESSION = ("intercept", "coefficients", "variance")


def read(source: Source) -> AnyNetwork:
    """Read a JSON file."""
    data = load_json(source.text, source.name)
    if isinstance(data, dict) and "bayesloom" in data and "parents" in data:
        return _of_result(source, data)
    if not isinstance(data, dict) or data.get("format") != NAME:
        raise InputError(
            f'{source.name}: expected a JSON object with "format": "{NAME}", or a result of learn or search.'
        )
    if data.get("version") not in (VERSION, WITH_CONTINUOUS):
        raise InputError(
            f"{source.name}: version {data.get('version')!r} of the format is not known, only {VERSION} and"
            f" {WITH_CONTINUOUS}."
        )
    _known_keys(source, "the object", data, ("format", "version", "variables"))
    variables = data.get("variables")
    if not isinstance(variables, list) or not all(isinstance(v, dict) for v in variables):
        raise InputError(f'{source.name}: "variables" must be a list of objects.')
    for k, variable in enumerate(variables):
        _known_keys(source, _place(k), variable, ("name", "parents", "states", "table", *REGRESSION))
        name = variable.get("name")
        if not isinstance(name, str) or not name:
            raise source.error_on(_place(k), '"name" must be a string that is not empty.')
        if not is_names(variable.get("parents")):
            raise source.error_on(_place(k), f'"parents" of {name!r} must be a list of names.')
    if any(key in v for v in variables for key in REGRESSION):
        return _mixed(source, variables)
    fitted = sum("states" in v for v in variables) + sum("table" in v for v in variables)
    if fitted not in (0, 2 * len(variables)):
        raise InputError(f'{source.name}: "states" and "table" must be given for all variables or for none.')
    if fitted == 0:
        return _structure(source, variables)
    declared = [_declared(source, k, v) for k, v in enumerate(variables)]
    defined = [_defined(source, k, v) for k, v in enumerate(variables)]
    return assemble(source, by_name(source, declared), defined)


def _mixed(source: Source, variables: list[dict[str, Any]]) -> AnyNetwork:
    """Return a network with continuous variables."""
    import numpy as np

    from bayesloom.networks.gaussian import GaussianNetwork

    network = _structure(source, variables)
    states: dict[str, tuple[str, ...]] = {}
    for k, v in enumerate(variables):
        continuous = [key in v for key in REGRESSION]
        if not any(continuous) and "states" in v and "table" in v:
            states[v["name"]] = _declared(source, k, v).states
        elif not all(continuous) or "states" in v or "table" in v:
            raise source.error_on(
                _place(k),
                f"{v['name']!r} needs states and table, or {', '.join(REGRESSION)}.",
            )
    families: dict[str, Any] = {}
    for k, v in enumerate(variables):
        name, up = v["name"], v["parents"]
        discrete = [p for p in up if p in states]
        places = [network.index(p) for p in discrete]
        shape = [len(states[p]) for p in discrete]
        turned = np.argsort(places).tolist()  # files may list parents in any order, we in index order
        slopes = np.argsort([network.index(p) for p in up if p not in states]).tolist()
        try:
            if name in states:
                if len(discrete) < len(up):
                    raise InputError(f"the discrete variable {name!r} has a continuous parent.")
                own = _defined(source, k, v).values.reshape(*shape, len(states[name]))
                families[name] = own.transpose([*turned, len(shape)])
                continue
            read = {key: np.array(_plain_numbers(v[key]), dtype=np.float64) for key in REGRESSION}
            read["coefficients"] = read["coefficients"].reshape(*shape, len(slopes))[..., slopes]
            read["coefficients"] = read["coefficients"].transpose([*turned, len(shape)])
            for key in ("intercept", "variance"):
                read[key] = read[key].reshape(shape).transpose(turned)
            families[name] = read
        except (TypeError, ValueError) as error:
            what = str(error) if isinstance(error, InputError) else "the numbers do not fit its parents."
            raise source.error_on(_place(k), f"{name!r}: {what}") from None
    try:
        return GaussianNetwork(network, states, families)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None


def _plain_numbers(given: Any) -> Any:
    """Return lists of numbers as they are; refuse texts, which would be read as numbers too."""
    if isinstance(given, list):
        return [_plain_numbers(one) for one in given]
    if type(given) not in (int, float):
        raise ValueError
    return float(given)


def _known_keys(source: Source, place: str, given: dict[str, Any], known: tuple[str, ...]) -> None:
    """Refuse keys that are not of the format: what is not read could say something else."""
    if extra := [key for key in given if key not in known]:
        raise InputError(f"{source.name}, {place}: {unknown('key', extra[0], known)}")


def _of_result(source: Source, data: dict[str, Any]) -> Network:
    """Return the network in the JSON object that ``--json`` writes."""
    names, parents = data.get("variables"), data["parents"]
    if not is_names(names) or not isinstance(parents, dict) or not all(map(is_names, parents.values())):
        raise InputError(
            f'{source.name}: "variables" must be a list of names and "parents" lists of names by variable.'
        )
    assert isinstance(names, list)
    try:
        network = Network(names, parents)
        if missing := [name for name in names if name not in parents]:
            raise InputError(f'"parents" has no entry for variable {missing[0]!r}.')
        return network
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None


def _structure(source: Source, variables: list[dict[str, Any]]) -> Network:
    names = [v["name"] for v in variables]
    try:
        if (twice := first_repeated(names)) is not None:
            raise InputError(f"variable name {twice!r} is given twice.")
        return Network(names, {v["name"]: v["parents"] for v in variables})
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from None


def _declared(source: Source, k: int, variable: dict[str, Any]) -> Declared:
    if not is_names(variable["states"]):
        raise source.error_on(_place(k), f'"states" of {variable["name"]!r} must be a list of strings.')
    return Declared(variable["name"], tuple(variable["states"]), _place(k))


def _defined(source: Source, k: int, variable: dict[str, Any]) -> Defined:
    name, rows, r = variable["name"], variable["table"], len(variable["states"])
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == r for row in rows):
        raise source.error_on(_place(k), f'"table" of {name!r} must be a list of rows of {r} numbers.')
    values = [value for row in rows for value in row]
    # A whole number may have more digits than a float can hold, so it is compared before it becomes one.
    if not all(type(value) in (int, float) and 0 <= value <= 2 for value in values):
        raise source.error_on(_place(k), f'"table" of {name!r} must hold probabilities.')
    import numpy as np

    return Defined(name, tuple(variable["parents"]), np.array(values, dtype=np.float64), _place(k))


def _place(k: int) -> str:
    return f"variables[{k}]"


def write(network: AnyNetwork) -> str:
    """Return a network as JSON, one variable per line."""
    variables = ",\n  ".join(json.dumps(v, ensure_ascii=False) for v in _variables(network))
    version = WITH_CONTINUOUS if getattr(network, "continuous", ()) else VERSION
    return f'{{"format": "{NAME}", "version": {version}, "variables": [\n  {variables}\n]}}\n'


def _variables(network: AnyNetwork) -> Iterator[dict[str, Any]]:
    for i, (name, parents) in enumerate(structure(network).parents.items()):
        variable: dict[str, Any] = {"name": name, "parents": parents}
        if not isinstance(network, Network) and not network.states[i]:
            family = network.families[i]  # type: ignore[union-attr]
            variable["intercept"] = family.intercept.reshape(-1).tolist()
            variable["coefficients"] = family.coefficients.reshape(family.intercept.size, -1).tolist()
            variable["variance"] = family.variance.reshape(-1).tolist()
        elif not isinstance(network, Network):
            table = network.cpt(name)
            variable["states"] = network.states[i]
            variable["table"] = table.reshape(-1, table.shape[-1]).tolist()
        yield variable


FORMAT = Format("JSON", (".json",), read, write, holds_probabilities=False)
