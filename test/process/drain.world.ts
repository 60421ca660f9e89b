import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { rawSocket, responsesIn } from '@agent-task-service/test-support/raw-socket'
import { runResponse } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'

/** A process whose model answers once the gate is open. */
async function gated(env: Record<string, string> = {}, entry?: string) {
  const gate = Promise.withResolvers<void>()
  const model = await openAIServer(async () => {
    await gate.promise
    return says('done')
  })
  return { model, open: gate.resolve, service: await startProcess({ ...model.env, ...env }, [], entry) }
}

// EVIDENCE-OF docs/reference/image.md: SIGTERM: refuses new tasks (503, `Retry-After`), finishes the runs in flight, exits
//   with code 0
// EVIDENCE-OF docs/guides/deployment.md: On SIGTERM, without losing a run, with code 0:
// EVIDENCE-OF docs/reference/errors.md: After SIGTERM; with `Retry-After`.
test('SIGTERM with many runs in flight: each gets its reply, new ones are refused, exit 0', async () => {
  const runs = 60
  const { model, open, service } = await gated()
  const inFlight = Array.from({ length: runs }, (_, n) =>
    service.post({ task_id: `test-${n}`, input: 'anything' }),
  )
  await model.arrival(runs - 1)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  const health = await fetch(`${service.url}/health`)
  expect([health.status, await health.json()]).toMatchObject([503, { status: 'draining' }])
  const refused = await service.post({ task_id: 'test-1', input: 'too late' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  open()
  for (const run of inFlight) {
    const response = await run
    expect(response.status).toBe(200)
    expect(runResponse.parse(await response.json())).toMatchObject({ status: 'success', output: 'done' })
  }
  expect(await service.exited).toBe(0)
  expect(service.errors()).toBe('')
})

// EVIDENCE-OF docs/configuration.md: | `SHUTDOWN_GRACE_SEC` |
// EVIDENCE-OF docs/guides/deployment.md: After its own grace period the runtime kills the process.
// EVIDENCE-OF docs/reference/errors.md: The agent was told to stop and could wait no longer; `output` has the text so far
test('runs that outlive the grace period get their timeout reply before the process exits', async () => {
  const { model, service } = await gated({ SHUTDOWN_GRACE_SEC: '5' })
  const run = service.post({ task_id: 'test-1', input: 'anything' })
  await model.arrival(0)
  service.child.kill('SIGINT')
  const reply = runResponse.parse(await (await run).json())
  expect(reply).toMatchObject({
    status: 'timeout',
    error: 'the agent is shutting down',
    metrics: { steps: 1 },
  })
  expect(await service.exited).toBe(0)
  await model.requests[0]!.closed
})

test('a signal that a terminal and npm both send counts once; a later one stops the process at once', async () => {
  const { model, service } = await gated()
  const run = service.post({ task_id: 'test-1', input: 'anything' }).catch(() => 'cut')
  await model.arrival(0)
  // Two, since the kernel makes one signal of two equal ones.
  service.child.kill('SIGTERM')
  service.child.kill('SIGINT')
  await service.line(({ msg }) => msg === 'draining')
  // It is still running, and waits for its run. It may close a connection that it no longer needs.
  const health = () => fetch(`${service.url}/health`)
  expect((await health().catch(health)).status).toBe(503)
  const impatient = setInterval(() => service.child.kill('SIGTERM'), 50)
  expect(await service.exited).toBe(1)
  clearInterval(impatient)
  expect(await run).toBe('cut')
})

// EVIDENCE-OF docs/guides/graph.md: It is called once, after the last run has ended, and has 5 s; if it fails or takes longer, the log
//   has one line, `not disposed`.
test("what the agent's owner made is closed once the last run has ended", async () => {
  const entry = fileURLToPath(new URL('entry-with-own-parts.ts', import.meta.url))
  const { model, open, service } = await gated({ LOG_ERRORS: 'full' }, entry)
  const run = service.post({ task_id: 'test-1', input: 'anything' })
  await model.arrival(0)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  open()
  expect((await run).status).toBe(200)
  expect(await service.exited).toBe(0)
  const said = service.output.map(line => JSON.parse(line).msg)
  expect(said.slice(said.indexOf('draining'))).toEqual(['draining', 'run', 'the store is closed', 'stopped'])
})

test('signals that come while the event loop is blocked count once, however long', async () => {
  // After the handler of the first signal, as loading code may.
  const block = 'queueMicrotask(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500))'
  const preload = `process.once('SIGTERM', () => ${block})`
  const model = await openAIServer(() => says('done'))
  const service = await startProcess(model.env, [
    '--import',
    `data:text/javascript,${encodeURIComponent(preload)}`,
  ])
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  service.child.kill('SIGINT')
  expect(await service.exited).toBe(0)
})

test('an idle process exits at once, even with a keep-alive connection', async () => {
  const service = await startProcess()
  const health = await fetch(`${service.url}/health`)
  expect(health.status).toBe(200)
  await health.text()
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

test('connections without a complete request do not hold the process for its grace period', async () => {
  const service = await startProcess({ SHUTDOWN_GRACE_SEC: '3600' })
  const port = Number(new URL(service.url).port)
  const head = 'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n'
  const strays = [[], ['GET /hea'], [head, '{']].map(parts => rawSocket(port, ...parts))
  await Promise.all(strays.map(({ socket }) => once(socket, 'connect')))
  expect((await fetch(`${service.url}/health`)).status).toBe(200)
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  await Promise.all(strays.map(({ closed }) => closed))
})

test('runs that share a connection all get replies before it closes', async () => {
  const { model, open, service } = await gated({ SHUTDOWN_GRACE_SEC: '5' })
  const client = rawSocket(Number(new URL(service.url).port), post('test-1') + post('test-2'))
  await model.arrival(1)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  open()
  const replies = responsesIn(await client.closed).map(({ body }) => runResponse.parse(JSON.parse(body)))
  expect(replies).toMatchObject([
    { task_id: 'test-1', status: 'success' },
    { task_id: 'test-2', status: 'success' },
  ])
  expect(await service.exited).toBe(0)
})

test('a task whose body arrives after SIGTERM is refused', async () => {
  const { model, open, service } = await gated()
  const inFlight = service.post({ task_id: 'test-1', input: 'anything' })
  await model.arrival(0)
  const request = post('test-2')
  const late = rawSocket(Number(new URL(service.url).port), request.slice(0, -1))
  await once(late.socket, 'connect')
  expect((await fetch(`${service.url}/health`)).status).toBe(200)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  late.socket.write(request.slice(-1))
  expect(responsesIn(await late.closed)).toMatchObject([{ status: 503 }])
  expect(model.requests).toHaveLength(1)
  open()
  expect((await inFlight).status).toBe(200)
  expect(await service.exited).toBe(0)
})

function post(taskId: string): string {
  const body = JSON.stringify({ task_id: taskId, input: 'anything' })
  const head = 'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json'
  return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
