/** The engine's nodes in a graph. */
import {
  type ContextConfig,
  contextSchemaFor,
  type GraphParts,
  limitReasons,
  RunContext,
  readContext,
} from '@agent-task-service/engine'
import { askForStep, finalAnswer, toolCallNode, withNotice } from '@agent-task-service/engine/nodes'
import { type AIMessage, type BaseMessage, SystemMessage } from '@langchain/core/messages'
import {
  END,
  type GraphNode,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
  UntrackedValue,
} from '@langchain/langgraph'
import { z } from 'zod'

const structuredResponse = z.unknown().optional()
const Conversation = new StateSchema({ messages: MessagesValue })
const Answer = new StateSchema({ messages: MessagesValue, structuredResponse })
export const TestState = new StateSchema({
  messages: MessagesValue,
  wrapUp: new UntrackedValue(z.enum(limitReasons).optional()),
  structuredResponse,
})

type TestNode = GraphNode<typeof TestState, RunContext>

export function createGraph(parts: GraphParts) {
  const plan: TestNode = async ({ messages }, config) => {
    const { reply, wrapUp } = await askForStep(parts, messages, config, askPrompt)
    return { messages: [reply], wrapUp }
  }
  return new StateGraph({
    state: TestState,
    input: Conversation,
    output: Answer,
    context: contextSchemaFor(RunContext, parts),
  })
    .addNode('plan', plan)
    .addNode('tool-call', toolCallNode(parts))
    .addNode('respond', respond(parts))
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', afterPlan, ['tool-call', 'respond'])
    .addEdge('tool-call', 'plan')
    .addEdge('respond', END)
    .compile({ name: 'agent' })
}

export const respond = (parts: GraphParts): TestNode => {
  return async ({ messages, wrapUp }, config) => ({
    messages: await finalAnswer(parts, { messages, wrapUp }, config, askPrompt),
  })
}

function afterPlan({ messages, wrapUp }: typeof TestState.State): 'tool-call' | 'respond' {
  const { tool_calls: calls = [] } = messages.at(-1) as AIMessage
  return calls.length > 0 && wrapUp === undefined ? 'tool-call' : 'respond'
}

export function systemPromptFor(
  { systemPrompt }: Pick<GraphParts, 'systemPrompt'>,
  config: ContextConfig,
): string {
  return readContext(config, RunContext).system_prompt ?? systemPrompt
}

export function askPrompt(
  parts: GraphParts,
  messages: readonly BaseMessage[],
  config: ContextConfig,
  notice = '',
): BaseMessage[] {
  const system = systemPromptFor(parts, config)
  return withNotice(system === '' ? messages : [new SystemMessage(system), ...messages], notice)
}
