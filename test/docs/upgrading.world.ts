import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const OURS = 'changed by the owner of the clone'
const THEIRS = 'changed upstream'
/** What its owner has added, some of it beside files of the project. */
const ADDED = [
  'NOTES.md',
  'graph/README.md',
  'docs/our-runbook.md',
  'packages/ours/index.ts',
  'test/own/our.test.ts',
]
const isAgent = (path: string) => /^(?:graph|tools|src|test\/own)\//.test(path)

/** Written by npm and by `npm run docs`, or not in git. */
const LEFT_OUT =
  /^(?:package-lock\.json|docs\/openapi\.json|docs\/configuration\.md|\.env|(?:dist|node_modules)\/.*)$/

/** Files of the project that a page names. */
const named = namedFiles()

function namedFiles(): string[] {
  const pages = globSync('{*.md,docs/*.md}', { cwd: ROOT }).filter(page => page !== 'CHANGELOG.md')
  const paths = pages.flatMap(page => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const quoted = [...text.matchAll(/`([\w./-]+)`/g)].map(([, path = '']) => path)
    const linked = [...text.matchAll(/\]\(([\w./-]+)/g)].map(([, path = '']) => join(dirname(page), path))
    return [page, ...quoted, ...linked]
  })
  const isText = (path: string) => statSync(join(ROOT, path)).isFile() && !path.endsWith('.png')
  // An owner's project may have these already.
  const ofUpstream = paths.filter(path => !path.startsWith('..') && !ADDED.includes(path))
  const inProject = ofUpstream.filter(path => existsSync(join(ROOT, path)))
  return [...new Set(inProject)].filter(path => isText(path) && !LEFT_OUT.test(path))
}

let folder: string
let fork: string
let upstream: string

const git = async (cwd: string, ...args: string[]) => {
  // Nobody's settings, and no repository but that of the folder.
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
  return (await run('git', [...author, ...args], { cwd, env })).stdout
}
const commit = async (cwd: string) => {
  await git(cwd, 'add', '--all')
  await git(cwd, 'commit', '--quiet', '--message', 'x')
}
const write = async (root: string, path: string, text: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}
const read = async (path: string) => await readFile(join(fork, path), 'utf8')

/** The first commands of docs/upgrading.md, up to those of npm. */
async function upgrade(): Promise<void> {
  const page = readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8')
  const [, commands = ''] = /```sh\n(git .*?)```/s.exec(page) ?? []
  for (const line of commands.replace(/<.*?>/, upstream).trim().split('\n')) {
    const [, ...args] = line.split(' ')
    // A merge with conflicts ends with code 1.
    await git(fork, ...args).catch(error => expect(args[0], error.message).toBe('merge'))
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upgrade-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** A clone, and upstream, each of which then goes its way. */
async function part(
  name: string,
  inFork: () => Promise<void>,
  inUpstream: () => Promise<void>,
): Promise<void> {
  upstream = join(folder, name, 'upstream')
  fork = join(folder, name, 'fork')
  for (const path of named) await cp(join(ROOT, path), join(upstream, path))
  const also = [
    'docs/old.md',
    'packages/engine/old.ts',
    'graph/nodes/dropped.ts',
    'test/own/README.md',
    'package-lock.json',
  ]
  for (const path of also) await write(upstream, path, 'as it was\n')
  await git(upstream, 'init', '--quiet', '--initial-branch', 'main')
  await commit(upstream)
  await git(folder, 'clone', '--quiet', upstream, fork)
  await inFork()
  await commit(fork)
  await inUpstream()
  await commit(upstream)
}

test('what its owner has changed or added stays, and all else is as upstream has it', async () => {
  expect(named).toEqual(
    expect.arrayContaining([
      'Dockerfile',
      'deploy/kubernetes.yaml',
      '.env.example',
      'langgraph.json',
      'package.json',
    ]),
  )
  await part(
    'apart',
    async () => {
      for (const path of named) await appendFile(join(fork, path), `\n${OURS}\n`)
      for (const path of ADDED) await write(fork, path, OURS)
      await write(fork, 'package-lock.json', OURS)
      await rm(join(fork, 'graph/nodes/dropped.ts'))
    },
    async () => {
      for (const path of named)
        await write(upstream, path, `${THEIRS}\n${await readFile(join(upstream, path), 'utf8')}`)
      await write(upstream, 'package-lock.json', THEIRS)
      await write(upstream, 'graph/nodes/dropped.ts', THEIRS)
      for (const path of ['docs/new.md', 'packages/engine/new.ts', 'graph/nodes/new.ts'])
        await write(upstream, path, THEIRS)
      for (const path of ['docs/old.md', 'packages/engine/old.ts']) await rm(join(upstream, path))
    },
  )
  await upgrade()
  expect(await git(fork, 'diff', '--name-only', '--diff-filter=U')).toBe('')
  for (const path of [...named, ...ADDED]) expect(await read(path), path).toContain(OURS)
  for (const path of named) expect((await read(path)).includes(THEIRS), path).toBe(!isAgent(path))
  for (const path of ['docs/new.md', 'packages/engine/new.ts', 'package-lock.json'])
    expect(await read(path)).toBe(THEIRS)
  const gone = ['docs/old.md', 'packages/engine/old.ts', 'graph/nodes/new.ts', 'graph/nodes/dropped.ts']
  expect(gone.filter(path => existsSync(join(fork, path)))).toEqual([])
})

test('where both have changed the same lines, git says so and keeps both', async () => {
  const path = 'Dockerfile'
  await part(
    'together',
    async () => await write(fork, path, `FROM ${OURS}\n`),
    async () => await write(upstream, path, `FROM ${THEIRS}\n`),
  )
  await upgrade()
  expect(await git(fork, 'diff', '--name-only', '--diff-filter=U')).toBe(`${path}\n`)
  expect(await read(path)).toMatch(new RegExp(`${OURS}[^]*${THEIRS}`))
})
