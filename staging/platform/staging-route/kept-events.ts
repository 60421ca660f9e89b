import type { EventSourceMessage } from 'eventsource-parser'
import type { RunEvent } from '../../api.ts'
import { objectIn, textOf } from '../../json.ts'

/** Most of one run's events that is kept, in characters of their data; what comes later is left out. */
const MAX_LENGTH = 2 ** 20

/** The events of a run for its record: all but the last, which holds the reply. */
export class KeptEvents {
  readonly #events: { type: string; data: Record<string, unknown> }[] = []
  /** By step, the text that goes on: pieces become one, so that a secret in two of them is seen. */
  readonly #texts = new Map<unknown, Record<string, unknown>>()
  #length = 0

  get all(): readonly RunEvent[] {
    return this.#events
  }

  add({ event: type = 'message', data: text }: EventSourceMessage): void {
    this.#length += text.length
    if (this.#length > MAX_LENGTH) return
    const data = { ...objectIn(text) }
    const before = type === 'text' ? this.#texts.get(data.step) : undefined
    if (before !== undefined && typeof data.text === 'string') {
      before.text = textOf(before.text) + data.text
      return
    }
    if (type === 'text') this.#texts.set(data.step, data)
    else this.#texts.delete(data.step)
    this.#events.push({ type, data })
  }
}
