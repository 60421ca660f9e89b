import { useId } from 'preact/hooks'
import { Moment } from '../../parts/moment.tsx'
import { Scroller } from '../../parts/scroller.tsx'
import { minute } from '../../state/format.ts'

export interface PlotProps {
  readonly title: string
  /** Start of each span, then the end of the last one. */
  readonly times: readonly string[]
  readonly series: readonly PlotSeries[]
  readonly format: (value: number | null) => string
  /** Top of the scale; absent: the highest value. */
  readonly highest?: number
}

export interface PlotSeries {
  readonly label: string
  /** One per span; null if it has none. */
  readonly values: readonly (number | null)[]
}

/** A column chart, with the same figures in a table beneath. */
export function Plot(props: PlotProps) {
  const { title, times, series, format } = props
  const id = useId()
  const known = series.flatMap(({ values }) => values.filter(value => value !== null))
  const highest = props.highest ?? Math.max(Number.MIN_VALUE, ...known)
  const spans = times.slice(0, -1)
  const marks = [0, times.length >> 1, times.length - 1]
  return (
    <figure class="panel plot" aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        <ul class="legend">
          {series.map(one => (
            <li key={one.label} class="note">
              {one.label} {rangeOf(one, format)}
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="plot-frame" aria-hidden="true">
        <span class="plot-top">{format(highest)}</span>
        <div class="plot-columns">
          {spans.map((from, index) => (
            <div key={from} title={tooltip(props, index)}>
              {series.map(({ label, values }) => (
                <span key={label} style={{ height: `${((values[index] ?? 0) / highest) * 100}%` }} />
              ))}
            </div>
          ))}
        </div>
        <p class="plot-times">
          {marks.map(mark => (
            <span key={mark}>{minute(times[mark]!)}</span>
          ))}
        </p>
      </div>
      <details>
        <summary>
          As a table<span class="sr-only">: {title}</span>
        </summary>
        <PlotTable {...props} />
      </details>
    </figure>
  )
}

function rangeOf({ values }: PlotSeries, format: PlotProps['format']): string {
  const known = values.filter(value => value !== null)
  if (known.length === 0) return '–'
  const [low, high] = [format(Math.min(...known)), format(Math.max(...known))]
  return low === high ? low : `${low} to ${high}`
}

function tooltip({ times, series, format }: PlotProps, index: number): string {
  const said = series.map(({ label, values }) => `${label} ${format(values[index] ?? null)}`).join(', ')
  return `${minute(times[index]!)} to ${minute(times[index + 1]!)}: ${said}`
}

/** A plot's figures: one row per span with values, newest first. */
function PlotTable({ title, times, series, format }: PlotProps) {
  const rows = times
    .slice(0, -1)
    .map((start, index) => ({ start, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some(value => value !== null))
    .reverse()
  return (
    <Scroller kind="plot-table" label={`${title}, as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ label }) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ start, values }) => (
            <tr key={start}>
              <th scope="row">
                <Moment at={start} />
              </th>
              {values.map((value, index) => (
                <td key={series[index]!.label} class="number">
                  {format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
