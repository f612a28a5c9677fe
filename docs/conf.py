"""How the documentation site is built: Sphinx, MyST for Markdown, furo for the looks.

`make docs` builds it into `docs/_build/html`, without the network. What is special about tepui
(its languages, its transcripts, links out of this folder) is in `_site/tepui_site.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tepui
from tepui.report.pictures.colours import DARK, LIGHT

sys.path.insert(0, str(Path(__file__).parent / "_site"))

project = "tepui"
release = version = tepui.__version__
language = "en"
smartquotes = False

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_click",
    "tepui_site",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]
"""Some pages begin a chapter with a short one below it; that is how they read best."""

highlight_language = "none"
pygments_style = "friendly"
pygments_dark_style = "github-dark"

default_role = "code"
"""Names in docstrings stand in single backticks."""

autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
nitpicky = True
nitpick_ignore_regex = [
    # The standard library and the modules that are no part of the API have no page here.
    (r"py:.*", r"(?!tepui\.)[\w.]+"),
    (r"py:.*", r"tepui\.\w+\..*"),
]

html_theme = "furo"
html_title = f"tepui {release}"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": LIGHT["accent"],
        "color-brand-content": LIGHT["accent"],
    },
    "dark_css_variables": {
        "color-brand-primary": DARK["accent"],
        "color-brand-content": DARK["accent"],
    },
}
