import { Inline } from '../../parts/agent-text.tsx'
import { Icon } from '../../parts/icon.tsx'
import { plural } from '../../state/format.ts'

/** What of the reply breaks the contract, as the platform has judged it. */
export function Violations({ broken }: { broken: readonly string[] | null }) {
  if (broken === null) return <p class="note">The platform's verdict on the reply is not there yet.</p>
  if (broken.length === 0) {
    return (
      <p class="verdict tone-good">
        <Icon name="check" /> The reply keeps the contract.
      </p>
    )
  }
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
