import type { CheckRun } from '../../../api.ts'
import {
  type Assertion,
  assertionsIn,
  causeText,
  changesSince,
  kindsOf,
  type Report,
  toldOf,
} from '../../../report.ts'
import { Badge } from '../../parts/badge.tsx'
import { Notice, Pending, Section, ViewPage } from '../../parts/page.tsx'
import { Inline, TimeText, Worded } from '../../parts/text.tsx'
import { api, useAction, useChecks, usePoll } from '../../state/api-client.ts'
import { useDashboard } from '../../state/dashboard.ts'
import { hrefOf } from '../../state/route.ts'
import { AssertionDetails, AssertionList, ReportGroup } from './report-group.tsx'
import { Changes, Summary, Unseen } from './report-summary.tsx'

const EVERY_MS = 1000
/** Until the checks have said what they will check. */
const SOON_MS = 100
/** Longer lists of what did not pass are folded, but for mandatory failures. */
const MANY = 20

/**
 * One agent's acceptance checks, in progress or finished.
 *
 * @param at the assertion to open
 */
export function CheckView({ id, at }: { id: number; at: string | null }) {
  const { data: check, error } = usePoll<CheckRun>(`/api/checks/${id}`, waitMs)
  return (
    <ViewPage title={`Acceptance checks ${id}`} aside={<a href={hrefOf('checks')}>All checks</a>}>
      {check === null ? <Pending error={error} /> : <Check check={check} at={at} />}
    </ViewPage>
  )
}

function waitMs({ state, report }: CheckRun): number | null {
  if (state !== 'underway') return null
  return report === undefined ? SOON_MS : EVERY_MS
}

function Check({ check, at }: { check: CheckRun; at: string | null }) {
  const { id, report, state, cause, before = null } = check
  const path = before === null || report === undefined ? null : `/api/checks/${before}`
  const { data: earlier } = usePoll<CheckRun>(path, () => null)
  const toRead = kindsOf(assertionsIn(report?.groups ?? []))
  return (
    <div class="stack">
      <CheckHead check={check} />
      {state === 'broken' ? (
        <Notice tone="bad">The checks themselves failed, so they say nothing about the agent: {cause}</Notice>
      ) : (
        cause && <Notice tone="warn">These checks did not finish: {cause}.</Notice>
      )}
      {report === undefined && state === 'underway' && <p class="note">The checks begin…</p>}
      {report && (
        <div class="stack split">
          <div class="stack">
            <LikeliestCause report={report} />
            <Summary report={report} check={check} />
            {earlier?.report && (
              <Changes changes={changesSince(earlier.report, report)} checkId={id} beforeId={earlier.id} />
            )}
            <Unseen report={report} isOfCommand={check.onCommandLine ?? false} />
          </div>
          <div class="stack">
            {toRead.length > 0 && <ToRead kinds={toRead} at={at} />}
            {report.groups.map(group => (
              <ReportGroup key={group.id} group={group} at={at} />
            ))}
          </div>
        </div>
      )}
    </div>
  )
}

function isOpen(all: readonly Assertion[], at: string | null): boolean {
  const { verdict, mandatory } = all[0]!
  const isSerious = verdict === 'fail' && mandatory
  return isSerious || all.length <= MANY || all.some(({ id }) => id === at)
}

/** What to mend first: the likeliest cause of what failed, why it matters and how to see it. */
function LikeliestCause({ report: { cause, causeId, groups } }: { report: Report }) {
  if (cause === undefined) return null
  const assertion = assertionsIn(groups).find(({ id }) => id === causeId)
  const isItself = assertion !== undefined && causeText(assertion) === cause
  return (
    <Section title="Likeliest cause" kind="tone-bad cause">
      {(isItself ? toldOf(assertion) : cause).split('\n').map(line => (
        <p key={line} class="sentence">
          <Worded text={line} />
        </p>
      ))}
      {assertion && <AssertionDetails assertion={assertion} name="the likeliest cause" />}
    </Section>
  )
}

/** The assertions worth a look, by kind. */
function ToRead({ kinds, at }: { kinds: ReturnType<typeof kindsOf>; at: string | null }) {
  return (
    <Section title="Worth a look">
      {kinds.map(({ words, all }) => (
        <details key={words} open={isOpen(all, at)}>
          <summary>
            <h3>
              {all.length} {words}
            </h3>
          </summary>
          <AssertionList assertions={all} at={at} />
        </details>
      ))}
    </Section>
  )
}

/** The state of the checks, and the button that stops or repeats them. */
function CheckHead({ check }: { check: CheckRun }) {
  const { id, agentId, state, startedAt, finishedAt, onCommandLine } = check
  const { agents } = useDashboard()
  const isKnown = agents?.some(agent => agent.id === agentId) ?? false
  const isUnderway = state === 'underway'
  const begin = useChecks(agentId)
  const stop = useAction(() => api.post(`/api/checks/${id}/stop`))
  const { run, isBusy } = isUnderway ? stop : begin
  const problem = stop.problem ?? begin.problem
  return (
    <>
      <div class="row">
        <Badge state={state} />
        <span class="note">
          <Inline text={agentId} /> · started <TimeText at={startedAt} />
          {finishedAt && (
            <>
              , finished <TimeText at={finishedAt} />
            </>
          )}
          {!onCommandLine && (
            <>
              {' · '}
              <a href={hrefOf('runs', { by: 'checks', check: id })}>its runs</a>
            </>
          )}
        </span>
        {onCommandLine && <span class="tag">command line</span>}
        {isKnown && (
          <div class="row actions">
            <button type="button" onClick={run} aria-disabled={isBusy}>
              {isUnderway ? (isBusy ? 'Stopping…' : 'Stop') : 'Run again'}
            </button>
          </div>
        )}
      </div>
      {problem && <Notice tone="bad">{problem}</Notice>}
    </>
  )
}
