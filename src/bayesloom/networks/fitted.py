"""A network with probabilities: one conditional probability table (CPT) per variable.

    P(row) = prod_i  P(x_i | parents of x_i)  =  prod_i  cpt_i[states of the parents, state of i]

The CPT of a variable with parents p1 < ... < pk is an array of shape ``(r_p1, ..., r_pk, r)``: parents
in index order, the variable itself last, so each last axis is a distribution and sums to one.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesloom.errors import InputError
from bayesloom.limits import check_count
from bayesloom.networks.joint import TableLike, joint_index
from bayesloom.networks.network import Network, check_text

if TYPE_CHECKING:
    from bayesloom.networks.inference import Explanation
    from bayesloom.networks.interventions import Effect
    from bayesloom.report.drawing import Drawing
    from bayesloom.table import Table

Floats = NDArray[np.float64]

#: Most rows that are drawn at once: more fit into no memory.
MAX_ROWS = 2**40

#: How far the sum of a row may be from one. Files round: 0.333 three times is 0.999.
ROW_TOLERANCE = 1e-3


class FittedNetwork:
    """A network with the states and the CPT of every variable.

    Parameters
    ----------
    network
        The structure.
    states
        The states of each variable, by name or in the order of the variables.
    tables
        The CPT of each variable, likewise. Numbers are kept to the last bit, not normalised.
    missing_values
        What stands for a missing value in new rows, beside null and NaN: texts by column, ``"*"`` for all.

    Raises
    ------
    InputError
        If a table has the wrong shape, or a row is not a distribution (its sum may be off by 0.001).

    Examples
    --------
    >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
    >>> fitted = FittedNetwork(
    ...     network,
    ...     states={"rain": ["no", "yes"], "wet": ["no", "yes"]},
    ...     tables={"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.05, 0.95]]},
    ... )
    >>> fitted
    <FittedNetwork: 2 variables, 1 edges, 6 probabilities>
    >>> float(fitted.cpt("wet")[1, 1])  # P(wet = yes | rain = yes)
    0.95
    """

    __slots__ = ("_made", "_missing_values", "_network", "_states", "_tables")

    def __init__(
        self,
        network: Network,
        states: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
        tables: Mapping[str, ArrayLike] | Sequence[ArrayLike],
        *,
        missing_values: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._missing_values = {name: [*codes] for name, codes in (missing_values or {}).items()}
        self._made: Any = None
        self._network = network
        names = network.names
        self._states = tuple(
            _checked_states(name, given)
            for name, given in zip(names, _by_position(names, states, "states"), strict=True)
        )
        self._tables = tuple(
            self._checked_table(i, given) for i, given in enumerate(_by_position(names, tables, "tables"))
        )

    def _checked_table(self, i: int, given: ArrayLike) -> Floats:
        name, parents = self._network.names[i], self._network.parent_indices[i]
        try:
            table = np.array(given, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise InputError(f"the table of {name!r} is not an array of numbers.") from None
        shape = tuple(len(self._states[j]) for j in (*parents, i))
        if table.shape != shape:
            raise InputError(
                f"the table of {name!r} has shape {table.shape}, expected {shape}: the states of its parents"
                " in index order, then its own."
            )
        if (problem := row_problem(table)) is not None:
            row, what = problem
            given_states = ", ".join(
                f"{self._network.names[j]}={self._states[j][k]!r}" for j, k in zip(parents, row, strict=True)
            )
            raise InputError(f"the probabilities of {name!r}{' given ' if row else ''}{given_states} {what}.")
        table.flags.writeable = False
        return table

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
        """The states of each variable."""
        return self._states

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """The number of states of each variable."""
        return tuple(map(len, self._states))

    @property
    def tables(self) -> tuple[Floats, ...]:
        """The CPT of each variable; read-only."""
        return self._tables

    @property
    def missing_values(self) -> dict[str, list[str]]:
        """What stands for a missing value in new rows, by column, ``"*"`` for all: as in the table of `fit`.

        Files of networks do not hold it.
        """
        return self._missing_values

    @property
    def _engine(self) -> Any:
        """The network in the core, made when it is first asked."""
        if self._made is None:
            from bayesloom.networks import inference

            self._made = inference.engine_of(self)
        return self._made

    def cpt(self, name: str) -> Floats:
        """Return the CPT of a variable: parents in index order, then the variable; read-only."""
        return self._tables[self._network.index(name)]

    def frame(self, name: str) -> Any:
        """Return the CPT of a variable as a ``pandas.DataFrame``: a row for each joint state of its parents.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> fitted = FittedNetwork(network, [["no", "yes"]] * 2, tables)
        >>> print(fitted.frame("wet"))
        wet     no   yes
        rain
        no    0.90  0.10
        yes   0.05  0.95
        """
        from bayesloom.networks import interop

        return interop.cpt_frame(self, name)

    def query(
        self,
        target: str | Sequence[str] | None = None,
        evidence: Mapping[str, object] | None = None,
        *,
        joint: bool = True,
    ) -> dict[Any, Any]:
        """Return the distribution of one or several variables, given what is known of others.

        Exact, by variable elimination.

        Parameters
        ----------
        target
            A variable, or several; None for all that are not known, each by itself.
        evidence
            Values of other variables: the name of a state, or a number, which finds its range. None and NaN
            are not known.
        joint
            Whether several variables are asked for together, or each by itself, which is much less work.

        Returns
        -------
        dict
            The probability of each state; for several variables of each tuple of states, or for each
            variable such a dictionary.

        Raises
        ------
        InputError
            If a variable or a state is unknown, or the evidence is impossible.
        ResourceError
            If the network is too densely connected for an exact answer.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> fitted = FittedNetwork(network, [["no", "yes"]] * 2, tables)
        >>> {state: round(p, 3) for state, p in fitted.query("rain", {"wet": "yes"}).items()}
        {'no': 0.296, 'yes': 0.704}
        >>> fitted.query(["rain", "wet"])["yes", "yes"]
        0.19
        >>> round(fitted.query(["rain", "wet"], joint=False)["wet"]["yes"], 3)
        0.27
        """
        from bayesloom.networks import inference

        return inference.query(self, target, evidence, joint=joint)

    def most_probable(
        self, evidence: Mapping[str, object] | None = None, targets: str | Sequence[str] | None = None
    ) -> Explanation:
        """Return the states that are most probable together, given what is known.

        Parameters
        ----------
        evidence
            As in `query`.
        targets
            The variables to explain; the others are summed out. None for all that are not known: the most
            probable explanation. Of equally probable ones the first by states.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> found = FittedNetwork(network, [["no", "yes"]] * 2, tables).most_probable({"wet": "yes"})
        >>> found.states, round(found.probability, 3)
        ({'rain': 'yes'}, 0.704)
        """
        from bayesloom.networks import inference

        return inference.most_probable(self, evidence, targets)

    def do(self, interventions: Mapping[str, object]) -> FittedNetwork:
        """Return the network with some variables set from outside: without the edges into them.

        Ask it as any other. What is seen where a variable has a state, and what would happen if it were set,
        differ where there are common causes; and that the edges are causes is for you to know.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> fitted = FittedNetwork(network, [["no", "yes"]] * 2, tables)
        >>> fitted.do({"wet": "yes"}).query("rain")  # making the lawn wet makes no rain
        {'no': 0.8, 'yes': 0.2}
        """
        from bayesloom.networks import interventions as own

        return own.do(self, interventions)

    def effect(self, x: str, y: str) -> Effect:
        """Return what setting one variable does to another: P(y | do(x = s)) for every state s.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> FittedNetwork(network, [["no", "yes"]] * 2, tables).effect("rain", "wet")
        <Effect of 'rain' on 'wet': up to 0.85>
        """
        from bayesloom.networks import interventions as own

        return own.effect(self, x, y)

    def predict(self, rows: object, target: str, *, threads: int | None = None) -> NDArray[Any]:
        """Return the most probable state of a variable for each row, given all that the row knows.

        States that are numbers, or true and false, come as such, to be compared with a column; as texts where
        the rows hold texts in that column, or are a `Table`. A range is a text.

        Parameters
        ----------
        rows
            A table, or anything that `read_table` takes. A value that is missing is not known (nor is one
            that was read as missing in the table of `fit`, see `missing_values`), and so is a column that is
            not there; the values of the target are not looked at. A value that is no state of the network is
            refused; `Table.like` leaves such rows out with ``missing="drop"``.
        target
            The variable.
        threads
            How many threads; None means all processors.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> fitted = FittedNetwork(network, [["no", "yes"]] * 2, tables)
        >>> fitted.predict({"wet": ["yes", "no", None]}, "rain").tolist()
        ['yes', 'no', 'no']
        >>> fitted.predict_proba({"wet": ["yes", "no", None]}, "rain").round(3).tolist()
        [[0.296, 0.704], [0.986, 0.014], [0.8, 0.2]]
        """
        from bayesloom.networks import prediction

        return prediction.predict(self, rows, target, threads)

    def predict_proba(self, rows: object, target: str, *, threads: int | None = None) -> Floats:
        """Return the distribution of a variable for each row, a column for each state; see `predict`."""
        from bayesloom.networks import prediction

        return prediction.predict_proba(self, rows, target, threads)

    def impute(
        self,
        table: object,
        method: Literal["mode", "joint", "draw"] = "mode",
        *,
        seed: int = 0,
        threads: int | None = None,
    ) -> Table:
        """Return the table with every value that is missing filled in, given the rest of its row.

        It holds states, as every `Table` of discrete variables does: a number that was cut is its range, also
        where it was there. `fill` gives the data frame itself with its holes filled in, numbers as numbers.

        Parameters
        ----------
        table
            Anything that `read_table` takes. Columns that the network has and the table lacks are filled in
            too. A state named ``missing`` is a missing value: the network is taken without it.
        method
            ``"mode"``: the most probable state of each value by itself. ``"joint"``: the states of a row's
            missing values that are most probable together. ``"draw"``: drawn at random, so that shares
            and dependences stay as they are.
        seed
            Of ``"draw"``.
        threads
            How many threads; None means all processors.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> fitted = FittedNetwork(network, [["no", "yes"]] * 2, tables)
        >>> fitted.impute({"rain": ["yes", None], "wet": [None, "yes"]}).to_pandas()["wet"].tolist()
        ['yes', 'yes']
        """
        from bayesloom.networks import prediction

        return prediction.impute(self, table, method, seed, threads)

    def fill(self, rows: object, method: Literal["mode", "joint", "draw"] = "mode", *, seed: int = 0) -> Any:
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

        Examples
        --------
        >>> import bayesloom as bl
        >>> rows = {"age": [31, 35, 38, 62, 64, None] * 20, "old": [*["no"] * 3, *["yes"] * 3] * 20}
        >>> fitted = bl.learn(rows, discretize={"age": [40]}).fit()
        >>> fitted.fill(rows)["age"].tolist()[:6]
        [31.0, 35.0, 38.0, 62.0, 64.0, 62.0]
        """
        from bayesloom.networks import filled_rows

        return filled_rows.filled(self, rows, method, seed)

    def log_probability(self, evidence: Mapping[str, object]) -> float:
        """Return the natural logarithm of the probability of some values, all else unknown.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> fitted = FittedNetwork(network, [["no", "yes"]] * 2, tables)
        >>> round(fitted.log_probability({"wet": "yes"}), 4)  # ln 0.27
        -1.3093
        """
        from bayesloom.networks import inference

        return inference.log_probability(self, evidence)

    def log_likelihood(self, table: TableLike | object) -> float:
        """Return the natural logarithm of the probability of all rows, in nats.

        The table may be anything that `read_table` takes; it is read in the states of the network, and a
        number finds its range. Variables are matched by name; columns that the network does not have are not
        looked at. A value that is missing is not known, so every row counts, with the probability of what it
        holds. A row that the network holds impossible makes it ``-inf``. Where a variable was set from
        outside (`Table.interventions`), the row does not count for it: what is told is the probability of
        all else, given what was set.

        Raises
        ------
        InputError
            If a variable is missing in the table, or a row has a state that the network does not know.

        Examples
        --------
        >>> network = Network(["rain", "wet"], {"wet": ["rain"]})
        >>> tables = [[0.8, 0.2], [[0.9, 0.1], [0.05, 0.95]]]
        >>> fitted = FittedNetwork(network, [["no", "yes"]] * 2, tables)
        >>> round(fitted.log_likelihood({"rain": ["no", None], "wet": ["no", "yes"]}), 4)  # ln 0.72 + ln 0.27
        -1.6378
        """
        from bayesloom.networks import likelihood

        return likelihood.log_likelihood(self, table)

    def sample(self, n: int, seed: int = 0, *, evidence: Mapping[str, object] | None = None) -> Table:
        """Draw rows from the network; the same seed gives the same rows.

        Each variable is drawn given its parents, in the order of `Network.order`, from one stream of
        NumPy's PCG64. With evidence, rows are drawn exactly from those that have it: no row is thrown away.

        Parameters
        ----------
        n
            The number of rows, at least 1.
        seed
            A number from 0 on.
        evidence
            As in `query`: what is the same in all rows.
        """
        from bayesloom.table import Table

        if evidence:
            from bayesloom.networks import inference

            return Table.from_codes(
                self.names, self._states, list(inference.drawn(self, n, seed, evidence).T)
            )
        return Table.from_codes(self.names, self._states, self._sampled_codes(n, seed))

    def _sampled_codes(self, n: int, seed: int) -> list[NDArray[Any]]:
        check_count("the number of rows", n, least=1, most=MAX_ROWS)
        check_count("seed", seed, least=0)
        rng = np.random.Generator(np.random.PCG64(seed))
        columns: list[NDArray[Any]] = [np.empty(0, np.uint8)] * len(self.names)
        for name in self._network.order:
            i = self._network.index(name)
            parents, r = self._network.parent_indices[i], len(self._states[i])
            # State k is drawn where cumulative[k-1] <= u < cumulative[k]. Dividing by the last sum makes
            # the end exactly one, so a state of probability zero is never drawn.
            cumulative = self._tables[i].reshape(-1, r).cumsum(axis=1)
            cumulative /= cumulative[:, -1:]
            u = rng.random(n)
            row = joint_index([columns[j] for j in parents], [len(self._states[j]) for j in parents])
            codes = np.zeros(n, dtype=np.uint16)
            for border in cumulative.T[:-1]:
                codes += u >= border[row]  # one row, for all, if there are no parents
            columns[i] = codes.astype(np.uint8) if r <= 256 else codes
        return columns

    def write(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        constraints: object = None,
        interventions: Iterable[Iterable[str]] = (),
    ) -> None:
        """Write to a file; the ending names the format, see `bayesloom.networks.formats`."""
        from bayesloom.networks.formats import write_network

        write_network(self, path, format=format, constraints=constraints, interventions=interventions)

    def to_networkx(self) -> Any:
        """Return a ``networkx.DiGraph`` with ``states`` and ``cpt`` at the nodes."""
        from bayesloom.networks import interop

        return interop.to_networkx(self)

    def to_pgmpy(self) -> Any:
        """Return a pgmpy ``DiscreteBayesianNetwork`` with its CPTs."""
        from bayesloom.networks import interop

        return interop.to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """Return a pyAgrum ``BayesNet`` with its CPTs."""
        from bayesloom.networks import interop

        return interop.to_pyagrum(self)

    def __reduce__(self) -> tuple[Any, ...]:
        made = functools.partial(FittedNetwork, missing_values=self._missing_values)
        return made, (self._network, self._states, self._tables)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FittedNetwork):
            return NotImplemented
        return (
            self._network == other._network
            and self._states == other._states
            and all(map(np.array_equal, self._tables, other._tables))
        )

    def __hash__(self) -> int:
        return hash((self._network, self._states))

    def plot(self, *, constraints: object = None, ax: Any = None) -> Drawing:
        """Return a drawing of the structure, see `Network.plot`."""
        return self._network.plot(constraints=constraints, ax=ax)

    def _repr_html_(self) -> str:
        from bayesloom.report.notebooks import notebook_html

        return notebook_html(self._network)

    def __repr__(self) -> str:
        numbers = sum(table.size for table in self._tables)
        edges = sum(map(len, self._network.parent_indices))
        return f"<FittedNetwork: {len(self.names)} variables, {edges} edges, {numbers} probabilities>"


def row_problem(table: Floats) -> tuple[tuple[int, ...], str] | None:
    """Return the first row that is not a distribution, and what is wrong with it; None if all are."""
    flat = table.reshape(-1, table.shape[-1])
    # The comparison is turned around so that NaN counts as wrong.
    good = (flat >= 0).all(axis=1) & (np.abs(flat.sum(axis=1) - 1) <= ROW_TOLERANCE * (1 + 1e-9))
    if good.all():
        return None
    at = int(good.argmin())
    row = tuple(int(k) for k in np.unravel_index(at, table.shape[:-1])) if table.ndim > 1 else ()
    if not np.isfinite(flat[at]).all() or (flat[at] < 0).any():
        return row, "hold a number that is not a probability"
    return row, f"sum to {flat[at].sum():.6g}, expected 1"


def _by_position(names: Sequence[str], given: Any, what: str) -> Iterable[Any]:
    if isinstance(given, Mapping):
        if differing := sorted(set(names) ^ set(given)):
            raise InputError(f"{what} and network differ in their variables: {differing[0]!r}.")
        return [given[name] for name in names]
    if len(given) != len(names):
        raise InputError(f"got {what} of {len(given)} variables for a network of {len(names)}.")
    return list(given)


def _checked_states(name: str, given: Sequence[str]) -> tuple[str, ...]:
    states = tuple(given)
    if not states or isinstance(given, str) or not all(isinstance(state, str) for state in states):
        raise InputError(f"the states of {name!r} must be a list of one or more strings, got {given!r}.")
    if len(set(states)) < len(states):
        raise InputError(f"the states of {name!r} are not distinct: {', '.join(states[:20])}.")
    if len(states) > 65_536:
        raise InputError(f"variable {name!r} has {len(states)} states; at most 65536 are possible.")
    for state in states:
        check_text(state)
    return states
