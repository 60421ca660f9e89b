/**
 * What you would write with LangGraph alone: its prebuilt agent with ChatOpenAI and no callbacks; with `STREAM`, its
 * `messages` stream.
 */
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { langChainTool } from './langchain-tool.ts'
import { model, prompt, type RunTask, serveRuns } from './serve.ts'
import { tools } from './tools.ts'

const llm = new ChatOpenAI({ model, maxRetries: 0 })
const agent = createReactAgent({ llm, tools: tools.map(langChainTool), prompt })
const LIMIT = { recursionLimit: 110 }

const invoked: RunTask = async input => {
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: input }] }, LIMIT)
  return served(messages)
}

const streamed: RunTask = async (input, onText) => {
  let messages: BaseMessage[] = []
  const task = { messages: [{ role: 'user', content: input }] }
  const parts = await agent.stream(task, { ...LIMIT, streamMode: ['messages', 'values'] })
  for await (const [mode, part] of parts) {
    if (mode === 'values') messages = part.messages
    else if (part[0] instanceof AIMessageChunk && part[0].text !== '') await onText(part[0].text)
  }
  return served(messages)
}

function served(messages: readonly BaseMessage[]) {
  const usages = messages.filter(AIMessage.isInstance).map(message => message.usage_metadata)
  return {
    output: messages.at(-1)?.text ?? '',
    input_tokens: usages.reduce((sum, usage) => sum + (usage?.input_tokens ?? 0), 0),
    output_tokens: usages.reduce((sum, usage) => sum + (usage?.output_tokens ?? 0), 0),
    steps: messages.length - 1,
  }
}

serveRuns(process.env.STREAM ? streamed : invoked)
