import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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
const checks = (...args: string[]) => checksOn([NODE], ...args)

function checksOn(
  [node = '', ...options]: string[],
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  return new Promise(resolve => {
    const child = execFile(
      node,
      [...options, 'agent-rehearsal.mjs', ...args],
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

/** A Node that says that it is of another version. */
const posing = (version: string) => {
  const told = `{ version: { value: 'v${version}' }, versions: { value: { node: '${version}' } } }`
  return [NODE, '--import', `data:text/javascript,Object.defineProperties(process, ${told})`]
}
/** The machine's own. */
const MACHINES = '/usr/bin/node'
const isMachinesOld =
  existsSync(MACHINES) && Number(execFileSync(MACHINES, ['-p', 'parseInt(process.versions.node)'])) < 22

test.each([
  ['22.18.0', posing('22.18.0')],
  ['23.0.0', posing('23.0.0')],
])('Node %s is new enough', async (_version, node) => {
  expect(await checksOn(node, '--help')).toMatchObject({ code: 0, err: '' })
})

// EVIDENCE-OF README.md: For a machine without this project, `npm run build:rehearsal` makes a folder of them that needs only
//   Node, from 22.18:
test.each<[string, string[]]>([
  ['22.17.1', posing('22.17.1')],
  ['20.20.2', posing('20.20.2')],
  ...(isMachinesOld ? [['v', [MACHINES]] as [string, string[]]] : []),
])('an older Node is told which one is needed: %s', async (version, node) => {
  const { code, out, err } = await checksOn(node, 'http://127.0.0.1:9')
  expect([code, out]).toEqual([64, ''])
  expect(err).toMatch(/^expected Node 22\.18 or later, got v[\d.]+\n$/)
  expect(err).toContain(version)
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
      const args = [...line.replace(/ (#|\| tee ).*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, bare]) => quoted ?? bare!,
      )
      expect(await checks(...args.slice(2), '--help'), line).toMatchObject({ code: 0, err: '' })
    }
  })

  test("has a job that hands over every fake secret, and writes the report as the job's summary", async () => {
    const [, github] = await yaml()
    const steps: { run?: string; shell?: string }[] = github.jobs.rehearsal.steps
    const examining = steps.find(({ run }) => run?.includes('--start'))
    const [, start = ''] = /--start '([^']*)'/.exec(examining!.run!)!
    expect(examining!.shell).toBe('bash')
    const env = { PATH: process.env.PATH, REHEARSAL_API_KEY: 'a b', REHEARSAL_PASSWORD: `"p\\ss 'w` }
    const { stdout } = await promisify(execFile)('sh', ['-c', start.replace('docker', 'echo')], { env })
    expect(stdout.match(/-e REHEARSAL_\S+/g)?.sort()).toEqual(
      ['API_KEY', 'PASSWORD'].map(name => `-e REHEARSAL_${name}`),
    )
    expect(stdout).toMatch(/^run .* my-agent\n$/)

    await writeFile(join(folder, 'rehearsal.txt'), 'a\n```\n\n<b>\n')
    const summary = join(folder, 'summary.md')
    const summarising = steps.find(({ run }) => run?.includes('GITHUB_STEP_SUMMARY'))!.run!
    await promisify(execFile)('bash', ['-ec', summarising], {
      cwd: folder,
      env: { ...process.env, GITHUB_STEP_SUMMARY: summary },
    })
    expect(await readFile(summary, 'utf8')).toBe('    a\n    ```\n    \n    <b>\n')
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
