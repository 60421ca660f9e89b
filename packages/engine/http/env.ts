import type { RunResponse } from '@agent-task-service/contract'
import type { HttpBindings } from '@hono/node-server'
import type { RequestTrace } from '../telemetry/run-span.ts'

export interface EdgeEnv {
  /** Empty without a socket. */
  Bindings: Partial<HttpBindings> | undefined
  Variables: {
    /** In `performance.now()` milliseconds. */
    arrivedAt: number
    /** Absent: the request is not traced. */
    trace?: RequestTrace
    /** Of the run; absent before it was submitted. */
    reply?: Promise<RunResponse>
  }
}
