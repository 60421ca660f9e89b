import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROCESS_ENTRY } from '@agent-task-service/test-support/process'
import { build, type Metafile } from 'esbuild'
import { expect, test } from 'vitest'

/** Which chunk holds what in the bundle of the process tests. */
const built: Metafile = JSON.parse(readFileSync(join(dirname(PROCESS_ENTRY), 'metafile.json'), 'utf8'))

/** The files loaded with a source that has its own chunk: that chunk, and its static imports. */
function loadedWith(source: string): Set<string> {
  const [file] = Object.entries(built.outputs).find(([, { entryPoint }]) => entryPoint === source) ?? []
  if (file === undefined) throw new Error(`expected a chunk for ${source}, got none`)
  const files = new Set([file])
  for (const file of files) {
    for (const { kind, path } of built.outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && path in built.outputs) files.add(path)
    }
  }
  return files
}

/** What an older Node may not be able to parse. */
const LATER = ['@agent-task-service/engine/process', './agent.ts']

// EVIDENCE-OF README.md: `npm ci` installs the one that runs the npm scripts, Node 24, or 26 on Apple Silicon.
test('an older Node gets the message before code that it cannot parse', async () => {
  const { metafile } = await build({
    entryPoints: ['src/main.ts'],
    external: LATER,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
  })
  const [{ imports } = { imports: [] }] = Object.values(metafile.outputs)
  expect(imports).toEqual(LATER.map(path => ({ path, kind: 'dynamic-import', external: true })))
  // A copy's packages may be those of another folder.
  expect(Object.keys(metafile.inputs).sort()).toEqual([
    expect.stringMatching(/packages\/engine\/process\/node-version\.js$/),
    expect.stringMatching(/packages\/engine\/process\/signals\.ts$/),
    'src/main.ts',
  ])
})

const BARE_AGENT = `
  import { defineAgent } from '@agent-task-service/engine'
  import { runProcess } from '@agent-task-service/engine/process'
  await runProcess(defineAgent({} as never), process.env)
`

test('an agent that names none of the packages for more has none of their libraries', async () => {
  const { metafile } = await build({
    stdin: { contents: BARE_AGENT, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    external: ['pino-pretty'],
  })
  const inputs = Object.keys(metafile.inputs)
  expect(inputs).toContainEqual(expect.stringContaining('node_modules/hono/'))
  expect(
    inputs.filter(path => /node_modules\/(@modelcontextprotocol|@opentelemetry|ioredis)\//.test(path)),
  ).toEqual([])
})

test.each([
  'packages/engine/model/openai-model.ts',
  'packages/starter/offline-model/offline-model.ts',
  'node_modules/eventsource-parser/',
  ...[
    'mathjs',
    'gpt-tokenizer',
    'temporal-polyfill',
    'city-timezones',
    '@opentelemetry',
    'htmlparser2',
    'entities',
    'unpdf',
    '@langchain/textsplitters',
    'ioredis',
    '@modelcontextprotocol',
  ].map(name => `node_modules/${name}/`),
])('loads %s only on first use', name => {
  const holds = (file: string) =>
    Object.keys(built.outputs[file]?.inputs ?? {}).some(input => input.includes(name))
  const atStart = loadedWith('packages/engine/process/run-process.ts')
  const onDemand = Object.keys(built.outputs).filter(file => !atStart.has(file))
  expect([...atStart].filter(holds)).toEqual([])
  expect(onDemand.filter(holds)).not.toEqual([])
})
