import type { RunRecord, RunStatus } from '../../../api.ts'
import { objectIn, textOf } from '../../../json.ts'
import { RUN_P95_MS } from '../../../limits.ts'
import { Badge, Icon } from '../../parts/badge.tsx'
import { Section } from '../../parts/page.tsx'
import { AgentText, CopyButton, Inline } from '../../parts/text.tsx'
import { duration, plural } from '../../state/format.ts'
import { usedText } from '../history/run-list.tsx'

/** How far a reported duration may exceed the wall clock, as in the acceptance checks. */
const ROUNDING_MS = 100

/**
 * A run's outcome and its cost.
 *
 * @param textSoFar what the model had written when the run ended without an output
 */
export function Result({ record, textSoFar }: { record: RunRecord; textSoFar: string }) {
  const reply = objectIn(record.reply)
  const [output, error] = [textOf(reply.output), textOf(reply.error)]
  const { status, httpStatus, agentStatus } = record
  const told = (
    <span class="row">
      <Badge state={status} />
      <span class="note">
        {agentStatus === null ? 'No reply from the agent' : `HTTP ${agentStatus}`}
        {agentStatus !== httpStatus && ` · recorded as ${httpStatus}`}
      </span>
      {output !== '' && <CopyButton text={output} what={`the output of run ${record.id}`} />}
    </span>
  )
  return (
    <Section title="Result" label={`Result of run ${record.id}`} kind="result" aside={told}>
      {output !== '' && <AgentText text={output} label="Output" kind="markdown" />}
      {output === '' && textSoFar !== '' && (
        <AgentText text={textSoFar} label="Output so far" kind="markdown" />
      )}
      {error !== '' && (
        <div class="tone-bad">
          <h3 class="toned">Error</h3>
          <AgentText text={error} label="Error" />
        </div>
      )}
      {output === '' && error === '' && <p class="note">The reply has neither output nor error.</p>}
      <Verdict record={record} />
      <Figures record={record} />
    </Section>
  )
}

/** What the run took, on a line. */
function Figures({ record }: { record: RunRecord }) {
  const { wallMs, durationSec } = record
  const reportedMs = durationSec && durationSec * 1000
  const isBeyond = wallMs !== null && (reportedMs ?? 0) > wallMs + ROUNDING_MS
  const isLate = (wallMs ?? 0) > RUN_P95_MS
  const figures = [
    <span class={isLate ? 'tone-warn' : ''}>
      {duration(wallMs)}
      {isLate && `, past ${duration(RUN_P95_MS)}`}
    </span>,
    reportedMs !== null && (
      <span class={isBeyond ? 'tone-bad' : ''}>
        reported {duration(reportedMs)}
        {isBeyond && ', beyond the wall clock'}
      </span>
    ),
    usedText(record),
  ]
  return (
    <p class="note">
      {figures.filter(Boolean).flatMap((figure, index) => (index === 0 ? figure : [' · ', figure]))}
    </p>
  )
}

const WITHOUT_REPLY: Partial<Record<RunStatus, string>> = {
  unreachable: 'Nothing accepted the connection',
  refused: 'The run was refused',
  cancelled: 'The run was cancelled',
}

/** Contract violations in the reply, as the platform judged them. */
function Verdict({ record: { broken, status } }: { record: RunRecord }) {
  if (broken.length > 0) {
    return (
      <div class="tone-bad">
        <h3 class="row toned">
          <Icon name="warning" /> {plural(broken.length, 'violation')} of the contract
        </h3>
        <ul class="bullets">
          {broken.map((sentence, index) => (
            <li key={index}>
              <Inline text={sentence} />
            </li>
          ))}
        </ul>
      </div>
    )
  }
  const why = WITHOUT_REPLY[status]
  if (why !== undefined) return <p class="note">{why}: there is no reply to check against the contract.</p>
  return (
    <p class="row toned tone-good">
      <Icon name="check" /> The reply follows the contract.
    </p>
  )
}
