import type { AgentView } from '../api.ts'
import type { Clock } from '../clock.ts'
import type { Redact } from '../redact.ts'
import type { Store } from '../store/store.ts'

/** What the platform thinks of an agent, and why. */
export type Availability = Omit<AgentView, 'id' | 'url'> & { readonly cause: string }

/** What all parts of the platform work with. */
export interface Common {
  readonly store: Store
  readonly redact: Redact
  readonly clock: Clock
  readonly onChange: (agentId: string, availability: Availability) => void
  /** Hears of faults of the platform itself, such as what could not be recorded. */
  readonly onFault: (error: unknown) => void
}
