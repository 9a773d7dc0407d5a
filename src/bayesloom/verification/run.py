"""Check every field of what `learn`, `search`, `credible`, `posterior` or `bootstrap` wrote with ``--json``.

Fields that table and cache determine are recomputed; fields that follow from other fields are derived again,
by independent code; all others are listed as not checked, with the reason. `docs/verify.md` says what each
check proves. This file determines the kind of result and calls its checks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from bayesloom.errors import InputError, option
from bayesloom.json_input import described
from bayesloom.scoring.cache import ScoreCache
from bayesloom.verification.bootstrap_runs import verify_bootstrap
from bayesloom.verification.checks import TAKEN_ON_TRUST, Verification
from bayesloom.verification.credible_runs import verify_credible
from bayesloom.verification.k_best_runs import verify_k_best
from bayesloom.verification.network import AnyTable
from bayesloom.verification.posterior_runs import verify_posterior
from bayesloom.verification.reading import read_run
from bayesloom.verification.result import verify_result
from bayesloom.verification.shape import (
    BOOTSTRAP,
    CREDIBLE,
    K_BEST,
    LEARN,
    POSTERIOR,
    SEARCH,
    Shape,
    unknown_keys,
)
from bayesloom.verification.subject import Subject

__all__ = ["verify_run"]

SHAPES: dict[str, Shape] = {
    "learn": LEARN,
    "search": SEARCH,
    "credible": CREDIBLE,
    "posterior": POSTERIOR,
    "bootstrap": BOOTSTRAP,
}
WITHOUT_A_NETWORK = (K_BEST, POSTERIOR, BOOTSTRAP)


def verify_run(
    run: Mapping[str, Any] | str | os.PathLike[str],
    *,
    table: AnyTable | object = None,
    cache: ScoreCache | None = None,
    score: str | None = None,
    options: Mapping[str, float] | None = None,
    constraints: object = None,
    exhaustive: bool = False,
    tolerance: float | None = None,
    certificate: str | os.PathLike[str] | None = None,
) -> Verification:
    """Check every field of the result of a run against a table, a score cache, or both.

    Parameters
    ----------
    run
        The JSON object that ``learn``, ``search``, ``credible``, ``posterior`` or ``bootstrap`` wrote, or the
        file that holds it.
    table
        The table that was learned from, read as it was then, or anything that `read_table` takes.
    cache
        The score cache that was searched.
    score, options
        The score that the result should be of; by default it is what the result says.
    constraints
        Those that were asked for; without them it is only checked that those recorded are kept.
    exhaustive
        Also look at all networks: over the cache (at most 16 variables), or of the table (at most 10). Then
        bound and optimality are checked too, and of a credible set number and posteriors. Of a posterior, and
        of the replicates of a bootstrap, up to 9 variables instead of 7 and 5.
    tolerance
        How far a score may be from that of the table, in nats, at most 1; by default what rounding can
        explain.
    certificate
        The file that `search` wrote beside a result: a proof of its bound, which is checked against the
        cache (``docs/certificate.md``).

    Raises
    ------
    InputError
        If this is not the result of a run: a key is missing, or a value is of another kind.

    Examples
    --------
    >>> import bayesloom as bl
    >>> from bayesloom.solvers.result import run_object
    >>> table = bl.read_table({"rain": [0, 0, 1, 1] * 5, "wet": [0, 0, 1, 1] * 5})
    >>> run = run_object(bl.learn(table), "learn")
    >>> bl.verify_run(run, table=table).ok
    True
    >>> bl.verify_run({**run, "gap": 0.5}, table=table).problems
    ('gap is 0.5, but bound and score leave 0.0.',)
    >>> [check.outcome for check in bl.verify_run(run, table=table).checks if check.what == "optimality"]
    ['not checked']
    """
    if table is None and cache is None:
        raise InputError("there is nothing to check the result against. Give table= or cache=.")
    if cache is not None:
        cache.check_whole("show that a result is right")
    found = dict(run) if isinstance(run, Mapping) else read_run(run)
    if found is None:
        raise InputError(f"{os.fspath(run)}: this is not the result of a run.")  # type: ignore[arg-type]
    shape = SHAPES.get(_command(found))
    if shape is None:
        raise InputError(
            f"results of {described(found.get('command'))} cannot be verified; "
            "expected one of learn, search, credible, posterior or bootstrap."
        )
    if shape is CREDIBLE and "entries" in found:
        shape = K_BEST
    unknown = unknown_keys(found, shape)
    if certificate is not None and (shape is not SEARCH or cache is None):
        raise InputError(
            f"{option('certificate', subject=True)} is a proof over a score cache: give a result of search,"
            " and the cache that was searched."
        )
    given: AnyTable | None = None
    if table is not None:
        from bayesloom.verification.network import given_table

        given = given_table(table, score or found.get("score_name"), found.get("reading"))
    subject = Subject(
        found,
        table=given,
        cache=cache,
        score=score,
        options=options,
        constraints=constraints,
        tolerance=tolerance,
    )
    checks = subject.checks
    best = None
    known = subject.variables() if shape in WITHOUT_A_NETWORK else subject.network()
    if not (known and subject.scoring() and subject.constraints()):
        checks.skip("everything else", "what is wrong above must be mended first")
    elif shape is K_BEST:
        best = verify_k_best(subject, exhaustive=exhaustive)
    elif shape is POSTERIOR:
        verify_posterior(subject, exhaustive=exhaustive)
    elif shape is BOOTSTRAP:
        verify_bootstrap(subject, exhaustive=exhaustive)
    elif shape is CREDIBLE:
        best = verify_credible(subject, exhaustive=exhaustive)
    else:
        best = verify_result(subject, exhaustive=exhaustive, certificate=certificate)
    checked_here = {"edges_error"} if shape is POSTERIOR else set()
    for key, why in TAKEN_ON_TRUST.items():
        if key in found and key not in checked_here:
            checks.skip(key, why)
    for key in unknown:
        checks.skip(key, "an unknown key")
    if subject.tolerance is not None:
        checks.ok("tolerance", f"scores that differ by {subject.tolerance:g} nats or less were called equal")
    return checks.result(subject.recomputed(), best)


def _command(found: Mapping[str, Any]) -> str:
    command = found.get("command")
    return command if isinstance(command, str) else ""
