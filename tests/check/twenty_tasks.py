"""Three DAGs of twenty tasks that really write: SQL over one SQLite file, and text files.

A task with a table is a SQL task. One without is Python code that reports no lineage: it prints
the rows of its query into a file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple


class Step(NamedTuple):
    """A task: those right before it, the table that it writes, and the rows it comes from."""

    before: str
    table: str
    query: str

    @property
    def statements(self) -> list[str]:
        return [f"DROP TABLE IF EXISTS {self.table}", f"CREATE TABLE {self.table} AS {self.query}"]


DAGS: dict[str, dict[str, Step]] = {
    "ingest": {
        "orders": Step("", "orders", "SELECT id, amount, day FROM csv"),
        "clients": Step("", "clients", "SELECT id, lower(mail) AS mail, land FROM crm"),
        "prices": Step("", "prices", "SELECT id, price FROM feed"),
        "typed_orders": Step("orders", "typed", "SELECT id, amount * 1.0 AS amount FROM orders"),
        "check_orders": Step("typed_orders", "", "SELECT count(*), sum(amount) FROM typed"),
        "days": Step("orders", "days", "SELECT DISTINCT day FROM orders ORDER BY day"),
        "notify": Step(
            "check_orders days clients",
            "",
            "SELECT (SELECT sum(amount) FROM typed), (SELECT max(day) FROM days), c.* "
            "FROM clients AS c ORDER BY id",
        ),
    },
    "mart": {
        "wide": Step(
            "",
            "wide",
            "SELECT t.id, t.amount, c.land FROM typed AS t JOIN clients AS c ON c.id = t.id "
            "ORDER BY t.id",
        ),
        "by_land": Step(
            "wide",
            "by_land",
            "SELECT land, sum(amount) AS total FROM wide GROUP BY land ORDER BY land",
        ),
        "by_day": Step("", "by_day", "SELECT day, day % 7 AS weekday FROM days ORDER BY day"),
        "mails": Step("", "mails", "SELECT mail FROM clients ORDER BY mail"),
        "margins": Step("", "margins", "SELECT id, price * 0.2 AS margin FROM prices ORDER BY id"),
        "publish": Step("by_land", "", "SELECT * FROM by_land ORDER BY land"),
        "audit": Step("mails", "", "SELECT count(DISTINCT mail), max(mail) FROM mails"),
    },
    "report": {
        "daily": Step("", "daily", "SELECT max(total) AS total FROM by_land"),
        "filtered": Step(
            "", "filtered", "SELECT id FROM margins WHERE id <= (SELECT max(day) FROM by_day)"
        ),
        "letters": Step("", "letters", "SELECT 'Dear ' || mail AS mail FROM mails"),
        "dashboard": Step(
            "daily filtered",
            "board",
            "SELECT d.total, f.id FROM daily AS d JOIN filtered AS f ON f.id > 0",
        ),
        "print": Step("letters", "", "SELECT * FROM letters ORDER BY mail"),
        "archive": Step("dashboard", "", "SELECT * FROM board ORDER BY id"),
    },
}

SOURCE_TABLES = ("csv", "crm", "feed")
SOURCES = """
CREATE TABLE csv (id INT, amount INT, day INT);
CREATE TABLE crm (id INT, mail TEXT, land TEXT);
CREATE TABLE feed (id INT, price REAL);
INSERT INTO csv VALUES (1, 10, 3), (2, 20, 3), (3, 30, 5), (4, 40, 6);
INSERT INTO crm VALUES (1, 'A@x', 'at'), (2, 'B@x', 'be'), (3, 'C@x', 'at'), (4, 'D@x', 'ch');
INSERT INTO feed VALUES (1, 1.5), (2, 2.5), (4, 4.5), (6, 6.5), (7, 7.5);
"""

# A changed column -> how its values change.
CHANGES = {
    "csv.amount": "UPDATE csv SET amount = amount * 3 + 1",
    "csv.day": "UPDATE csv SET day = day + 1",
    "crm.mail": "UPDATE crm SET mail = 'New.' || mail",
    "crm.id": "UPDATE crm SET id = 5 - id",
    "feed.price": "UPDATE feed SET price = price + 0.25",
    "feed.id": "UPDATE feed SET id = id - 1 WHERE id > 2",
}

# A changed column -> the tasks that have to run again, by DAG, in the order of the DAGs.
EXPECTED = {
    "csv.amount": {
        "ingest": "orders typed_orders check_orders notify",
        "mart": "wide by_land publish",
        "report": "daily dashboard archive",
    },
    "csv.day": {
        "ingest": "orders days check_orders notify",
        "mart": "by_day",
        "report": "filtered dashboard archive",
    },
    "crm.mail": {
        "ingest": "clients notify",
        "mart": "mails audit",
        "report": "letters print",
    },
    "crm.id": {
        "ingest": "clients notify",
        "mart": "wide by_land publish",
        "report": "daily dashboard archive",
    },
    "feed.price": {"ingest": "prices", "mart": "margins"},
    "feed.id": {
        "ingest": "prices",
        "mart": "margins",
        "report": "filtered dashboard archive",
    },
}


def furnish(home: Path) -> Path:
    """The database with its sources, in a home."""
    home.mkdir(parents=True, exist_ok=True)
    change(home, SOURCES)
    return database(home)


def database(home: Path) -> Path:
    return home / "shop.db"


def change(home: Path, text: str) -> None:
    """Run a script on the database."""
    with closing(sqlite3.connect(database(home))) as connection:
        connection.executescript(text)


def write_file(home: Path, dag_id: str, task_id: str) -> None:
    """What a task without lineage does."""
    with closing(sqlite3.connect(database(home))) as connection:
        rows = connection.execute(DAGS[dag_id][task_id].query).fetchall()
    (home / f"{task_id}.txt").write_text("".join(f"{row}\n" for row in rows))


def run_here(home: Path, dag: str, tasks: Iterable[str]) -> None:
    """Run tasks of a DAG without Airflow, in the order of the table above."""
    for task in (one for one in DAGS[dag] if one in set(tasks)):
        step = DAGS[dag][task]
        if step.table:
            change(home, ";".join(step.statements))
        else:
            write_file(home, dag, task)


def run_all_here(home: Path) -> None:
    for dag, tasks in DAGS.items():
        run_here(home, dag, tasks)


def contents(home: Path) -> dict[str, bytes]:
    """Every table that tasks write, as its statement and its rows, and every file."""
    found = {file.name: file.read_bytes() for file in home.glob("*.txt")}
    with closing(sqlite3.connect(database(home))) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        for table in tables.difference(SOURCE_TABLES):
            (made,) = connection.execute(
                "SELECT sql FROM sqlite_master WHERE name = ?", (table,)
            ).fetchone()
            rows = connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
            found[table] = "\n".join([made, *map(repr, rows)]).encode()
    return found


def copy_of(home: Path, to: Path) -> Path:
    """A home with the same sources, in which nothing has run."""
    furnish(to)
    with closing(sqlite3.connect(database(to))) as connection:
        connection.execute("ATTACH ? AS other", (str(database(home)),))
        for table in SOURCE_TABLES:
            connection.execute(f"DELETE FROM {table}")
            connection.execute(f"INSERT INTO {table} SELECT * FROM other.{table} ORDER BY rowid")
        connection.commit()
    return to
