import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Assertion, type Group, kindsOf } from '../../../report.ts'
import { AgentText, Worded } from '../../parts/agent-text.tsx'
import { Badge, Icon } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { plural } from '../../state/format.ts'
import { lookOfGroup } from './report-summary.tsx'

/** One of the curator's checks, folded; failed assertions are listed above all groups. */
export function ReportGroup({ group, at }: { group: Group; at: string | null }) {
  const { title, assertions } = group
  const { tone, icon, word } = lookOfGroup(group)
  if (assertions.length === 0) return null
  const advice = kindsOf(assertions.filter(({ mandatory }) => !mandatory)).map(
    ({ words, all }) => `${all.length} ${words}`,
  )
  // Failed assertions open in the list above.
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

/**
 * One assertion and its verdict, with why it matters and how to reproduce it folded beneath.
 *
 * @param isHere the address names this assertion: opens it and scrolls to it
 */
function AssertionItem({ assertion, isHere }: { assertion: Assertion; isHere: boolean }) {
  const { id, title, verdict, mandatory, detail, why, how } = assertion
  const details = useRef<HTMLDetailsElement>(null)
  useLayoutEffect(() => {
    if (!isHere) return
    details.current!.open = true
    details.current!.scrollIntoView()
    details.current!.querySelector('summary')?.focus({ preventScroll: true })
  }, [isHere])
  return (
    <li>
      <details ref={details}>
        <summary>
          <Badge state={verdict} />
          <span class="assertion-title">
            <Worded text={title} />
            {detail !== null && (
              <span class="note detail">
                <Worded text={detail} />
              </span>
            )}
          </span>
          {!mandatory && <span class="tag">advisory</span>}
        </summary>
        <div class="assertion-body">
          {detail !== null && <AgentText text={detail} label={`Detail of ${id}`} />}
          <p>
            <strong>Why</strong> <Worded text={why} />
          </p>
          <div class="section-head">
            <strong>How to see it</strong>
            <CopyButton text={how} what={`the command of ${id}`} />
          </div>
          <AgentText text={how} label={`Command of ${id}`} kind="code" />
          <p class="note">
            <code>{id}</code>
          </p>
        </div>
      </details>
    </li>
  )
}
