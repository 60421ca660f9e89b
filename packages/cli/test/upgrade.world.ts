import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { crowd } from '@agent-task-service/test-support/at-length'
import { expect, test } from 'vitest'
import { filesOf, manifestOf, newAgent, pack, SCOPE, upgrade, write } from './upgraded-agent.ts'

// EVIDENCE-OF docs/guides/upgrading.md: A file in `packages/` that `package.json` does not name as one of the packages is yours, and
//   stays; if one of those to come has its name, the upgrade refuses.
test('a file of the owner in packages/ stays, whatever its name', async () => {
  const own = ['patched.tgz', 'agent-task-service-unused-0.3.0.tgz'].map(name => `packages/${name}`)
  const agent = newAgent({
    dependencies: {
      [`${SCOPE}engine`]: 'file:packages/agent-task-service-engine-0.2.0.tgz',
      [`${SCOPE}wire`]: `file:./${own[0]}`,
    },
  })
  for (const path of own) write(join(agent, path), 'ours')
  const folder = pack('0.3.0', { engine: {}, wire: {}, unused: {} })
  expect((await upgrade(agent, folder)).code).toBe(0)
  for (const path of own) expect(readFileSync(join(agent, path), 'utf8')).toBe('ours')
})

// EVIDENCE-OF docs/guides/upgrading.md: An older version than the installed one is set likewise, and said to be older.
test('an older version is taken too, and said to be older', async () => {
  const agent = newAgent()
  const { code, stdout } = await upgrade(agent, pack('0.1.10', { engine: {} }))
  expect(code).toBe(0)
  expect(stdout).toContain('0.2.0 → 0.1.10: ')
  expect(stdout).toContain('0.1.10 is older than 0.2.0: what came since is gone.')
  expect(stdout).not.toContain('Removed')
})

// EVIDENCE-OF docs/guides/upgrading.md: It changes `package.json`, `package-lock.json` and `packages/`, and nothing else that is
//   yours.
test.each([
  ['npm fails', 'exit 7', '(exit code 7)'],
  ['npm fails half way', 'echo {} >package.json; echo {} >package-lock.json; exit 1', '(exit code 1)'],
  ['it is interrupted', 'kill -INT 0; sleep 9', '(SIGINT)'],
])('%s: nothing of the agent has changed', async (_, npm_fails, why) => {
  const agent = newAgent()
  const before = filesOf(agent)
  // One has the name of a file that the agent has, and other content.
  const { code, stderr } = await upgrade(agent, pack('0.2.0', { engine: { zod: '1.0.0' }, wire: {} }), {
    npm_fails,
  })
  expect(code).toBe(1)
  expect(stderr).toContain(
    `npm install failed ${why}: package.json, package-lock.json and packages/ are as before`,
  )
  expect(filesOf(agent)).toEqual(before)
  expect(existsSync(join(agent, 'package-lock.json'))).toBe(false)
})

/** What befalls a process before it changes files for the nth time; if it is killed, half way through writing one. */
const FAULT = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  let left = Number(process.env.AT)
  for (const name of ['writeFileSync', 'renameSync', 'rmSync']) {
    const real = fs[name]
    fs[name] = (...args) => {
      if (left-- !== 0) return real(...args)
      if (process.env.FAULT !== 'killed') throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
      if (name === 'writeFileSync') real(args[0], args[1].slice(0, args[1].length / 2), args[2])
      process.kill(process.pid, 'SIGKILL')
    }
  }
  syncBuiltinESMExports()`
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(FAULT)}`

/** What an upgrade brings, and of which version. */
const ways = [
  ['a later version', '0.3.0'],
  ['files of the same names', '0.2.0'],
] as const
const offerOf = (version: string) =>
  pack(version, { engine: { zod: '4.7.0', [`${SCOPE}wire`]: version }, wire: {} })

const digest = (content: string) => `sha512-${hash('sha512', Buffer.from(content, 'base64'), 'base64')}`

function newAgentWithLock(): string {
  const agent = newAgent()
  const file = filesOf(agent)['packages/agent-task-service-engine-0.2.0.tgz']!
  const packages = { [`node_modules/${SCOPE}engine`]: { integrity: digest(file) } }
  write(join(agent, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
  return agent
}

/** Has what its package.json names, and no digest that does not fit. @returns the other files in packages/ */
function expectWhole(agent: string): Record<string, string> {
  const { 'package-lock.json': lock, ...files } = filesOf(agent)
  const { packages } = JSON.parse(Buffer.from(lock!, 'base64').toString())
  const others = new Map(Object.entries(files).filter(([path]) => path.startsWith('packages/')))
  for (const [name, version] of Object.entries<string>(manifestOf(agent).dependencies)) {
    const path = version.slice('file:'.length)
    const { integrity } = packages[`node_modules/${name}`] ?? {}
    expect([path, [undefined, digest(others.get(path)!)]]).toEqual([
      path,
      expect.arrayContaining([integrity]),
    ])
    others.delete(path)
  }
  return Object.fromEntries(others)
}

// EVIDENCE-OF docs/guides/upgrading.md: If the upgrade itself is killed (`kill -9`), no file is half written, and what `package.json`
//   names is there: run it again, and it goes on from there.
test.each(ways)(
  'killed at any moment on the way to %s and back: the next upgrade goes on',
  async (_, version) => {
    const offer = offerOf(version)
    const undisturbed = newAgentWithLock()
    expect((await upgrade(undisturbed, offer)).code).toBe(0)
    let at = 0
    for (; ; at += crowd(1, 4)) {
      const agent = newAgentWithLock()
      const env = { NODE_OPTIONS, FAULT: 'killed', AT: String(at), npm_fails: 'exit 7' }
      const { code } = await upgrade(agent, offer, env)
      if (code !== null) break
      const unnamed = expectWhole(agent)
      expect((await upgrade(agent, offer)).code).toBe(0)
      expect([at, filesOf(agent)]).toEqual([at, { ...unnamed, ...filesOf(undisturbed) }])
    }
    expect(at).toBeGreaterThan(0)
  },
)

// EVIDENCE-OF docs/guides/upgrading.md: If `node_modules` has lost the command `agent` by then, `npm install` takes the upgrade to its
//   end.
test('killed while npm runs: the next upgrade takes the files of its folder, also of the same names', async () => {
  const agent = newAgent()
  const lock = { lockfileVersion: 3, packages: { [`node_modules/${SCOPE}engine`]: { integrity: 'x' } } }
  const npm_fails = `echo '${JSON.stringify(lock)}' >package-lock.json; kill -KILL $PPID`
  expect((await upgrade(agent, later(), { npm_fails })).code).toBe(null)
  const rebuilt = pack('0.3.0', { engine: { zod: '4.7.0' } })
  expect((await upgrade(agent, rebuilt)).code).toBe(0)
  expect(expectWhole(agent)).toEqual({})
  expect(readFileSync(brought(agent))).toEqual(readFileSync(join(rebuilt, basename(brought(agent)))))
})

// EVIDENCE-OF docs/guides/upgrading.md: If npm fails or is interrupted, these are as before.
test.each(ways)('refused a change at any moment on the way to %s: all is as before', async (_, version) => {
  const offer = offerOf(version)
  const told =
    'expected to read and write the files of an agent and of packages, got EACCES: permission denied\n'
  let at = 0
  for (; ; at += crowd(1, 4)) {
    const agent = newAgentWithLock()
    const before = filesOf(agent)
    const { code, stderr } = await upgrade(agent, offer, { NODE_OPTIONS, FAULT: 'refused', AT: String(at) })
    if (code === 0) break
    expect([code, stderr]).toEqual([1, told])
    expect([at, filesOf(agent)]).toEqual([at, before])
  }
  expect(at).toBeGreaterThan(0)
})

const later = () => pack('0.3.0', { engine: {} })

/** Names of which an upgrade to `later()` brings one. */
const brought = (agent: string) => join(agent, 'packages/agent-task-service-engine-0.3.0.tgz')

// EVIDENCE-OF docs/guides/upgrading.md: A file in `packages/` that `package.json` does not name as one of the packages is yours, and
//   stays; if one of those to come has its name, the upgrade refuses.
test('what cannot be taken: one line, and nothing has changed', async () => {
  const notOurs = 'does not name as one of the packages: packages/agent-task-service-engine-0.3.0.tgz'
  const cases: [message: string, prepare: (agent: string) => unknown][] = [
    ['got no folder: none', () => 'none'],
    ['of one version, got none in bin', () => 'bin'],
    ['of one version, got 0.3.0, 0.4.0 in', () => pack('0.4.0', { wire: {} }, later())],
    [
      'expected a package @agent-task-service/wire among the packed ones, got none',
      () => pack('0.3.0', { engine: { [`${SCOPE}wire`]: '0.3.0' } }),
    ],
    [
      'engine-0.3.0.tgz: expected a package that npm has packed',
      agent => {
        write(join(agent, 'bin/agent-task-service-engine-0.3.0.tgz'), 'x')
        return 'bin'
      },
    ],
    ['package.json: Expected property name', agent => write(join(agent, 'package.json'), '{,')],
    [
      'expected an agent that has the packages in its package.json, got one without',
      agent => write(join(agent, 'package.json'), '{}'),
    ],
    [notOurs, agent => write(brought(agent), 'ours')],
    [notOurs, agent => symlinkSync('nowhere', brought(agent))],
    [notOurs, agent => mkdirSync(brought(agent))],
    [
      'engine in agent-task-service-engine-0.2.0.tgz and in agent-task-service-engine-0.3.0.tgz: ',
      () => pack('0.2.0', { engine: {} }, later()),
    ],
    [
      `package.json: expected a packed package as ${SCOPE}engine, got a folder: file:packages/engine`,
      agent => {
        mkdirSync(join(agent, 'packages/engine'))
        write(
          join(agent, 'package.json'),
          JSON.stringify({ dependencies: { [`${SCOPE}engine`]: 'file:packages/engine' } }),
        )
      },
    ],
    [
      'package-lock.json: lockfileVersion: expected 2 or later, got 1: "npm install" writes it anew',
      agent => write(join(agent, 'package-lock.json'), '{"lockfileVersion": 1, "dependencies": {}}'),
    ],
    [
      'package-lock.json: Unexpected token',
      agent => write(join(agent, 'package-lock.json'), '<<<<<<< HEAD\n'),
    ],
    [
      'package.json: dependencies: x: Invalid input: expected string, received number',
      agent => write(join(agent, 'package.json'), '{"dependencies": {"x": 1}}'),
    ],
    [
      `node_modules/${SCOPE}engine/package.json: ENOENT`,
      agent => rmSync(join(agent, `node_modules/${SCOPE}engine/package.json`)),
    ],
    [
      'expected a file or none, got a link: package-lock.json',
      agent => symlinkSync('nowhere', join(agent, 'package-lock.json')),
    ],
    [
      'expected to read and write the files of an agent and of packages, got ENOENT',
      agent => {
        rmSync(join(agent, 'packages'), { recursive: true })
        symlinkSync('nowhere', join(agent, 'packages'))
      },
    ],
    ['run "npm install" first', agent => rmSync(join(agent, 'node_modules'), { recursive: true })],
    [
      'got a clone of their repository: see "From a fork" in docs/guides/upgrading.md',
      agent => {
        rmSync(join(agent, `node_modules/${SCOPE}engine`), { recursive: true })
        symlinkSync('../../packages', join(agent, `node_modules/${SCOPE}engine`))
      },
    ],
  ]
  const tried = cases.map(async ([message, prepare]) => {
    const agent = newAgent()
    const prepared = prepare(agent)
    const folder = typeof prepared === 'string' ? prepared : later()
    const before = filesOf(agent)
    const { code, stderr } = await upgrade(agent, folder)
    expect(stderr).toContain(message)
    expect([code, stderr.trimEnd().split('\n')]).toEqual([1, [expect.anything()]])
    expect(filesOf(agent)).toEqual(before)
  })
  await Promise.all(tried)
})
