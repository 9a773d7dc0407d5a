"""Three relaxations as linear programmes with rows added as they are violated, solved by HiGHS.

    maximise  sum of score * x        x one fraction for each candidate, those of a variable sum to 1
    cycles    for a cycle of k arcs: fractions of candidates that hold the arcs sum to at most k - 1
    clusters  for a set C: fractions of members' candidates without a parent in C sum to at least 1
    need 2    for a set C: fractions of members' candidates with at most one parent in C sum to at least 2

Violated cycles are found exactly: a shortest closed walk where an arc is as long as 1 minus its fraction.
Violated sets are grown greedily from every variable or pair of parents; for clusters, when that finds none,
an integer programme decides, so the value is that of the relaxation. For need 2 it is an upper bound on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import highspy
import numpy as np

import bayesloom as bl

Row = tuple[str, tuple[int, ...]]
ENOUGH = 1e-4  # a smaller violation does not count


class Relaxation:
    """A cache as a linear programme that rows are added to; the programme keeps its basis."""

    def __init__(self, cache: bl.ScoreCache) -> None:
        self.n = len(cache.names)
        first = cache.first.astype(int)
        ends = cache.parent_first.astype(int)
        flat = cache.parents.astype(int)
        scores = cache.scores.astype(float) / 2**30
        self.variable = np.repeat(np.arange(self.n), np.diff(first))
        self.parents = np.zeros((len(scores), self.n), dtype=int)
        for c in range(len(scores)):
            self.parents[c, flat[ends[c] : ends[c + 1]]] = 1
        self.trivial = float(scores[first[:-1]].sum())
        self.seen: set[Row] = set()
        self.highs = highspy.Highs()
        self.highs.setOptionValue("output_flag", False)
        for loss in scores - scores[first[:-1]][self.variable]:
            self.highs.addCol(float(loss), 0.0, highspy.kHighsInf, 0, [], [])
        self.highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        for v in range(self.n):
            self._add_row(1.0, 1.0, np.arange(first[v], first[v + 1]), None)

    def solve(self) -> float:
        """The value with the rows so far; `x` and `used` are set."""
        self.highs.run()
        self.x = np.array(self.highs.getSolution().col_value)
        self.used = np.nonzero(self.x > 1e-7)[0]
        return self.trivial + float(self.highs.getInfo().objective_function_value)

    def add(self, row: Row) -> None:
        kind, members = row
        self.seen.add(row)
        if kind == "cycle":
            values = np.zeros(len(self.variable))
            for source, target in zip(members, (*members[1:], members[0]), strict=True):
                values += (self.variable == target) & (self.parents[:, source] == 1)
            chosen = np.nonzero(values)[0]
            self._add_row(-highspy.kHighsInf, len(members) - 1.0, chosen, values[chosen])
            return
        need = 1 if kind == "cluster" else 2
        inside = np.zeros(self.n, dtype=int)
        inside[list(members)] = 1
        free = (inside[self.variable] == 1) & (self.parents @ inside < need)
        self._add_row(float(need), highspy.kHighsInf, np.nonzero(free)[0], None)

    def violated(self, kinds: tuple[str, ...]) -> set[Row]:
        """Rows of these kinds that the present solution violates; empty if none is found."""
        found: set[Row] = set()
        if "cycle" in kinds:
            found |= set(self._cycles())
        for need, kind in ((1, "cluster"), (2, "need 2")):
            if kind not in kinds:
                continue
            for start in self._starts(need):
                value, members = self._grown(start, need)
                if value < need - 100 * ENOUGH:
                    found.add((kind, tuple(sorted(members))))
                if len(found) > 300:
                    break
        found -= self.seen
        if not found and "cluster" in kinds:
            found = set(self._best_cluster()) - self.seen
        return found

    def _add_row(self, low: float, high: float, chosen: np.ndarray, values: np.ndarray | None) -> None:
        given = np.ones(len(chosen)) if values is None else values
        self.highs.addRow(low, high, len(chosen), chosen.astype(np.int32), given)

    def _cycles(self) -> Iterator[Row]:
        """The shortest violated cycle through every variable (Floyd and Warshall)."""
        length = np.full((self.n, self.n), 9.0)
        for c in self.used:
            for p in np.nonzero(self.parents[c])[0]:
                length[p, self.variable[c]] -= self.x[c] if length[p, self.variable[c]] < 9 else 8 + self.x[c]
        length = np.where(length < 9, np.maximum(length, 1e-9), 9.0)
        step = np.where(length < 9, np.arange(self.n)[None, :], -1)
        for k in range(self.n):
            through = length[:, [k]] + length[[k], :]
            better = through < length - 1e-12
            length = np.where(better, through, length)
            step = np.where(better, step[:, [k]], step)
        for v in range(self.n):
            if length[v, v] > 1 - ENOUGH:
                continue
            path, at = [v], int(step[v, v])
            while at != v and at not in path:
                path.append(at)
                at = int(step[at, v])
            path = path[path.index(at) :]
            least = path.index(min(path))
            yield "cycle", tuple(path[least:] + path[:least])

    def _starts(self, need: int) -> Iterator[list[int]]:
        if need == 1:
            yield from ([v] for v in range(self.n))
            return
        for c in self.used:
            for pair in combinations(np.nonzero(self.parents[c])[0].tolist(), 2):
                yield [int(self.variable[c]), *pair]

    def _grown(self, start: list[int], need: int) -> tuple[float, frozenset[int]]:
        """The least sum met while the best next variable is added again and again."""
        owner, share, parents = self.variable[self.used], self.x[self.used], self.parents[self.used]
        inside = np.zeros(self.n, dtype=int)
        inside[start] = 1
        count = parents @ inside
        value = float(share[(inside[owner] == 1) & (count < need)].sum())
        best, members = value, frozenset(start)
        for _ in range(20):
            edge = (inside[owner] == 1) & (count == need - 1)
            gain = (share[edge, None] * parents[edge]).sum(0)
            cost = np.bincount(owner[count < need], share[count < need], self.n) - gain
            near = np.nonzero((gain > 0) & (inside == 0))[0]
            if len(near) == 0:
                break
            chosen = near[np.argmin(cost[near])]
            inside[chosen] = 1
            count = parents @ inside
            value += float(cost[chosen])
            if value < best - 1e-6:
                best, members = value, frozenset(np.nonzero(inside)[0].tolist())
            if value > best + 0.8:
                break
        return best, members

    def _best_cluster(self) -> Iterator[Row]:
        """The most violated cluster by an integer programme, if there is one."""
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        for v in range(self.n):
            highs.addCol(-1.0, 0.0, 1.0, 0, [], [])
            highs.changeColIntegrality(v, highspy.HighsVarType.kInteger)
        column = self.n
        for c in self.used:
            parents = np.nonzero(self.parents[c])[0]
            if len(parents) == 0:
                continue
            highs.addCol(float(self.x[c]), 0.0, 1.0, 0, [], [])
            ones = np.array([1.0, -1.0])
            highs.addRow(-highspy.kHighsInf, 0.0, 2, np.array([column, self.variable[c]]), ones)
            signs = np.array([1.0] + [-1.0] * len(parents))
            highs.addRow(-highspy.kHighsInf, 0.0, len(signs), np.array([column, *parents]), signs)
            column += 1
        highs.addRow(2.0, highspy.kHighsInf, self.n, np.arange(self.n), np.ones(self.n))
        highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        highs.run()
        if highs.getInfo().objective_function_value > -1 + ENOUGH:
            chosen = np.array(highs.getSolution().col_value)[: self.n] > 0.5
            yield "cluster", tuple(np.nonzero(chosen)[0].tolist())
