import type { HttpBindings } from '@hono/node-server'
import type { RequestTrace } from '../telemetry/run-span.ts'

/** Per-request variables: `arrivedAt` in `performance.now()` milliseconds, and `trace` if the request is traced. */
export interface EdgeEnv {
  /** Empty without a socket. */
  Bindings: Partial<HttpBindings> | undefined
  Variables: { arrivedAt: number; trace?: RequestTrace }
}
