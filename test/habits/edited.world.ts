import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyProject, followGuide, readGuide, readSection } from '@agent-task-service/test-support/guide'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apply, type Edit } from './edit.ts'

/** What a copy does not need, or writes itself. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', '.langgraph_api', '.stryker']
/** Packages of an owner's own, with the ranges that npm writes by itself. */
const PACKAGES = { '@langchain/cohere': '^1.0.7', '@langchain/groq': '^1.2.5', '@langchain/tavily': '^1.2.0' }
const FIRST_SENTENCE =
  "Answer the task with the result itself, in plain text, briefly, in the task's language."
const PIRATE = 'You are a pirate who completes one task. Answer as a pirate would, and use your tools, matey!'

/** What an owner changes besides what the guides say. */
const edit: Edit = {
  files: {
    'NOTES.md': 'Ask Ann before a release.\n',
    'docs/our-runbook.md': '# Our runbook\n\nRead [the notes](../NOTES.md) first.\n',
    'mcp.json': '{ "mcpServers": {} }\n',
  },
  changes: {
    'graph/prompts.ts': [[FIRST_SENTENCE, PIRATE]],
    'graph/state.ts': [
      ['  audience: z', "  language: z.enum(['English', 'German']).default('English'),\n  audience: z"],
    ],
    '.env.example': ['# SIGNING_KEY='],
    'package.json': [['"openai": "', '"openai": "^']],
    // For code that starts programs.
    Dockerfile: [['"--permission", ', '']],
    'deploy/kubernetes.yaml': [
      ['image: agent-task-service:', 'image: registry.example.com/our-agent:'],
      ['  egress:\n', '  egress:\n    - ports:\n        - { port: 11434, protocol: TCP }\n'],
    ],
    'langgraph.json': [['|^http://', '|^https://chat\\\\.example\\\\.org$|^http://']],
  },
  tasks: [],
}

let folder: string

/** Runs a command in the copy with this process's Node; a failure shows what it printed. */
async function run(...command: string[]): Promise<string> {
  const running = promisify(execFile)(process.execPath, command, { cwd: folder, maxBuffer: 2 ** 26 })
  return (await running.catch(({ stdout, stderr }) => Promise.reject(new Error(`${stdout}${stderr}`)))).stdout
}

/** Adds packages as `npm install` writes them down. None is imported, so none is installed. */
async function addPackages(): Promise<void> {
  for (const [file, rootOf] of [
    ['package.json', (manifest: Manifest) => manifest],
    ['package-lock.json', ({ packages }: Manifest) => packages!['']!],
  ] as const) {
    const manifest = JSON.parse(await readFile(join(folder, file), 'utf8')) as Manifest
    Object.assign(rootOf(manifest).dependencies!, PACKAGES)
    for (const [name, range] of manifest.packages ? Object.entries(PACKAGES) : [])
      manifest.packages![`node_modules/${name}`] = {
        version: range.slice(1),
        integrity: `sha512-${'A'.repeat(86)}==`,
      }
    await writeFile(join(folder, file), `${JSON.stringify(manifest, null, 2)}\n`)
  }
}

/** The folders and files that the project compiles. */
async function parts(): Promise<string[]> {
  return JSON.parse(await readFile(join(folder, 'tsconfig.json'), 'utf8')).include
}

interface Manifest {
  readonly version?: string
  readonly integrity?: string
  readonly dependencies?: Record<string, string>
  readonly packages?: Record<string, Manifest>
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edited-'))
  const paths = (await readdir('.')).filter(name => !LEFT_OUT.includes(name))
  await copyProject(folder, paths)
  await followGuide(await readGuide('tools.md'), folder)
  await followGuide(await readSection('graph.md', 'Give nodes a client of your own'), folder)
  await followGuide(await readSection('graph.md', 'Add a setting of your own'), folder)
  await apply(edit, folder)
  await addPackages()
  await run('packages/cli/agent.js', 'docs')
  await run('scripts/model-servers.ts')
  // These are their owner's to change.
  await rm(join(folder, 'test/own'), { recursive: true })
})
afterAll(async () => await rm(folder, { recursive: true }))

// Packages and the tests beside them know nothing of the owner's files: test/layers.test.ts.
test('what owners change fits its types', async () => {
  const include = (await parts()).filter(part => part !== 'packages')
  await writeFile(join(folder, 'own.tsconfig.json'), JSON.stringify({ extends: './tsconfig.json', include }))
  await run('node_modules/@typescript/native/bin/tsc', '--noEmit', '--project', 'own.tsconfig.json')
})

test('what owners change turns no test red but their own', async () => {
  const files = globSync('test/{*,*/*}.test.ts', { cwd: folder })
  const report = join(folder, 'report.json')
  const options = ['--reporter=json', `--outputFile=${report}`, '--passWithNoTests=false']
  await run('node_modules/vitest/vitest.mjs', 'run', ...files, ...options).catch(() => {})
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  expect(all.filter(({ status }) => status !== 'passed').map(({ fullName }) => fullName)).toEqual([])
  expect(testResults.filter(({ status }) => status !== 'passed').map(({ name }) => name)).toEqual([])
  expect(all.length).toBeGreaterThan(100)
})

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}
