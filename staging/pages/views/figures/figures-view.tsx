import type { Figures, Stats } from '../../../api.ts'
import { AgentField } from '../../parts/agent-field.tsx'
import { ChoiceField } from '../../parts/field.tsx'
import { Pending } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { Tile, TimeTile } from '../../parts/tile.tsx'
import { search } from '../../state/api-client.ts'
import { count, duration, percent } from '../../state/format.ts'
import { usePoll } from '../../state/poll.ts'
import { go, hrefOf } from '../../state/route.ts'
import { byOf, PERSON, RUN_BY } from '../../state/run-by.ts'
import { Plot } from './plot.tsx'

const SPANS = [
  [1, '1 hour'],
  [24, '24 hours'],
  [168, '7 days'],
] as const
const EVERY_MS = 15_000

/** The figures of a time span, in total and over time. */
export function FiguresView({ query }: { query: URLSearchParams }) {
  const agent = query.get('agent')
  const hours = SPANS.find(([span]) => String(span) === query.get('hours'))?.[0] ?? 24
  const by = query.get('by') ?? PERSON
  const path = `/api/stats?${search({ agent, hours, by: byOf(by) })}`
  const { data: stats, error } = usePoll<Stats>(path, EVERY_MS)
  const show = (members: object) => go(hrefOf('figures', { agent, hours, by, ...members }))
  return (
    <Page title="Figures">
      <div class="filters">
        <AgentField
          id="figures-agent"
          value={agent ?? ''}
          all="All agents"
          onChoice={chosen => show({ agent: chosen })}
        />
        <ChoiceField
          id="figures-by"
          label="Run by"
          value={by}
          choices={RUN_BY}
          onChoice={chosen => show({ by: chosen })}
        />
        <fieldset class="segments">
          <legend>Span</legend>
          {SPANS.map(([span, label]) => (
            <label key={span}>
              <input
                type="radio"
                name="span"
                checked={hours === span}
                onChange={() => show({ hours: span })}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {stats === null ? (
        <Pending error={error} />
      ) : (
        <div class="stack">
          <FigureTiles figures={stats} />
          {stats.runs === 0 ? (
            <p class="panel empty">No runs in this span.</p>
          ) : (
            <Plots spans={stats.spans} />
          )}
        </div>
      )}
    </Page>
  )
}

/** The figures of the whole span. */
function FigureTiles({ figures }: { figures: Figures }) {
  const { runs, successShare, p50Ms, p95Ms, inputTokens, outputTokens, steps } = figures
  return (
    <dl class="tiles panel">
      <Tile name="Runs" value={count(runs)} />
      <Tile name="Success" value={percent(successShare)} />
      <Tile name="Duration, median" value={duration(p50Ms)} />
      <TimeTile name="Duration, p95" ms={p95Ms} past="bad" />
      <Tile name="Tokens in / out" value={`${count(inputTokens)} / ${count(outputTokens)}`} />
      <Tile name="Steps" value={count(steps)} />
    </dl>
  )
}

type Span = Stats['spans'][number]

/** Four plots over the same time spans. A span without runs leaves a gap. */
function Plots({ spans }: { spans: readonly Span[] }) {
  const starts = spans.map(({ from }) => Date.parse(from))
  const width = (starts[1] ?? 0) - (starts[0] ?? 0)
  const times = [...starts, starts.at(-1)! + width].map(time => new Date(time).toISOString())
  const of = (label: string, value: (span: Span) => number | null) => ({
    label,
    values: spans.map(span => (span.runs === 0 ? null : value(span))),
  })
  return (
    <div class="plots">
      <Plot
        times={times}
        title="Duration"
        format={duration}
        series={[of('median', ({ p50Ms }) => p50Ms), of('p95', ({ p95Ms }) => p95Ms)]}
      />
      <Plot
        times={times}
        title="Success share"
        highest={1}
        format={percent}
        series={[of('success', ({ successShare }) => successShare)]}
      />
      <Plot
        times={times}
        title="Tokens per run"
        format={value => count(value === null ? null : Math.round(value))}
        series={[
          of('in', ({ inputTokens, runs }) => inputTokens / runs),
          of('out', ({ outputTokens, runs }) => outputTokens / runs),
        ]}
      />
      <Plot
        times={times}
        title="Steps per run"
        format={value => count(value === null ? null : Number(value.toFixed(1)))}
        series={[of('steps', ({ steps, runs }) => steps / runs)]}
      />
    </div>
  )
}
