import type { Metrics } from '@agent-task-service/wire/contract'
import type { RunRecord, RunStatus } from '../../../api.ts'
import { inDollars } from '../../../figures.ts'
import { isObject, objectIn, textOf } from '../../../json.ts'
import { Badge, Icon } from '../../parts/badge.tsx'
import { AgentText, CopyButton, Inline } from '../../parts/text.tsx'
import { Tile, TimeTile } from '../../parts/tile.tsx'
import { count, duration, plural } from '../../state/format.ts'

/** How far a reported duration may exceed the wall clock, as in the acceptance checks. */
const ROUNDING_MS = 100

interface ResultProps {
  readonly record: RunRecord
  /** What the model had written when the run ended without an output. */
  readonly textSoFar: string
}

/** A run's outcome and its cost. */
export function Result({ record, textSoFar }: ResultProps) {
  const { output, error, metrics } = replyIn(record)
  const { status, httpStatus, agentStatus, wallMs, costUsd, costEstimated } = record
  const reportedMs = typeof metrics.duration_sec === 'number' ? metrics.duration_sec * 1000 : null
  const isBeyond = wallMs !== null && (reportedMs ?? 0) > wallMs + ROUNDING_MS
  return (
    <section class="panel stack result" aria-label={`Result of run ${record.id}`}>
      <div class="row between">
        <h2>Result</h2>
        <span class="row">
          <Badge state={status} />
          <span class="note">
            {agentStatus === null ? 'No reply from the agent' : `HTTP ${agentStatus}`}
            {agentStatus !== httpStatus && ` · recorded as ${httpStatus}`}
          </span>
          {output !== '' && <CopyButton text={output} what={`the output of run ${record.id}`} />}
        </span>
      </div>
      {output !== '' && <AgentText text={output} label="Output" kind="markdown" />}
      {output === '' && textSoFar !== '' && (
        <AgentText text={textSoFar} label="Output so far" kind="markdown" />
      )}
      {error !== null && (
        <div class="tone-bad">
          <h3 class="toned">Error</h3>
          <AgentText text={error} label="Error" />
        </div>
      )}
      {output === '' && error === null && <p class="note">The reply has neither output nor error.</p>}
      <Verdict record={record} />
      <dl class="tiles">
        <TimeTile name="Wall clock" ms={wallMs} />
        <Tile
          name="Reported"
          value={duration(reportedMs)}
          note={isBeyond ? 'beyond the wall clock' : 'by the agent'}
          tone={isBeyond ? 'bad' : undefined}
        />
        <Tile name="Tokens in" value={count(metrics.input_tokens)} />
        <Tile name="Tokens out" value={count(metrics.output_tokens)} />
        <Tile name="Steps" value={count(metrics.steps)} />
        <Tile name="Cost" value={inDollars(costUsd, costEstimated)} />
      </dl>
    </section>
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

/** Reads a record's reply. */
function replyIn({ reply }: RunRecord) {
  const { output, error, metrics } = objectIn(reply)
  return {
    output: textOf(output),
    error: textOf(error) || null,
    metrics: (isObject(metrics) ? metrics : {}) as Partial<Metrics>,
  }
}
