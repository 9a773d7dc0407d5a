"""From a table to a network in one call.

``api``           `bayesloom.learn`: how scoring and search are put together, and for how long
``options``       every tuned number of it
``closed_loop``   scoring and search in turns, where complete scoring would take too long
``perturbation``  how the loop leaves a local optimum; ``polish`` the last look at single edges
``filling_in``    turns of filling in missing values and learning
``advice``        what the result means and what to do next, in words
"""

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_imports(__name__)
