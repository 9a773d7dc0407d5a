"""What a credible set holds: networks and equivalence classes, listed as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from bayesloom import _core
from bayesloom.errors import InputError
from bayesloom.networks.network import Network

if TYPE_CHECKING:
    from bayesloom.credible_sets.set import CredibleSet

__all__ = ["CredibleClass", "CredibleClasses", "CredibleNetwork", "CredibleNetworks"]

CHUNK = 4096


def check_no_interventions(info: Mapping[str, Any]) -> None:
    """Refuse equivalence classes where variables were set in some rows: a class is not scored alike then.

    >>> check_no_interventions({"interventions": [["wet"]]})
    Traceback (most recent call last):
    ...
    bayesloom.errors.InputError: variables were set in some rows (interventions), so equivalent networks do \
not score alike: classes are not counted. Networks and posteriors of edges are.
    """
    if info.get("interventions"):
        raise InputError(
            "variables were set in some rows (interventions), so equivalent networks do not score alike:"
            " classes are not counted. Networks and posteriors of edges are."
        )


@dataclass(frozen=True)
class CredibleNetwork:
    """A network of a credible set, its score, and its share of the set's weight.

    The share is not a number (NaN) if the set was not counted to the end.
    """

    network: Network
    score: float
    posterior: float


@dataclass(frozen=True)
class CredibleClass:
    """An equivalence class of which a credible set holds at least one network.

    Under constraints that is one that keeps them; the others of the class are not in the set, so `members`
    may be less than `size`.

    Attributes
    ----------
    network
        One network of the class that is in the set; `network.cpdag` is the picture of the class, and
        `network.cpdag_under` that of the networks of it that keep constraints.
    score
        The score of the first network found; where equivalent networks score alike, of all.
    members
        How many of its networks are in the set.
    size
        How many networks it has in all, whether they keep the constraints or not.
    posterior
        ``members`` times the share of one such network in the set's mass.
    """

    network: Network
    score: float
    members: int
    size: int
    posterior: float


class CredibleClasses:
    """The equivalence classes of a credible set: those with at least one network in it.

    Best first where the set has one component, or goes by diagrams and has at most a million classes.

    Iterate to get each as a `CredibleClass`; ``len`` and `count` give their number. `complete` is False
    if time or memory ended before all were found; then there are at least `count`, and the members of
    each are those found. `estimate` may then tell how many there are.

    Classes of independent components are multiplied, not listed, to be counted. In sets that go by diagrams,
    `complete` is False if a component has more than twenty million networks.
    """

    def __init__(self, owner: CredibleSet, core: _core.CredibleClasses) -> None:
        self._owner = owner
        self._core = core

    @property
    def count(self) -> int:
        """How many classes were found."""
        return int(self._core.count)

    @property
    def complete(self) -> bool:
        """Whether all classes of the set were found, with all their members."""
        return bool(self._core.whole)

    @cached_property
    def estimate(self) -> tuple[float, float]:
        """The number of classes and its standard error: 0 if all were found.

        Else from networks drawn evenly: each class is met as often as it has members, so the number of
        networks times the mean of 1 / size is that of classes, if classes are whole. Not a number (NaN)
        where networks cannot be drawn evenly.
        """
        if self.complete:
            return float(self.count), 0.0
        return self._owner._class_estimate()

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[CredibleClass]:
        stream = self._core.stream()
        while True:
            candidates, scores, members = stream.take(CHUNK)
            for row, score, number in zip(
                candidates.reshape(-1, len(self._owner.names)), scores.tolist(), members, strict=True
            ):
                network = self._owner._network(row)
                yield CredibleClass(
                    network=network,
                    score=_core.to_nats(score),
                    members=number,
                    size=_core.class_size(network._core),
                    posterior=number * self._owner._share(score),
                )
            if len(scores) < CHUNK:
                return

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._owner, "classes")

    def __repr__(self) -> str:
        return f"<CredibleClasses: {'' if self.complete else 'at least '}{self.count:,}>"


class CredibleNetworks:
    """The networks of a credible set; iterate to list them, each once, in constant memory."""

    def __init__(self, owner: CredibleSet, limit: int | None) -> None:
        self._owner = owner
        self._limit = limit

    def __iter__(self) -> Iterator[Network]:
        for found in self.with_scores():
            yield found.network

    def __len__(self) -> int:
        """How many are listed: all, or as many as `limit` allows."""
        number = len(self._owner)
        return number if self._limit is None else min(number, self._limit)

    def __bool__(self) -> bool:
        return self._limit != 0

    @overload
    def __getitem__(self, index: int) -> Network: ...
    @overload
    def __getitem__(self, index: slice) -> list[Network]: ...
    def __getitem__(self, index: int | slice) -> Network | list[Network]:
        if isinstance(index, slice):
            step = 1 if index.step is None else index.step
            if step > 0 and min(index.start or 0, index.stop or 0) >= 0:
                return list(islice(self, index.start, index.stop, step))
            places = range(len(self))[index]
            listed = list(islice(self, max(places, default=-1) + 1))
            return [listed[place] for place in places]
        if index < 0 or self._owner.count_is_exact:
            try:
                index = range(len(self))[index]
            except IndexError:
                raise IndexError(f"there is no network {index} in {self!r}.") from None
        for network in islice(self, index, None):
            return network
        raise IndexError(f"there is no network {index} in {self!r}.")

    def with_scores(self) -> Iterator[CredibleNetwork]:
        """Yield each network with its score and its share of the set's weight."""
        for candidates, scores in self._owner._chunks(self._limit):
            for row, score in zip(candidates, scores.tolist(), strict=True):
                yield CredibleNetwork(
                    self._owner._network(row), _core.to_nats(score), self._owner._share(score)
                )

    def __repr__(self) -> str:
        limit = "" if self._limit is None else f", at most {self._limit:,} listed"
        return f"<CredibleNetworks of {self._owner!r}{limit}>"
