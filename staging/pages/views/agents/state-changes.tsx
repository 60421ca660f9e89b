import type { StateChange } from '../../../api.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { plural } from '../../state/format.ts'

/** When the agent came and went, newest first, and why. */
export function StateChanges({ changes }: { changes: readonly StateChange[] }) {
  if (changes.length === 0) return null
  return (
    <details>
      <summary>{plural(changes.length, 'change')} of state</summary>
      <ul class="changes">
        {changes.toReversed().map(({ at, state, cause }) => (
          <li key={`${at} ${state}`}>
            <Moment at={at} />
            <Badge state={state} />
            <Inline text={cause} />
          </li>
        ))}
      </ul>
    </details>
  )
}
