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
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils import ClassifierTags, check_random_state
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise ImportError(
        "scikit-learn is not installed. Install it with: pip install 'bayesloom[sklearn]'."
    ) from error

from bayesloom.credible_sets import CredibleSet, credible
from bayesloom.errors import InputError
from bayesloom.learning.api import learn
from bayesloom.loops import as_one_call
from bayesloom.networks import gaussian_rows, inference
from bayesloom.networks.gaussian_posterior import completed_rows
from bayesloom.networks.intervals import bounds_of
from bayesloom.networks.prediction import completed, distributions, without_missing
from bayesloom.networks.rows import codes_of
from bayesloom.scoring.registry import is_auto, resolve_score
from bayesloom.table import Table
from bayesloom.table.read import CUT, table_of
from bayesloom.table.state_names import MISSING

__all__ = ["StructureLearner"]


def _has_target(learner: Any) -> bool:
    return learner.target is not None


class StructureLearner(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns the structure of a Bayesian network, scores new rows, and fills in what is missing.

    `score` is the mean log-likelihood of rows, so that options can be chosen by cross-validation;
    `transform` fills in missing values; with a `target`, `predict` and `predict_proba` tell one column from
    the others. A value never seen in `fit` is taken as not known.

    Parameters
    ----------
    scoring
        The name of the score; ``score`` is taken by scikit-learn.  ``"auto"`` keeps numbers near a normal
        distribution and goes by the kinds of columns, as `bayesloom.learn` does.
    ess
        Equivalent sample size, for ``"bdeu"`` and ``"bds"``.
    max_parents, constraints, solver, time_limit
        As in `bayesloom.learn`; constraints speak of ``feature_names_in_``, or of ``x0``, ``x1``, ...
    discretize
        How columns of many numbers are cut, see `bayesloom.read_table`; ``"auto"`` is ``"quantile:3"``, and
        not at all under a score of continuous variables, such as ``"bge"``; `score` is of densities then, and
        `transform` and `predict` are not there.
    bayes_factor
        If given, also find all networks within this factor of the best: ``credible_networks_`` and
        ``edge_posterior_``.  For small tables; with the time limit once more.
    target
        The column that `predict` tells from the others: its name or its position.  Under a name that X
        has not, y is taken as that column.  With a name this is a classifier to scikit-learn, so that
        folds are stratified.
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
    fitted_
        The `FittedNetwork` or `GaussianNetwork`: the network with its probabilities, which answers queries;
        None where a discrete variable has a continuous parent.
    classes_
        With a `target`: its values, in the order of the columns of `predict_proba`.
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
        target: str | int | None = None,
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
        self.target = target
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the network of X: one row per case, one column per variable.

        Missing values (NaN, None) are a state of their own.  y is ignored, unless `target` is the name of a
        column that X has not: then y is that column.
        """
        names, values = self._names_and_values(X)
        self._target_is_y = isinstance(self.target, str) and self.target not in names and y is not None
        if self._target_is_y:
            names, values = [*names, str(self.target)], _with_column(values, len(names), np.asarray(y))
        table = self._table(names, values)
        options = {} if self.ess is None else {"ess": self.ess}
        seed = (
            0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        )
        threads = self._threads()
        with as_one_call():
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
        if self.result_.interrupted:  # so that a search over options ends too
            raise KeyboardInterrupt
        self.network_ = self.result_.network
        self.score_, self.bound_, self.gap_ = self.result_.score, self.result_.bound, self.result_.gap
        self.status_ = self.result_.status
        matrix = np.zeros((len(names), len(names)), dtype=np.int64)
        for v, parents in enumerate(self.network_.parent_indices):
            matrix[list(parents), v] = 1
        self.adjacency_matrix_ = matrix
        try:
            self.fitted_ = self.result_.fit()
        except InputError:  # a number is a parent of a discrete variable, as under dg
            self.fitted_ = None
        if table.continuous:
            if self.target is not None:
                raise ValueError("target: probabilities are of states, and the table has continuous columns.")
            if self.bayes_factor is not None:
                self._fit_credible(table, options, seed, threads)
            return self
        codes = codes_of(self.fitted_, self._columns(names, values), refuse=False)
        self._values = [
            _values_of(states, codes[:, v], values[:, v]) for v, states in enumerate(self.fitted_.states)
        ]
        if self.target is not None:
            column = self._target_column()
            kept = [k for k, state in enumerate(self.fitted_.states[column]) if state != MISSING]
            self.classes_ = np.array([self._values[column][k] for k in kept])
        if self.bayes_factor is not None:
            self._fit_credible(table, options, seed, threads)
        return self

    def score_samples(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the log-likelihood of each row, in nats; what is not known is summed out."""
        return self._log_likelihoods(X, None)

    def _log_likelihoods(self, X: Any, y: Any) -> npt.NDArray[np.float64]:
        if self._is_continuous():
            if self.fitted_ is None:
                raise ValueError("a discrete variable has a continuous parent: such a network is not fitted.")
            values = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False)
            given = gaussian_rows.rows_of(self.fitted_, self._columns(list(self.fitted_.names), values))
            return np.concatenate([part.log for part in completed_rows(self.fitted_, given, ())])
        rows = self._rows(X, y)[1]
        logs: npt.NDArray[np.float64] = inference.ask(
            self.fitted_, rows, "evidence", threads=self._threads()
        )["logs"]
        return logs

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of the rows, in nats: larger is better; y as in `fit`.

        Options that change the states, such as `discretize`, are not compared by it: fewer states are always
        more probable.
        """
        return float(np.mean(self._log_likelihoods(X, y)))

    def transform(self, X: Any) -> npt.NDArray[Any]:
        """Return the rows with missing values filled in: the most probable state, given the rest of the row.

        A column that was cut into ranges gets the mean of the values that `fit` saw in the range.
        """
        values, rows = self._rows(X)
        network, rows = without_missing(self.fitted_, rows)
        filled = completed(network, rows, "mode", threads=self._threads())
        answer = values.copy()
        if answer.dtype.kind in "biu":
            return answer  # which cannot be missing
        for v, states in enumerate(network.states):
            holes = _is_missing(values[:, v])
            if holes.any():
                known = dict(zip(self.fitted_.states[v], self._values[v], strict=True))
                by_state = [known[state] for state in states]
                answer[holes, v] = [by_state[k] for k in filled[holes, v]]
        return answer

    @available_if(_has_target)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable value of the `target` for each row; its own column may be left out."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    @available_if(_has_target)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the distribution of the `target` for each row, a column for each of `classes_`."""
        check_is_fitted(self)
        column = self._target_column()
        rows = self._rows(self._with_target(X, column))[1]
        rows[:, column] = inference.HIDDEN
        found = distributions(self.fitted_, rows, column, self._threads())
        kept = [k for k, state in enumerate(self.fitted_.states[column]) if state != MISSING]
        return np.asarray(found[:, kept] / found[:, kept].sum(axis=1, keepdims=True))

    def _target_column(self) -> int:
        names = self.fitted_.names
        if isinstance(self.target, str):
            return int(self.fitted_.network.index(self.target))
        if isinstance(self.target, (int, np.integer)) and 0 <= self.target < len(names):
            return int(self.target)
        raise ValueError(f"target must be the name or the position of a column, got {self.target!r}.")

    def _is_continuous(self) -> bool:
        check_is_fitted(self)
        return bool(self.result_.table.continuous)

    def _threads(self) -> int | None:
        return 1 if self.n_jobs is None else None if self.n_jobs < 0 else self.n_jobs

    def _with_target(self, X: Any, column: int) -> Any:
        """Return rows with an empty column for the target, if they lack it."""
        if self._target_is_y or np.ndim(X) != 2 or np.shape(X)[1] != self.n_features_in_ - 1:
            return X
        if not hasattr(X, "columns"):
            return _with_column(np.asarray(X), column, None)
        if self.fitted_.names[column] in X.columns or not hasattr(X, "insert"):
            return X
        X = X.copy()
        X.insert(column, self.fitted_.names[column], np.nan)
        return X

    def _rows(self, X: Any, y: Any = None) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
        """Return new rows as they are, and in the states of the fitted network."""
        check_is_fitted(self)
        values = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False)
        if self._target_is_y:
            values = _with_column(values, values.shape[1], None if y is None else np.asarray(y))
        if self._is_continuous():
            raise ValueError("the network has continuous variables, and this is of states.")
        columns = self._columns(list(self.fitted_.names), values)
        return values, codes_of(self.fitted_, columns, refuse=False)

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

    def _columns(self, names: list[str], values: npt.NDArray[Any]) -> dict[str, Any]:
        if values.dtype.kind == "c":
            raise ValueError("Complex data not supported.")
        columns = {}
        for v, name in enumerate(names):
            column = values[:, v]
            if column.dtype == object:
                column = _plain(column)
            columns[name] = column
        return columns

    def _table(self, names: list[str], values: npt.NDArray[Any]) -> Table:
        columns = self._columns(names, values)
        try:
            kinds = "normal" if is_auto(self.scoring) else resolve_score(self.scoring)[0].kinds
            if kinds != "discrete" and self.discretize == "auto":
                kept = {"continuous": "all", "any": "auto", "normal": "normal"}[kinds]
                return table_of(columns, keep_all=True, continuous=kept)
            rule = CUT if self.discretize == "auto" else self.discretize
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
        if isinstance(self.target, str):
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags()
        return tags


def _with_column(
    values: npt.NDArray[Any], position: int, column: npt.NDArray[Any] | None
) -> npt.NDArray[Any]:
    """Return the rows with one more column, of missing values if none is given."""
    own = np.full(len(values), np.nan) if column is None else column
    kinds = {values.dtype.kind, own.dtype.kind}
    if len(kinds & set("OUS")) > 0:
        values, own = values.astype(object), own.astype(object)
    return np.column_stack([values[:, :position], own, values[:, position:]])


def _plain(column: npt.NDArray[Any]) -> Any:
    """Return a column of objects as numbers if it holds nothing else, else as texts and None."""
    missing = np.array([value is None or value != value for value in column])
    if all(isinstance(value, (int, float, np.number)) for value in column[~missing]):
        return np.where(missing, np.nan, column).astype(np.float64)
    for value in column[~missing]:
        if not isinstance(value, (str, int, float, np.generic)):
            raise TypeError(f"argument must be a string or a number, got {type(value).__name__}.")
    return [None if gone else str(value) for value, gone in zip(column, missing, strict=True)]


def _is_missing(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    if column.dtype != object:
        return np.zeros(len(column), dtype=bool)
    return np.array([value is None or value != value for value in column], dtype=bool)


def _values_of(states: tuple[str, ...], codes: npt.NDArray[np.int32], column: npt.NDArray[Any]) -> list[Any]:
    """Return a value for each state of a variable: the one seen, or of a range the mean of those seen."""
    missing = _is_missing(column)
    found: list[Any] = []
    for k, state in enumerate(states):
        own = column[(codes == k) & ~missing]
        if own.size == 0:
            found.append(np.nan if state == MISSING else state)
        elif bounds_of(state) is not None and all(isinstance(one, (int, float, np.number)) for one in own):
            found.append(float(np.mean(own.astype(np.float64))))
        else:
            found.append(own[0])
    return found


def _print(event: Any) -> None:
    print(f"[bayesloom] {event.stage}: {event.work:,} done in {event.seconds:.1f} s")
