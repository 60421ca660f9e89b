import type { RequestTrace } from '../telemetry/run-span.ts'

/** Per-request variables: `arrivedAt` in `performance.now()` milliseconds, and `trace` if the request is traced. */
export interface EdgeEnv {
  Variables: { arrivedAt: number; trace?: RequestTrace }
}
