#!/bin/sh
# Runs the tests, and types and lint beside them, so that one that fails hides none of the others.
started=$(date +%s)
checks=$(mktemp -d)
npm run types --silent >"$checks/types" 2>&1 &
types=$!
sh scripts/lint.sh >"$checks/lint" 2>&1 &
lint=$!
vitest run "$@"
tests=$?
wait "$types"
types=$?
wait "$lint"
lint=$?
cat "$checks/types" "$checks/lint"
rm -r "$checks"

tell() { # <what> <exit code>
  if [ "$2" = 0 ]; then echo "$1 passed"; else echo "$1 FAILED"; fi
}
tell types "$types"
tell lint "$lint"
tell tests "$tests"
echo "in $(($(date +%s) - started)) s"
exit $((types || lint || tests))
