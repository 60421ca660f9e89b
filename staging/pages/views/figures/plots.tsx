import type { Stats } from '../../../api.ts'
import { count, duration, percent } from '../../state/format.ts'
import { Plot } from './plot.tsx'

type Span = Stats['spans'][number]

/** Four plots over the same spans of time. A span without runs is a gap. */
export function Plots({ spans }: { spans: readonly Span[] }) {
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
