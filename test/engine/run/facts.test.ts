import { type AIMessage, AIMessage as Answer, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { expect, test } from 'vitest'
import type { AgentGraph, GraphParts } from '../../../packages/engine/definition.ts'
import { ScriptedModel, type ScriptedReply } from '../../../packages/engine/testing/scripted-model.ts'
import { testService } from '../../../packages/engine/testing.ts'
import { agent } from '../../support/agent/test-agent.ts'

type Node = (
  parts: GraphParts,
) => (state: { messages: BaseMessage[] }) => Promise<{ messages: BaseMessage[] }>

/** The reply and the log line of a graph that is this one node. */
async function runNode(node: Node, ...script: ScriptedReply[]) {
  const graph = (parts: GraphParts) =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', node(parts) as never)
      .addEdge(START, 'own')
      .compile() as unknown as AgentGraph
  const { run, lines } = await testService(
    { ...agent, graph },
    { models: [new ScriptedModel(script).named()] },
  )
  const { output } = await run('Tell me a story')
  const { stop, cut = false } = lines.find(({ msg }) => msg === 'run') ?? {}
  return { output, stop, cut }
}

const cut = (text: string): ScriptedReply => ({ text, finishReason: 'length' })
const ask = ({ model }: GraphParts, text: string) =>
  model.invoke([new HumanMessage(text)]) as Promise<AIMessage>

test('a graph of one node whose answer is cut: the log says so', async () => {
  const node: Node =
    ({ model }) =>
    async ({ messages }) => ({ messages: [await model.invoke(messages)] })
  expect(await runNode(node, cut('Once upon a'))).toEqual({
    output: 'Once upon a',
    stop: 'max_tokens',
    cut: true,
  })
  expect(await runNode(node, 'The end.')).toEqual({ output: 'The end.', stop: 'answer', cut: false })
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
  expect(await runNode(node, ...script)).toMatchObject({ cut: isCut, stop: isCut ? 'max_tokens' : 'answer' })
})
