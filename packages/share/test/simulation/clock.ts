import { syncBuiltinESMExports } from 'node:module'
import { type Clock as FakeTimers, install } from '@sinonjs/fake-timers'

/** Longest silence of the clock in a schedule, in turns: then something runs for ever. */
const MAX_TURNS = 100_000
/** Real ones, to let promises settle. */
const { setImmediate: realImmediate } = globalThis

/** Time that passes only when nothing is left to do: it jumps to the next timer. */
export class Clock implements Disposable {
  readonly #timers: FakeTimers
  readonly #timeout = AbortSignal.timeout
  #turns = 0

  constructor() {
    this.#timers = install({
      now: Date.UTC(2026, 0, 1),
      toFake: [
        'setTimeout',
        'clearTimeout',
        'setInterval',
        'clearInterval',
        'setImmediate',
        'clearImmediate',
        'Date',
        'performance',
      ],
    })
    // Node's own goes by the real time.
    AbortSignal.timeout = ms => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new DOMException('The time is up', 'TimeoutError')), ms)
      return controller.signal
    }
    // `node:timers/promises` is imported by name.
    syncBuiltinESMExports()
  }

  /** Milliseconds since the start. */
  get now(): number {
    return performance.now()
  }

  /** Timers that are set. */
  get timers(): number {
    return this.#timers.countTimers()
  }

  /** Lets time pass at once, as for a process that is suspended: each timer goes off once, late. */
  jump(ms: number): void {
    this.#timers.jump(ms)
  }

  /** @throws if the time passes this moment, or no timer is left, before the work is done */
  async until(work: Promise<unknown>, latest: number): Promise<void> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    await settled()
    while (!isDone) {
      this.#turns += 1
      if (this.timers === 0) throw new Error('it waits, and no timer is set')
      if (this.now > latest || this.#turns > MAX_TURNS)
        throw new Error(`not done at ${Math.round(this.now)} ms`)
      this.#timers.next()
      await settled()
    }
    await work
  }

  [Symbol.dispose](): void {
    this.#timers.uninstall()
    AbortSignal.timeout = this.#timeout
    syncBuiltinESMExports()
  }
}

/** Lets all promises settle: they run before the event loop's next turn. */
async function settled(): Promise<void> {
  await new Promise<void>(resolve => realImmediate(resolve))
}
