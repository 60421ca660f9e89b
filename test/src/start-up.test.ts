import { mkdtemp, rm } from 'node:fs/promises'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../scripts/build.ts'

let folder: string
let built: Metafile

beforeAll(async () => {
  folder = await mkdtemp('node_modules/.cache-start-up-')
  built = await bundle('src/main.ts', folder)
}, 60_000)
afterAll(async () => await rm(folder, { recursive: true }))

/** The files that are loaded with a source of its own chunk: that chunk, and what it imports other than on demand. */
function loadedWith(source: string): Set<string> {
  const [file = ''] = Object.entries(built.outputs).find(([, { entryPoint }]) => entryPoint === source) ?? []
  const files = new Set([file])
  for (const file of files) {
    for (const { kind, path } of built.outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in built.outputs) files.add(path)
    }
  }
  return files
}

test('an older Node is told before it meets what it cannot parse', () => {
  const sources = [...loadedWith('src/main.ts')].flatMap(file =>
    Object.keys(built.outputs[file]?.inputs ?? {}),
  )
  expect(sources.sort()).toEqual(['src/main.ts', 'src/node-version.js', 'src/signals.ts'])
})

test.each([
  'graph/model/openai-model.ts',
  'graph/model/offline-model.ts',
  'node_modules/eventsource-parser/',
  ...[
    'mathjs',
    'gpt-tokenizer',
    'temporal-polyfill',
    'city-timezones',
    '@opentelemetry',
    'htmlparser2',
    'unpdf',
    '@langchain/community',
    '@langchain/textsplitters',
    'ioredis',
    '@langchain/mcp-adapters',
    '@modelcontextprotocol/sdk',
    'ajv',
  ].map(name => `node_modules/${name}/`),
])('%s is loaded on first use only', name => {
  const holds = (file: string) =>
    Object.keys(built.outputs[file]?.inputs ?? {}).some(input => input.includes(name))
  const atStart = loadedWith('src/process.ts')
  const onDemand = Object.keys(built.outputs).filter(file => !atStart.has(file))
  expect([...atStart].filter(holds)).toEqual([])
  expect(onDemand.filter(holds)).not.toEqual([])
})
