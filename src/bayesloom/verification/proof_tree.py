"""The checker of certificates: does a tree of cases prove that no network scores above a goal?

``docs/certificate.md`` defines the format, what each record means and why it holds. This file is short enough
to be read as a whole and trusted. It shares no code with the solvers, and all numbers are integers: of 64
bits in arrays, where overflow is checked, and of any size in sums.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from bayesloom import _core

__all__ = ["Fault", "Lists", "ProofTree"]

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})")
ALONE = ("fix", "leaf", "sets", "dominated")  # records that may have no other words
MOST_WEIGHT, MOST_EXTRA, MOST_PRICE, MOST_SCORE = 2**15 - 1, 2**40, 2**60, 2**62


class Fault(Exception):
    """Why a certificate proves nothing."""


def require(holds: bool, problem: str) -> None:
    """Raise a fault unless something holds."""
    if not holds:
        raise Fault(problem)


def number(word: str, low: int, high: int, what: str) -> int:
    """Return a word as a whole number in a range."""
    require(bool(WHOLE.fullmatch(word)), f"{what} must be a whole number, found {word[:40]!r}")
    require(low <= int(word) <= high, f"{what} must be from {low} to {high}, found {word}")
    return int(word)


@dataclass(frozen=True)
class Lists:
    """The parent sets that each variable may take: those of v are ``first[v]`` to ``first[v + 1] - 1``."""

    first: Numbers
    scores: Numbers
    parent_first: Numbers
    parents: Numbers

    def __len__(self) -> int:
        return len(self.first) - 1

    def of(self, v: int) -> slice:
        """Where the sets of a variable are."""
        return slice(int(self.first[v]), int(self.first[v + 1]))

    def how_many(self, v: int, values: npt.NDArray[np.generic]) -> Numbers:
        """For each set of v the sum of a value, given for each variable, over the parents in it."""
        edges = self.parent_first[self.first[v] : self.first[v + 1] + 1]
        taken = values[self.parents[edges[0] : edges[-1]]].astype(np.int64)
        sums = np.concatenate(([0], np.cumsum(taken)))
        found: Numbers = sums[edges[1:] - edges[0]] - sums[edges[:-1] - edges[0]]
        return found

    def flags(self, members: Sequence[int]) -> Flags:
        """A flag for each variable: whether it is a member."""
        found = np.zeros(len(self), dtype=np.bool_)
        found[list(members)] = True
        return found

    def meeting(self, v: int, members: Sequence[int]) -> Flags:
        """For each set of v whether it holds a member."""
        return self.how_many(v, self.flags(members)) > 0


@dataclass
class Rule:
    """In every network the weights of the sets taken add up to `need` at least; none for v means 0."""

    need: int
    weights: dict[int, npt.NDArray[np.int16]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.largest = max((int(np.abs(own).max(initial=0)) for own in self.weights.values()), default=0)


@dataclass(frozen=True)
class Problem:
    """No network over the sets left scores above the goal in the variables that count: to be proved."""

    goal: int
    counts: Flags
    prices: dict[int, int]
    dropped: int = 0
    """How many times sets had been taken out."""
    then: Callable[[], None] = lambda: None
    """What to do when this problem's turn comes."""


class ProofTree:
    """Reads the body of a certificate, record by record; a `Fault` says what is wrong with the last one.

    `line` is where it is, from 1; `records`, `leaves` and `sets` are how many there were so far.
    """

    def __init__(self, lists: Lists, body: str, goal: int, memory_bytes: float) -> None:
        self.lists, self.memory = lists, memory_bytes
        self.body = body.split("\n")
        self.line = self.records = self.leaves = self.sets = 0
        self.rules: list[Rule] = []
        self.alive = np.ones(len(lists.scores), dtype=np.bool_)
        self.trail: list[npt.NDArray[np.intp]] = []
        self.now = Problem(goal, np.ones(len(lists), dtype=np.bool_), {})
        self.later: list[Problem] = []
        self.parts: tuple[int, int, Flags] | None = None

    def check(self) -> None:
        """Raise a `Fault` unless the tree proves the goal."""
        rules = {"cluster": self.cluster, "four": self.four, "cut": self.cut}
        nodes = {"in": self.split_in, "order": self.split_order, "fix": self.fix, "reach": self.reach}
        nodes |= {"dominated": self.dominated, "parts": self.begin_parts, "part": self.part}
        leaves = {"leaf": self.leaf, "sets": self.go_through_sets}
        known = rules | nodes | leaves
        for kind, words in self._lines():
            require(kind in known, f"no record begins with {kind[:40]!r}")
            require(bool(words) or kind in ALONE, f"the record {kind!r} must say more")
            if kind in rules:
                rule = rules[kind](words)
                self.memory -= sum(own.nbytes for own in rule.weights.values())
                require(self.memory > 0, "the rules do not fit the memory")
                self.rules.append(rule)
                continue
            require((kind == "part") == (self.parts is not None), "a part is expected here, or none")
            self.records += 1
            if kind in nodes:
                nodes[kind](words)
                continue
            leaves[kind](self.repriced(words))
            self.leaves += 1
            if not self.later:
                break
            self.now = self.later.pop()
            while len(self.trail) > self.now.dropped:
                self.alive[self.trail.pop()] = True
            self.now.then()
        else:
            raise Fault("the certificate ends before its tree does")
        require(next(self._lines(), None) is None, "something follows the end of the tree")

    def _lines(self) -> Iterator[tuple[str, list[str]]]:
        while self.line < len(self.body):
            self.line += 1
            line = self.body[self.line - 1]
            if line and not line.startswith("#"):
                kind, *words = line.split(" ")
                yield kind, words

    def drop(self, v: int, out: Flags) -> None:
        """Take out sets of v, given a flag for each of them."""
        gone = np.flatnonzero(self.alive[self.lists.of(v)] & out) + int(self.lists.first[v])
        self.alive[gone] = False
        self.trail.append(gone)

    # Words

    def variable(self, word: str) -> int:
        return number(word, 0, len(self.lists) - 1, "a variable")

    def variables(self, words: Sequence[str]) -> list[int]:
        found = [self.variable(word) for word in words]
        require(bool(found), "a record names no variable")
        require(len(set(found)) == len(found), "a record names a variable twice")
        return found

    def rule(self, word: str) -> int:
        return number(word, 0, len(self.rules) - 1, "a rule")

    @staticmethod
    def pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
        for word in words:
            first, colon, second = word.partition(":")
            require(colon == ":", f"expected NUMBER:NUMBER, found {word[:40]!r}")
            yield first, second

    # Rules

    def cluster(self, words: list[str]) -> Rule:
        members = self.variables(words[1:])
        need = number(words[0], 1, len(members), "the need of a cluster")
        inside = self.lists.flags(members)
        return Rule(need, {i: (self.lists.how_many(i, inside) < need).astype(np.int16) for i in members})

    def four(self, words: list[str]) -> Rule:
        require(len(words) == 10 and words[5] == "/", "a rule of four is: four K A B C D / M M M M")
        need, members = number(words[0], 1, 4, "the need of a rule of four"), self.variables(words[1:5])
        require(members == sorted(members), "the variables of a rule of four must ascend")
        blocks = [number(word, 0, 255, "what blocks a variable") for word in words[6:]]
        free = [np.array([1 - (own >> s & 1) for s in range(8)], dtype=np.int16) for own in blocks]
        for order in itertools.permutations(range(4)):
            # The fewest unblocked: each is blocked if any set of those before it blocks it.
            least = 0
            for place, i in enumerate(order):
                others = [k for k in range(4) if k != i]
                bits = [1 << others.index(k) for k in order[:place]]
                sets = [sum(part) for r in range(place + 1) for part in itertools.combinations(bits, r)]
                least += min(int(free[i][s]) for s in sets)
            require(least >= need, "some network does not obey this rule of four")
        weights = {}
        for i, own in zip(members, free, strict=True):
            value = np.zeros(len(self.lists), dtype=np.int64)
            value[[k for k in members if k != i]] = (1, 2, 4)
            weights[i] = own[self.lists.how_many(i, value)]
        return Rule(need, weights)

    def cut(self, words: list[str]) -> Rule:
        require("/" in words, "a cut is: cut D R R ... / I:F I:F ...")
        slash = words.index("/")
        divisor = number(words[0], 1, MOST_WEIGHT, "the divisor of a cut")
        need, sums = 0, dict[int, Numbers]()
        for r in [self.rule(word) for word in words[1:slash]]:
            need += self.rules[r].need
            for i, own in self.rules[r].weights.items():
                sums[i] = sums.get(i, 0) + own.astype(np.int64)
        extras = [(self.variable(i), f) for i, f in self.pairs(words[slash + 1 :])]
        require(len({i for i, _ in extras}) == len(extras), "a cut names a variable twice")
        for i, word in extras:
            extra = number(word, -MOST_EXTRA, MOST_EXTRA, "what a cut adds")
            need += extra
            size = self.lists.of(i).stop - self.lists.of(i).start
            sums[i] = sums.get(i, np.zeros(size, dtype=np.int64)) + extra
        rounded = {i: -(-own // divisor) for i, own in sums.items()}
        need = -(-need // divisor)
        most = max([abs(need), *(int(np.abs(own).max(initial=0)) for own in rounded.values())])
        require(most <= MOST_WEIGHT, "a weight is beyond 2^15 - 1")
        return Rule(need, {i: own.astype(np.int16) for i, own in rounded.items()})

    # Prices and bounds

    def repriced(self, words: list[str]) -> dict[int, int]:
        """The prices here, with those of a record changed."""
        given = {self.rule(r): number(y, 0, MOST_PRICE, "a price") for r, y in self.pairs(words)}
        require(len(given) == len(words), "a record names a rule twice")
        return {r: y for r, y in {**self.now.prices, **given}.items() if y > 0}

    def bound(self, prices: dict[int, int]) -> tuple[int, Numbers, list[int]] | None:
        """The bound, the value of each set, and the largest of each variable; None if a list is empty."""
        lists, alive = self.lists, self.alive
        largest = int(np.abs(lists.scores).max(initial=0))
        largest += sum(y * self.rules[r].largest for r, y in prices.items())
        require(largest < MOST_SCORE, "the prices are too high to add up")
        counted = np.repeat(self.now.counts, np.diff(lists.first))
        value: Numbers = np.where(counted, lists.scores, 0)
        for r, y in prices.items():
            for i, weights in self.rules[r].weights.items():
                value[lists.of(i)] += y * weights.astype(np.int64)
        tops = []
        for i in range(len(lists)):
            own = value[lists.of(i)][alive[lists.of(i)]]
            if not len(own):
                return None
            tops.append(int(own.max()))
        return sum(tops) - sum(y * self.rules[r].need for r, y in prices.items()), value, tops

    def leaf(self, prices: dict[int, int]) -> None:
        found, goal = self.bound(prices), self.now.goal
        if found is not None:
            require(found[0] <= goal, f"the bound of a leaf is {found[0]}, above {goal}")

    def fix(self, words: list[str]) -> None:
        self.now = replace(self.now, prices=self.repriced(words))
        found = self.bound(self.now.prices)
        if found is not None:
            total, value, tops = found
            for i, top in enumerate(tops):
                most = min(max(top - (total - self.now.goal), -MOST_SCORE), MOST_SCORE)
                self.drop(i, value[self.lists.of(i)] <= most)

    # Cases

    def split(self, v: int, out: Flags) -> None:
        """Remember a second tree, without some sets of v."""
        self.later.append(replace(self.now, dropped=len(self.trail), then=lambda: self.drop(v, out)))

    def split_in(self, words: list[str]) -> None:
        i, members = self.variable(words[0]), self.variables(words[1:])
        meets = self.lists.meeting(i, members)
        self.split(i, meets)
        self.drop(i, ~meets)
        if len(members) == 1:
            self.drop(members[0], self.lists.meeting(members[0], [i]))

    def split_order(self, words: list[str]) -> None:
        require(len(words) == 2, "an order is: order A B")
        a, b = self.variables(words)
        self.split(b, self.lists.meeting(b, [a]))
        self.drop(a, self.lists.meeting(a, [b]))

    def begin_parts(self, words: list[str]) -> None:
        require(len(words) == 1, "parts are: parts M")
        count = number(words[0], 1, int(self.now.counts.sum()), "the number of parts")
        self.parts = count, self.now.goal, self.now.counts.copy()

    def part(self, words: list[str]) -> None:
        assert self.parts is not None
        left, goal, missing = self.parts
        members = self.variables(words[1:])
        own = number(words[0], -MOST_SCORE, MOST_SCORE, "the goal of a part")
        require(bool(missing[members].all()), "a part has a variable that does not count, or is in another")
        missing = missing & ~self.lists.flags(members)
        rest = left - 1, goal - own, missing
        if left > 1:

            def tell_next() -> None:
                self.parts = rest

            self.later.append(replace(self.now, dropped=len(self.trail), then=tell_next))
        else:
            require(goal >= own, "the goals of the parts add up to more than the goal")
            require(not missing.any(), "a variable is in no part")
        self.parts = None
        self.now = replace(self.now, goal=own, counts=self.lists.flags(members))

    # Sets that go

    def reach(self, words: list[str]) -> None:
        require(len(words) == 1, "a record reach is: reach J")
        j = self.variable(words[0])
        placed = np.zeros(len(self.lists), dtype=np.bool_)
        waiting = [i for i in range(len(self.lists)) if i != j]

        def ready(i: int) -> bool:
            return bool((self.alive[self.lists.of(i)] & (self.lists.how_many(i, ~placed) == 0)).any())

        while fresh := list(filter(ready, waiting)):
            placed[fresh] = True
            waiting = [i for i in waiting if not placed[i]]
        self.drop(j, self.lists.how_many(j, ~placed) > 0)

    def dominated(self, words: list[str]) -> None:
        require(not words, "the record dominated has no other words")
        lists, n = self.lists, len(self.lists)
        takes = np.zeros((n, n), dtype=np.bool_)  # [v, w]: some set of w holds v
        used = np.repeat(self.alive, np.diff(lists.parent_first))
        child = np.repeat(np.repeat(np.arange(n), np.diff(lists.first)), np.diff(lists.parent_first))
        takes[lists.parents[used], child[used]] = True
        for i in np.flatnonzero(self.now.counts).tolist():
            reached, fresh = takes[i].copy(), takes[i].copy()
            while fresh.any():
                fresh = takes[fresh].any(axis=0) & ~reached
                reached |= fresh
            free = self.alive[lists.of(i)] & (lists.how_many(i, reached) == 0)
            if free.any():  # the best set that can always be had
                scores = lists.scores[lists.of(i)]
                best = int(np.flatnonzero(free)[np.argmax(scores[free])])
                later = np.arange(len(scores)) > best
                self.drop(i, (scores < scores[best]) | ((scores == scores[best]) & later))

    # Sets that come first

    def go_through_sets(self, prices: dict[int, int]) -> None:
        lists, members = self.lists, np.flatnonzero(self.now.counts).tolist()
        require(len(members) <= 64, "sets are for at most 64 variables that count")
        kept = [np.flatnonzero(self.alive[lists.of(i)]) for i in members]
        first, scores, parents = [0], [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
        for i, own in zip(members, kept, strict=True):
            masks = np.zeros(len(own), dtype=np.uint64)
            for k, p in enumerate(members):
                masks |= lists.meeting(i, [p])[own].astype(np.uint64) << np.uint64(k)
            first.append(first[-1] + len(own))
            scores.append(lists.scores[lists.of(i)][own])
            parents.append(masks)
        weights = np.zeros((len(prices), first[-1]), dtype=np.int16)
        for r, row in zip(prices, weights, strict=True):
            for i, given in self.rules[r].weights.items():
                counts = bool(self.now.counts[i])
                require(counts or not given.any(), f"rule {r} is about a variable that does not count")
                if counts:
                    at = int(np.searchsorted(members, i))
                    row[first[at] : first[at + 1]] = given[kept[at]]
        problem, looked_at, interrupted = _core.check_sets(
            np.array(first, dtype=np.uint64),
            np.concatenate(scores),
            np.concatenate(parents),
            np.array(list(prices.values()), dtype=np.int64),
            np.array([self.rules[r].need for r in prices], dtype=np.int64),
            weights.ravel(),
            self.now.goal,
            self.memory,
        )
        if interrupted:
            raise KeyboardInterrupt
        self.sets += looked_at
        require(not problem, f"{problem} ({self.now.goal})")
