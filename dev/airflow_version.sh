#!/usr/bin/env bash
# Makes .venvs/airflow-VERSION, an environment with an older Airflow: dev/airflow_version.sh 2.7
# Quick when nothing has changed. Its pins are dev/constraints-airflow-VERSION.txt, made by
#   uv pip compile --universal --python-version 3.10 --no-header --no-annotate
# from the requirements in pyproject.toml, one exact Airflow, and constraints.txt copied there first.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1
pins=dev/constraints-airflow-$version.txt
venv=.venvs/airflow-$version
[ -f "$pins" ] || { echo "setup: there are no pins for Airflow $version ($pins)" >&2; exit 2; }
case $version in
    2.7) python='>=3.10,<3.12' extra=legacy ;; # no Airflow 2.7 for later Pythons
    2.*) python='>=3.10,<3.13' extra=openlineage ;;
    *) python='>=3.10,<3.14' extra=openlineage ;;
esac

stamp=$venv/.colgraph-setup
wanted=$(cat pyproject.toml distributions/colgraph/pyproject.toml "$pins" dev/airflow_version.sh | cksum)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

echo "setup: installing Airflow $version in $venv (once)"
[ -x "$venv/bin/python" ] || .venv/bin/uv venv --quiet --python "$python" "$venv"
.venv/bin/uv pip install --quiet --python "$venv/bin/python" --constraint "$pins" --editable ".[$extra]" pyspark
printf '%s' "$wanted" > "$stamp"
