import type { AgentGraph, GraphParts } from '@agent-task-service/engine'
import { ScriptedModel, type ScriptedReply, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { streams } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { type AIMessage, AIMessage as Answer, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { Annotation, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'

type Node = (
  parts: GraphParts,
) => (state: { messages: BaseMessage[] }) => Promise<{ messages: BaseMessage[] }>

/** The reply and the log line of a graph that is this one node. */
async function runNode(
  node: Node,
  script: ScriptedReply[],
  state: typeof MessagesAnnotation = MessagesAnnotation,
) {
  const graph = (parts: GraphParts) =>
    new StateGraph(state)
      .addNode('own', node(parts) as never)
      .addEdge(START, 'own')
      .compile() as unknown as AgentGraph
  const { run, lines } = await testService(
    { ...agent, graph },
    { models: [new ScriptedModel(script).named()] },
  )
  const reply = await run('Tell me a story')
  const { stop, cut = false } = lines.find(({ msg }) => msg === 'run') ?? {}
  return { ...reply, stop, cut }
}

const cut = (text: string): ScriptedReply => ({ text, finishReason: 'length' })
const ask = ({ model }: GraphParts, text: string) =>
  model.invoke([new HumanMessage(text)]) as Promise<AIMessage>

test('a graph of one node whose answer is cut: the log says so', async () => {
  const node: Node =
    ({ model }) =>
    async ({ messages }) => ({ messages: [await model.invoke(messages)] })
  expect(await runNode(node, [cut('Once upon a')])).toMatchObject({
    output: 'Once upon a',
    stop: 'max_tokens',
    cut: true,
  })
  expect(await runNode(node, ['The end.'])).toMatchObject({ output: 'The end.', stop: 'answer', cut: false })
})

const makers: [what: string, node: Node, script: ScriptedReply[], isCut: boolean][] = [
  [
    'an earlier call was cut, the answer is whole',
    parts => async () => {
      await ask(parts, 'Think')
      return { messages: [await ask(parts, 'Answer')] }
    },
    [cut('Once'), 'Once upon a time, they lived.'],
    false,
  ],
  [
    'the answer was cut, and a later call is whole',
    parts => async () => {
      const answer = await ask(parts, 'Answer')
      await ask(parts, 'Rate it')
      return { messages: [answer] }
    },
    [cut('Once upon a'), 'Good.'],
    true,
  ],
  [
    'a node words the message anew, under the same id',
    parts => async () => {
      const { id, text } = await ask(parts, 'Answer')
      return { messages: [new Answer({ id, content: text.toUpperCase() })] }
    },
    [cut('Once upon a')],
    true,
  ],
  [
    'a node puts a signature under it',
    parts => async () => ({ messages: [new Answer(`${(await ask(parts, 'Answer')).text}\nSigned`)] }),
    [cut('Once upon a')],
    true,
  ],
  [
    'one of two parts was cut',
    parts => async () => {
      const texts = await Promise.all([ask(parts, 'One'), ask(parts, 'Two')])
      return { messages: [new Answer(texts.map(({ text }) => text).join('\n'))] }
    },
    [cut('Once upon a'), 'The end.'],
    true,
  ],
  [
    'a node adds a cut part to a whole answer, under its id',
    parts => async () => {
      const { id, text } = await ask(parts, 'Answer')
      return { messages: [new Answer({ id, content: `${text}\n\n${(await ask(parts, 'More')).text}` })] }
    },
    ['Once upon a time.', cut('And then')],
    true,
  ],
  [
    'a node puts a whole answer in the place of a cut one, under its id',
    parts => async () => {
      const { id } = await ask(parts, 'Answer')
      return { messages: [new Answer({ id, content: (await ask(parts, 'Mend')).text })] }
    },
    [cut('Once upon a'), 'Once upon a time.'],
    false,
  ],
  [
    'a cut word stands in the answer by chance',
    parts => async () => {
      await ask(parts, 'Classify')
      return { messages: [new Answer(`${(await ask(parts, 'Answer')).text} Bye.`)] }
    },
    [cut('5'), 'Order 15 is on its way.'],
    false,
  ],
  [
    'the text is of no call',
    parts => async () => {
      await ask(parts, 'Think')
      return { messages: [new Answer('I know a story.')] }
    },
    [cut('Once upon a')],
    false,
  ],
]

test.each(makers)('%s', async (_what, node, script, isCut) => {
  expect(await runNode(node, script)).toMatchObject({ cut: isCut, stop: isCut ? 'max_tokens' : 'answer' })
})

test('a cut text with a quote in a structured response', async () => {
  const node: Node = parts => async () =>
    ({ messages: [], structuredResponse: { text: (await ask(parts, 'Answer')).text } }) as never
  const state = Annotation.Root({ ...MessagesAnnotation.spec, structuredResponse: Annotation<unknown>() })
  expect(await runNode(node, [cut('She said "once')], state as never)).toMatchObject({
    cut: true,
    stop: 'max_tokens',
  })
})

test.each<[reply: ScriptedReply, error: string, stop: string]>([
  ['', 'the model gave an empty answer', 'empty_answer'],
  [
    { text: '', finishReason: 'length' },
    "the model's own limit was used up before there was an answer",
    'max_tokens',
  ],
  [
    { text: 'Some of it', finishReason: 'content_filter' },
    "the model's answer was withheld by the provider's content filter",
    'content_filter',
  ],
])('a graph whose answer is none fails as the one that ships: %j', async (reply, error, stop) => {
  const message = new Answer({ id: 'one', content: (reply as { text?: string }).text ?? '' })
  const node: Node =
    ({ model }) =>
    async ({ messages }) => {
      await model.invoke(messages).catch(() => undefined)
      return {
        messages: [
          Object.assign(message, {
            response_metadata: { finish_reason: (reply as { finishReason?: string }).finishReason },
          }),
        ],
      }
    }
  expect(await runNode(node, [reply, reply])).toMatchObject({ error, stop })
})

test.each(['list', 'node'])(
  'of a class that tells only beside a streamed message why it ended: a model of the %s',
  async place => {
    const server = await openAIServer(inTurn(streams(['Once', ' upon a'], 'length')))
    const create = (cap = {}) =>
      new ChatOpenAI({
        model: 'm',
        apiKey: 'k',
        maxRetries: 0,
        configuration: { baseURL: server.env.OPENAI_BASE_URL },
        ...cap,
      })
    const graph = (parts: GraphParts) =>
      new StateGraph(MessagesAnnotation)
        .addNode('own', async ({ messages }) => ({
          messages: [await (place === 'list' ? parts.model : create()).invoke(messages)],
        }))
        .addEdge(START, 'own')
        .compile() as unknown as AgentGraph
    const { run, lines } = await testService({ ...agent, graph }, { models: [{ name: 'm', create }] })
    await run('Tell me a story')
    expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ cut: true, stop: 'max_tokens' })
  },
)
