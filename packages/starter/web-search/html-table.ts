const MAX_SPAN = 50
/** Maximum number of cells that spans may add to one table. */
const MAX_ADDED = 5_000

/** Collects a table as its cells are parsed. */
export class HtmlTable {
  caption = ''
  /** It is only layout; its cells are ordinary text. */
  isLayout = false
  isInCell = false
  readonly #rows: { readonly cells: string[]; isHeader: boolean }[] = []
  /** Cells that span rows below, by column, with the number of rows left. */
  readonly #spans = new Map<number, { text: string; rows: number }>()
  #added = 0
  #span = { isHeader: false, columns: 1, rows: 1 }

  beginRow(): void {
    this.#rows.push({ cells: [], isHeader: true })
    this.#carry()
  }

  beginCell(isHeader: boolean, columns: number, rows: number): void {
    if (this.#rows.length === 0) this.beginRow()
    this.#span = { isHeader, columns: spanOf(columns), rows: spanOf(rows) }
    this.isInCell = true
  }

  endCell(text: string): void {
    const row = this.#rows.at(-1)
    if (!row || !this.isInCell) return
    this.isInCell = false
    const { isHeader, columns, rows } = this.#span
    if (!isHeader) row.isHeader = false
    this.#added += columns - 1
    for (let column = 0; column < columns && this.#added < MAX_ADDED; column += 1) {
      if (rows > 1) this.#spans.set(row.cells.length, { text, rows: rows - 1 })
      // Text spanning columns appears once, unless it is their header.
      row.cells.push(column === 0 || isHeader ? text : '')
    }
    this.#carry()
  }

  /** Returns the cells so far as texts, once the table turns out to be layout. */
  dissolve(): string[] {
    this.isLayout = true
    return this.#rows.flatMap(({ cells }) => cells).filter(Boolean)
  }

  lines(): { header: string; rows: string[] } {
    const rows = this.#rows.filter(({ cells }) => cells.some(Boolean))
    const [first, second] = rows
    let headers = rows.findIndex(({ isHeader }) => !isHeader)
    // Without header cells, a first row without numbers above rows with numbers is the header.
    if (headers === 0 && rows.length > 2 && first && second && first.cells.length > 1) {
      const isNamed = first.cells.every(text => text !== '' && !/\d/.test(text))
      if (isNamed && second.cells.some(text => /\d/.test(text))) headers = 1
    }
    const lines = rows.map(({ cells }) => rowText(cells.slice(0, cells.findLastIndex(Boolean) + 1)))
    if (headers < 0) return { header: '', rows: lines }
    return { header: lines.slice(0, headers).join('\n'), rows: lines.slice(headers) }
  }

  #carry(): void {
    const row = this.#rows.at(-1)
    for (let span = row && this.#spans.get(row.cells.length); row && span && this.#added < MAX_ADDED; ) {
      this.#added += 1
      const column = row.cells.length
      row.cells.push(span.text)
      if (span.rows > 1) this.#spans.set(column, { ...span, rows: span.rows - 1 })
      else this.#spans.delete(column)
      span = this.#spans.get(row.cells.length)
    }
  }
}

function spanOf(count: number): number {
  return Number.isInteger(count) && count > 1 ? Math.min(count, MAX_SPAN) : 1
}

/** A table's row in one line. Whoever reads it splits it at the bars, so a cell has none. */
export function rowText(cells: readonly string[]): string {
  return cells.map(cell => cell.replaceAll('|', '/')).join(' | ')
}
