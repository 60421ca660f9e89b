import { type Listening, listen } from '@agent-task-service/engine/server'
import { rawSocket, taskHead } from '@agent-task-service/test-support/raw-socket'
import { type TestService, testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { afterEach, beforeEach, expect, test } from 'vitest'

const TOKEN = 'a-token-of-thirty-two-characters'

let service: TestService
let server: Listening

beforeEach(async () => {
  service = await testService({ AGENT_TOKENS: TOKEN })
  server = await listen(service, { port: 0, hostname: '127.0.0.1' })
})
afterEach(async () => await server.drain(500))

const head = (...headers: string[]) => taskHead(`Authorization: Bearer ${TOKEN}`, ...headers)

// EVIDENCE-OF docs/reference/errors.md: the caller hung up before sending the whole body
test.each([
  ['of a declared length', [head('Content-Length: 500'), '{"task_id":']],
  ['in chunks', [head('Transfer-Encoding: chunked'), 'b\r\n{"task_id":\r\n']],
])('a caller that hangs up while sending a body %s causes one quiet line', async (_, parts) => {
  const { socket, closed } = rawSocket(server.port, ...parts)
  socket.once('connect', () => setImmediate(() => socket.destroy()))
  await closed
  await until(() => service.lines.length > 0)
  expect(service.lines).toEqual([
    {
      level: 'info',
      time: expect.anything(),
      path: '/run',
      token_number: 1,
      status: 400,
      reason: 'hang_up',
      msg: 'refused',
    },
  ])
})

const pathOf = async (path: string) => {
  const response = await service.app.request(path)
  expect(response.status).toBe(404)
  return service.lines.at(-1)?.path
}

test('logs an unknown path as received, without its query', async () => {
  expect(await pathOf('/runs/7?email=a@b.c#here')).toBe('/runs/7')
  expect(service.lines.at(-1)).toMatchObject({ level: 'info', status: 404, reason: 'not_found' })
  expect(await pathOf('/favicon.ico')).toBe('/favicon.ico')
  expect(await pathOf('/')).toBe('/')
})

test('truncates a long path, and masks its secrets first', async () => {
  expect(await pathOf(`/${'x'.repeat(5000)}`)).toBe(`/${'x'.repeat(98)}…`)
  expect(await pathOf(`/${'x'.repeat(85)}${TOKEN}`)).toBe(`/${'x'.repeat(85)}[redacted]`)
  expect(await pathOf(`/${'x'.repeat(85)}${encodeURIComponent(TOKEN)}`)).not.toContain('a-token')
  expect(await pathOf('/sk-abcdefghijklmnopqrstuvwxyz')).toBe('/[redacted]')
})

test('masks the secrets in what a refusal quotes of its request', async () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': `text/${TOKEN}` }
  const response = await service.app.request('/run', { method: 'POST', headers, body: '{}' })
  expect(await response.json()).toMatchObject({ error: expect.stringContaining('text/[redacted]') })
})
