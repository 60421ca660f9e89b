import { ScriptedModel } from '@agent-task-service/engine/testing'
import { some } from '@agent-task-service/test-support/at-length'
import { startCollector } from '@agent-task-service/test-support/collector'
import {
  carelessTools,
  fakeSecrets,
  tracesOf,
  writingsOf,
} from '@agent-task-service/test-support/fake-secrets'
import { startLangSmith } from '@agent-task-service/test-support/langsmith-server'
import { add, tool as sampleTool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test, vi } from 'vitest'
import { Content } from '../content.ts'

const CAPTURE = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }
const CONTENT = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
]
const WORDS = ['be-the-agent', 'add-these', 'shall-add', 'sum-is-known', '4711000004711']

/** A run that says each of WORDS. */
async function spoken(env: Record<string, string>) {
  const collector = await startCollector()
  const model = new ScriptedModel([
    {
      content: 'shall-add',
      toolCalls: [
        { name: 'add', args: { a: 4711000004700, b: 11 } },
        { name: 'add', args: { a: 1, b: 2 } },
      ],
    },
    { text: 'sum-is-known 4711000004711' },
  ])
  const service = await testService(
    { ...collector.env, ...env, SYSTEM_PROMPT: 'be-the-agent' },
    { models: [model.named()], tools: [add] },
  )
  expect(await service.run('add-these 4711000004711')).toMatchObject({ status: 'success' })
  await service.close()
  return collector
}

// EVIDENCE-OF docs/configuration.md: | `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` |
// EVIDENCE-OF docs/reference/threat-model.md: `LOG_ERRORS=full`, capturing content and, outside the image, `STREAM_MODEL_INPUT`
//   reveal texts by design
test('exports no content unless asked to', async () => {
  const collector = await spoken({})
  expect(collector.calls).toHaveLength(6)
  for (const word of WORDS) expect(collector.text).not.toContain(word)
  for (const { attributes } of collector.spans) {
    expect(Object.keys(attributes).filter(key => CONTENT.includes(key))).toEqual([])
  }
})

// EVIDENCE-OF docs/configuration.md: | `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` |
test('exports content in the form of the conventions', async () => {
  const collector = await spoken(CAPTURE)
  const [first, second] = collector.spansNamed('chat scripted')
  const read = (span: typeof first, key: string) => JSON.parse(String(span?.attributes[key]))
  expect(read(first, 'gen_ai.system_instructions')).toEqual([{ type: 'text', content: 'be-the-agent' }])
  const task = { role: 'user', parts: [{ type: 'text', content: 'add-these 4711000004711' }] }
  const asked = {
    role: 'assistant',
    parts: [
      { type: 'text', content: 'shall-add' },
      { type: 'tool_call', id: 'call_1_1', name: 'add', arguments: '{"a":4711000004700,"b":11}' },
      { type: 'tool_call', id: 'call_1_2', name: 'add', arguments: '{"a":1,"b":2}' },
    ],
  }
  const told = (id: string, response: unknown) => ({
    role: 'tool',
    parts: [{ type: 'tool_call_response', id, response }],
  })
  expect(read(first, 'gen_ai.input.messages')).toEqual([task])
  expect(read(first, 'gen_ai.output.messages')).toEqual([asked])
  expect(read(second, 'gen_ai.input.messages')).toEqual([
    task,
    asked,
    told('call_1_1', expect.stringContaining('over 1000')),
    told('call_1_2', '3'),
  ])
  expect(read(second, 'gen_ai.output.messages')).toEqual([
    {
      role: 'assistant',
      parts: [{ type: 'text', content: 'sum-is-known 4711000004711' }],
    },
  ])
  const results = collector
    .spansNamed('execute_tool add')
    .map(({ attributes }) => [
      attributes['gen_ai.tool.call.arguments'],
      attributes['gen_ai.tool.call.result'],
    ])
  expect(results).toContainEqual(['{"a":1,"b":2}', '3'])
  expect(results).toContainEqual(['{"a":4711000004700,"b":11}', undefined])
})

test('in a run of any length, a text is masked once, and one that is not kept is not masked', () => {
  const mask = vi.fn((text: string) => text)
  const content = new Content(mask).forRun()
  const result = (n: number) => `${n}`.padEnd(7_000, 'x')
  const message = (n: number) => ({
    role: 'tool' as const,
    text: result(n),
    toolCalls: [],
    toolCallId: `call_${n}`,
  })
  const messages = Array.from({ length: 20 }, (_, n) => message(n))
  for (let step = 1; step <= messages.length; step += 1) content.conversation(messages.slice(0, step))
  const texts = mask.mock.calls.map(([text]) => text).filter(text => text.length === 7_000)
  expect(texts).toEqual(messages.map(({ text }) => text))
  mask.mockClear()
  new Content(mask).conversation(messages)
  expect(mask.mock.calls.map(([text]) => text)).not.toContain(result(10))
})

test('truncates long texts, and keeps the end of a long conversation', async () => {
  const collector = await startCollector()
  const long = sampleTool('long', () => '😀'.repeat(10_000))
  const ROUNDS = 8
  const model = new ScriptedModel([
    ...Array.from({ length: ROUNDS }, (_, n) => ({ toolCalls: [{ name: 'long', id: `call_${n}` }] })),
    'Done.',
  ])
  const service = await testService(
    { ...collector.env, ...CAPTURE },
    { models: [model.named()], tools: [long] },
  )
  await service.run('x'.repeat(100_000))
  await service.close()
  const inputs = collector
    .spansNamed('chat scripted')
    .map(({ attributes }) => String(attributes['gen_ai.input.messages']))
  expect(inputs).toHaveLength(ROUNDS + 1)
  for (const input of inputs) expect(input.length).toBeLessThan(41_000)
  const last = JSON.parse(inputs[ROUNDS] ?? '')
  expect(last.length).toBeGreaterThan(2)
  expect(last.at(-1).parts[0].id).toBe(`call_${ROUNDS - 1}`)
  expect(collector.text.isWellFormed()).toBe(true)
})

/** Wherever a model, a tool, a caller and the settings can say it. Of each kind: a plain one, and one that JSON escapes. */
test.each(some(fakeSecrets, 75))(
  '$vendor: in nothing that is exported, nor sent to LangSmith',
  async ({ value }) => {
    const everyForm = writingsOf(value).join(' ')
    const names = [{ name: 'tells', id: value, args: { key: value } }, { name: value }, { name: 'throws' }]
    const calls = { content: everyForm, toolCalls: names, finishReason: value }
    const model = new ScriptedModel([
      calls,
      // an end that nobody knows is asked for once more
      calls,
      { text: everyForm },
      Object.assign(new Error(value), { name: value }),
    ])
    const [collector, langSmith] = [await startCollector(), await startLangSmith()]
    const secrets = { OPENAI_API_KEY: value, OPENAI_BASE_URL: 'http://127.0.0.1:9', AGENT_TOKENS: value }
    const service = await testService(
      {
        ...collector.env,
        ...langSmith.env,
        ...CAPTURE,
        ...secrets,
        AGENT_NAME: `Agent ${value}`,
        SYSTEM_PROMPT: `It is ${value}`,
      },
      { models: [model.named()], tools: carelessTools(value) },
    )
    const headers = { authorization: `Bearer ${value}`, tracestate: `a=${value}`, baggage: `a=${value}` }
    const statuses: unknown[] = []
    for (const task_id of ['test-1', 'test-2', value]) {
      const reply = await service.post({ task_id, input: `Tell ${value}` }, headers)
      statuses.push(Object(await reply.json()).status)
    }
    expect(statuses).toEqual(['success', 'error', 'error'])
    await service.app.request(`/${value}?${value}`, { method: 'POST' })
    await service.close()
    expect(collector.calls.length).toBeGreaterThan(8)
    const roots = (await langSmith.runs()).filter(({ parent_run_id }) => !parent_run_id)
    expect(roots.map(({ extra }) => extra?.metadata?.status)).toEqual(['success', 'error'])
    const sent = langSmith.requests.map(({ body }) => body.toString()).join()
    for (const trace of tracesOf(value)) {
      expect(collector.text.includes(trace)).toBe(false)
      expect(sent.includes(trace)).toBe(false)
    }
  },
)
