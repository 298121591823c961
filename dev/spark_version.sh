#!/usr/bin/env bash
# Runs `python ARGS...` in an environment of its own with another Spark: dev/spark_version.sh 3.5 ARGS...
# The environment is .venvs/spark-VERSION; it is made once, and quick to find when nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

stop() { echo "spark_version: $1" >&2; exit 1; }

version=${1:?which Spark: 3.5, 4.0, ...}
shift
constraints=dev/constraints-spark-$version.txt
[ -f "$constraints" ] || stop "there is no $constraints; there are: $(cd dev && echo constraints-spark-*.txt)"

# Spark 3.5 is tested with the oldest Python that the collector supports, where the machine has it.
find_python() {
    local name
    for name in "$@"; do
        for found in "$name" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"${name#python}".*/bin/python; do
            if "$found" -c '' 2>/dev/null; then echo "$found"; return; fi
        done
    done
}
# Declarative pipelines, from Spark 4.1 on, and the command that runs them.
packages=(pyspark)
case $version in
    3.*|4.0) ;;
    *) packages=("pyspark[pipelines]" click) ;;
esac
case $version in
    3.*) python=$(find_python python3.9 python3.10 python3.11 python3.12) ;;
    *) python=$PWD/.venv/bin/python ;;
esac
[ -n "$python" ] || stop "Spark $version needs a Python from 3.9 to 3.12, and there is none."

venv=.venvs/spark-$version
stamp=$venv/.colgraph-setup
wanted=$(cat "$constraints" dev/spark_version.sh | cksum; "$python" --version)
mkdir -p .venvs
exec 9> "$venv.lock" # several processes may ask at once
flock 9
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    echo "setup: installing Spark $version in $venv with $("$python" --version) (once)" >&2
    rm -rf "$venv"
    .venv/bin/uv venv --quiet --no-python-downloads --python "$python" "$venv"
    # PySpark is built from its source: uv's cache would keep 1 GB of each build, in every clone again.
    .venv/bin/uv pip install --quiet --no-cache --python "$venv/bin/python" --constraint "$constraints" \
        "${packages[@]}" pandas pyarrow pytest pytest-xdist
    printf '%s' "$wanted" > "$stamp"
fi
exec 9>&-

export PYSPARK_PYTHON=$PWD/$venv/bin/python PYSPARK_DRIVER_PYTHON=$PWD/$venv/bin/python
unset SPARK_HOME
exec "$venv/bin/python" "$@"
