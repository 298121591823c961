# Sourced by the scripts that make an environment beside .venv, whose tests need other versions than it has.
#   environment NAME WHAT PACKAGE ..
# makes .venvs/NAME, with uv's arguments PACKAGE and the pins of dev/constraints-NAME.txt: quick when nothing has changed.
environment() {
    local name=$1 what=$2
    shift 2
    local pins=dev/constraints-$name.txt venv=.venvs/$name wanted
    local stamp=$venv/.colgraph-setup
    wanted=$(cat pyproject.toml distributions/colgraph/pyproject.toml "$pins" "dev/$name.sh" dev/environment.sh | cksum; .venv/bin/python --version)
    if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return; fi
    echo "setup: installing $what in $venv (once)"
    rm -rf "$venv"
    .venv/bin/uv venv --quiet --python .venv/bin/python "$venv"
    .venv/bin/uv pip install --quiet --python "$venv/bin/python" --constraint "$pins" "$@"
    printf '%s' "$wanted" > "$stamp"
}
