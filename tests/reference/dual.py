"""Slow, obvious twins of src/core/dual: cluster inequalities, dual prices and the bounds they give.

Lists are one list of ``(score, parents)`` for each variable, with ``parents`` a frozenset of variables. An
inequality is ``(members, need, price, blocks)``: at least `need` of the members are not blocked. A member is
blocked by `need` parents inside or, with blocks, by the sets of the other three whose bit is set.
"""

from __future__ import annotations

from itertools import permutations


def is_blocked(inequality, member, parents):
    members, need, _, blocks = inequality
    others = [v for v in members if v != member]
    if blocks:
        taken = sum(1 << k for k, v in enumerate(others) if v in parents)
        return bool(blocks[members.index(member)] >> taken & 1)
    return len(set(others) & parents) >= need


def priced(inequalities, variable, score, parents):
    """The score with the prices of the inequalities that hold the variable and do not block it."""
    paid = [one[2] for one in inequalities if variable in one[0] and not is_blocked(one, variable, parents)]
    return score + sum(paid)


def bound(lists, inequalities):
    """No network scores above it, whatever the prices."""
    best = [max(priced(inequalities, v, *candidate) for candidate in own) for v, own in enumerate(lists)]
    return sum(best) - sum(need * price for _, need, price, _ in inequalities)


def reduced_cost(lists, inequalities, variable, candidate):
    """How far the bound falls if the variable must take this candidate."""
    own = [priced(inequalities, variable, *each) for each in lists[variable]]
    return max(own) - priced(inequalities, variable, *candidate)


def remaining_bound(lists, inequalities, placed):
    """A bound on what the variables not placed can add: each placed member is one that is not blocked."""
    active = [(m, need, p, b) for m, need, p, b in inequalities if len(set(m) & placed) < need]
    rest = [v for v in range(len(lists)) if v not in placed]
    best = [max(priced(active, v, *candidate) for candidate in lists[v]) for v in rest]
    return sum(best) - sum((need - len(set(m) & placed)) * p for m, need, p, _ in active)


def best_rest(lists, placed):
    """The most that the variables not placed can add, by going through all their orders; None if stuck."""
    best = None
    for order in permutations([v for v in range(len(lists)) if v not in placed]):
        before, total = set(placed), 0
        for v in order:
            scores = [score for score, parents in lists[v] if parents <= before]
            if not scores:
                break
            total += max(scores)
            before.add(v)
        else:
            best = total if best is None else max(best, total)
    return best


def cut_weight(inequalities, parts, halved, variable, parents):
    """The weight of a zero-half cut by definition: half of the sum of its parts and f, rounded up.

    `inequalities` as above; `parts` are earlier cuts as functions of a variable and its parents.
    """
    total = sum(variable in one[0] and not is_blocked(one, variable, parents) for one in inequalities)
    total += sum(part(variable, parents) for part in parts)
    return -(-(total + (variable in halved)) // 2)


def cut_need(inequalities, part_needs, halved):
    """What the weights of every network add up to, at least."""
    return -(-(sum(one[1] for one in inequalities) + sum(part_needs) + len(halved)) // 2)
