"""Structural EM: fill in missing values, learn a network, and repeat until nothing changes.

Each turn of the *hard* form computes

    filled    for every row, the jointly most probable values of what is missing, under the fitted network
    network   the best network of the filled-in table, fitted to it by maximum likelihood

Under a score that is the log-likelihood minus a penalty, neither step lowers the score of the filled-in
table: the first step takes the most probable values, the second the best network.

Each turn of the *soft* form [friedman1997] weighs all ways to fill in by their probability, and learns from
the one weighted table that they make (`networks.expectation`).  With Q(G, t) the expected score of a network
G with parameters t, and obs(G, t) the log-likelihood of the data with what is missing summed out, less the
penalty,

    obs(G', t') - obs(G, t)  >=  Q(G', t') - Q(G, t)  >=  0

since the search begins with G, and since what the first leaves out is a Kullback-Leibler divergence.  Counts
are whole numbers in the core, so there a row counts as `units` rows, which are shared among the ways to fill
it in; log-likelihoods are then `units` times larger, and so must a penalty be:

    penalty  =  units c / ((ln units N) / 2)        c: what a parameter costs under the score asked for

which is BIC with another penalty, so all bounds and proofs of that score hold, for that table.  Parameters
are found with real weights, by some steps of ordinary EM in each turn.  What obs is after a turn is computed,
not assumed: a turn that lowers it, as rounding may where nothing is left to gain, is not taken.

The score of a filled-in table is not a score of the data: the values filled in fit the network that chose
them.  obs is one, for the parameters found.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from bayesloom.constraints.model import Constraints
from bayesloom.errors import InputError, option, unknown
from bayesloom.interrupts import heard
from bayesloom.learning.api import learn
from bayesloom.learning.planning import USUAL_SECONDS
from bayesloom.limits import check_count, check_seconds
from bayesloom.loops import ends_loops
from bayesloom.networks.expectation import Completion, IncompleteRows, expectation, filled_with
from bayesloom.networks.fitted import FittedNetwork
from bayesloom.networks.gaussian import GaussianNetwork, Regression
from bayesloom.networks.inference import HIDDEN
from bayesloom.networks.network import Network, structure_of
from bayesloom.networks.prediction import completed
from bayesloom.scoring.registry import check_kinds, check_rows, resolve_score, rules_under, table_to_fill_in
from bayesloom.table import Table

if TYPE_CHECKING:
    from bayesloom.learning.result import LearnResult

__all__ = ["FORMS", "EmResult", "structural_em"]

FORMS = ("auto", "hard", "soft")
MOST_SHARE = 0.1
"""The largest share of the time limit, 0 to 1, that the initial network and each turn may take."""
LEAST_TIME = 0.05
"""Seconds, above 0, that each of them has at least."""
SETTLED = 0.01
"""Nats, above 0: turns end where the network stays and what they gain is less."""
STEPS = 10
"""Steps of EM for the parameters of one network in each turn, from 1 on."""
MOST_UNITS = 1000
"""What a row counts as in the soft form at most, from 2 on: weights are rounded to one part of so many."""
MOST_CELLS = 1e8
"""Rows that count, times variables, at most: log-likelihoods stay within what the core can add up."""

Fitted = FittedNetwork | GaussianNetwork
Form = Literal["hard", "soft"]
FormGiven = Literal["auto", "hard", "soft"]
SOFT_SCORES = {"bic": "bic", "aic": "bic", "bic-g": "bic-g", "bic-cg": "bic-cg"}
HARD_OF_NUMBERS = ("bic-g", "bge", "bic-cg")


@dataclass(frozen=True)
class EmResult:
    """What structural EM found.

    Attributes
    ----------
    network
        The network of the last turn.
    filled
        The table with every missing value filled in.  In the soft form it has a row for each way to fill a
        row in, with weights: `units` for each row of the table given.
    learned
        The result of `bayesloom.learn` for that table: its score, its bound and what is proved are of the
        table filled in, not of the data; in the soft form they are `units` times what they are for one row
        each.
    scores
        The score of the network of each turn, for the table filled in then; in the soft form divided by
        `units`, which makes it the expected score.
    converged
        Whether further turns change nothing: the values filled in stay, or, where they are numbers or
        weights, the network stays and less than a hundredth of a nat is gained.
    form
        ``"hard"`` or ``"soft"``.
    fitted
        The network with its parameters.
    observed
        In the soft form, after each turn: the log-likelihood of the data under `fitted`, what is missing
        summed out, less the penalty of its parameters.  This is of the data.
    units
        What a row counts as in `filled`; 1 in the hard form.
    """

    network: Network
    filled: Table
    learned: LearnResult
    scores: tuple[float, ...]
    converged: bool
    form: Form = "hard"
    fitted: Any = field(default=None, repr=False)
    observed: tuple[float, ...] = ()
    units: int = 1

    def __str__(self) -> str:
        """Return it in a sentence or two."""
        turns = len(self.scores)
        ended = "nothing changes any more" if self.converged else "it ended before it settled"
        text = (
            f"structural EM, {turns} turn{'s' * (turns != 1)}: {ended}. Scores and proofs are of the table"
            " filled in, not of the data."
        )
        if self.form == "hard":
            return text
        return (
            f"soft {text} It counts each row as {self.units:,}, shared among the ways to fill it in, so"
            f" scores, gaps"
            f" and strengths of edges are {self.units:,} times those of rows. Of the data:"
            f" log-likelihood less"
            f" penalty {self.observed[-1]:,.4f}."
        )

    def to_json(self) -> dict[str, Any]:
        """Return what it says beside `learned`, as a dictionary of plain values."""
        return {
            "form": self.form,
            "scores": list(self.scores),
            "observed": list(self.observed),
            "converged": self.converged,
            "units": self.units,
        }


@ends_loops
def structural_em(
    table: object,
    *,
    form: FormGiven = "auto",
    score: str = "auto",
    options: Mapping[str, float] | None = None,
    turns: int = 20,
    time_limit: float | None = USUAL_SECONDS,
    seed: int = 0,
    threads: int | None = None,
    constraints: object = None,
    max_parents: int | None = None,
    start: object = None,
    **reading: Any,
) -> EmResult:
    """Learn a network of a table with missing values by structural EM.

    Parameters
    ----------
    table
        A `Table` with gaps, or anything that `read_table` takes.
    form
        ``"hard"``: each row is filled in by its most probable values; ``"soft"``: by all, weighed by their
        probability, and numbers by their distribution.  ``"auto"`` is soft where there are numbers, since
        filled in by their means these vary too little, and hard where there are none.
    score, options, constraints, max_parents, seed, threads
        As in `bayesloom.learn`.  ``"auto"`` is ``"bic"`` of states, ``"bic-g"`` of numbers, ``"bic-cg"`` of
        both.  The soft form takes these and ``"aic"``; the hard form all scores of states, and ``"bge"``.
    turns
        The most turns of filling in and learning.
    time_limit
        Seconds in all; None means no limit.
    start
        A network to begin with, so that an earlier one is gone on from: with its parameters if it is fitted.
        By default the hard form begins with the one that score ``"pnal"`` finds, and the soft form with the
        one that the hard form finds, in up to half of the time.
    reading
        How the table is read, see `read_table`; missing values are kept until they are filled in.

    Examples
    --------
    >>> rows = {"rain": ["no", "yes", None, "yes"] * 25, "wet": ["no", "yes", "yes", None] * 25}
    >>> found = structural_em(rows)
    >>> found.converged, len(found.network.edges)
    (True, 1)
    >>> bool(found.filled.column("wet")[3] == found.filled.column("wet")[1])
    True
    >>> soft = structural_em(rows, form="soft")
    >>> soft.network.cpdag == found.network.cpdag, soft.filled.total_weight == 100 * soft.units
    (True, True)
    """
    check_count("turns", turns, least=1)
    check_seconds("time_limit", time_limit)
    if form not in FORMS:
        raise unknown("form of structural EM", form, FORMS)
    given, score = _read(table, score, options, reading)
    own_form: Form = "hard" if form == "hard" else "soft"
    if form == "auto":
        own_form = "soft" if given.continuous and score in SOFT_SCORES else "hard"
    if given.interventions is not None:
        raise InputError(
            f"{given.source}: variables were set in some rows, and structural EM fills in as if none had"
            " been. Use score 'pnal', which takes both."
        )
    work = _Work(
        given,
        score,
        dict(options or {}),
        Constraints.given(constraints),  # type: ignore[arg-type]
        max_parents,
        time_limit,
        seed,
        threads,
    )
    work.check(own_form)
    if not given.gaps:
        result = work.learn(given, None, 1.0)
        own = result.network.fit(given, method="ml")
        return EmResult(
            result.network, given, result, (result.score,), converged=True, form=own_form, fitted=own
        )
    first = work.begin_with(start)
    if own_form == "hard":
        return _hard(work, first, turns)
    if start is None:
        first = work.from_hard(first, turns)
    return _soft(work, first, turns)


def _read(
    table: object, score: str, options: Mapping[str, float] | None, reading: Mapping[str, Any]
) -> tuple[Table, str]:
    """Return the table with its gaps, and the score that suits it."""
    given, found, _ = table_to_fill_in(table, score, options, **reading)
    return given, found.name


@dataclass
class _Work:
    """What stays the same from turn to turn."""

    given: Table
    score: str
    options: dict[str, float]
    rules: Constraints
    max_parents: int | None
    time_limit: float | None
    seed: int
    threads: int | None
    values: dict[str, float] = field(default_factory=dict)  # of all options
    begin: float = field(default_factory=time.perf_counter)
    interrupted: bool = False  # by Ctrl-C, before the first turn: that is then the only one, and short

    def check(self, form: Form) -> None:
        """Refuse what the form cannot do."""
        found, values = resolve_score(self.score, self.options)
        self.values = values
        holds_numbers = bool(self.given.continuous)
        source = self.given.source
        if form == "soft" and found.name not in SOFT_SCORES:
            raise InputError(
                f"the soft form of structural EM needs a score that is the log-likelihood less a penalty:"
                f" {', '.join(map(repr, SOFT_SCORES))}; got {found.name!r}. Take one of them, or"
                f" {option('form', 'hard')}."
            )
        if holds_numbers and found.name not in HARD_OF_NUMBERS:
            raise InputError(
                f"{source}: {self.given.continuous[0]!r} is continuous, and structural EM fills in"
                f" numbers under"
                f" {', '.join(map(repr, HARD_OF_NUMBERS))} alone; got {found.name!r}. Cut numbers with"
                f" {option('discretize', 'quantile:3')}, or take one of these."
            )
        check_kinds(_nothing_missing(self.given), found)
        check_rows(self.given, found, self.max_parents)

    def left(self, share: float) -> float | None:
        """Seconds that the next part may take."""
        if self.interrupted:
            return LEAST_TIME
        if self.time_limit is None:
            return None
        over = max(LEAST_TIME, self.time_limit - (time.perf_counter() - self.begin))
        return min(over, max(LEAST_TIME, share * self.time_limit))

    @property
    def over(self) -> bool:
        """Whether the time is over, or Ctrl-C was heard."""
        late = self.time_limit is not None and time.perf_counter() - self.begin > self.time_limit
        return late or self.interrupted or heard()

    def learn(
        self,
        source: Table,
        start: Network | None,
        share: float,
        score: str | None = None,
        options: Mapping[str, float] | None = None,
    ) -> LearnResult:
        """Learn, under the score asked for or another one."""
        how: dict[str, Any] = {
            "score": score or self.score,
            "options": self.options if score is None else options,
            "constraints": self.rules,
            "max_parents": self.max_parents,
            "seed": self.seed,
            "threads": self.threads,
        }
        try:
            result = learn(source, start=start, time_limit=self.left(share), **how)
        except InputError:
            if start is None:
                raise
            # What was filled in determines a variable by its parents, or leaves a cell too few rows.
            result = learn(source, time_limit=self.left(share), **how)
        return replace(result, interrupted=result.interrupted or self.interrupted)

    def begin_with(self, start: object) -> Fitted:
        """Return the fitted network to begin with: `start`, or what `pnal` finds, or one without edges."""
        if start is not None:
            return self._given(start)
        try:
            first = self.learn(self.given, None, MOST_SHARE, "pnal")
            self.interrupted = first.interrupted
            found = cast(Fitted, first.network.fit(self.given, method="dirichlet"))
            if has_density(found):
                return found
        except InputError:  # too few rows are complete on required parents, or on those found
            pass
        empty = Network.from_edges(self.given.names, ())
        return cast(Fitted, empty.fit(self.given, method="dirichlet"))

    def from_hard(self, first: Fitted, turns: int) -> Fitted:
        """Return what the hard form finds, without zeros: steps of EM never leave those."""
        half = replace(self, time_limit=None if self.time_limit is None else self.time_limit / 2)
        found = _hard(half, first, turns)
        self.interrupted = found.learned.interrupted
        fitted = cast(Fitted, found.network.fit(found.filled, method="dirichlet"))
        return fitted if has_density(fitted) else first

    def _given(self, start: object) -> Fitted:
        network = structure_of(start)
        if set(network.names) != set(self.given.names):
            odd = min(set(network.names) ^ set(self.given.names))
            where = "start" if odd in network.names else "table"
            raise InputError(f"start and table have different variables: {odd!r} is only in the {where}.")
        rules = rules_under(self.rules, self.given, resolve_score(self.score, self.options)[0])
        if broken := rules.together_with(Constraints(max_parents=self.max_parents)).broken_by(network):
            raise InputError(f"start breaks the constraints or the limit on parents: {broken[0]}.")
        own = isinstance(start, (FittedNetwork, GaussianNetwork))
        if own and network.names == self.given.names and start.states == self.given.states:  # type: ignore[attr-defined]
            return cast(Fitted, start)
        same = cast(Fitted, Network(self.given.names, network.parents).fit(self.given, method="dirichlet"))
        if not has_density(same):
            raise InputError(
                "start: too few rows have a value of a variable and of all its parents, so it cannot be"
                " fitted."
                " Give it fitted, or with fewer edges."
            )
        return same


def _hard(work: _Work, fitted: Fitted, turns: int) -> EmResult:
    given = work.given
    rows = None
    if not given.continuous:
        rows = np.column_stack([given.column(name).astype(np.int32) for name in given.names])
        rows[np.column_stack([given.lacking(name) for name in given.names])] = HIDDEN
    incomplete = None if rows is not None else IncompleteRows(given, work.seed)
    start: Network | None = None
    scores: list[float] = []
    best: LearnResult | None = None
    before: Table | None = None
    converged = False
    for _ in range(turns):
        if rows is not None:
            assert isinstance(fitted, FittedNetwork)
            # Not `impute`, to which a state named `missing` is no value.
            filled = filled_with(
                given, list(completed(fitted, rows, "joint", threads=work.threads).T), given.weights
            )
        else:
            assert incomplete is not None
            filled = expectation(fitted, incomplete).most_probable()
        if before is not None and filled == before:
            converged = True
            break
        result = work.learn(filled, start, MOST_SHARE)
        if best is not None and result.score < best.score:
            break  # the score is not a penalized likelihood, or time ended learning
        # Numbers settle little by little.
        converged = (
            rows is None
            and best is not None
            and result.network == best.network
            and result.score - best.score < SETTLED
        )
        best, before, start = result, filled, result.network
        scores.append(result.score)
        fitted = cast(Fitted, start.fit(filled, method="ml"))
        if converged or result.interrupted or work.over or not has_density(fitted):
            break
    assert best is not None
    assert before is not None
    return EmResult(best.network, before, best, tuple(scores), converged, fitted=fitted)


def _soft(work: _Work, fitted: Fitted, turns: int) -> EmResult:
    given = work.given
    rows = IncompleteRows(given, work.seed)
    units = _units(work, rows)
    charge = _charge(work, rows.total)
    name = SOFT_SCORES[work.score]
    options = {"penalty": max(0.01, 2 * units * charge / math.log(max(2.0, units * rows.total)))}
    if name == "bic-cg":
        options["least"] = work.values["least"] * units
    now = _settled(work, expectation(fitted, rows, work.seed, work.threads), fitted)
    best: LearnResult | None = None
    scores: list[float] = []
    observed: list[float] = []
    converged = False
    try:
        for _ in range(turns):
            ways, fitted = now
            filled = ways.table(units)
            start = fitted.network if best is not None else None
            result = work.learn(filled, start, MOST_SHARE, name, options)
            found = cast(Fitted, result.network.fit(ways.weighted, method="ml"))
            if not has_density(found):
                if best is None:
                    raise InputError(
                        f"{given.source}: in the table filled in a continuous variable is an exact"
                        f" function of its"
                        " parents. Leave one of them out, or use score 'pnal'."
                    )
                break
            after = _settled(work, expectation(found, rows, work.seed, work.threads), found)
            value = after[0].log_likelihood - charge * parameters(after[1])
            if best is not None and value < observed[-1]:
                converged = value > observed[-1] - SETTLED and result.network == best.network
                break  # rounding, or draws, or time ended learning
            converged = best is not None and result.network == best.network and value - observed[-1] < SETTLED
            best, now = result, after
            scores.append(result.score / units)
            observed.append(value)
            if converged or result.interrupted or work.over:
                break
    except KeyboardInterrupt:  # between kernels: what there is is kept
        if best is None:
            raise
        best = replace(best, interrupted=True)
    assert best is not None
    note = (
        f"Soft structural EM: each row counts as {units:,} in the table filled in, so scores, gaps and"
        f" strengths"
        f" are {units:,} times those of rows."
    )
    best = replace(best, chance=None, notes=(note, *best.notes))
    return EmResult(
        best.network,
        best.table,
        best,
        tuple(scores),
        converged,
        form="soft",
        fitted=now[1],
        observed=tuple(observed),
        units=units,
    )


def _settled(work: _Work, ways: Completion, fitted: Fitted) -> tuple[Completion, Fitted]:
    """Some steps of EM for the parameters, as long as they gain."""
    for _ in range(STEPS):
        if work.over:
            break
        better = cast(Fitted, fitted.network.fit(ways.weighted, method="ml"))
        if not has_density(better):  # a variance fell to 0: the likelihood has no bound there
            break
        after = expectation(better, ways.given, work.seed, work.threads)
        gained = after.log_likelihood - ways.log_likelihood
        if not gained > 0:
            break
        ways, fitted = after, better
        if gained < SETTLED / STEPS:
            break
    return ways, fitted


def _units(work: _Work, rows: IncompleteRows) -> int:
    """Return what a row counts as: as many as keep log-likelihoods within the core's range."""
    least = max(2, rows.most_numbers + 1)
    most = min(float(MOST_UNITS), MOST_CELLS / (rows.total * len(work.given.names)))
    if most < least:
        raise InputError(
            f"{work.given.source}: {rows.total:,.0f} rows of {len(work.given.names):,} variables are"
            f" too many for"
            f" the soft form of structural EM, which counts each as {least:,} or more. Use"
            f" {option('form', 'hard')}, or score 'pnal'."
        )
    return int(most)


def _charge(work: _Work, rows: float) -> float:
    """Return what a parameter costs under the score asked for, in nats."""
    if work.score == "aic":
        return 1.0
    return float(work.values.get("penalty", 1.0)) * math.log(max(rows, 1.0)) / 2


def has_density(fitted: Fitted) -> bool:
    """Whether no variable is an exact function of others."""
    return isinstance(fitted, FittedNetwork) or all(
        bool((one.variance > 0).all()) or not (one.coefficients.size or one.variance.any())
        for one in fitted.families
        if isinstance(one, Regression)
    )


def parameters(fitted: Fitted) -> int:
    """Return how many free parameters a fitted network has, as scores charge them.

    >>> import bayesloom as bl
    >>> parameters(bl.random_network(3, states=(2, 2), max_parents=0, seed=1))
    3
    """
    if isinstance(fitted, FittedNetwork):
        return sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in fitted.tables)
    count = 0
    for family in fitted.families:
        if isinstance(family, Regression):
            if not family.coefficients.size and not family.variance.any():
                continue  # a constant, which costs nothing
            count += family.intercept.size + family.coefficients.size + family.variance.size
        else:
            count += family.size // family.shape[-1] * (family.shape[-1] - 1)
    return count


def _nothing_missing(table: Table) -> Table:
    """Return the table with something in place of what is missing, to look at its kinds."""
    codes = [np.where(table.lacking(name), 0, table.column(name)) for name in table.names]
    return filled_with(table, codes, table.weights)
