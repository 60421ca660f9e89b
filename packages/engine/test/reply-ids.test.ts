import type { AgentDefinition } from '@agent-task-service/engine'
import { testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { expect, test } from 'vitest'

const graph: AgentDefinition['graph'] = ({ model }) => {
  const asks = (prompt: (messages: BaseMessage[]) => BaseMessage[]) => {
    return async ({ messages }: typeof MessagesAnnotation.State) => ({
      messages: [await model.invoke(prompt(messages))],
    })
  }
  const afresh = () => [new HumanMessage('Afresh')]
  return new StateGraph(MessagesAnnotation)
    .addNode('first', asks(afresh))
    .addNode(
      'second',
      asks(messages => messages),
    )
    .addNode('third', asks(afresh))
    .addEdge(START, 'first')
    .addEdge('first', 'second')
    .addEdge('second', 'third')
    .compile()
}

test('a node that asks with a prompt of its own replaces no earlier message, whatever id its reply has', async () => {
  const same = { id: 'chatcmpl-1' }
  const { env } = await openAIServer(inTurn(says('One', same), says('Two', same), says('Three', same)))
  const { run } = await testService({ ...agent, graph }, { env })
  expect(await run('Hello')).toMatchObject({ output: 'Three', metrics: { steps: 3 } })
})
