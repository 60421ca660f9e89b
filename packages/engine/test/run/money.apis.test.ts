import type { ModelEntry } from '@agent-task-service/engine'
import { priceAt } from '@agent-task-service/engine'
import { listedPrice, PRICES_OF } from '@agent-task-service/engine/listed-prices'
import { OpenAIModel } from '@agent-task-service/engine/openai-model'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { asks, call, fails, says, streams } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { runEvents, type StreamEventType } from '@agent-task-service/wire/contract'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'

const PRICE = { MODEL_PRICE: '{"input":1,"cached_input":0.25,"output":10}' }
const usage = (input: number, output: number, cached = 0) => ({
  usage: {
    prompt_tokens: input,
    completion_tokens: output,
    ...(cached && { prompt_tokens_details: { cached_tokens: cached } }),
  },
})
const sum = [call('add', { a: 1, b: 2 })]

/** A streamed answer, with its usage in a chunk of its own. */
const streamed =
  (content: string, { usage: used }: { readonly usage: object }): Reply =>
  response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunks = [
      { choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: 'stop' }] },
      { choices: [], usage: used },
    ]
    response.end(
      [...chunks.map(chunk => JSON.stringify(chunk)), '[DONE]'].map(each => `data: ${each}\n\n`).join(''),
    )
  }

interface Event {
  readonly type: string
  readonly data: Record<string, unknown>
}

/** Server-sent events, checked against their published schemas. */
const eventsIn = (text: string): Event[] =>
  text
    .split('\n\n')
    .filter(block => block.startsWith('event:'))
    .map(block => {
      const [, type = '', data = ''] = /^event: (.*)\nid: .*\ndata: (.*)$/.exec(block) ?? []
      return { type, data: runEvents[type as StreamEventType].parse(JSON.parse(data)) }
    })

async function runWith(env: Record<string, string>, ...replies: Reply[]) {
  const server = await openAIServer(inTurn(...replies))
  const service = await testService({ ...server.env, ...PRICE, ...env }, { tools: [add] })
  const body = { task_id: 'test-1', input: 'Add them', config: { system_prompt: '' } }
  const response = await service.post(body, { accept: 'text/event-stream' })
  const events = eventsIn(await response.text())
  const line = service.lines.find(({ msg }) => msg === 'run')
  const caps = server.requests.map(({ body }) => body.max_tokens ?? 0)
  return { events, line, caps, reply: events.at(-1)?.data.response }
}

// EVIDENCE-OF docs/configuration.md: | `MODEL_PRICE` |
test('the cost of a run: cached tokens at their price, calls added up, in the log and in the events', async () => {
  const { events, line } = await runWith({}, asks(sum, usage(1000, 100, 400)), says('3', usage(2000, 10)))
  // 600 × 1 + 400 × 0.25 + 100 × 10 = 1,700 millionths of a dollar; 2000 × 1 + 10 × 10 = 2,100.
  const finished = events.filter(({ type }) => type === 'model_finished').map(({ data }) => data)
  expect(finished).toMatchObject([
    { cost_usd: 0.0017, cached_tokens: 400 },
    { cost_usd: 0.0021, cached_tokens: 0 },
  ])
  expect(events.at(-1)?.data).toMatchObject({ cost_usd: 0.0038 })
  expect(line).toMatchObject({ cost_usd: 0.0038, cached_tokens: 400 })
  expect(line).not.toHaveProperty('cost_estimated')
})

test('a refused call costs nothing; a cut one is estimated, and its retry counts too', async () => {
  const { line } = await runWith({}, fails(500), says('3', usage(1000, 100)))
  expect(line).toMatchObject({ cost_usd: 0.002 })
  const cut = await runWith({}, streams(['one two three four']), says('3', usage(1000, 100)))
  expect(cut.line).toMatchObject({ cost_estimated: true })
  expect(cut.line?.cost_usd).toBeGreaterThan(0.002)
})

const priced = (input: number, cost: unknown) => ({ usage: { ...usage(input, 100).usage, cost } })

// EVIDENCE-OF docs/guides/models.md: What a provider reports as a call's `usage.cost`, as OpenRouter does, is taken for US dollars:
//   behind a price of your own, before the published one.
test.each([
  { what: 'a whole reply', first: asks(sum, priced(1000, 0.25)), second: says('3', priced(1000, 0.5)) },
  {
    what: 'a stream, as text, after a try that reported its own',
    first: says('Half', { finish: 'error', ...priced(1000, 0.25) }),
    second: streamed('3', priced(1000, '0.5')),
  },
])('what the provider reports is the cost of a call, but for a price of its own: $what', async replies => {
  const { first, second } = replies
  const { line } = await runWith({ MODEL_PRICE: '' }, first, second)
  expect(line).toMatchObject({ status: 'success', cost_usd: 0.75 })
  expect((await runWith({}, first, second)).line).toMatchObject({ cost_usd: 0.004 })
})

const published = () => listedPrice('gpt-4.1-mini', 'https://api.openai.com/v1')
type MadeAt = (baseURL: string) => ModelEntry['create']
const ours: MadeAt = baseURL => cap =>
  new OpenAIModel({ model: 'm', apiKey: 'k', baseUrl: baseURL, api: 'chat', ...cap })
const langChains: MadeAt = baseURL => cap =>
  new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration: { baseURL }, ...cap })

/** The log line of a run whose model has a price that its owner did not set, or none. */
async function runAt(price: ModelEntry['price'], replies: readonly Reply[], classOf = ours, env = {}) {
  const { env: server } = await openAIServer(inTurn(...replies))
  const create: ModelEntry['create'] = classOf(server.OPENAI_BASE_URL)
  const models = [{ name: 'm', create, ...(price && { price }) }]
  const { run, lines } = await testService(env, { models, tools: [add] })
  await run('Add them')
  return lines.find(({ msg }) => msg === 'run')
}

// EVIDENCE-OF docs/guides/models.md: A reported 0 counts only where no price is known, so that it never disarms `MAX_RUN_COST_USD`.
test.each([
  { classOf: ours, reply: says },
  { classOf: ours, reply: streamed },
  { classOf: langChains, reply: streamed },
])('it goes before the published price, but for a 0, which counts only without any price', async each => {
  const costOf = async (cost: unknown, price?: ModelEntry['price']) =>
    (await runAt(price, [each.reply('3', priced(1000, cost))], each.classOf))?.cost_usd
  // 1000 × 0.4 + 100 × 1.6 millionths of a dollar.
  const byTable = expect.closeTo(0.00056, 12)
  expect(await costOf(0.25, published)).toBe(0.25)
  expect(await costOf(0, published)).toEqual(byTable)
  expect(await costOf('free', published)).toEqual(byTable)
  expect(await costOf(0.25)).toBe(0.25)
  expect(await costOf(0)).toBe(0)
  expect(await costOf('free')).toBe(null)
})

// EVIDENCE-OF docs/guides/models.md: A reported 0 counts only where no price is known, so that it never disarms `MAX_RUN_COST_USD`.
test('a reported 0 leaves the limit of a run armed', async () => {
  const replies = [asks(sum, priced(5000, 0)), says('3', priced(5000, 0))]
  const line = await runAt(published, replies, ours, { MAX_RUN_COST_USD: '0.004' })
  expect(line).toMatchObject({ stop: 'max_cost', cost_usd: 0.00432 })
})

test('an unknown price is unknown, not 0', async () => {
  const { line, events } = await runWith({ MODEL_PRICE: '' }, says('3', usage(1000, 100)))
  expect(line).toMatchObject({ cost_usd: null })
  expect(events.at(-1)?.data).toMatchObject({ cost_usd: null })
})

test.each(['What is 15% of 240?', 'Write me a poem'])('the offline model is free: %s', async task => {
  const { run, lines } = await testService()
  await run(task)
  expect(lines[0]).toMatchObject({ cost_usd: 0 })
  expect(lines[0]).not.toHaveProperty('cost_estimated')
})

// EVIDENCE-OF docs/configuration.md: | `MODEL_PRICE` |
test('the published price of a model, by its endpoint', async () => {
  const tokens = { inputTokens: 1000, cachedTokens: 400, outputTokens: 100 }
  const price = await listedPrice('gpt-4.1-mini', 'https://api.openai.com/v1')
  expect(price?.(tokens)).toBeCloseTo(priceAt({ input: 0.4, cached_input: 0.1, output: 1.6 })(tokens), 12)
  expect(await listedPrice('gpt-4.1-mini', 'http://127.0.0.1:8000/v1')).toBeUndefined()
  expect(Date.parse(PRICES_OF)).toBeLessThan(Date.now())
})

// EVIDENCE-OF docs/reference/errors.md: The same for the money of a run (`MAX_RUN_COST_USD`)
test('the cap of a call shrinks with the money, and near the limit the model is asked to wrap up', async () => {
  const env = { MAX_RUN_COST_USD: '0.02' }
  const replies = [asks(sum, usage(1000, 300)), says('3', usage(1000, 100))]
  const { caps, line, events } = await runWith(env, ...replies)
  expect(events[0]?.data.limits).toMatchObject({ max_cost_usd: 0.02 })
  const [first = 0, second = 0] = caps
  expect(first).toBeLessThan(2000)
  expect(first).toBeGreaterThan(1900)
  expect(first - second).toBeGreaterThanOrEqual(400)
  expect(line).toMatchObject({ status: 'success', stop: 'answer', cost_usd: 0.006 })
  const near = await runWith({ MAX_RUN_COST_USD: '0.01' }, ...replies)
  expect(near.line).toMatchObject({ status: 'success', stop: 'max_cost', cost_usd: 0.006 })
})

// EVIDENCE-OF docs/configuration.md: | `MAX_RUN_COST_USD` |
// EVIDENCE-OF docs/reference/errors.md: The same for the money of a run (`MAX_RUN_COST_USD`)
test('a limit too low for any call ends the run before it starts one', async () => {
  const { caps, reply, line } = await runWith({ MAX_RUN_COST_USD: '0.00001' })
  const error = "the agent's limit of $0.00001 for a run was used up before there was an answer"
  expect(reply).toMatchObject({ status: 'error', error })
  expect(line).toMatchObject({ stop: 'max_cost' })
  expect(caps).toEqual([])
})

test.each<{ problem: string; env: Record<string, string>; models: ModelEntry[] | undefined }>([
  {
    problem: 'an unknown price',
    env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
    models: undefined,
  },
  { problem: 'an own model without a price', env: {}, models: [new ScriptedModel(['hi']).named('mine')] },
])('with a limit, $problem stops the start', async ({ env, models }) => {
  const starting = testService({ ...env, MAX_RUN_COST_USD: '1' }, models && { models })
  await expect(starting).rejects.toThrow(/expected a price, since MAX_RUN_COST_USD is set.*MODEL_PRICE/)
})

test("the bytes of a request begin those of the run's next, so that the provider's cache has them", async () => {
  const replies = [asks(sum), asks([call('add', { a: 3, b: 4 })]), says('7')]
  const server = await openAIServer(inTurn(...replies))
  const { run } = await testService(server.env, { tools: [add] })
  expect(await run('Add them')).toMatchObject({ status: 'success' })
  const prefixes = server.requests.map(({ body: { tools, messages } }) =>
    JSON.stringify([tools, messages]).slice(0, -2),
  )
  expect(prefixes).toHaveLength(3)
  for (const [at, prefix] of prefixes.slice(1).entries()) expect(prefix.startsWith(prefixes[at]!)).toBe(true)
})

test('more cached than read tokens cost no less than nothing, and the limit acts', async () => {
  const replies = [asks(sum, usage(1000, 100, 5000)), says('3', usage(1000, 10, 1e9))]
  const { events, line } = await runWith({}, ...replies)
  const finished = events.filter(({ type }) => type === 'model_finished').map(({ data }) => data)
  // 1000 × 0.25 + 100 × 10 millionths; 1000 × 0.25 + 10 × 10.
  expect(finished).toMatchObject([
    { cost_usd: 0.00125, cached_tokens: 1000 },
    { cost_usd: 0.00035, cached_tokens: 1000 },
  ])
  expect(line).toMatchObject({ cost_usd: 0.0016, input_tokens: 2000 })
})

test.each([
  {
    what: 'throws',
    price: () => {
      throw new Error('no such model')
    },
  },
  { what: 'is no number', price: () => Number.NaN },
  { what: 'is below nothing', price: () => -1 },
])('a price that $what leaves the cost unknown; the call is recorded', async ({ price }) => {
  const model = new ScriptedModel([{ text: 'Hi.', usage: { input: 7, output: 3 } }])
  const entry: ModelEntry = { ...model.named(), price: async () => price }
  const { run, lines } = await testService({}, { models: [entry] })
  expect(await run('Hello')).toMatchObject({ metrics: { input_tokens: 7, output_tokens: 3, steps: 1 } })
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ cost_usd: null })
})
