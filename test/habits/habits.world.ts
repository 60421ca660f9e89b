import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { some } from '@agent-task-service/test-support/at-length'
import { type Collector, startCollector } from '@agent-task-service/test-support/collector'
import {
  type ModelRequest,
  type OpenAIServer,
  openAIServer,
} from '@agent-task-service/test-support/openai-server'
import { type Studio, startStudio } from '@agent-task-service/test-support/studio'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { copiesWith } from './copies.ts'
import type { Edit, Ending, Task } from './edit.ts'
import { broken, forgottenCap, ownCheckpointer, settingBeyondJson, staticInterrupt } from './edits/refused.ts'
import * as edits from './edits.ts'
import { studioClient } from './in-studio.ts'
import { hold, obedient, USAGE } from './obedient-model.ts'
import { type HttpRun, serve } from './over-http.ts'

const run = promisify(execFile)

let root: string
let model: OpenAIServer
let collector: Collector
let studio: Studio
let env: Record<string, string>

beforeAll(async () => {
  root = await copiesWith({
    ...edits,
    ...broken,
    forgottenCap,
    ownCheckpointer,
    settingBeyondJson,
    staticInterrupt,
  })
  model = await openAIServer(() => obedient)
  collector = await startCollector()
  const claude = {
    ANTHROPIC_API_KEY: 'sk-ant-1-a-key',
    ANTHROPIC_BASE_URL: model.env.OPENAI_BASE_URL.replace('/v1', ''),
  }
  const SIGNING_KEY = 'signing-key-4711'
  env = {
    ...model.env,
    ...claude,
    SIGNING_KEY,
    MAX_STEPS: '8',
    MAX_TOTAL_TOKENS: '2000',
    ERROR_METRICS: 'filled',
  }
  // Models that an edit creates read it themselves.
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const graphs = [...Object.keys(edits), 'ownCheckpointer', 'staticInterrupt'].map(name => [
    name,
    join(root, name, 'src/studio.ts:agent'),
  ])
  studio = await startStudio(env, Object.fromEntries(graphs))
}, 120_000)

afterAll(async () => {
  await studio?.stop()
  if (root) await rm(root, { recursive: true })
})

/** Complaints of LangChain and LangGraph. */
const printed = vi.spyOn(console, 'error')

afterEach(() => expect(printed).not.toHaveBeenCalled())

// EVIDENCE-OF docs/reference/errors.md [endlessLoop]: `success` or `error`
// EVIDENCE-OF docs/reference/errors.md [interruption]: Studio has threads, `POST /run` has none
// EVIDENCE-OF docs/guides/graph.md: `POST /run` and LangGraph Studio run the same compiled graph, so what works in one works in the
//   other, apart from threads.
// EVIDENCE-OF docs/guides/graph.md [clientInParts]: The task comes in as the only message.
// EVIDENCE-OF docs/guides/graph.md [ownStateSchema]: A node that needs the model, the tools, the system prompt or the limits is made
//   by a function of `parts`, like `plan(parts)`.
// EVIDENCE-OF docs/guides/graph.md [messagesAnnotation]: A node that needs the model, the tools, the system prompt or the limits is
//   made by a function of `parts`, like `plan(parts)`.
// EVIDENCE-OF docs/guides/graph.md [stateKey]: An `UntrackedValue` lasts for one run.
// EVIDENCE-OF docs/guides/graph.md [ownStateSchema]: All forms of LangGraph's pages work: a `StateSchema` of your own,
//   `MessagesAnnotation`, `Annotation.Root`, a Zod object.
// EVIDENCE-OF docs/guides/graph.md [messagesAnnotation]: All forms of LangGraph's pages work: a `StateSchema` of your own,
//   `MessagesAnnotation`, `Annotation.Root`, a Zod object.
// EVIDENCE-OF docs/guides/graph.md [annotationWithInput]: All forms of LangGraph's pages work: a `StateSchema` of your own,
//   `MessagesAnnotation`, `Annotation.Root`, a Zod object.
// EVIDENCE-OF docs/guides/graph.md [zodState]: All forms of LangGraph's pages work: a `StateSchema` of your own, `MessagesAnnotation`,
//   `Annotation.Root`, a Zod object.
// EVIDENCE-OF docs/guides/graph.md [keyOfSeveralNodes]: A key that nodes write in parallel, or to which each adds, is a `ReducedValue`.
// EVIDENCE-OF docs/guides/graph.md [guardAfterStart]: To refuse with an error, throw one.
// EVIDENCE-OF docs/guides/graph.md [nodeThatThrows]: `the agent failed`; the log has its class and location, Studio its message
// EVIDENCE-OF docs/guides/graph.md [fanOut]: Parallel calls cannot exceed the budget together: each takes its step before it begins,
//   and under a token cap they run one at a time.
// EVIDENCE-OF docs/guides/agent-loops.md [prebuiltAgent]: Its calls are counted and cancelled like all others.
// EVIDENCE-OF docs/guides/agent-loops.md [langChainAgent]: Leave out `systemPrompt`, to which it would be added.
// EVIDENCE-OF docs/guides/agent-loops.md [langChainAgent]: `parts.model` is offered no tool of `parts.tools` that the run
//   leaves out.
// EVIDENCE-OF docs/guides/agent-loops.md [reactAgent]: `parts.model` is offered no tool of `parts.tools` that the run leaves
//   out.
// EVIDENCE-OF docs/guides/agent-loops.md [toolNode]: A call that ToolNode rejects itself, for an unknown name or bad
//   arguments, is not a step.
// EVIDENCE-OF docs/guides/graph.md [modelInANode]: The call is a step, however you make it: with `config`, without, with callbacks of
//   its own, through `stream`, `bindTools`, `withStructuredOutput`, `withRetry`, `withFallbacks` or `prompt.pipe(model)`.
// EVIDENCE-OF docs/guides/graph.md [structuredOutput]: The call is a step, however you make it: with `config`, without, with callbacks
//   of its own, through `stream`, `bindTools`, `withStructuredOutput`, `withRetry`, `withFallbacks` or `prompt.pipe(model)`.
// EVIDENCE-OF docs/guides/graph.md [structuredOutput]: Return the object as `structuredResponse`: it becomes the `output` of the
//   reply, as JSON.
// EVIDENCE-OF docs/guides/graph.md [modelOfOnesOwn]: Its calls are steps, counted, streamed, traced and ended with the run.
// EVIDENCE-OF docs/guides/graph.md: Its calls are steps, counted, streamed, traced and ended with the run.
// EVIDENCE-OF docs/reference/graph-rules.md [modelOfOnesOwn]: Read a stream to its end: the next call under a cap waits for
//   it
// EVIDENCE-OF docs/reference/graph-rules.md [ownModelInParallel]: Read a stream to its end: the next call under a cap waits
//   for it
// EVIDENCE-OF docs/guides/graph.md [otherChatClass]: The variables keep their names, whatever the provider, so that the key is checked
//   at start and masked everywhere.
// EVIDENCE-OF docs/reference/graph-rules.md [otherChatClass]: Every call is streamed.
// EVIDENCE-OF docs/guides/graph.md [shorterConversation]: Here old tool results are left out.
// EVIDENCE-OF docs/guides/graph.md [settingInThePrompt]: Over HTTP, `"config": {"audience": "children"}` sets it, and `{"audience":
//   7}` is refused with what was expected.
// EVIDENCE-OF docs/reference/graph-rules.md [ownSetting]: It ignores undeclared members.
// EVIDENCE-OF docs/guides/graph.md [customEvent]: Anything that is not JSON, or exceeds 8 kB, arrives as `{"omitted": why}`.
// EVIDENCE-OF docs/guides/graph.md [toolWithCommand]: `ends` is for the drawing in Studio.
// EVIDENCE-OF docs/guides/graph.md [interruption]: Put a condition before it, so that paths without a person never reach it.
// EVIDENCE-OF docs/guides/graph.md [guardAfterStart]: Put a condition before it, so that paths without a person never reach it.
// EVIDENCE-OF docs/guides/graph.md [approvalInATool]: A tool can call `interrupt()` too, whichever node calls the tool
// EVIDENCE-OF docs/reference/graph-rules.md [ownStore]: Studio's store, as `config.store`
// EVIDENCE-OF docs/reference/graph-rules.md [retriedNode]: A model call or a tool call, counted when it begins.
// EVIDENCE-OF docs/reference/graph-rules.md: A model call or a tool call, counted when it begins.
// EVIDENCE-OF docs/reference/graph-rules.md [insistentNode]: It never begins, and the run ends with an `error` that names the
//   limit.
// EVIDENCE-OF docs/reference/graph-rules.md [modelCall]: It never begins, and the run ends with an `error` that names the
//   limit.
// EVIDENCE-OF docs/reference/graph-rules.md [endlessLoop]: Ten per step plus a hundred: a loop that calls neither model nor
//   tool ends as `max_steps`
// EVIDENCE-OF docs/reference/tool-rules.md [toolNode]: These rules apply whoever calls the tool: the tool-call node,
//   LangGraph's `ToolNode`, a prebuilt agent, or your own node.
// EVIDENCE-OF docs/reference/tool-rules.md [langChainTools]: Arguments that do not match never reach the tool; the model
//   reads what is wrong and how the call should look.
// EVIDENCE-OF docs/reference/tool-rules.md [toolWithCommand]: The model reads up to 20,000 characters, of a longer text the
//   first 15,000 and the last 5,000: errors stand at the end.
// EVIDENCE-OF docs/reference/tool-rules.md [langChainTools]: The model reads up to 20,000 characters, of a longer text the
//   first 15,000 and the last 5,000: errors stand at the end.
test.each(some(Object.entries<Edit>(edits), 4))('%s', async (name, { tasks }) => {
  const agent = await serve(join(root, name), { ...env, ...collector.env })
  const inStudio = studioClient(studio.url)
  const traces: { readonly id: unknown; readonly task: Task }[] = []
  for (const task of tasks) {
    const overHttp = await asked(() => agent.run(task))
    expectRun(overHttp.result, overHttp.requests, task)
    traces.push({ id: overHttp.result.line.trace_id, task })

    const there = await asked(() => inStudio.run(name, task))
    expectEnding(there.result, task.studio ?? task, 'in Studio')
    expect(there.result.custom).toEqual(task.custom ?? [])
    if (task.error === undefined)
      expect(there.requests.map(gist), 'what the model is asked in Studio').toEqual(
        overHttp.requests.map(gist),
      )
    else expect(there.requests.length).toBeLessThanOrEqual(task.modelCalls ?? 0)
  }
  await agent.close()
  for (const { id, task } of traces) {
    const named = (prefix: string) =>
      collector.spans.filter(({ traceId, name }) => traceId === id && name.startsWith(prefix)).length
    expect(named('chat '), 'spans of model calls').toBe(task.modelCalls ?? 0)
    expect(named('execute_tool'), 'spans of tool calls').toBe(task.toolCalls ?? 0)
  }
})

/** Edits whose model call with this index never returns, and the input that causes it. */
const waits: [edit: keyof typeof edits, input: string, index: number][] = [
  ['insistentNode', 'Wait', 0],
  ['modelInANode', 'without config: Wait', 1],
  ['modelInANode', 'own callbacks: Wait', 1],
  ['modelInANode', 'own signal: Wait', 1],
  ['modelInANode', 'stream: Wait', 1],
  ['modelOfOnesOwn', 'Plainly Wait', 1],
  ['prebuiltAgent', 'Wait', 0],
  ['subgraph', 'Then Wait', 1],
  ['expertAsATool', 'Use expert with {"question":"Wait"}', 1],
]

// EVIDENCE-OF docs/guides/agent-loops.md: Its calls are counted and cancelled like all others.
// EVIDENCE-OF docs/guides/graph.md: Its calls are steps, counted, streamed, traced and ended with the run.
// EVIDENCE-OF docs/reference/graph-rules.md: They abort `config.signal`.
test.each(some(waits, 3))("%s, %j: a hang-up closes the model's socket", async (name, input, index) => {
  const agent = await serve(join(root, name), env)
  const first = model.requests.length
  const watched = agent.watch({ input })
  await watched.nextOf('run_started')
  const waiting = await model.arrival(first + index)
  watched.close()
  await waiting.closed
  await vi.waitFor(() => expect(agent.lines.at(-1)).toMatchObject({ msg: 'run', stop: 'hang_up' }))

  const { client } = studioClient(studio.url)
  const next = model.requests.length
  expect(next).toBe(first + index + 1)
  const { thread_id } = await client.threads.create()
  const { run_id } = await client.runs.create(thread_id, name, {
    input: { messages: [{ role: 'user', content: input }] },
  })
  const inStudio = await model.arrival(next + index)
  await client.runs.cancel(thread_id, run_id)
  await inStudio.closed
  expect(model.requests).toHaveLength(next + index + 1)
})

test('parallel calls: each piece of text carries the step of its call', async () => {
  // Under a token cap they would run one at a time.
  const agent = await serve(join(root, 'fanOut'), model.env)
  const watched = agent.watch({ input: 'hold-1\nhold-2\nhold-3' })
  const texts = new Map<number, string>()
  const take = ({ step, text }: { step: number; text: string }) =>
    texts.set(step, (texts.get(step) ?? '') + text)
  // Each has said "You s", whose end waits: a secret may begin that way.
  for (let piece = 0; piece < 3; piece += 1) take((await watched.nextOf('text')).data)
  hold.resolve()
  for (const { type, data } of await watched.rest()) if (type === 'text') take(data)
  expect([...texts.values()].sort()).toEqual([1, 2, 3].map(at => `You said: hold-${at}`))
})

// EVIDENCE-OF docs/guides/graph.md: In Studio the run stops there and continues with your answer.
test('interrupt: Studio asks, and continues with the answer', async () => {
  const { client } = studioClient(studio.url)
  const { thread_id } = await client.threads.create()
  const input = { messages: [{ role: 'user', content: 'Hello' }] }
  await client.runs.wait(thread_id, 'interruption', { input })
  const { tasks } = await client.threads.getState(thread_id)
  expect(tasks).toMatchObject([{ name: 'approve', interrupts: [{ value: 'Send this? You said: Hello' }] }])
  const values = await client.runs.wait(thread_id, 'interruption', { command: { resume: 'no' } })
  expect((values as { messages: { content: string }[] }).messages.at(-1)?.content).toBe(
    'This answer was held back.',
  )
})

// EVIDENCE-OF docs/reference/graph-rules.md: Start-up refuses a model that ignores it.
test('a model in the list that ignores the cap is refused at start, over HTTP and in Studio', async () => {
  const folder = join(root, 'forgottenCap')
  const expected = 'the model "claude": expected create() to pass { maxTokens } to ChatAnthropic'
  await expect(serve(folder, env)).rejects.toThrow(expected)
  expect(await printedBy(folder, './src/main.ts')).toContain(expected)
  expect(await printedBy(folder, './src/studio.ts')).toContain(expected)
})

test.each([
  ['misspeltNode', 'Found edge ending at unknown node `plann`', ".compile({ name: 'agent' })"],
  ['unknownName', 'ReferenceError: undeclared is not defined', 'undeclared()'],
])('%s: at start, the message, the stack and the line', async (name, message, line) => {
  const folder = join(root, name)
  for (const entry of ['./src/main.ts', './src/studio.ts']) {
    const text = await printedBy(folder, entry, { LOG_ERRORS: 'full' })
    expect(text).toContain(message)
    expect(text).toMatch(/at \S*createGraph .*\(\S+graph\/graph\.ts:\d+:\d+\)/)
    const shown = text.split('\n')
    const at = shown.findIndex(each => /^ *\d+ \|/.test(each) && each.endsWith(line))
    expect(shown[at + 1]).toMatch(/^ +\^$/)
  }
  // In production, the message may quote a setting.
  expect(await printedBy(folder, './src/main.ts')).toMatch(/^cannot start: internal error \(.*\)\n$/)
})

// EVIDENCE-OF docs/reference/graph-rules.md: Variables that your list does not read have no effect; for `TEMPERATURE`,
//   `MODEL_PARAMS` and `FALLBACK_PARAMS` a warning at start says so.
test('settings that another class does not read are warned of at start; the log names the class', async () => {
  const settings = { TEMPERATURE: '0.2', MODEL_PARAMS: '{"top_p":1}', MODEL_PATIENCE_SEC: '30' }
  const agent = await serve(join(root, 'otherChatClass'), { ...env, ...settings, AGENT_TOKENS: 'any-token' })
  const warned = agent.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)
  const unused = ['TEMPERATURE', 'MODEL_PARAMS']
  expect(warned).toEqual(unused.map(name => `${name} is set, but graph/models.ts does not use it`))
  expect(agent.models.map(({ kind }) => kind)).toEqual([
    { provider: 'anthropic', chatClass: 'ChatAnthropic', takesTools: true, retries: 0 },
  ])
})

test('watchers see the nodes of a subgraph inside its own node', async () => {
  const agent = await serve(join(root, 'subgraph'), env)
  const { events } = await agent.run({ input: 'Hello' })
  const seen = events.flatMap(({ type, data }) => (type === 'node_finished' ? [data] : []))
  expect(seen.every(({ failed }) => !failed)).toBe(true)
  const nested = seen.filter(({ node }) => node.includes('/'))
  expect(nested.length).toBeGreaterThan(0)
  for (const { node } of nested) expect(seen.map(each => each.node)).toContain(node.split('/')[0])
})

// EVIDENCE-OF docs/reference/graph-rules.md: A type must be one that JSON can hold, without transforms.
test("a setting of one's own that JSON cannot hold is refused at start", async () => {
  await expect(serve(join(root, 'settingBeyondJson'), env)).rejects.toThrow(
    'the setting "since" in AgentContext',
  )
})

// EVIDENCE-OF docs/reference/graph-rules.md: Values are never logged.
test("own settings are in Studio's form, and in no log line and no span", async () => {
  const agent = await serve(join(root, 'ownSetting'), { ...env, ...collector.env })
  const { result } = await asked(() => agent.run({ input: 'Hello', config: { tenant: 'acme-of-zurich' } }))
  expect(result.output).toContain('acme-of-zurich')
  const before = collector.spans.length
  await agent.close()
  expect(collector.spans.length).toBeGreaterThan(before)
  expect(
    inspect([agent.lines, collector.spans.slice(before)], { depth: null, maxArrayLength: null }),
  ).not.toContain('zurich')

  const { client } = studioClient(studio.url)
  const [assistant] = await client.assistants.search({ graphId: 'ownSetting' })
  const { context_schema } = await client.assistants.getSchemas(assistant!.assistant_id)
  expect(context_schema?.properties).toMatchObject({
    tenant: { type: 'string', description: 'Whose data to use' },
    language: { enum: ['English', 'German'], default: 'English' },
  })
})

test.each(['langChainAgent', 'reactAgent', 'messagesAnnotation', 'ownStateSchema'])(
  "%s: the settings of every run are in Studio's form, though its graph declares none",
  async graphId => {
    const { client } = studioClient(studio.url)
    const [assistant] = await client.assistants.search({ graphId })
    const { context_schema } = await client.assistants.getSchemas(assistant!.assistant_id)
    expect(Object.keys(context_schema?.properties ?? {})).toEqual([
      'system_prompt',
      'max_tokens',
      'enabled_tools',
    ])
  },
)

// EVIDENCE-OF docs/reference/graph-rules.md: Stops there
test('static interrupts: Studio stops there, over HTTP they are refused at start', async () => {
  const folder = join(root, 'staticInterrupt')
  const expected = 'the graph is compiled with interruptBefore (respond), which needs a thread'
  await expect(serve(folder, env)).rejects.toThrow(expected)
  expect(await printedBy(folder, './src/main.ts')).toContain(expected)
  const { client } = studioClient(studio.url)
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'staticInterrupt', {
    input: { messages: [{ role: 'user', content: 'Hi' }] },
  })
  expect((await client.threads.getState(thread_id)).next).toEqual(['respond'])
})

// EVIDENCE-OF docs/reference/graph-rules.md: Studio's server uses its own
test('a checkpointer: Studio keeps its own threads, over HTTP it is refused at start', async () => {
  const expected = 'the graph is compiled with a checkpointer, which needs a thread'
  await expect(serve(join(root, 'ownCheckpointer'), env)).rejects.toThrow(expected)
  const { client } = studioClient(studio.url)
  const { thread_id } = await client.threads.create()
  const input = { messages: [{ role: 'user', content: 'Hi' }] }
  await client.runs.wait(thread_id, 'ownCheckpointer', { input })
  expect((await client.threads.getState(thread_id)).next).toEqual([])
})

/** What an entry that cannot start writes to standard error. */
async function printedBy(folder: string, entry: string, more: Record<string, string> = {}): Promise<string> {
  const program = `import(${JSON.stringify(entry)})`
  const started = run(process.execPath, ['-e', program], { cwd: folder, env: { ...env, ...more } })
  return await started.then(
    () => '',
    ({ stderr }) => stderr as string,
  )
}

/** The model's requests in the meantime. */
async function asked<Result>(work: () => Promise<Result>) {
  const from = model.requests.length
  const result = await work()
  return { result, requests: model.requests.slice(from) }
}

function gist({ body: { messages, tools, max_tokens } }: ModelRequest) {
  const said = messages.map(({ role, content, tool_calls }) => [
    role,
    content,
    tool_calls?.map(call => call.function),
  ])
  return { said, tools: tools?.map(tool => tool.function?.name ?? tool), max_tokens }
}

function expectEnding(
  came: { output: string; error?: string | undefined },
  { output, error }: Ending,
  where = 'over HTTP',
) {
  if (error !== undefined) expect(came.error, where).toContain(error)
  else
    expect(came, where).toEqual({
      ...came,
      error: undefined,
      output: typeof output === 'string' ? output : expect.stringMatching(output ?? /^$/),
    })
}

/** What a run over HTTP returns, logs, streams and requests from the model. */
function expectRun(run: HttpRun, requests: readonly ModelRequest[], task: Task) {
  const { output, error, line, custom, events } = run
  expectEnding({ output, error }, task)
  expect(line).toMatchObject({ stop: task.stop ?? 'answer' })
  expect(custom).toEqual(task.custom ?? [])
  expectCounted(run, requests, task)
  const ended = events.flatMap(({ type, data }) => (type === 'tool_finished' ? [data] : []))
  // Calls of one turn run in parallel.
  const byTool = (one: { tool: string }, other: { tool: string }) => one.tool.localeCompare(other.tool)
  if (task.toolEvents) expect(ended.toSorted(byTool)).toMatchObject(task.toolEvents.toSorted(byTool))
  const streamed = events.map(({ type, data }) => (type === 'text' ? data.text : '')).join('')
  if (task.streamed !== undefined) expect(streamed).toBe(task.streamed)
  if (task.asked !== undefined) expect(JSON.stringify(requests[0]?.body)).toContain(task.asked)
}

/** A run's steps, tokens and events match the calls that were made. */
function expectCounted({ events, metrics }: HttpRun, requests: readonly ModelRequest[], task: Task) {
  const { modelCalls = 0, toolCalls = 0, error } = task
  const count = (type: string) => events.filter(event => event.type === type).length
  expect({ model: count('model_started'), tools: count('tool_started'), steps: metrics.steps }).toEqual({
    model: modelCalls,
    tools: toolCalls,
    steps: modelCalls + toolCalls,
  })
  if (error !== undefined) expect(requests.length).toBeLessThanOrEqual(modelCalls)
  else {
    expect(requests).toHaveLength(modelCalls)
    expect(metrics.input_tokens).toBe(modelCalls * USAGE.read)
  }
}
