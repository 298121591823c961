#!/usr/bin/env bash
# Makes .venvs/datahub with acryl-datahub, which cannot live beside Airflow. Quick when nothing has changed.
# The tests marked `datahub` run this themselves; it takes about half a minute once.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venvs/datahub
stamp=$venv/.colgraph-setup
wanted=$(cat dev/constraints-datahub.txt dev/datahub.sh | cksum; .venv/bin/python --version)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

echo "setup: installing acryl-datahub in $venv (once)"
rm -rf "$venv"
.venv/bin/python -m venv --without-pip "$venv"
.venv/bin/uv pip install --quiet --python "$venv/bin/python" \
    --constraint dev/constraints-datahub.txt acryl-datahub
printf '%s' "$wanted" > "$stamp"
