import { OfferedTools } from '@agent-task-service/messages/offered-tools'
import { TextReader } from '@agent-task-service/messages/text-reader'
import { runViolations } from '@agent-task-service/rehearsal/agents'
import { createRedact } from '@agent-task-service/rehearsal/platform'
import { fakeSecrets, searcher } from '@agent-task-service/rehearsal/secrets'
import { judge } from '@agent-task-service/rehearsal/tasks'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { crowd, isAtLength, some } from '@agent-task-service/test-support/at-length'
import { cpuMsOf } from '@agent-task-service/test-support/cpu-time'
import { propertySeed } from '@agent-task-service/test-support/holds'
import { asks, call, json, says, streams } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { guessSecrets } from '@agent-task-service/wire/masking'
import { tool } from '@langchain/core/tools'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseJsonBytes } from '../packages/rehearsal/agents/exchange.ts'
import { answers } from '../packages/share/script-results.ts'
import { readPage } from '../packages/starter/web-search/read-page.ts'

const MIB = 2 ** 20
/** Below this, in milliseconds of processor time, noise is larger than what is measured. */
const NOISE_MS = 200
/**
 * The most that a text of 1 MiB may take at length, in milliseconds of processor time: some times what copying it from
 * form to form takes, the test's own provider included, which works in the same thread.
 */
const MAX_MS = 1_000

/** What the texts repeat: what the code looks for, and any other text of up to 12 characters. */
const KNOWN = [
  'a',
  ' ',
  '\n',
  'é',
  '😀',
  '\\',
  '"',
  '<',
  '&#',
  '- ',
  '| ',
  '1+',
  '1.',
  '((',
  '[[',
  '{"a":',
  'word ',
  'A.b',
  ',',
  ': ',
  'eyJ-',
  'sk-proj-',
  'key=',
  'AKIA',
  '//a:b@',
  'Bearer ',
  '.,;:!?)]}*_',
  'https://a.b/',
  '/responses',
  '<tool_call>{"name":"calculator"',
  '</think>',
  '<|im_end|>',
  '<｜tool▁',
  '`a',
  '\nAction:',
  '%41',
  '\\u00',
  '```',
  '<think>',
  '<tool_call>',
  '<parameter=',
  '<function=a>',
  '{"name":',
  '<div>',
  '<td></td>',
  '<!--',
  '<a href=',
  'retry in 1m',
  '1 km in ',
  'what is 2+2 ',
  '2026-01-01 ',
  'event: a\n',
  'data: {}\n\n',
  'limit 1,000',
]
const anyText = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
const UNITS = [...some(KNOWN, 15), ...fc.sample(anyText, { seed: propertySeed, numRuns: crowd(10, 2) })]

/** Gives a text to one of the places where texts come in. */
type Entry = (text: string) => unknown

/** What the model replies, and the tool `long_text` returns, in the entry that is tried. */
let said: Reply = says('Fine.')
let result = ''
const server = await openAIServer(({ body }) =>
  body.messages.at(-1)?.role === 'tool' ? says('Fine.') : said,
)
const longText = tool(() => result, { name: 'long_text', description: 'A text.', schema: z.object({}) })
const room = { MAX_BODY_BYTES: String(8 * MIB) }
const online = await testService(
  { ...server.env, ...room },
  { tools: [...Object.values(agent.tools), longText] },
)
const offline = await testService(room)
const guarded = await testService({ AGENT_TOKENS: 'some-token-of-mine' })
const redact = createRedact(fakeSecrets())

/** A run in which the model says this. */
const model =
  (reply: (text: string) => Reply): Entry =>
  async text => {
    said = reply(text)
    return await online.run('Go.')
  }
/** A run in which the model calls a tool. */
const toolCall = (name: string, args: (text: string) => unknown) =>
  model(text => asks([call(name, args(text))]))
/** Of the head of a request Node takes 16 kB. */
const inHead = (text: string) =>
  encodeURIComponent(text.slice(0, text.length / 64).toWellFormed()).slice(0, text.length / 64)
const header =
  (name: string): Entry =>
  text =>
    guarded.app.request('/run', { method: 'POST', headers: { [name]: inHead(text) } })
const page =
  (type: string): Entry =>
  text =>
    readPage({ type, charset: undefined, bytes: new TextEncoder().encode(text) })

const ENTRIES: Record<string, Entry> = {
  'a task': async text => {
    said = says('Fine.')
    return await online.run(text)
  },
  'a task for the offline model': text => offline.run(text),
  'a system prompt': text => offline.run('Hi', { system_prompt: text }),
  'a setting': text => offline.run('Hi', { enabled_tools: [text], other: text }),
  'a body': text => offline.post(text),
  'a member of the wrong type': text => offline.post({ task_id: text, input: [text] }),
  'the header Authorization': header('authorization'),
  'the header Accept': header('accept'),
  'the header traceparent': header('traceparent'),
  'the header Content-Type': header('content-type'),
  'a path': text => offline.app.request(`/${inHead(text)}`),
  "a model's text": model(text => says(text)),
  "a model's text in pieces": model(text => streams(inPieces(text), 'stop')),
  "a model's text in tiny pieces": text => {
    const reader = new TextReader(new OfferedTools([{ name: 'calculator' } as never]))
    for (let at = 0; at < text.length; at += 8) reader.add(text.slice(at, at + 8))
    reader.end()
    reader.takeReasoning()
  },
  'a refusal': model(text => json({ error: { message: text } }, 400)),
  'tool arguments that are no JSON': toolCall('calculator', text => text),
  'an expression': toolCall('calculator', text => ({ expression: text })),
  'a time': toolCall('time', text => ({ action: 'convert', time: text, zone: 'UTC', to_zones: ['Rome'] })),
  'a search': toolCall('web_search', text => ({ query: 'x', read: text })),
  "a tool's result": async text => {
    result = text
    said = asks([call('long_text', {})])
    return await online.run('Go.')
  },
  'a page': page('text/html'),
  'a plain page': page('text/plain'),
  'a value in Redis': text => {
    const metrics = { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 }
    const reply = JSON.stringify({ task_id: 'test-1', status: 'success', output: text, metrics })
    return [text, reply].map(value => answers.claim.safeParse(['reply', value]))
  },
  "an agent's reply": text => {
    const reply = { task_id: 'test-1', status: 'success', output: text, metrics: {}, error: text }
    const body = JSON.stringify(reply)
    const headers = { 'content-type': 'application/json' }
    const exchange = { status: 200, headers, body, json: reply, wallMs: 1, failure: null }
    const now = new Date()
    return [
      runViolations(exchange, { taskId: 'test-1' }),
      judge({ contains: 'x', number: 4 } as never, { ...reply, error: undefined }, { from: now, to: now }),
      redact.text(text),
      redact.growing(text),
      parseJsonBytes(new TextEncoder().encode(text)),
    ]
  },
  'a variable of the environment': text => guessSecrets({ CRM_KEY: text }, []),
  "an agent's log": text => fakeSecrets().map(searcher(text)),
}

function inPieces(text: string): string[] {
  const length = Math.ceil(text.length / 64)
  return Array.from({ length: 64 }, (_, n) => text.slice(n * length, (n + 1) * length))
}

/** V8's own `JSON.parse` takes 0.2 s for a million levels, and longer than in proportion. */
const DEEP_JSON = ['[[', '{"a":']
const PARSED_BY_V8 = ['a body', 'tool arguments that are no JSON']

test.each(Object.entries(ENTRIES))('%s is read in time that grows with its length', async (name, read) => {
  /** Of a text of this many bytes of UTF-8, or a few more. */
  const cpuMs = (unit: string, bytes: number) => {
    const text = unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit)))
    return cpuMsOf(() => read(text))
  }
  await read('short')
  for (const unit of UNITS) {
    if (PARSED_BY_V8.includes(name) && DEEP_JSON.includes(unit)) continue
    let long = await cpuMs(unit, MIB)
    if (long < NOISE_MS) continue
    let short = await cpuMs(unit, MIB / 2)
    const most = () => Math.min(Math.max(3 * short, NOISE_MS), isAtLength ? MAX_MS : Number.POSITIVE_INFINITY)
    // A busy machine, or collecting garbage, takes time too.
    for (let n = 0; n < 5 && long > most(); n += 1) {
      short = Math.min(short, await cpuMs(unit, MIB / 2))
      long = Math.min(long, await cpuMs(unit, MIB))
    }
    expect(long, `1 MiB of ${JSON.stringify(unit)}`).toBeLessThanOrEqual(most())
  }
})
