import { AgentClient } from '@agent-task-service/rehearsal/agents'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { describe, expect, test } from 'vitest'
import { stopTime } from '../stubs.ts'

const soon = { timeoutMs: 20_000 }

test('posts a run as JSON with the token, an object or a raw text; asks /health without it', async () => {
  const agent = await scriptedAgent(replies(success))
  const client = new AgentClient({ url: `${agent.url}/`, token: 'own-token' })
  const exchange = await client.run({ task_id: 'test-1' }, { ...soon, headers: { 'x-own': '1' } })
  expect(exchange).toMatchObject({ status: 200, json: success('test-1'), failure: null })
  expect(exchange.headers['content-type']).toBe('application/json')
  expect(exchange.body).toBe(JSON.stringify(success('test-1')))
  await client.run('{"task_id":  "test-2"}', { ...soon, headers: { authorization: 'Bearer other' } })
  await client.health(soon)
  const [first, second, third] = agent.requests
  expect(first!.headers).toMatchObject({ authorization: 'Bearer own-token', 'x-own': '1' })
  expect(first!.body.toString()).toBe('{"task_id":"test-1"}')
  expect(second!.headers.authorization).toBe('Bearer other')
  expect(second!.body.toString()).toBe('{"task_id":  "test-2"}')
  expect([third!.method, third!.path, third!.headers.authorization]).toEqual(['GET', '/health', undefined])
})

test('skips a byte order mark in JSON, and keeps it in the text', async () => {
  const agent = await scriptedAgent(replies(() => '\uFEFF{"a":1}'))
  const { json, body } = await new AgentClient(agent).run({ task_id: '' }, soon)
  expect([json, body]).toEqual([{ a: 1 }, '\uFEFF{"a":1}'])
})

test('does not follow redirects', async () => {
  const agent = await scriptedAgent(replies(() => '', 307, { Location: '/run2' }))
  expect((await new AgentClient(agent).run({ task_id: '' }, soon)).status).toBe(307)
  expect(agent.requests).toHaveLength(1)
})

test('measures time from the call to the last byte', async () => {
  const pass = stopTime()
  const agent = await scriptedAgent((_request, response) => response.writeHead(200).write('{'))
  const arrived = agent.arrival()
  const exchange = new AgentClient(agent).health({ timeoutMs: 5_000 })
  await arrived
  await pass(5_000)
  expect(await exchange).toMatchObject({
    wallMs: 5_000,
    json: undefined,
    failure: { kind: 'timeout', message: 'no complete reply within 5 s' },
  })
})

describe('never throws because of an agent', () => {
  test('refused', async () => {
    const client = new AgentClient({ url: `http://127.0.0.1:${await heldPort()}` })
    const none = { status: null, headers: {}, body: '', failure: { kind: 'refused' } }
    expect(await client.health(soon)).toMatchObject(none)
  })

  test('reset before, during and at the end of a reply', async () => {
    const scripts: Parameters<typeof scriptedAgent>[0][] = [
      (_request, response) => response.destroy(),
      (_request, response) => response.writeHead(200).write('{', () => response.destroy()),
      (_request, response) =>
        response.writeHead(200, { 'Content-Length': 5 }).write('{', () => response.destroy()),
    ]
    for (const script of scripts) {
      const client = new AgentClient(await scriptedAgent(script))
      expect((await client.run('', soon)).failure?.kind).toBe('reset')
    }
  })

  test('too much', async () => {
    const agent = await scriptedAgent((_request, response) => response.end(Buffer.alloc(9 * 2 ** 20)))
    const { failure, body, json } = await new AgentClient(agent).health(soon)
    expect(failure?.kind).toBe('too_large')
    expect(body.length).toBeLessThanOrEqual(8 * 2 ** 20)
    expect(json).toBeUndefined()
  })

  test('the caller hangs up: before the call, and during it', async () => {
    const agent = await scriptedAgent(() => {})
    const client = new AgentClient(agent)
    expect((await client.health({ ...soon, signal: AbortSignal.abort() })).failure?.kind).toBe('aborted')
    const caller = new AbortController()
    const arrived = agent.arrival()
    const exchange = client.health({ ...soon, signal: caller.signal })
    const { left } = await arrived
    caller.abort()
    expect((await exchange).failure?.kind).toBe('aborted')
    await left
  })

  test.each(['EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    'no way to the host: %s',
    async code => {
      const cause = Object.assign(new Error('connect'), { code })
      const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
      const { failure } = await new AgentClient({ url: 'http://10.0.0.1', fetch }).health(soon)
      expect(failure).toEqual({ kind: 'no_route', message: `the host cannot be reached (${code})` })
    },
  )

  test('reports a port that fetch refuses', async () => {
    const { failure } = await new AgentClient({ url: 'http://127.0.0.1:6000' }).health(soon)
    expect(failure?.message).toMatch(/fetch refuses this port/)
  })
})
