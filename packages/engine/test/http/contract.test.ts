import { ScriptedModel } from '@agent-task-service/engine/testing'
import { SYSTEM_PROMPT } from '@agent-task-service/test-support/agent/test-agent'
import { ANSWER, type ContractCase } from '@agent-task-service/test-support/contract-case'
import { OWN_TOOLS } from '@agent-task-service/test-support/own-tools'
import { testService } from '@agent-task-service/test-support/service'
import { healthResponse, plainError, runResponse } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'
import { bodies } from './contract-cases/bodies.ts'
import { config } from './contract-cases/config.ts'
import { edge } from './contract-cases/edge.ts'
import { fields } from './contract-cases/fields.ts'
import { ids } from './contract-cases/ids.ts'

const RUN_MEMBERS = ['task_id', 'status', 'output', 'metrics', 'error']
const METRICS_MEMBERS = ['duration_sec', 'input_tokens', 'output_tokens', 'steps']
const cases = [...ids, ...fields, ...config, ...bodies, ...edge]

test('the tables name every case once', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
})

test.for(cases.map(row => [row.name, row] as const))('%s', async ([_name, row]) => {
  const model = new ScriptedModel(() => ANSWER)
  const { app } = await testService(row.env, { models: [model.named()] })

  const response = await app.request(row.path ?? '/run', requestOf(row))

  const text = await response.text()
  expect(response.status).toBe(row.reply.status)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('idempotent-replayed')).toBe(null)
  for (const [name, value] of Object.entries(row.reply.headers ?? {})) {
    expect([name, response.headers.get(name)]).toEqual([name, value])
  }
  if (row.reply.body === null) expect(text).toBe('')
  else expectBody(text, row)
  expect(model.requests.map(seenBy)).toEqual(row.seen ? [seenAs(row)] : [])
})

function requestOf({ method = 'POST', headers, body }: ContractCase): RequestInit {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  return {
    method,
    headers: headers ?? { 'content-type': 'application/json' },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  }
}

function expectBody(text: string, { path = '/run', reply }: ContractCase): void {
  const body = JSON.parse(text)
  const isRun = path.split('?')[0] === '/run'
  const schema = isRun
    ? runResponse
    : path.startsWith('/health') && 'agent_id' in body
      ? healthResponse
      : plainError
  // Equal after parsing, too: a schema may drop unknown members.
  expect(schema.parse(body)).toEqual(body)
  if (isRun) expect(Object.keys(body)).toEqual(RUN_MEMBERS.filter(member => member in body))
  if (body.status === 'success') {
    const { duration_sec, ...counts } = body.metrics
    expect(Object.keys(body.metrics)).toEqual(METRICS_MEMBERS)
    expect(duration_sec).toBeGreaterThanOrEqual(0)
    expect(String(duration_sec)).toMatch(/^\d+(\.\d{1,3})?$/)
    body.metrics = counts
  }
  expect(body).toEqual(reply.body)
}

interface SeenByModel {
  readonly texts: readonly string[]
  readonly tools: readonly string[]
  readonly maxTokens: number | undefined
}

function seenBy({ messages, tools, maxTokens }: ScriptedModel['requests'][number]): SeenByModel {
  return { texts: messages.map(({ text }) => text), tools, maxTokens }
}

const OWN_PROMPT = expect.stringContaining(SYSTEM_PROMPT)

/** What the row says the model sees, or any agent's defaults. */
function seenAs({ seen }: ContractCase): SeenByModel {
  const { input = '', systemPrompt = OWN_PROMPT, tools = OWN_TOOLS, maxTokens } = seen ?? {}
  return { texts: systemPrompt === '' ? [input] : [systemPrompt, input], tools, maxTokens }
}
