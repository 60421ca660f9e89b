import type { StreamEventType } from '@agent-task-service/wire/contract'
import type { Mask } from '@agent-task-service/wire/masking'
import type { RunEvent } from '../run/events.ts'
import { eventMask } from './mask-events.ts'

/**
 * How often text is passed on, in milliseconds: each write costs more than the text. Our own client gathers for longer, so
 * its text is held here only if calls stream beside each other.
 */
const TEXT_INTERVAL_MS = 25
/** More text than this is passed on at once, so that what a caller has read makes room for what follows, in characters. */
const MAX_HELD = 16_384

/** An event of a run as all of its callers get it. */
export interface EncodedEvent {
  readonly type: StreamEventType
  /** When it happened, by `performance.now()`. */
  readonly at: number
  /** Its own members as JSON, without braces. Not in it: those that differ between callers, and the reply. */
  readonly members: string
}

/** Receives a run's events, in order; must not throw. */
export type StreamListener = (events: readonly EncodedEvent[]) => void

/** Passes the events of one run to the callers who watch it, masked and encoded once for all. */
export class EventFeed {
  readonly #watchers = new Set<StreamListener>()
  readonly #eventMask: ReturnType<typeof eventMask>
  #beginning: EncodedEvent | undefined
  #heldText: EncodedEvent[] = []
  #heldLength = 0
  #timer: NodeJS.Timeout | undefined

  constructor(mask: Mask) {
    this.#eventMask = eventMask(mask)
  }

  /** From now on `watch` receives the run's events, after `run_started` if that has happened. */
  add(watch: StreamListener): void {
    this.#flush()
    this.#watchers.add(watch)
    if (this.#beginning) watch([this.#beginning])
  }

  delete(watch: StreamListener): void {
    this.#watchers.delete(watch)
  }

  /** The first `run_started` is the only one that is passed on, even if several replicas start the run. */
  publish(event: RunEvent): void {
    if (event.type === 'run_started') {
      if (this.#beginning) return
    } else if (this.#watchers.size === 0) {
      this.#eventMask.skip(event)
      return
    }
    for (const { type, data } of this.#eventMask.apply(event)) {
      const encoded = { type, at: event.at, members: JSON.stringify(data).slice(1, -1) }
      if (type === 'run_started') this.#beginning = encoded
      if (type === 'text') this.#hold(encoded)
      else this.#pass([...this.#take(), encoded])
    }
  }

  /** The first text is passed on at once, what follows within the interval together. */
  #hold(text: EncodedEvent): void {
    this.#heldText.push(text)
    this.#heldLength += text.members.length
    if (!this.#timer || this.#heldLength > MAX_HELD) this.#flush()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const held = this.#take()
    if (held.length === 0) return
    this.#pass(held)
    this.#timer = setTimeout(() => this.#flush(), TEXT_INTERVAL_MS).unref()
  }

  #take(): EncodedEvent[] {
    this.#heldLength = 0
    return this.#heldText.splice(0)
  }

  #pass(events: readonly EncodedEvent[]): void {
    for (const watch of this.#watchers) watch(events)
  }
}
