"""Pins the distribution `colgraph`, which has the code, to the version of the provider."""

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SameVersion(MetadataHookInterface):
    """The dependencies in [tool.hatch.metadata.hooks.custom], and `colgraph` of this version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dependencies; the version is that of airflow_colgraph/__init__.py."""
        ours = f"colgraph=={metadata['version']}"
        metadata["dependencies"] = [ours, *self.config["dependencies"]]
