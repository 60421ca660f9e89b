import type { RunPage, RunSummary } from '../../../api.ts'
import { inDollars } from '../../../figures.ts'
import { RUN_P95_MS } from '../../../limits.ts'
import { Badge } from '../../parts/badge.tsx'
import { Inline, TimeText } from '../../parts/text.tsx'
import { usePoll } from '../../state/api-client.ts'
import { age, duration, plural, tokens } from '../../state/format.ts'
import { hrefOf, search } from '../../state/route.ts'
import { Pick, type Picks } from './picks.tsx'

interface RunListProps {
  readonly runs: readonly RunSummary[]
  readonly label: string
  /** Runs to compare; absent: none can be picked. */
  readonly picks?: Picks
}

/** A list of runs; each row is one link. */
export function RunList({ runs, label, picks }: RunListProps) {
  return (
    <ol class="panel lined runs" aria-label={label}>
      {runs.map(run => (
        <li key={run.id}>
          <Badge state={run.status} />
          <p class="excerpt">
            <a class="row-link" href={hrefOf(`runs/${run.id}`)}>
              <Inline text={run.input.trim() || '(no text)'} />
            </a>
          </p>
          <Took run={run} />
          <p class="excerpt output">
            <Inline text={run.output.trim() || (run.cause ?? '')} />
          </p>
          <p class="note about">
            Run {run.id} on <Inline text={run.agentId} />, <TimeText at={run.at} isDated />
            {run.byChecks && <span class="tag">checks</span>}
            {run.violations > 0 && <span class="tone-bad">{plural(run.violations, 'violation')}</span>}
          </p>
          <p class="note figures">{usedText(run)}</p>
          {picks && <Pick id={run.id} picks={picks} />}
        </li>
      ))}
    </ol>
  )
}

/** What a run used, of what is known: `521 → 170 tokens · 3 steps · $0.002`. */
export function usedText({ inputTokens, outputTokens, steps, ...run }: RunSummary): string {
  const soFar = run.status === 'underway' ? ' so far' : ''
  const figures = [
    inputTokens !== null && tokens(inputTokens, outputTokens),
    steps !== null && `${plural(steps, 'step')}${soFar}`,
    run.costUsd !== null && inDollars(run.costUsd, run.costEstimated),
  ]
  return figures.filter(Boolean).join(' · ')
}

/** A run's duration, so far or in all, marked if above the limit for 95% of the runs. */
function Took({ run: { status, at, wallMs } }: { run: RunSummary }) {
  if (status === 'underway') return <span class="took tone-accent">{age(at)}</span>
  const isLate = (wallMs ?? 0) > RUN_P95_MS
  return (
    <span
      class={isLate ? 'took tone-warn' : 'took'}
      title={isLate ? `Past ${duration(RUN_P95_MS)}` : undefined}
    >
      {duration(wallMs)}
      {isLate && <span class="sr-only">, past {duration(RUN_P95_MS)}</span>}
    </span>
  )
}

const EVERY_MS = 5000
const UNDERWAY_MS = 1000

/** A page of runs; the newest page changes. */
export function useRuns(path: string) {
  return usePoll<RunPage>(path, ({ runs }) => {
    if (runs.some(({ status }) => status === 'underway')) return UNDERWAY_MS
    return /(after|before)=/.test(path) ? null : EVERY_MS
  })
}

const SHOWN = 8

/** The latest runs by people, on one agent or on all. */
export function RecentRuns({ agentId: agent = null }: { agentId?: string | null }) {
  const path = `/api/runs?${search({ agent, by: 'person', limit: SHOWN })}`
  const { data } = useRuns(path)
  if (data === null) return null
  return (
    <section class="stack" aria-labelledby="recent">
      <div class="row between">
        <h2 id="recent">Latest runs</h2>
        <a href={hrefOf('runs', { agent })}>All runs</a>
      </div>
      {data.runs.length > 0 ? (
        <RunList runs={data.runs} label="Latest runs" />
      ) : (
        <p class="panel empty">No runs yet. {agent === null && <a href={hrefOf('run')}>Run a task</a>}</p>
      )}
    </section>
  )
}
