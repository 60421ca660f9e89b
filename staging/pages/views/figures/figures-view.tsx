import type { Figures, Stats } from '../../../api.ts'
import { inDollars } from '../../../figures.ts'
import { BY_PEOPLE, Filter, Filters } from '../../parts/filters.tsx'
import { Page, Pending } from '../../parts/page.tsx'
import { Moment, Scroller } from '../../parts/text.tsx'
import { Tile, TimeTile } from '../../parts/tile.tsx'
import { usePoll } from '../../state/api-client.ts'
import { count, duration, percent, plural } from '../../state/format.ts'
import { search } from '../../state/route.ts'

const SPANS = [
  ['1', '1 hour'],
  ['24', '24 hours'],
  ['168', '7 days'],
] as const
const USUAL_SPAN = '24'
const EVERY_MS = 15_000

/** The figures of a time span, in total and over time. */
export function FiguresView({ query }: { query: URLSearchParams }) {
  const path = `/api/stats?${search({ hours: USUAL_SPAN, ...BY_PEOPLE, ...Object.fromEntries(query) })}`
  const { data: stats, error } = usePoll<Stats>(path, EVERY_MS)
  return (
    <Page title="Figures">
      <Filters query={query}>
        <Filter query={query} name="hours" label="Span" choices={SPANS} usual={USUAL_SPAN} />
      </Filters>
      {stats === null ? (
        <Pending error={error} />
      ) : (
        <div class="stack">
          <FigureTiles figures={stats} />
          {stats.runs === 0 ? (
            <p class="panel empty">No runs in this span.</p>
          ) : (
            <FiguresTable spans={stats.spans} />
          )}
        </div>
      )}
    </Page>
  )
}

/** The figures of the whole span. */
function FigureTiles({ figures }: { figures: Figures }) {
  const { runs, successShare, p50Ms, p95Ms, inputTokens, outputTokens, steps } = figures
  const { costUsd, costEstimated, unpriced } = figures
  const isPart = costUsd !== null && unpriced > 0
  return (
    <dl class="tiles panel">
      <Tile name="Runs" value={count(runs)} />
      <Tile name="Success" value={percent(successShare)} />
      <Tile name="Duration, median" value={duration(p50Ms)} />
      <TimeTile name="Duration, p95" ms={p95Ms} past="bad" />
      <Tile name="Tokens in / out" value={`${count(inputTokens)} / ${count(outputTokens)}`} />
      <Tile name="Steps" value={count(steps)} />
      <Tile
        name="Cost"
        value={inDollars(costUsd, costEstimated)}
        note={isPart ? `${plural(unpriced, 'run')} unknown` : undefined}
      />
    </dl>
  )
}

type Span = Stats['spans'][number]

/** The figures that are shown over time, each with the value that fills its bar. */
const COLUMNS: readonly (readonly [name: string, figureOf: (span: Span) => number | null, format: Format])[] =
  [
    ['Runs', ({ runs }) => runs, count],
    ['Success', ({ successShare }) => successShare, percent],
    ['Median', ({ p50Ms }) => p50Ms, duration],
    ['p95', ({ p95Ms }) => p95Ms, duration],
    ['Tokens in per run', ({ inputTokens, runs }) => Math.round(inputTokens / runs), count],
    ['Tokens out per run', ({ outputTokens, runs }) => Math.round(outputTokens / runs), count],
    ['Steps per run', ({ steps, runs }) => Number((steps / runs).toFixed(1)), count],
    ['Cost', ({ costUsd }) => costUsd, inDollars],
  ]
type Format = (value: number | null) => string

/** The figures over time: a row for each time span with runs, newest first, and a bar for each figure. */
function FiguresTable({ spans }: { spans: readonly Span[] }) {
  const rows = spans.filter(({ runs }) => runs > 0).toReversed()
  const highest = COLUMNS.map(([, figureOf]) => Math.max(...rows.map(row => figureOf(row) ?? 0)))
  return (
    <Scroller kind="panel scroller" label="Figures over time">
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {COLUMNS.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={row.from}>
              <th scope="row">
                <Moment at={row.from} />
              </th>
              {COLUMNS.map(([name, figureOf, format], index) => (
                <td key={name}>
                  {format(figureOf(row))}
                  <progress aria-hidden="true" max={highest[index] || 1} value={figureOf(row) ?? 0} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
