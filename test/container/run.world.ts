import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { probe, RESTRICTED } from '@agent-task-service/test-support/permission-probe'
import { until } from '@agent-task-service/test-support/until'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { describe, expect, test } from 'vitest'
import { enter, healthStatus, postTask, residentMemory, type Served, serve } from './container.ts'
import { command, config, healthCommand } from './image.ts'
import { report } from './report.ts'

/** The smallest HTTP server on this base. */
const BARE = ['node', '-e', "require('node:http').createServer((_, res) => res.end('ok')).listen(8080)"]
const STARTS = 3
/** The interface's own limit, on any machine. */
const CONTAINER_START_MS = 30_000
const CALLERS = 20
/** Prices and the calculator, which are loaded once the service listens. */
const FIRST_TASKS_MB = 10
/** Between two measurements of a memory that may still grow, in milliseconds. */
const REST_MS = 1_000

const checkHealth = async () => await (await enter(healthCommand)).exited

async function terminate({ pid, exited }: Served): Promise<number> {
  process.kill(pid, 'SIGTERM')
  return await exited
}

describe('a container started as the image specifies, its root read-only and without a shell', () => {
  // EVIDENCE-OF docs/guides/deployment.md: | 0 |
  test('starts in time, and rests at twice the memory of a bare server and what first tasks need', async () => {
    const rounds: Record<'service' | 'bare', Figures>[] = []
    for (let round = 0; round < STARTS; round += 1)
      rounds.push({ bare: await measure(BARE), service: await measure(command) })
    const medians = (which: 'service' | 'bare') => ({
      startMs: median(rounds.map(round => round[which].startMs)),
      memory: median(rounds.map(round => round[which].memory)),
    })
    const [service, bare] = [medians('service'), medians('bare')]
    report(
      `medians of ${STARTS}: first /health 200 after ${service.startMs.toFixed(0)} ms (a bare server: ` +
        `${bare.startMs.toFixed(0)} ms, load ${loadavg()[0]?.toFixed(1)}), ` +
        `idle memory ${service.memory.toFixed(1)} MB (${bare.memory.toFixed(1)} MB)`,
    )
    expect(service.memory).toBeLessThanOrEqual(2 * bare.memory + FIRST_TASKS_MB)
    expect(service.startMs).toBeLessThan(CONTAINER_START_MS)
  })

  // EVIDENCE-OF README.md: An agent behind `POST /run` and `GET /health` on port 8080: a task comes in as text, the agent works
  //   on it with tools, and text and usage metrics go back.
  // EVIDENCE-OF README.md: An agent of your own, in under forty files, with the rest as packages:
  test('answers a task with the offline model, and exits with code 0', async () => {
    const service = await serve(command)
    const reply = await postTask('What is 15% of 240?', 'test-1')
    expect(reply.status).toBe(200)
    expect(await reply.json()).toMatchObject({
      task_id: 'test-1',
      status: 'success',
      output: expect.stringContaining('36'),
    })
    expect(await checkHealth()).toBe(0)
    expect(await terminate(service)).toBe(0)
  })

  test('says that its files are modules, so that Node need not read each one twice to find out', async () => {
    const [node = '', ...rest] = command
    const service = await serve([node, '--no-experimental-detect-module', ...rest])
    expect(await terminate(service)).toBe(0)
  })

  // EVIDENCE-OF docs/reference/image.md: node with `main.js` as process 1, user 1000, no shell, few permissions; the root
  //   file system may be read-only, nothing is written
  // EVIDENCE-OF docs/guides/deployment.md: Nothing on a read-only root. Without one, Node refuses to write, but for `node:sqlite`.
  // EVIDENCE-OF docs/reference/image.md: It starts with the permission to run programs and drops it after reading its
  //   settings, before it listens.
  // EVIDENCE-OF docs/reference/threat-model.md: No shell, no root, no writing, no other programs, and only its own folder to
  //   read
  test('may read its own folder, write nowhere and start nothing', async () => {
    const [node = '', ...rest] = command
    const service = await serve([node, ...probe(config.WorkingDir), ...rest])
    const { pid, lines } = service
    process.kill(pid, 'SIGUSR2')
    const found = () => lines.find(line => line.includes('"probe"'))
    await until(() => found() !== undefined)
    expect(JSON.parse(found() ?? '')).toMatchObject({ ...RESTRICTED, pid: 1 })
    expect(await terminate(service)).toBe(0)
  })

  // EVIDENCE-OF docs/reference/image.md: node with `main.js` as process 1, user 1000, no shell, few permissions; the root
  //   file system may be read-only, nothing is written
  // EVIDENCE-OF docs/guides/deployment.md: Nothing on a read-only root. Without one, Node refuses to write, but for `node:sqlite`.
  // EVIDENCE-OF docs/reference/image.md: It starts with the permission to run programs and drops it after reading its
  //   settings, before it listens.
  // EVIDENCE-OF docs/reference/image.md: Only the read-only root, as in `compose.yaml` and `deploy/kubernetes.yaml`, keeps it from
  //   writing, but for `/dev/shm`.
  test.each([
    ['Node', "require('node:fs').writeFileSync('/tmp/x', '')", 'EROFS'],
    [
      'SQLite',
      "new (require('node:sqlite').DatabaseSync)('/tmp/x').exec('CREATE TABLE x (y)')",
      'unable to open database file',
    ],
  ])('%s cannot write to the root', async (_what, write, refusal) => {
    const { lines, exited } = await enter(['node', '-e', write])
    expect(await exited).not.toBe(0)
    expect(lines.join('\n')).toContain(refusal)
  })

  // EVIDENCE-OF docs/reference/image.md: `GET /health`: 200 while it accepts tasks, 503 while it drains; the image's
  //   `HEALTHCHECK` calls it every 30 s
  // EVIDENCE-OF docs/guides/deployment.md: | How does it shut down? |
  test('the health check fails while it drains and when it is down; no run in flight is lost', async () => {
    const gate = Promise.withResolvers<void>()
    const model = await openAIServer(async () => {
      await gate.promise
      return says('Done.')
    })
    const service = await serve(command, model.env)
    const callers = Array.from({ length: CALLERS }, (_, index) =>
      postTask('Take your time.', `test-${index}`),
    )
    await Promise.all(callers.map((_, index) => model.arrival(index)))
    expect(await checkHealth()).toBe(0)

    const exited = terminate(service)
    while ((await healthStatus()) === 200);
    expect(await healthStatus()).toBe(503)
    expect(await checkHealth()).toBe(1)

    gate.resolve()
    const replies = await Promise.all(
      callers.map(async caller => (await (await caller).json()) as RunResponse),
    )
    expect(replies.map(({ status, output }) => [status, output])).toEqual(
      Array.from({ length: CALLERS }, () => ['success', 'Done.']),
    )
    expect(await exited).toBe(0)
    expect(await checkHealth()).toBe(1)
  })
})

interface Figures {
  readonly startMs: number
  readonly memory: number
}

/** With a provider: the offline model loads what its first tasks need once the service listens. */
const PROVIDER = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }

async function measure(what: readonly string[]): Promise<Figures> {
  const server = await serve(what, PROVIDER)
  // Idle, but not untouched: what the first requests load counts.
  for (let check = 0; check < 10; check += 1) await healthStatus()
  const memory = await memoryAtRest(server.pid)
  process.kill(server.pid, 'SIGKILL')
  await server.exited
  return { startMs: server.startMs, memory }
}

/** Once it no longer grows: what is loaded after the start counts, however busy the machine. */
async function memoryAtRest(pid: number): Promise<number> {
  for (let before = 0; ; ) {
    const memory = await residentMemory(pid)
    if (memory < 1.01 * before) return memory
    before = memory
    await delay(REST_MS)
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
