import { isDeepStrictEqual } from 'node:util'
import { isObject, parseJson } from '@agent-task-service/wire/untrusted'
import { z } from 'zod'
import { ToolError } from '../failures/tool-error.ts'
import { toolCall } from '../run/budget-enforcer.ts'
import type { Run } from '../run/run.ts'

/** A call that takes this long, in milliseconds, is worth a wait for Redis. */
const SLOW_MS = 1_000

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

/**
 * How a call of a tool without side effects ended. One that took steps of its own is made again: those are recorded, and they
 * count in the metrics.
 */
const recordedResult = z.union([
  z.object({ result: z.json() }),
  z.object({ failed: z.string() }),
  z.object({ hadSteps: z.literal(true) }),
])

interface RecordedCall {
  digest(): string
  /** Aborted: the call was cut off, and is not recorded. */
  readonly end: AbortSignal | undefined
  /** Whether it changes something. */
  readonly hasEffects: boolean
  /** Called if it is not made. */
  onReplay(): void
}

/** Makes a call, unless the run made it before it was taken over: then it ends as it did. */
export async function performOrReplay(
  { stepJournal }: Pick<Run, 'stepJournal'>,
  { digest, end, hasEffects, onReplay }: RecordedCall,
  perform: () => Promise<unknown>,
): Promise<unknown> {
  const key = stepJournal.keyOf(digest)
  if (key === undefined) return await perform()
  // Once the run goes another way, its calls may come in another order, and what the last one sets counts.
  const mustRun = hasEffects && stepJournal.liveFrom !== undefined
  const known = mustRun ? undefined : stepJournal.recall(key, recordedResult)
  if (known && !('hadSteps' in known)) {
    onReplay()
    if ('result' in known) return known.result
    throw new ToolError(known.failed)
  }
  await stepJournal.assertOurs()
  const begunAt = performance.now()
  const call = { hasSteps: false }
  const keep = (ended: z.output<typeof recordedResult>) =>
    // What models reply next is asked for with this result, so it is recorded before that.
    stepJournal.keep(key, call.hasSteps ? { hadSteps: true } : ended, performance.now() - begunAt >= SLOW_MS)
  try {
    const result = await toolCall.run(call, perform)
    if (call.hasSteps || isJson(result)) await keep({ result: result as z.core.util.JSONType })
    else stepJournal.skip('no_json')
    return result
  } catch (failure) {
    if (failure instanceof ToolError && !end?.aborted) await keep({ failed: failure.message })
    throw failure
  }
}
