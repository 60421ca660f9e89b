import { readFileSync } from 'node:fs'
import { configTable } from '@agent-task-service/cli/documents'
import { declaredVariables, environment, isSecret } from '@agent-task-service/engine/config'
import { searchVariables } from '@agent-task-service/starter/web-search/settings'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { exampleOf } from '@agent-task-service/test-support/env-example'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const schema = declaredVariables(agent)

// EVIDENCE-OF README.md: All settings are in docs/configuration.md.
test('docs/configuration.md matches the schema: npm run docs', () => {
  const page = read('docs/configuration.md').split('\n')
  const table = configTable(schema)
  expect(table.split('\n').filter(line => !page.includes(line))).toEqual([])
  for (const [name, type] of Object.entries(schema)) {
    expect(type.description, name).toBeTruthy()
    expect(table.split(`| \`${name}\` |`), name).toHaveLength(2)
  }
})

test('.env.example names the same variables, all commented out', () => {
  const lines = read('.env.example').split('\n')
  expect(lines.filter(line => line !== '' && !line.startsWith('#'))).toEqual([])
  const shown = exampleOf(lines).map(([name]) => name)
  // A project may have variables of its own: test/own/documents.test.ts.
  const ofPackages = [agent.share, ...(agent.moreTools ?? [])]
    .flatMap(each => each ?? [])
    .map(({ variables }) => variables.shape)
  for (const shape of [environment.shape, searchVariables.shape, ...ofPackages])
    expect(shown.filter(name => name in shape)).toEqual(Object.keys(shape))
})

test('.env.example shows defaults, and no value for a secret', () => {
  const example = exampleOf(read('.env.example').split('\n')).filter(([name]) => name in schema)
  for (const [name, value] of example) {
    if (isSecret(schema[name]!)) expect([name, value]).toEqual([name, ''])
  }
  const variables = { ...Object.fromEntries(example), MODEL_PROVIDER: 'offline' }
  expect(readConfig(variables)).toEqual({ ...readConfig({}), hasDefaultId: false })
})
