import type { BaseMessage, ToolCall, ToolMessage } from '@langchain/core/messages'
import { RunFailure } from '../../run/failure.ts'
import { declined, introduction } from './help.ts'
import { type Question, readQuestions } from './questions.ts'
import { bestPassage } from './searches.ts'
import { readToolRequest } from './tool-request.ts'

const LIMITS =
  'the offline model can only do arithmetic, convert units, answer questions about times and dates, search the web on request, and use one tool as told (Use <tool> with <JSON>); set OPENAI_API_KEY for everything else.'

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
export function decide(messages: readonly BaseMessage[], tools: readonly string[]): Reply {
  const at = messages.findLastIndex(({ type }) => type === 'human')
  const task = messages[at]?.text ?? ''
  const greeting = introduction(task, tools)
  if (greeting !== undefined) return { text: greeting, calls: [] }
  const request = readToolRequest(task)
  const questions = request ? [{ ...request, isAsTold: true as const }] : readQuestions(task)
  if (questions === undefined) throw new RunFailure('offline_model', `${LIMITS} ${declined(task, tools)}`)
  const results = messages.slice(at + 1).filter((message): message is ToolMessage => message.type === 'tool')
  if (results.length > 0) return { text: answer(questions, results), calls: [] }
  const missing = questions.find(({ tool }) => !tools.includes(tool))
  if (missing) {
    throw new RunFailure(
      'offline_model',
      `the offline model needs the tool ${missing.tool} for this task, and this call does not offer it`,
    )
  }
  const calls = questions.map(({ tool: name, args }, index): ToolCall => {
    return { id: `call_${at}_${index + 1}`, name, args, type: 'tool_call' }
  })
  return { text: '', calls }
}

/**
 * Returns the tool results, verbatim, in the order of the questions.
 *
 * @throws {RunFailure} `tool_failed` when every tool failed
 */
function answer(questions: readonly Question[], results: readonly ToolMessage[]): string {
  if (results.every(({ status }) => status === 'error')) {
    const why = results.map(({ name, text }) => `${name} could not do this: ${text.replace(/^Error: /, '')}`)
    throw new RunFailure('tool_failed', [...new Set(why)].join(' '))
  }
  const texts = results.map(({ text, status }, index) => {
    if (status === 'error') return `This could not be done. ${text}`
    const { tool, valueOnly, isAsTold } = questions[index] ?? {}
    if (tool === 'web_search' && !isAsTold) return bestPassage(text)
    // The value after the sign: `2 + 2 = 4`, `1 / 3 ≈ 0.333333333333333`.
    return (valueOnly && tool === 'calculator' && /^.*? [=≈] (.+)$/m.exec(text)?.[1]) || text
  })
  return texts.join('\n')
}
