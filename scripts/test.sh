#!/bin/sh
# Runs the tests, and types and lint beside them, so that one that fails hides none of the others.
checks=$(mktemp)
{ npm run types --silent; types=$?; sh scripts/lint.sh && exit $types; } >"$checks" 2>&1 &
vitest run "$@"
tests=$?
wait $!
checked=$?
cat "$checks"
rm "$checks"
exit $((tests || checked))
