import { type AIMessage, ToolMessage } from '@langchain/core/messages'
import { describeLimit } from '../budget.ts'
import type { Scope } from '../scope.ts'
import type { AgentState } from '../state.ts'
import { runTool } from '../tool-run.ts'

/** Runs the tool calls of one turn side by side; results come in the order asked, each a text for the model. */
export async function callTools(state: AgentState, scope: Scope): Promise<AgentState> {
  const { tools, budget, config } = scope
  const { tool_calls: calls = [], invalid_tool_calls: faults = [] } = state.messages.at(-1) as AIMessage
  const room = budget.toolCallsLeft
  const results = await Promise.all(
    calls.map((call, index) => {
      const fault = faults.find(({ id }) => id === call.id)
      if (index < room) return runTool(tools, { ...call, fault: fault?.args }, config)
      return { text: `Not run: ${describeLimit('max_steps', budget.limits)} is reached.`, failed: true }
    }),
  )
  return {
    messages: results.map(({ text, failed }, index) => {
      const { id = '', name } = calls[index] ?? { name: '' }
      return new ToolMessage({
        content: text,
        tool_call_id: id,
        name,
        status: failed ? 'error' : 'success',
      })
    }),
  }
}
