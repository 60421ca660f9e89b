import { once } from 'node:events'
import { connect } from 'node:net'
import { listen } from '@agent-task-service/rehearsal/platform'
import { Hono } from 'hono'
import { expect, test } from 'vitest'

test('it stops when the last request has its reply, whatever connections a browser keeps open', async () => {
  const gate = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const app = new Hono().get('/run', async context => {
    arrived.resolve()
    await gate.promise
    return context.text('answered')
  })
  const server = await listen(app, 0)
  const { hostname, port } = new URL(server.url)
  const reserve = connect(Number(port), hostname).resume()
  await once(reserve, 'connect')
  const answer = fetch(`${server.url}/run`).then(response => response.text())
  await arrived.promise
  const closed = server.close()
  gate.resolve()
  expect(await answer).toBe('answered')
  await closed
  if (!reserve.closed) await once(reserve, 'close')
})
