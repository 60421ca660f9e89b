import { abortOf, withCancellation } from './cancellation.ts'

/** Concurrent calls of one tool: its backend serves other runs too. */
const MAX_AT_ONCE = 8

/** What the order of a tool's calls depends on: one object for all of them. */
interface OrderedTool {
  /** The same for all tools whose calls are in one order; `undefined`: it is in none. */
  readonly group: unknown
  /** Whether a call may change something. */
  readonly hasEffects: boolean
}

/** A call that has not ended. */
interface Place {
  readonly tool: OrderedTool
  /** Absent: it did not have to wait. */
  begin?: () => void
}

/**
 * Says when each tool call of a run begins: of the tools of one group, a call that may change something waits for those before it,
 * and those after it wait for it. All others run side by side, up to eight of one tool.
 */
export class TurnOrder {
  /** Calls that have not ended, as they were made, by the tool call within which they were. */
  readonly #lines = new WeakMap<object, Set<Place>>()

  /**
   * Makes a call, at once if nothing is before it.
   *
   * @param outer the tool call within which it is made, which waits for it and is none that it waits for; absent: there is none
   * @param signal if it aborts while the call waits, the call rejects and never begins
   */
  make<Result>(
    tool: OrderedTool,
    outer: object = this,
    signal: AbortSignal | undefined,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const line = this.#lines.get(outer) ?? new Set()
    this.#lines.set(outer, line)
    const place: Place = { tool }
    line.add(place)
    const turn = () => new Promise<void>(begin => Object.assign(place, { begin }))
    const made = runnable(line).has(place) ? call() : withCancellation(turn, abortOf(signal)).then(call)
    const leave = () => {
      line.delete(place)
      for (const { begin } of runnable(line)) begin?.()
    }
    made.then(leave, leave)
    return made
  }
}

/** Those of a line whose turn it is. */
function runnable(line: Iterable<Place>): Set<Place> {
  const found = new Set<Place>()
  /** Of each group with calls so far: whether one may change something. */
  const changes = new Map<unknown, boolean>()
  const counts = new Map<OrderedTool, number>()
  for (const place of line) {
    const { group, hasEffects } = place.tool
    const before = group === undefined ? undefined : changes.get(group)
    const count = counts.get(place.tool) ?? 0
    const isFree = hasEffects ? before === undefined : !before
    if (isFree && count < MAX_AT_ONCE) found.add(place)
    changes.set(group, before || hasEffects)
    counts.set(place.tool, count + 1)
  }
  return found
}
