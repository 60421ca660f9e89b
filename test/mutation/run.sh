#!/bin/sh
# Runs Stryker as stryker.json says. Its packages are installed here, since they are a fifth of all, and few need them.
set -e
tools=node_modules/.cache/mutation
mkdir -p "$tools"
cp test/mutation/package.json test/mutation/package-lock.json .npmrc "$tools"
npm ci --prefix "$tools"
exec node "$tools/node_modules/@stryker-mutator/core/bin/stryker.js" run test/mutation/stryker.json "$@"
