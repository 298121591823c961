#!/usr/bin/env bash
# One leg of the matrix in .github/workflows/tests.yml: dev/leg.sh PYTHON SPARK AIRFLOW, e.g. 3.12 4.0 3.1
# In an environment of its own, .venvs/leg-PYTHON-SPARK-AIRFLOW, it runs the collector's cases in a Spark
# session, and a DAG whose task submits a Spark job, and compares the lineage of both.
set -euo pipefail
cd "$(dirname "$0")/.."

stop() { echo "leg: $1" >&2; exit 2; }

[ $# = 3 ] || stop "which one: make leg PYTHON=3.12 SPARK=4.0 AIRFLOW=3.1"
version=$1 spark=$2 airflow=$3
# The newest Airflow, and the Spark that everything is tested with, are pinned in constraints.txt.
pins() { local file=dev/constraints-$1-$2.txt; if [ -f "$file" ]; then echo "$file"; else echo constraints.txt; fi; }
of_spark=$(pins spark "$spark") of_airflow=$(pins airflow "$airflow")
spark_pin=$(grep -E "^pyspark==$spark\." "$of_spark") || stop "there are no pins for Spark $spark"
grep -qE "^apache-airflow==$airflow\." "$of_airflow" || stop "there are no pins for Airflow $airflow"
python=
for found in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
    if "$found" -c '' 2>/dev/null; then python=$found; fi # a shim of pyenv's may be of no use
done
[ -n "$python" ] || stop "there is no Python $version"

venv=.venvs/leg-$version-$spark-$airflow
stamp=$venv/.colgraph-setup
wanted=$(cat pyproject.toml distributions/colgraph/pyproject.toml "$of_spark" "$of_airflow" dev/leg.sh | cksum)
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    echo "setup: installing Airflow $airflow and Spark $spark on Python $version in $venv (once)"
    rm -rf "$venv"
    .venv/bin/uv venv --quiet --no-python-downloads --python "$python" "$venv"
    { grep -vE '^pyspark' "$of_airflow"; echo "$spark_pin"; } > "$venv/constraints.txt"
    .venv/bin/uv pip install --quiet --python "$venv/bin/python" --constraint "$venv/constraints.txt" \
        --editable '.[openlineage]' "$spark_pin" pandas psutil pyarrow pytest pytest-xdist
    printf '%s' "$wanted" > "$stamp"
fi

export PYSPARK_PYTHON=$PWD/$venv/bin/python PYSPARK_DRIVER_PYTHON=$PWD/$venv/bin/python LEG_AIRFLOW=$airflow
unset SPARK_HOME
exec "$venv/bin/python" -m pytest -q -p no:cacheprovider tests/spark/test_cases.py tests/airflow/test_versions.py
