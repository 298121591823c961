"""What a command imports before it does anything, so that it starts quickly."""

import ast
import subprocess
import sys

import pytest

AIRFLOW = {"airflow", "openlineage"}
SERVER = {"fastapi", "pydantic", "uvicorn", "starlette"}
STORE = {"sqlalchemy", "alembic", "orjson"}
SPARK = {"pyspark", "py4j"}
OPTIONAL = {"sqlglot", "numpy", "pyarrow", "psycopg", "pandas", "confluent_kafka"}

NOT_IMPORTED = {
    "--help": AIRFLOW | SERVER | STORE | SPARK | OPTIONAL | {"rich", "airflow_colgraph.store"},
    "--version": AIRFLOW | SERVER | STORE | SPARK | OPTIONAL | {"rich", "airflow_colgraph.store"},
    "submit --help": AIRFLOW | SERVER | STORE | SPARK | OPTIONAL,
    "collector --help": AIRFLOW | SERVER | STORE | SPARK | OPTIONAL,
    "show --help": AIRFLOW | SERVER | STORE | SPARK | OPTIONAL,
    "ingest --help": AIRFLOW | SERVER | SPARK | OPTIONAL,
    "consume --help": AIRFLOW | SERVER | SPARK | OPTIONAL,
    "upstream --help": AIRFLOW | SERVER | SPARK | OPTIONAL,
    "serve --help": AIRFLOW | SERVER | SPARK | OPTIONAL,
    "export --help": AIRFLOW | SERVER | SPARK | OPTIONAL,
    "warehouse publish --help": AIRFLOW | SERVER | SPARK | OPTIONAL | {"sqlalchemy", "alembic"},
    "warehouse build --help": AIRFLOW | SERVER | SPARK | OPTIONAL | {"sqlalchemy", "alembic"},
}
CODE = """
import sys
from airflow_colgraph.cli import main
main(sys.argv[1:], standalone_mode=False)
print(sorted(sys.modules))
"""


@pytest.mark.parametrize("words", NOT_IMPORTED)
def test_help_imports_no_more_than_it_needs(words: str) -> None:
    command = [sys.executable, "-c", CODE, *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert "airflow_colgraph.cli" in imported
    assert imported & NOT_IMPORTED[words] == set()
