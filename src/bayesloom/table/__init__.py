"""Tables in: from a file, a data frame or an array to states and small integer codes.

The way of a column, one step per module:

``read``        ``read_table``, the one way in: options checked, the source read, columns encoded
``sources``     what was given: a path, an Arrow stream, an array, a mapping, rows
``files``       the bytes of a file, unpacked; files written whole or not at all
``text``        CSV, TSV and ``.data``; ``dat`` the format of GOBNILP and BLIP, ``arff`` of Weka
``excel``       workbooks; ``encodings`` text that is not UTF-8; ``frames`` data frames that are not plain
``arrow``       Parquet, Feather, anything that speaks Arrow, NumPy, mappings
``selection``   which columns stay, and which says how often a row counts; ``weights`` checks that
``interventions``  which variables were set in which rows
``columns``     what all readers hand on: names, Arrow arrays, and where a row came from
``distinct``    the distinct values of a column, in natural order, and its codes; ``arrow_types`` helps
``discretize``  cut points for columns of numbers; ``cutting`` applies them
``dates``       dates become year, month, weekday and hour
``lenient``     what `learn` decides: ``forms`` states or ranges, ``rare`` values, ``missing_together``
``encode``      declared states, missing values, limits: the codes become a table
``column_records``  what became of each column, and why
``table``       the ``Table``; ``checks`` what it promises; ``write`` puts it into files
``like``        new rows in the states of a table
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesloom.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from .column_records import Column
    from .interventions import Interventions
    from .read import read_table
    from .table import Table

__all__ = ["Column", "Interventions", "Table", "read_table"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_imports(
        __name__,
        {
            "Column": "column_records",
            "Interventions": "interventions",
            "Table": "table",
            "read_table": "read",
        },
    )
