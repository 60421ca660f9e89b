import { endsValue, type Part } from './parts.ts'
import { sameDimensions } from './quantity.ts'
import { syntaxError } from './tokens.ts'

/** Text for mathjs's parser, and for each of its characters where that came from in what was typed. */
export interface Arranged {
  readonly text: string
  readonly positions: readonly number[]
}

/** The parser recurses about twenty frames for each open parenthesis. */
const DEEPEST = 50
const MOST_SIGNS = 10

/**
 * Writes the parts for mathjs's parser, and completes what people leave out: `√9`, `5 ft 3 in`.
 * @throws {ToolError} for parts that do not fit, with the position
 */
export function arrange(parts: readonly Part[]): Arranged {
  let text = ''
  const positions: number[] = []
  const put = (piece: string, { start }: Part) => {
    text += piece
    for (let count = 0; count < piece.length; count++) positions.push(start)
  }
  const open: Part[] = []
  let signs = 0
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]!
    checkNeighbours(part, parts[index - 1])
    signs = part.kind === 'operator' && !endsValue(parts[index - 1]) ? signs + 1 : 0
    if (signs > MOST_SIGNS) throw syntaxError(part.start, 'too many signs in a row.')
    if (part.kind === 'open') open.push(part)
    if (open.length > DEEPEST)
      throw syntaxError(part.start, `parentheses may be nested ${DEEPEST} deep at most.`)
    if (part.kind === 'close' && open.pop() === undefined)
      throw syntaxError(part.start, 'this parenthesis was never opened.')
    if (part.kind === 'comma' && open.length === 0)
      throw syntaxError(
        part.start,
        'a comma separates groups of three digits (1,234.5) or arguments; write decimals with a point.',
      )
    const end = compoundEnd(parts, index)
    if (part.kind === 'root') {
      const next = parts[index + 1]
      if (next?.kind === 'number' || next?.kind === 'value') {
        put(` ${part.text}(${next.text}) `, part)
        index++
      } else if (next?.kind === 'open') put(` ${part.text}`, part)
      else throw syntaxError(part.start, 'put parentheses after the root sign: √(...).')
    } else if (end > index) {
      put('(', part)
      for (; index <= end; index++) {
        const member = parts[index]!
        put(
          member.kind === 'number' && index > 0 && text.at(-1) !== '('
            ? ` + ${member.text}`
            : ` ${member.text}`,
          member,
        )
      }
      index--
      put(') ', part)
    } else put(part.kind === 'postfix' || part.kind === 'open' ? part.text : ` ${part.text}`, part)
  }
  const unclosed = open.at(-1)
  if (unclosed !== undefined) throw syntaxError(unclosed.start, 'this parenthesis is never closed.')
  return { text, positions }
}

function checkNeighbours(part: Part, before: Part | undefined): void {
  if (part.kind === 'number' && endsValue(before) && !(before?.kind === 'value'))
    throw syntaxError(part.start, `an operator is missing before ${part.text}.`)
  if (part.text === '!' && before?.text === '!')
    throw syntaxError(part.start, 'write (n!)! for a repeated factorial.')
}

/** The last index of a compound quantity (`5 ft 3 in`, `1 h 30 min`) that starts here, or -1. */
function compoundEnd(parts: readonly Part[], from: number): number {
  const pair = (index: number) => {
    const meaning = parts[index]?.kind === 'number' ? parts[index + 1]?.meaning : undefined
    return meaning?.kind === 'unit' ? meaning.unit : undefined
  }
  const first = pair(from)
  if (first === undefined) return -1
  let end = -1
  for (let index = from + 2; ; index += 2) {
    const unit = pair(index)
    if (unit === undefined) {
      if (parts[index]?.kind === 'number') throw missing(parts[index]!)
      return end
    }
    if (!sameDimensions([{ unit: first, power: 1 }], [{ unit, power: 1 }])) throw missing(parts[index]!)
    end = index + 1
  }
}

function missing(part: Part) {
  return syntaxError(part.start, `an operator is missing before ${part.text}.`)
}
