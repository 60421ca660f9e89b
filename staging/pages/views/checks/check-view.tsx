import { useState } from 'preact/hooks'
import type { CheckRun } from '../../../api.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Notice, Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { ReportGroup } from './report-group.tsx'
import { ReportSummary } from './report-summary.tsx'

const EVERY_MS = 1000

/** The acceptance checks of one agent, while under way and afterwards. */
export function CheckView({ id }: { id: number }) {
  const { api } = useDashboard()
  const [isOver, setOver] = useState(false)
  const { data: check, error } = usePoll(`check ${id}`, isOver ? null : EVERY_MS, async signal => {
    const latest = await api.check(id, signal)
    setOver(latest.state !== 'underway')
    return latest
  })
  return (
    <Page title={`Acceptance checks ${id}`} aside={<a href={hrefOf('checks')}>All checks</a>}>
      {check === null ? <Pending error={error} /> : <Check check={check} />}
    </Page>
  )
}

function Check({ check }: { check: CheckRun }) {
  const { report, state } = check
  return (
    <div class="stack">
      <p class="check-head">
        <Badge state={state} />
        <span class="note">
          <Inline text={check.agentId} /> · started <Moment at={check.startedAt} />
          {check.finishedAt && (
            <>
              , finished <Moment at={check.finishedAt} />
            </>
          )}
        </span>
      </p>
      {state === 'broken' && (
        <Notice tone="bad">
          The checks themselves failed before their end, and say nothing of the agent: {check.cause}
        </Notice>
      )}
      {report && (
        <>
          <ReportSummary report={report} />
          {report.groups.map(group => (
            <ReportGroup key={group.id} group={group} />
          ))}
        </>
      )}
    </div>
  )
}
