/** What a module of the agent imports or reads beside itself: the same in every command. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { copyProject } from '@agent-task-service/test-support/guide'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { AGENT } from '@agent-task-service/test-support/process'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

/** Modules in `tools/`, each of which exports what it found: `yes`, or the line that refuses it. */
const HABITS: Readonly<Record<string, readonly [code: string, outcome: string]>> = {
  typescriptAsJs: ["export { said } from '../lib/said.js'", 'yes'],
  alias: ["export { said } from '@/lib/said.ts'", 'yes'],
  aliasAsJs: ["export { said } from '@/lib/said.js'", 'yes'],
  ownName: ["export { said } from '#lib/said.ts'", 'yes'],
  dataModule: ["import data from './data.json' with { type: 'json' }\nexport const { said } = data", 'yes'],
  dataWithout: [
    "// @ts-expect-error\nimport data from './data.json'\nexport const { said } = data",
    "tools/dataWithout.ts: ./data.json is JSON: write with { type: 'json' } after it",
  ],
  fileByUrl: [
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(new URL('./texts/said.txt', import.meta.url), 'utf8')",
    'yes',
  ],
  fileByFolder: [
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(import.meta.dirname + '/texts/said.txt', 'utf8')",
    'yes',
  ],
  fileByName: [
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(import.meta.filename.replace('fileByName.ts', 'texts/said.txt'), 'utf8')",
    'yes',
  ],
  folderByUrl: [
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(new URL('texts/said.txt', new URL('.', import.meta.url)), 'utf8')",
    'yes',
  ],
  folderOfAnother: [
    "import { readdirSync } from 'node:fs'\nexport const said = readdirSync(new URL('../lib', import.meta.url)).includes('said.txt') && 'yes'",
    'yes',
  ],
  folderThatStays: [
    "const root = new URL('../other', import.meta.url)\nexport const said = root.pathname.endsWith('/other') && 'yes'",
    'yes',
  ],
  fileOfAnother: [
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(new URL('../lib/said.txt', import.meta.url), 'utf8')",
    'yes',
  ],
  optionalNative: ["export { said } from 'does-without'", 'yes'],
  native: [
    "import 'with-addon'\nexport const said = 'yes'",
    'with-addon has parts that are no JavaScript, which no command loads',
  ],
  withoutEnding: [
    "// @ts-expect-error\nexport { said } from '../lib/said'",
    'tools/withoutEnding.ts: expected the name of a file, got ../lib/said: write ../lib/said.ts',
  ],
  unlisted: [
    "export { said } from '../other/said.ts'",
    'tools/unlisted.ts: ../other/said.ts is nothing that the image takes: move it to a folder that .dockerignore lists, or list its own, as in "!other"',
  ],
  unlistedFile: [
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(new URL('../other/said.txt', import.meta.url), 'utf8')",
    'tools/unlistedFile.ts: ../other/said.txt is no file that the bundle has',
  ],
  missingFile: [
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(new URL('./missing.txt', import.meta.url), 'utf8')",
    'tools/missingFile.ts: ./missing.txt is no file that the bundle has',
  ],
  hiddenFile: [
    "import { readFileSync } from 'node:fs'\nexport const said = readFileSync(new URL('./.env', import.meta.url), 'utf8')",
    'tools/hiddenFile.ts: ./.env is no file that the bundle has',
  ],
}
const FILES = {
  'lib/said.ts': "export const said: string = 'yes'",
  'lib/said.txt': 'yes',
  'other/said.ts': "export const said: string = 'yes'",
  'other/said.txt': 'yes',
  'tools/data.json': '{"said": "yes"}',
  'tools/texts/said.txt': 'yes',
  'tools/.env': 'yes',
  'tools/node_modules/with-addon/package.json': '{"name": "with-addon", "version": "1.0.0", "gypfile": true}',
  'tools/node_modules/with-addon/index.js': '',
  'tools/node_modules/with-addon/index.d.ts': 'export {}',
  'tools/node_modules/does-without/package.json': '{"name": "does-without", "version": "1.0.0"}',
  'tools/node_modules/does-without/index.js': "try { require('with-addon') } catch { exports.said = 'yes' }",
  'tools/node_modules/does-without/index.d.ts': 'export const said: string',
}
/** Loads each, and prints what came of it. */
const PROBE = `
const outcomes: Record<string, string> = {}
for (const name of ${JSON.stringify(Object.keys(HABITS))}) {
  const path = '../tools/' + name + '.ts'
  outcomes[name] = await import(path).then(({ said }) => said, error => String(error.message))
}
console.log(JSON.stringify({ outcomes }))
`
/** Bundles those that are no problem, and loads them elsewhere; then the others, of which the bundler names each. */
const BUILD = `
import { renameSync } from 'node:fs'
import { bundle } from '@agent-task-service/cli/bundle'
await bundle('src/fine.ts', 'dist')
renameSync('dist', process.argv[2])
const outcomes = { ...(await import(process.argv[2] + '/fine.js')) }
const { errors } = await bundle('src/refused.ts', 'dist').catch(error => error)
for (const { text, location } of errors) outcomes[/tools\\/(\\w+)/.exec(text + location.file)[1]] = text
console.log(JSON.stringify({ outcomes }))
`
const isFine = (name: string) => HABITS[name]![1] === 'yes'
const allOf = (names: readonly string[]) =>
  names.map(name => `export { said as ${name} } from '../tools/${name}.ts'`).join('\n')

let folder: string
const expected = Object.fromEntries(
  Object.entries(HABITS).map(([name, [, outcome]]) => [name, expect.stringContaining(outcome)]),
)

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

/** What the first line with outcomes says. */
const outcomesIn = (text: string) =>
  JSON.parse(/\{"outcomes":.*\}/.exec(text)?.[0] ?? `{"outcomes": ${JSON.stringify(text)}}`).outcomes

const node = async (cwd: string, ...args: string[]) =>
  await promisify(execFile)(process.execPath, args, { cwd }).catch(
    error => error as { stdout: string; stderr: string },
  )

/** Starts a command that goes on, and ends it with the test. */
async function outcomesOf(...args: string[]) {
  const child = spawn(process.execPath, [AGENT, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await closed
  })
  let output = ''
  for await (const line of createInterface({ input: child.stdout })) {
    output += `${line}\n`
    if (line.includes('"outcomes"')) break
  }
  return outcomesIn(output)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-modules-'))
  await copyProject(folder, [
    'src',
    'graph',
    'tools',
    'package.json',
    'tsconfig.json',
    'langgraph.json',
    '.dockerignore',
  ])
  const [config, manifest, studio] = await Promise.all(
    ['tsconfig.json', 'package.json', 'src/studio.ts'].map(path => readFile(join(folder, path), 'utf8')),
  )
  await write({
    ...FILES,
    ...Object.fromEntries(Object.entries(HABITS).map(([name, [code]]) => [`tools/${name}.ts`, code])),
    'src/fine.ts': allOf(Object.keys(HABITS).filter(isFine)),
    'src/refused.ts': allOf(Object.keys(HABITS).filter(name => !isFine(name))),
    'tsconfig.json': config!.replace('"types":', '"paths": { "@/*": ["./*"] },\n"types":'),
    'package.json': manifest!.replace(
      '"type": "module",',
      '"type": "module",\n"imports": { "#lib/*": "./lib/*" },',
    ),
    'src/main.ts': PROBE,
    'src/studio.ts': studio! + PROBE,
    'test/probe.test.ts': `import { test } from 'vitest'\ntest('probe', async () => {${PROBE}})`,
    'vitest.config.ts': await readFile('packages/create/agent/vitest.config.ts', 'utf8'),
    'build.mjs': BUILD,
  })
})
afterAll(async () => await rm(folder, { recursive: true }))

// EVIDENCE-OF docs/guides/workshop.md: What a module imports, and what it reads beside itself, works alike in every command, or is refused
//   alike in one line:
test('types', async () => {
  const { stdout } = await node(
    folder,
    'node_modules/@typescript/native/bin/tsc',
    '--noEmit',
    '--pretty',
    'false',
  )
  expect(stdout).toBe('')
})

test('npm run dev', async () => expect(await outcomesOf('dev')).toEqual(expected))

test('npm run studio', async () => {
  const port = await heldPort()
  expect(await outcomesOf('studio', '--port', String(port), '--no-reload')).toEqual(expected)
})

test('npm test', async () => {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--disable-console-intercept']
  const { stdout, stderr } = await node(folder, ...vitest)
  // Vite does not say what stands after `with`; the types, which `npm test` checks before, refuse it.
  expect(outcomesIn(stdout + stderr)).toEqual({ ...expected, dataWithout: 'yes' })
})

// EVIDENCE-OF docs/guides/workshop.md: A name that begins with a dot never ships.
// EVIDENCE-OF docs/guides/workshop.md: Packages with native parts, such as better-sqlite3, are refused
test('npm start', async () => {
  const out = await mkdtemp(join(tmpdir(), 'bundles-'))
  onTestFinished(async () => await rm(out, { recursive: true }))
  const { stdout, stderr } = await node(folder, 'build.mjs', out)
  expect(outcomesIn(stdout || stderr)).toEqual(expected)
})
