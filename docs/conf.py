"""The docs site: `sh scripts/docs.sh` builds it into docs/_build/html."""

project = "howsure"
author = "the howsure developers"
copyright = "2026, the howsure developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "measured", "schemas"]
html_theme = "furo"
html_title = "howsure"
html_static_path: list[str] = []
html_show_sourcelink = False
html_show_sphinx = False
# Links to a heading are checked, so every heading that pages link to needs an anchor.
myst_heading_anchors = 5
# The public names are loaded on first use; their signatures are long lists of options, one per line.
python_maximum_signature_line_length = 100
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
