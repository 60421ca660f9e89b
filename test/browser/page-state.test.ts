import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curl } from '../../staging/curl.ts'
import {
  fieldsOf,
  freshTaskId,
  problemsOf,
  requestOf,
  type TaskFields,
} from '../../staging/pages/state/task.ts'
import { visibleText } from '../../staging/pages/state/visible-text.ts'

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
  expect(fieldsOf({ ...request })).toEqual({ ...fields, maxTokens: '5', ownSettings: '{"tenant":"acme"}' })
  for (const ownSettings of ['tenant', '[]', '"a"', '{'])
    expect(Object.keys(problemsOf({ ...fields, ownSettings }))).toEqual(['ownSettings'])
})

test('the form refuses only what an agent could not accept', () => {
  expect(problemsOf({ ...fields, taskId: freshTaskId(), maxTokens: '1' })).toEqual({})
  expect(problemsOf({ ...fields, taskId: freshTaskId().toUpperCase(), tools: 'none' })).toEqual({})
  for (const maxTokens of ['0', '-1', '1.5', '1e3', 'ten', '99999999999999999999']) {
    expect(Object.keys(problemsOf({ ...fields, maxTokens }))).toEqual(['maxTokens'])
  }
  for (const taskId of ['test-', 'test-1a', `${freshTaskId()}0`, `x${freshTaskId()}`]) {
    expect(Object.keys(problemsOf({ ...fields, taskId }))).toEqual(['taskId'])
  }
})

test('a new id is a version 4 UUID, different each time', () => {
  const ids = Array.from({ length: 100 }, freshTaskId)
  expect(new Set(ids).size).toBe(100)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
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
