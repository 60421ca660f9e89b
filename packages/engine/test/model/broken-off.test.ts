import { OpenAIModel } from '@agent-task-service/engine/openai-model'
import { asks, call, fails, says, streams } from '@agent-task-service/test-support/openai-replies'
import { fallbackTo, inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

/** Runs one task after the other, each of which must ask for all its replies. */
async function runs(
  tasks: readonly (readonly Reply[])[],
  env: Record<string, string> = {},
  streaming = true,
) {
  const server = await openAIServer(inTurn(...tasks.flat()))
  const create = (cap: object) =>
    new OpenAIModel({ model: 'm', apiKey: 'k', baseUrl: server.env.OPENAI_BASE_URL, api: 'chat', ...cap })
  const own = streaming ? {} : { models: [{ name: 'own', create, stream: false }] }
  const { run, lines } = await testService(
    { ...server.env, LOG_ERRORS: 'brief', ...env },
    { tools: [add], ...own },
  )
  const outcomes = []
  for (const [at] of tasks.entries()) {
    const reply = await run('Say something')
    const { cut, stop } = lines.findLast(({ msg }) => msg === 'run') as Record<string, unknown>
    outcomes.push({ ...reply, cut, stop })
    expect(server.requests).toHaveLength(tasks.slice(0, at + 1).flat().length)
  }
  return outcomes
}

const WHOLE = { output: 'It is 42.', cut: undefined, stop: 'answer' }
const HALF = { output: 'It is', cut: true, stop: 'max_tokens' }
const half = (finish: string) => says('It is', { finish })

// EVIDENCE-OF docs/reference/errors.md: Also an answer that ended in an unknown way twice
// EVIDENCE-OF docs/guides/models.md: A second such reply is taken as one that a cap has cut (`cut: true`); if it gives the same
//   reason, this is from then on an ordinary end of that model, for the life of the process
test.each([
  { how: 'streamed', ends: (reason: string) => streams(['It ', 'is'], reason), streaming: true },
  { how: 'whole', ends: half, streaming: true },
  { how: 'not asked to stream', ends: half, streaming: false },
])(
  'an unknown end is asked once more; twice the same is cut, then an ordinary end: $how',
  async ({ ends, streaming }) => {
    const tasks = [
      [ends('abort'), says('It is 42.')],
      [ends('abort'), ends('abort')],
      [ends('abort')],
      [ends('network_error'), says('It is 42.')],
    ]
    expect(await runs(tasks, {}, streaming)).toMatchObject([
      WHOLE,
      HALF,
      { ...HALF, ...WHOLE, output: 'It is' },
      WHOLE,
    ])
  },
)

test('a reason that is an object is read by its type', async () => {
  const typed = (finish: object) => says('It is', { finish: finish as unknown as string })
  const tasks = [
    [typed({ type: 'length' })],
    [typed({ type: 'stop', matched: 2 })],
    [typed({}), says('It is 42.')],
  ]
  expect(await runs(tasks)).toMatchObject([HALF, { ...WHOLE, output: 'It is' }, WHOLE])
})

test('two unknown ends that differ are cut, and neither is learnt', async () => {
  const tasks = [
    [half('abort'), half('network_error')],
    [half('network_error'), says('It is 42.')],
  ]
  expect(await runs(tasks)).toMatchObject([HALF, WHOLE])
})

test('calls with an unknown end are asked for once more, then made', async () => {
  const calls = asks([call('add', { a: 1, b: 2 })], { finish: 'abort' })
  expect(await runs([[calls, calls, says('It is 42.')]])).toMatchObject([WHOLE])
})

test('nothing with an unknown end is an empty answer, and teaches nothing', async () => {
  const nothing = says('', { finish: 'abort' })
  const [empty, next] = await runs([
    [nothing, nothing],
    [half('abort'), says('It is 42.')],
  ])
  expect(empty).toMatchObject({ error: 'the model gave an empty answer', stop: 'empty_answer' })
  expect(next).toMatchObject(WHOLE)
})

test('if the second request fails, half is taken as cut, unless another model is left', async () => {
  const refused = fails(401)
  expect(await runs([[half('abort'), refused]])).toMatchObject([HALF])
  const second = await openAIServer(inTurn(says('It is 42.')))
  expect(await runs([[half('abort'), refused]], fallbackTo(second))).toMatchObject([WHOLE])
})
