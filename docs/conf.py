"""The documentation site: `make docs` builds it, offline, with warnings as errors.

The source folder is the whole repository, so that pages may link to the README files of benchmarks and code
as they do on the forge; `include_patterns` says which files are pages.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bayesloom

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "Bayesloom"
author = "The Bayesloom developers"
copyright = "the Bayesloom developers"
version = release = bayesloom.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "generated_pages"]
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "benchmarks/README.md",
    "benchmarks/**/README.md",
    "src/core/credible/README.md",
    "tests/fuzz/README.md",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "RELEASING.md",
]
exclude_patterns = ["build/**", ".venv/**", "**/.ipynb_checkpoints"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = -1  # a busy machine takes as long as it takes
nb_merge_streams = True
# MyST counts headings from the top of a page; some pages begin at their second level on purpose.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the signature has them
autodoc_class_signature = "separated"
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes that a docstring lists are also properties: described once
default_role = "py:obj"
add_module_names = False
python_use_unqualified_type_names = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "Bayesloom"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
templates_path: list[str] = []
html_theme_options = {"navigation_with_keys": True}
