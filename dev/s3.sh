#!/usr/bin/env bash
# Makes .venvs/s3, with s3fs and an S3 server, for `make services`: quick when nothing has changed.
# They need an older python-dateutil than Airflow here. Its pins are dev/constraints-s3.txt, made by
#   uv pip compile --universal --python-version 3.10 --no-header --no-annotate
# from the requirements in distributions/colgraph/pyproject.toml and PACKAGES.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES=(flask flask-cors moto psutil pytest s3fs)
. dev/environment.sh
environment s3 "s3fs and an S3 server" --editable "distributions/colgraph[fsspec]" "${PACKAGES[@]}"
