"""Wrong results made from right ones: every leaf of a JSON object changed in every way, and every list and
object too. Drawn by a seeded generator, so that the same ones are tried every time.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Tampering:
    """A changed object, where it was changed, and how."""

    path: Path
    how: str
    run: Any

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path))}: {self.how}"


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """All places of an object, the leaves and what holds them."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, (*path, key))
    elif isinstance(value, list):
        for k, item in enumerate(value):
            yield from paths(item, (*path, k))


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def changed(run: Any, path: Path, new: Any) -> Any:
    made = copy.deepcopy(run)
    at(made, path[:-1])[path[-1]] = new
    return made


def without(run: Any, path: Path) -> Any:
    made = copy.deepcopy(run)
    del at(made, path[:-1])[path[-1]]
    return made


def other_values(value: Any, draw: random.Random, names: list[str]) -> Iterator[tuple[str, Any]]:
    """Other values that could stand in a value's place, with what they are called."""
    yield "null", None
    yield "a text", "something else"
    yield "a list", [value]
    yield "an object", {"value": value}
    yield "400 digits", 10**400
    if isinstance(value, bool):
        yield "turned round", not value
        yield "as a number", int(value)
    elif isinstance(value, (int, float)):
        yield "as a text", str(value)
        yield "true", True
        yield "one more", value + 1
        yield "one less", value - 1
        yield "the other sign", -value if value else -1
        yield "much more", abs(value) * 1000 + 1000
        if isinstance(value, float):
            yield "a millionth more", value + (abs(value) or 1) * 1e-6
            yield "a millionth of a nat less", value - 1e-6
            yield "a little more", value + draw.uniform(1e-7, 1e-3)
            yield "twice", 2 * value or 0.5
            yield "zero", 0.0 if value else 0.25
            yield "infinite", 1e999
    elif isinstance(value, str):
        yield "empty", ""
        yield "longer", value + " not"
        yield "in capitals", value.upper() if value != value.upper() else value.lower() + "x"
        yield "another name", draw.choice([name for name in names if name != value])
        yield "a number", 1
        words = value.split(" ")
        if len(words) > 1:
            k = draw.randrange(len(words))
            yield "a word left out", " ".join(words[:k] + words[k + 1 :])
    elif isinstance(value, list):
        yield "emptied", []
        yield "an item more", [*value, copy.deepcopy(value[0]) if value else names[0]]
        yield "a name more", [*value, draw.choice([name for name in names if name not in value])]
        if len(value) > 1:
            yield "turned round", value[::-1]
            k = draw.randrange(len(value) - 1)
            yield "two items swapped", [*value[:k], value[k + 1], value[k], *value[k + 2 :]]
    elif isinstance(value, dict):
        yield "emptied", {}
        if value:
            key = draw.choice(list(value))
            rest = {name: item for name, item in value.items() if name != key}
            yield f"{key!r} called another name", {**rest, f"{key} 2": value[key]}
        if len(value) > 1:
            one, two = draw.sample(list(value), 2)
            yield f"{one!r} and {two!r} swapped", {**value, one: value[two], two: value[one]}


def tamperings(run: Any, seed: int) -> Iterator[Tampering]:
    """Every place of the object changed in every way, in a drawn order."""
    draw = random.Random(seed)
    variables = run["variables"] if "variables" in run else list(run["entries"][0]["parents"])
    names = [*variables, "nobody"]
    found = []
    for path in paths(run):
        value = at(run, path)
        for how, new in other_values(value, draw, names):
            if new != value or type(new) is not type(value):
                found.append(Tampering(path, how, changed(run, path, new)))
        found.append(Tampering(path, "left out", without(run, path)))
    for child, parents in run.get("parents", {}).items():
        for parent in parents:
            turned = copy.deepcopy(run["parents"])
            turned[child].remove(parent)
            found.append(
                Tampering(("parents", child), f"edge from {parent} removed", {**run, "parents": turned})
            )
            turned = copy.deepcopy(turned)
            order = [name for name in run["variables"] if name in {*turned[parent], child}]
            turned[parent] = order
            found.append(
                Tampering(("parents", child), f"edge from {parent} turned", {**run, "parents": turned})
            )
        for other in run["variables"]:
            if other != child and other not in parents:
                more = copy.deepcopy(run["parents"])
                more[child] = [name for name in run["variables"] if name in {*parents, other}]
                found.append(
                    Tampering(("parents", child), f"edge from {other} added", {**run, "parents": more})
                )
    draw.shuffle(found)
    yield from found


def with_a_key_twice(text: str, key: str, value: str) -> str:
    """The text of an object with a key given once more, before the others."""
    return "{" + f'"{key}": {value}, ' + text.lstrip()[1:]
