import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { expect, test } from 'vitest'

// What else a process does: *.world.ts.
test('the built service: health, a run, and on SIGTERM the end of a run in flight, exit code 0, its last line', async () => {
  const gate = Promise.withResolvers<void>()
  const model = await openAIServer(async (_request, index) => {
    if (index > 0) await gate.promise
    return says('done')
  })
  const service = await startProcess(model.env)
  const health = await fetch(`${service.url}/health`)
  expect([health.status, await health.json()]).toMatchObject([200, { status: 'ok' }])
  const task = { task_id: 'test-1', input: 'anything' }
  const done = { task_id: 'test-1', status: 'success', output: 'done' }
  expect(await (await service.post(task)).json()).toMatchObject(done)
  const inFlight = service.post(task)
  await model.arrival(1)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  expect((await service.post(task)).status).toBe(503)
  gate.resolve()
  expect(await (await inFlight).json()).toMatchObject(done)
  expect(await service.exited).toBe(0)
  expect(JSON.parse(service.output.at(-1) ?? '')).toMatchObject({ level: 'info', msg: 'stopped' })
  expect(service.errors()).toBe('')
})
