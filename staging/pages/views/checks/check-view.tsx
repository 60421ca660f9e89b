import type { CheckRun } from '../../../api.ts'
import { kindsOf, type Report } from '../../../report.ts'
import { Inline } from '../../parts/agent-text.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Notice, Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { plural } from '../../state/format.ts'
import { usePoll } from '../../state/poll.ts'
import { hrefOf } from '../../state/route.ts'
import { AssertionList, ReportGroup } from './report-group.tsx'

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
      <p class="row">
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
          The checks themselves failed, so they say nothing about the agent: {check.cause}
        </Notice>
      )}
      {report && (
        <>
          <Summary report={report} checkId={check.id} />
          {toRead.length > 0 && (
            <section class="panel stack" aria-labelledby="to-read">
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

/** The result in a sentence that links to the assertions worth reading. */
function Summary({ report: { groups, verdict, requests }, checkId }: { report: Report; checkId: number }) {
  const all = groups.flatMap(({ assertions }) => assertions)
  const passed = all.filter(({ verdict }) => verdict === 'pass').length
  return (
    <section class="panel" aria-label="Summary">
      <p class="sentence" role="status">
        {passed} of {plural(all.length, 'assertion')} hold
        {kindsOf(all).map(({ words, all: [first, ...others] }) => (
          <span key={words}>
            , <a href={hrefOf(`checks/${checkId}`, { at: first!.id })}>{`${others.length + 1} ${words}`}</a>
          </span>
        ))}
        {verdict === null ? ' so far' : ''}.
      </p>
      <p class="note">{plural(requests, 'request')} to the agent, not counting /health</p>
    </section>
  )
}
