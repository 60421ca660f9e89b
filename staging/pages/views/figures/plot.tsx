import './language.ts'
import { useEffect, useId, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { useMedia } from '../../state/media.ts'
import { plotOptions } from './plot-options.ts'
import type { PlotProps, PlotSeries } from './plot-props.ts'
import { PlotTable } from './plot-table.tsx'

/** A plot for the eye; beneath it the same figures as a table. */
export function Plot(props: PlotProps) {
  const { title, from, series, line, format } = props
  const frame = useRef<HTMLDivElement>(null)
  const isDark = useMedia('(prefers-color-scheme: dark)')
  const id = useId()

  useEffect(() => {
    const element = frame.current!
    const lineValues = line ? [from.map(() => line.at)] : []
    const data = [from, ...series.map(({ values }) => values), ...lineValues] as unknown as uPlot.AlignedData
    const plot = new uPlot(plotOptions(props, element), data, element)
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: plot.height }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [from, series, isDark])

  return (
    <figure class="panel plot" aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        <span class="note">{series.map(one => rangeOf(one, format)).join(' · ')}</span>
      </figcaption>
      <div ref={frame} class="plot-frame" aria-hidden="true" />
      <details>
        <summary>
          As a table<span class="sr-only">: {title}</span>
        </summary>
        <PlotTable {...props} />
      </details>
    </figure>
  )
}

function rangeOf({ label, values }: PlotSeries, format: PlotProps['format']): string {
  const known = values.filter(value => value !== null)
  if (known.length === 0) return `${label} –`
  const [low, high] = [format(Math.min(...known)), format(Math.max(...known))]
  return low === high ? `${label} ${low}` : `${label} ${low} to ${high}`
}
