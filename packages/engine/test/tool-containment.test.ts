import type { GraphParts } from '@agent-task-service/engine'
import { testGraph } from '@agent-task-service/engine/testing'
import { type AgentTool, ToolError, withSecrets } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { asks, call, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { AIMessage } from '@langchain/core/messages'
import { tool as langChainTool, type StructuredToolInterface } from '@langchain/core/tools'
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** A run in which the model calls one tool: the result it gets, and the log. */
async function runOne(used: StructuredToolInterface) {
  const server = await openAIServer(inTurn(asks([call(used.name, {})]), says('So be it.')))
  const { run, lines } = await testService({ ...server.env, LOG_ERRORS: 'brief' }, { tools: [used] })
  expect(await run('Go on')).toMatchObject({ status: 'success', output: 'So be it.', metrics: { steps: 3 } })
  return { texts: toolTexts(server.requests[1]!), lines }
}

// EVIDENCE-OF docs/guides/graph.md: The run does not wait for them beyond their time limit, but their request goes on.
// EVIDENCE-OF docs/reference/threat-model.md: Each tool has a time limit and gets only its own secrets.
// EVIDENCE-OF docs/reference/tool-rules.md: After that the signal aborts, and the model reads that the tool took too long
// EVIDENCE-OF docs/reference/tool-rules.md: It aborts at the time limit, at the run's deadline, and when the caller hangs up.
test('reports a hanging tool at its time limit, and leaves it behind', async () => {
  let given: AbortSignal | undefined
  const hang = (_args: object, { signal }: { signal: AbortSignal }) => {
    given = signal
    return new Promise<never>(() => {})
  }
  const { texts, lines } = await runOne(tool('hanging', hang, { timeLimitMs: 50 }))
  expect(texts).toEqual(['Error: the tool hanging took longer than 0.05 s'])
  expect(given?.aborted).toBe(true)
  expect(lines[0]).toMatchObject({
    level: 'warn',
    msg: 'tool failed',
    tool: 'hanging',
    err: { name: 'ToolTimeout' },
  })
})

// EVIDENCE-OF docs/reference/tool-rules.md: For failures that the model can act on: it reads the message verbatim
test('a foreseen one logs nothing', async () => {
  const wary = tool('wary', () => {
    throw new ToolError('try another')
  })
  const { texts, lines } = await runOne(wary)
  expect(texts).toEqual(['Error: try another'])
  expect(lines).toMatchObject([{ msg: 'run' }])
})

// EVIDENCE-OF docs/reference/threat-model.md: Each tool has a time limit and gets only its own secrets.
test('a long one is cut as a result is', async () => {
  const wordy = tool('wordy', () => {
    throw new ToolError(`${'x'.repeat(50_000)} and here is why`)
  })
  const { texts } = await runOne(wordy)
  const note = '[cut: the first 15000 and the last 5000 of 50016 characters]'
  const last = `${'x'.repeat(4_984)} and here is why`
  expect(texts).toEqual([`Error: ${'x'.repeat(15_000)}\n${note}\n${last}`])
})

const HIDDEN = 'connect postgres://admin:hunter2@10.0.0.7'

const odd: [what: string, thrown: unknown][] = [
  ['a string', HIDDEN],
  ['undefined', undefined],
  ['an error without a stack', Object.assign(new Error(HIDDEN), { stack: undefined })],
  ['an error whose parts are not text', Object.assign(new Error(), { name: 7, message: 8, stack: null })],
]

// EVIDENCE-OF docs/reference/threat-model.md: One hangs, throws secrets, floods, or takes another's key
// EVIDENCE-OF docs/reference/tool-rules.md: A bug in the tool; the outcome counts as unknown, as after a time limit.
test.each(odd)('contains a tool that throws %s', async (_what, thrown) => {
  const odd = tool('odd', () => Promise.reject(thrown))
  const { texts, lines } = await runOne(odd)
  expect(texts).toEqual(['Error: the tool odd failed.'])
  expect(lines).toMatchObject([{ msg: 'tool failed', tool: 'odd' }, { msg: 'run' }])
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})

// EVIDENCE-OF docs/reference/threat-model.md: Each tool has a time limit and gets only its own secrets.
// EVIDENCE-OF docs/reference/threat-model.md: A tool gets only the secrets it declares, an MCP program only the variables its entry
//   names, a log line only the listed fields.
// EVIDENCE-OF docs/reference/tool-rules.md: What a tool reads from `process.env` by itself is masked by guess only
test('a tool gets its own secrets, and no other tool does', async () => {
  const seen: unknown[] = []
  const see = (name: string, values: object) => {
    const run = () => {
      seen.push(values)
      return `the key is ${Object.values(values)[0]}`
    }
    return tool(name, run)
  }
  const tools: AgentTool[] = [
    withSecrets(['SHOP_KEY'], values => see('shop', values)),
    withSecrets(['POST_KEY'], values => see('post', values)),
    see('plain', {}),
  ]
  const calls = ['shop', 'post', 'plain'].map(name => call(name, {}))
  const server = await openAIServer(inTurn(asks(calls), says('The key is shop-key-of-mine.')))
  const keys = { SHOP_KEY: 'shop-key-of-mine', POST_KEY: 'post-key-of-mine' }
  const { run, lines } = await testService({ ...server.env, ...keys }, { tools })
  expect(await run('Go on')).toMatchObject({ output: 'The key is [redacted].' })
  expect(seen).toEqual([{ SHOP_KEY: 'shop-key-of-mine' }, { POST_KEY: 'post-key-of-mine' }, {}])
  expect(JSON.stringify(lines)).not.toContain('key-of-mine')
})

test('the types restrict a tool to the secrets it declares', () => {
  withSecrets(['SHOP_KEY'], secrets => {
    // @ts-expect-error: not declared
    secrets.POST_KEY
    return tool('typed', () => secrets.SHOP_KEY)
  })
})

const unfit: [problem: string, fields: { name?: string; schema?: z.ZodType; metadata?: object }][] = [
  ['expected a name of 1 to 64 letters, digits, _ or -', { name: 'two words' }],
  ['expected an object schema, got one for "array"', { schema: z.array(z.string()) }],
  ['expected an object schema, got one for "anything"', { schema: z.any() }],
  ['expected a schema that JSON Schema can express', { schema: z.object({ day: z.date() }) }],
  ['expected a timeLimitMs of 1 to 2147483647, got 0', { metadata: { timeLimitMs: 0 } }],
  [
    'expected a timeLimitMs of 1 to 2147483647, got Infinity',
    { metadata: { timeLimitMs: Number.POSITIVE_INFINITY } },
  ],
  [
    'expected readOnlyHint in its metadata, got readonlyHint',
    { metadata: { readonlyHint: false } as object },
  ],
]

/** The tool as it is offered. */
async function offered(own: StructuredToolInterface): Promise<StructuredToolInterface> {
  const { parts } = await testGraph(agent, { tools: [own] })
  return parts.tools[0]!
}

// EVIDENCE-OF docs/reference/tool-rules.md: 1 to 64 letters, digits, `_` and `-`; unique
// EVIDENCE-OF docs/reference/tool-rules.md: Arguments that do not match never reach the tool; the model reads what is wrong
//   and how the call should look.
// EVIDENCE-OF docs/reference/tool-rules.md: If a tool cannot be offered, for example because two share a name, the process
//   does not start and says what is wrong.
test.each(unfit)('a tool that cannot be offered: %s', async (problem, fields) => {
  const whole = { name: 'whole', description: '', schema: z.object({}), ...fields }
  const unfit = langChainTool(() => '', whole as never) as StructuredToolInterface
  await expect(testService({}, { tools: [unfit] })).rejects.toMatchObject({
    name: 'SetupError',
    message: expect.stringContaining(`the tool ${JSON.stringify(whole.name)}: ${problem}`),
  })
})

// EVIDENCE-OF docs/reference/tool-rules.md: These rules apply whoever calls the tool: the tool-call node, LangGraph's
//   `ToolNode`, a prebuilt agent, or your own node.
// EVIDENCE-OF docs/reference/tool-rules.md: A call of a tool that is not enabled for the run is refused, and the model reads
//   so
test('a tool that is not enabled refuses even a caller that was never offered it', async () => {
  const own = await offered(tool('own', () => 'done'))
  const config = { context: { enabled_tools: ['other'] } }
  await expect(own.invoke({}, config as never)).rejects.toThrow('not enabled')
})

// EVIDENCE-OF docs/reference/tool-rules.md: | `name` |
// EVIDENCE-OF docs/reference/tool-rules.md: If a tool cannot be offered, for example because two share a name, the process
//   does not start and says what is wrong.
test('two tools with one name cannot be offered', async () => {
  const twin = tool('twin', () => '')
  await expect(testService({}, { tools: [twin, twin] })).rejects.toMatchObject({
    name: 'SetupError',
    message: 'two tools are named "twin"',
  })
})

/** Asks a person before it acts: LangChain's pattern for approvals. */
const approval = tool('send_email', () => `approved: ${interrupt('Send it?')}`)
const APPROVAL_ERROR = 'the tool "send_email" called interrupt(), which needs a thread; POST /run has none'

// EVIDENCE-OF docs/reference/errors.md: The graph needs a thread, for a subgraph's checkpointer or for `interrupt()`, whose node or tool
//   the error names.
test('one that calls interrupt() ends the run, with an error that names it', async () => {
  const server = await openAIServer(inTurn(asks([call('send_email', {})]), says('Sent.')))
  const { run, lines } = await testService(server.env, { tools: [approval] })
  expect(await run('Send it')).toMatchObject({ status: 'error', error: APPROVAL_ERROR })
  expect(lines.map(({ msg, stop }) => [msg, stop])).toEqual([['run', 'not_over_http']])
})

const asking = new AIMessage({
  content: '',
  tool_calls: [{ id: 'call_1', name: 'send_email', args: {}, type: 'tool_call' }],
})

/** A graph that calls the tool in LangChain's ToolNode. */
const graphOf = ({ tools }: GraphParts, checkpointer?: MemorySaver) =>
  new StateGraph(MessagesAnnotation)
    .addNode('tools', new ToolNode([...tools]))
    .addEdge(START, 'tools')
    .compile({ checkpointer })

// EVIDENCE-OF docs/guides/graph.md: over HTTP the run ends with `the tool "refund" called interrupt(), which needs a thread;
//   POST /run has none`
test("... in LangChain's ToolNode too", async () => {
  const { graph } = await testGraph({ ...agent, graph: parts => graphOf(parts) }, { tools: [approval] })
  await expect(graph().invoke({ messages: [asking] })).rejects.toMatchObject({
    reason: 'not_over_http',
    message: APPROVAL_ERROR,
  })
})

test('with a thread it pauses, which is no failure, and goes on with the answer', async () => {
  const threaded = { ...agent, graph: (parts: GraphParts) => graphOf(parts, new MemorySaver()) }
  const { graph, lines } = await testGraph(threaded, { tools: [approval] })
  const config = { configurable: { thread_id: '1' } }
  await graph().invoke({ messages: [asking] }, config)
  expect((await graph().getState(config)).next).toEqual(['tools'])
  const { messages } = await graph().invoke(new Command({ resume: 'yes' }), config)
  expect(messages.at(-1)?.text).toBe('approved: yes')
  expect(lines).toEqual([])
})

// EVIDENCE-OF docs/reference/tool-rules.md: Arguments that do not match never reach the tool; the model reads what is wrong
//   and how the call should look.
test.each<[what: string, args: object, reads: object]>([
  ['null for a member that may be absent', { list: ['a'], count: null }, { list: ['a'] }],
  ['a bare string where a list is expected', { list: 'a' }, { list: ['a'] }],
  ['a number in quotes', { list: ['a'], count: ' 2 ' }, { list: ['a'], count: 2 }],
])('arguments written as models write them: %s', async (_what, args, reads) => {
  const given: object[] = []
  const schema = z.object({ list: z.array(z.string()), count: z.number().optional() })
  const fields = { name: 'lists', description: '', schema }
  const guarded = await offered(langChainTool(args => `${given.push(args)}`, fields))
  await guarded.invoke(args as never)
  expect(given).toEqual([reads])
})

// EVIDENCE-OF docs/reference/tool-rules.md: Arguments that do not match never reach the tool; the model reads what is wrong
//   and how the call should look.
test('arguments that do not fit never reach the tool', async () => {
  const given: object[] = []
  const fields = { name: 'lists', description: '', schema: z.object({ list: z.array(z.string()) }) }
  const guarded = await offered(langChainTool(args => `${given.push(args)}`, fields))
  await expect(guarded.invoke({ list: [7] } as never)).rejects.toThrow()
  expect(given).toEqual([])
})

// EVIDENCE-OF docs/reference/tool-rules.md: It aborts at the time limit, at the run's deadline, and when the caller hangs up.
test('when the caller hangs up, the signal of its tool aborts', async () => {
  const started = Promise.withResolvers<AbortSignal>()
  const waiting = tool('waiting', (_args, { signal }) => {
    started.resolve(signal)
    return new Promise<never>(() => {})
  })
  const server = await openAIServer(inTurn(asks([call('waiting', {})])))
  const { app, tasks, lines } = await testService(server.env, { tools: [waiting] })
  const caller = new AbortController()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ task_id: 'test-1', input: 'Wait' })
  void app.request('/run', { method: 'POST', headers, body, signal: caller.signal })
  const signal = await started.promise
  expect(signal.aborted).toBe(false)
  const aborted = new Promise(resolve => signal.addEventListener('abort', resolve))
  caller.abort()
  await aborted
  await tasks.idle()
  expect(lines.at(-1)).toMatchObject({ msg: 'run', stop: 'hang_up' })
})
