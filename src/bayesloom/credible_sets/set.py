"""The credible set as an object: its claim, its networks and classes, and averages over them."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from bayesloom import _core
from bayesloom.constraints.model import ALL, Constraints
from bayesloom.credible_sets import options
from bayesloom.credible_sets.averages import Averages
from bayesloom.credible_sets.coverage import Coverage, coverage_of, score_all
from bayesloom.credible_sets.entries import CredibleClasses, CredibleNetworks, check_no_interventions
from bayesloom.credible_sets.stages import Run, StageClock
from bayesloom.credible_sets.strategy import make, max_loss
from bayesloom.errors import InputError, InternalError, ResourceError
from bayesloom.limits import resolve_memory, resolve_threads
from bayesloom.networks.network import Network
from bayesloom.progress import kernel_progress
from bayesloom.scoring.cache import ScoreCache
from bayesloom.scoring.registry import scores
from bayesloom.verification.network import verify
from bayesloom.words import what_is_kept, with_at_most

if TYPE_CHECKING:
    from bayesloom.report.drawing import Drawing
    from bayesloom.table import Table

__all__ = ["CredibleSet"]


class CredibleSet(Averages):
    """All networks within a Bayes factor of the best; made by `credible`.

    A sequence of networks: ``len(found)``, ``found[0]``, ``found[:10]`` and iteration list them as they are
    asked for.  It can be pickled; what listing needs is then made again when it is first used.

    Attributes
    ----------
    cache
        The score cache it is about.
    bayes_factor
        F: the networks have scores of at least ``best - ln F - tolerance``.
    tolerance
        Nats by which the limit was lowered; 0 unless asked for.
    best
        The best score.
    best_network
        One best network.
    count
        How many networks there are; an estimate unless `count_is_exact`.
    count_error
        The standard error of an estimated count, or how far a count by rounded losses can be off; 0 for an
        exact one.
    count_bounds
        What is proved about the number: at least the first, at most the second, or None if nothing is.
    count_effective
        How many draws of equal weight an estimate is worth; None if it is none. Where that is below a
        hundred, a few walks make up the estimate and the error may be too small.
    count_by
        What the count is by: ``"count"``; ``"walks"``, an unbiased estimate; or ``"populations"``, one that
        tends to be a few percent too low beyond its error.
    complete
        Whether the set provably holds every credible network, over all parent sets: the cache is
        complete for this factor and nothing was stopped.  `claim` says it in words.
    seconds
        Time of each stage.
    limit
        How many networks are listed at most; None means all. It never changes the count.
    expected
        The size as it was estimated before counting, and the standard error of that.
    """

    def __init__(
        self,
        cache: ScoreCache,
        core: _core.CredibleSet,
        *,
        bayes_factor: float,
        tolerance: float,
        limit: int | None,
        counted: Mapping[str, Any],
        seconds: Mapping[str, float],
        run: Run,
        table: Table | None = None,
    ) -> None:
        self.cache = cache
        self.bayes_factor = bayes_factor
        self.tolerance = tolerance
        self.limit = limit
        self.seconds = dict(seconds)
        self.interrupted = bool(counted["interrupted"])
        self.expected: tuple[float, float] = counted["expected"]
        self.count: int = counted["count"]
        self.count_error: float = counted["error"]
        self.count_is_exact: bool = counted["exact"]
        self.count_bounds: tuple[int, int | None] = counted["bounds"]
        self.count_effective: float | None = counted["effective"]
        self.count_by: str = counted["by"]
        self._weight: float | None = counted["weight"]
        self._core = core
        self._run = run
        self._table = table
        flat, edges = cache.parents.tolist(), cache.parent_first.tolist()
        self._parents = [tuple(flat[a:b]) for a, b in itertools.pairwise(edges)]
        self.best = _core.to_nats(core.best)
        self.best_network = self._network(np.array(core.best_network))
        check = verify(
            self.best_network,
            cache=cache,
            claimed_score=self.best,
            constraints=cache.info.get("constraints"),
        )
        if not check.ok:
            raise InternalError(f"the best network failed verification: {' '.join(check.problems)}")

    def share_time(self, clock: StageClock) -> None:
        """Let all that is asked of the set from here on take what is left on one clock.

        Otherwise each has the time limit that the set was made with for itself.
        """
        self._run = replace(self._run, clock=clock)

    # What it claims

    @property
    def cache_complete(self) -> bool:
        """Whether the cache provably holds every parent set that a credible network can use."""
        factor = self.cache.complete_factor
        return factor is not None and factor >= self.bayes_factor * math.exp(self.tolerance)

    @property
    def complete(self) -> bool:
        """Whether the set provably holds every credible network, and was counted to the end."""
        return self.cache_complete and self.count_is_exact

    @property
    def claim(self) -> str:
        """What is proved, in words."""
        number, error = self._number()
        one = number == "1"
        which = ("network" if one else "networks") + self._among
        if one:
            which = which.replace(" that keep the", " that keeps the")
        over = "" if self.cache_complete else " over the candidates scored"
        are = "is" if one else "are"
        others = "" if self.cache_complete else "; there may be others"
        beyond = f" and {self.tolerance:g} nats" if self.tolerance else ""
        within = f"within Bayes factor {self.bayes_factor:g}{beyond} of the best"
        return f"{number} {which}{over} {are} {within}{error}{others}"

    @property
    def _among(self) -> str:
        """Which networks are counted, in words: their limit on parents, and whether they keep constraints."""
        limit = self.cache.info.get("max_parents") if self.cache_complete else None
        held = self.cache.info.get("constraints")
        return with_at_most(limit) + (f" that keep {what_is_kept(held)}" if held else "")

    def _number(self) -> tuple[str, str]:
        """How many networks, in words, and what is to be said of that."""
        low, high = self.count_bounds
        if high is not None:
            return (f"{low:,}", "") if low == high else (f"between {low:,} and {high:,}", "")
        if not self.count_effective:
            return f"at least {low:,}", " (the time ended before they were counted)"
        error = f"estimated, standard error {self.count_error:.2g}"
        if self.count_by == "populations":
            error += ", by populations, which are often a few percent low"
        if self.count_effective is not None and self.count_effective < options.OPTIONS.least_effective:
            error += (
                f", which rests on few random walks (worth {self.count_effective:.0f}) and may be too small"
            )
        if low > 0:
            error += f"; at least {low:,} for certain"
        return f"about {self.count:,}", f" ({error})"

    @property
    def component_sizes(self) -> list[int]:
        """The number of variables of each component, largest first."""
        return list(self._core.component_sizes)

    # What it holds

    @cached_property
    def _core(self) -> _core.CredibleSet:  # type: ignore[override]
        """The set in the C++ core; after unpickling it is made again when first asked for."""
        loss = max_loss(self.bayes_factor, self.tolerance)
        core, _ = make(self.cache, loss, replace(self._run, time_limit=None), StageClock(None))
        if self._weight is not None:
            core.count()
        return core

    def __len__(self) -> int:
        """The number of networks, if it is known exactly."""
        if not self.count_is_exact:
            raise TypeError(f"the number of networks is not known exactly: {self._number()[0]}; see count.")
        return self.count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Network]:
        return iter(self.networks)

    @overload
    def __getitem__(self, index: int) -> Network: ...
    @overload
    def __getitem__(self, index: slice) -> list[Network]: ...
    def __getitem__(self, index: int | slice) -> Network | list[Network]:
        """Networks by their place in the listing, which is the same every time; see `networks`."""
        return self.networks[index]

    @property
    def networks(self) -> CredibleNetworks:
        """The networks, listed as they are asked for, at most `limit` of them."""
        return CredibleNetworks(self, self.limit)

    @cached_property
    def classes(self) -> CredibleClasses:
        """The equivalence classes. All networks are listed once to find them, component by component.

        The time limit of the set holds for this stage by itself; if it ends it, `classes.complete` is False
        and there are more.  Refused where variables were set in some rows: equivalent networks do not score
        alike then.
        """
        check_no_interventions(self.cache.info)
        progress = kernel_progress(self._run.progress, "classes")
        return CredibleClasses(self, self._core.classes(seconds=self._run.begin().left(), progress=progress))

    def _class_estimate(self) -> tuple[float, float]:
        if not (self._core.drawable and self._classes_are_whole()):
            return math.nan, math.inf
        drawn = options.OPTIONS.drawn_for_classes
        candidates, _ = self._core.draw(drawn, self._run.seed, even=True)
        rows = candidates.reshape(drawn, -1)
        shares = [1 / _core.class_size(self._network(row)._core) for row in rows]
        error = float(np.std(shares)) / math.sqrt(drawn)
        return self.count * float(np.mean(shares)), self.count * error + self.count_error * max(shares)

    def _classes_are_whole(self) -> bool:
        """Whether the set holds all networks of a class or none.

        One limit on the parents of all variables does not cut classes: equivalent networks have the same
        numbers of parents, only at other variables. Other constraints do.
        """
        info = self.cache.info
        held = Constraints.given(info.get("constraints"))
        free = set(held.to_json()) <= {"max_parents"} and set(held.max_parents) <= {ALL}
        known = scores.get(info.get("score", ""))
        return (
            self.cache_complete
            and free
            and known is not None
            and known.equivalent
            and not info.get("interventions")
        )

    def coverage(self, table: object = None) -> Coverage:
        """Return the share of the posterior weight of all networks that the set holds.

        Of all networks, with the same limit on parents, if the set was made from a table or one is given:
        all parent sets are then scored. Else of the networks over the candidates of the cache, which may
        lack parent sets that no credible network uses. Exact, for components of up to 18 variables; 16 take
        some seconds.

        Raises
        ------
        ResourceError
            If there are too many variables, the time limit ended it, or the set was not counted to the end.
        """
        if self._weight is None:
            raise ResourceError("the set was not counted to the end, so its weight is not known.")
        given = self._table if table is None else table
        clock = self._run.begin()
        everything = self.cache if given is None else score_all(given, self.cache, self._run, clock)
        found = coverage_of(
            math.log(self._total_weight),
            self._core.best,
            everything,
            of_table=given is not None,
            threads=resolve_threads(self._run.threads),
            memory_bytes=resolve_memory(self._run.memory),
            seconds=clock.left(),
        )
        if found is None:
            raise ResourceError("the time limit ended before the weight of all networks was known.")
        return found

    # Look at it

    def plot(self, least: float = 0.05, *, ax: Any = None) -> Drawing:
        """Return a drawing of what the networks agree on: pairs of variables by the posterior of their edge.

        Parameters
        ----------
        least
            Pairs that are joined with less posterior than this are left out.
        ax
            Axes of Matplotlib to draw on as well.
        """
        from bayesloom.report.pictures import drawing_of_posterior

        drawing = drawing_of_posterior(self.edge_posterior, self.best_network, least)
        if ax is not None:
            drawing.on_axes(ax)
        return drawing

    def _repr_html_(self) -> str:
        from bayesloom.report.notebooks import credible_html

        return credible_html(self)

    # Files

    def write(self, path: str | os.PathLike[str], *, by: Literal["network", "class"] = "network") -> int:
        """Write the networks, or one network per class, at most `limit` of them; return how many.

        The file has one JSON object per line: ``{"score": .., "parents": {name: [names]}}``, for
        classes also ``members``, ``size`` and ``posterior``; a name that ends in ``.gz`` is packed. A
        name that ends in ``.parquet`` gives a Parquet file with the same columns. Networks are written as
        they are listed: memory does not grow with their number.
        """
        if by not in ("network", "class"):
            raise InputError(f"by must be 'network' or 'class', got {by!r}.")
        from bayesloom.credible_sets import files

        if os.fspath(path).lower().endswith(".parquet"):
            return files.write_parquet(self, path, by=by)
        if by == "class":
            return files.write_classes(self.classes, path, self.limit)
        return files.write_networks(self._core, path, self.limit)

    def to_json(self) -> dict[str, Any]:
        """Return the set as plain values, as ``--json`` writes it; an error that is not known is None."""
        known = [error if math.isfinite(error) else None for error in (self.count_error, self.expected[1])]
        return {
            "count": self.count,
            "count_is_exact": self.count_is_exact,
            "count_error": known[0],
            "count_bounds": list(self.count_bounds),
            "count_effective": self.count_effective,
            "count_by": self.count_by,
            "expected": [self.expected[0], known[1]],
            "complete": self.complete,
            "claim": self.claim,
            "best": self.best,
            "bayes_factor": self.bayes_factor,
            "tolerance": self.tolerance,
            "components": self.component_sizes,
            "seconds": {name: round(value, 6) for name, value in self.seconds.items()},
            "variables": list(self.names),
            "parents": {name: list(up) for name, up in self.best_network.parents.items()},
            "max_parents": self.cache.info.get("max_parents"),
            "constraints": self.cache.info.get("constraints", {}),
            "interventions": self.cache.info.get("interventions", []),
            "score_name": self.cache.info.get("score"),
            "score_options": self.cache.info.get("options", {}),
            "reading": self.cache.info.get("reading", {}),
        }

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_core", "classes")}
        kept["_run"] = replace(self._run, progress=None, clock=None)
        return kept

    def __repr__(self) -> str:
        number = self._number()[0]
        networks = "network" if number == "1" else "networks"
        return f"<CredibleSet: {number} {networks} within Bayes factor {self.bayes_factor:g}>"
