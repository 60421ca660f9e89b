import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curl } from '../../curl.ts'
import { visibleText } from '../../pages/state/format.ts'
import { modelInputsIn } from '../../pages/state/model-inputs.ts'
import { stepsIn, tookMs } from '../../pages/state/run-steps.ts'
import { requestOf, type TaskFields, taskFieldsOf } from '../../pages/state/task.ts'

const fields: TaskFields = {
  input: 'What is 6 times 7?',
  systemPrompt: '',
  maxTokens: '',
  tools: '',
  ownSettings: '',
  taskId: 'test-1',
}

test('a request holds what was filled in, and nothing else', () => {
  expect(requestOf(fields)).toEqual({ task_id: 'test-1', input: 'What is 6 times 7?' })
  const config = { systemPrompt: 'Be brief.', maxTokens: ' 100 ', tools: 'time, a b  time' }
  expect(requestOf({ ...fields, ...config }).config).toEqual({
    system_prompt: 'Be brief.',
    max_tokens: 100,
    enabled_tools: ['time', 'a', 'b'],
  })
  expect(requestOf({ ...fields, tools: ' none ' }).config).toEqual({ enabled_tools: [] })
})

test("an agent's own settings are sent, and kept when the run is edited", () => {
  const request = requestOf({ ...fields, maxTokens: '5', ownSettings: ' {"tenant":"acme","max_tokens":7} ' })
  expect(request.config).toEqual({ tenant: 'acme', max_tokens: 5 })
  expect(taskFieldsOf({ ...request })).toEqual({
    ...fields,
    maxTokens: '5',
    ownSettings: '{"tenant":"acme"}',
  })
})

test('the curl command sends the exact request', () => {
  const request = { input: `it's $HOME "quoted" \\ back\nline` }
  const path = `/staging/agents/${encodeURIComponent("agent-7'; echo no; '")}/run`
  const command = curl({ url: 'http://127.0.0.1:1', path, body: request, tokenVariable: 'STAGING_TOKEN' })
  const words = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${command}`], {
    encoding: 'utf8',
  })
  const [, , url, , type, , authorization, , body] = words.split('\0')
  expect(url).toBe("http://127.0.0.1:1/staging/agents/agent-7'%3B%20echo%20no%3B%20'/run")
  expect([type, authorization]).toEqual(['Content-Type: application/json', 'Authorization: Bearer '])
  expect(JSON.parse(body!)).toEqual(request)
})

test('invisible characters are spelled out', () => {
  expect(visibleText('a\u202eb\u0000c\r\nd\te\ud800')).toBe('a⟨U+202E⟩b⟨U+0000⟩c\nd\te\ufffd')
  expect(visibleText('مرحبا 👩‍🚀 naïve')).toBe('مرحبا 👩‍🚀 naïve')
})

/** Of which JavaScript makes no number. */
const NO_PRIMITIVE = { toString: 1, valueOf: 1 }

test('malformed events are shown as they arrived, or skipped', () => {
  const { steps, warnings } = stepsIn([
    { type: 'of_tomorrow', data: { step: 1 } },
    { type: '__proto__', data: { step: 1 } },
    { type: '__defineGetter__', data: { step: 1 } },
    { type: 'text', data: { step: 99, text: 'of no step' } },
    { type: 'limit_near', data: { limit: 12, used: {}, of: null } },
    { type: 'model_started', data: { step: 1, model: { a: 1 }, attempt: 'first', at: 'now' } },
    { type: 'text', data: { step: 1, text: ['a', 'list'] } },
    { type: 'tool_started', data: { step: 2, tool: 'x', arguments: 5 } },
    { type: 'tool_finished', data: { step: 2, failed: 'perhaps', result: null } },
  ])
  expect(warnings).toEqual(['Close to 12: {} of  used'])
  expect(steps).toMatchObject([
    { step: 1, name: '{"a":1}', text: '["a","list"]', attempt: 1, startedAt: 0 },
    { step: 2, name: 'x', arguments: '5', text: '', state: 'done' },
  ])
})

test('figures and times that cannot be are unknown, and a step without a number is left out', () => {
  const { steps } = stepsIn([
    { type: 'model_started', data: { at: -50, step: 1, model: 'm' } },
    {
      type: 'model_finished',
      data: { at: 1e308, step: 1, input_tokens: -5, output_tokens: 1e300, cost_usd: -3 },
    },
    { type: 'tool_started', data: { at: 3, step: 2, tool: 'x' } },
    { type: 'tool_finished', data: { at: 2, step: 2 } },
    { type: 'tool_started', data: { at: 3, tool: 'y' } },
    { type: 'tool_started', data: { at: 3, step: NO_PRIMITIVE, tool: 'z' } },
    { type: 'model_started', data: { at: 3, step: 3, attempt: NO_PRIMITIVE, model: 'm' } },
  ])
  expect(steps).toMatchObject([
    { step: 1, startedAt: 0, finishedAt: null, inputTokens: null, outputTokens: null, costUsd: null },
    { step: 2, startedAt: 3, finishedAt: 2 },
    { step: 3, attempt: 1, finishedAt: null },
  ])
  expect(steps.map(tookMs)).toEqual([null, 0, null])
})

test('what a model read is shown as far as it is known', () => {
  const messages = [
    { number: 1, role: 'constructor', tokens: NO_PRIMITIVE, text: 'a' },
    { number: 2, role: 'system', tokens: 7 },
  ]
  const inputs = modelInputsIn([
    { type: 'model_input', data: { step: NO_PRIMITIVE, messages } },
    { type: 'model_input', data: { step: 1, messages } },
  ])
  expect([...inputs]).toEqual([
    [
      1,
      [
        { role: 'constructor', part: 'Earlier', tokens: 0, text: 'a' },
        { role: 'system', part: 'System', tokens: 7, text: '' },
      ],
    ],
  ])
})
