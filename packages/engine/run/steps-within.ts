import { AsyncLocalStorage } from 'node:async_hooks'

/** The tool call around what is done, and whether it took steps of its own: it asked a model, or called another tool. */
export const toolCall = new AsyncLocalStorage<{ hasSteps: boolean }>()

/** A step has begun. */
export function noticeStep(): void {
  const call = toolCall.getStore()
  if (call) call.hasSteps = true
}
