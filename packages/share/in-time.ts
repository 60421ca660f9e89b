import { TurnTimer, withCancellation } from '@agent-task-service/engine/share'

/** How long a run may wait for an operation, in milliseconds. */
export const OPERATION_MS = 100

/** @throws {Error} with the code `TIMEOUT` if there is no reply in time, counted in turns of the event loop */
export async function inTime<Reply>(reply: Promise<Reply>, ms = OPERATION_MS): Promise<Reply> {
  return await withCancellation(
    () => reply,
    cancel =>
      new TurnTimer(ms, () => cancel(Object.assign(new Error('no answer in time'), { code: 'TIMEOUT' }))),
  )
}
