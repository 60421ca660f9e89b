import { useMemo, useRef, useState } from 'preact/hooks'
import { type FiguresBucket, RUN_STATUSES, type RunFigures, type RunStatus } from '../../../api.ts'
import { sumOf } from '../../../figures.ts'
import { RUN_P95_MS } from '../../../limits.ts'
import { Badge, lookOf } from '../../parts/badge.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Section } from '../../parts/page.tsx'
import type { ChartProps, ChartSeries } from '../../parts/plot.ts'
import { Inline } from '../../parts/text.tsx'
import { SuccessTile, Tile, TimeTile } from '../../parts/tile.tsx'
import { usePoll } from '../../state/api-client.ts'
import { dated, duration, inUnits, numberText, plural } from '../../state/format.ts'
import { hrefOf } from '../../state/route.ts'
import { FIRST_PAGE, narrowToRange } from './history-filters.tsx'

const EVERY_MS = 5000

/** The figures of a path; until they or an error have come, those of the path before, so that nothing moves. */
export function useFigures(path: string) {
  const { data, error } = usePoll<RunFigures>(path, () => EVERY_MS)
  const shown = useRef<RunFigures | null>(null)
  shown.current = data ?? (error === null ? shown.current : null)
  return { data: shown.current, error }
}

interface FiguresProps {
  readonly figures: RunFigures
  readonly query: URLSearchParams
}

/** What all runs that match come to: figures, how they change over time, and errors by kind. */
export function RunFiguresView({ figures, query }: FiguresProps) {
  const { runs, p50Ms, p95Ms } = figures
  return (
    <section class="stack run-figures" aria-label="Figures">
      <dl class="panel tiles even">
        <Tile name="Runs" value={numberText(runs)} />
        <SuccessTile figures={figures} />
        <Tile name="p50" value={duration(p50Ms)} note="half are faster" />
        <TimeTile name="p95" ms={p95Ms} />
      </dl>
      <div class="stack charts">
        <TimeChart figures={figures} />
        <OutcomeChart figures={figures} />
        <ErrorKinds figures={figures} query={query} />
      </div>
    </section>
  )
}

/** The middle of each bucket, where its figures are drawn, and the range of all. */
function axisOf({ buckets, bucketMs }: RunFigures) {
  const begins = buckets.map(({ at }) => Date.parse(at))
  return {
    times: begins.map(begin => begin + bucketMs / 2),
    range: [begins[0]!, begins.at(-1)! + bucketMs] as const,
  }
}

function TimeChart({ figures }: { figures: RunFigures }) {
  const series = useMemo((): ChartSeries[] => {
    const { buckets } = figures
    return [
      { name: 'p50', color: 'var(--accent)', kind: 'line', values: buckets.map(({ p50Ms }) => p50Ms) },
      // Over the other, which shows between its dashes where both are the same.
      { name: 'p95', color: 'var(--text)', kind: 'dashed', values: buckets.map(({ p95Ms }) => p95Ms) },
    ]
  }, [figures])
  const { p50Ms, p95Ms } = figures
  return (
    <ChartPanel
      {...{ figures, series }}
      title="Time per run"
      label={`p50 and p95 of the time per run, over time; in all ${duration(p50Ms)} and ${duration(p95Ms)}`}
      topFor={highest => Math.max(highest, highest > RUN_P95_MS / 2 ? RUN_P95_MS : 10) * 1.1}
      format={duration}
      limit={{ value: RUN_P95_MS, label: `${duration(RUN_P95_MS)}: the limit for 95%` }}
      valueIn={({ p50Ms, p95Ms }, name) => duration(name === 'p50' ? p50Ms : p95Ms)}
    />
  )
}

/** From the bottom of a bar to its top. */
const COLORS: Readonly<Record<RunStatus, string>> = {
  success: 'var(--good)',
  underway: 'var(--accent)',
  cancelled: 'var(--muted)',
  refused: 'color-mix(in srgb, var(--warn) 55%, var(--surface))',
  timeout: 'var(--warn)',
  unreachable: 'color-mix(in srgb, var(--bad) 35%, var(--surface))',
  violation: 'color-mix(in srgb, var(--bad) 65%, var(--surface))',
  error: 'var(--bad)',
}
const FROM_BOTTOM = Object.keys(COLORS) as RunStatus[]

function OutcomeChart({ figures }: { figures: RunFigures }) {
  const series = useMemo(() => stackOf(figures), [figures])
  const { statuses } = figures
  const words = RUN_STATUSES.filter(status => statuses[status]).map(
    status => `${statuses[status]} ${lookOf(status).word}`,
  )
  return (
    <ChartPanel
      {...{ figures, series }}
      title="Outcomes"
      label={`Outcomes of the runs, over time; in all ${words.join(', ')}`}
      topFor={highest => Math.max(highest * 1.1, 1)}
      format={numberText}
      valueIn={({ statuses }, name) => numberText(statuses[name as RunStatus] ?? 0)}
    />
  )
}

/** A bar of each outcome with all below it: what is lower is drawn later, over it. */
function stackOf({ buckets, statuses }: RunFigures): ChartSeries[] {
  const present = FROM_BOTTOM.filter(status => statuses[status])
  return present
    .map((name, index): ChartSeries => {
      const below = present.slice(0, index + 1)
      const values = buckets.map(({ statuses }) => sumOf(below.map(one => statuses[one] ?? 0)))
      return { name, color: COLORS[name], kind: 'bars', values }
    })
    .toReversed()
}

interface ChartPanelProps extends Pick<ChartProps, 'label' | 'series' | 'topFor' | 'format' | 'limit'> {
  readonly figures: RunFigures
  readonly title: string
  /** A figure of a bucket, or of all, by the name of its series. */
  readonly valueIn: (figures: RunFigures | FiguresBucket, name: string) => string
}

/** A chart with its legend, which has the figures where the pointer is, or else those of all runs. */
function ChartPanel({ figures, series, title, valueIn, ...chart }: ChartPanelProps) {
  const [point, setPoint] = useState<number | null>(null)
  const { times, range } = useMemo(() => axisOf(figures), [figures])
  // Bars are named from the bottom: the last one is drawn in front of those that reach above it.
  const named = series[0]?.kind === 'bars' ? series.toReversed() : series
  const bucket = point === null ? undefined : figures.buckets[point]
  // Without seconds that say nothing; `per hour`, `per 6 hours`.
  const told = bucket
    ? dated(bucket.at).replace(/:00$/, '')
    : `per ${inUnits(figures.bucketMs).replace(/^1 /, '')}`
  return (
    <Section title={title} kind="chart" aside={<span class="note">{told}</span>}>
      <Chart {...{ ...chart, times, range, series }} onPoint={setPoint} onRange={narrowToRange} />
      <ul class="row legend note">
        {named.map(({ name, color, kind }) => (
          <li key={name} class="row">
            <i class={`key ${kind}`} style={{ color }} />
            {kind === 'bars' ? lookOf(name).word : name} <b>{valueIn(bucket ?? figures, name)}</b>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function ErrorKinds({ figures: { errors }, query }: FiguresProps) {
  const filters = Object.fromEntries(query)
  const kinds = errors.length > 0 && <span class="note">{plural(errors.length, 'kind')}</span>
  return (
    <Section title="Errors by kind" kind="chart" aside={kinds}>
      {errors.length === 0 ? (
        <p class="note">None of these runs failed.</p>
      ) : (
        <ol class="scroller lined errors">
          {errors.map(({ status, message, count, latest }) => (
            <li key={latest}>
              <b class="count">{numberText(count)}</b>
              <div>
                <p>
                  <a href={hrefOf('runs', { ...filters, like: latest, ...FIRST_PAGE })}>
                    <Inline text={message || '(no message)'} />
                  </a>
                </p>
                <p class="note row">
                  <Badge state={status} />
                  <span>
                    latest: <a href={hrefOf(`runs/${latest}`)}>run {latest}</a>
                  </span>
                </p>
              </div>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}
