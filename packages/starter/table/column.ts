import { type Numbers, numbersIn } from './numbers.ts'
import { shown } from './text.ts'

export interface Column extends Numbers {
  /** `number`: more than half of its filled cells are numbers, and all of these have one unit. */
  readonly type: 'number' | 'text'
}

/** @param cells those of all rows */
export function columnOf(cells: readonly string[]): Column {
  const numbers = numbersIn(cells)
  const used = [...numbers.values.keys()].filter(at => numbers.values[at])
  const filled = cells.filter(cell => cell.trim() !== '').length
  if (used.length <= filled / 2) return { ...numbers, type: 'text' }
  const fault = numbers.fault ?? twoUnits(cells, numbers.values, used)
  return { ...numbers, fault, type: fault === undefined ? 'number' : 'text' }
}

function twoUnits(
  cells: readonly string[],
  values: Numbers['values'],
  [first = 0, ...others]: readonly number[],
): string | undefined {
  const other = others.find(at => values[at]!.unit !== values[first]!.unit)
  if (other === undefined) return undefined
  return `it has two units, "${shown(cells[first]!, 30)}" and "${shown(cells[other]!, 30)}"`
}
