"""The checker of certificates as its page defines it: docs/certificate.md, record by record, slowly.

Lists are lists of (score, parents), rules are functions, cases are recursive calls. Nothing here knows
Bayesloom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product

List = list[tuple[int, frozenset[int]]]
Lists = list[List]
Weight = Callable[[int, frozenset[int]], int]


@dataclass(frozen=True)
class Rule:
    weight: Weight
    need: int


@dataclass(frozen=True)
class Case:
    lists: Lists
    goal: int
    counts: frozenset[int]
    prices: dict[int, int]


class Twin:
    """`proved` says whether a body proves a goal; what is no certificate raises a ValueError or the like."""

    def __init__(self, lists: Lists, body: str) -> None:
        self.lists = lists
        self.records = iter([line.split(" ") for line in body.split("\n") if line and line[0] != "#"])
        self.rules: list[Rule] = []

    def proved(self, goal: int) -> bool:
        fine = self.tree(Case(self.lists, goal, frozenset(range(len(self.lists))), {}))
        return fine and next(self.records, None) is None

    def next(self) -> list[str]:
        for words in self.records:
            if words[0] not in ("cluster", "four", "cut"):
                return words
            self.rules.append(self.rule(words))
        raise ValueError("the tree has no end")

    def rule(self, words: list[str]) -> Rule:
        kind, first, *rest = words
        before, after = rest, list[str]()
        if "/" in rest:
            before, after = rest[: rest.index("/")], rest[rest.index("/") + 1 :]
        if kind == "cluster":
            members, need = frozenset(map(int, before)), int(first)
            assert 1 <= need <= len(members) == len(before)
            return Rule(lambda i, p: int(i in members and len(p & members) < need), need)
        if kind == "four":
            ordered, blocks = [int(word) for word in before], [int(word) for word in after]

            def free(i: int, p: frozenset[int]) -> int:
                if i not in ordered:
                    return 0
                others = [k for k in ordered if k != i]
                return 1 - (
                    blocks[ordered.index(i)] >> sum(2 ** others.index(k) for k in p & set(others)) & 1
                )

            assert len(ordered) == len(blocks) == 4
            for network in networks(tuple(ordered)):
                assert sum(free(i, p) for i, p in network.items()) >= int(first)
            return Rule(free, int(first))
        used = [self.rules[int(word)] for word in before]
        extra = {int(i): int(f) for i, f in (word.split(":") for word in after)}
        divisor = int(first)

        def weight(i: int, p: frozenset[int]) -> int:
            return -(-(sum(rule.weight(i, p) for rule in used) + extra.get(i, 0)) // divisor)

        return Rule(weight, -(-(sum(rule.need for rule in used) + sum(extra.values())) // divisor))

    def tree(self, case: Case) -> bool:
        """Read one tree; return whether it proves the case."""
        kind, *words = self.next()
        if kind in ("leaf", "fix", "sets"):
            prices = {**case.prices, **{int(r): int(y) for r, y in (word.split(":") for word in words)}}
            case = replace(case, prices=prices)
        if kind == "leaf":
            return any(not own for own in case.lists) or self.bound(case) <= case.goal
        if kind == "sets":
            return all(score <= case.goal for score in scores(case))
        numbers = [int(word) for word in words] if kind != "fix" else []
        if kind == "in":
            i, *members = numbers
            met = without(case, i, lambda p: not p & set(members))
            if len(members) == 1:
                met = without(met, members[0], lambda p: i in p)
            return self.both(met, without(case, i, lambda p: bool(p & set(members))))
        if kind == "order":
            a, b = numbers
            return self.both(without(case, a, lambda p: b in p), without(case, b, lambda p: a in p))
        if kind == "fix":
            return self.tree(self.fixed(case))
        if kind == "reach":
            (j,) = numbers
            placed: set[int] = set()
            for _ in case.lists:
                placed |= {
                    i for i, own in enumerate(case.lists) if i != j and any(p <= placed for _, p in own)
                }
            return self.tree(without(case, j, lambda p: not p <= placed))
        if kind == "dominated":
            return self.tree(undominated(case))
        assert kind == "parts", kind
        fine, goals, seen = True, 0, list[int]()
        for _ in range(numbers[0]):
            kind, goal, *members = self.next()
            assert kind == "part"
            seen += map(int, members)
            goals += int(goal)
            fine &= self.tree(replace(case, goal=int(goal), counts=frozenset(map(int, members))))
        return fine and goals <= case.goal and sorted(seen) == sorted(case.counts)

    def both(self, first: Case, second: Case) -> bool:
        return self.tree(first) & self.tree(second)

    def value(self, case: Case, i: int, score: int, parents: frozenset[int]) -> int:
        paid = sum(y * self.rules[r].weight(i, parents) for r, y in case.prices.items())
        return paid + (score if i in case.counts else 0)

    def bound(self, case: Case) -> int:
        best = sum(max(self.value(case, i, s, p) for s, p in own) for i, own in enumerate(case.lists))
        return best - sum(y * self.rules[r].need for r, y in case.prices.items())

    def fixed(self, case: Case) -> Case:
        if any(not own for own in case.lists):
            return case
        bound, left = self.bound(case), []
        for i, own in enumerate(case.lists):
            top = max(self.value(case, i, s, p) for s, p in own)
            left.append([(s, p) for s, p in own if bound - (top - self.value(case, i, s, p)) > case.goal])
        return replace(case, lists=left)


def without(case: Case, i: int, out: Callable[[frozenset[int]], bool]) -> Case:
    lists = list(case.lists)
    lists[i] = [(s, p) for s, p in lists[i] if not out(p)]
    return replace(case, lists=lists)


def undominated(case: Case) -> Case:
    lists = list(case.lists)
    for i in case.counts:
        reached: set[int] = set()
        for _ in case.lists:
            reached |= {
                w for w, own in enumerate(case.lists) for _, p in own for v in p if v in reached or v == i
            }
        always = [k for k, (_, p) in enumerate(lists[i]) if not p & reached]
        if always:
            best = max(always, key=lambda k: (lists[i][k][0], -k))
            score = lists[i][best][0]
            lists[i] = [
                (s, p) for k, (s, p) in enumerate(case.lists[i]) if s > score or (s == score and k <= best)
            ]
    return replace(case, lists=lists)


@cache
def networks(members: tuple[int, ...]) -> list[dict[int, frozenset[int]]]:
    """Every network over a few variables."""
    subsets = [
        [frozenset(part) for size in range(len(members)) for part in combinations(set(members) - {i}, size)]
        for i in members
    ]
    every = (dict(zip(members, chosen, strict=True)) for chosen in product(*subsets))
    return [network for network in every if acyclic(network)]


def acyclic(network: dict[int, frozenset[int]]) -> bool:
    left = dict(network)
    while ready := [i for i, p in left.items() if not p & left.keys()]:
        for i in ready:
            del left[i]
    return not left


def scores(case: Case) -> Iterator[int]:
    """The score of every network over the variables that count, whatever the others do."""
    members = sorted(case.counts)
    for chosen in product(*(case.lists[i] for i in members)):
        if acyclic({i: p & case.counts for i, (_, p) in zip(members, chosen, strict=True)}):
            yield sum(s for s, _ in chosen)
