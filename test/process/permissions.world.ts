import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startCollector } from '@agent-task-service/test-support/collector'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { program } from '@agent-task-service/test-support/mcp/programs'
import { mcpFile } from '@agent-task-service/test-support/mcp/service'
import { asks, call, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { probe, RESTRICTED } from '@agent-task-service/test-support/permission-probe'
import {
  IMAGE_FLAGS,
  PROCESS_ENTRY,
  startProcess,
  type TestProcess,
} from '@agent-task-service/test-support/process'
import { until } from '@agent-task-service/test-support/until'
import { fakeServer } from '@agent-task-service/test-support/web/fake-server'
import { isAlive, readers, shellsAbove } from '@agent-task-service/test-support/web/reading'
import { expect, onTestFinished, test } from 'vitest'

const TASK = { task_id: 'test-1', input: 'What is 15% of 240?' }

/** The image's Node arguments, for the folder of the process under test. */
const flags = IMAGE_FLAGS.map(flag => flag.replace('/app', dirname(PROCESS_ENTRY)))

async function startAsImage(env: Record<string, string> = {}): Promise<TestProcess> {
  return await startProcess(env, [...flags, ...probe(dirname(PROCESS_ENTRY))])
}

async function probed({ child, line }: TestProcess) {
  child.kill('SIGUSR2')
  return await line(({ msg }) => msg === 'probe')
}

/** A link to the file, as Kubernetes mounts it. */
async function mountedFile(mcpServers: object): Promise<string> {
  const file = await mcpFile(mcpServers)
  const link = join(dirname(file), 'mounted.json')
  await symlink('mcp.json', link)
  return link
}

// EVIDENCE-OF docs/reference/image.md: node with `main.js` as process 1, user 1000, no shell, few permissions; the root file
//   system may be read-only, nothing is written
// EVIDENCE-OF docs/guides/deployment.md: Nothing on a read-only root. Without one, Node refuses to write, but for `node:sqlite`.
// EVIDENCE-OF docs/reference/image.md: It starts with the permission to run programs and drops it after reading its settings,
//   before it listens.
// EVIDENCE-OF docs/reference/threat-model.md: No shell, no root, no writing, no other programs, and only its own folder to
//   read
test('restricted as in the image, it reads its own folder, writes nothing, starts no programs or threads, and still works', async () => {
  const service = await startAsImage()
  expect(await probed(service)).toMatchObject(RESTRICTED)
  expect(await (await service.post(TASK)).json()).toMatchObject({ output: '15% of 240 = 36' })
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  expect(service.errors()).toBe('')
})

// EVIDENCE-OF docs/reference/image.md: `node:sqlite` heeds none of these permissions: it opens any file that the user may, to read
//   and to write.
test('SQLite writes where Node may not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'))
  onTestFinished(async () => await rm(folder, { recursive: true }))
  const write = `const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    new DatabaseSync(process.argv[1]).exec('CREATE TABLE written (a)')`
  await promisify(execFile)(process.execPath, ['--permission', '-e', write, join(folder, 'file')])
  expect(await readdir(folder)).toEqual(['file'])
})

/** Restricted, with an engine that finds one page, and a model that searches in each run. */
async function startWithSearch(runs: number) {
  const web = await fakeServer((response, { path }) => {
    if (path === '/search')
      response.end(JSON.stringify({ results: [{ url: `${web.url}/page`, title: 'Page' }] }))
    else
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>The dragon sleeps in the valley.</p>')
  })
  const search = () => [asks([call('web_search', { query: 'dragon' })]), says('Seen.')]
  const model = await openAIServer(inTurn(...Array.from({ length: runs }, search).flat()))
  const service = await startAsImage({
    ...model.env,
    SEARCH_PROVIDER: 'searxng',
    SEARXNG_URL: web.url,
    SEARCH_PRIVATE_HOSTS: '127.0.0.1',
    SEARCH_PORTS: new URL(web.url).port,
  })
  /** What the model reads of its search. */
  const found = async () => {
    await service.post({ task_id: 'test-1', input: 'Where does the dragon sleep?' })
    return toolTexts(model.requests.at(-1)!).at(-1)
  }
  return { service, found }
}

// EVIDENCE-OF docs/reference/threat-model.md: The reader may read its own code and nothing else, write nothing, start
//   nothing, and has no environment
test('restricted, it reads pages in a process of its own, and in a new one after that was killed', async () => {
  const { service, found } = await startWithSearch(2)
  for (let run = 0; run < 2; run += 1) {
    const text = await found()
    expect(text).toContain('The dragon sleeps in the valley.')
    expect(text).toContain('from the page')
    const running = readers(service.child.pid)
    expect(running.length).toBeLessThanOrEqual(1)
    // On a busy machine, choosing passages may have taken too long, and ended it.
    for (const reader of running) process.kill(reader, 'SIGKILL')
    await until(() => readers(service.child.pid).length === 0)
  }
  expect(await probed(service)).toMatchObject(RESTRICTED)
  expect(service.errors()).toBe('')
})

test.each([
  ['starts readers', 1],
  ['keeps the other', 2],
])('restricted, it reads pages after the shell that %s was killed', async (_what, at) => {
  const { service, found } = await startWithSearch(2)
  expect(await found()).toContain('from the page')
  const [reader] = readers(service.child.pid)
  for (const pid of [shellsAbove(reader!)[at]!, reader!]) process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(reader!))
  expect(await found()).toContain('from the page')
})

// EVIDENCE-OF docs/reference/image.md: It starts with the permission to run programs and drops it after reading its settings,
//   before it listens.
test('restricted, it says once that pages can no longer be read, and still searches', async () => {
  const { service, found } = await startWithSearch(3)
  expect(await found()).toContain('from the page')
  const [reader] = readers(service.child.pid)
  // The outermost first: it would start another one.
  for (const pid of [...shellsAbove(reader!).reverse(), reader!]) process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(reader!))
  for (let run = 0; run < 2; run += 1) {
    const text = await found()
    expect(text).toContain('Page')
    expect(text).not.toContain('The dragon sleeps')
  }
  const warning = 'web pages are not read; searches give what the engine says'
  await service.line(({ msg }) => msg === warning)
  const warnings = service.output.map(line => JSON.parse(line)).filter(({ level }) => level === 'warn')
  expect(warnings.map(({ msg }) => msg).filter(msg => /pages/.test(msg))).toEqual([warning])
})

test('telemetry does not change that', async () => {
  const collector = await startCollector()
  const service = await startAsImage({ ...collector.env, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })
  expect(await (await service.post(TASK)).json()).toMatchObject({ status: 'success' })
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  expect(collector.requests.map(({ path }) => path).sort()).toEqual(['/v1/metrics', '/v1/traces'])
  expect(service.errors()).toBe('')
})

// EVIDENCE-OF docs/reference/image.md: Files of secrets and the file named by `MCP_CONFIG` may be anywhere: the process restarts
//   itself, under the same process id, with permission to read them.
test('MCP servers at an address: their file may be anywhere, and nothing more is allowed', async () => {
  const peer = await httpPeer({})
  const path = await mountedFile({ shop: { url: peer.url } })
  const service = await startAsImage({ MCP_CONFIG: path })
  expect(await service.line(({ msg }) => msg === 'mcp server connected')).toMatchObject({ server: 'shop' })
  expect(await probed(service)).toMatchObject(RESTRICTED)
})

// EVIDENCE-OF docs/reference/image.md: Files of secrets and the file named by `MCP_CONFIG` may be anywhere: the process restarts
//   itself, under the same process id, with permission to read them.
test('a secret in a file: it may be anywhere, and nothing more is allowed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'of-today'), 'a-token-of-this-service\n')
  await symlink('of-today', join(folder, 'tokens'))
  const service = await startAsImage({ AGENT_TOKENS_FILE: join(folder, 'tokens') })
  const authorization = 'Bearer a-token-of-this-service'
  expect((await service.post(TASK)).status).toBe(401)
  expect((await service.post(TASK, { headers: { authorization } })).status).toBe(200)
  expect(await probed(service)).toMatchObject(RESTRICTED)
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  expect(service.output.join()).not.toContain('a-token-of-this-service')
})

// EVIDENCE-OF docs/reference/image.md: MCP servers that are programs need more permissions than can be listed.
test('MCP servers that are programs lift the restrictions, and the log says so', async () => {
  const { command, args } = program()
  const path = await mountedFile({ one: { command, args } })
  const service = await startAsImage({ MCP_CONFIG: path, PATH: process.env.PATH ?? '' })
  expect(await service.line(({ msg }) => msg === 'mcp server connected')).toMatchObject({ server: 'one' })
  expect(JSON.parse(service.output[0] ?? '')).toMatchObject({
    level: 'warn',
    msg: "MCP servers are programs: Node's permission model is off",
  })
  const { pid, ...may } = await probed(service)
  expect(may).toMatchObject({ elsewhere: true, write: true, child: true })
  // The container runtime knows the process by its id.
  expect(pid).toBe(service.child.pid)
})
