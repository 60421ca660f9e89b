import { OfflineModel } from '@agent-task-service/starter/offline-model'
import type { AIMessage } from '@langchain/core/messages'

const model = new OfflineModel()
const tools = ['add', 'calculator', 'time', 'web_search'].map(name => ({
  type: 'function' as const,
  function: { name, parameters: {} },
}))

/** The calls that the offline model makes of a text. Rejects if it can make none. */
export async function callsOf(text: string) {
  const { tool_calls = [] } = (await model.invoke(text, { tools })) as AIMessage
  return tool_calls.map(({ name, args }) => ({ tool: name, args }))
}
