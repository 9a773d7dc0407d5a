"""A structure learner for scikit-learn: ``fit`` it on a table of numbers or categories.

scikit-learn is an extra (``pip install 'bayesloom[sklearn]'``) and imported here only.

>>> import numpy as np
>>> from bayesloom.sklearn import StructureLearner
>>> rng = np.random.default_rng(1)
>>> x = rng.integers(0, 2, size=300)
>>> learner = StructureLearner(time_limit=5).fit(np.column_stack([x, x ^ (rng.random(300) < 0.1)]))
>>> learner.adjacency_matrix_.sum(), learner.status_
(np.int64(1), 'optimal')
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise ImportError(
        "scikit-learn is not installed. Install it with: pip install 'bayesloom[sklearn]'."
    ) from error

from bayesloom.credible_sets import CredibleSet, credible
from bayesloom.errors import InputError
from bayesloom.learning.api import learn
from bayesloom.table import Table
from bayesloom.table.read import CUT, table_of

__all__ = ["StructureLearner"]


class StructureLearner(BaseEstimator):  # type: ignore[misc]
    """Learns the structure of a Bayesian network; an estimator without a target.

    Parameters
    ----------
    scoring
        The name of the score; ``score`` is taken by scikit-learn.
    ess
        Equivalent sample size, for ``"bdeu"`` and ``"bds"``.
    max_parents, constraints, solver, time_limit
        As in `bayesloom.learn`; constraints speak of ``feature_names_in_``, or of ``x0``, ``x1``, ...
    discretize
        How columns of many numbers are cut, see `bayesloom.read_table`; ``"auto"`` is ``"quantile:3"``.
    bayes_factor
        If given, also find all networks within this factor of the best: ``credible_networks_`` and
        ``edge_posterior_``.  For small tables; with the time limit once more.
    random_state
        A seed, for the same network every time.
    n_jobs
        How many threads; None means one, -1 all processors.
    verbose
        Whether to print where it is.

    Attributes
    ----------
    network_
        The `Network`; ``result_.cpdag`` tells which edges are compelled.
    dag_, causal_graph_
        The same as a ``networkx.DiGraph`` (made when asked for).
    adjacency_matrix_
        ``[i, j]`` is 1 if i is a parent of j.
    score_, bound_, gap_, status_
        How good it is: see `SearchResult`.
    result_
        The whole `SearchResult`.
    credible_networks_, edge_posterior_
        The networks within `bayes_factor`, and the posterior of each edge, ``[i, j]`` as above.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    def __init__(
        self,
        scoring: str = "bic",
        *,
        ess: float | None = None,
        max_parents: int | None = None,
        constraints: object = None,
        solver: str = "auto",
        time_limit: float | None = 60.0,
        discretize: str = "auto",
        bayes_factor: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.scoring = scoring
        self.ess = ess
        self.max_parents = max_parents
        self.constraints = constraints
        self.solver = solver
        self.time_limit = time_limit
        self.discretize = discretize
        self.bayes_factor = bayes_factor
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the network of X: one row per case, one column per variable; y is ignored.

        Missing values (NaN, None) are a state of their own.
        """
        names, values = self._names_and_values(X)
        table = self._table(names, values)
        options = {} if self.ess is None else {"ess": self.ess}
        seed = (
            0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        )
        threads = 1 if self.n_jobs is None else None if self.n_jobs < 0 else self.n_jobs
        self.result_ = learn(
            table,
            score=self.scoring,
            options=options,
            max_parents=self.max_parents,
            constraints=self.constraints,
            solver=self.solver,
            time_limit=self.time_limit,
            seed=seed,
            threads=threads,
            progress=_print if self.verbose else None,
        )
        self.network_ = self.result_.network
        self.score_, self.bound_, self.gap_ = self.result_.score, self.result_.bound, self.result_.gap
        self.status_ = self.result_.status
        matrix = np.zeros((len(names), len(names)), dtype=np.int64)
        for v, parents in enumerate(self.network_.parent_indices):
            matrix[list(parents), v] = 1
        self.adjacency_matrix_ = matrix
        if self.bayes_factor is not None:
            self._fit_credible(table, options, seed, threads)
        return self

    def _fit_credible(self, table: Table, options: dict[str, float], seed: int, threads: int | None) -> None:
        found: CredibleSet = credible(
            table,
            self.bayes_factor,  # type: ignore[arg-type]
            score=self.scoring,
            options=options,
            max_parents=self.max_parents,
            constraints=self.constraints,
            time_limit=self.time_limit,
            seed=seed,
            threads=threads,
        )
        self.credible_networks_ = found.networks
        posterior = found.edge_posterior
        self.edge_posterior_ = np.array(
            [[0.0 if a == b else posterior.directed(a, b) for b in table.names] for a in table.names]
        )

    @property
    def dag_(self) -> Any:
        """The network as a ``networkx.DiGraph``."""
        check_is_fitted(self)
        return self.network_.to_networkx(constraints=self.result_.constraints)

    @property
    def causal_graph_(self) -> Any:
        """The same as `dag_`, under the name that pgmpy has for it."""
        return self.dag_

    def _names_and_values(self, X: Any) -> tuple[list[str], npt.NDArray[Any]]:
        values = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=2)
        names = getattr(self, "feature_names_in_", None)
        count = values.shape[1]
        return [f"x{v}" for v in range(count)] if names is None else [str(name) for name in names], values

    def _table(self, names: list[str], values: npt.NDArray[Any]) -> Table:
        if values.dtype.kind == "c":
            raise ValueError("Complex data not supported.")
        columns = {}
        for v, name in enumerate(names):
            column = values[:, v]
            if column.dtype == object:
                column = _plain(column)
            columns[name] = column
        rule = CUT if self.discretize == "auto" else self.discretize
        try:
            return table_of(columns, keep_all=True, discretize=rule)
        except InputError as error:
            raise ValueError(str(error)) from error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = False
        tags.non_deterministic = False
        return tags


def _plain(column: npt.NDArray[Any]) -> Any:
    """Return a column of objects as numbers if it holds nothing else, else as texts and None."""
    missing = np.array([value is None or value != value for value in column])
    if all(isinstance(value, (int, float, np.number)) for value in column[~missing]):
        return np.where(missing, np.nan, column).astype(np.float64)
    for value in column[~missing]:
        if not isinstance(value, (str, int, float, np.generic)):
            raise TypeError(f"argument must be a string or a number, got {type(value).__name__}.")
    return [None if gone else str(value) for value, gone in zip(column, missing, strict=True)]


def _print(event: Any) -> None:
    print(f"[bayesloom] {event.stage}: {event.work:,} done in {event.seconds:.1f} s")
