import type { RequestTrace } from '../telemetry/run-span.ts'

/** What the edge keeps for each request: `arrivedAt`, in `performance.now()` milliseconds; where it is traced, `trace`. */
export interface EdgeEnv {
  Variables: { arrivedAt: number; trace?: RequestTrace }
}
