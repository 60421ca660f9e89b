import { asks, call, says, toolTexts, type WireCall } from '@agent-task-service/test-support/openai-replies'
import { inTurn, type ModelRequest, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add, tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

const tools = [add, tool('ping', () => 'pong')]

/** A run in which the model makes these calls in one turn: the results it gets, and how the run ends. */
async function runCalls(calls: readonly WireCall[], config: Record<string, unknown> = {}) {
  const server = await openAIServer(inTurn(asks(calls), says('So be it.')))
  const service = await testService({ ...server.env, LOG_ERRORS: 'brief' }, { tools })
  const reply = await service.run('Go on', { system_prompt: '', ...config })
  expect(reply).toMatchObject({ status: 'success', output: 'So be it.' })
  expect(server.requests).toHaveLength(2)
  return { reply, lines: service.lines, request: server.requests[1]!, texts: toolTexts(server.requests[1]!) }
}

/** Each result answers the call at the same position, as every provider insists. */
function expectPaired({ body }: ModelRequest) {
  const asked = body.messages.find(({ role }) => role === 'assistant')?.tool_calls?.map(({ id }) => id) ?? []
  const answered = body.messages.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id)
  expect(answered).toEqual(asked)
  expect(new Set(asked).size).toBe(asked.length)
  for (const id of asked) expect(id).toMatch(/\S/)
  return asked
}

// EVIDENCE-OF docs/reference/tool-rules.md: Arguments that do not match never reach the tool; the model reads what is wrong
//   and how the call should look.
test.each([
  {
    title: "a tool's own refusal",
    calls: [call('add', { a: 999, b: 2 })],
    told: ['Error: the sum is over 1000; add smaller numbers'],
  },
  {
    title: 'an unknown tool',
    calls: [call('subtract', { a: 1 })],
    told: ['Error: there is no tool "subtract". Available tools: add, ping.'],
  },
  {
    title: 'an argument of the wrong type',
    calls: [call('add', { a: 'one', b: 2 })],
    told: [
      expect.stringMatching(
        /^Error: the arguments \{"a":"one","b":2\} do not fit\. a: .*expected number.*\. Call it as add\(\{"a": number, "b": number\}\)\.$/,
      ),
    ],
  },
  {
    title: 'arguments that are not JSON',
    calls: [call('add', '{"a": 1, b: 2')],
    told: [
      'Error: the arguments are not valid JSON: {"a": 1, b: 2. Call it as add({"a": number, "b": number}).',
    ],
  },
  {
    title: 'arguments that are JSON but not an object',
    calls: ['[1,2]', '"1+2"', '3', 'null'].map(args => call('add', args)),
    told: ['[1,2]', '"1+2"', '3', 'null'].map(args =>
      expect.stringContaining(`the arguments ${args} do not fit. arguments: Invalid input: expected object`),
    ),
  },
  {
    title: 'valid and invalid calls mixed',
    calls: [
      call('add', '{'),
      call('add', { a: 1, b: 1 }),
      call('add', '}'),
      call('nothing', {}),
      call('add', { a: 2, b: 2 }),
    ],
    told: [
      expect.stringContaining('not valid JSON: {.'),
      '2',
      expect.stringContaining('not valid JSON: }.'),
      expect.stringContaining('there is no tool "nothing"'),
      '4',
    ],
  },
])('$title: the model reads what was wrong and what would be right, and answers', async ({ calls, told }) => {
  const { texts, request, reply } = await runCalls(calls)
  expect(texts).toEqual(told)
  expectPaired(request)
  expect(reply.metrics).toMatchObject({ steps: 2 + calls.length })
})

// EVIDENCE-OF docs/reference/threat-model.md: A deceived model may misuse every tool that it has.
// EVIDENCE-OF docs/reference/threat-model.md: Code limits what a run can do: the list of tools, each tool's own checks, the budget, the
//   deadline, and the addresses that it may reach.
// EVIDENCE-OF docs/reference/tool-rules.md: A call of a tool that is not enabled for the run is refused, and the model reads
//   so
test('a disabled tool does not run, even if the model calls it', async () => {
  const one = await runCalls([call('add', { a: 1, b: 1 })], { enabled_tools: ['ping'] })
  expect(one.texts).toEqual(['Error: there is no tool "add". Available tools: ping.'])
  const none = await runCalls([call('add', { a: 1, b: 1 })], { enabled_tools: [] })
  expect(none.texts).toEqual(['Error: there is no tool "add". No tool is enabled for this run.'])
})

test('ids that look like generated ones stay apart, and faults stay with their calls', async () => {
  const ids = ['', 'call_1', '', 'x_6', 'x', 'x']
  const { request, texts } = await runCalls(
    ids.map((id, index) => call('add', index === 1 || index === 5 ? '{' : { a: index, b: 0 }, id)),
  )
  // The first of two keeps its id.
  expect(expectPaired(request)[4]).toBe('x')
  const fault = expect.stringContaining('not valid JSON')
  expect(texts).toEqual(['0', fault, '2', '3', '4', fault])
})

test('the log names real tools, not names the model makes up', async () => {
  const { lines } = await runCalls([call('password is hunter2', {}), call('ping', {})])
  expect(lines).toMatchObject([{ tools: ['ping'], steps: 4 }])
})

// EVIDENCE-OF docs/reference/threat-model.md: Each tool has a time limit and gets only its own secrets.
// EVIDENCE-OF docs/reference/tool-rules.md: The model reads up to 20,000 characters, of a longer text the first 15,000 and
//   the last 5,000: errors stand at the end.
test('an endless result is cut between characters, and says so', async () => {
  const flood = tool('flood', () => `a${'🌊'.repeat(25_000)}: it failed`)
  const server = await openAIServer(inTurn(asks([call('flood', {})]), says('Wet.')))
  const { run } = await testService(server.env, { tools: [flood] })
  expect(await run('Flood')).toMatchObject({ status: 'success' })
  const [text] = toolTexts(server.requests[1]!) as [string]
  const [first, last] = [`a${'🌊'.repeat(7_499)}\uFFFD`, `${'🌊'.repeat(2_494)}: it failed`]
  expect(text).toMatch(/: it failed$/)
  expect(text).toBe(`${first}\n[cut: the first 15000 and the last 5000 of 50012 characters]\n\uFFFD${last}`)
})
