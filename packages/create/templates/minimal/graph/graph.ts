import { contextSchemaFor, type GraphParts, RunContext, readContext } from '@agent-task-service/engine'
import {
  askForStep,
  finalAnswer,
  type Prompt,
  toolCallNode,
  withNotice,
} from '@agent-task-service/engine/nodes'
import { SystemMessage } from '@langchain/core/messages'
import { END, MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph'
import { toolsCondition } from '@langchain/langgraph/prebuilt'

/** The system prompt used when neither the operator nor the request gives one. */
export const SYSTEM_PROMPT =
  "Answer the task briefly, in the task's language. Use the tools, never guess or calculate yourself."

/** What the model reads: a system prompt, then the conversation. `notice` tells it that a limit is near. */
const prompt: Prompt<GraphParts> = ({ systemPrompt }, messages, config, notice) => {
  const { system_prompt: system = systemPrompt } = readContext(config, RunContext)
  return withNotice(system === '' ? messages : [new SystemMessage(system), ...messages], notice)
}

/** The agent's graph: the model calls tools until it answers. */
export function createGraph(parts: GraphParts) {
  return new StateGraph({
    state: new StateSchema({ messages: MessagesValue }),
    context: contextSchemaFor(RunContext, parts, ['model']),
  })
    .addNode('model', async ({ messages }, config) => {
      const { reply, wrapUp } = await askForStep(parts, messages, config, prompt)
      if (reply.tool_calls?.length && wrapUp === undefined) return { messages: [reply] }
      // Checks the answer. If the model called tools that no longer fit, asks it once more.
      const rest = await finalAnswer(parts, { messages: [...messages, reply], wrapUp }, config, prompt)
      return { messages: [reply, ...rest] }
    })
    .addNode('tools', toolCallNode(parts))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition, ['tools', END])
    .addEdge('tools', 'model')
    .compile({ name: 'agent' })
}
