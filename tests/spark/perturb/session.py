"""A session for many small queries: no compiling of them, and plans that stay as they are."""

from __future__ import annotations

from pathlib import Path

from tests.spark.perturb.tables import statements
from tests.spark.session import Session

SETTINGS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.ansi.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}


def session_of(root: Path) -> Session:
    """A session with the tables of the made queries."""
    return Session(root, SETTINGS, statements=statements())
