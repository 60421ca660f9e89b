#!/bin/sh
# Runs the tests, and types and lint beside them, so that one that fails hides none of the others.
started=$(date +%s)
checks=$(mktemp -d)
sh -c 'npm run types --silent; code=$?; times >&3; exit $code' >"$checks/types" 2>&1 3>"$checks/times-of-types" &
types=$!
sh scripts/lint.sh >"$checks/lint" 2>&1 &
lint=$!
vitest run "$@"
tests=$?
wait "$types"
types=$?
wait "$lint"
lint=$?
times >"$checks/times"
cat "$checks/types" "$checks/lint"

tell() { # <what> <exit code>
  if [ "$2" = 0 ]; then echo "$1 passed"; else echo "$1 FAILED"; fi
}
tell types "$types"
tell lint "$lint"
tell tests "$tests"
cpu_of() { # <what "times" has written>: user and system time of all that ended, in tenths of a second
  sed -n 's/[ms]/ /g; $p' "$1" | awk '{ printf "%d", ($1 * 60 + $2 + $3 * 60 + $4) * 10 }'
}
all=$(cpu_of "$checks/times")
one=$(cpu_of "$checks/times-of-types")
echo "in $(($(date +%s) - started)) s, with $((all / 10)) s of processor time: $(echo "$all $one" | awk '{ printf "%.1f", $1 / $2 }') times that of the types"
rm -r "$checks"
exit $((types || lint || tests))
