"""Results for people: one page of HTML or Markdown, with a drawing.

``page``     the report
``drawing``  the network as SVG
"""

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_imports(__name__)
