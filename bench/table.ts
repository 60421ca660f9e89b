/** A Markdown table; the first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

/** A table with a row for each contestant. */
export function contestantTable<Row>(
  values: Readonly<Record<string, Row>>,
  columns: Readonly<Record<string, (row: Row) => string>>,
): string {
  const rows = Object.entries(values).map(([name, row]) => [
    name,
    ...Object.values(columns).map(column => column(row)),
  ])
  return table(['', ...Object.keys(columns)], rows)
}

/** A number with about three significant digits. */
export function figure(value: number, unit = ''): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return `${value.toFixed(digits)}${unit && ` ${unit}`}`
}
