import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Assertion } from '../../../report.ts'
import { AgentText, Worded } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'

/**
 * One assertion: what must hold and whether it does; folded beneath, why it matters and how to see it.
 *
 * @param isHere the address names it: it is opened, and comes into view
 */
export function AssertionItem({ assertion, isHere }: { assertion: Assertion; isHere: boolean }) {
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
