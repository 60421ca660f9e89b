import type { Question } from './questions.ts'

const MAX_LENGTH = 20_000
const REQUEST =
  /^(?:please\s+)?(?:use|call|run)\s+(?:the\s+)?(?:tool\s+)?[`"']?([\w-]{1,64})[`"']?(?:\s+tool)?(?:\s+with)?:?\s*(\{.*\})[.!]?$/is

/**
 * Reads a task that names one tool and its arguments as JSON: `Use text_stats with {"text": "To be or not"}`. This way
 * a tool can be tried without a language model to choose it.
 */
export function readToolRequest(text: string): Question | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [, tool, json] = REQUEST.exec(text.trim()) ?? []
  if (tool === undefined || json === undefined) return undefined
  try {
    return { tool, args: JSON.parse(json) }
  } catch {
    return undefined
  }
}
