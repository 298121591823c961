#!/usr/bin/env bash
# Makes .venvs/dbt with dbt on DuckDB and openlineage-dbt, which cannot live beside Airflow. Quick when nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venvs/dbt
stamp=$venv/.colgraph-setup
wanted=$(cat dev/constraints-dbt.txt dev/dbt.sh | cksum; .venv/bin/python --version)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

echo "setup: installing dbt in $venv (once)"
rm -rf "$venv"
.venv/bin/python -m venv --without-pip "$venv"
.venv/bin/uv pip install --quiet --python "$venv/bin/python" \
    --constraint dev/constraints-dbt.txt dbt-core dbt-duckdb openlineage-dbt
printf '%s' "$wanted" > "$stamp"
