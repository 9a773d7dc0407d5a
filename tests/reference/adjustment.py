"""The back-door criterion by its words: all paths between two variables, looked at one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bayesloom.networks.network import Network


def descendants(network: Network, name: str) -> set[str]:
    found: set[str] = set()
    for child in network.children(name):
        found |= {child} | descendants(network, child)
    return found


def paths(network: Network, x: str, y: str) -> Iterator[list[str]]:
    """All paths without repetition, whatever the directions."""
    edges = set(network.edges)

    def onward(path: list[str]) -> Iterator[list[str]]:
        if path[-1] == y:
            yield path
            return
        for name in network.names:
            if name not in path and ((path[-1], name) in edges or (name, path[-1]) in edges):
                yield from onward([*path, name])

    yield from onward([x])


def is_blocked(network: Network, path: list[str], chosen: Sequence[str]) -> bool:
    edges = set(network.edges)
    for a, b, c in zip(path, path[1:], path[2:], strict=False):
        collider = (a, b) in edges and (c, b) in edges
        if collider and not ({b} | descendants(network, b)) & set(chosen):
            return True
        if not collider and b in chosen:
            return True
    return False


def is_back_door_set(network: Network, x: str, y: str, chosen: Sequence[str]) -> bool:
    """No descendant of x, and every path that begins with an edge into x is blocked."""
    if set(chosen) & descendants(network, x):
        return False
    return all(
        is_blocked(network, path, chosen)
        for path in paths(network, x, y)
        if (path[1], path[0]) in set(network.edges)
    )
