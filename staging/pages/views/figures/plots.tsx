import type { Stats } from '../../../api.ts'
import { count, duration, percent } from '../../state/format.ts'
import { Plot } from './plot.tsx'

const LINE_SEC = 30

type Span = Stats['spans'][number]

/** Four plots over the same spans of time. A span without runs is a gap. */
export function Plots({ spans }: { spans: readonly Span[] }) {
  const perRun = (total: number, { runs }: Span) => (runs === 0 ? null : total / runs)
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1000)
  const shared = { from: spans.map(({ from }) => Date.parse(from) / 1000) }
  return (
    <div class="plots">
      <Plot
        {...shared}
        title="Duration"
        tick={value => `${value} s`}
        line={{ at: LINE_SEC, label: '30 s line' }}
        format={value => duration(value === null ? null : value * 1000)}
        series={[
          { label: 'p50', values: spans.map(({ p50Ms }) => seconds(p50Ms)) },
          { label: 'p95', values: spans.map(({ p95Ms }) => seconds(p95Ms)) },
        ]}
      />
      <Plot
        {...shared}
        title="Success share"
        highest={1}
        format={percent}
        series={[{ label: 'success', values: spans.map(({ successShare }) => successShare) }]}
      />
      <Plot
        {...shared}
        title="Tokens per run"
        format={value => count(value === null ? null : Math.round(value))}
        series={[
          { label: 'input', values: spans.map(span => perRun(span.inputTokens, span)) },
          { label: 'output', values: spans.map(span => perRun(span.outputTokens, span)) },
        ]}
      />
      <Plot
        {...shared}
        title="Steps per run"
        format={value => count(value === null ? null : Number(value.toFixed(1)))}
        series={[{ label: 'steps', values: spans.map(span => perRun(span.steps, span)) }]}
      />
    </div>
  )
}
