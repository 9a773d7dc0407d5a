"""A fitted network with continuous variables: linear Gaussian, or, with discrete ones, conditional so.

A continuous variable x with discrete parents in the joint state d and continuous parents u has

    x  =  a_d + b_d . u + e,    e normal with mean 0 and variance s_d

and a discrete variable a table of probabilities, as in a `FittedNetwork`; its parents are discrete
[lauritzen1989].  Given the discrete variables, all continuous ones are jointly normal: with the rows of B
holding the coefficients and D the variances,

    mean = (I - B)^-1 a,    precision = (I - B)^T D^-1 (I - B)
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesloom.errors import InputError, option
from bayesloom.limits import check_count
from bayesloom.networks.fitted import MAX_ROWS, FittedNetwork
from bayesloom.networks.joint import joint_index
from bayesloom.networks.network import Network

if TYPE_CHECKING:
    from bayesloom.networks.gaussian_answers import MeanEffect
    from bayesloom.networks.inference import Explanation
    from bayesloom.networks.interventions import Effect
    from bayesloom.report.drawing import Drawing
    from bayesloom.table import Table

__all__ = ["GaussianNetwork", "Regression"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Regression:
    """How a continuous variable depends on its parents.

    Attributes
    ----------
    discrete, continuous
        The parents of either kind, in index order.
    intercept, variance
        An axis for each discrete parent; a single number if there is none.
    coefficients
        The same, with one more axis for the continuous parents.
    """

    discrete: tuple[str, ...]
    continuous: tuple[str, ...]
    intercept: Floats
    coefficients: Floats
    variance: Floats

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Regression):
            return NotImplemented
        return (self.discrete, self.continuous) == (other.discrete, other.continuous) and all(
            np.array_equal(getattr(self, one), getattr(other, one))
            for one in ("intercept", "coefficients", "variance")
        )

    __hash__ = None  # type: ignore[assignment]


class GaussianNetwork:
    """A network with a regression for each continuous and a table for each discrete variable.

    Parameters
    ----------
    network
        The structure; a discrete variable has discrete parents only.
    states
        The states of each variable, by name or in the order of the variables; none, ``()``, of a continuous
        one. A variable that a mapping leaves out is continuous.
    families
        Of a discrete variable its table of probabilities, as in a `FittedNetwork`; of a continuous one a
        mapping with ``intercept``, ``coefficients`` and ``variance``, see `Regression`.

    Examples
    --------
    >>> network = Network(["dose", "effect"], {"effect": ["dose"]})
    >>> fitted = GaussianNetwork(
    ...     network,
    ...     {},
    ...     {
    ...         "dose": {"intercept": 2.0, "variance": 1.0},
    ...         "effect": {"intercept": 1.0, "coefficients": [3.0], "variance": 0.25},
    ...     },
    ... )
    >>> fitted
    <GaussianNetwork: 2 continuous variables, 1 edge, 5 parameters>
    >>> fitted.query("dose", {"effect": 10.0})
    <Density of dose: mean 2.973, sd 0.1644>
    >>> fitted.do({"effect": 10.0}).query("dose").mean
    2.0
    """

    __slots__ = ("_families", "_missing_values", "_network", "_states")

    def __init__(
        self,
        network: Network,
        states: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
        families: Mapping[str, Any] | Sequence[Any],
        *,
        missing_values: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._missing_values = {name: [*codes] for name, codes in (missing_values or {}).items()}
        self._network = network
        names = network.names
        if isinstance(states, Mapping):
            for name in states:
                network.index(name)
            states = [states.get(name, ()) for name in names]
        if isinstance(families, Mapping):
            if differing := sorted(set(names) ^ set(families)):
                raise InputError(f"families and network differ in their variables: {differing[0]!r}.")
            families = [families[name] for name in names]
        if len(states) != len(names) or len(families) != len(names):
            raise InputError(f"expected states and families of {len(names)} variables.")
        self._states = tuple(tuple(own) for own in states)
        self._check_kinds()
        discrete = [v for v, own in enumerate(self._states) if own]
        part = self._discrete_part([families[v] for v in discrete])
        tables = dict(zip(discrete, part.tables, strict=True))
        self._families: tuple[Any, ...] = tuple(
            tables[v] if v in tables else self._checked_regression(v, families[v]) for v in range(len(names))
        )

    @property
    def missing_values(self) -> dict[str, list[str]]:
        """What stands for a missing value in new rows, by column, ``"*"`` for all: as in the table of `fit`.

        Files of networks do not hold it.
        """
        return self._missing_values

    def _check_kinds(self) -> None:
        for v, up in enumerate(self._network.parent_indices):
            for p in up:
                if self._states[v] and not self._states[p]:
                    raise InputError(
                        f"the discrete variable {self.names[v]!r} has the continuous parent"
                        f" {self.names[p]!r}; a conditional linear Gaussian network has no such edge."
                    )

    def _discrete_part(self, tables: Sequence[Any]) -> FittedNetwork:
        discrete = [v for v, own in enumerate(self._states) if own]
        names = [self.names[v] for v in discrete]
        parents = {self.names[v]: [self.names[p] for p in self._network.parent_indices[v]] for v in discrete}
        return FittedNetwork(Network(names, parents), [self._states[v] for v in discrete], list(tables))

    def _checked_regression(self, v: int, given: Any) -> Regression:
        name, up = self.names[v], self._network.parent_indices[v]
        discrete = [p for p in up if self._states[p]]
        continuous = [p for p in up if not self._states[p]]
        if isinstance(given, Regression):
            given = {one: getattr(given, one) for one in ("intercept", "coefficients", "variance")}
        if not isinstance(given, Mapping) or not {"intercept", "variance"} <= set(given):
            raise InputError(
                f"the continuous variable {name!r} needs a mapping with intercept, coefficients and variance."
            )
        shape = tuple(len(self._states[p]) for p in discrete)
        whole = (*shape, len(continuous))
        intercept = _checked(name, "intercept", given["intercept"], shape)
        coefficients = _checked(name, "coefficients", given.get("coefficients", np.zeros(whole)), whole)
        variance = _checked(name, "variance", given["variance"], shape)
        if (variance < 0).any():
            raise InputError(f"the variance of {name!r} is below 0.")
        of = [tuple(self.names[p] for p in group) for group in (discrete, continuous)]
        return Regression(of[0], of[1], intercept, coefficients, variance)

    @property
    def network(self) -> Network:
        """The structure."""
        return self._network

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self._network.names

    @property
    def edges(self) -> list[tuple[str, str]]:
        """All edges ``(from, to)``, by child and then by parent."""
        return self._network.edges

    @property
    def parents(self) -> dict[str, tuple[str, ...]]:
        """The parents of each variable."""
        return self._network.parents

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The states of each variable; none of a continuous one."""
        return self._states

    @property
    def continuous(self) -> tuple[str, ...]:
        """The continuous variables."""
        return tuple(name for name, own in zip(self.names, self._states, strict=True) if not own)

    @property
    def families(self) -> tuple[Any, ...]:
        """The table or the `Regression` of each variable."""
        return self._families

    def regression(self, name: str) -> Regression:
        """Return how a continuous variable depends on its parents."""
        found = self._families[self._network.index(name)]
        if not isinstance(found, Regression):
            raise InputError(f"variable {name!r} is discrete; cpt({name!r}) has its probabilities.")
        return found

    def cpt(self, name: str) -> Floats:
        """Return the table of a discrete variable: parents in index order, then the variable; read-only."""
        found = self._families[self._network.index(name)]
        if isinstance(found, Regression):
            raise InputError(f"variable {name!r} is continuous; regression({name!r}) has its parameters.")
        return np.asarray(found)

    def frame(self, name: str) -> Any:
        """Return how a variable depends on its parents as a ``pandas.DataFrame``.

        A row for each joint state of its discrete parents. Of a continuous variable the columns are the
        intercept, the coefficient of each continuous parent, and the variance; of a discrete one its states.

        Examples
        --------
        >>> network = Network(["dose", "level"], {"level": ["dose"]})
        >>> families = [{"intercept": 2.0, "variance": 1.0}]
        >>> families += [{"intercept": 1.0, "coefficients": [3.0], "variance": 0.25}]
        >>> print(GaussianNetwork(network, [(), ()], families).frame("level"))
        level  intercept  dose  variance
                     1.0   3.0      0.25
        """
        from bayesloom.networks import interop

        return interop.family_frame(self, name)

    @property
    def discrete_part(self) -> FittedNetwork:
        """The discrete variables by themselves: nothing continuous is above them."""
        return self._discrete_part([one for one in self._families if not isinstance(one, Regression)])

    # Ask it

    def query(
        self,
        target: str | Sequence[str] | None = None,
        evidence: Mapping[str, object] | None = None,
        *,
        joint: bool = True,
    ) -> Any:
        """Return what is known of one or several variables, given values of others. Exact.

        Of a discrete variable the probability of each state, of continuous ones a `Density`: normal, or a
        mixture of normals where discrete variables are not known. Their joint states are listed, so few of
        those that bear on the answer may be unknown.

        Parameters
        ----------
        target
            A variable, or several of one kind; None for all that are not known, each by itself.
        evidence
            Values of other variables: states, and numbers of continuous ones.
        joint
            Whether several variables are asked for together, or each by itself.
        """
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.query(self, target, evidence, joint=joint)

    def most_probable(
        self, evidence: Mapping[str, object] | None = None, targets: str | Sequence[str] | None = None
    ) -> Explanation:
        """Return the values of highest joint density, given what is known: states, and numbers.

        Of continuous variables alone these are their means.  ``probability`` is then a density, and can be
        above 1.

        Parameters
        ----------
        evidence
            As in `query`.
        targets
            The variables to explain; None for all that are not known.  Discrete variables that bear on the
            answer must be among them if any of them is continuous.

        Examples
        --------
        >>> import bayesloom as bl
        >>> rows = {"dose": [1.0, 2.0, 3.0, 4.0], "level": [2.1, 3.9, 6.0, 8.0]}
        >>> table = bl.read_table(rows, continuous=["dose", "level"])
        >>> fitted = bl.Network(["dose", "level"], {"level": ["dose"]}).fit(table)
        >>> round(fitted.most_probable({"dose": 2.0}).states["level"], 2)
        4.01
        """
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.most_probable(self, evidence, targets)

    def log_probability(self, evidence: Mapping[str, object]) -> float:
        """Return the natural logarithm of the probability density of some values, all else unknown."""
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.log_probability(self, evidence)

    def log_likelihood(self, table: object) -> float:
        """Return the natural logarithm of the probability density of all rows, in nats.

        The table may be anything that `read_table` takes; numbers of continuous variables are kept. A value
        that is missing is not known: every row counts, with the density of what it holds.

        Raises
        ------
        InputError
            If a variable is missing in the table, or a row has a state that the network does not know.
        """
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.log_likelihood(self, table)

    def do(self, interventions: Mapping[str, object]) -> GaussianNetwork:
        """Return the network with some variables set from outside: without the edges into them."""
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.do(self, interventions)

    def effect(self, x: str, y: str) -> Effect | MeanEffect:
        """Return what setting x does to y: of a continuous y to its mean, of a discrete one to its states.

        Examples
        --------
        >>> network = Network("ABC", {"B": ["A"], "C": ["A", "B"]})
        >>> one = {"intercept": 0.0, "variance": 1.0}
        >>> slopes = [one, {**one, "coefficients": [2.0]}, {**one, "coefficients": [1.0, 3.0]}]
        >>> round(GaussianNetwork(network, [()] * 3, slopes).effect("A", "C").slope, 6)
        7.0
        """
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.effect(self, x, y)

    def predict(self, rows: object, target: str) -> NDArray[Any]:
        """Return the most probable state, or the mean, of a variable for each row, given all that it knows.

        States come as in `FittedNetwork.predict`.
        `rows` is anything that `read_table` takes; a value that is missing, or a column that is not there, is
        not known.
        """
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.predict(self, rows, target)

    def predict_proba(self, rows: object, target: str) -> Floats:
        """Return the distribution of a discrete variable for each row, a column for each state."""
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.predict_proba(self, rows, target)

    def impute(self, table: object, method: Literal["mode", "draw"] = "mode", *, seed: int = 0) -> Table:
        """Return the table with every value that is missing filled in, given the rest of its row.

        ``"mode"``: the most probable state, or the mean, of each by itself; ``"draw"``: drawn at random. A
        state named ``missing`` is a missing value: the network is taken without it.
        """
        from bayesloom.networks import gaussian_answers

        return gaussian_answers.impute(self, table, method, seed)

    def fill(self, rows: object, method: Literal["mode", "draw"] = "mode", *, seed: int = 0) -> Any:
        """Return rows as a ``pandas.DataFrame`` with every value that is missing filled in; all else stays.

        Numbers stay numbers, also of columns that were cut: a range is filled in by the middle one of the
        numbers that the rows have in it, so by a value that occurs. Columns that the network does not have
        are left as they are.

        Parameters
        ----------
        rows
            A data frame, or anything else that `read_table` takes, but a `Table`, which holds states.
        method, seed
            As in `impute`.
        """
        from bayesloom.networks import filled_rows

        return filled_rows.filled(self, rows, method, seed)

    def sample(self, n: int, seed: int = 0, *, evidence: Mapping[str, object] | None = None) -> Table:
        """Draw rows from the network, given evidence if there is any; the same seed gives the same rows."""
        from bayesloom.networks import gaussian_answers
        from bayesloom.table import Table

        check_count("the number of rows", n, least=1, most=MAX_ROWS)
        check_count("seed", seed, least=0)
        if evidence:
            return gaussian_answers.sample_given(self, n, seed, evidence)
        rng = np.random.Generator(np.random.PCG64(seed))
        columns: list[NDArray[Any]] = [np.empty(0)] * len(self.names)
        for name in self._network.order:
            v = self._network.index(name)
            up, family = self._network.parent_indices[v], self._families[v]
            discrete = [p for p in up if self._states[p]]
            cell = joint_index([columns[p] for p in discrete], [len(self._states[p]) for p in discrete])
            if isinstance(family, Regression):
                mean = family.intercept.reshape(-1)[cell] * np.ones(n)
                slopes = family.coefficients.reshape(family.intercept.size, -1)[cell]
                for k, p in enumerate(p for p in up if not self._states[p]):
                    mean = mean + slopes[:, k] * columns[p]
                columns[v] = mean + np.sqrt(family.variance.reshape(-1)[cell]) * rng.standard_normal(n)
            else:
                r = len(self._states[v])
                borders = family.reshape(-1, r).cumsum(axis=1)
                borders /= borders[:, -1:]
                u = rng.random(n)
                columns[v] = (u[:, None] >= borders[cell][..., :-1]).sum(axis=1)
        return Table.from_codes(self.names, self._states, columns, source="sampled")

    # Pass it on

    def write(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        constraints: object = None,
        interventions: Iterable[Iterable[str]] = (),
    ) -> None:
        """Write to a file: ``.json`` has everything, ``.dot``, ``.graphml``, ``.svg`` the structure."""
        from bayesloom.networks.formats import write_network

        write_network(self, path, format=format, constraints=constraints, interventions=interventions)

    def to_networkx(self) -> Any:
        """Return a ``networkx.DiGraph`` of the structure."""
        return self._network.to_networkx()

    def to_pgmpy(self) -> Any:
        """Return a pgmpy ``LinearGaussianBayesianNetwork``; all variables must be continuous."""
        from bayesloom.networks import interop

        return interop.gaussian_to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """Refuse: pyAgrum's networks are discrete."""
        raise InputError(
            f"pyAgrum holds discrete variables only, and {self.continuous[0]!r} is continuous. Learn with"
            f" {option('score', 'bic')}, which cuts numbers into ranges."
        )

    def plot(self, *, constraints: object = None) -> Drawing:
        """Return a drawing of the structure, see `Network.plot`."""
        return self._network.plot(constraints=constraints)

    def __reduce__(self) -> tuple[Any, ...]:
        made = functools.partial(GaussianNetwork, missing_values=self._missing_values)
        return made, (self._network, self._states, self._families)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianNetwork):
            return NotImplemented
        return (
            self._network == other._network
            and self._states == other._states
            and all(
                a == b if isinstance(a, Regression) else np.array_equal(a, b)
                for a, b in zip(self._families, other._families, strict=True)
            )
        )

    def __hash__(self) -> int:
        return hash((self._network, self._states))

    def _repr_html_(self) -> str:
        from bayesloom.report.notebooks import notebook_html

        return notebook_html(self._network)

    def __repr__(self) -> str:
        from bayesloom.table.columns import counted

        count = len(self.continuous)
        kinds = counted(count, "continuous variable")
        if count < len(self.names):
            kinds = f"{count} continuous and {counted(len(self.names) - count, 'discrete variable')}"
        numbers = sum(
            one.intercept.size + one.coefficients.size + one.variance.size
            if isinstance(one, Regression)
            else one.size
            for one in self._families
        )
        edges = counted(sum(map(len, self._network.parent_indices)), "edge")
        return f"<GaussianNetwork: {kinds}, {edges}, {numbers} parameters>"

    def __str__(self) -> str:
        """The parameters of every variable, as the R package bnlearn prints them."""
        from bayesloom.networks.gaussian_text import text_of

        return text_of(self)


def _checked(name: str, what: str, given: ArrayLike, shape: tuple[int, ...]) -> Floats:
    try:
        values = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"the {what} of {name!r} is not an array of numbers.") from None
    if values.shape != shape:
        raise InputError(
            f"the {what} of {name!r} has shape {values.shape}, expected {shape}: the states of its discrete"
            " parents in index order, and for coefficients its continuous parents."
        )
    if not np.isfinite(values).all():
        raise InputError(f"the {what} of {name!r} holds a number that is not finite.")
    values.flags.writeable = False
    return values
