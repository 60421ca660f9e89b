import { crowd } from '@agent-task-service/test-support/at-length'
import { holds } from '@agent-task-service/test-support/holds'
import { call, json, says } from '@agent-task-service/test-support/openai-replies'
import { type ModelRequest, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** What a server may refuse of a request, in the order in which it is left out. */
const FIRST_STEP = {
  sampling: ({ body }: ModelRequest) => 'temperature' in body,
  system: ({ body }: ModelRequest) => body.messages.some(({ role }) => role === 'system'),
  schemas: ({ body }: ModelRequest) => JSON.stringify(body.tools ?? '').includes('additionalProperties'),
  tools: ({ body }: ModelRequest) => body.tools !== undefined,
}
const SECOND_STEP = {
  thoughts: ({ body }: ModelRequest) => body.messages.some(message => 'reasoning_content' in message),
  results: ({ body }: ModelRequest) => JSON.stringify(body.messages).length > 12_000,
}
const RUNGS = { ...FIRST_STEP, ...SECOND_STEP }
type Rung = keyof typeof RUNGS

const long = tool('look', () => 'The height is 42. '.repeat(1_000), { readOnlyHint: true })
/** Calls the tool, and thinks. */
const looks: Reply = (response, request) => {
  const message = { content: '', reasoning_content: 'I must look.', tool_calls: [call('look', {})] }
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'tool_calls' }]
  json({ id: 'c', model: 'm', choices })(response, request)
}

/** Runs a task at a server that refuses these, with such words and such a status. */
async function runRefused(refused: readonly Rung[], message: string, status: number) {
  const server = await openAIServer(request => {
    if (refused.some(rung => RUNGS[rung](request))) return json({ error: { message } }, status)
    const isFirst = request.body.messages.every(({ role }) => role !== 'tool')
    return isFirst && request.body.tools ? looks : says('It is 42.')
  })
  const env = { ...server.env, LOG_ERRORS: 'brief', TEMPERATURE: '0' }
  const service = await testService(env, { tools: [long] })
  return { reply: await service.run('How high is it?'), service, server }
}

/** Changed requests that it takes: rungs up to the last one needed, in each step. */
function changesFor(refused: readonly Rung[]): number {
  const upTo = (step: object) => Math.max(0, ...refused.map(rung => Object.keys(step).indexOf(rung) + 1))
  return upTo(FIRST_STEP) + (refused.includes('tools') ? 0 : upTo(SECOND_STEP))
}

// EVIDENCE-OF docs/guides/models.md: One that does not, and names nothing that you or the caller set, is met by leaving out what the
//   server can do without, one after the other, each beside those before:
test('whatever a server refuses, in whatever words: the run goes on without it, after at most four changed requests', async () => {
  const words = fc.lorem({ maxCount: 12 })
  const rungs = fc.uniqueArray(fc.constantFrom(...(Object.keys(RUNGS) as Rung[])), {
    minLength: 1,
    maxLength: 3,
  })
  const property = fc.asyncProperty(
    rungs,
    words,
    fc.constantFrom(400, 422),
    async (refused, message, status) => {
      const { reply, service, server } = await runRefused(refused, message, status)
      const changes = changesFor(refused)
      expect(reply).toMatchObject(
        changes <= 4
          ? { status: 'success', output: 'It is 42.' }
          : { status: 'error', error: `the model provider answered HTTP ${status}` },
      )
      const before = server.requests.length
      expect(before).toBe(changes <= 4 ? changes + (refused.includes('tools') ? 1 : 2) : before)
      // Another run begins with all of it.
      await service.run('How high is it?', {}, 'test-2')
      const { body } = server.requests[before]!
      expect([body.messages[0]!.role, body.tools?.length, 'temperature' in body]).toEqual(['system', 1, true])
    },
  )
  await holds(crowd(30, 10), property)
})

test.each(['Payload Too Large', ''])('a request that is too large is shortened first: %o', async message => {
  const { reply, server } = await runRefused(['results'], message, 413)
  expect(reply).toMatchObject({ status: 'success', output: 'It is 42.' })
  expect(server.requests).toHaveLength(3)
})

test('what a refusal names is left out at once, and by all runs', async () => {
  const { reply, service, server } = await runRefused(['system'], 'System role not supported', 400)
  expect(reply).toMatchObject({ status: 'success' })
  expect(server.requests.map(RUNGS.system)).toEqual([true, false, false])
  await service.run('How high is it?', {}, 'test-2')
  expect(server.requests.slice(3).map(RUNGS.system)).toEqual([false, false])
  const [first] = server.requests.at(-1)!.body.messages
  expect(first!.role).toBe('user')
  expect(first!.content).toMatch(/\n\nHow high is it\?$/)
})

test('a 404 to own words of the model is met without them, where the address has answered; a wrong address is asked once', async () => {
  const { reply, server } = await runRefused(['thoughts'], "Item 'rs_1' not found", 404)
  expect(reply).toMatchObject({ status: 'success', output: 'It is 42.' })
  expect(server.requests).toHaveLength(3)
  const wrong = await runRefused(['tools'], 'no such path', 404)
  expect(wrong.reply).toMatchObject({ status: 'error' })
  expect(wrong.server.requests).toHaveLength(1)
})

// EVIDENCE-OF docs/guides/models.md: | Key rejected, quota spent (402, or a 429 that says so, names a day's limit, or asks to wait longer
//   than `RUN_TIMEOUT_SEC`), unknown model or path |
test.each([
  'Rate limit reached on tokens per day (TPD): Limit 100000. Please try again in 7h12m30s.',
  'Limit 100000 tokens per day reached',
  '余额不足或无可用资源包,请充值。',
])('a limit that no run outlasts is a spent quota: %s', async message => {
  const { reply, service, server } = await runRefused(['tools'], message, 429)
  expect(reply).toMatchObject({
    status: 'error',
    error: 'the model provider answered HTTP 429 (quota spent)',
  })
  expect(server.requests).toHaveLength(1)
  expect(service.lines.find(({ msg }) => msg === 'cannot serve')).toMatchObject({
    level: 'error',
    reason: 'quota_spent',
  })
})

test.each(['已达到每分钟请求上限', 'Limit 3 per minute, 200 per day: too many requests per minute'])(
  'a limit by the minute is waited for: %s',
  async message => {
    const server = await openAIServer((_request, index) =>
      index === 0 ? json({ error: { message } }, 429, { 'retry-after': '0' }) : says('Here.'),
    )
    const { run } = await testService(server.env)
    expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.' })
  },
)

test.each([
  { code: 'Arrearage', status: 400, requests: 1 },
  { code: 'AccountOverdueError', status: 403, requests: 1 },
  // What a refusal says may be the task's.
  { code: 'bad_request', status: 400, requests: 2 },
])(
  'a bill that is not paid is known by its code, not by words: $code',
  async ({ code, status, requests }) => {
    const server = await openAIServer((_request, index) =>
      index === 0
        ? json({ error: { code, message: 'Arrearage, overdue, 余额不足' } }, status)
        : says('Here.'),
    )
    const { run } = await testService({ ...server.env, LOG_ERRORS: 'brief' })
    expect(await run('Hello')).toMatchObject({ status: requests === 1 ? 'error' : 'success' })
    expect(server.requests).toHaveLength(requests)
  },
)

// EVIDENCE-OF docs/guides/models.md: | A redirect (307, 308) | follows it within the same origin; another one is named in the error |
test.each([307, 308])('HTTP %i is followed within the origin, with the key and the body', async status => {
  const server = await openAIServer((_request, index) =>
    index === 0 ? json('', status, { location: '/v1/elsewhere' }) : says('Here.'),
  )
  const { run } = await testService(server.env)
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.' })
  const [first, second] = server.requests
  expect(second!.body).toEqual(first!.body)
  expect(second!.headers.authorization).toBe(first!.headers.authorization)
})

test('a server that redirects in circles is an error', async () => {
  const server = await openAIServer(() => json('', 307, { location: '/v1/chat/completions' }))
  const { run } = await testService(server.env)
  expect(await run('Hello')).toMatchObject({ status: 'error' })
  expect(server.requests).toHaveLength(4)
})
