"""What the user knows: required and forbidden edges, tiers, orders, limits.

``model``        `Constraints`: what they say, and whether they contradict each other
``files``        the file formats of constraints
``orientation``  which edges of a network they keep from turning
"""

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_imports(__name__)
