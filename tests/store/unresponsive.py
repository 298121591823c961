"""A lock of another session, which makes a writer wait."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Another session has the store's tables."""
    if url.startswith("sqlite"):
        other = create_engine(url)
        lock = "BEGIN EXCLUSIVE"
    else:
        other = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
        lock = "LOCK TABLE colgraph_dataset IN ACCESS EXCLUSIVE MODE"
    with other.connect() as connection:
        connection.exec_driver_sql(lock)
        yield
        connection.rollback()
    other.dispose()
