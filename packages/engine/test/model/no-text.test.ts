import { some } from '@agent-task-service/test-support/at-length'
import type { Reply } from '@agent-task-service/test-support/openai-server'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

type Json = Record<string, unknown>

/** What a piece of a text may be that is none. */
const NO_TEXTS = some([{}, null, 0, 7, true, []], 6)
const USAGE = { prompt_tokens: 3, completion_tokens: 2 }

function streams(events: readonly unknown[]): Reply {
  return response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''))
  }
}

/** Chat completions: these deltas in turn, and the end. */
function deltas(...all: readonly Json[]): Reply {
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: USAGE }
  return streams([...all.map(delta => ({ choices: [{ index: 0, delta }] })), last])
}

/** Responses: these events in turn, and the end. */
function events(...all: readonly Json[]): Reply {
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 }
  const response = { object: 'response', status: 'completed', usage }
  return streams([...all, { type: 'response.completed', response }])
}

async function runWith(OPENAI_API: string, ...replies: readonly [Reply, Reply]) {
  const server = await openAIServer((_, index) => replies[index]!)
  const { run } = await testService({ ...server.env, OPENAI_API }, { tools: [add] })
  const { status, output } = await run('Go.')
  const { requests } = server
  const [result] = /(?<="(?:content|output)":")3(?=")/.exec(JSON.stringify(requests.at(-1)?.body)) ?? []
  return { status, output, requests: requests.length, ...(result && { result }) }
}

const hi = deltas({ content: 'At last.' })
const said = { status: 'success', output: 'Hi.', requests: 1 }
const saidAtLast = { status: 'success', output: 'At last.', requests: 2 }
const called = { ...saidAtLast, result: '3' }
const call = (of: Json) => ({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: of }] })

test.for(NO_TEXTS)('chat completions: %j in place of a piece of text is skipped', async no => {
  const stray = { content: no, refusal: no, reasoning_content: no }
  const answers = [
    deltas({ content: 'H' }, stray, { content: 'i.' }),
    deltas(stray, { content: 'Hi.' }),
    deltas({
      content: [
        { type: 'text', text: no },
        { type: 'text', text: 'Hi.' },
      ],
    }),
    deltas({ content: 'Hi.', reasoning_content: 'Hm' }, stray, { reasoning_content: '.' }),
  ]
  for (const answer of answers) expect(await runWith('chat', answer, hi)).toEqual(said)
})

test.for(NO_TEXTS)('chat completions: %j alone is no answer', async no => {
  expect(await runWith('chat', deltas({ content: no }), hi)).toEqual(saidAtLast)
})

test('chat completions: an object alone is the answer', async () => {
  const answer = deltas({ content: { sum: 3 } }, { content: {} })
  expect(await runWith('chat', answer, hi)).toEqual({ ...said, output: '{"sum":3}' })
})

test.for(NO_TEXTS)('chat completions: %j in place of a piece of a call is skipped', async no => {
  const asked = deltas(
    call({ name: no, arguments: no }),
    call({ name: 'add', arguments: no }),
    call({ name: no, arguments: '{"a":1,' }),
    call({ name: no, arguments: no }),
    call({ arguments: '"b":2}' }),
  )
  expect(await runWith('chat', asked, hi)).toEqual(called)
})

const textDelta = (delta: unknown) => ({ type: 'response.output_text.delta', output_index: 0, delta })
const itemDone = (item: Json) => ({ type: 'response.output_item.done', output_index: 0, item })
const message = (text: unknown) =>
  itemDone({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })

test.for(NO_TEXTS)('Responses: %j in place of a piece of text is skipped', async no => {
  const answers = [
    events(textDelta('H'), textDelta(no), textDelta('i.'), message('Hi.')),
    events(textDelta(no), message('Hi.')),
    events(textDelta('Hi.'), message(no)),
    events(textDelta('Hi.'), { type: 'response.refusal.delta', output_index: 0, delta: no }),
    events({ type: 'response.reasoning_text.delta', output_index: 1, delta: no }, textDelta('Hi.')),
  ]
  for (const answer of answers)
    expect(await runWith('responses', answer, events(message('At last.')))).toEqual(said)
})

test.for(NO_TEXTS)('Responses: %j alone is no answer', async no => {
  for (const answer of [events(textDelta(no)), events(message(no))])
    expect(await runWith('responses', answer, events(message('At last.')))).toEqual(saidAtLast)
})

test.for(NO_TEXTS)('Responses: %j in place of a piece of a call is skipped', async no => {
  const item = { type: 'function_call', id: 'f', call_id: 'c', name: 'add' }
  const piece = (delta: unknown) => ({
    type: 'response.function_call_arguments.delta',
    output_index: 0,
    delta,
  })
  const whole = itemDone({ ...item, arguments: '{"a":1,"b":2}' })
  const begun = { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: no } }
  const asked = [
    events(begun, piece('{"a":1,'), piece(no), piece('"b":2}'), whole),
    events(begun, piece(no), whole),
    events(begun, piece('{"a":1,"b":2}'), itemDone({ ...item, arguments: no })),
  ]
  for (const reply of asked)
    expect(await runWith('responses', reply, events(message('At last.')))).toEqual(called)
})
