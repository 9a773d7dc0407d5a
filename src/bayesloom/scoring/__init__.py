"""From a table to a score cache: candidate parent sets with their local scores.

``registry``           the scores, their options, and local scores of given parent sets
``parent_sets``        `bayesloom.score`: complete or anytime candidates, in parts, resumable
``cache``              the `ScoreCache`; ``cache_info`` what is known about one, ``cache_files`` its formats
``merging``            `bayesloom.merge`: the parts of one job put together
``constrained_cache``  a cache without what constraints forbid
``strength``           what each edge of a network is worth; ``chance`` what chance alone would give
``absence``            which edges rest on values that are missing together
"""

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_imports(__name__)
