import { ToolError } from '@agent-task-service/engine/tool'

/**
 * A result, or the message of a failure, that holds text of a page says so above it. None of its lines stands at the
 * margin, so none can pass for another result.
 *
 * @param head from `headOf`; `undefined`: it holds no text of a page
 */
export function framed<Result>(head: string | undefined, work: () => Result): Result {
  if (head === undefined) return work()
  const frame = (text: string) => `${head}\n\n   ${text.replaceAll('\n', '\n   ')}`
  try {
    const result = work()
    return (typeof result === 'string' ? frame(result) : result) as Result
  } catch (error) {
    throw error instanceof ToolError ? new ToolError(frame(error.message)) : error
  }
}
