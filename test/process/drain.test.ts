import { afterAll, beforeAll, expect, test } from 'vitest'
import { runResponse } from '../../src/contract.ts'
import { answer, type HostileModel, hostileModel } from '../faults/hostile-model.ts'
import { startProcess } from '../support/process.ts'

const IN_FLIGHT = 200

let model: HostileModel
/** The model's answers wait for this. */
let gate = Promise.withResolvers<void>()

beforeAll(async () => {
  model = await hostileModel({
    gated: async (_request, response) => {
      await gate.promise
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer('done'))
    },
  })
})
afterAll(async () => await model.close())

test('SIGTERM with 200 runs in flight, 10 times: each is answered, new ones are refused, exit 0', async () => {
  for (let round = 0; round < 10; round += 1) {
    gate = Promise.withResolvers()
    const service = await startProcess(model.env('gated'))
    const runs = Array.from({ length: IN_FLIGHT }, (_, n) =>
      service.post({ task_id: `test-${n}`, input: 'anything' }),
    )
    await model.until(IN_FLIGHT)
    service.child.kill('SIGTERM')
    await service.line(({ msg }) => msg === 'draining')
    const health = await fetch(`${service.url}/health`)
    expect([health.status, await health.json()]).toMatchObject([503, { status: 'draining' }])
    const refused = await service.post({ task_id: 'test-1', input: 'too late' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    gate.resolve()
    for (const run of runs) {
      const response = await run
      expect(response.status).toBe(200)
      expect(runResponse.parse(await response.json())).toMatchObject({ status: 'success', output: 'done' })
    }
    expect(await service.exited).toBe(0)
    expect(service.errors()).toBe('')
  }
}, 180_000)

test('runs that outlive the grace period get their timeout reply before the process ends', async () => {
  gate = Promise.withResolvers()
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

test('a second signal ends the process at once', async () => {
  gate = Promise.withResolvers()
  const service = await startProcess(model.env('gated'))
  const run = service.post({ task_id: 'test-1', input: 'anything' }).catch(() => 'cut')
  await model.until(1)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(1)
  expect(await run).toBe('cut')
})

test('an idle process ends at once, also with a connection that is kept alive', async () => {
  const service = await startProcess()
  const health = await fetch(`${service.url}/health`)
  expect(health.status).toBe(200)
  await health.text()
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})
