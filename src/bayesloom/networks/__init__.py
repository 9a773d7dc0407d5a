"""Networks: structure, probabilities, files.

``network``     `Network`, a structure; ``cpdag`` the picture of its equivalence class
``fitted``      `FittedNetwork`, with probabilities; ``fit`` estimates them
``inference``   what it answers; ``prediction`` for many rows, ``rows`` reads them
``interventions``  variables set from outside, and the effect of that
``gaussian``    `GaussianNetwork`, with continuous variables; ``gaussian_fit``, ``_posterior``, ``_answers``
``averaged_effects``  effects over classes and sets of networks
``adjustment``  what to adjust for
``comparison``  `bayesloom.compare`
``generate``    random networks
``interop``     networks of other packages
``formats``     one file per format
"""

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_imports(__name__)
