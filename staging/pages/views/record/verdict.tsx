import type { RunRecord } from '../../../api.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Icon } from '../../parts/icon.tsx'
import { plural } from '../../state/format.ts'

/** What of the reply breaks the contract, as the platform has judged it. */
export function Verdict({ record: { broken, status } }: { record: RunRecord }) {
  if (broken.length > 0) {
    return (
      <div class="tone-bad">
        <h3 class="verdict">
          <Icon name="warning" /> {plural(broken.length, 'violation')} of the contract
        </h3>
        <ul class="broken">
          {broken.map((sentence, index) => (
            <li key={index}>
              <Inline text={sentence} />
            </li>
          ))}
        </ul>
      </div>
    )
  }
  const why = status === 'refused' ? 'The run was refused' : 'The run was cancelled'
  if (status === 'refused' || status === 'cancelled')
    return <p class="note">{why}: there is no result to hold against the contract.</p>
  return (
    <p class="verdict tone-good">
      <Icon name="check" /> The reply keeps the contract.
    </p>
  )
}
