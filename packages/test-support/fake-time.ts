import { syncBuiltinESMExports } from 'node:module'
import { install } from '@sinonjs/fake-timers'
import { onTestFinished } from 'vitest'

/** Turns of the event loop that what follows from a timer may take. */
const TURNS = 20
/** Longest step, in milliseconds, so that timers which are set meanwhile are due in their order. */
const STEP_MS = 100

export interface FakeTime {
  /** Lets this many milliseconds pass, a step at a time, with all that follows from each but for what sockets bring. */
  pass(milliseconds: number): Promise<void>
  /**
   * Lets time pass until this settles, with what sockets and threads bring: they get real time for it, a millisecond for
   * each step.
   *
   * @returns what it resolves with
   */
  until<Value>(work: Promise<Value>): Promise<Value>
}

/**
 * Time that only the test moves, until it ends: timers, those of `node:timers/promises`, `AbortSignal.timeout`, `Date` and
 * `performance`. Sockets, streams and processes take their real time, so a test waits for what they bring, then passes time.
 * A test of the same file that runs beside it meets the same time. Loading takes real time too: `beforeAll(warmUp)`.
 *
 * @example
 * const time = fakeTime()
 * const reply = run('Hello')
 * await server.asked(1)
 * await time.pass(30_000)
 * expect(await reply).toMatchObject({ status: 'timeout' })
 */
export function fakeTime(): FakeTime {
  const { setImmediate: turn, setTimeout: wait } = globalThis
  const { timeout } = AbortSignal
  const clock = install({
    now: Date.now(),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    // Of what began before.
    shouldClearNativeTimers: true,
  })
  AbortSignal.timeout = milliseconds => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('The time is up', 'TimeoutError')), milliseconds)
    return controller.signal
  }
  // Many import `node:timers/promises` by name.
  syncBuiltinESMExports()
  onTestFinished(() => {
    clock.uninstall()
    AbortSignal.timeout = timeout
    syncBuiltinESMExports()
  })
  const settle = async () => {
    for (let count = 0; count < TURNS; count += 1) await new Promise<void>(resolve => turn(resolve))
  }
  const pass = async (milliseconds: number) => {
    await settle()
    for (let left = milliseconds; left > 0; left -= STEP_MS) {
      clock.tick(Math.min(left, STEP_MS))
      await settle()
    }
  }
  return {
    pass,
    async until(work) {
      let isSettled = false
      const settled = () => {
        isSettled = true
      }
      work.then(settled, settled)
      while (!isSettled) {
        await pass(STEP_MS)
        await new Promise(resolve => wait(resolve, 1))
      }
      return await work
    },
  }
}
