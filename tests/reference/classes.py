"""All networks of an equivalence class, one by one."""

from __future__ import annotations

from bayesloom.networks.network import Network


def every_member(network: Network, limit: int) -> list[Network]:
    """Return all equivalent networks, by turning covered edges; at most so many."""
    found, waiting = {network}, [network]
    while waiting:
        one = waiting.pop()
        for a, b in one.edges:
            if one.is_covered(a, b):
                edges = [(b, a) if edge == (a, b) else edge for edge in one.edges]
                other = Network.from_edges(one.names, edges)
                if other not in found:
                    if len(found) == limit:
                        raise AssertionError("too many members for a slow twin")
                    found.add(other)
                    waiting.append(other)
    return sorted(found, key=lambda one: one.edges)
