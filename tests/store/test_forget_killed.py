"""`colgraph forget` that is killed in a transaction: the same command does the rest."""

import signal
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.store.admin import audit
from airflow_colgraph.store.admin.forget import forget
from airflow_colgraph.store.query.selected import of_dataset
from airflow_colgraph.store.store import Store
from tests.store.samples import memory_store
from tests.store.test_forget import OPEN, SECRET, answers, contents, everything

WORDS = ["forget", "--namespace", "n", "--dataset", "secret", "--yes", "--by", "dpo"]
# The command, with SIGKILL before a transaction is committed: each has one item.
KILLED = """
import os, signal, sys
from contextlib import contextmanager
from airflow_colgraph.cli import main
from airflow_colgraph.store.admin import forget, paced

transaction, left = forget.transaction, int(sys.argv.pop(1))
paced.FIRST, paced.SECONDS = 1, 0.0

@contextmanager
def killed(store):
    global left
    with transaction(store) as connection:
        yield connection
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

forget.transaction = killed
main()
"""


def unkilled() -> dict[str, Any]:
    """What is left where nothing was killed."""
    store = memory_store()
    store.keep_events()
    store.add([*SECRET, *OPEN])
    with store.connection() as connection:
        what = of_dataset(connection, "n", "secret")
    forget(store, what, "dpo")
    return contents(store)


@pytest.mark.parametrize("number", [1, 4, 9, 14])
def test_what_is_killed_is_forgotten_by_the_same_command(store: Store, number: int) -> None:
    store.keep_events()
    store.add([*SECRET, *OPEN])
    before = answers(store, ("open", "b"))
    url = store.engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-c", KILLED, str(number), "--store", url, *WORDS]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == -signal.SIGKILL, run.stderr
    with store.connection() as connection:
        assert [row.action for row in audit.read(connection)] == ["forget-begin"]
    assert "secret" in everything(store)
    assert answers(store, ("open", "b")) == before
    answers(store, ("report", "x"), ("report", "y"), ("report2", "x"))  # each has an answer
    again = CliRunner().invoke(main, ["--store", url, *WORDS])
    assert again.exit_code == 0, again.output
    with store.connection() as connection:
        rows = audit.read(connection)
    assert [row.action for row in rows] == ["forget-begin", "forget-begin", "forget"]
    assert contents(store) == unkilled()
