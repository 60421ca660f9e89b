import { RunFailure } from '@agent-task-service/engine'
import { withoutNotice } from '@agent-task-service/engine/nodes'
import { truncate } from '@agent-task-service/wire/untrusted'
import type { BaseMessage, ToolCall, ToolMessage } from '@langchain/core/messages'
import { readQuestions, readToolRequests, wantsValueOnly } from './questions.ts'

const ABILITIES =
  'do arithmetic and units ("What is 15% of 240?"), times and dates ("What time is it in Tokyo?"), ' +
  'web searches ("Search the web for LangGraph") and one tool as told (Use <tool> with <JSON>)'
/** Of what could not be read, in characters. */
const MOST_QUOTED = 80

/** The model's text, or its tool calls. */
interface OfflineReply {
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
export async function decide(
  messages: readonly BaseMessage[],
  tools: readonly string[],
): Promise<OfflineReply> {
  const at = messages.findLastIndex(({ type }) => type === 'human')
  const task = messages[at]?.text ?? ''
  const results = messages.slice(at + 1).filter((message): message is ToolMessage => message.type === 'tool')
  const requests = readToolRequests(task)
  const request = requests[results.length]
  if (results.length > 0 && request === undefined) return { text: answer(task, results), calls: [] }
  const questions = request ? [request] : await readQuestions(task)
  if ('unread' in questions) throw new RunFailure('offline_model', declined(questions.unread))
  // One that a search would find can be called all the same.
  const missing = questions.find(({ tool }) => !tools.includes(tool) && !tools.includes('find_tools'))
  if (missing) {
    const message = `the offline model needs the tool ${missing.tool} for this task, and this call does not offer it`
    throw new RunFailure('offline_model', message)
  }
  const calls = questions.map(({ tool: name, args }, index): ToolCall => {
    return { id: `call_${at}_${results.length + index + 1}`, name, args, type: 'tool_call' }
  })
  return { text: '', calls }
}

/**
 * The tool results in the order of the questions; of a calculation only the value if the task asks for no more.
 *
 * @throws {RunFailure} `tool_failed` when every tool failed
 */
function answer(task: string, results: readonly ToolMessage[]): string {
  if (results.every(({ status }) => status === 'error')) {
    const why = results.map(
      ({ name, text }) => `${name} could not do this: ${withoutNotice(text).replace(/^Error: /, '')}`,
    )
    throw new RunFailure('tool_failed', [...new Set(why)].join(' '))
  }
  const texts = results.map(({ name, text: whole, status }) => {
    const text = withoutNotice(whole)
    if (status === 'error') return `This could not be done. ${text}`
    // The value after the sign: `2 + 2 = 4`.
    return (name === 'calculator' && wantsValueOnly(task) && /^.*? [=≈] (.+)$/m.exec(text)?.[1]) || text
  })
  return texts.join('\n')
}

/** What the offline model can do, and what it could not read. */
function declined(unread: string): string {
  const shown = truncate(unread.replace(/\s+/g, ' ').trim(), MOST_QUOTED)
  return `the offline model can only ${ABILITIES}; it did not understand "${shown}"; set OPENAI_API_KEY for everything else`
}
