import type { BaseMessage, ToolCall, ToolMessage } from '@langchain/core/messages'
import { RunFailure } from '../../run/failure.ts'
import { wantsValueOnly } from './courtesies.ts'
import { declined, introduction } from './help.ts'
import { readQuestions, readToolRequest } from './questions.ts'

/** The model's text, or its tool calls. */
interface Reply {
  readonly text: string
  readonly calls: ToolCall[]
}

/**
 * Reads the task; answers from the tool results, or requests the tools it needs.
 *
 * @param tools names of the available tools
 * @throws {RunFailure} `offline_model` when the task needs a language model or an unavailable tool; `tool_failed` when
 * no tool gave a result
 */
export async function decide(messages: readonly BaseMessage[], tools: readonly string[]): Promise<Reply> {
  const at = messages.findLastIndex(({ type }) => type === 'human')
  const task = messages[at]?.text ?? ''
  const results = messages.slice(at + 1).filter((message): message is ToolMessage => message.type === 'tool')
  if (results.length > 0) return { text: answer(task, results), calls: [] }
  const greeting = introduction(task, tools)
  if (greeting !== undefined) return { text: greeting, calls: [] }
  const request = readToolRequest(task)
  const questions = request ? [request] : await readQuestions(task)
  if ('unread' in questions) throw new RunFailure('offline_model', declined(questions.unread))
  const missing = questions.find(({ tool }) => !tools.includes(tool))
  if (missing) {
    const message = `the offline model needs the tool ${missing.tool} for this task, and this call does not offer it`
    throw new RunFailure('offline_model', message)
  }
  const calls = questions.map(({ tool: name, args }, index): ToolCall => {
    return { id: `call_${at}_${index + 1}`, name, args, type: 'tool_call' }
  })
  return { text: '', calls }
}

/**
 * The tool results in the order of the questions, verbatim but for tasks that want the bare value.
 *
 * @throws {RunFailure} `tool_failed` when every tool failed
 */
function answer(task: string, results: readonly ToolMessage[]): string {
  if (results.every(({ status }) => status === 'error')) {
    const why = results.map(({ name, text }) => `${name} could not do this: ${text.replace(/^Error: /, '')}`)
    throw new RunFailure('tool_failed', [...new Set(why)].join(' '))
  }
  const isVerbatim = readToolRequest(task) !== undefined
  const texts = results.map(({ name, text, status }) => {
    if (status === 'error') return `This could not be done. ${text}`
    if (isVerbatim) return text
    // The value after the sign: `2 + 2 = 4`.
    return (name === 'calculator' && wantsValueOnly(task) && /^.*? [=≈] (.+)$/m.exec(text)?.[1]) || text
  })
  return texts.join('\n')
}
