import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runResponse } from '../../src/wire/contract.ts'
import { answer, type HostileModel, hostileModel } from '../faults/hostile-model.ts'
import { startProcess } from '../support/process.ts'
import { rawSocket, responsesIn } from '../support/raw-socket.ts'

/** A model whose answers wait at a gate. */
let model: HostileModel & { shut(): void; open(): void }

beforeAll(async () => {
  let gate = Promise.withResolvers<void>()
  const hostile = await hostileModel({
    gated: async (_request, response) => {
      await gate.promise
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer('done'))
    },
  })
  const shut = () => {
    gate = Promise.withResolvers()
  }
  model = Object.assign(hostile, { shut, open: () => gate.resolve() })
})
afterAll(async () => await model.close())

test('SIGTERM with many runs in flight: each gets its reply, new ones are refused, exit 0', async () => {
  const runs = 60
  model.shut()
  const service = await startProcess(model.env('gated'))
  const inFlight = Array.from({ length: runs }, (_, n) =>
    service.post({ task_id: `test-${n}`, input: 'anything' }),
  )
  await model.until(runs)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  const health = await fetch(`${service.url}/health`)
  expect([health.status, await health.json()]).toMatchObject([503, { status: 'draining' }])
  const refused = await service.post({ task_id: 'test-1', input: 'too late' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  model.open()
  for (const run of inFlight) {
    const response = await run
    expect(response.status).toBe(200)
    expect(runResponse.parse(await response.json())).toMatchObject({ status: 'success', output: 'done' })
  }
  expect(await service.exited).toBe(0)
  expect(service.errors()).toBe('')
})

test('runs that outlive the grace period get their timeout reply before the process exits', async () => {
  model.shut()
  const service = await startProcess({ ...model.env('gated'), SHUTDOWN_GRACE_SEC: '2' })
  const run = service.post({ task_id: 'test-1', input: 'anything' })
  await model.until(1)
  service.child.kill('SIGINT')
  const reply = runResponse.parse(await (await run).json())
  expect(reply).toMatchObject({
    status: 'timeout',
    error: 'the agent is shutting down',
    metrics: { steps: 1 },
  })
  expect(await service.exited).toBe(0)
  await model.until(0)
})

test('a signal that a terminal and npm both send counts once; a later one stops the process at once', async () => {
  model.shut()
  const service = await startProcess(model.env('gated'))
  const run = service.post({ task_id: 'test-1', input: 'anything' }).catch(() => 'cut')
  await model.until(1)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  service.child.kill('SIGTERM')
  // It is still running, and waits for its run.
  expect((await fetch(`${service.url}/health`)).status).toBe(503)
  const impatient = setInterval(() => service.child.kill('SIGTERM'), 50)
  expect(await service.exited).toBe(1)
  clearInterval(impatient)
  expect(await run).toBe('cut')
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
  model.shut()
  const service = await startProcess({ ...model.env('gated'), SHUTDOWN_GRACE_SEC: '5' })
  const client = rawSocket(Number(new URL(service.url).port), post('test-1'), post('test-2'))
  await model.until(2)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  model.open()
  const replies = responsesIn(await client.closed).map(({ body }) => runResponse.parse(JSON.parse(body)))
  expect(replies).toMatchObject([
    { task_id: 'test-1', status: 'success' },
    { task_id: 'test-2', status: 'success' },
  ])
  expect(await service.exited).toBe(0)
})

test('a task whose body arrives after SIGTERM is refused', async () => {
  model.shut()
  const service = await startProcess(model.env('gated'))
  const inFlight = service.post({ task_id: 'test-1', input: 'anything' })
  await model.until(1)
  const request = post('test-2')
  const late = rawSocket(Number(new URL(service.url).port), request.slice(0, -1))
  await once(late.socket, 'connect')
  expect((await fetch(`${service.url}/health`)).status).toBe(200)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  late.socket.write(request.slice(-1))
  expect(responsesIn(await late.closed)).toMatchObject([{ status: 503 }])
  expect(model.unanswered).toBe(1)
  model.open()
  expect((await inFlight).status).toBe(200)
  expect(await service.exited).toBe(0)
})

function post(taskId: string): string {
  const body = JSON.stringify({ task_id: taskId, input: 'anything' })
  const head = 'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json'
  return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
