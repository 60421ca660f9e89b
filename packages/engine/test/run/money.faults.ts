import { crowd } from '@agent-task-service/test-support/at-length'
import { asks, call, fails, says, streams } from '@agent-task-service/test-support/openai-replies'
import {
  fallbackTo,
  type ModelRequest,
  openAIServer,
  type Reply,
} from '@agent-task-service/test-support/openai-server'
import { seeded } from '@agent-task-service/test-support/random'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'

const RUNS = crowd(2_000, 60)
const PRICES = [
  { input: 1, cached_input: 0.25, output: 10 },
  { input: 0.4, output: 1.6 },
]
type Price = (typeof PRICES)[number]

/** What a provider bills one run: every request that it answered, whether it reported usage or was cut off. */
interface Bill {
  usd: number
  /** Of this, calls that ended without usage. */
  unreportedUsd: number
  readonly caller: AbortController
}

/** Two providers, each with a tokenizer and a price of its own, that answer at random and keep their own bills. */
async function providers(bills: Map<string, Bill>, random: () => number) {
  const server = (price: Price) =>
    openAIServer(request => replyTo(request, price, bills.get(taskIn(request))!, random))
  return [await server(PRICES[0]!), await server(PRICES[1]!)] as const
}

function replyTo({ body }: ModelRequest, price: Price, bill: Bill, random: () => number): Reply {
  const factor = 0.7 + 0.6 * random()
  const reads = Math.ceil(factor * countTokens(JSON.stringify([body.messages, body.tools ?? []])))
  const cap = body.max_tokens ?? 400
  const writes = Math.min(cap, 1 + Math.floor(random() * 400))
  const cached = Math.floor(random() * reads)
  const kind = random()
  if (kind < 0.1) return fails(random() < 0.5 ? 500 : 429, undefined, { 'retry-after': '0' })
  const text = 'word '.repeat(writes).trim()
  if (kind < 0.2) {
    const usd = costOf({ reads, cached: 0, writes: countTokens(text) }, price)
    bill.usd += usd
    bill.unreportedUsd += usd
    // The caller hangs up in the middle of the reply, or the connection breaks.
    if (kind < 0.15) bill.caller.abort()
    return kind < 0.15 ? streamsWithoutEnd(text) : streams([text])
  }
  bill.usd += costOf({ reads, cached, writes }, price)
  const usage = {
    prompt_tokens: reads,
    completion_tokens: writes,
    prompt_tokens_details: { cached_tokens: cached },
  }
  const isAsking = kind < 0.6 && body.tools !== undefined && body.tool_choice !== 'none'
  if (isAsking) return asks([call('add', { a: 1, b: writes })], { usage })
  return says(text, { usage, ...(writes === cap && { finish: 'length' }) })
}

function costOf(
  { reads, cached, writes }: Record<'reads' | 'cached' | 'writes', number>,
  { input, cached_input = input, output }: Price,
): number {
  return ((reads - cached) * input + cached * cached_input + writes * output) / 1e6
}

const streamsWithoutEnd =
  (content: string): Reply =>
  response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`)
  }

const taskIn = ({ body }: ModelRequest) => String(body.messages.find(({ role }) => role === 'user')?.content)

// EVIDENCE-OF docs/configuration.md: | `MAX_RUN_COST_USD` |
// EVIDENCE-OF docs/configuration.md: | `FALLBACK_PRICE` |
test('a run exceeds its limit by no more than calls without reported usage, and books what was billed', async () => {
  const random = seeded(20)
  const bills = new Map<string, Bill>()
  const [first, second] = await providers(bills, random)
  const env = {
    ...first.env,
    MODEL_PRICE: JSON.stringify(PRICES[0]),
    ...fallbackTo(second),
    FALLBACK_PRICE: JSON.stringify(PRICES[1]),
    LOG_ERRORS: 'brief',
  }
  const limits = ['0.0005', '0.002', '0.008', '0.03']
  const services = await Promise.all(
    limits.map(async limit => ({
      limit: Number(limit),
      service: await testService({ ...env, MAX_RUN_COST_USD: limit }, { tools: [add] }),
    })),
  )
  let reported = 0
  const one = async (index: number) => {
    const { limit, service } = services[index % services.length]!
    const name = `task ${index}`
    const caller = new AbortController()
    bills.set(name, { usd: 0, unreportedUsd: 0, caller })
    const config = { system_prompt: '', ...(random() < 0.3 && { max_tokens: 300 }) }
    const body = JSON.stringify({ task_id: `test-${index}`, input: name, config })
    const headers = { 'content-type': 'application/json' }
    await service.app.request('/run', { method: 'POST', headers, body, signal: caller.signal })
    const line = service.lines.find(({ task_id, msg }) => msg === 'run' && task_id === `test-${index}`)
    const { usd, unreportedUsd } = bills.get(name)!
    expect(usd - unreportedUsd / 2, name).toBeLessThanOrEqual(limit * (1 + 1e-9))
    if (unreportedUsd > 0) return expect(line, name).toMatchObject({ cost_estimated: true })
    reported += 1
    expect(line?.cost_usd, name).toBeCloseTo(usd, 9)
  }
  for (let from = 0; from < RUNS; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, RUNS - from) }, (_, index) => one(from + index)))
  expect(reported).toBeGreaterThan(RUNS / 4)
}, 600_000)
