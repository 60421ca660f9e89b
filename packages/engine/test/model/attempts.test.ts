import { crowd } from '@agent-task-service/test-support/at-length'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { holds } from '@agent-task-service/test-support/holds'
import { asks, call, json, resets, says } from '@agent-task-service/test-support/openai-replies'
import { fallbackTo, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const refuses = (status: number, message = 'no', headers = {}) =>
  json({ error: { message } }, status, headers)

/** How an attempt may end. */
const outcomes = {
  answer: says('Here.'),
  call: asks([call('add', { a: 1, b: 2 })]),
  empty: says(''),
  announced: says('I will add them:', { finish: 'tool_calls' }),
  broken: says('Half', { finish: 'network_error' }),
  reset: resets,
  bare: refuses(400),
  large: refuses(413),
  unprocessable: refuses(422),
  'too long': refuses(400, 'maximum context length is 40 tokens'),
  'cap too high': refuses(400, 'max_tokens is too large'),
  'no temperature': refuses(400, 'temperature is not supported'),
  'no system': refuses(400, 'System role not supported'),
  'no tools': refuses(400, 'does not support tools'),
  'a tool': refuses(400, "Invalid schema for function 'add'"),
  key: refuses(401),
  forbidden: refuses(403),
  unpaid: refuses(402),
  absent: refuses(404),
  'spent, as a limit': refuses(429, 'insufficient_quota'),
  'error of the server': refuses(500, 'overheated', { 'retry-after': '0' }),
  // A run without another model waits until these are over.
  limited: refuses(429, 'slow down'),
  unavailable: refuses(503),
}
type Outcome = keyof typeof outcomes
const names = Object.keys(outcomes) as Outcome[]
const isOutage = (name: Outcome) => name === 'limited' || name === 'unavailable'

/** Runs a task at models whose attempts end so, in turn; the last end is that of all further ones. */
async function runAt(scripts: readonly (readonly Outcome[])[], time: FakeTime) {
  const met: Outcome[][] = scripts.map(() => [])
  const servers = await Promise.all(
    scripts.map(
      async (script, at) =>
        await openAIServer((_request, index) => {
          const name = script[Math.min(index, script.length - 1)]!
          met[at]!.push(name)
          return outcomes[name]
        }),
    ),
  )
  const [first, second] = servers
  const env = { ...first!.env, ...(second && fallbackTo(second)), LOG_ERRORS: 'brief', TEMPERATURE: '0' }
  const limits = { RUN_TIMEOUT_SEC: '119', ANSWER_BY_SEC: '100', MAX_STEPS: '9' }
  const { run } = await testService({ ...env, ...limits }, { tools: [add] })
  return { reply: await time.until(run('Add them', { max_tokens: 5000 })), met }
}

// EVIDENCE-OF docs/guides/models.md: One step sends a model at most 9 requests
test('one step sends a model at most 9 requests, and an answer is one that a model gave', async () => {
  const time = fakeTime()
  const ends = (from: readonly Outcome[]) =>
    fc.array(fc.constantFrom(...from), { minLength: 1, maxLength: 25 })
  const last = ends(names.filter(name => !isOutage(name)))
  const property = fc.asyncProperty(fc.oneof(fc.tuple(last), fc.tuple(ends(names), last)), async scripts => {
    const { reply, met } = await runAt(scripts, time)
    for (const ofModel of met) {
      const steps = 1 + ofModel.filter(name => name === 'call').length
      // Four that are the same, one more for an answer, and the four that a run may change.
      expect(ofModel.length).toBeLessThanOrEqual(5 * steps + 4)
    }
    const isWritten = met.flat().some(name => ['answer', 'announced', 'broken'].includes(name))
    if (reply.status === 'success') expect(isWritten).toBe(true)
  })
  await holds(crowd(40, 13), property)
})
