import type uPlot from 'uplot'
import type { PlotProps } from './plot-props.ts'
import { timeTicks } from './time-ticks.ts'

const HEIGHT = 200
const MONOSPACED = '12px ui-monospace, monospace'
/** Colour and dashes tell the series apart: no colour alone. */
const STROKES = [
  { variable: '--series-1', dash: [] },
  { variable: '--series-2', dash: [6, 4] },
]

/** How uPlot is to draw it, in the colours of the page. */
export function plotOptions(
  { from, series, format, tick = format, highest, line }: PlotProps,
  element: HTMLElement,
): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (variable: string) => style.getPropertyValue(variable).trim()
  const axis: uPlot.Axis = {
    stroke: colour('--muted-plain'),
    font: MONOSPACED,
    grid: { stroke: colour('--grid-plain'), width: 1 },
    ticks: { stroke: colour('--grid-plain'), width: 1 },
  }
  const drawn = series.map(({ label }, index): uPlot.Series => {
    const { variable, dash } = STROKES[index % STROKES.length]!
    return { label, value: (_, value) => format(value), stroke: colour(variable), width: 2, dash }
  })
  const limit: uPlot.Series[] = line
    ? [
        {
          label: line.label,
          value: () => tick(line.at),
          stroke: colour('--line-plain'),
          width: 1.5,
          dash: [2, 3],
          points: { show: false },
        },
      ]
    : []
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: {
      markers: { width: 0, fill: (_, index) => String([undefined, ...drawn, ...limit][index]?.stroke) },
    },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { time: true, range: extentOf(from) },
      y: line
        ? { distr: 3, range: (_, low, high) => decades(low, Math.max(high, line.at)) }
        : { range: (_, _low, high) => [0, highest ?? Math.max(1, high * 1.1)] },
    },
    axes: [
      { ...axis, values: (_, splits, _axis, _space, step) => timeTicks(splits, step) },
      {
        ...axis,
        size: 64,
        values: (_, splits) => splits.map(split => tick(split)),
        ...(line && {
          splits: (_: uPlot, _axis: number, low: number, high: number) => powersOfTen(low, high),
        }),
      },
    ],
    series: [
      { value: (_, start) => (start === null ? '–' : (timeTicks([start], 60)[0] ?? '')) },
      ...drawn,
      ...limit,
    ],
  }
}

/** Whole powers of ten around the values, which a logarithmic scale begins and ends at. */
function decades(low: number, high: number): [number, number] {
  const lowest = Math.max(low, 0.001)
  return [10 ** Math.floor(Math.log10(lowest)), 10 ** Math.ceil(Math.log10(high * 1.01))]
}

function powersOfTen(low: number, high: number): number[] {
  const first = Math.round(Math.log10(low))
  const last = Math.round(Math.log10(high))
  // Not 10 ** n, which is 0.0010000000000000002 for some.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${first + index}`))
}

/** From the beginning of the first span to the end of the last: they are equally long. */
function extentOf(from: readonly number[]): [number, number] {
  const [first = 0, second = first] = from
  const span = second > first ? second - first : 60
  return [first, (from.at(-1) ?? first) + span]
}
