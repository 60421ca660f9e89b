import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

const files = globSync(['*.yaml', '{deploy,packages/create}/**/*.{yaml,yml}'], {
  exclude: ['**/node_modules/**'],
})

/** Of a plain `::` within braces PyYAML says what kubectl's parser says. */
const COUNT = 'import sys, yaml; print(len(list(yaml.safe_load_all(sys.stdin))))'

test.each(files)('another parser of YAML reads %s', path => {
  const text = readFileSync(path, 'utf8')
  const count = Number(execFileSync('python3', ['-c', COUNT], { input: text, encoding: 'utf8' }))
  expect(count).toBe(parseAllDocuments(text).length)
})
