import type { Assertion } from '../../../report.ts'
import { AgentText } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Worded } from '../../parts/worded.tsx'

/** One assertion: what must hold and whether it does; folded beneath, why it matters and how to see it. */
export function AssertionItem({ assertion }: { assertion: Assertion }) {
  const { id, title, verdict, mandatory, detail, why, how } = assertion
  return (
    <li>
      <details open={verdict === 'fail' || (verdict === 'not_run' && mandatory)}>
        <summary>
          <Badge state={verdict} />
          <span class="assertion-title">
            <Worded text={title} />
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
          <AgentText text={how} label={`Command of ${id}`} code />
          <p class="note">
            <code>{id}</code>
          </p>
        </div>
      </details>
    </li>
  )
}
