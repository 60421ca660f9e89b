import { execFileSync, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { crowd } from '@agent-task-service/test-support/at-length'
import { AGENT } from '@agent-task-service/test-support/process'
import { expect, onTestFinished, test } from 'vitest'

const SCOPE = '@agent-task-service/'
const CHANGELOG = `# Changelog

## [Unreleased]

## [0.3.0] - 2027-01-02

### Removed

- The tool \`abacus\`.

### Added

- One.
- Two.

## [0.2.0] - 2026-11-26

### Removed

- What was gone before.
`
/** Installs what package.json names from packages/, as far as an upgrade reads it. `npm_fails` is run in place of that. */
const NPM = `#!/bin/sh
if [ -n "$npm_fails" ]; then eval "$npm_fails"; fi
grep -o '"@agent-task-service/[a-z]*": "file:[^"]*' package.json | sed 's/"//g; s/: file:/ /' | while read -r name file; do
  rm -rf "node_modules/$name" && mkdir -p "node_modules/$name" && tar -xzf "$file" -C "node_modules/$name" --strip-components 1
done
`

type Versions = Record<string, string>

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** A folder of packed packages: for each its dependencies. */
function pack(version: string, packages: Readonly<Record<string, Versions>>, folder = newFolder()): string {
  for (const [name, dependencies] of Object.entries(packages)) {
    const unpacked = newFolder()
    write(
      join(unpacked, 'package/package.json'),
      JSON.stringify({ name: SCOPE + name, version, dependencies }),
    )
    write(join(unpacked, 'package/CHANGELOG.md'), CHANGELOG)
    const file = join(folder, `agent-task-service-${name}-${version}.tgz`)
    execFileSync('tar', ['-czf', file, '-C', unpacked, 'package'])
  }
  return folder
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-upgrade-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** An agent of 0.2.0 with what each test adds to its package.json. */
function newAgent(manifest: object = {}): string {
  const agent = newFolder()
  const needs = { zod: '4.6.0', parser: '4.0.0' }
  mkdirSync(join(agent, 'packages'))
  pack('0.2.0', { engine: needs }, join(agent, 'packages'))
  const installed = JSON.stringify({ version: '0.2.0', dependencies: needs })
  write(join(agent, `node_modules/${SCOPE}engine/package.json`), installed)
  const dependencies = { [`${SCOPE}engine`]: 'file:packages/agent-task-service-engine-0.2.0.tgz' }
  write(join(agent, 'package.json'), JSON.stringify({ name: 'a', dependencies, ...manifest }, null, '\t'))
  write(join(agent, 'bin/npm'), NPM)
  chmodSync(join(agent, 'bin/npm'), 0o755)
  return agent
}

const pathOf = (agent: string) => `${agent}/bin:${process.env.PATH}`

async function upgrade(agent: string, folder: string, env = {}) {
  // In a process group of its own, as from a terminal.
  const child = spawn(process.execPath, [AGENT, 'upgrade', folder], {
    cwd: agent,
    env: { PATH: pathOf(agent), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: (await exited)[0] as number | null, stdout, stderr }
}

const manifestOf = (agent: string) => JSON.parse(readFileSync(join(agent, 'package.json'), 'utf8'))

/** All that an agent has, but for what npm installs: a file's content, a link's target. */
function filesOf(agent: string): Record<string, string> {
  const entries = readdirSync(agent, { recursive: true, withFileTypes: true })
  const found = entries.map(entry => {
    const path = join(entry.parentPath, entry.name)
    const content = entry.isFile()
      ? readFileSync(path, 'base64')
      : entry.isSymbolicLink() && readlinkSync(path)
    return [relative(agent, path), String(content)] as const
  })
  return Object.fromEntries(found.filter(([path]) => !path.startsWith('node_modules')).sort())
}

// EVIDENCE-OF docs/guides/upgrading.md: It sets all packages to that one version, adds those that they need besides, installs them,
//   and says what has changed since yours: what was removed in full, of the rest how much the changelog has.
test('takes all packages to one version, with what they need besides, and says what changed', async () => {
  const engine = 'file:packages/agent-task-service-engine-0.2.0.tgz'
  const agent = newAgent({
    dependencies: { [`${SCOPE}engine`]: engine, [`${SCOPE}merged`]: 'file:packages/x.tgz', zod: '^4.0.0' },
    devDependencies: { [`${SCOPE}engine`]: engine, parser: '5.0.0' },
    overrides: { [`${SCOPE}merged`]: `$${SCOPE}merged`, left: '1.0.0' },
  })
  const lock = {
    lockfileVersion: 3,
    packages: { '': {}, 'node_modules/zod': {}, [`node_modules/${SCOPE}engine`]: { integrity: 'x' } },
  }
  write(join(agent, 'package-lock.json'), JSON.stringify(lock))
  for (const [name, version] of Object.entries({ zod: '4.6.0', parser: '5.0.0' }))
    write(join(agent, `node_modules/${name}/package.json`), JSON.stringify({ version }))
  const later = pack('0.3.0', {
    engine: { [`${SCOPE}wire`]: '0.3.0', zod: '4.7.0', parser: '4.1.0' },
    wire: {},
    unused: {},
  })
  const { code, stdout } = await upgrade(agent, later)
  expect(code).toBe(0)
  const file = (name: string) => `file:packages/agent-task-service-${name}-0.3.0.tgz`
  expect(manifestOf(agent)).toEqual({
    name: 'a',
    dependencies: { [`${SCOPE}engine`]: file('engine'), zod: '4.7.0', [`${SCOPE}wire`]: file('wire') },
    devDependencies: { [`${SCOPE}engine`]: file('engine'), parser: '5.0.0' },
    overrides: { left: '1.0.0', [`${SCOPE}engine`]: `$${SCOPE}engine`, [`${SCOPE}wire`]: `$${SCOPE}wire` },
  })
  expect(readFileSync(join(agent, 'package.json'), 'utf8')).toMatch(/^\{\n\t"name": "a",\n/)
  expect(globSync('packages/*', { cwd: agent }).sort()).toEqual(
    ['engine', 'wire'].map(name => file(name).slice('file:'.length)),
  )
  // What npm finds there without a digest, it takes as it is.
  const { packages } = JSON.parse(readFileSync(join(agent, 'package-lock.json'), 'utf8'))
  expect(Object.keys(packages)).toEqual(['', 'node_modules/zod'])
  expect(stdout).toBe(`0.2.0 → 0.3.0: ${SCOPE}engine, ${SCOPE}wire
as they need it, zod ^4.0.0 → 4.7.0
parser stays at 5.0.0, a copy of your own beside the packages' 4.1.0
${SCOPE}merged is no package of 0.3.0: it is no longer in package.json

node_modules/${SCOPE}engine/CHANGELOG.md has 1 removed, 2 added.

Removed:
- The tool \`abacus\`.

Now run "npm test". Where a name has changed, it says so; node_modules/${SCOPE}engine/docs/guides/upgrading.md lists them.
`)
  const files = filesOf(agent)
  expect((await upgrade(agent, later)).stdout).toContain('\n\nThat is the version which was there before.\n')
  expect(filesOf(agent)).toEqual(files)
  // The packages that it has are an offer, too.
  expect((await upgrade(agent, 'packages')).code).toBe(0)
  expect(filesOf(agent)).toEqual(files)
})

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
