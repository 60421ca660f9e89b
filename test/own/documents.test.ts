import { readFileSync } from 'node:fs'
import { configTable, openApiDocument } from '@agent-task-service/cli/documents'
import { declaredVariables } from '@agent-task-service/engine/config'
import { exampleOf } from '@agent-task-service/test-support/env-example'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { agent } from '../../src/agent.ts'

test('the documents show your settings and variables: npm run docs', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toContain(configTable(declaredVariables(agent)))
  expect(readFileSync('docs/openapi.json', 'utf8')).toBe(
    `${JSON.stringify(openApiDocument(agent.context, manifest), null, 2)}\n`,
  )
})

/** Those of tracing have names of their makers, whose pages list them. */
const isTracing = (name: string) => /^(LANGSMITH|OTEL)_/.test(name)

test('.env.example names all variables, each once, and no others', () => {
  const shown = exampleOf(readFileSync('.env.example', 'utf8').split('\n')).map(([name]) => name)
  const declared = Object.keys(declaredVariables(agent)).filter(name => !isTracing(name))
  expect(shown.sort()).toEqual(declared.sort())
})
