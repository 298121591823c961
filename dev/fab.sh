#!/usr/bin/env bash
# Makes .venvs/fab, the newest Airflow with its FAB auth manager, for `make logins`: quick when
# nothing has changed. Its pins are dev/constraints-fab.txt, made by
#   uv pip compile --universal --python-version 3.10 --no-header --no-annotate
# from the requirements in pyproject.toml and PACKAGES, with the pins of constraints.txt but for
# python-dateutil: FAB needs an older version.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES=(apache-airflow-providers-fab httpx psutil pytest pytest-xdist)
. dev/environment.sh
environment fab "Airflow's FAB auth manager" --editable ".[openlineage,api]" "${PACKAGES[@]}"
