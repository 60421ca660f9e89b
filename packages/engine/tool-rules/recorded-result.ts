import { isDeepStrictEqual } from 'node:util'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { z } from 'zod'
import { ToolError } from '../failures/tool-error.ts'
import type { Run } from '../run/run.ts'

/** How a call of a tool without side effects ended. */
const recordedResult = z.union([z.object({ result: z.json() }), z.object({ failed: z.string() })])

/**
 * Makes a call, unless the run made it before it was taken over: then it ends as it did.
 *
 * @param digest of the call
 * @param end aborted: the call was cut off, and is not recorded
 * @param onReplay called if it is not made
 */
export async function performOrReplay(
  { stepJournal }: Pick<Run, 'stepJournal'>,
  digest: () => string,
  end: AbortSignal | undefined,
  perform: () => Promise<unknown>,
  onReplay: () => void,
): Promise<unknown> {
  const key = stepJournal.keyOf(digest)
  if (key === undefined) return await perform()
  const known = stepJournal.recall(key, recordedResult)
  if (known) {
    onReplay()
    if ('result' in known) return known.result
    throw new ToolError(known.failed)
  }
  try {
    const result = await perform()
    // What JSON cannot hold, such as a message, would not be the same again.
    if (isDeepStrictEqual(parseJson(JSON.stringify(result) ?? ''), result))
      await stepJournal.keep(key, { result })
    return result
  } catch (failure) {
    if (failure instanceof ToolError && !end?.aborted)
      await stepJournal.keep(key, { failed: failure.message })
    throw failure
  }
}
