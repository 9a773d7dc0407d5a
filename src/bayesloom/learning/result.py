"""What `learn` returns: the network with its claim, the table it was learned from, and all that follows.

A `LearnResult` is a `SearchResult` that keeps its table, so that nothing is read twice: fit, look, ask,
check, compare and export from here on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, Self

from bayesloom.solvers.result import SearchResult, run_object

if TYPE_CHECKING:
    from bayesloom.credible_sets import CredibleSet
    from bayesloom.networks.comparison import Comparison
    from bayesloom.posterior_sampling import NetworkPosterior
    from bayesloom.resampling import Bootstrap
    from bayesloom.table import Table
    from bayesloom.verification import Verification

__all__ = ["LearnResult"]


@dataclass(frozen=True, repr=False)
class LearnResult(SearchResult):
    """The outcome of `learn`.

    Attributes
    ----------
    table
        The table as it was read: names, states, cut points, what was decided for each column.
    asked
        The options that say which networks were looked for: ``max_parents``, as it was asked for.

    All attributes of `SearchResult` are here too.

    Examples
    --------
    >>> import bayesloom as bl
    >>> rows = {"rain": ["no", "no", "yes", "yes"] * 10, "wet": ["no", "no", "yes", "yes"] * 9 + ["no"] * 4}
    >>> result = bl.learn(rows)
    >>> fitted = result.fit()
    >>> {state: round(p, 2) for state, p in fitted.query("rain", {"wet": "yes"}).items()}
    {'no': 0.01, 'yes': 0.99}
    >>> result.credible(bayes_factor=20).count
    2
    >>> result.verify().ok
    True
    """

    table: Table = field(kw_only=True)
    asked: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    @classmethod
    def of(cls, result: SearchResult, table: Table, **asked: Any) -> Self:
        """Return a result of a search together with the table that was scored."""
        known = {one.name: getattr(result, one.name) for one in fields(SearchResult)}
        return cls(**known, table=table, asked=asked)

    # Use it

    def fit(self, method: Literal["ml", "dirichlet"] = "dirichlet", ess: float = 1.0) -> Any:
        """Return the network with probabilities estimated from the table: a `FittedNetwork`.

        With continuous variables in the table it is a `GaussianNetwork`.  `Network.fit` is the same for any
        table.

        Parameters
        ----------
        method
            ``"dirichlet"``: smoothed, never zero; ``"ml"``: shares as they are in the table.
        ess
            How many imaginary rows, spread evenly, smooth the estimates.
        """
        return self.network.fit(self.table, method=method, ess=ess)

    def log_likelihood(
        self,
        rows: object = None,
        *,
        missing: Literal["drop", "state", "keep"] = "keep",
        method: Literal["ml", "dirichlet"] = "dirichlet",
        ess: float = 1.0,
    ) -> float:
        """Return the log-likelihood, in nats, of rows under the network fitted to the table.

        By default every row counts, with the probability of what it holds.

        Parameters
        ----------
        rows
            New rows: anything that `read_table` takes; they are encoded by the states and cut points of the
            table.  None stands for the table itself.
        missing
            What to do with values that are missing or no state of the table, see `Table.like`.  By default a
            missing value is not known, and a value that is no state is refused.  How many rows are left by
            ``"drop"`` is ``len(result.table.like(rows, missing="drop"))``.
        method, ess
            As in `fit`.

        Examples
        --------
        >>> import bayesloom as bl
        >>> drawn = bl.random_network(5, seed=1).sample(600, seed=1).to_pandas()
        >>> result = bl.learn(drawn[:500])
        >>> round(result.log_likelihood(drawn[500:]) / 100, 2)  # per held-out row
        -4.61
        """
        fitted = self.fit(method, ess)
        given = self.table if rows is None else self.table.like(rows, missing=missing)
        return float(fitted.log_likelihood(given))

    # How sure

    def credible(self, bayes_factor: float = 20.0, **options: Any) -> CredibleSet:
        """Return all networks within a Bayes factor of the best: same table, score, limits and constraints.

        `options` are those of `bayesloom.credible`, such as ``time_limit``.
        """
        from bayesloom.credible_sets.api import credible

        return credible(self.table, bayes_factor, **{**self._problem(), **options})

    def posterior(self, **options: Any) -> NetworkPosterior:
        """Return the posterior over networks: same table, score, limits and constraints.

        `options` are those of `bayesloom.posterior`, such as ``samples``.
        """
        from bayesloom.posterior_sampling.api import posterior

        return posterior(self.table, **{**self._problem(), **options})

    def bootstrap(self, replicates: int = 200, **options: Any) -> Bootstrap:
        """Learn from resampled rows and count edges: same table, score, limits and constraints.

        `options` are those of `bayesloom.bootstrap`, such as ``seed``.
        """
        from bayesloom.resampling.api import bootstrap

        return bootstrap(self.table, replicates, **{**self._problem(), **options})

    def _problem(self) -> dict[str, Any]:
        return {
            "score": self.score_name,
            "options": dict(self.score_options),
            "constraints": dict(self.constraints) or None,
            "max_parents": self.asked.get("max_parents"),
        }

    def verify(self, *, exhaustive: bool = False) -> Verification:
        """Check every field of the result from the table, with code that the search does not share.

        With `exhaustive`, and at most 10 variables, all networks are looked at too.
        """
        from bayesloom.verification import verify_run

        return verify_run(run_object(self, "learn"), table=self.table, exhaustive=exhaustive)

    def compare(self, other: object) -> Comparison:
        """Return how the network differs from another one, such as the truth or an earlier result."""
        from bayesloom.networks.comparison import compare

        return compare(self.network, other)

    # Look at it, pass it on

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        credible: CredibleSet | NetworkPosterior | Bootstrap | None = None,
    ) -> None:
        """Write a page about the result to read or to pass on: ``.html`` or ``.md``.

        With a credible set, as `credible` returns it, or what `bayesloom.posterior` or `bayesloom.bootstrap`
        returns, the page shows how sure every edge is too.
        """
        from bayesloom.report.content import how_sure_object
        from bayesloom.report.page import write_report

        beside = None if credible is None else how_sure_object(credible)
        write_report(run_object(self, "learn"), path, table=self.table, sure=beside)

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the fitted network: ``.bif``, ``.xmlbif``, ``.net``, ``.json``, ``.svg`` and others.

        Where no probabilities can be fitted (a continuous parent of a discrete variable) the structure alone,
        in the formats that hold one.
        """
        from bayesloom.networks.writing import fittable_network

        fittable_network(self.network, self.table, path, format).write(
            path, format, constraints=dict(self.constraints), interventions=self.interventions
        )

    def to_networkx(self) -> Any:
        """Return a ``networkx.DiGraph`` of the fitted network; each edge says whether it is ``compelled``."""
        from bayesloom.networks import interop

        return interop.to_networkx(
            self.fit(), constraints=dict(self.constraints), interventions=self.interventions
        )

    def to_pgmpy(self) -> Any:
        """Return a pgmpy ``DiscreteBayesianNetwork`` with probabilities."""
        return self.fit().to_pgmpy()

    def to_pyagrum(self) -> Any:
        """Return a pyAgrum ``BayesNet`` with probabilities."""
        return self.fit().to_pyagrum()

    def __repr__(self) -> str:
        over_all = ""
        if self.gap_all_networks is None:
            over_all = " over the sets scored"
        elif self.gap_all_networks != self.gap:
            over_all = f" over the sets scored, {self.gap_all_networks:.6g} over all networks"
        return (
            f"LearnResult({self.network!r}, score={self.score:.6f}, gap={self.gap:.6g}{over_all}, "
            f"status={self.status!r}, solver={self.solver!r})"
        )
