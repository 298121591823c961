# Plans each job of jobs/ as it is in this checkout: plan.sh EVENTS
set -eu
: >"$1"
for job in jobs/*.py; do
    [ -e "$job" ] || continue # there is none yet
    colgraph plan --quiet --schemas lineage/schemas.json --output "$1" -- "$job" >"$1.log" 2>&1 ||
        { code=$?; cat "$1.log" >&2; exit "$code"; }
done
