import { inDollars } from '../../../figures.ts'
import { Section } from '../../parts/page.tsx'
import { useDashboard } from '../../state/dashboard.ts'
import { duration, numberText, plural } from '../../state/format.ts'
import { type Lane, type ShownRecord, savedIn } from '../../state/replicas.ts'
import type { RunStep } from '../../state/run-steps.ts'
import { UnderwayButton } from './record-head.tsx'

/** Nobody could tell more of them apart. */
const MAX_BARS = 500

/** The replicas that had a run, each on a lane of one time scale; in progress, the one that has it can be stopped. */
export function ReplicaLanes({ record }: { record: ShownRecord }) {
  const { agents } = useDashboard()
  const { id, agentId, status, at, wallMs, lanes = [] } = record
  const isUnderway = status === 'underway'
  const agent = agents?.find(agent => agent.id === agentId)
  // While its acceptance checks run, none of its replicas can be stopped.
  const canStop = isUnderway && agent?.hasReplicas === true && agent.checking === null
  if (!canStop && lanes.length === 0) return null
  // The process that had the task when the page showed it, not one that has got it since.
  const stop = (
    <span class="row actions">
      <UnderwayButton path={`/api/runs/${id}/stop-replica?lost=${Math.max(0, lanes.length - 1)}`}>
        Stop this replica
      </UnderwayButton>
    </span>
  )
  const endMs = isUnderway ? Date.now() - Date.parse(at) : (wallMs ?? 0)
  const ends = lanes.flatMap(({ from, steps }) => [from, ...steps.map(step => step.finishedAt ?? 0)])
  const end = Math.max(0.001, endMs / 1000, ...ends)
  return (
    <Section title="Replicas" label={`Replicas of run ${id}`} aside={canStop && stop}>
      {lanes.length === 0 ? (
        <p class="note">
          Stopping kills the process that has the task. Another one goes on, from the last step that was
          recorded.
        </p>
      ) : (
        <>
          <ol class="stack">
            {lanes.map((lane, index) => (
              <LaneRow key={index} lane={lane} earlier={lanes.slice(0, index)} end={end} />
            ))}
          </ol>
          <p role="status">{outcomeOf(record, lanes)}</p>
        </>
      )}
    </Section>
  )
}

interface LaneRowProps {
  readonly lane: Lane
  /** Of the replicas that had the task before. */
  readonly earlier: readonly Lane[]
  /** Of the time scale, in seconds. */
  readonly end: number
}

function LaneRow({ lane: { replica, lostAt, steps }, earlier, end }: LaneRowProps) {
  const before = earlier.at(-1)
  const live = steps.find(({ isReplayed }) => !isReplayed)
  const isFirst = (step: RunStep) => step.isReplayed && step.step < (live?.step ?? Number.POSITIVE_INFINITY)
  const replayed = steps.filter(isFirst)
  const lostBefore = before?.lostAt ?? 0
  const wentOnAt = steps[0]?.startedAt ?? lostAt ?? end
  const replayedAt = replayed.at(-1)?.finishedAt ?? wentOnAt
  const share = (seconds: number) => `${(seconds / end) * 100}%`
  const said = [
    replayed.length > 0 && `${plural(replayed.length, 'step')} replayed`,
    steps.length > replayed.length && plural(steps.length - replayed.length, before ? 'new step' : 'step'),
    lostAt !== null && `lost after ${duration(lostAt * 1000)}`,
  ]
  return (
    <li>
      <div class="row between">
        <strong>
          Replica {replica}
          {earlier.some(lane => lane.replica === replica) && ', started again'}
        </strong>
        <span class="note">{said.filter(Boolean).join(' · ')}</span>
      </div>
      <div class="lane" aria-hidden="true">
        {before && <span class="gap" style={{ left: share(lostBefore), right: share(end - wentOnAt) }} />}
        {steps
          .filter(step => !isFirst(step))
          .slice(0, MAX_BARS)
          .map(({ step, kind, isReplayed, startedAt, finishedAt }) => (
            <span
              key={step}
              class={`call of-${kind} ${isReplayed ? 'hatched' : ''}`}
              style={{ left: share(startedAt), width: share((finishedAt ?? lostAt ?? end) - startedAt) }}
            />
          ))}
        {/* They took no time: half of the gap before it is room to see them. */}
        <span
          class="replayed"
          style={{ left: share((lostBefore + wentOnAt) / 2), right: share(end - replayedAt) }}
        >
          <span class="hatched" style={{ width: `${10 * replayed.length}px` }} />
        </span>
        {lostAt !== null && <span class="lost" style={{ left: share(lostAt) }} />}
      </div>
    </li>
  )
}

/** What the loss cost, in a sentence. */
function outcomeOf({ status, taskId }: ShownRecord, lanes: readonly Lane[]): string {
  const [lost, last] = lanes.slice(-2) as [Lane, Lane]
  const [first] = last.steps
  if (!first)
    return `Replica ${last.replica} has the task${status === 'underway' ? ', and waits until it may go on' : ''}.`
  const { modelCalls, toolCalls, tokens, costUsd } = savedIn(lanes)
  const after = `went on after ${duration((first.startedAt - lost.lostAt!) * 1000)}`
  if (modelCalls + toolCalls === 0)
    return `Nothing was replayed${taskId.startsWith('test-') ? ', since replicas share no test-<n> task' : ''} · ${after}`
  const calls = [
    modelCalls > 0 && plural(modelCalls, 'model call'),
    toolCalls > 0 && plural(toolCalls, 'tool call'),
  ].filter(Boolean)
  const cost = costUsd === null ? '' : ` and ${inDollars(costUsd)}`
  return `Not paid again: ${calls.join(' and ')}, ${numberText(tokens)} tokens${cost} · ${after}`
}
