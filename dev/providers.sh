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
. dev/environment.sh
environment providers "the services' providers" --editable ".[openlineage]" pyspark pytest "${PROVIDERS[@]}"
