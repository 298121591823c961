#!/usr/bin/env bash
# Makes .venvs/helm with Helm, built by Go, and kubernetes-validate. Quick when nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v go >/dev/null || { echo "helm: Go is needed, which builds Helm, and there is no go on PATH." >&2; exit 1; }
venv=.venvs/helm
stamp=$venv/.colgraph-setup
wanted=$(cksum < dev/helm.sh; .venv/bin/python --version)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

echo "setup: building Helm and installing kubernetes-validate in $venv (some minutes, once)"
rm -rf "$venv"
.venv/bin/python -m venv --without-pip "$venv"
.venv/bin/uv pip install --quiet --python "$venv/bin/python" kubernetes-validate==1.37.0
GOBIN=$PWD/$venv/bin go install helm.sh/helm/v3/cmd/helm@v3.22.0
printf '%s' "$wanted" > "$stamp"
