import type { AgentView } from '@agent-task-service/rehearsal/api'
import { parseTasks } from '@agent-task-service/rehearsal/tasks'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { describe, expect, test } from 'vitest'
import { AGENT_TOKEN, errorIn, STAGING_TOKEN, task, testPlatform } from '../platform.ts'
import { latest } from '../records.ts'
import { stopTime, stubFetch } from '../stubs.ts'

describe('a run', () => {
  test('goes to the agent byte for byte, with its own token, and its reply returns unchanged', async () => {
    const reply = JSON.stringify(success('test-1', 'zwölf'), null, 3)
    const agent = await scriptedAgent(replies(() => reply, 200, { 'X-Trace': 'abc', 'Set-Cookie': 'a=b' }))
    const platform = testPlatform(agent)
    const body = '{ "task_id": "test-1",\n "input": "\\u0041 ü",  "unknown": [1.0] }'
    const response = await platform.run(body, { headers: { accept: 'application/json' } })
    expect(await response.text()).toBe(reply)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'x-trace': 'abc',
      'staging-answer': 'agent',
    })
    expect(response.headers.has('set-cookie')).toBe(false)
    const [sent] = agent.requests
    expect([sent!.method, sent!.path, sent!.body.toString()]).toEqual(['POST', '/run', body])
    expect(sent!.headers).toMatchObject({
      authorization: `Bearer ${AGENT_TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json',
    })
    expect(JSON.stringify(sent!.headers)).not.toContain(STAGING_TOKEN)
  })

  test('is on record before its caller gets the answer', async () => {
    const agent = await scriptedAgent(replies(id => success(id, 'forty-two')))
    const platform = testPlatform(agent)
    const response = await platform.run(task())
    const record = await latest(platform)
    expect(record).toMatchObject({
      ...{ id: 1, agentId: 'agent-7', taskId: 'test-1', status: 'success', httpStatus: 200 },
      ...{ durationSec: 0.5, inputTokens: 12, outputTokens: 3, steps: 1, violations: 0, broken: [] },
      ...{ input: 'What is 6 times 7?', output: 'forty-two', request: task() },
    })
    expect(record.reply).toBe(await response.text())
    expect(record.wallMs).toBeGreaterThan(0)
  })

  test("passes back the agent's error or timeout too", async () => {
    const failed = { task_id: 'test-1', status: 'error', output: '', metrics: {}, error: 'no model' }
    const agent = await scriptedAgent(replies(() => failed))
    const platform = testPlatform(agent)
    const response = await platform.run(task())
    expect([response.status, await response.json()]).toEqual([200, failed])
    expect(await latest(platform)).toMatchObject({ status: 'error', output: 'no model', steps: null })
  })

  test.each([401, 503])('refused by the agent with %i is passed back unchanged', async code => {
    const agent = await scriptedAgent(replies(() => 'no', code, { 'Retry-After': '7' }))
    const platform = testPlatform(agent)
    const response = await platform.run(task())
    expect([response.status, await response.text()]).toEqual([code, 'no'])
    expect(response.headers.get('retry-after')).toBe('7')
    expect(response.headers.get('staging-answer')).toBe('agent')
    expect(await latest(platform)).toMatchObject({ status: 'refused', httpStatus: code, broken: [] })
  })

  test('with a body that is not JSON reaches the agent too, and so does the refusal its caller', async () => {
    const agent = await scriptedAgent((_request, response) => response.writeHead(400).end('what?'))
    const platform = testPlatform(agent)
    const response = await platform.run('{oops')
    expect([response.status, await response.text()]).toEqual([400, 'what?'])
    expect(agent.requests[0]!.body.toString()).toBe('{oops')
    expect((await latest(platform)).request).toEqual({ body: '{oops' })
  })
})

describe('what the platform itself answers', () => {
  test('404 names the known agents', async () => {
    const { call } = testPlatform()
    const response = await call('/staging/agents/agent-8/run', { method: 'POST', body: '{}' })
    expect(response.status).toBe(404)
    expect(response.headers.get('staging-answer')).toBe('platform')
    expect(await response.json()).toEqual({
      ...{ task_id: '', status: 'error', output: '', metrics: {} },
      error: 'agent: expected one of agent-7, got the string "agent-8"',
    })
  })

  test('405 names the allowed methods', async () => {
    const { call } = testPlatform()
    const get = await call('/staging/agents/agent-7/run')
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('413 for more than any agent accepts', async () => {
    const agent = await scriptedAgent(replies(success))
    const { run } = testPlatform(agent)
    const response = await run('x'.repeat(8 * 2 ** 20 + 1))
    expect(response.status).toBe(413)
    expect(await errorIn(response)).toBe('body: expected at most 8388608 bytes, got more')
    expect(agent.requests).toEqual([])
  })

  test('503 says why the agent is unavailable, since when, and when to retry', async () => {
    const pass = stopTime()
    stubFetch(() => Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' })))
    const platform = testPlatform()
    platform.start()
    await pass(90_000)
    const { agents } = await platform.get<{ agents: AgentView[] }>('/api/agents')
    expect(agents[0]).toMatchObject({ state: 'unavailable', failuresInARow: 4, name: null })
    const response = await platform.run(task())
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30'])
    expect(await response.json()).toMatchObject({
      task_id: 'test-1',
      status: 'error',
      error:
        'agent-7 has been unavailable since 2026-01-01T00:01:30.000Z: 4 polls of /health failed in a row, ' +
        'the last one: the connection was refused',
    })
    expect(await latest(platform)).toMatchObject({ httpStatus: 503, status: 'refused' })
  })

  test.each([
    ['ECONNREFUSED', 'the connection was refused'],
    ['ENOTFOUND', 'the host name was not found'],
    ['EHOSTUNREACH', 'the host cannot be reached (EHOSTUNREACH)'],
  ])('502 without a violation if nothing accepts the connection: %s', async (code, why) => {
    stubFetch(() => Promise.reject(Object.assign(new Error(), { code })))
    const platform = testPlatform()
    const response = await platform.run(task())
    expect(response.status).toBe(502)
    expect(await response.json()).toEqual({
      ...{ task_id: 'test-1', status: 'error', output: '', metrics: {} },
      error: `agent-7 cannot be reached: ${why}`,
    })
    const ended = { httpStatus: 502, agentStatus: null, status: 'unreachable', violations: 0, broken: [] }
    expect(await latest(platform)).toMatchObject(ended)
  })

  test('504 after 120 s, and ends the call to the agent', async () => {
    const pass = stopTime()
    const agent = await scriptedAgent(() => {})
    const platform = testPlatform(agent)
    const arrived = agent.arrival()
    const answer = platform.run(task())
    const { left } = await arrived
    await pass(120_000)
    const response = await answer
    await left
    expect(response.status).toBe(504)
    expect(await response.json()).toEqual({
      ...{ task_id: 'test-1', status: 'error', output: '', metrics: {} },
      error: 'agent-7 gave no complete reply within 120 s',
    })
    const { broken, ...record } = await latest(platform)
    expect(record).toMatchObject({ httpStatus: 504, status: 'violation', wallMs: 120_000 })
    expect(broken).toEqual(['expected a complete reply, got none: no complete reply within 120 s'])
  })

  test('499 on record when the caller hangs up, and the agent notices', async () => {
    const agent = await scriptedAgent(() => {})
    const platform = testPlatform(agent)
    const caller = new AbortController()
    const arrived = agent.arrival()
    const answer = platform.run(task(), { signal: caller.signal })
    const { left } = await arrived
    caller.abort()
    await Promise.all([left, answer])
    expect(await latest(platform)).toMatchObject({ httpStatus: 499, status: 'cancelled', broken: [] })
  })
})

describe('502', () => {
  test('for a reply that violates the contract: how, and the record has the reply without secrets', async () => {
    const made = success('test-2', `key sk-live-abcdefghijklmnop ${AGENT_TOKEN}`)
    const reply = { ...made, metrics: { ...made.metrics, input_tokens: '1,522' } }
    const agent = await scriptedAgent(replies(() => reply))
    const platform = testPlatform(agent)
    const response = await platform.run(task())
    expect(response.status).toBe(502)
    const broken = [
      'task_id: expected the task_id of the request, the string "test-1", got the string "test-2"',
      'metrics.input_tokens: expected an integer, 0 or more, got the string "1,522"',
    ]
    expect(await response.json()).toEqual({
      ...{ task_id: 'test-1', status: 'error', output: '', metrics: {} },
      error: `agent-7's reply violates the contract: ${broken.join('; ')}`,
      broken,
    })
    const kept = JSON.stringify({ ...reply, output: 'key [redacted] [redacted]' })
    expect(await latest(platform)).toMatchObject({ httpStatus: 502, violations: 2, broken, reply: kept })
  })

  test.each<[string, Parameters<typeof scriptedAgent>[0], RegExp]>([
    ['an error code', replies(success, 500), /expected HTTP 200, .*got 500/],
    ['JSON that is not UTF-8', replies(() => Buffer.from('{"task_id":"\xfc"}', 'latin1')), /in UTF-8/],
    [
      'an unrequested stream',
      replies(success, 200, { 'Content-Type': 'text/event-stream' }),
      /Content-Type: expected application\/json/,
    ],
    [
      'a reply cut short',
      (_request, response) =>
        response.writeHead(200, { 'Content-Length': 9 }).write('{', () => response.destroy()),
      /gave no complete reply: the connection closed/,
    ],
  ])('for %s', async (_name, script, told) => {
    const agent = await scriptedAgent(script)
    const platform = testPlatform(agent)
    const response = await platform.run(task())
    const { error, broken } = (await response.json()) as { error: string; broken: string[] }
    expect([response.status, error]).toEqual([502, expect.stringMatching(told)])
    expect(broken.length).toBeGreaterThan(0)
    expect(agent.requests).toHaveLength(1)
    expect(await latest(platform)).toMatchObject({ httpStatus: 502, status: 'violation', broken })
  })

  test('quotes no part of a secret, even when truncating a value', async () => {
    const key = `sk-proj-${'abcdefgh'.repeat(8)}`
    const long = `${'x'.repeat(20)} ${AGENT_TOKEN}`
    const agent = await scriptedAgent(replies(() => ({ ...success('test-1'), status: key, metrics: long })))
    const platform = testPlatform(agent)
    expect(await errorIn(await platform.run(task()))).toBe(
      'agent-7\'s reply violates the contract: status: expected "success", "error" or "timeout", got the string ' +
        '"[redacted]"; metrics: expected an object, got the string "xxxxxxxxxxxxxxxxxxxx [redacted]"',
    )
    expect((await latest(platform)).broken.join()).not.toMatch(/sk-proj|own-tok/)
  })
})

test("tasks to try first are those that the checks ask, if they are the agent's own", async () => {
  const examples = async (inputs?: readonly object[]) => {
    const tasks = inputs && parseTasks(JSON.stringify({ tasks: inputs }), 'tasks.json')
    return (await testPlatform({ tasks }).get<{ examples: string[] }>('/api/examples')).examples
  }
  const ask = (input: string) => ({ input, expect: { contains: 'x' } })
  expect(await examples()).toHaveLength(4)
  const capped = { ...ask('capped'), config: { max_tokens: 9 } }
  expect(await examples([capped, ...['a', 'b', 'c', 'd', 'e'].map(ask)])).toEqual(['a', 'b', 'c', 'd'])
  expect(await examples([capped])).toHaveLength(4)
})
