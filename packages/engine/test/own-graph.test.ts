import type { AgentGraph, GraphParts, ModelEntry } from '@agent-task-service/engine'
import { RunFailure } from '@agent-task-service/engine'
import { secret } from '@agent-task-service/engine/settings'
import { ScriptedModel, type ScriptedReply, testGraph, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { says, streams } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { FakeEmbeddings } from '@langchain/core/utils/testing'
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { z } from 'zod'

type Config = { readonly writer?: (data: unknown) => void; readonly signal?: AbortSignal }
type Node = (
  state: typeof MessagesAnnotation.State,
  config: Config,
) => Promise<Partial<typeof MessagesAnnotation.State>>

/** A service whose graph is this node. */
async function serviceOf(
  node: (parts: GraphParts) => Node,
  env: Record<string, string> = {},
  script: ScriptedReply[] = [],
) {
  const graph = (parts: GraphParts) =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', node(parts) as never)
      .addEdge(START, 'own')
      .addEdge('own', END)
      .compile() as unknown as AgentGraph
  const models = [new ScriptedModel(script).named()]
  return await testService({ ...agent, graph }, { env, models })
}

const stopOf = (lines: readonly Record<string, unknown>[]) => lines.find(({ msg }) => msg === 'run')?.stop

// EVIDENCE-OF docs/reference/errors.md: A bug in the service; the log says where
// EVIDENCE-OF docs/reference/errors.md: The model's answer was empty, or the graph ended without an answer
// EVIDENCE-OF docs/reference/errors.md: One of your own nodes refused the task by throwing a `RunFailure` with this reason; the caller
//   reads its message
// EVIDENCE-OF docs/reference/errors.md: A bug in the agent, or an error that a node threw; the log says where
// EVIDENCE-OF docs/guides/graph.md: The task comes in as the only message.
// EVIDENCE-OF docs/guides/graph.md: `status: "error"` with this message; the log says `stop: "refused"`
// EVIDENCE-OF docs/guides/graph.md: `the agent failed`; the log has its class and location, Studio its message
// EVIDENCE-OF docs/guides/graph.md: `the graph ended without an answer`; the log says `stop: "empty_answer"`
test.each<[what: string, node: Node, error: string, stop: string]>([
  [
    'refuses the task',
    async () => {
      throw new RunFailure('refused', 'I take no passwords.')
    },
    'I take no passwords.',
    'refused',
  ],
  [
    'throws any other error',
    async () => {
      throw new Error('FX says 401')
    },
    'the agent failed',
    'internal',
  ],
  ['adds nothing', async () => ({}), 'the graph ended without an answer', 'empty_answer'],
  [
    'ends with a message of a person',
    async () => ({ messages: [new HumanMessage('Well?')] }),
    'the graph ended without an answer',
    'empty_answer',
  ],
  [
    'ends with the error of a tool',
    async () => ({
      messages: [
        new ToolMessage({ content: 'Tool call limit exceeded.', tool_call_id: 'a', status: 'error' }),
      ],
    }),
    'the graph ended without an answer',
    'empty_answer',
  ],
])('a node that %s: what the caller reads, and the reason in the log', async (_what, node, error, stop) => {
  const { run, lines } = await serviceOf(() => node, { LOG_ERRORS: 'brief' })
  expect(await run('Hello')).toEqual({ task_id: 'test-1', status: 'error', output: '', metrics: {}, error })
  expect(stopOf(lines)).toBe(stop)
})

// EVIDENCE-OF docs/reference/graph-rules.md: `compile().withConfig({ recursionLimit })` of your own holds if it is lower
test('a limit of supersteps that the graph has itself holds if it is lower, over HTTP and in Studio', async () => {
  let steps = 0
  const loop = (recursionLimit: number) => () =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', () => {
        steps += 1
        return {}
      })
      .addEdge(START, 'own')
      .addConditionalEdges('own', () => 'own', ['own'])
      .compile()
      .withConfig({ recursionLimit }) as AgentGraph
  const models = [new ScriptedModel([]).named()]
  const error = expect.stringContaining('the graph took more supersteps than its limit allows')
  for (const [own, taken] of [
    [5, 5],
    [1_000, 110],
  ] as const) {
    const made = { ...agent, graph: loop(own) }
    const { run, lines } = await testService(made, { models, env: { MAX_STEPS: '1' } })
    steps = 0
    expect(await run('Hello')).toMatchObject({ status: 'error', error })
    expect([steps, stopOf(lines)]).toEqual([taken, 'max_steps'])
    const { graph } = await testGraph(made, { models, env: { MAX_STEPS: '1' } })
    steps = 0
    await expect(graph().invoke({ messages: [] })).rejects.toThrow('Recursion limit')
    expect(steps).toBe(taken)
  }
})

const circle: Record<string, unknown> = {}
circle.itself = circle

/** So many characters of JSON. */
const ofLength = (length: number) => 'x'.repeat(length - 2)

// EVIDENCE-OF docs/guides/graph.md: Anything that is not JSON, or exceeds 8 kB, arrives as `{"omitted": why}`.
test.each<[what: string, data: unknown, sent: unknown]>([
  ['JSON', { n: [1, null] }, { n: [1, null] }],
  ['8 kB', ofLength(8_192), ofLength(8_192)],
  ['more', ofLength(8_193), { omitted: 'over 8 kB of JSON' }],
  ['a circle', circle, { omitted: 'no JSON' }],
  ['a big integer', 1n, { omitted: 'no JSON' }],
  ['a function', () => 1, { omitted: 'no JSON' }],
  ['nothing', undefined, { omitted: 'no JSON' }],
  ['a secret', ['a-token-of-ours'], ['[redacted]']],
])('what a node writes to watchers: %s', async (_what, data, sent) => {
  const node: Node = async (_state, { writer }) => {
    writer?.(data)
    return { messages: [new AIMessage('Done.')] }
  }
  expect(await customOf(node)).toEqual(sent)
})

// EVIDENCE-OF docs/guides/graph.md: LangChain's `dispatchCustomEvent(name, data)` comes as `{ name, data }`.
test("an event of LangChain's comes with its name", async () => {
  const node: Node = async (_state, config) => {
    await dispatchCustomEvent('read', { pages: 3 }, config as object)
    return { messages: [new AIMessage('Done.')] }
  }
  expect(await customOf(node)).toEqual({ name: 'read', data: { pages: 3 } })
})

/** What a watcher gets of it. */
async function customOf(node: Node): Promise<unknown> {
  const { post } = await serviceOf(() => node, { AGENT_TOKENS: 'a-token-of-ours' })
  const headers = { accept: 'text/event-stream', authorization: 'Bearer a-token-of-ours' }
  const text = await (await post({ task_id: 'test-1', input: 'Hello' }, headers)).text()
  const [, custom = ''] = /^event: custom\nid: \d+\ndata: (.*)$/m.exec(text) ?? []
  return JSON.parse(custom).data
}

const ownModel = (baseURL: string | undefined, more: object = {}) =>
  new ChatOpenAI({ model: 'own', apiKey: 'any', maxRetries: 0, configuration: { baseURL }, ...more })

// EVIDENCE-OF docs/reference/graph-rules.md: The class retries six times by default, whatever the deadline:
test("a class of the node's own retries six times unless told otherwise", () => {
  expect(new ChatOpenAI({ apiKey: 'any' }).caller).toMatchObject({ maxRetries: 6 })
  expect(ownModel(undefined).caller).toMatchObject({ maxRetries: 0 })
})

// EVIDENCE-OF docs/reference/graph-rules.md: The rest of `max_tokens` is not sent; the log names the class at its first call
//   under a cap.
test("a model of the node's own is not told the rest of a cap: the log names its class, once", async () => {
  const { env } = await openAIServer(
    inTurn(...['One.', 'Two.', 'Three.'].map(text => streams([text], 'stop'))),
  )
  const requests: unknown[] = []
  const { run, lines } = await serviceOf(() => async ({ messages }) => {
    const reply = await ownModel(env.OPENAI_BASE_URL).invoke(messages)
    requests.push(reply.text)
    return { messages: [reply] }
  })
  expect(await run('Hello')).toMatchObject({ output: 'One.' })
  expect(lines.filter(({ msg }) => msg === 'takes no cap per call')).toEqual([])
  for (const id of ['test-2', 'test-3']) await run('Hello', { max_tokens: 50 }, id)
  expect(requests).toEqual(['One.', 'Two.', 'Three.'])
  expect(lines.filter(({ msg }) => msg === 'takes no cap per call')).toMatchObject([
    { level: 'warn', class: 'ChatOpenAI' },
  ])
})

const RETRIES = 'retries by itself; create it with maxRetries: 0'

// EVIDENCE-OF docs/reference/graph-rules.md: The rest of `max_tokens` is not sent; the log names the class at its first call
//   under a cap.
// EVIDENCE-OF docs/reference/graph-rules.md: Without it, a server that answers 500 takes over a minute of the run; the log
//   names the class at its first call
test("a class of the node's own that retries by itself: the log names it, once", async () => {
  const { env } = await openAIServer(() => streams(['Hi.'], 'stop'))
  const linesWith = async (maxRetries: number | undefined) => {
    const { run, lines } = await serviceOf(() => async ({ messages }) => ({
      messages: [await ownModel(env.OPENAI_BASE_URL, { maxRetries }).invoke(messages)],
    }))
    for (const id of ['test-1', 'test-2']) await run('Hello', {}, id)
    return lines.filter(({ msg }) => msg === RETRIES)
  }
  expect(await linesWith(undefined)).toMatchObject([
    { level: 'warn', model: 'own', class: 'ChatOpenAI', retries: 6 },
  ])
  expect(await linesWith(2)).toMatchObject([{ retries: 2 }])
  expect(await linesWith(0)).toEqual([])
})

// EVIDENCE-OF docs/reference/graph-rules.md: Without it, a warning at start names the class.
test('a class in the list of models that retries by itself: the log names it at start', async () => {
  const linesWith = async (settings: object) => {
    const create: ModelEntry['create'] = cap => ownModel(undefined, { ...settings, ...cap })
    const models = [{ name: 'first', create }]
    return (await testService(agent, { models })).lines.filter(({ msg }) => msg === RETRIES)
  }
  expect(await linesWith({ maxRetries: undefined })).toMatchObject([
    { level: 'warn', model: 'first', class: 'ChatOpenAI', retries: 6 },
  ])
  expect(await linesWith({})).toEqual([])
})

// EVIDENCE-OF docs/reference/graph-rules.md: | The run's callbacks, if you pass your own |
test("a call with callbacks in place of the run's is not counted; one with more of them is", async () => {
  const { env } = await openAIServer(inTurn(says('One.'), streams(['Two.'], 'stop')))
  const { run } = await serviceOf(() => async ({ messages }, config) => {
    const model = ownModel(env.OPENAI_BASE_URL)
    await model.invoke(messages, { callbacks: [{ handleLLMEnd() {} }] })
    return { messages: [await model.invoke(messages, config)] }
  })
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Two.', metrics: { steps: 1 } })
})

// EVIDENCE-OF docs/reference/graph-rules.md: Not counted, neither as steps nor as tokens or money:
test('embeddings are not counted', async () => {
  const embeddings = new FakeEmbeddings()
  const { run } = await serviceOf(() => async ({ messages }) => {
    const vector = await embeddings.embedQuery(messages[0]?.text ?? '')
    return { messages: [new AIMessage(String(vector.length > 0))] }
  })
  expect(await run('Hello')).toMatchObject({
    output: 'true',
    metrics: { steps: 0, input_tokens: 0, output_tokens: 0 },
  })
})

// EVIDENCE-OF docs/guides/graph.md: An answer that does not match the Zod schema ends the run with `the agent failed`, unless
//   the node catches the error.
test('structured output that does not fit its schema fails the run, unless the node catches it', async () => {
  const wrong = { toolCalls: [{ name: 'ticket', args: { team: 'nobody' } }] }
  const replyOf = async (catches: boolean) => {
    const node = ({ model }: GraphParts): Node => {
      const router = model.withStructuredOutput(z.object({ team: z.enum(['sales']) }), { name: 'ticket' })
      return async ({ messages }) => {
        const asked = router.invoke(messages)
        const ticket = catches ? await asked.catch(() => 'none') : await asked
        return { messages: [new AIMessage(JSON.stringify(ticket))] }
      }
    }
    return await (await serviceOf(node, { LOG_ERRORS: 'brief' }, [wrong])).run('Hello')
  }
  expect(await replyOf(false)).toMatchObject({ status: 'error', error: 'the agent failed' })
  expect(await replyOf(true)).toMatchObject({ status: 'success', output: '"none"' })
})

const keys = { structuredResponse: Annotation<unknown>() }

// EVIDENCE-OF docs/guides/graph.md: The state must declare that key, as `graph/state.ts` does: otherwise LangGraph drops it, and the
//   run ends with `the graph ended without an answer`.
test.each([
  ['declares', keys, { status: 'success', output: '{"team":"sales"}' }],
  ['does not declare', {}, { status: 'error', error: 'the graph ended without an answer' }],
])('a structured response of a state that %s its key', async (_what, more, expected) => {
  const state = Annotation.Root({ ...MessagesAnnotation.spec, ...more })
  const graph = () =>
    new StateGraph(state)
      .addNode('classify', () => ({ structuredResponse: { team: 'sales' } }) as never)
      .addEdge(START, 'classify')
      .addEdge('classify', END)
      .compile() as unknown as AgentGraph
  const { run } = await testService({ ...agent, graph }, { models: [new ScriptedModel([]).named()] })
  expect(await run('Hello')).toMatchObject(expected)
})

// EVIDENCE-OF docs/configuration.md: Secret.
// EVIDENCE-OF docs/guides/graph.md: A variable declared with `secret()` is masked in every log line and reply, and a misspelt one
//   stops the start.
// EVIDENCE-OF docs/reference/graph-rules.md: Declare it as your own variable
test('the value of a variable of your own that is declared as secret is masked', async () => {
  const variables = z.object({
    SIGNING_KEY: secret(z.string()).optional().describe('Signs answers'),
    MOTTO: z.string().optional().describe('Secret key of the shop'),
  })
  const env = { SIGNING_KEY: 'four words are mine', MOTTO: 'four words are yours' }
  const models = [new ScriptedModel([Object.values(env).join(', ')]).named()]
  const own = { ...agent, variables, needs: () => [], tools: {} }
  const { run } = await testService(own, { env, models })
  expect(await run('Hello')).toMatchObject({ output: '[redacted], four words are yours' })
  const misspelt = testService(own, { env: { SIGNING_KYE: 'four words are mine' }, models })
  await expect(misspelt).rejects.toThrow('SIGNING_KYE: unknown; did you mean SIGNING_KEY?')
})

// EVIDENCE-OF docs/configuration.md: | `LOG_LEVEL` |
test('LOG_LEVEL is the least severe level in the log', async () => {
  const lineOf = async (level: string) => {
    const { run, lines } = await serviceOf(() => async () => ({ messages: [new AIMessage('Hi.')] }), {
      LOG_LEVEL: level,
    })
    await run('Hello')
    return lines.length
  }
  expect([await lineOf('info'), await lineOf('warn')]).toEqual([1, 0])
})
