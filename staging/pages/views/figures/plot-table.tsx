import { Moment } from '../../parts/moment.tsx'
import { Scroller } from '../../parts/scroller.tsx'
import type { PlotProps } from './plot.tsx'

/** The figures of a plot, a row for each span that has some, newest first. */
export function PlotTable({ title, times, series, format }: PlotProps) {
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
