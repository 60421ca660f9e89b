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

export type EventFeed = ReturnType<typeof eventFeed>

/** Passes the events of one run to the callers who watch it, masked and encoded once for all. */
export function eventFeed(mask: Mask) {
  const watchers = new Set<StreamListener>()
  const { apply, skip } = eventMask(mask)
  let beginning: EncodedEvent | undefined
  let heldText: EncodedEvent[] = []
  let heldLength = 0
  let timer: NodeJS.Timeout | undefined

  function pass(events: readonly EncodedEvent[]): void {
    for (const watch of watchers) watch(events)
  }

  function take(): EncodedEvent[] {
    const held = heldText
    heldText = []
    heldLength = 0
    return held
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const held = take()
    if (held.length === 0) return
    pass(held)
    timer = setTimeout(flush, TEXT_INTERVAL_MS).unref()
  }

  /** The first text is passed on at once, what follows within the interval together. */
  function hold(text: EncodedEvent): void {
    heldText.push(text)
    heldLength += text.members.length
    if (!timer || heldLength > MAX_HELD) flush()
  }

  return {
    /** From now on `watch` receives the run's events, after `run_started` if that has happened. */
    add(watch: StreamListener): void {
      flush()
      watchers.add(watch)
      if (beginning) watch([beginning])
    },
    delete(watch: StreamListener): void {
      watchers.delete(watch)
    },
    /** The first `run_started` is the only one that is passed on, even if several replicas start the run. */
    publish(event: RunEvent): void {
      const isBeginning = event.type === 'run_started'
      if (isBeginning && beginning) return
      if (!isBeginning && watchers.size === 0) {
        skip(event)
        return
      }
      for (const { type, data } of apply(event)) {
        const encoded = { type, at: event.at, members: JSON.stringify(data).slice(1, -1) }
        if (type === 'run_started') beginning = encoded
        if (type === 'text') hold(encoded)
        else pass([...take(), encoded])
      }
    },
  }
}
