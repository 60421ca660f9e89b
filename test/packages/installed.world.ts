import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { startBackend } from '@agent-task-service/test-support/backend'
import { startProcess } from '@agent-task-service/test-support/process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPackages } from '../../scripts/build-packages.ts'
import { install } from './install.ts'

/** What is the owner's of an agent. */
const OWN = ['graph', 'tools', 'src', 'langgraph.json', 'tsconfig.json']
const SERVE = `
import { runProcess } from '@agent-task-service/engine/process'
import { agent } from './src/agent.ts'
await runProcess(agent, process.env, { port: 0, hostname: '127.0.0.1' })
`

let project: string
/** What was told while the packages were built. */
const steps: string[] = []

const inProject = (...path: string[]) => join(project, ...path)
const run = (...command: string[]) =>
  execFileSync(process.execPath, command, { cwd: project, encoding: 'utf8' })

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'installed-'))
  for (const path of OWN) await cp(path, inProject(path), { recursive: true })
  await writeFile(inProject('package.json'), '{ "type": "module" }')
  await writeFile(inProject('serve.ts'), SERVE)
  const tarballs = await mkdtemp(join(tmpdir(), 'packages-'))
  await install(await buildPackages(tarballs, step => steps.push(step)), project)
  await rm(tarballs, { recursive: true })
}, 300_000)

afterAll(async () => await rm(project, { recursive: true }))

test('each long step of building the packages is told', () => {
  expect(steps).toEqual(['compiling the packages', 'packing them', 'putting the templates together'])
})

test('an agent of installed packages has types, and no source of theirs is compiled', async () => {
  const tsconfig = JSON.parse(await readFile('tsconfig.json', 'utf8'))
  const include = ['src', 'graph', 'tools']
  await writeFile(inProject('tsconfig.json'), JSON.stringify({ ...tsconfig, include }))
  const files = run('node_modules/@typescript/native/bin/tsc', '--noEmit', '--listFiles')
  const theirs = files.split('\n').filter(path => path.includes('@agent-task-service'))
  expect(theirs.length).toBeGreaterThan(10)
  expect(theirs.filter(path => !path.endsWith('.d.ts'))).toEqual([])
})

test('it answers, reads pages in a process of its own, and drains', async () => {
  const { url } = await startBackend(async response => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"results":[{"title":"t","url":"http://127.0.0.1:1","content":"found it"}]}')
  })
  const env = { SEARCH_PROVIDER: 'searxng', SEARXNG_URL: url }
  const { post, child, exited } = await startProcess(env, [], inProject('serve.ts'))
  const answer = await post({ task_id: 'test-1', input: 'What is 15% of 240?' })
  expect(await answer.json()).toMatchObject({ status: 'success', output: '15% of 240 = 36' })
  const found = await post({ task_id: 'test-2', input: 'Use web_search with {"query":"x"}' })
  expect(await found.json()).toMatchObject({ status: 'success', output: expect.stringContaining('found it') })
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
})

test('it is checked, and its dashboard is served, by the installed rehearsal', async () => {
  const help = run('node_modules/@agent-task-service/cli/agent.js', 'check', '--help')
  expect(help).toContain("Runs the curator's checks")
  const pages = `import { buildPages } from '@agent-task-service/rehearsal/pages'; console.log(JSON.stringify([...await buildPages()]))`
  const built = new Map<string, { body: string }>(JSON.parse(run('--input-type=module', '--eval', pages)))
  const page = built.get('/dashboard.js')!.body
  // As if the bundler had not read what tsconfig.json says of JSX, which it does not in an installed package.
  expect(page.includes('React.createElement')).toBe(false)
})

test('each door has a file, a declaration that leads to its source, and a line in the README', () => {
  const manifests = globSync(inProject('node_modules/@agent-task-service/*/package.json'))
  expect(manifests.map(path => basename(dirname(path))).sort()).toEqual(
    readdirSync('packages')
      .filter(name => name !== 'test-support')
      .sort(),
  )
  for (const path of manifests) {
    const { name, exports, license } = JSON.parse(readFileSync(path, 'utf8'))
    const readme = readFileSync(join(dirname(path), 'README.md'), 'utf8')
    expect(license).toBe('UNLICENSED')
    for (const [door, target] of Object.entries<string | Record<string, string>>(exports)) {
      expect(readme).toContain(door === '.' ? `\`${name}\`` : `${door.slice(1)}\``)
      // JavaScript that any Node can read.
      if (typeof target === 'string') continue
      const { types, default: file } = target
      expect(existsSync(join(dirname(path), file!))).toBe(true)
      const map = join(dirname(path), `${types}.map`)
      const { sources } = JSON.parse(readFileSync(map, 'utf8'))
      expect(existsSync(join(dirname(map), sources[0]))).toBe(true)
    }
  }
})
