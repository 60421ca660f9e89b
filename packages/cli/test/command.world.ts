import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { AGENT } from '@agent-task-service/test-support/process'
import { afterAll, expect, test } from 'vitest'

/** A folder without an agent. */
const folder = newFolder()

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-command-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

const agent = async (...args: string[]) => await agentIn(folder, ...args)

async function agentIn(cwd: string, ...args: string[]) {
  return await new Promise<{ code: unknown; stdout: string; stderr: string }>(resolve =>
    execFile(
      process.execPath,
      [AGENT, ...args],
      { cwd, env: { SET_IN_SHELL: 'x' } },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    ),
  )
}

test('lists its commands, and each tells its options', async () => {
  const { code, stdout } = await agent('--help')
  expect(code).toBe(0)
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name]) => name!)
  expect(names).toContain('dev')
  const helps = await Promise.all(names.map(name => agent(name, '--help')))
  expect(helps).toEqual(names.map(() => expect.objectContaining({ code: 0, stderr: '' })))
  for (const { stdout } of helps) expect(stdout).toMatch(/^ {2}--help +this text$/m)
})

test.each([
  [[], /expected one of dev, .*, got none/],
  [['serve'], /expected one of dev, .*, got "serve"/],
  [['build', 'here'], /expected no arguments, got "here"/],
  [['replica', 'x'], /expected a port alone, got \["x"\]/],
  [['docs', '--out'], /--out: expected one of --help/],
  [['dev', '--port=1'], /--port=1: expected only --inspect, --help/],
])('agent %j: says what was expected, and exits with code 64', async (args, problem) => {
  const { code, stdout, stderr } = await agent(...args)
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(problem)
})

// EVIDENCE-OF docs/guides/deployment.md: The labels `org.opencontainers.image.revision` and `created`, and
//   `agent-task-service.lockfile`; commit, its time and the lockfile's digest (`unknown` if an agent builds without one) also
//   in `/app/origin.json`
test('without a lockfile, an agent has an origin, whose lockfile is unknown', async () => {
  const project = newFolder()
  mkdirSync(join(project, 'src'))
  for (const path of ['package.json', 'src/agent.ts']) writeFileSync(join(project, path), '{}')
  const { code, stdout } = await agentIn(project, 'image-arguments')
  expect(code).toBe(0)
  expect(stdout).toContain(' LOCKFILE=unknown ')
})

// EVIDENCE-OF docs/guides/upgrading.md: The commands of `agent` name them, and what to set in `package.json`.
test.each([
  ['the agent and a package import one', 'node_modules/other/package.json', ''],
  [
    'a package has a copy of its own',
    'node_modules/other/node_modules/@langchain/core/package.json',
    `2 copies of @langchain/core, whose types and objects do not fit each other's: 1.4.0 in node_modules/@langchain/core and 1.2.13 in node_modules/other/node_modules/@langchain/core. In package.json set "@langchain/core": "1.4.0" in "dependencies" and "@langchain/core": "$@langchain/core" in "overrides", then npm install\n`,
  ],
])("LangChain's core: %s", async (_what, other, told) => {
  const project = newFolder()
  const engine = '@agent-task-service/engine'
  const core = 'node_modules/@langchain/core/package.json'
  for (const [path, content] of Object.entries({
    'src/agent.ts': {},
    'package.json': { dependencies: { [engine]: '*', other: '*', absent: '*' } },
    [`node_modules/${engine}/package.json`]: { dependencies: { '@langchain/core': '1.4.0' } },
    [core]: { version: '1.4.0' },
    [other]: { version: '1.2.13' },
  })) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), JSON.stringify(content))
  }
  expect(await agentIn(project, 'image-arguments')).toMatchObject({ code: 0, stderr: told })
})

test('agent build with a source that cannot be read: where and what, and no stack', async () => {
  const project = newFolder()
  mkdirSync(join(project, 'src'))
  for (const [path, text] of Object.entries({
    'package.json': '{}',
    'package-lock.json': '{}',
    'src/agent.ts': '',
    'src/main.ts': 'const x = {',
  }))
    writeFileSync(join(project, path), text)
  const { code, stderr } = await agentIn(project, 'build')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^building the service in dist\/ …$/m)
  expect(stderr).toMatch(/src\/main\.ts:1:11:/)
  expect(stderr).toMatch(/^not built: see the errors above$/m)
  expect(stderr).not.toMatch(/^ {4}at /m)
})

test.each([['dev'], ['studio'], ['eval'], ['build'], ['image-arguments'], ['docs']])(
  'agent %s without an agent: one line, and exit code 1',
  async name => {
    const { code, stderr } = await agent(name)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^expected an agent in this folder, in src\/agent\.ts, got no such file: .*\n$/)
  },
)

test('the commands that are configured as the agent is read .env, and a folder without one is no news', async () => {
  const project = newFolder()
  mkdirSync(join(project, 'src'))
  writeFileSync(join(project, 'src/agent.ts'), `export { agent } from '${resolve('src/agent.ts')}'`)
  const commands = [
    ['check', 'http://127.0.0.1:1', '--token-env', 'TOKEN', '--minutes', '0'],
    ['eval', '--token-env', 'TOKEN', '--repeat', '0'],
    ['staging', 'agent-7=http://127.0.0.1:1', '--port', 'x'],
    ['studio'],
  ]
  const problems = async () => {
    const told = await Promise.all(commands.map(args => agentIn(project, ...args)))
    return told.map(({ stdout, stderr }) => stdout + stderr).join()
  }
  expect((await agentIn(project, 'check', '--help')).stderr).toBe('')
  writeFileSync(join(project, '.env'), 'TOKEN=t\nSTAGING_TOKEN=short\nMAX_STEPS=none\nSET_IN_SHELL=y\n')
  const told = await problems()
  expect(told).not.toContain('--token-env')
  expect(told).toContain('STAGING_TOKEN: expected')
  expect(told).toContain('MAX_STEPS: expected a whole number')
  const print = [
    '--import',
    '@agent-task-service/cli/dot-env',
    '-p',
    'process.env.TOKEN + process.env.SET_IN_SHELL',
  ]
  writeFileSync(join(project, 'package.json'), '{}')
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'))
  const env = { SET_IN_SHELL: 'x' }
  expect(execFileSync(process.execPath, print, { cwd: project, env, encoding: 'utf8' })).toBe('tx\n')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const name of ['start', 'record'])
    expect(scripts[name]).toContain('--import @agent-task-service/cli/dot-env')
})
