import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseTasks } from '@agent-task-service/rehearsal/tasks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { listeningAgent } from './checked-agent.ts'

/** Runs the program; `.ci/node-22` names another Node than the tests' own. */
const NODE = process.env.REHEARSAL_NODE ?? process.execPath

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rehearsal-'))
  await promisify(execFile)(process.execPath, ['scripts/build-rehearsal.ts', folder])
})
afterAll(async () => await rm(folder, { recursive: true }))

/** The program in a folder without packages. */
function checks(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise(resolve => {
    const child = execFile(
      NODE,
      ['agent-rehearsal.mjs', ...args],
      { cwd: folder, env: { ...process.env, AGENT_TOKEN: 'of-this-test' } },
      (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

test('an option is no folder to build into', async () => {
  const built = promisify(execFile)(process.execPath, ['scripts/build-rehearsal.ts', '--help'])
  await expect(built).rejects.toMatchObject({ code: 64, stderr: 'npm run build:rehearsal -- [FOLDER]\n' })
})

// EVIDENCE-OF README.md: Around it are a workshop (the graph in LangGraph Studio, tools as small files, evaluation, recordings)
//   and a rehearsal of the marketplace: its staging route, health monitor, dashboard and acceptance checks.
// EVIDENCE-OF README.md: The checks take the address of any agent, in any language.
test('the built checks examine an agent by its URL, without node_modules', async () => {
  const { url } = await listeningAgent()
  const { code, out, err } = await checks(url, '--junit', 'report.xml')
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('\nPASSED: everything mandatory passed\n')
  expect(await readdir(folder)).toEqual([
    'README.md',
    'THIRD-PARTY-NOTICES.txt',
    'agent-rehearsal.mjs',
    'erroneous-requests.yaml',
    'report.xml',
    'sentences.yaml',
    'tasks.yaml',
  ])
})

test('the built checks name themselves, and what they need without a project', async () => {
  const { out } = await checks('--help')
  expect(out).toMatch(/^node agent-rehearsal\.mjs \[URL\] /)
  expect(out).not.toMatch(/this project|npm run/)
  const { version } = JSON.parse(await readFile('packages/rehearsal/package.json', 'utf8'))
  expect((await checks('--version')).out).toBe(`${version}\n`)
  const { code, err } = await checks()
  expect(code).toBe(64)
  expect(err).toBe('the options are not valid:\n  expected the URL of an agent, or --start COMMAND\n')
})

describe('the page beside the built checks', () => {
  const page = () => readFile(join(folder, 'README.md'), 'utf8')
  const yaml = async () =>
    [...(await page()).matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']) => parse(block))

  test('has commands that they take', async () => {
    const [, github, gitlab] = await yaml()
    const steps: { run?: string }[] = github.jobs.rehearsal.steps
    const lines = [
      ...(await page()).split('\n'),
      ...steps.map(({ run = '' }) => run),
      ...gitlab.rehearsal.script,
    ].filter(line => /^node \S*agent-rehearsal\.mjs /.test(line))
    expect(lines).toHaveLength(6)
    for (const line of lines) {
      const args = [...line.replace(/ #.*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, bare]) => quoted ?? bare!,
      )
      expect(await checks(...args.slice(2), '--help'), line).toMatchObject({ code: 0, err: '' })
    }
  })

  test('has tasks that they read', async () => {
    const [tasks] = await yaml()
    expect(parseTasks(JSON.stringify(tasks), 'page').tasks).toHaveLength(3)
  })
})

// EVIDENCE-OF README.md: For a machine without this project, `npm run build:rehearsal` makes a folder of them that needs only
//   Node, from 22.18:
test('the tasks that ship have patterns that Node 22 can read', async () => {
  expect(await readFile(join(folder, 'tasks.yaml'), 'utf8')).not.toMatch(/\(\?[ims-]+:/)
})
