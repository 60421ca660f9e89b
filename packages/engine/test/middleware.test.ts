import { readFileSync } from 'node:fs'
import { type AgentDefinition, type GraphParts, RunFailure } from '@agent-task-service/engine'
import { ScriptedModel, type ScriptedReply, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { getRetryable } from '@langchain/core/errors'
import { AIMessage } from '@langchain/core/messages'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import * as langchain from 'langchain'
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  modelCallLimitMiddleware,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  piiMiddleware,
  toolCallLimitMiddleware,
} from 'langchain'
import { expect, test } from 'vitest'

type Graph = AgentDefinition['graph']
type Case<End> = [what: string, graph: Graph, script: readonly ScriptedReply[], end: End]

const agentWith =
  (...middleware: AgentMiddleware[]) =>
  ({ model, tools }: GraphParts) =>
    createAgent({ model, tools: [...tools], middleware })

/** A graph of one node. */
const nodeOf = (answer: (parts: GraphParts) => Promise<AIMessage>): Graph => {
  return parts =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async () => ({ messages: [await answer(parts)] }))
      .addEdge(START, 'own')
      .compile()
}

/** What the run ends with, and how often a model was asked. */
async function endOf(graph: Graph, script: readonly ScriptedReply[]) {
  const model = new ScriptedModel(script)
  const tools = [
    tool('look', () => 'Seen.'),
    Object.assign(
      tool('show', () => 'Seen.'),
      { returnDirect: true },
    ),
  ]
  const { run, lines } = await testService({ ...agent, graph }, { models: [model.named()], tools })
  const { status, output, error } = (await run('Hello')) as { status: string; output: string; error?: string }
  const stop = lines.find(({ msg }) => msg === 'run')?.stop
  return { end: [status, error ?? output, stop], asked: model.requests.length }
}

const down = new Error('down')
const look: ScriptedReply = { toolCalls: [{ name: 'look' }] }
const show: ScriptedReply = { toolCalls: [{ name: 'show' }] }
const unreadable = '<tool_call>\n{"name": "look", "arguments": {"a": 1\n</tool_call>'
const retry = () => modelRetryMiddleware({ maxRetries: 2, initialDelayMs: 0 })
const sorry = () => new AIMessage('Sorry, not today.')
/** Catches what the call of the model throws. */
const catching = createMiddleware({
  name: 'catching',
  wrapModelCall: async (request, handler) => {
    try {
      return await handler(request)
    } catch {
      return sorry()
    }
  },
})
const passing = createMiddleware({
  name: 'passing',
  wrapModelCall: async (request, handler) => await handler(request),
})
const rewording = createMiddleware({
  name: 'rewording',
  wrapModelCall: async (request, handler) => {
    const { text } = (await handler(request)) as AIMessage
    return new AIMessage(text.toUpperCase())
  },
})
const signing = createMiddleware({
  name: 'signing',
  afterModel: ({ messages }) => {
    const last = messages.at(-1)!
    return { messages: [new AIMessage({ id: last.id!, content: `${last.text} Signed.` })] }
  },
})
const apologizing = createMiddleware({ name: 'apologizing', afterAgent: () => ({ messages: [sorry()] }) })
const guarding = createMiddleware({
  name: 'guarding',
  beforeAgent: { canJumpTo: ['end'], hook: () => ({ messages: [sorry()], jumpTo: 'end' as const }) },
})
/** Has a second model judge the reply, which fails. */
const judging = createMiddleware({
  name: 'judging',
  wrapModelCall: async (request, handler) => {
    const reply = await handler(request)
    await request.model.invoke(request.messages).catch(() => {})
    return reply
  },
})
/** The text with which an agent in a node ends. */
const textOf = async (parts: GraphParts) => {
  const { messages } = await agentWith(retry())(parts).invoke({ messages: 'Hello' })
  return messages.at(-1)?.text ?? ''
}

const failed = ['error', 'the model call failed', 'internal']
const limited = (name: string) => [
  'error',
  `the limit of ${name} was reached before there was an answer`,
  'max_steps',
]

// EVIDENCE-OF docs/guides/graph.md: Inside LangChain's `createAgent`, what a middleware puts in the place of a failed model's reply
//   is no answer: the run ends with that failure. It ends with an error, too, at the limit of `modelCallLimitMiddleware` or
//   `toolCallLimitMiddleware`, which the error names.
// EVIDENCE-OF docs/reference/errors.md: Also the limit of LangChain's `modelCallLimitMiddleware` or `toolCallLimitMiddleware`, which
//   `error` names
test.each<Case<string[]>>([
  ['a failed model', agentWith(retry()), [down], failed],
  ['a model that fails later', agentWith(retry()), [look, down], failed],
  ['a failed model, edited', agentWith(retry(), signing), [down], failed],
  ['a failed model, in a node', nodeOf(async p => new AIMessage(await textOf(p))), [down], failed],
  [
    'a failed model of its own',
    () => createAgent({ model: new ScriptedModel([down]), middleware: [retry()] }),
    [],
    failed,
  ],
  ['a failed model that a middleware caught', agentWith(catching), [down], failed],
  [
    'calls that cannot be read',
    agentWith(retry()),
    [unreadable, unreadable, unreadable],
    ['error', 'the model wrote a call of the tool "look" in a form that cannot be read', 'empty_answer'],
  ],
  ...(['end', 'error'] as const).map((exitBehavior): Case<string[]> => {
    const limit = modelCallLimitMiddleware({ runLimit: 1, exitBehavior })
    return [
      `a limit of calls of the model: ${exitBehavior}`,
      agentWith(limit),
      [look],
      limited('ModelCallLimitMiddleware'),
    ]
  }),
  [
    'a limit, wrapped by a node',
    nodeOf(async parts => {
      const limit = modelCallLimitMiddleware({ runLimit: 1, exitBehavior: 'error' })
      const agent = agentWith(limit)(parts)
      await agent.invoke({ messages: 'Hello' }).catch(cause => {
        throw new Error('no answer', { cause })
      })
      return sorry()
    }),
    [look],
    limited('ModelCallLimitMiddleware'),
  ],
  ...(['continue', 'end', 'error'] as const).map((exitBehavior): Case<string[]> => {
    const limit = toolCallLimitMiddleware({ toolName: 'look', runLimit: 1, exitBehavior })
    return [
      `a limit of calls of a tool: ${exitBehavior}`,
      agentWith(limit),
      [look, look],
      limited('ToolCallLimitMiddleware[look]'),
    ]
  }),
])(
  'what stands in for a reply of the model ends the run with its cause: %s',
  async (_what, graph, script, end) => {
    expect(await endOf(graph, script)).toEqual({ end, asked: script.length })
  },
)

// EVIDENCE-OF docs/reference/errors.md: Also `piiMiddleware` with `strategy: 'block'`: `error` names the type of the data, never the
//   data
test.each(['applyToInput', 'applyToOutput'])(
  'what the PII middleware blocks ends the run with the type of the data alone: %s',
  async where => {
    const model = new ScriptedModel(['Write to ann@example.com.'])
    const graph = agentWith(piiMiddleware('email', { strategy: 'block', [where]: true }))
    const { run, lines } = await testService({ ...agent, graph }, { models: [model.named()] })
    const error = 'this agent blocks data of the type email, and found some'
    expect(await run('Who is bob@example.com?')).toMatchObject({ status: 'error', output: '', error })
    expect(lines.at(-1)).toMatchObject({ msg: 'run', stop: 'refused' })
    expect(JSON.stringify(lines)).not.toMatch(/(ann|bob)@/)
  },
)

// EVIDENCE-OF docs/guides/graph.md: An answer that a node of yours makes is a success, with a model or without, also if the node
//   caught what a model threw.
// EVIDENCE-OF docs/guides/agent-loops.md: `modelRetryMiddleware` leaves no error to a middleware before it, such as
//   `modelFallbackMiddleware`, unless it has `onFailure: 'error'`.
// EVIDENCE-OF docs/guides/graph.md: To answer yourself, add a message of your own in `afterAgent` or in a node after the agent.
test.each<Case<string>>([
  ['a node without a model', nodeOf(async () => sorry()), [], 'Sorry, not today.'],
  [
    'a node that catches',
    nodeOf(async ({ model }) => await model.invoke('Hello').catch(sorry)),
    [down],
    'Sorry, not today.',
  ],
  ['a node after an agent', nodeOf(p => textOf(p).then(sorry)), [down], 'Sorry, not today.'],
  ['a hook after the agent', agentWith(apologizing, retry()), [down], 'Sorry, not today.'],
  ['a guard before the agent', agentWith(guarding), [], 'Sorry, not today.'],
  [
    'another model',
    agentWith(rewording, modelFallbackMiddleware(new ScriptedModel(['Done.']))),
    [down],
    'DONE.',
  ],
  [
    'another model, once retries have failed',
    agentWith(
      modelFallbackMiddleware(new ScriptedModel(['Done.'])),
      modelRetryMiddleware({ onFailure: 'error' }),
    ),
    [down],
    'Done.',
  ],
  ['a model, though another failed later', agentWith(judging), ['Done.', down], 'Done.'],
  ['a model that repeats the task', agentWith(modelCallLimitMiddleware({ runLimit: 1 })), ['Hello'], 'Hello'],
  [
    'a tool within a limit',
    agentWith(modelCallLimitMiddleware({ runLimit: 2 }), toolCallLimitMiddleware({ runLimit: 2 })),
    [look, show],
    'Seen.',
  ],
])('an answer is a success: of %s', async (_what, graph, script, answer) => {
  expect(await endOf(graph, script)).toEqual({ end: ['success', answer, 'answer'], asked: script.length })
})

// EVIDENCE-OF docs/guides/agent-loops.md: `modelRetryMiddleware` heeds the mark if it is the last in the list; another middleware
//   after it hides it.
test("LangChain's middleware does not ask again what ended a run, unless another middleware wraps it", async () => {
  expect(getRetryable(new RunFailure('refused', ''))).toBe(false)
  expect(await endOf(agentWith(passing, retry()), [down])).toEqual({ end: failed, asked: 1 })
  expect(await endOf(agentWith(retry(), passing), [down, down, down])).toEqual({ end: failed, asked: 3 })
})

test('the page has a row for each middleware of LangChain', () => {
  const page = readFileSync(new URL('../../../docs/guides/agent-loops.md', import.meta.url), 'utf8')
  const cells =
    page.slice(page.indexOf('| Middleware | Model up |')).match(/^\| `\w+Middleware`[^|]*/gm) ?? []
  const exported = Object.keys(langchain).filter(name => /^(?!create)[a-z]\w*Middleware$/.test(name))
  expect(cells.flatMap(cell => cell.match(/\w+Middleware/g)).sort()).toEqual(exported.sort())
})
