import { isDeepStrictEqual } from 'node:util'
import { isObject, parseJson } from '@agent-task-service/wire/untrusted'
import { ToolError } from '../failures/tool-error.ts'
import type { Recorded } from '../journal/call.ts'
import type { CallOutcome } from '../journal/call-record.ts'

/** How a call of a tool without side effects ended. @param end aborted: it was cut off, and is not recorded */
export function resultRecord(ended: PromiseSettledResult<unknown>, end: AbortSignal | undefined): Recorded {
  if (ended.status === 'fulfilled')
    return isJson(ended.value) ? { kind: 'done', result: ended.value } : 'no_json'
  const failure: unknown = ended.reason
  return failure instanceof ToolError && !end?.aborted
    ? { kind: 'failed', message: failure.message }
    : undefined
}

/** What the tool returned, or threw, when the call was made. @param isPair whether that is content and artifact */
export function resultOf(outcome: CallOutcome, isPair: boolean): unknown {
  if (outcome.kind === 'failed') throw new ToolError(outcome.message)
  const result = outcome.kind === 'done' ? outcome.result : undefined
  if (result !== undefined) return result
  const note = 'An earlier run of this task made this call, and it succeeded. Its result was not kept.'
  return isPair ? [note, undefined] : note
}

/** Whether JSON holds all of it; a message, for example, would not be the same again. */
function isJson(result: unknown): boolean {
  try {
    return isDeepStrictEqual(parseJson(JSON.stringify(result) ?? ''), withoutUnset(result))
  } catch {
    return false
  }
}

/** An optional member that is not set is often there with `undefined`. */
function withoutUnset(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnset)
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  const set = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(set.map(([name, member]) => [name, withoutUnset(member)]))
}
