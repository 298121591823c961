"""`colgraph bundle`: the collector as files, for services that ship no local ones."""

from __future__ import annotations

from pathlib import Path

import click

from airflow_colgraph.operators import bundle as files


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def bundle(folder: Path) -> None:
    """Write the collector's two files into FOLDER, and print their paths.

    Copy FOLDER to where the drivers can read it, and say so in Airflow: [colgraph] bundle.

    \b
    Example:
      colgraph bundle ./colgraph && aws s3 sync ./colgraph s3://bucket/colgraph
    """
    try:
        paths = files.bundle(folder), files.launcher(folder)
    except OSError as error:
        raise click.ClickException(f"{folder} cannot be written: {error.strerror}.") from None
    for path in paths:
        click.echo(path)
