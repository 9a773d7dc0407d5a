"""What a search returns: a network, how good it is, and how far it could be from the best.

``score <= best <= bound`` always holds over the given score cache; ``gap`` is their difference.
``status == "optimal"`` is a claim over that cache.  Only if the cache is complete as well is it a
claim over all networks: `SearchResult.proof` says which of the two it is, `SearchResult.claim` in words.
`learn` has the status ``"optimal"`` only with a proof over all networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from bayesloom._core import to_nats
from bayesloom.networks.cpdag import Cpdag, direction_of
from bayesloom.networks.network import Network
from bayesloom.words import what_is_kept, with_at_most

if TYPE_CHECKING:
    from bayesloom.report.drawing import Drawing
    from bayesloom.scoring.chance import ChanceEdges, NullEdges
    from bayesloom.scoring.strength import EdgeStrength
    from bayesloom.table import Table

__all__ = ["Proof", "SearchResult", "Status", "TracePoint", "about_table", "run_object"]

Status = Literal["optimal", "stopped"]
Proof = Literal["all networks", "sets scored"]


class TracePoint(NamedTuple):
    """One improvement during a search."""

    seconds: float
    work: int
    score: float
    bound: float


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search.

    Attributes
    ----------
    network
        The best network found.
    score
        Its score: natural logarithm, larger is better.
    bound
        No network over the score cache scores above this.
    status
        ``"optimal"`` if the bound is reached, else ``"stopped"``; after `learn` ``"optimal"`` only if it
        is reached over all networks.
    complete
        Whether the score cache provably holds every parent set that a best network can use.
    solver
        The name of the solver that found it.
    seed, work, candidates
        What was given and what it took: the seed, deterministic effort, candidates in the cache.
    seconds
        Time of each stage: ``read``, ``score``, ``search``, as far as it took place.
    trace
        Improvements in the order they were found.
    local_scores
        The part each variable has in the score.
    max_parents
        The limit on parents under which the score cache is complete, if there was one that mattered.
    interrupted
        Whether Ctrl-C ended it; the network is the best found until then.
    fixed_score, fixed_bound
        Score and bound as whole numbers of 2^-30 nat: exact, however large.
    constraints
        What the network had to satisfy, and does; bound and claim are about such networks.
    edges
        Every edge with its strength, the strongest first; known where the table is, as after `learn`.
        Whether one is compelled is judged among the networks that keep the constraints, as in `cpdag`.
    method
        How the parent sets were found.
    score_name, score_options
        The score that was summed, such as ``"bdeu"`` with ``{"ess": 1.0}``; None if the cache does not say.
    cut_by_memory
        For how many variables memory ended the scoring of parent sets.
    chance
        How many edges chance alone would give; known for some scores after `learn`.
    null
        What the same table gives with every column shuffled by itself; after `learn` with ``null=True``.
    notes
        What to know of the result before it is used, a sentence each.
    fixed_bound_all
        `bound_all_networks` in units, where not all parent sets were scored and it is known.
    unscored_gains
        For each variable how much more than its local score a parent set that was not scored can score, at
        most, in nats; known with `fixed_bound_all`.
    interventions
        The sets of variables that were set together in some rows of the table, if any were.
    reading
        The options of `bayesloom.read_table` that read the table again as it was read, if not the defaults.
    certificate
        A proof of the bound that `bayesloom.verify_run` checks, as the text of its file; after `search` with
        ``certificate``.
    """

    network: Network
    score: float
    bound: float
    status: Status
    complete: bool
    solver: str
    seed: int
    work: int
    candidates: int
    seconds: Mapping[str, float]
    trace: tuple[TracePoint, ...] = ()
    local_scores: Mapping[str, float] = field(default_factory=dict)
    max_parents: int | None = None
    interrupted: bool = False
    fixed_score: int = 0
    fixed_bound: int = 0
    constraints: Mapping[str, Any] = field(default_factory=dict)
    edges: tuple[EdgeStrength, ...] = ()
    method: str = ""
    score_name: str | None = None
    score_options: Mapping[str, float] = field(default_factory=dict)
    cut_by_memory: int = 0
    chance: ChanceEdges | None = None
    null: NullEdges | None = None
    notes: tuple[str, ...] = ()
    certificate: str | None = field(default=None, repr=False)
    fixed_bound_all: int | None = None
    unscored_gains: Mapping[str, float] = field(default_factory=dict)
    interventions: tuple[tuple[str, ...], ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def cpdag(self) -> Cpdag:
        """The picture of those networks that are equivalent to this one and keep the constraints.

        Where variables were set in some rows, of those that fit these as well.
        """
        return self.network.cpdag_under(self.constraints, interventions=self.interventions)

    @property
    def gap(self) -> float:
        """How far the score could be from the best: ``bound - score``, never negative."""
        return max(0.0, self.bound - self.score)

    @property
    def bound_all_networks(self) -> float | None:
        """No network that keeps limit and constraints scores above this, whatever was scored.

        It is `bound` where the score cache is complete, and None where nothing is known of other sets.
        """
        if self.complete:
            return self.bound
        return None if self.fixed_bound_all is None else to_nats(self.fixed_bound_all)

    @property
    def gap_all_networks(self) -> float | None:
        """How far the score could be from that of the best of all networks, or None."""
        bound = self.bound_all_networks
        return None if bound is None else max(0.0, bound - self.score)

    @property
    def among(self) -> str:
        """Which networks bound and claim are about, as words after "network"; nothing if about all."""
        limit = with_at_most(self.max_parents if self.complete or self.proof == "all networks" else None)
        return limit + (f" that keeps {what_is_kept(self.constraints)}" if self.constraints else "")

    @property
    def proof(self) -> Proof | None:
        """Over what the network is proved to be a best one.

        ``"all networks"`` (that keep limit and constraints), ``"sets scored"`` (those put together from the
        parent sets scored), or None: the bound is not reached.
        """
        reached = self.score == self.bound and self.fixed_score == self.fixed_bound
        if not reached:
            return None
        return "all networks" if self.complete or self.fixed_bound_all == self.fixed_score else "sets scored"

    @property
    def claim(self) -> str:
        """What is proved, in words."""
        if self.proof == "all networks":
            return f"optimal: no network{self.among} scores higher"
        if self.proof == "sets scored":
            held = f" under {what_is_kept(self.constraints)}" if self.constraints else ""
            best = "optimal" if self.status == "optimal" else "no network scores higher"
            out = f"{best} over the candidates scored{held}; other parent sets were not all ruled out"
            if self.gap_all_networks is not None:
                out += f", and with them a network could score {self.gap_all_networks:.4g} more at most"
            return out
        scored = "" if self.complete else " over the candidates scored"
        over = f"any network{scored}{self.among}"
        out = f"within {self.gap:.4g} of the best score of {over}"
        if not self.complete and self.gap_all_networks is not None:
            limit = with_at_most(self.max_parents)
            out += f", and within {self.gap_all_networks:.4g} of that of any network{limit}"
        return out

    def plot(self, *, ax: Any = None) -> Drawing:
        """Return a drawing of the network; notebooks show it, and ``write("network.svg")`` keeps it.

        Edges are solid arrows where compelled, dashed lines where reversible, as in `cpdag`. `ax` are axes of
        Matplotlib to draw on as well.
        """
        from bayesloom.report.drawing import drawing_with

        drawing = drawing_with(self.network, self.cpdag)
        if ax is not None:
            drawing.on_axes(ax)
        return drawing

    def _repr_html_(self) -> str:
        from bayesloom.report.notebooks import notebook_html

        about = f"{self.claim}. Score {self.score:.6f}, bound {self.bound:.6f}."
        return notebook_html(self.network, lambda: self.cpdag, about, self.edges)

    def to_json(self) -> dict[str, Any]:
        """Return the result as a dictionary of plain values, as ``--json`` writes it."""
        direction = direction_of(self.cpdag) if self.edges else {}
        return {
            "score": self.score,
            "bound": self.bound,
            "gap": self.gap,
            "bound_all_networks": self.bound_all_networks,
            "gap_all_networks": self.gap_all_networks,
            "fixed_bound_all_networks": self.fixed_bound if self.complete else self.fixed_bound_all,
            "unscored_gains": dict(self.unscored_gains),
            "fixed_score": self.fixed_score,
            "fixed_bound": self.fixed_bound,
            "status": self.status,
            "complete": self.complete,
            "proof": self.proof,
            "claim": self.claim,
            "solver": self.solver,
            "seed": self.seed,
            "seconds": {name: round(value, 6) for name, value in self.seconds.items()},
            "work": self.work,
            "candidates": self.candidates,
            "max_parents": self.max_parents,
            "interrupted": self.interrupted,
            "constraints": dict(self.constraints),
            "interventions": [list(target) for target in self.interventions],
            "variables": list(self.network.names),
            "parents": {name: list(parents) for name, parents in self.network.parents.items()},
            "local_scores": dict(self.local_scores),
            "method": self.method,
            "score_name": self.score_name,
            "score_options": dict(self.score_options),
            "reading": dict(self.reading),
            "edges": [
                {
                    "from": a,
                    "to": b,
                    "compelled": compelled,
                    "direction": direction[a, b],
                    "strength": strength,
                    "rests_on_missing": by_missing,
                }
                for a, b, compelled, strength, by_missing in self.edges
            ],
            "trace": [[round(p.seconds, 6), p.work, p.score, p.bound] for p in self.trace],
            "cut_by_memory": self.cut_by_memory,
            "chance": None if self.chance is None else self.chance.to_json(),
            "null": None if self.null is None else self.null.to_json(),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return (
            f"SearchResult({self.network!r}, score={self.score:.6f}, gap={self.gap:.6g}, "
            f"status={self.status!r}, solver={self.solver!r})"
        )


def about_table(table: Table) -> dict[str, Any]:
    """Return what a result says about its table."""
    return {
        "source": table.source,
        "variables": len(table.names),
        "rows": table.total_weight,
        "unique_rows": table.encoded.unique_row_count,
        "states": dict(zip(table.names, map(list, table.states), strict=True)),
        "cut_points": {name: list(cuts) for name, cuts in table.cut_points.items()},
        "counts": state_counts(table),
        "columns": [column.to_json() for column in table.columns],
        "notes": list(table.notes),
    }


def state_counts(table: Table) -> dict[str, list[int]]:
    """Return for each variable how many rows show each of its states; nothing for a continuous one.

    >>> import bayesloom as bl
    >>> state_counts(bl.read_table({"rain": ["no", "yes", "no"]}))
    {'rain': [2, 1]}
    """
    import numpy as np

    return {
        name: np.bincount(codes, weights=table.weights, minlength=len(states))[: len(states)]
        .astype(np.int64)
        .tolist()
        if states
        else []
        for name, codes, states in zip(table.names, table.codes, table.states, strict=True)
    }


def run_object(result: SearchResult, command: str, **more: Any) -> dict[str, Any]:
    """Return the JSON object of a run, as ``--json`` writes it, with what is known of its table."""
    import bayesloom

    table = getattr(result, "table", None)
    about = {} if table is None else {"table": about_table(table)}
    return {"bayesloom": bayesloom.__version__, "command": command, **result.to_json(), **about, **more}
