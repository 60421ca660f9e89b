import type { Group } from '../../../report.ts'
import { Icon } from '../../parts/icon.tsx'
import { AssertionItem } from './assertion-item.tsx'
import { lookOfGroup, tallyOf } from './tally.ts'

/** One of the curator's checks. It stands open where there is something to look at. */
export function ReportGroup({ group }: { group: Group }) {
  const { title, assertions } = group
  const { tone, icon, word } = lookOfGroup(group)
  const { passed, all } = tallyOf(assertions)
  if (all === 0) return null
  return (
    <details class="panel group" open={passed < all}>
      <summary>
        <h2>{title}</h2>
        <span class={`badge tone-${tone}`}>
          <Icon name={icon} />
          {word}
        </span>
        <span class="note">
          {passed} of {all}
        </span>
      </summary>
      <ul class="assertions">
        {assertions.map(assertion => (
          <AssertionItem key={assertion.id} assertion={assertion} />
        ))}
      </ul>
    </details>
  )
}
