import { countRequest } from '@agent-task-service/engine/tokens'
import { crowd } from '@agent-task-service/test-support/at-length'
import { asks, call, fails, json, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'

const SYSTEM = 'Be the agent.'
const TASK = 'What is 1 + 2?'
const TOOLS = await countRequest({ messages: [], tools: [add] })
const READ = countTokens(SYSTEM) + countTokens(TASK) + TOOLS

const usage = (input: unknown, output: unknown) => ({
  usage: { prompt_tokens: input, completion_tokens: output },
})
const busy = fails(503, undefined, { 'retry-after': '0' })

async function runReplies(replies: readonly Reply[], env: Record<string, string> = {}) {
  const server = await openAIServer(inTurn(...replies))
  const service = await testService({ SYSTEM_PROMPT: SYSTEM, ...server.env, ...env }, { tools: [add] })
  const reply = await service.run(TASK)
  expect(server.requests).toHaveLength(replies.length)
  return { reply, line: service.lines.find(({ msg }) => msg === 'run') }
}

// EVIDENCE-OF docs/reference/graph-rules.md: The provider's figures, else those of the texts and tools in o200k_base.
test('sums tokens over all calls as the provider reports them', async () => {
  const replies = [
    asks([call('add', { a: 1, b: 2 })], usage(1000, 100)),
    asks([call('add', { a: 1, b: 2 })], usage(2000, 200)),
    says('3', usage(4000, 400)),
  ]
  const { reply, line } = await runReplies(replies)
  const metrics = { duration_sec: expect.any(Number), input_tokens: 7000, output_tokens: 700, steps: 5 }
  expect(reply.metrics).toEqual(metrics)
  expect(line).toMatchObject(metrics)
})

// EVIDENCE-OF docs/reference/graph-rules.md: A model call or a tool call, counted when it begins.
test('counts paid tries, usable or not, and the fallback model', async () => {
  const unusable = json({ choices: [], ...usage(70, 7) })
  const replies = [unusable, busy, busy, busy, says('3', usage(900, 90))]
  const { reply, line } = await runReplies(replies, { FALLBACK_MODEL: 'second-model' })
  expect(reply).toMatchObject({
    status: 'success',
    metrics: { input_tokens: 970, output_tokens: 97, steps: 1 },
  })
  expect(line).toMatchObject({ model: 'second-model' })
})

// EVIDENCE-OF docs/reference/graph-rules.md: The provider's figures, else those of the texts and tools in o200k_base.
test('counts what no provider reports in o200k_base: text, tools and tool calls, read and generated', async () => {
  const { reply } = await runReplies([asks([call('add', { a: 1, b: 2 })]), says('It is three.')])
  const asked = countTokens('[{"name":"add","args":{"a":1,"b":2}}]')
  expect(reply.metrics).toMatchObject({
    input_tokens: READ + (READ + asked + countTokens('3')),
    output_tokens: asked + countTokens('It is three.'),
    steps: 3,
  })
})

test.each([
  { title: 'none', reported: {} },
  { title: 'strings', reported: usage('12', '3') },
  { title: 'fractions', reported: usage(1.5, 0.25) },
  { title: 'absurdly large numbers', reported: usage(1e300, 2 ** 53) },
])('counts usage with $title itself', async ({ reported }) => {
  const { reply } = await runReplies([says('It is three.', reported)])
  expect(reply.metrics).toMatchObject({ input_tokens: READ, output_tokens: countTokens('It is three.') })
})

test('if usage has only one count, that count is used', async () => {
  const input = (await runReplies([says('It is three.', usage(1234, undefined))])).reply.metrics
  expect(input).toMatchObject({ input_tokens: 1234, output_tokens: countTokens('It is three.') })
  const output = (await runReplies([says('It is three.', usage(undefined, 567))])).reply.metrics
  expect(output).toMatchObject({ input_tokens: READ, output_tokens: 567 })
})

// EVIDENCE-OF docs/reference/errors.md: `metrics` of a failed run is empty, as the interface shows, unless `ERROR_METRICS=filled`; the
//   log line always has the figures.
test('a run that fails midway: the log has its usage', async () => {
  const { line } = await runReplies([asks([call('add', { a: 1, b: 2 })], usage(1000, 100)), fails(400)])
  expect(line).toMatchObject({ status: 'error', input_tokens: 1000, output_tokens: 100, steps: 3 })
})

test('concurrent runs each have their own usage', async () => {
  const numbers = Array.from({ length: crowd(50, 10) }, (_, index) => index + 1)
  const server = await openAIServer(({ body: { messages } }) => {
    const n = Number(messages[1]?.content)
    const isAnswered = messages.length > 2
    if (isAnswered) return says(`Answer ${n}`, usage(7 * n, 3 * n))
    return asks([call('add', { a: n, b: n })], usage(1000 + n, 100 + n))
  })
  const { run, lines } = await testService(server.env, { tools: [add] })
  const replies = await Promise.all(numbers.map(n => run(`${n}`, {}, `test-${n}`)))
  const metrics = numbers.map(n => ({ input_tokens: 1000 + 8 * n, output_tokens: 100 + 4 * n, steps: 3 }))
  expect(replies).toMatchObject(
    numbers.map((n, index) => ({ task_id: `test-${n}`, output: `Answer ${n}`, metrics: metrics[index] })),
  )
  const logged = numbers.map(n => lines.find(({ task_id }) => task_id === `test-${n}`))
  expect(logged).toMatchObject(metrics)
})

const ASKED = [
  { what: 'a word', input: 'Hi' },
  { what: 'a page', input: 'The quick brown fox jumps over the lazy dog. '.repeat(200) },
  { what: 'another script', input: '敏捷的棕色狐狸跳过了懒狗，然后一直睡到早晨。'.repeat(20) },
]

test.each(ASKED)(
  'without usage, $what is reported within 5 % of what the request holds',
  async ({ input }) => {
    const server = await openAIServer(inTurn(says('Noted.')))
    // With all the tools that this agent has.
    const { run } = await testService(server.env)
    const { metrics } = await run(input)
    const { messages, tools } = server.requests[0]!.body
    const texts = [...messages.map(({ content }) => String(content)), JSON.stringify(tools)]
    const held = texts.reduce((sum, text) => sum + countTokens(text), 0)
    const { input_tokens: told = 0 } = metrics as { input_tokens?: number }
    expect(Math.abs(told - held) / held).toBeLessThan(0.05)
  },
)
