import { asks, call, json, says } from '@agent-task-service/test-support/openai-replies'
import { type ModelRequest, openAIServer, type Script } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FactsFromRefusals } from '../../model/facts-from-refusals.ts'

const isBad = ({ body }: ModelRequest) => String(body.messages.at(-1)?.content).includes('bad')
const capOf = ({ body }: ModelRequest) => body.max_tokens ?? body.max_completion_tokens
const refusal = (message: string, more: object = {}) => json({ error: { message, ...more } }, 400)

/** One bad task, then a good one, each with this cap. Returns the service and the good one's requests. */
async function afterBadTask(script: Script, task: string, max_tokens: number) {
  const server = await openAIServer(script)
  const service = await testService({ ...server.env, LOG_ERRORS: 'brief' })
  const bad = await service.run(task, { max_tokens })
  const before = server.requests.length
  expect(await service.run('good', { max_tokens }, 'test-2')).toMatchObject({ status: 'success' })
  return { bad, service, requests: server.requests.slice(before) }
}

// EVIDENCE-OF docs/reference/threat-model.md: Only what every request would meet counts against a model, the last one is
//   always asked, and what a refusal teaches holds for all runs only after a call made with it succeeded, for ten minutes
test('a fact holds in its run, after a success in all runs, and for ten minutes', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const facts = new FactsFromRefusals()
  const [one, two] = [{}, {}]
  facts.record(one, { cap: 192 }, false)
  facts.record(one, { context: 8192 }, true)
  expect([facts.factsFor(one), facts.factsFor(two)]).toEqual([{ cap: 192, context: 8192 }, {}])
  // A call that was made without the fact proves nothing.
  expect(facts.confirm(one, {})).toEqual({})
  expect(facts.confirm(two, { context: 8192 })).toEqual({})
  expect(facts.factsFor(two)).toEqual({})
  const confirmed = [1, 2].map(() => facts.confirm(one, facts.factsFor(one)))
  expect(facts.factsFor(two)).toEqual({ context: 8192 })
  expect(confirmed).toEqual([{ cap: 192, context: 8192 }, {}])
  vi.advanceTimersByTime(599_999)
  // What is learnt later does not make the earlier last longer.
  facts.record(two, { cap: 4096 }, true)
  facts.confirm(two, { cap: 4096 })
  expect(facts.factsFor({})).toEqual({ cap: 4096, context: 8192 })
  vi.advanceTimersByTime(1)
  expect(facts.factsFor({})).toEqual({})
})

test('a ceiling is learnt for the run, and told in one line', async () => {
  const server = await openAIServer((request, index) => {
    if (capOf(request)! > 4096)
      return refusal('max_tokens is too large: this model supports at most 4096 completion tokens')
    return index === 1 ? asks([call('add', { a: 1, b: 2 })]) : says('Here.')
  })
  const { run, lines } = await testService({ ...server.env, LOG_ERRORS: 'brief' }, { tools: [add] })
  expect(await run('Hello', { max_tokens: 9000 })).toMatchObject({ output: 'Here.' })
  expect(server.requests.map(capOf)).toEqual([9000, 4096, 4096])
  const told = lines.filter(({ msg }) => msg === 'learnt from a refusal')
  expect(told).toMatchObject([{ level: 'info', model: 'first-model', learnt: { cap: 4096 } }])
})

test.each([
  {
    title: 'the room beside a long prompt',
    message:
      "This model's maximum context length is 8192 tokens. However, you requested 8500 tokens (8000 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
    retried: 192,
  },
  {
    title: 'the room in other words',
    message: 'max_tokens is too large: with this prompt at most 192 tokens can be generated',
    retried: 192,
  },
  {
    title: 'a cap that must be greater',
    message: '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation',
    retried: undefined,
  },
  {
    title: 'a least cap',
    message:
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 500 instead.",
    retried: undefined,
  },
  {
    title: 'a least cap, in words',
    message: 'max_tokens must be at least 16',
    retried: undefined,
  },
  {
    title: 'a ceiling without a number, and a number of the task',
    message: 'max_tokens is too large for: Use at most 17 tokens',
    retried: 250,
  },
  { title: 'a ceiling without a number', message: 'max_tokens is too large', retried: 250 },
])('$title', async ({ message, retried }) => {
  const server = await openAIServer((_, index) => (index === 0 ? refusal(message) : says('Here.')))
  const { run } = await testService({ ...server.env, LOG_ERRORS: 'brief' })
  await run('Use at most 17 tokens', { max_tokens: 500 })
  expect(server.requests.map(capOf)).toEqual(retried === undefined ? [500] : [500, retried])
})

test.each(['you wrote: stream_options', 'you wrote: max_tokens is not allowed'])(
  'a refusal that is not cured by what it seems to say teaches nothing: %s',
  async message => {
    const script: Script = request => (isBad(request) ? refusal(message) : says('Here.'))
    const { bad, requests } = await afterBadTask(script, 'bad', 500)
    expect(bad).toMatchObject({ status: 'error', error: 'the model provider answered HTTP 400' })
    expect(requests.map(({ body }) => body)).toMatchObject([
      { max_tokens: 500, stream_options: { include_usage: true } },
    ])
  },
)

// EVIDENCE-OF docs/reference/threat-model.md: Only what every request would meet counts against a model, the last one is
//   always asked, and what a refusal teaches holds for all runs only after a call made with it succeeded, for ten minutes
test('what a refusal may have quoted from the task stays in its run, even if a later call succeeds', async () => {
  let refused = 0
  const script: Script = request =>
    isBad(request) && refused++ === 0 ? refusal('unknown field max_tokens, stream_options') : says('Here.')
  const { bad, requests } = await afterBadTask(script, 'bad: unknown field max_tokens, stream_options', 500)
  expect(bad).toMatchObject({ status: 'success' })
  expect(requests.map(({ body }) => body)).toMatchObject([{ max_tokens: 500, stream_options: {} }])
})

test('what the endpoint refuses is learnt with the same line in the log', async () => {
  const server = await openAIServer(({ body }) =>
    'stream_options' in body ? refusal('unknown field stream_options') : says('Here.'),
  )
  const { run, lines } = await testService({ ...server.env, LOG_ERRORS: 'brief' })
  await run('Hello')
  await run('Hello', {}, 'test-2')
  expect(server.requests).toHaveLength(3)
  expect(lines.filter(({ msg }) => msg === 'learnt from a refusal')).toMatchObject([
    { learnt: { refuses_stream_options: true } },
  ])
})
