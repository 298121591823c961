#!/usr/bin/env bash
# Makes .venv with everything pinned in constraints.txt. Quick when nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

stop() { echo "setup: $1" >&2; exit 1; }

python=${PYTHON:-python3}
command -v "$python" >/dev/null || stop "Python 3.10 or newer is needed, and there is no $python on PATH."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    stop "Python 3.10 or newer is needed; $("$python" --version 2>&1) was found. Name another one: make setup PYTHON=python3.12"
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" >/dev/null || stop "Java 17 or newer is needed, and there is no $java. Install a JDK or set JAVA_HOME."
version=$("$java" -version 2>&1 | sed -nE 's/.*version "([0-9]+).*/\1/p' | head -n 1)
[ "${version:-0}" -ge 17 ] || stop "Java 17 or newer is needed; Java ${version:-of an unknown version} was found at $java."

stamp=.venv/.colgraph-setup
wanted=$(cat pyproject.toml distributions/colgraph/pyproject.toml constraints.txt dev/setup.sh | cksum; "$python" --version)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

if [ ! -x .venv/bin/python ]; then
    echo "setup: making .venv with $("$python" --version)"
    "$python" -m venv .venv || stop "this Python has no venv module; on Debian: apt-get install python3-venv"
fi
[ -x .venv/bin/uv ] || .venv/bin/python -m pip install --quiet --disable-pip-version-check uv
# PySpark is published as source only: one build (450 MB) serves every environment that has this version.
export UV_FIND_LINKS=$PWD/.venv/wheels
pinned=$(grep -E '^pyspark==' constraints.txt)
mkdir -p "$UV_FIND_LINKS"
if [ ! -e "$UV_FIND_LINKS/pyspark-${pinned#*==}-py2.py3-none-any.whl" ]; then
    echo "setup: building $pinned (once)"
    rm -f "$UV_FIND_LINKS"/*
    .venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$UV_FIND_LINKS" "$pinned"
fi
echo "setup: installing Airflow, Spark and the tools (about 1.3 GB, once)"
.venv/bin/uv pip install --python .venv/bin/python --constraint constraints.txt \
    --editable '.[openlineage,api,postgres,spark,sql,kafka,fsspec,oidc]' --group dev --group demo --group dist --group docs
printf '%s' "$wanted" > "$stamp"
echo "setup: done"
