"""Names of a package that are imported when they are first asked for (PEP 562).

``import bayesloom`` and a verb of the command line then load only what they use.  A package says where its
public names live; its own modules need not be listed:

    if not TYPE_CHECKING:
        __getattr__, __dir__ = lazy_imports(__name__, {"learn": "learning.api"})

Type checkers and editors read ordinary imports under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazy_imports"]


def lazy_imports(
    package: str, places: Mapping[str, str] | None = None
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package
        Its full name.
    places
        For each public name the module that defines it, seen from the package.

    Examples
    --------
    >>> get, names = lazy_imports("bayesloom", {"Network": "networks.network"})
    >>> get("Network").__module__
    'bayesloom.networks.network'
    >>> get("nothing")
    Traceback (most recent call last):
    AttributeError: module 'bayesloom' has no attribute 'nothing'
    """
    known = dict(places or {})

    def get(name: str) -> object:
        if name in known:
            value = getattr(import_module(f"{package}.{known[name]}"), name)
            setattr(sys.modules[package], name, value)
            return value
        if not name.startswith("_"):
            module = f"{package}.{name}"
            try:
                return import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:  # the module is there, what it needs is not
                    raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *known})

    return get, names
