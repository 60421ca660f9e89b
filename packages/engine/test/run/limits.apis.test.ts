import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { asks, call, noticeIn, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer, type Script } from '@agent-task-service/test-support/openai-server'
import { add, tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { expect, test } from 'vitest'

const sums = (count: number) => Array.from({ length: count }, (_, a) => call('add', { a, b: 1 }))
const isWrapUp = /No tool can be called any more: answer now/

async function runLimited(
  env: Record<string, string>,
  script: Script,
  tools: StructuredToolInterface[] = [add],
) {
  const server = await openAIServer(script)
  const service = await testService({ SYSTEM_PROMPT: 'Be the agent.', ...server.env, ...env }, { tools })
  const reply = await service.run('Add them')
  return { reply, requests: server.requests, stop: service.lines[0]?.stop }
}

/** A tool that takes this long, and its first call. */
function slowTool(milliseconds: number) {
  const { promise: called, resolve } = Promise.withResolvers<void>()
  const slow = tool('slow', async () => {
    resolve()
    await new Promise(done => setTimeout(done, milliseconds))
    return 'slow is done'
  })
  return { slow, called }
}

test.each([1, 2])('MAX_STEPS=%i leaves room only for an answer, so no tool is offered', async maxSteps => {
  const { reply, requests, stop } = await runLimited({ MAX_STEPS: `${maxSteps}` }, inTurn(says('About 3')))
  expect(reply).toMatchObject({ status: 'success', output: 'About 3', metrics: { steps: 1 } })
  expect(stop).toBe('max_steps')
  expect(requests[0]!.body.tools).toBeUndefined()
  expect(requests[0]!.body.messages).toMatchObject([
    { role: 'system', content: expect.stringMatching(isWrapUp) },
    { role: 'user', content: 'Add them' },
  ])
})

// EVIDENCE-OF docs/configuration.md: | `SYSTEM_PROMPT` |
test('MAX_STEPS=3 leaves room for one tool and the answer after it', async () => {
  const { reply, requests, stop } = await runLimited({ MAX_STEPS: '3' }, inTurn(asks(sums(1)), says('1')))
  expect(reply).toMatchObject({ status: 'success', output: '1', metrics: { steps: 3 } })
  expect(stop).toBe('max_steps')
  expect(requests.map(({ body }) => [body.tools?.length, body.tool_choice])).toEqual([
    [1, undefined],
    [1, 'none'],
  ])
  const [first, second] = requests.map(({ body }) => body.messages)
  expect(first![0]).toEqual({ role: 'system', content: 'Be the agent.' })
  // What it was asked before begins the request unchanged.
  expect(second!.slice(0, first!.length)).toEqual(first)
  expect(noticeIn(requests[1]!)).toMatch(/^The steps for this task are nearly used up\. No tool can /)
})

// EVIDENCE-OF docs/configuration.md: | `MAX_STEPS` |
// EVIDENCE-OF docs/reference/errors.md: `MAX_STEPS` were nearly used up, and the model answered with what it had; `error` if no step was
//   left for an answer or the graph looped without end
// EVIDENCE-OF docs/reference/threat-model.md: A run has no end, in steps, tokens or time
// EVIDENCE-OF docs/reference/threat-model.md: Anyone who can write text that it reads can ask for whatever its tools can do.
test('stops a model that keeps asking for tools within its steps; it answers with what it knows', async () => {
  const endless: Script = ({ body }) => (body.tool_choice === 'none' ? says('So far: 1') : asks(sums(1)))
  for (const maxSteps of [4, 5, 50]) {
    const { reply, stop } = await runLimited({ MAX_STEPS: `${maxSteps}` }, endless)
    expect(reply).toMatchObject({ status: 'success', output: 'So far: 1' })
    const { steps } = reply.metrics as { steps: number }
    // Rounds of two steps plus one answer cannot use up an even number.
    expect(steps).toBe(maxSteps % 2 === 1 ? maxSteps : maxSteps - 1)
    expect(stop).toBe('max_steps')
  }
})

// EVIDENCE-OF docs/reference/threat-model.md: A run has no end, in steps, tokens or time
test('of 200 tool calls in one turn, runs as many as the steps allow; each has a result', async () => {
  const { reply, requests } = await runLimited({ MAX_STEPS: '12' }, inTurn(asks(sums(200)), says('Some')))
  expect(reply).toMatchObject({ status: 'success', output: 'Some', metrics: { steps: 12 } })
  const notRun = 'Not run: the limit of 12 steps was reached.'
  expect(toolTexts(requests[1]!)).toEqual(
    Array.from({ length: 200 }, (_, a) => (a < 10 ? `${a + 1}` : notRun)),
  )
})

test('a model that asks for tools it was not offered gets none, and is asked for an answer', async () => {
  const { reply, requests } = await runLimited({ MAX_STEPS: '2' }, inTurn(asks(sums(1)), says('About 3')))
  expect(reply).toMatchObject({ status: 'success', output: 'About 3', metrics: { steps: 2 } })
  expect(toolTexts(requests[1]!)).toEqual(['Not run: the limit of 2 steps leaves no room for it.'])
})

// EVIDENCE-OF docs/reference/errors.md: `MAX_STEPS` were nearly used up, and the model answered with what it had; `error` if no step was
//   left for an answer or the graph looped without end
// EVIDENCE-OF docs/reference/graph-rules.md: It never begins, and the run ends with an `error` that names the limit.
test('without a step for an answer the run fails and names the limit', async () => {
  const { reply, requests } = await runLimited({ MAX_STEPS: '1' }, inTurn(asks(sums(1))))
  expect(reply).toMatchObject({
    status: 'error',
    error: 'the limit of 1 step was used up before there was an answer',
  })
  expect(requests).toHaveLength(1)
})

test('a model that still asks for tools at the very end gave no answer', async () => {
  const { reply, requests, stop } = await runLimited({ MAX_STEPS: '4' }, () => asks(sums(1)))
  expect(reply).toMatchObject({ status: 'error', error: 'the model called tools in place of an answer' })
  expect(stop).toBe('empty_answer')
  expect(requests.map(({ body }) => body.tool_choice)).toEqual([undefined, 'none', 'none'])
})

// EVIDENCE-OF docs/configuration.md: | `ANSWER_BY_SEC` |
// EVIDENCE-OF docs/reference/errors.md: `ANSWER_BY_SEC` had passed: the model answered with what it had
test('past ANSWER_BY_SEC no tool is offered and the model is told to answer now', async () => {
  const time = fakeTime()
  const { slow, called } = slowTool(500)
  const script = inTurn(asks([call('slow', {})]), says('Done in time.'))
  const limited = runLimited({ ANSWER_BY_SEC: '0.5' }, script, [slow])
  await called
  await time.pass(500)
  const { reply, requests, stop } = await limited
  expect(reply).toMatchObject({ status: 'success', output: 'Done in time.', metrics: { steps: 3 } })
  expect(stop).toBe('soft_deadline')
  expect(requests.map(({ body }) => body.tool_choice)).toEqual([undefined, 'none'])
  expect(requests[1]!.body.messages[0]).toEqual({ role: 'system', content: 'Be the agent.' })
  expect(toolTexts(requests[1]!)).toEqual(['slow is done'])
  expect(noticeIn(requests[1]!)).toBe(
    'The time for this task is nearly over. No tool can be called any more: answer now, in the form that the task asks for, with what is known so far; if a part is missing, say which.',
  )
})

// EVIDENCE-OF docs/reference/tool-rules.md: Set `true` for a tool that needs no network and no wait, such as `calculator`
//   and `time`: past `ANSWER_BY_SEC` it may be called in one last turn if the caps allow it and as much time is left
//   as has passed.
test('past ANSWER_BY_SEC tools that take no time run once more, where time and caps allow it', async () => {
  const time = fakeTime()
  const instant = Object.assign(
    tool('sum', () => '3'),
    { metadata: { instantHint: true } },
  )
  const run = async (answerBySec: number, env: Record<string, string> = {}) => {
    const { slow, called } = slowTool(answerBySec * 1000)
    const script = inTurn(asks([call('slow', {})]), asks([call('sum', {}), call('slow', {})]), says('3'))
    const settings = { ANSWER_BY_SEC: `${answerBySec}`, ...env }
    const limited = runLimited(settings, script, [instant, slow, tool('other', () => '')])
    await called
    await time.pass(answerBySec * 1000)
    return await limited
  }
  const { reply, requests, stop } = await run(0.5)
  expect(reply).toMatchObject({ status: 'success', output: '3', metrics: { steps: 6 } })
  expect(stop).toBe('soft_deadline')
  expect(noticeIn(requests[1]!)).toContain(
    'Only sum can be called, in this turn for the last time; otherwise answer now',
  )
  // The result of the slow one stands in the conversation.
  expect(requests[1]!.body.tools?.map(({ function: { name } }) => name)).toEqual(['sum', 'slow'])
  expect(toolTexts(requests[2]!)).toEqual([
    'slow is done',
    '3',
    'Error: the 0.5 s allowed for an answer have passed: slow can no longer run.',
  ])
  expect(requests[2]!.body).toMatchObject({ tool_choice: 'none', messages: { length: 7 } })
  expect(noticeIn(requests[2]!)).toMatch(isWrapUp)
  const capped = await run(0.5, { MAX_STEPS: '4' })
  expect(capped.requests[1]!.body.tool_choice).toBe('none')
  // Less time is left than the first turn took.
  const late = await run(3, { RUN_TIMEOUT_SEC: '5.9' })
  expect(late.requests[1]!.body.tool_choice).toBe('none')
})
