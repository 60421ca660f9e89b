import { type Assertion, type Group, kindsOf } from '../../../report.ts'
import { Icon } from '../../parts/badge.tsx'
import { plural } from '../../state/format.ts'
import { AssertionItem } from './assertion-item.tsx'
import { lookOfGroup } from './report-summary.tsx'

/** One of the curator's checks, folded: what there is to read stands above all groups. */
export function ReportGroup({ group, at }: { group: Group; at: string | null }) {
  const { title, assertions } = group
  const { tone, icon, word } = lookOfGroup(group)
  if (assertions.length === 0) return null
  const advice = kindsOf(assertions.filter(({ mandatory }) => !mandatory)).map(
    ({ words, all }) => `${all.length} ${words}`,
  )
  // What does not hold is come to above.
  const here = assertions.find(({ id, verdict }) => id === at && verdict === 'pass')?.id ?? null
  return (
    <details class="panel group" open={here !== null}>
      <summary>
        <h2>{title}</h2>
        <span class={`badge tone-${tone}`}>
          <Icon name={icon} />
          {word}
        </span>
        <span class="note">{[plural(assertions.length, 'assertion'), ...advice].join(', ')}</span>
      </summary>
      <AssertionList assertions={assertions} at={here} />
    </details>
  )
}

export function AssertionList({ assertions, at }: { assertions: readonly Assertion[]; at: string | null }) {
  return (
    <ul class="assertions">
      {assertions.map(assertion => (
        <AssertionItem key={assertion.id} assertion={assertion} isHere={assertion.id === at} />
      ))}
    </ul>
  )
}
