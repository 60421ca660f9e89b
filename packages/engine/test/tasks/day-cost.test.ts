import { priceAt } from '@agent-task-service/engine'
import { ScriptedModel, type ScriptedReply } from '@agent-task-service/engine/testing'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, onTestFinished, test, vi } from 'vitest'

const look = tool('look', () => 'Seen.')
/** A reply that costs so many dollars. */
const costing = (usd: number, reply: object = { text: 'Done.' }): ScriptedReply => ({
  ...reply,
  usage: { input: usd * 1e6, output: 0 },
})
const price = async () => priceAt({ input: 1, output: 0 })

async function serve(
  script: ConstructorParameters<typeof ScriptedModel>[0],
  env: Record<string, string> = {},
) {
  const model = new ScriptedModel(script)
  const options = { models: [{ ...model.named(), price }], tools: [look] }
  const service = await testService({ MAX_DAY_COST_USD: '1', ...env }, options)
  let runs = 0
  const run = async () => await service.run('Hello', {}, `test-${++runs}`)
  const told = () =>
    service.lines
      .splice(0)
      .filter(({ msg }) => String(msg).startsWith('the cost of the day'))
      .map(({ level, msg, cost_usd }) => [level, msg, cost_usd])
  return { ...service, model, run, told }
}

const REFUSED = {
  status: 'error',
  output: '',
  error: "the agent's limit of $1 for a day is used up; the next day begins at 00:00 UTC",
}
const NEAR = 'the cost of the day is near its limit'
const REACHED = 'the cost of the day has reached its limit'

// EVIDENCE-OF docs/configuration.md: | `MAX_DAY_COST_USD` |
// EVIDENCE-OF docs/reference/errors.md: | `max_day_cost` |
// EVIDENCE-OF docs/guides/operations.md: | `the cost of the day is near its limit` |
// EVIDENCE-OF docs/guides/operations.md: | `the cost of the day has reached its limit` |
test('once the day has cost so much, runs end before their first call; each share is told once, until the next day', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-01-31T23:59:59Z') })
  onTestFinished(() => void vi.useRealTimers())
  const { run, told, lines, model, app } = await serve(() => costing(0.45))
  expect(await run()).toMatchObject({ status: 'success' })
  expect(told()).toEqual([])
  expect(await run()).toMatchObject({ status: 'success' })
  expect(told()).toEqual([['warn', NEAR, 0.9]])
  // The call that exceeds it ends.
  expect(await run()).toMatchObject({ status: 'success' })
  expect(told()).toEqual([['error', REACHED, 1.35]])
  const asked = model.requests.length
  expect([await run(), await run()]).toMatchObject([REFUSED, REFUSED])
  expect(model.requests).toHaveLength(asked)
  const run4 = { level: 'info', status: 'error', stop: 'max_day_cost', steps: 0, cost_usd: 0 }
  expect(lines).toMatchObject([run4, run4])
  expect(told()).toEqual([])
  expect((await app.request('/health')).status).toBe(200)
  vi.setSystemTime(new Date('2027-02-01T00:00:00Z'))
  expect(await run()).toMatchObject({ status: 'success' })
  expect(told()).toEqual([])
})

// EVIDENCE-OF docs/guides/models.md: a run in flight ends at its next model call
test('a run in flight ends at its next model call, and so do all others', async () => {
  const gate = Promise.withResolvers<void>()
  const calls = { toolCalls: [{ name: 'look' }] }
  const { run, model } = await serve(({ messages }) =>
    messages.some(({ type }) => type === 'tool')
      ? costing(0)
      : { ...(costing(0.6, calls) as object), after: gate.promise },
  )
  const both = Promise.all([run(), run()])
  await model.asked(2)
  gate.resolve()
  expect(await both).toMatchObject([REFUSED, REFUSED])
  expect(model.requests).toHaveLength(2)
})

test('a call that failed counts if it is billed', async () => {
  const billed = { status: 401, usage: { prompt_tokens: 900_000, completion_tokens: 0 } }
  const { run, told } = await serve(() => Object.assign(new Error('no'), billed))
  expect(await run()).toMatchObject({ status: 'error' })
  expect(told()).toMatchObject([['warn', NEAR, 0.9]])
})

test('a replay costs nothing', async () => {
  const { post, told } = await serve(() => costing(0.9))
  const body = { task_id: crypto.randomUUID(), input: 'Hello' }
  for (let n = 0; n < 3; n += 1) expect(await (await post(body)).json()).toMatchObject({ status: 'success' })
  expect(told()).toEqual([['warn', NEAR, 0.9]])
})

// EVIDENCE-OF docs/guides/operations.md: | `no price: MAX_DAY_COST_USD counts only what its provider reports` |
test('a model without a price is told at start, and the day goes on', async () => {
  const models = [new ScriptedModel(() => costing(9)).named()]
  const { lines, run } = await testService({ MAX_DAY_COST_USD: '1' }, { models, tools: [] })
  const msg = 'no price: MAX_DAY_COST_USD counts only what its provider reports'
  expect(lines).toMatchObject([{ level: 'warn', model: 'scripted', msg }])
  expect([await run('Hello', {}, 'test-1'), await run('Hello', {}, 'test-2')]).toMatchObject([
    { status: 'success' },
    { status: 'success' },
  ])
  expect((await testService({}, { models, tools: [] })).lines).toEqual([])
})
