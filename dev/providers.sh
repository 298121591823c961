#!/usr/bin/env bash
# Makes .venvs/providers, the newest Airflow with the providers of the services in docs/operators.md,
# for `make services`: quick when nothing has changed. Its pins are dev/constraints-providers.txt, made by
#   uv pip compile --universal --python-version 3.10 --no-header --no-annotate
# from the requirements in pyproject.toml and PROVIDERS, with Airflow's own pins in constraints.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

PROVIDERS=(
    apache-airflow-providers-amazon
    apache-airflow-providers-apache-livy
    apache-airflow-providers-cncf-kubernetes
    apache-airflow-providers-databricks
    apache-airflow-providers-google
)
pins=dev/constraints-providers.txt
venv=.venvs/providers
stamp=$venv/.colgraph-setup
wanted=$(cat pyproject.toml distributions/colgraph/pyproject.toml "$pins" dev/providers.sh | cksum; .venv/bin/python --version)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

echo "setup: installing the services' providers in $venv (once)"
rm -rf "$venv"
.venv/bin/uv venv --quiet --python .venv/bin/python "$venv"
.venv/bin/uv pip install --quiet --python "$venv/bin/python" --constraint "$pins" \
    --editable ".[openlineage]" pyspark pytest "${PROVIDERS[@]}"
printf '%s' "$wanted" > "$stamp"
