"""The score cache: candidate parent sets with their local scores, and its files.

Statistics end here and search begins here.  A :class:`ScoreCache` never changes once made; per
variable it holds candidates best first, with scores as whole numbers of 2^-30 nat, in flat arrays
that the solvers read without a copy.

Files, by extension, each also with ``.gz`` added:

``.blc``            Bayesloom's own: checksummed, exact, the only one that keeps all and that parts go into.
``.jkl``, ``.scores``  the text format of GOBNILP, BLIP, pygobnilp: names and candidates only.
``.pss``            the text format of URLearning: keeps cardinalities and, as META lines, the info.

Scores survive every format exactly.  A file is copied into memory, so that it may change or go while its
cache is in use; one larger than half the memory that may be used is mapped instead, and must stay as it is.

What a cache knows about itself is ``info``, a dictionary that files keep as JSON.  Its keys, none of
them required; any others are kept as they are:

``score``            name of the score, such as ``"bic"``
``options``          its options, such as ``{"ess": 1.0}``
``rows``             number of rows of the table
``method``           how the candidates were found, such as ``"exhaustive"``
``max_parents``      the largest parent set looked at; ``None`` if there was no such limit
``complete_factor``  a number F >= 1 if the cache provably holds every parent set that a network
                     within Bayes factor F of the best can use; ``None`` if nothing is proved
``ties_dropped``     ``True`` if candidates were dropped that equal one of their subsets, so that
                     one best network is still held but not every one of them
``constraints``      the constraints that the candidates respect
``stopped``          ``True`` if a limit or Ctrl-C ended the work before it was done
``shard``            ``[i, m]`` if this is the i-th of m parts: it has the candidates of every m-th variable,
                     is never complete, and serves for :func:`bayesloom.merge` alone
``part_complete_factor``  of a part: ``complete_factor`` for the variables that it has
``job``              of a part: what it is a part of, compared by :func:`bayesloom.merge`

``complete_factor`` is believed: whoever makes a cache by hand and sets it answers for it.  In a ``.pss`` file
it counts only as long as the candidates are those that Bayesloom wrote.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from bayesloom import _core
from bayesloom.errors import InputError, unknown
from bayesloom.scoring import cache_files
from bayesloom.scoring.cache_info import (
    check_whole,
    checked_info,
    claim_key,
    claims,
    info_text,
    part_of,
    without_claims,
)
from bayesloom.words import counted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Candidate = tuple[float, tuple[str, ...]]
UNITS = 2**30  # of a score as it is stored, in one nat


class ScoreCache:
    """Candidate parent sets of every variable with their local scores; never changes.

    Make one with :func:`bayesloom.score`, :meth:`read` or :meth:`from_candidates`.

    Examples
    --------
    >>> cache = ScoreCache.from_candidates(
    ...     ["rain", "wet"],
    ...     {"rain": [(-12.5, [])], "wet": [(-13.75, []), (-7.25, ["rain"])]},
    ...     info={"score": "bic", "rows": 20},
    ... )
    >>> cache
    ScoreCache(2 variables, 3 candidates, up to 1 parent, score 'bic')
    >>> cache.candidates("wet")
    [(-7.25, ('rain',)), (-13.75, ())]
    >>> cache.network_score({"wet": ["rain"], "rain": []})
    -19.75
    """

    __slots__ = ("_core", "_index", "_info", "_names")

    def __init__(self, core: _core.ScoreCache) -> None:
        self._core = core
        self._names = tuple(core.names)
        self._index = {name: i for i, name in enumerate(self._names)}
        self._info = checked_info(core.info)

    # Making one

    @classmethod
    def from_candidates(
        cls,
        names: Sequence[str],
        candidates: Mapping[str, Iterable[tuple[float, Iterable[str]]]],
        *,
        cardinalities: Sequence[int] | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return the cache with these candidates.

        Parameters
        ----------
        names
            The variables, in order.
        candidates
            For each variable its candidates in any order: pairs of local score (natural logarithm,
            larger is better) and names of parents.
        cardinalities
            Number of states of each variable, 0 where it is not known.
        info
            See :mod:`bayesloom.scoring.cache`.

        Examples
        --------
        >>> cache = ScoreCache.from_candidates(["a", "b"], {"a": [(-1, [])], "b": [(-2, ["a"])]})
        >>> cache.best("b")
        (-2.0, ('a',))
        """
        names = list(names)
        index = {name: i for i, name in enumerate(names)}
        for name in candidates:
            if name not in index:
                raise InputError(f"there are candidates for {name!r}, which is not among the names.")
        first, scores, parent_first, parents = [0], [], [0], []
        for name in names:
            for score, chosen in candidates.get(name, ()):
                if isinstance(chosen, str):
                    raise InputError(f"the parents of {name!r} must be a list of names, got {chosen!r}.")
                scores.append(float(score))
                try:
                    parents.extend(sorted(index[parent] for parent in chosen))
                except KeyError as error:
                    raise InputError(
                        f"{error.args[0]!r}, a parent of {name!r}, is not among the names."
                    ) from None
                parent_first.append(len(parents))
            first.append(len(scores))
        return cls.from_arrays(
            names, first, scores, parent_first, parents, cardinalities=cardinalities, info=info
        )

    @classmethod
    def from_arrays(
        cls,
        names: Sequence[str],
        first: npt.ArrayLike,
        scores: npt.ArrayLike,
        parent_first: npt.ArrayLike,
        parents: npt.ArrayLike,
        *,
        cardinalities: Sequence[int] | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return the cache with the candidates in four flat arrays, in any order per variable.

        Parameters
        ----------
        names
            The variables, in order.
        first
            Candidates of variable ``v`` are ``first[v]`` to ``first[v + 1] - 1``.
        scores
            The local score of each candidate in nats.
        parent_first, parents
            The parents of candidate ``c`` are ``parents[parent_first[c]:parent_first[c + 1]]``:
            positions of variables, ascending.
        cardinalities, info
            As in :meth:`from_candidates`.

        Examples
        --------
        >>> cache = ScoreCache.from_arrays(["a", "b"], [0, 1, 3], [-1, -3, -2], [0, 0, 0, 1], [0])
        >>> cache.candidates("b")
        [(-2.0, ('a',)), (-3.0, ())]
        """
        import numpy as np

        from bayesloom.networks.network import MAX_VARIABLES

        names = list(names)
        for name in names:
            if not isinstance(name, str):
                raise InputError(f"names of variables are text, got {name!r}.")
        if len(names) > MAX_VARIABLES:  # said here, before arrays are looked at
            raise InputError(
                f"{len(names)} variables are more than the {MAX_VARIABLES:,} that Bayesloom works with."
            )
        return cls(
            _core.ScoreCache(
                names,
                _unsigned(cardinalities if cardinalities is not None else [], 32, "cardinalities").tolist(),
                _unsigned(first, 64, "offsets of candidates"),
                np.ascontiguousarray(scores, dtype=np.float64),
                _unsigned(parent_first, 64, "offsets of parents"),
                _unsigned(parents, 32, "positions of parents"),
                info_text(info if info is not None else {}),
            )
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a cache from a file; its extension tells the format (see :mod:`bayesloom.scoring.cache`).

        A damaged or truncated file is refused with its line or offset, never half-read.
        """
        return cls(cache_files.read(path))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the cache to a file; its extension tells the format (see :mod:`bayesloom.scoring.cache`).

        The file appears under its name only once it is complete.  A part goes into ``.blc`` files only.

        Examples
        --------
        >>> import tempfile, os
        >>> cache = ScoreCache.from_candidates(["a"], {"a": [(-1.5, [])]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a.blc")
        ...     cache.write(path)
        ...     ScoreCache.read(path) == cache
        True
        """
        cache_files.write(self._core, self._info, path)

    # What it holds

    @property
    def core(self) -> _core.ScoreCache:
        """The object in the C++ core, which the solvers take."""
        return self._core

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in order."""
        return self._names

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """The number of states of each variable, 0 where it is not known."""
        return tuple(self._core.cardinalities)

    @property
    def variable_count(self) -> int:
        """The number of variables."""
        return self._core.variable_count

    @property
    def candidate_count(self) -> int:
        """The number of candidates of all variables together."""
        return self._core.candidate_count

    @property
    def max_parents_seen(self) -> int:
        """The size of the largest candidate."""
        return self._core.max_parents_seen

    @property
    def first(self) -> npt.NDArray[np.uint64]:
        """Candidates of variable ``v`` are ``first[v]`` to ``first[v + 1] - 1``; read-only view."""
        return self._core.first

    @property
    def scores(self) -> npt.NDArray[np.int64]:
        """Local scores in units of 2^-30 nat, best first per variable; read-only view."""
        return self._core.scores

    @property
    def parent_first(self) -> npt.NDArray[np.uint64]:
        """Parents of candidate ``c`` begin at ``parents[parent_first[c]]``; read-only view."""
        return self._core.parent_first

    @property
    def parents(self) -> npt.NDArray[np.uint32]:
        """Parents of all candidates, as positions of variables; read-only view."""
        return self._core.parents

    # What it knows about itself

    @property
    def info(self) -> dict[str, Any]:
        """What is known about the cache, as a copy; the keys are in :mod:`bayesloom.scoring.cache`."""
        return dict(json.loads(self._core.info))

    @property
    def complete(self) -> bool:
        """Whether the cache provably holds every parent set that a best network needs.

        Only then is a network that is optimal over the cache optimal over all networks.  A part never is.
        """
        return self.part is None and claims(self._info) is not None

    @property
    def complete_factor(self) -> float | None:
        """The Bayes factor within which the cache provably holds every network, or ``None``."""
        if self._info.get("ties_dropped") or self.part is not None:
            return None
        return claims(self._info)

    @property
    def part(self) -> tuple[int, int] | None:
        """``(i, m)`` if this is the i-th of m parts, which :func:`bayesloom.merge` puts together.

        Examples
        --------
        >>> import bayesloom as bl
        >>> table = bl.read_table({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
        >>> one, two = (bl.score(table, shard=(i, 2)) for i in (1, 2))
        >>> one.part, one.complete, bl.merge([one, two]).part
        ((1, 2), False, None)
        """
        return part_of(self._info)

    def check_whole(self, cannot: str) -> None:
        """Raise `InputError` if this is a part; `cannot` says what a part cannot do, as in "be searched"."""
        check_whole(self._info, cannot)

    def with_info(self, info: Mapping[str, Any]) -> Self:
        """Return the same candidates under another ``info``; nothing is copied.  A part stays one."""
        kept: dict[str, Any] = {key: self._info[key] for key in ("shard", "job") if key in self._info}
        return type(self)(self._core.with_info(info_text({**info, **kept})))

    # Looking things up

    def index(self, variable: str | int) -> int:
        """Return the position of a variable, given by name or position."""
        if isinstance(variable, str):
            if variable not in self._index:
                raise unknown("variable", variable, self._names)
            return self._index[variable]
        if not 0 <= variable < len(self._names):
            raise InputError(f"variable {variable} is not among the {len(self._names)} of this score cache.")
        return int(variable)

    def candidates(self, variable: str | int) -> list[Candidate]:
        """Return score and parents of each candidate of a variable, best first."""
        v = self.index(variable)
        return [self._candidate(c) for c in range(int(self.first[v]), int(self.first[v + 1]))]

    def best(self, variable: str | int) -> Candidate:
        """Return score and parents of the best candidate of a variable."""
        return self._candidate(int(self.first[self.index(variable)]))

    def find(self, variable: str | int, parents: Iterable[str | int]) -> float | None:
        """Return the local score of a parent set, or ``None`` if it is not a candidate."""
        found = self._core.find(self.index(variable), [self.index(parent) for parent in parents])
        return None if found is None else _core.to_nats(int(self.scores[found]))

    def best_within(self, variable: str | int, allowed: Iterable[str | int]) -> Candidate | None:
        """Return the best candidate with all parents among ``allowed``, or ``None`` if there is none.

        Examples
        --------
        >>> lists = {"a": [(-1, [])], "b": [(-1, [])], "c": [(-5, []), (-2, ["a", "b"]), (-3, ["a"])]}
        >>> cache = ScoreCache.from_candidates("abc", lists)
        >>> cache.best_within("c", ["a"])
        (-3.0, ('a',))
        """
        found = self._core.best_within(self.index(variable), [self.index(parent) for parent in allowed])
        return None if found is None else self._candidate(found)

    def network_score(self, parents: Mapping[str, Iterable[str]]) -> float:
        """Return the score of a network whose parent sets are candidates.

        Parameters
        ----------
        parents
            For every variable the names of its parents.  Whether the network is acyclic is not
            looked at here; :func:`bayesloom.verify.verify` does.
        """
        if missing := [name for name in self._names if name not in parents]:
            raise InputError(f"the network has no entry for variable {missing[0]!r}.")
        total = 0
        for name, chosen in parents.items():
            chosen = tuple(chosen)
            found = self._core.find(self.index(name), [self.index(parent) for parent in chosen])
            if found is None:
                shown = ", ".join(map(repr, chosen)) or "no parents"
                raise InputError(f"variable {name!r}: {shown} is not among its candidates in this cache.")
            total += int(self.scores[found])
        return _core.to_nats(total)

    # Smaller ones

    def select(self, keep: npt.ArrayLike) -> Self:
        """Return the cache of the candidates whose flag in ``keep`` is true.

        The result is not :attr:`complete`, since nothing is known about what was left out.
        """
        import numpy as np

        flags = np.ascontiguousarray(keep, dtype=np.bool_)
        chosen = type(self)(self._core.select(flags))
        return chosen.with_info(without_claims(self._info)) if claims(self._info) is not None else chosen

    def without_dominated(self, *, bayes_factor: float = 1.0, drop_ties: bool = False) -> Self:
        """Return the cache without candidates that no network within a Bayes factor needs.

        A candidate goes if one of its subsets is a candidate that scores better by more than
        ``ln(bayes_factor)``: putting the subset in its place keeps a network acyclic and lifts it
        by more than that.  A superset that merely equals its subset stays, since the best network
        that uses it is as good as any other.

        Parameters
        ----------
        bayes_factor
            Keep all that networks within this factor of the best can use; at least 1.
        drop_ties
            Drop a candidate also where the difference is exactly ``ln(bayes_factor)``.  One best
            network survives, which is enough for finding it; :attr:`complete_factor` becomes
            ``None``, since not all of them do.

        Examples
        --------
        >>> lists = {"a": [(-1, [])], "b": [(-2, []), (-2, ["a"]), (-3, ["c"])], "c": [(-1, [])]}
        >>> cache = ScoreCache.from_candidates("abc", lists)
        >>> cache.without_dominated().candidates("b")
        [(-2.0, ()), (-2.0, ('a',))]
        >>> cache.without_dominated(drop_ties=True).candidates("b")
        [(-2.0, ())]
        >>> len(cache.without_dominated(bayes_factor=20))
        5
        """
        if not (math.isfinite(bayes_factor) and bayes_factor >= 1):
            raise InputError(f"bayes_factor must be a number of at least 1, got {bayes_factor}.")
        # Rounded up: a whole unit of margin too many keeps a candidate too many, never one too few.
        margin = math.ceil(math.log(bayes_factor) * UNITS)
        pruned = type(self)(self._core.without_dominated(margin, drop_ties))
        info = dict(self._info)
        if (claimed := claims(info)) is not None:
            info[claim_key(info)] = min(claimed, bayes_factor)
        if drop_ties:
            info["ties_dropped"] = True
        return pruned.with_info(info)

    # For people

    def summary(self) -> str:
        """Return a few lines about the cache.

        Examples
        --------
        >>> info = {"score": "bic", "rows": 20, "method": "exhaustive", "complete_factor": 1}
        >>> print(ScoreCache.from_candidates(["a"], {"a": [(-1.5, [])]}, info=info).summary())
        variables    1
        candidates   1 (1 to 1 per variable)
        parents      up to 0
        score        bic
        rows         20
        method       exhaustive
        complete     yes, within Bayes factor 1
        """
        first = self._core.plain_views[0]
        counts = [first[v + 1] - first[v] for v in range(self.variable_count)]
        lines = {
            "variables": f"{self.variable_count:,}",
            "candidates": f"{self.candidate_count:,} ({min(counts):,} to {max(counts):,} per variable)",
            "parents": f"up to {self.max_parents_seen}",
        }
        lines |= {key: str(self._info[key]) for key in ("score", "rows", "method") if key in self._info}
        if self.part is not None:
            lines["complete"] = f"no, part {self.part[0]} of {self.part[1]}; see `merge`"
        elif self.complete_factor is not None:
            lines["complete"] = f"yes, within Bayes factor {self.complete_factor:g}"
        else:
            lines["complete"] = "for one best network" if self.complete else "not proved"
        return "\n".join(f"{key:<12} {value}" for key, value in lines.items())

    def __repr__(self) -> str:
        parents = self.max_parents_seen
        score = f", score {self._info['score']!r}" if "score" in self._info else ""
        return (
            f"ScoreCache({counted(self.variable_count, 'variable')}, "
            f"{counted(self.candidate_count, 'candidate')}, up to {counted(parents, 'parent')}{score})"
        )

    def __len__(self) -> int:
        """The number of candidates."""
        return self.candidate_count

    def __eq__(self, other: object) -> bool:
        """Same variables, candidates, scores and info."""
        if not isinstance(other, ScoreCache):
            return NotImplemented
        return self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return _unpickle, (_core.format_blc(self._core),)

    def _candidate(self, c: int) -> Candidate:
        chosen = self.parents[int(self.parent_first[c]) : int(self.parent_first[c + 1])]
        return _core.to_nats(int(self.scores[c])), tuple(self._names[p] for p in chosen)


def read_cache(path: str | os.PathLike[str]) -> ScoreCache:
    """Read a score cache from a file; the same as :meth:`ScoreCache.read`."""
    return ScoreCache.read(path)


def _unpickle(content: bytes) -> ScoreCache:
    return ScoreCache(_core.parse_blc(content, "pickled score cache"))


def _unsigned(values: npt.ArrayLike, bits: int, what: str) -> npt.NDArray[Any]:
    """Return whole numbers as an unsigned array, refusing any that would not fit."""
    import numpy as np

    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.uint64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"the {what} must be a flat array of whole numbers.")
    if array.size and (int(array.min()) < 0 or int(array.max()) >= 2**bits):
        raise InputError(f"the {what} must lie between 0 and 2^{bits} - 1.")
    return np.ascontiguousarray(array, dtype=f"u{bits // 8}")
