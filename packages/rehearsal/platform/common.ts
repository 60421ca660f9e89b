import type { AgentView } from '../api.ts'
import type { Redact } from '../redact.ts'
import type { Store } from '../store/store.ts'

/** Whether the platform considers an agent available, and why. */
export type Availability = Omit<
  AgentView,
  'id' | 'url' | 'hasReplicas' | 'underway' | 'checking' | 'checked'
> & {
  readonly cause: string
}

/** What all parts of the platform share. */
export interface Common {
  readonly store: Store
  readonly redact: Redact
  readonly onChange: (agentId: string, availability: Availability) => void
  /** Receives errors of the platform itself, such as a failure to record a run. */
  readonly onFault: (error: unknown) => void
}
