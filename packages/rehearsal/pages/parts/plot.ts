import './language.ts'
import uPlot from 'uplot'
import { timeLabels } from '../state/format.ts'

export interface ChartSeries {
  readonly name: string
  /** In CSS: `var(--accent)`. */
  readonly color: string
  readonly kind: 'line' | 'dashed' | 'bars'
  /** By time, like the others; null: none. */
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  /** What it shows, in a sentence: a canvas says nothing to screen readers. */
  readonly label: string
  /** In milliseconds, ascending. */
  readonly times: readonly number[]
  /** What is drawn first is behind. */
  readonly series: readonly ChartSeries[]
  /** The range of time. */
  readonly range: readonly [from: number, to: number]
  /** The top of the scale, which begins at 0, given the highest value. */
  readonly topFor: (highest: number) => number
  readonly format: (value: number) => string
  /** A line across, if the scale reaches it. */
  readonly limit?: { readonly value: number; readonly label: string }
  /** Whose index the pointer is at; null: none. */
  readonly onPoint: (index: number | null) => void
  /** Called with what is chosen, in milliseconds. */
  readonly onRange: (from: number, to: number) => void
}

/** Steps of a scale: whole numbers. */
const STEPS = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()
/** A narrower choice is a click. */
const MIN_CHOICE = 6
const FONT_SIZE = 11

/** A chart that has been drawn. */
export type Drawn = ReturnType<typeof draw>

/** Draws a chart that fills an element, and again whenever that changes its size. */
export function draw(latest: { readonly current: ChartProps }, element: HTMLElement) {
  const plot = new uPlot(optionsFor(latest, element), dataOf(latest.current), element)
  const resize = new ResizeObserver(() => plot.setSize(sizeOf(element)))
  resize.observe(element)
  followTouch(plot)
  return {
    /** Draws the properties of now. */
    update: () => plot.setData(dataOf(latest.current)),
    end() {
      resize.disconnect()
      plot.destroy()
    },
  }
}

/** A finger points at what it touches, and chooses a range by going along it: uPlot, which knows the mouse only, is told of one. */
function followTouch({ over }: uPlot): void {
  // Up and down, it scrolls the page.
  over.style.touchAction = 'pan-y pinch-zoom'
  let began: PointerEvent
  const tell = (at: PointerEvent, ...types: string[]) => {
    const { clientX, clientY } = at
    // One that has not moved is taken for an echo.
    const init = { clientX, clientY, movementX: 1, bubbles: true }
    for (const type of types) over.dispatchEvent(new MouseEvent(type, init))
  }
  const on = (
    type: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel',
    act: (touch: PointerEvent) => void,
  ) =>
    over.addEventListener(type, touch => {
      if (touch.pointerType === 'touch' && touch.isPrimary) act(touch)
    })
  on('pointerdown', touch => {
    began = touch
    // Or the browser tells of a mouse, too.
    touch.preventDefault()
    tell(touch, 'mouseenter', 'mousemove', 'mousedown')
  })
  on('pointermove', touch => tell(touch, 'mousemove'))
  on('pointerup', touch => tell(touch, 'mouseup'))
  // The page scrolls: nothing is chosen.
  on('pointercancel', () => tell(began, 'mousemove', 'mouseup'))
}

const dataOf = ({ times, series }: ChartProps) =>
  [times, ...series.map(({ values }) => values)] as uPlot.AlignedData

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({ width: clientWidth, height: clientHeight })

function optionsFor(latest: { readonly current: ChartProps }, element: HTMLElement): uPlot.Options {
  const { series } = latest.current
  const color = (css: string) => colorIn(element, css)
  const font = `${FONT_SIZE}px ${getComputedStyle(element).fontFamily}`
  const axis = { stroke: color('var(--muted)'), font }
  const grid = { stroke: color('var(--border)'), width: 1 }
  return {
    ...sizeOf(element),
    ms: 1,
    padding: [8, 26, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { setScale: false } },
    scales: {
      x: { range: () => [...latest.current.range] },
      y: { range: (_plot, _lowest, highest) => [0, latest.current.topFor(highest ?? 0)] },
    },
    axes: [
      {
        ...axis,
        ...{ grid: { show: false }, ticks: { ...grid, size: 4 }, space: 72, size: heightOf, gap: 4 },
        values: (_plot, splits, _axis, _space, step) => timeLabels(splits, step),
      },
      {
        ...{ ...axis, grid, ticks: { show: false }, space: 32, size: 48, gap: 8, incrs: STEPS },
        values: (_plot, splits) => splits.map(value => latest.current.format(value)),
      },
    ],
    series: [{}, ...series.map(({ color: css, kind }) => ({ ...LOOKS[kind](color(css)), spanGaps: true }))],
    hooks: {
      draw: [plot => drawLimit(plot, latest.current.limit, color, font)],
      setLegend: [plot => latest.current.onPoint(plot.cursor.idx ?? null)],
      setSelect: [plot => choose(plot, latest.current.onRange)],
    },
  }
}

const POINTS = { show: true, size: 6 } as const
/** Points of a line are marked where they are few. */
const FEW = 16
const fewPoints = (plot: uPlot, index: number) =>
  Array.from(plot.data[index]!).filter(value => value !== null).length <= FEW

/** How uPlot draws each kind of series. */
const LOOKS: Readonly<Record<ChartSeries['kind'], (stroke: string) => uPlot.Series>> = {
  line: stroke => ({ stroke, width: 2, points: { ...POINTS, show: fewPoints, fill: stroke } }),
  dashed: stroke => ({ ...LOOKS.line(stroke), dash: [5, 3] }),
  bars: fill => ({
    fill,
    width: 0,
    points: { show: false },
    paths: uPlot.paths.bars!({ size: [0.8, 48, 2] }),
  }),
}

/** Of the time axis, by the lines of its labels. */
function heightOf(_plot: uPlot, labels: readonly string[] | null): number {
  return labels?.some(label => label.includes('\n')) ? 42 : 26
}

/** A colour of the page's as a canvas takes it. */
function colorIn(element: HTMLElement, css: string): string {
  element.style.color = css
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}

/** Over what is drawn, with a halo around its label. */
function drawLimit(
  plot: uPlot,
  limit: ChartProps['limit'],
  color: (css: string) => string,
  font: string,
): void {
  const { ctx, bbox, scales } = plot
  if (limit === undefined || limit.value > (scales.y?.max ?? 0)) return
  const y = Math.round(plot.valToPos(limit.value, 'y', true))
  const right = bbox.left + bbox.width
  const { pxRatio } = uPlot
  ctx.save()
  ctx.strokeStyle = color('var(--warn)')
  ctx.fillStyle = ctx.strokeStyle
  ctx.lineWidth = pxRatio
  ctx.setLineDash([4 * pxRatio, 4 * pxRatio])
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(right, y)
  ctx.stroke()
  ctx.font = font.replace(`${FONT_SIZE}px`, `${FONT_SIZE * pxRatio}px`)
  ctx.textAlign = 'right'
  ctx.textBaseline = 'top'
  ctx.setLineDash([])
  ctx.strokeStyle = color('var(--surface)')
  ctx.lineWidth = 4 * pxRatio
  ctx.strokeText(limit.label, right, y + 3 * pxRatio)
  ctx.fillText(limit.label, right, y + 3 * pxRatio)
  ctx.restore()
}

function choose(plot: uPlot, onRange: ChartProps['onRange']): void {
  const { left, width } = plot.select
  if (width === 0) return
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  if (width >= MIN_CHOICE) onRange(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'))
}
