import type { RunResponse } from '@agent-task-service/wire/contract'
import type { HttpBindings } from '@hono/node-server'
import type { RequestObserver } from '../run/observer.ts'
import type { Caller } from '../tasks/run-task.ts'

export interface EdgeEnv {
  /** Empty without a socket. */
  Bindings:
    | (Partial<HttpBindings> & {
        /** Whether there are more connections with requests than there is room for. */
        readonly isFull?: boolean
      })
    | undefined
  Variables: {
    /** In `performance.now()` milliseconds. */
    arrivedAt: number
    /** Absent: no token was checked, or none fitted. */
    caller?: Caller
    /** Absent: nobody observes the request. */
    observed?: readonly RequestObserver[]
    /** Of the run; absent before it was submitted. */
    reply?: Promise<RunResponse>
  }
}
