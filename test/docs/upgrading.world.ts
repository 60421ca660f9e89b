import { execFile } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { appendFile, chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeTemplates } from '../../scripts/agent-templates.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs/guides/upgrading.md'), 'utf8')
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
  /^(?:package-lock\.json|docs\/openapi\.json|docs\/configuration\.md|\.env|(?:\.staging|dist|node_modules)\/.*)$/

/** Files of the project that a page names. */
const named = namedFiles()

function namedFiles(): string[] {
  const pages = globSync('{*.md,docs/{,guides/,reference/}*.md}', { cwd: ROOT }).filter(
    page => page !== 'CHANGELOG.md',
  )
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

/** Files of the agent that ships, which are the owner's of a fork. */
const AGENT = globSync('{graph,tools,src,test/own}/**/*.*', { cwd: ROOT })
/** Of these and of what builds and runs it, what the owner has changed. */
const EDITED = [
  'graph/prompts.ts',
  'src/config.ts',
  'tools/calculator.ts',
  'Dockerfile',
  'compose.fleet.yaml',
]
const CHANGE = `# ${OURS}\n`
const SCRIPT = '\n    "ours": "node -p 42",'
/** As files of an agent were in a version with other names of packages. */
const inOldNames = (text: string) =>
  text.replaceAll('@agent-task-service/starter', '@agent-task-service/tools')

let folder: string
let fork: string
let upstream: string

/** Nobody's settings, and no repository but that of the folder. */
const environment = () => {
  const [name, email] = ['Ann', 'ann@example.com']
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email }
  const committer = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
  return { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...author, ...committer }
}
const git = async (cwd: string, ...args: string[]) =>
  (await run('git', args, { cwd, env: environment() })).stdout
const commit = async (cwd: string) => {
  await git(cwd, 'add', '--all')
  await git(cwd, 'commit', '--quiet', '--message', 'x')
}
const write = async (root: string, path: string, text: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}
const read = async (path: string) => await readFile(join(fork, path), 'utf8')

/** The commands under a heading of docs/guides/upgrading.md. */
function commandsUnder(heading: string): string[] {
  const [section = ''] = PAGE.split(/^(?=## )/m).filter(part => part.startsWith(`## ${heading}\n`))
  const found = section.matchAll(/^( *)```sh\n(.*?)\n *```$/gms)
  return [...found].map(([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
}

/** Follows the page up to what npm does. */
async function stayFork(): Promise<void> {
  const [commands = ''] = commandsUnder('Stay a fork')
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
  for (const path of AGENT) await write(upstream, path, inOldNames(await readFile(join(ROOT, path), 'utf8')))
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
  await stayFork()
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
  await stayFork()
  expect(await git(fork, 'diff', '--name-only', '--diff-filter=U')).toBe(`${path}\n`)
  expect(await read(path)).toMatch(new RegExp(`${OURS}[^]*${THEIRS}`))
})

/** A program `npm` that makes agents as `npm run create` does, of packages that nobody has built. @returns its folder */
async function npmThatCreates(): Promise<string> {
  const bin = join(folder, 'bin')
  const manifests = globSync('packages/*/package.json', { cwd: ROOT })
  const offer = manifests.map(path => {
    const file = `agent-task-service-${basename(dirname(path))}-0.2.0.tgz`
    return { ...JSON.parse(readFileSync(join(ROOT, path), 'utf8')), file }
  })
  await writeTemplates(join(bin, 'templates'), new Map(offer.map(packed => [packed.name, packed])))
  for (const { file } of offer) await write(bin, `packages/${file}`, `${file}\n`)
  await cp(join(ROOT, 'packages/create/create.ts'), join(bin, 'create.ts'))
  const create = `exec '${process.execPath}' '${bin}/create.ts' "$@"`
  await write(bin, 'npm', `#!/bin/sh\n[ "$1" = ci ] && exit\nshift 3 && ${create}\n`)
  await chmod(join(bin, 'npm'), 0o755)
  return bin
}

test('a new agent names no page and no source that it does not have', async () => {
  const env = { ...environment(), PATH: `${await npmThatCreates()}:${process.env.PATH}` }
  const agent = join(folder, 'an-agent')
  await run('npm', ['run', 'create', '--', agent], { env })
  const paths = readdirSync(agent, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.tgz'))
    .map(({ parentPath, name }) => join(parentPath, name))
  const texts = paths.map(path => readFileSync(path, 'utf8'))
  expect(texts.join()).toContain('@agent-task-service/engine/docs/')
  const foreign = /(?<!@agent-task-service\/engine\/)docs\/[\w/-]+\.md(?!\w)|packages\/[\w-]+\/[\w./-]+/g
  expect(texts.flatMap(text => text.match(foreign) ?? [])).toEqual(['docs/configuration.md'])
})

/** A fork of which two files are to settle after the merge. */
async function makeFork(): Promise<void> {
  const addScript = async () => {
    const manifest = await read('package.json')
    await write(fork, 'package.json', manifest.replace('"scripts": {', `$&${SCRIPT}`))
  }
  await part(
    'last-merge',
    async () => {
      for (const path of [...EDITED, 'test/own/graph.test.ts']) await appendFile(join(fork, path), CHANGE)
      for (const path of ADDED) await write(fork, path, OURS)
      await addScript()
      await rm(join(fork, 'graph/nodes/dropped.ts'))
    },
    async () => await write(upstream, 'packages/engine/new.ts', THEIRS),
  )
}

// EVIDENCE-OF docs/guides/upgrading.md: What you have changed or added stays, with its history; all else comes from a new agent, and
//   what an agent does not have goes.
test('a fork becomes an agent of packages: what its owner has changed or added stays, all else is as in a new agent', async () => {
  await makeFork()
  const PATH = `${await npmThatCreates()}:${process.env.PATH}`
  const options = { cwd: fork, env: { ...environment(), PATH } }
  const [make = '', merge = ''] = commandsUnder('From a fork')
  await run('sh', ['-ec', make.replace(/<.*?>/, upstream)], options)
  await run('sh', ['-c', merge], options).catch(({ stdout }) => expect(stdout).toContain('fix conflicts'))
  const unmerged = await git(fork, 'diff', '--name-only', '--diff-filter=U')
  expect(unmerged.trim().split('\n')).toEqual(['package.json', 'test/our.test.ts'])
  const [take = '', show = ''] = PAGE.match(/(?<=`git )[^`]* package\.json(?=`)/g) ?? []
  expect(await git(fork, ...show.split(' '))).toContain(SCRIPT.trim())
  await git(fork, ...take.split(' '))
  await git(fork, 'add', '--all')
  const agent = join(fork, '../new-agent')
  const [files, made = []] = await Promise.all(
    [fork, agent].map(async root => (await git(root, 'ls-files')).trim().split('\n')),
  )
  const added = ADDED.map(path => path.replace(/^test\/own\//, 'test/'))
  expect(files).toEqual([...made, ...added].sort())
  expect(made).toContain('packages/agent-task-service-engine-0.2.0.tgz')
  for (const path of made) {
    const change = [...EDITED, 'test/graph.test.ts'].includes(path) ? CHANGE : ''
    expect([path, await read(path)]).toEqual([path, (await readFile(join(agent, path), 'utf8')) + change])
  }
})
