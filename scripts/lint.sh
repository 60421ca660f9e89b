#!/bin/sh
# Fails on nothing but errors. Whoever makes the project theirs formats as they like.
biome lint . || exit 1
biome format . >/dev/null 2>&1 || echo 'Some files are formatted in another way than the rest. To format them: npm run format'
