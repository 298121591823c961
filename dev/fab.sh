#!/usr/bin/env bash
# Makes .venvs/fab, the newest Airflow with its FAB auth manager, for `make logins`: quick when
# nothing has changed. Its pins are dev/constraints-fab.txt, made by
#   uv pip compile --universal --python-version 3.10 --no-header --no-annotate
# from the requirements in pyproject.toml and PACKAGES, with the pins of constraints.txt but for
# python-dateutil, of which FAB needs an older one.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES=(apache-airflow-providers-fab httpx psutil pytest pytest-xdist)
pins=dev/constraints-fab.txt
venv=.venvs/fab
stamp=$venv/.colgraph-setup
wanted=$(cat pyproject.toml distributions/colgraph/pyproject.toml "$pins" dev/fab.sh | cksum; .venv/bin/python --version)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

echo "setup: installing Airflow's FAB auth manager in $venv (once)"
rm -rf "$venv"
.venv/bin/uv venv --quiet --python .venv/bin/python "$venv"
.venv/bin/uv pip install --quiet --python "$venv/bin/python" --constraint "$pins" \
    --editable ".[openlineage,api]" "${PACKAGES[@]}"
printf '%s' "$wanted" > "$stamp"
