"""Sphinx's configuration: `make docs`.

The site's source is the repository, so that links between docs/ and the pages beside it (README,
CONTRIBUTING, ...) work here as on GitHub. Generated while the site is built: the table of contents,
from the links of index.md; the options of Airflow and of the collector; the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import airflow_colgraph
from airflow_colgraph.collector import settings
from airflow_colgraph.get_provider_info import get_provider_info

project = "airflow_colgraph"
copyright = "the airflow_colgraph authors"
release = version = airflow_colgraph.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**"]
exclude_patterns = ["docs/_build", ".*"]
exclude_patterns += ["airflow_colgraph", "bench", "build", "dags", "dev", "dist*", "oracles"]
exclude_patterns += ["tests"]
html_theme = "furo"
html_title = f"airflow_colgraph {release}"
html_copy_source = False
smartquotes = False  # `--store` in help texts

myst_heading_anchors = 3  # the anchors that GitHub makes
autodoc_member_order = "bysource"
default_role = "literal"  # `name` in docstrings, as in Markdown
nitpick_ignore_regex = [
    ("py:.*", r"(?!airflow_colgraph\.).*"),  # other projects' names
    ("py:class", r".*\.(T|Rule)"),  # type variables
]

LINK = re.compile(r"^\* \[(.*?)\]\(([\w./]+)\.(?:md|rst)\)", flags=re.M)
HOME = '<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html">\n'


def add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """A table of contents below each heading of the index, from the links beneath it."""
    if name != root_doc:
        return
    start, *sections = re.split(r"^## ", source[0], flags=re.M)
    trees = []
    for section in sections:
        caption = section.partition("\n")[0]
        pages = "\n".join(f"{title} <{page}>" for title, page in LINK.findall(section))
        trees.append(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{pages}\n```\n")
    source[0] = start + "".join(f"## {section}" for section in sections) + "".join(trees)


def provider_options() -> Iterator[str]:
    """Every option that `airflow config list` shows, as reStructuredText."""
    for section, of in get_provider_info()["config"].items():
        for name, option in of["options"].items():
            yield f".. confval:: [{section}] {name}\n"
            yield f"   :type: {option['type']}"
            yield f"   :default: ``{option['default'] or '(empty)'}``\n"
            yield from (f"   {line}" for line in option["description"].splitlines())
            yield f"\n   Example: ``{option['example']}``\n"


def spark_properties() -> Iterator[str]:
    """Every `spark.colgraph.*` property, as reStructuredText."""
    for option in settings.OPTIONS:
        yield f".. confval:: {settings.PREFIX}{option.name}\n"
        if option.default not in (None, "", ()):
            yield f"   :default: ``{option.default}``\n"
        yield f"   {option.help}\n"


def escape(app: Sphinx, context: click.Context, lines: list[str]) -> None:
    """Help texts are no reStructuredText."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def redirect(app: Sphinx, exception: Exception | None) -> None:
    """The site's own index.html leads to the documentation's."""
    Path(app.outdir, "index.html").write_text(HOME, encoding="utf-8")


class Generated(SphinxDirective):
    """`.. generated:: provider_options`: what the function of that name yields."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The parsed text."""
        lines = {"provider_options": provider_options, "spark_properties": spark_properties}
        return self.parse_text_to_nodes("\n".join(lines[self.arguments[0]]()))


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("source-read", add_contents)
    app.connect("sphinx-click-process-options", escape)
    app.connect("build-finished", redirect)
    app.add_directive("generated", Generated)
    return {"parallel_read_safe": True}
