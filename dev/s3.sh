#!/usr/bin/env bash
# Makes .venvs/s3, with s3fs and an S3 server, for `make services`: quick when nothing has changed.
# They need an older python-dateutil than Airflow here. Its pins are dev/constraints-s3.txt, made by
#   uv pip compile --universal --python-version 3.10 --no-header --no-annotate
# from the requirements in distributions/colgraph/pyproject.toml and PACKAGES.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES=(flask flask-cors moto psutil pytest s3fs)
pins=dev/constraints-s3.txt
venv=.venvs/s3
stamp=$venv/.colgraph-setup
wanted=$(cat distributions/colgraph/pyproject.toml "$pins" dev/s3.sh | cksum; .venv/bin/python --version)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

echo "setup: installing s3fs and an S3 server in $venv (once)"
rm -rf "$venv"
.venv/bin/uv venv --quiet --python .venv/bin/python "$venv"
.venv/bin/uv pip install --quiet --python "$venv/bin/python" --constraint "$pins" \
    --editable "distributions/colgraph[fsspec]" "${PACKAGES[@]}"
printf '%s' "$wanted" > "$stamp"
