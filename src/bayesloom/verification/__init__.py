"""An independent check of networks and results: scores, bounds, claims, labels, one by one.

Everything is recomputed from scratch by code that shares nothing with what it checks: its own
counting, its own local scores from their textbook definitions, its own test for cycles, its own
look-ups in the score cache (``src/core/check``), its own labels of edges (``labels``) and its own
list of all networks near the best (``every_network``).  It is slow, and meant to be believed.

`verify` checks a network; `verify_run` every field of the JSON object that ``learn``, ``search``,
``credible``, ``posterior`` or ``bootstrap`` wrote.  Both say what was checked and what was not, one by one.
"""

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from bayesloom.verification.checks import Check, Verification
    from bayesloom.verification.network import local_scores, verify
    from bayesloom.verification.run import verify_run
else:
    __getattr__, __dir__ = lazy_imports(
        __name__,
        {
            "Check": "checks",
            "Verification": "checks",
            "local_scores": "network",
            "verify": "network",
            "verify_run": "run",
        },
    )

__all__ = ["Check", "Verification", "local_scores", "verify", "verify_run"]
