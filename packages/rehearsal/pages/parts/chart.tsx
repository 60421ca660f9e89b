import { useEffect, useRef, useState } from 'preact/hooks'
import type { ChartProps, Drawn } from './plot.ts'

/** A chart over time, by uPlot. The box that it fills has its size from CSS, so that nothing moves when data arrive. */
export function Chart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<Drawn>(null)
  // What is drawn later reads the properties of then.
  const latest = useRef(props)
  latest.current = props
  const theme = useTheme()
  const shape = props.series.map(({ name, kind }) => `${name} ${kind}`).join()

  // The library comes and draws once the page has been painted: its texts wait for no chart.
  useEffect(() => {
    let isGone = false
    import('./plot.ts').then(
      ({ draw }) => {
        // A view may be left before its effects have been called off: its box is the first to go.
        if (!isGone && box.current !== null) drawn.current = draw(latest, box.current)
      },
      () => {
        // The platform has gone, or another one is in its place: the words beside the chart stay.
      },
    )
    return () => {
      isGone = true
      drawn.current?.end()
      drawn.current = null
    }
  }, [theme, shape])
  useEffect(() => drawn.current?.update(), [props.times, props.series, ...props.range])

  return <div ref={box} class="plot" role="img" aria-label={props.label} />
}

const DARK = matchMedia('(prefers-color-scheme: dark)')

function useTheme(): boolean {
  const [isDark, setDark] = useState(DARK.matches)
  useEffect(() => {
    const follow = () => setDark(DARK.matches)
    DARK.addEventListener('change', follow)
    return () => DARK.removeEventListener('change', follow)
  }, [])
  return isDark
}
