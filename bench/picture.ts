import { figure, quantile, type Round } from './figures.ts'
import type { Series } from './series.ts'

/** A series, and its rounds by size. */
interface Panel extends Series {
  readonly rounds: readonly (readonly Round[])[]
}

const PANEL = { width: 300, height: 200, left: 52, bottom: 28, top: 26, columns: 3 }
/** Readable on light and dark pages. */
const COLOURS = ['#2f81f7', '#d9822b', '#1a7f37', '#8957e5', '#6e7781']

/** Small charts: CPU time of a run in milliseconds over the size of its work, as medians, a line for each contestant. */
export function picture(panels: readonly Panel[]): string {
  const { width, height, columns } = PANEL
  const names = Object.keys(panels[0]!.rounds[0]![0]!)
  const rows = Math.ceil(panels.length / columns)
  const charts = panels.map((panel, index) => {
    const [x, y] = [(index % columns) * width, Math.floor(index / columns) * height]
    return `<g transform="translate(${x} ${y})">${chart(panel, names)}</g>`
  })
  const legend = names.map((name, index) => {
    const x = 12 + index * 170
    return `<path d="M${x} 12h16" stroke="${COLOURS[index]}"/><text x="${x + 22}" y="16">${name}</text>`
  })
  const size = `width="${columns * width}" height="${rows * height + 24}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11" fill="#6e7781" stroke-width="2">
<title>CPU time of a run in milliseconds, by the size of its work</title>
<rect width="100%" height="100%" fill="none"/>
${charts.join('\n')}
<g transform="translate(0 ${rows * height})">${legend.join('')}</g>
</svg>
`
}

function chart({ each, sizes, rounds }: Panel, names: readonly string[]): string {
  const { width, height, left, bottom, top } = PANEL
  const medians = names.map(name =>
    sizes.map(({ label }, index) =>
      quantile(
        rounds[index]!.map(round => round[name]![label]!),
        0.5,
      ),
    ),
  )
  const [maxX, maxY] = [sizes.at(-1)!.size, Math.max(...medians.flat())]
  const x = (size: number) => left + (size / maxX) * (width - left - 16)
  const y = (ms: number) => height - bottom - (ms / maxY) * (height - bottom - top)
  const lines = medians.map((values, index) => {
    const points = values.map((ms, at) => `${x(sizes[at]!.size).toFixed(1)},${y(ms).toFixed(1)}`).join(' ')
    return `<polyline points="${points}" fill="none" stroke="${COLOURS[index]}"/>`
  })
  const axes = `<path d="M${left} ${top}V${height - bottom}H${width - 16}" fill="none" stroke="#8c959f" stroke-width="1"/>`
  const marks = [
    `<text x="${left - 6}" y="${top + 4}" text-anchor="end">${figure(maxY)} ms</text>`,
    `<text x="${left - 6}" y="${height - bottom}" text-anchor="end">0</text>`,
    `<text x="${width - 16}" y="${height - bottom + 14}" text-anchor="end">${maxX} × ${each}</text>`,
  ]
  return [axes, ...lines, ...marks].join('')
}
