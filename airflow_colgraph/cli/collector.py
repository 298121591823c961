"""`colgraph collector`: the collector as files, for services that ship no local ones."""

from __future__ import annotations

from pathlib import Path

import click

from airflow_colgraph.cli.errors import Failed
from airflow_colgraph.operators import collector_archive


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def collector(folder: Path) -> None:
    """Write the collector's two files into FOLDER, and print their paths.

    Copy FOLDER to where the Spark drivers can read it, and set [colgraph] collector_path in
    Airflow's configuration to that place.

    \b
    Example:
      colgraph collector ./colgraph && aws s3 sync ./colgraph s3://bucket/colgraph
    """
    try:
        paths = collector_archive.source_archive(folder), collector_archive.launcher(folder)
    except OSError as error:
        raise Failed(f"{folder} cannot be written: {error.strerror}.") from None
    for path in paths:
        click.echo(path)
