/** One line of a chart; `values` are in the order of its ticks. */
export interface Line {
  readonly name: string
  readonly values: readonly number[]
}

export interface Chart {
  readonly title: string
  /** Label of the horizontal axis: what the ticks count. */
  readonly unit: string
  readonly ticks: readonly string[]
  readonly lines: readonly Line[]
}

const WIDTH = 640
const HEIGHT = 320
const LEFT = 70
const RIGHT = 150
const TOP = 40
const BOTTOM = 50
const COLORS = ['#6b7280', '#2563eb', '#d97706', '#059669']

/** Draws a chart as SVG. The vertical axis is logarithmic. */
export function lineChart({ title, unit, ticks, lines }: Chart): string {
  const all = lines.flatMap(({ values }) => values).filter(value => value > 0)
  const low = Math.floor(Math.log10(Math.min(...all)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...all))))
  const x = (index: number) => LEFT + (index * (WIDTH - LEFT - RIGHT)) / Math.max(1, ticks.length - 1)
  const y = (value: number) =>
    HEIGHT - BOTTOM - ((Math.log10(value) - low) * (HEIGHT - TOP - BOTTOM)) / (high - low)
  const powers = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step))
  const drawn = lines.flatMap(({ name, values }, index) => {
    const points = values.map((value, at) => `${round(x(at))},${round(y(value))}`)
    const color = COLORS[index % COLORS.length]
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ...points.map(point => `<circle cx="${point.replace(',', '" cy="')}" r="3" fill="${color}"/>`),
      text(WIDTH - RIGHT + 12, TOP + 20 * index + 8, name, `fill="${color}"`),
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 22, title, 'font-weight="bold"'),
    ...powers.flatMap(power => [
      `<path d="M${LEFT} ${round(y(power))}H${WIDTH - RIGHT}" stroke="#e5e7eb"/>`,
      text(LEFT - 8, y(power) + 4, String(Number(power.toPrecision(1))), 'text-anchor="end"'),
    ]),
    ...ticks.map((tick, index) => text(x(index), HEIGHT - BOTTOM + 20, tick, 'text-anchor="middle"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, unit, 'text-anchor="middle"'),
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${content}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
