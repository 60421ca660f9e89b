import type { RunResponse } from '@agent-task-service/wire/contract'

/** A reply, and what its caller should know beside the interface's members. */
export type Reply = RunResponse & {
  /** Calls of which nobody knows whether they had their effect, as the items of a header. */
  readonly unknownEffects?: readonly string[] | undefined
}

const encoded = new WeakMap<Reply, Uint8Array<ArrayBuffer>>()

/** A reply as JSON. All who get the same reply share its bytes, however many they are and however slowly they read. */
export function encodeReply(reply: Reply): Uint8Array<ArrayBuffer> {
  const known = encoded.get(reply)
  if (known) return known
  const { unknownEffects: _header, ...body } = reply
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  encoded.set(reply, bytes)
  return bytes
}
