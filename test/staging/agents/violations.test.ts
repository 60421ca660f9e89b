import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../../staging/agents/exchange.ts'
import { healthViolations, runViolations } from '../../../staging/agents/violations.ts'

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
    ['an empty output', { ...success, output: '' }],
    ['further members', { ...success, model: 'm', metrics: { ...metrics, cost: 1 } }],
    ['a null instead of an absent error', { ...success, error: null }],
    ['integers written as decimals', JSON.parse(JSON.stringify(success).replace('"steps":1', '"steps":1.0'))],
    ['an error with empty metrics', failed],
    ['an error with filled metrics', { ...failed, metrics }],
    ['an error with its details in output, as in the table of fields', { ...failed, output: 'no model' }],
    ['a timeout without error', timeout],
    ['a timeout with partial output and error', { ...timeout, output: 'so far', error: 'time' }],
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
  test.each<[string, unknown, string]>([
    [
      'another task_id',
      { ...success, task_id: 'test-2' },
      'task_id: expected the task_id of the request, the string "test-1", got the string "test-2"',
    ],
    [
      'no task_id',
      { ...success, task_id: undefined },
      'task_id: expected the task_id of the request, the string "test-1", got nothing',
    ],
    [
      'an unknown status',
      { ...success, status: 'ok' },
      'status: expected "success", "error" or "timeout", got the string "ok"',
    ],
    ['no output', { ...success, output: null }, 'output: expected a string, got null'],
    ['no metrics', { ...success, metrics: undefined }, 'metrics: expected an object, got nothing'],
    ['metrics as an array', { ...success, metrics: [] }, 'metrics: expected an object, got an array'],
    [
      'a string for a number',
      { ...success, metrics: { ...metrics, duration_sec: '1' } },
      'metrics.duration_sec: expected a number of seconds, 0 or more, got the string "1"',
    ],
    [
      'half a token',
      { ...success, metrics: { ...metrics, input_tokens: 1.5 } },
      'metrics.input_tokens: expected an integer, 0 or more, got the number 1.5',
    ],
    [
      'negative steps',
      { ...success, metrics: { ...metrics, steps: -1 } },
      'metrics.steps: expected an integer, 0 or more, got the number -1',
    ],
    [
      'a missing metric',
      { ...timeout, metrics: { ...metrics, output_tokens: undefined } },
      'metrics.output_tokens: expected an integer, 0 or more, got nothing',
    ],
    [
      'half-filled metrics of an error',
      { ...failed, metrics: { ...metrics, steps: undefined } },
      'metrics.steps: expected an integer, 0 or more, got nothing',
    ],
    [
      'an error without its description',
      { ...failed, error: undefined },
      'error: expected a description of the failure, got nothing',
    ],
    [
      'an error with a blank one',
      { ...failed, error: ' ' },
      'error: expected a description of the failure, got the string " "',
    ],
    ['an array', [success], 'body: expected a JSON object in UTF-8, got an array'],
    ['no JSON', 'oops', 'body: expected a JSON object in UTF-8, got the string "oops"'],
    ['nothing', '', 'body: expected a JSON object in UTF-8, got an empty string'],
  ])('%s', (_name, body, violation) => {
    expect(ofRun(body)).toEqual([violation])
  })

  test('empty metrics of a success lack all four', () => {
    expect(ofRun({ ...success, metrics: {} })).toHaveLength(4)
  })

  test('a number beyond the range of numbers', () => {
    const json = JSON.parse(JSON.stringify(success).replace('0.25', '1e999'))
    expect(ofRun('', { json })).toEqual([
      'metrics.duration_sec: expected a number of seconds, at most 2^53 - 1, got the number Infinity',
    ])
  })

  test.each([201, 204, 301, 400, 404, 500, 502])('HTTP %i for a valid task', status => {
    expect(ofRun(success, { status })).toEqual([
      `expected HTTP 200, even for a failed task (4xx and 5xx mean infrastructure), got ${status}`,
    ])
  })

  test('HTTP 500 for a wrong request: the agent failed, the request violated nothing', () => {
    expect(runViolations(exchange('', { status: 500 }), { isValid: false })).toHaveLength(1)
  })

  test.each([
    [undefined, 'nothing'],
    ['text/html', 'the string "text/html"'],
    ['application/jsonp', 'the string "application/jsonp"'],
  ])('Content-Type %s', (type, told) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    expect(ofRun(success, { headers })).toEqual([`Content-Type: expected application/json, got ${told}`])
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
