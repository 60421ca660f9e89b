import type { RecordedEvent } from '../api.ts'
import { type JsonObject, textOf } from '../json.ts'

/** Maximum total length of the events stored for one run, in characters; later events are dropped. */
const MAX_LENGTH = 2 ** 20
/** What an event takes beside its type and data, at least: else those without data would have no end. */
const EACH = 20

/**
 * Records the events stored with a run, the last without the reply, which is stored already; and apart from them what its
 * models read, which is not stored.
 */
export function eventRecorder() {
  const all: { type: string; data: Record<string, unknown> }[] = []
  /** Open texts by step. Pieces are joined, so that a secret split between two is detected. */
  const texts = new Map<unknown, Record<string, unknown>>()
  const modelInputs: RecordedEvent[] = []
  let length = 0
  return {
    all: all as readonly RecordedEvent[],
    modelInputs: modelInputs as readonly RecordedEvent[],
    /** The events so far, with what `shown` leaves of each open text. */
    soFar(shown: (text: string) => string): readonly RecordedEvent[] {
      const open = new Set(texts.values())
      return all.map(({ type, data }) => ({
        type,
        data: open.has(data) ? { ...data, text: shown(textOf(data.text)) } : data,
      }))
    },
    /** @param size of the data as text, in characters */
    add(type = 'message', received: JsonObject, size: number): void {
      const data: Record<string, unknown> = { ...received }
      if (type === 'run_finished') delete data.response
      else length += type.length + size + EACH
      if (length > MAX_LENGTH && type !== 'run_finished') return
      if (type === 'model_input') {
        modelInputs.push({ type, data })
        return
      }
      const before = type === 'text' ? texts.get(data.step) : undefined
      if (before !== undefined && typeof data.text === 'string') {
        before.text = textOf(before.text) + data.text
        return
      }
      if (type === 'text') texts.set(data.step, data)
      else texts.delete(data.step)
      all.push({ type, data })
    },
  }
}
