import type { RunResponse } from '@agent-task-service/contract'

const encoded = new WeakMap<RunResponse, Uint8Array<ArrayBuffer>>()

/** A reply as JSON. All who get the same reply share its bytes, however many they are and however slowly they read. */
export function encodeReply(reply: RunResponse): Uint8Array<ArrayBuffer> {
  const known = encoded.get(reply)
  if (known) return known
  const bytes = new TextEncoder().encode(JSON.stringify(reply))
  encoded.set(reply, bytes)
  return bytes
}
