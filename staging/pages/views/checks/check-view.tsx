import type { CheckRun } from '../../../api.ts'
import { kindsOf } from '../../../report.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Notice, Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { AssertionList, ReportGroup } from './report-group.tsx'
import { ReportSummary } from './report-summary.tsx'

const EVERY_MS = 1000

/**
 * One agent's acceptance checks, in progress or finished.
 *
 * @param at the assertion to open
 */
export function CheckView({ id, at }: { id: number; at: string | null }) {
  const isLast = ({ state }: CheckRun) => state !== 'underway'
  const { data: check, error } = usePoll(`/api/checks/${id}`, EVERY_MS, { isLast })
  return (
    <Page title={`Acceptance checks ${id}`} aside={<a href={hrefOf('checks')}>All checks</a>}>
      {check === null ? <Pending error={error} /> : <Check check={check} at={at} />}
    </Page>
  )
}

function Check({ check, at }: { check: CheckRun; at: string | null }) {
  const { report, state } = check
  const toRead = kindsOf(report?.groups.flatMap(({ assertions }) => assertions) ?? [])
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
          The checks themselves broke off, so they say nothing about the agent: {check.cause}
        </Notice>
      )}
      {report && (
        <>
          <ReportSummary report={report} hrefTo={one => hrefOf(`checks/${check.id}`, { at: one.id })} />
          {toRead.length > 0 && (
            <section class="panel group" aria-labelledby="to-read">
              <h2 id="to-read">Worth a look</h2>
              <AssertionList assertions={toRead.flatMap(({ all }) => all)} at={at} />
            </section>
          )}
          {report.groups.map(group => (
            <ReportGroup key={group.id} group={group} at={at} />
          ))}
        </>
      )}
    </div>
  )
}
