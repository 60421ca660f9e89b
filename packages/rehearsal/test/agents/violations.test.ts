import {
  AgentClient,
  type Exchange,
  healthViolations,
  runViolations,
} from '@agent-task-service/rehearsal/agents'
import { describe, expect, test } from 'vitest'

const metrics = { duration_sec: 0.25, input_tokens: 10, output_tokens: 0, steps: 1 }
const success = { task_id: 'test-1', status: 'success', output: 'done', metrics }
const failed = { task_id: 'test-1', status: 'error', output: '', metrics: {}, error: 'no model' }
const timeout = { task_id: 'test-1', status: 'timeout', output: '', metrics }

function exchange(body: unknown, given: Partial<Exchange> = {}): Exchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: text,
    json: typeof body === 'string' ? undefined : JSON.parse(text),
    wallMs: 1,
    failure: null,
    ...given,
  }
}

const ofRun = (body: unknown, given: Partial<Exchange> = {}) =>
  runViolations(exchange(body, given), { taskId: 'test-1' })

describe('a reply that follows the contract', () => {
  test.each([
    ['a success', success],
    ['further members', { ...success, model: 'm', metrics: { ...metrics, cost: 1 } }],
    ['a null instead of an absent error', { ...success, error: null }],
    ['integers written as decimals', JSON.parse(JSON.stringify(success).replace('"steps":1', '"steps":1.0'))],
    ['an error with empty metrics', failed],
    ['an error with filled metrics', { ...failed, metrics }],
    ['an error with its details in output, as in the table of fields', { ...failed, output: 'no model' }],
    ['a timeout without error', timeout],
  ])('%s', (_name, body) => {
    expect(ofRun(body)).toEqual([])
  })

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/problem+json'])(
    'as %s',
    type => {
      expect(ofRun(success, { headers: { 'content-type': type } })).toEqual([])
    },
  )

  test.each([401, 413, 429, 503])('HTTP %i is infrastructure, whatever its body', status => {
    expect(ofRun('<h1>no</h1>', { status, headers: {} })).toEqual([])
  })

  test('a wrong request may be refused with 4xx or answered without its echo', () => {
    const asked = { isValid: false }
    expect(runViolations(exchange('?', { status: 400 }), asked)).toEqual([])
    expect(runViolations(exchange({ ...failed, task_id: '' }), asked)).toEqual([])
  })
})

describe('a reply that violates it', () => {
  const measured = (change: object) => ({ ...success, metrics: { ...metrics, ...change } })

  /** Each body breaks one member only. */
  test.each<[string, unknown, string]>([
    ['another task_id', { ...success, task_id: 'test-2' }, 'task_id'],
    ['an unknown status', { ...success, status: 'ok' }, 'status'],
    ['null as output', { ...success, output: null }, 'output'],
    ['no metrics', { ...success, metrics: undefined }, 'metrics'],
    ['a string for a number', measured({ duration_sec: '1' }), 'metrics.duration_sec'],
    ['half a token', measured({ input_tokens: 1.5 }), 'metrics.input_tokens'],
    ['more tokens than JSON can count', measured({ input_tokens: 2 ** 53 }), 'metrics.input_tokens'],
    ['an endless duration', measured({ duration_sec: 1e308 }), 'metrics.duration_sec'],
    ['negative steps', measured({ steps: -1 }), 'metrics.steps'],
    ['a missing metric', measured({ output_tokens: undefined }), 'metrics.output_tokens'],
    ['half-filled metrics of an error', { ...failed, metrics: { ...metrics, steps: null } }, 'metrics.steps'],
    ['an error without its description', { ...failed, error: undefined }, 'error'],
    ['an error with a blank one', { ...failed, error: ' ' }, 'error'],
    ['an array', [success], 'body'],
    ['no JSON', 'oops', 'body'],
  ])('%s', (_name, body, member) => {
    expect(ofRun(body).map(violation => violation.split(':')[0])).toEqual([member])
  })

  test('says what was expected and what it got', () => {
    expect(ofRun({ ...success, task_id: 'test-2', metrics: { ...metrics, steps: 2 ** 53 } })).toEqual([
      'task_id: expected the task_id of the request, the string "test-1", got the string "test-2"',
      'metrics.steps: expected an integer, at most 2^53 - 1, got the number 9007199254740992',
    ])
  })

  test.each([201, 400, 500])('HTTP %i for a valid task', status => {
    expect(ofRun(success, { status })).toEqual([
      `expected HTTP 200, even for a failed task (4xx and 5xx mean infrastructure), got ${status}`,
    ])
  })

  test('HTTP 500 for a wrong request: the agent failed, the request violated nothing', () => {
    expect(runViolations(exchange('', { status: 500 }), { isValid: false })).toHaveLength(1)
  })

  test.each([undefined, 'text/html', 'application/jsonp'])('Content-Type %s', type => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    expect(ofRun(success, { headers })).toEqual([expect.stringMatching(/^Content-Type: /)])
  })

  test('no complete reply', () => {
    const failure = { kind: 'reset', message: 'the connection was closed' } as const
    expect(ofRun(success, { failure })).toEqual([
      'expected a complete reply, got none: the connection was closed',
    ])
  })
})

describe('health', () => {
  const well = { status: 'ok', agent_id: 'agent-7', agent_name: 'Seven' }

  test('as the interface defines it, with extra members', () => {
    expect(healthViolations(exchange(well))).toEqual([])
    expect(healthViolations(exchange({ ...well, version: '1' }))).toEqual([])
  })

  test('names every wrong member', () => {
    expect(healthViolations(exchange({ status: 'up', agent_id: 'seven' }))).toEqual([
      'status: expected "ok", got the string "up"',
      'agent_id: expected agent-<number>, got the string "seven"',
      'agent_name: expected a non-blank string, got nothing',
    ])
  })

  test('another code, type or body', () => {
    expect(healthViolations(exchange(well, { status: 503 }))).toEqual(['expected HTTP 200, got 503'])
    expect(healthViolations(exchange('ok', { headers: { 'content-type': 'text/plain' } }))).toEqual([
      'Content-Type: expected application/json, got the string "text/plain"',
      'body: expected a JSON object in UTF-8, got the string "ok"',
    ])
  })
})

test('a body of 100,000 levels is read as no JSON, one of 1,000 as what it is', async () => {
  const read = async (levels: number) => {
    const body = `{"a":"[\\"[","b":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    const client = new AgentClient({ url: 'http://seven', fetch: async () => new Response(body) })
    return (await client.health({ timeoutMs: 20_000 })).json
  }
  expect(await read(100_000)).toBeUndefined()
  expect(await read(1_000)).toMatchObject({ a: '["[' })
})
