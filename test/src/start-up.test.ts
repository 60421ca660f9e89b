import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
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

/** The files that are loaded at start: the entry, and what it imports other than on demand. */
function loadedAtStart(): Set<string> {
  const files = new Set([join(folder, 'main.js')])
  for (const file of files) {
    for (const { kind, path } of built.outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in built.outputs) files.add(path)
    }
  }
  return files
}

test.each([
  'mathjs',
  'gpt-tokenizer',
  'temporal-polyfill',
  '@langchain/openai',
  '@opentelemetry',
  '@langchain/mcp-adapters',
  '@modelcontextprotocol/sdk',
  'ajv',
])('%s is loaded on first use only', name => {
  const holds = (file: string) =>
    Object.keys(built.outputs[file]?.inputs ?? {}).some(input => input.includes(`node_modules/${name}/`))
  const atStart = loadedAtStart()
  const onDemand = Object.keys(built.outputs).filter(file => !atStart.has(file))
  expect([...atStart].filter(holds)).toEqual([])
  expect(onDemand.filter(holds)).not.toEqual([])
})
