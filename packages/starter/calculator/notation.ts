import { ToolError } from '@agent-task-service/engine/tool'
import { withCompounds } from './compounds.ts'
import { MISPLACED, withoutModules, withSums } from './forms.ts'
import { refuseTwoReadings, rewriteMarks, showsThousands } from './marks.ts'
import { resolveName } from './names.ts'
import table from './notation.json' with { type: 'json' }
import { findUnit } from './units.ts'

const COMMA =
  'A comma separates groups of three digits (1,234.5) or arguments; write decimals with a point, and one expression at a time.'
const LISTED =
  'A comma here may separate decimals or arguments. Write decimals with a point and arguments with a space after each comma, for example max(1.5, 2.5).'
/** The parser uses about twenty stack frames per open parenthesis. */
const DEEPEST = 50
/** 999,999,999,999,999 */
const LONGEST_GROUPED = 19

const NAME = String.raw`[a-z_μΩ\u0370-\u03ff][\w\u0370-\u03ff]*`
const VALUE = String.raw`\s*(?!(?:plus|minus|times|per|of|mod|to|in|into|as|x|squared|cubed|divided|multiplied)\b)(?:[\d.(√]|${NAME})`
/** A percent sign or word, rather than a remainder. */
const PERCENT = String.raw`(?:\bpercent\b|\bpct\b|\bper\scent\b|%(?!${VALUE}))`
const CALL = String.raw`(?:(?<![a-z_])(?!(?<=[\w)!%] +)mod\b)(${NAME}))?\s*\(`
/** `0,75`, `1234,5`, `1234,567`, but not `1,234`, whose digits are a group of thousands. */
const DECIMAL = String.raw`(?<![\d.,])(?:0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d{3})(?!\d|,\d|\.\d)`
/** `1,234,567`, and `12,34,567` as in India. */
const GROUPED = String.raw`(?<![\d.])\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d|,\d)`

// Compiled once, since that takes longer than using them.
const [FIRST, WORDS, LATEX, BRACES] = [table.first, table.words, table.latex, table.braces].map(compiled) as [
  Rows,
  Rows,
  Rows,
  Rows,
]
const REFUSED = Object.entries(table.refused).map(
  ([source, message]) => [new RegExp(source, 'i'), message] as const,
)
const NOTES = Object.entries(table.notes).map(([source, line]) => [new RegExp(source), line] as const)
const COMMAS = new RegExp(String.raw`${CALL}|\)|[[\]]|(${DECIMAL})|${GROUPED}| ,|, ?`, 'gi')

type Note = (line: string) => void
/** An open bracket, with what its commas have been so far. */
interface Bracket {
  readonly isList: boolean
  /** Whether one value is enough in it: `1,5` may be meant as that value. */
  readonly takesOne: boolean
  /** `1,5`, which is two arguments or one. */
  decimal?: string
  hasSpaced?: boolean
}
type Rows = readonly (readonly [pattern: RegExp, meaning: string])[]

/** Patterns of the table with what they mean. */
function compiled(rows: Readonly<Record<string, string>>): Rows {
  return Object.entries(rows).map(([source, meaning]) => {
    const pattern = source.replace('<VALUE>', VALUE).replace('<PERCENT>', PERCENT)
    return [new RegExp(pattern, 'gi'), meaning]
  })
}

/**
 * Rewrites a typed expression into the syntax of mathjs's parser. There `.*` is "of" and `'` is percent, since users can
 * type neither.
 * @throws {ToolError} for unsupported notation
 */
export function normalize(typed: string, note: Note): string {
  const plain = typed
    .replace(/[！-～]/g, one => one.normalize('NFKC'))
    .replace(/[^ -~]/g, one => table.lookalikes.find(like => like.includes(one))?.[0] ?? one)
    .replace(/[^\S\n]/g, ' ')
    .replace(
      /(?<![\w.,'])[1-9]\d{0,2}([ '_])\d{3}(?:\1\d{3})*(?!\1?\d|(?<=['_]\d{3})['_"])/g,
      (group, mark) => group.replaceAll(mark, ''),
    )
  const text = withSums(withoutModules(withoutLatex(rewriteAll(plain, FIRST, note), note)))
  if (text.trim() === '') throw new ToolError('The expression is empty. Give one such as "15% of 240".')
  refuseTwoReadings(text)
  for (const [pattern, message] of REFUSED) refuse(text, pattern, message)
  refuse(text, /(?<![\w)!.%°]\s*)%/, 'A percent sign needs a number before it, as in 15%.')
  const numbers = rewriteNumbers(rewriteCommas(rewriteMarks(text, note), note), note)
  return withCompounds(rewriteUnits(rewriteAll(numbers, WORDS, note)))
}

/** The few commands of LaTeX that models write; braces from the innermost on. */
function withoutLatex(text: string, note: Note): string {
  const plain = rewriteAll(text, LATEX, note)
  refuse(plain, MISPLACED, 'Write an operator before a fraction, as in 2 + 3/4 or 2 * 3/4.')
  let [before, after] = ['', plain]
  while (before !== after) [before, after] = [after, rewriteAll(after, BRACES, note)]
  return after
}

function rewriteAll(text: string, rows: Rows, note: Note): string {
  return rows.reduce((before, [pattern, meaning]) => {
    return before.replace(pattern, (...match) => {
      if (match[0] === '%' && meaning === ' mod ')
        note('% between two values was taken as the remainder; write "10% of 3" for a share.')
      return meaning.replace(/\$(\d)/g, (_, group) => match[group] ?? '')
    })
  }, text)
}

function refuse(text: string, pattern: RegExp, message: string): void {
  const found = text.search(pattern)
  if (found >= 0) throw new ToolError(`Syntax error at "${text.slice(found, found + 20).trim()}": ${message}`)
}

function rewriteNumbers(text: string, note: Note): string {
  const plain = text.replace(/[$€£¥₹]/g, sign => {
    note(`The currency sign ${sign} was left out.`)
    return ' '
  })
  const numbers = plain.replace(/⁻?[⁰¹²³⁴-⁹]+/g, digits => `^${digits.normalize('NFKC').replace('−', '-')}`)
  for (const [pattern, line] of NOTES) if (pattern.test(numbers)) note(line)
  return numbers
}

/** Commas separate thousands, except in a list and between the arguments of a function that takes several. */
function rewriteCommas(text: string, note: Note): string {
  const open: Bracket[] = []
  const decimals: string[] = []
  const others: string[] = []
  const isShown = showsThousands(text)
  const rewritten = text.replace(COMMAS, (token, name = '', decimal = '') => {
    if (/[[(]$/.test(token)) {
      if (open.push(bracketOf(token, name)) > DEEPEST)
        throw new ToolError(`Syntax error: parentheses may be nested ${DEEPEST} deep at most.`)
      return token
    }
    if (token === ')' || token === ']') {
      open.pop()
      return token
    }
    if (open.length === 0 && decimal !== '') {
      decimals.push(token)
      return token.replace(',', '.')
    }
    others.push(token)
    const rewritten = rewriteComma(token, open.at(-1), decimal !== '', note)
    if (rewritten !== token && !isShown) note(`${token} was read as ${rewritten}.`)
    return rewritten
  })
  noteDecimals(text, decimals, others, note)
  return rewritten
}

/** @param bracket the innermost; `undefined` outside of all */
function rewriteComma(token: string, bracket: Bracket | undefined, isDecimal: boolean, note: Note): string {
  if (bracket?.isList) {
    noteArguments(token, bracket, isDecimal, note)
    return token
  }
  if (!isDecimal && /^[1-9]\d*(?:,\d{3})+$/.test(token)) return token.replaceAll(',', '')
  if (!bracket || isDecimal) throw new ToolError(`Syntax error at "${token.trim()}": ${COMMA}`)
  return token
}

/** @throws {ToolError} when the list shows by its spaces, or by a 0, that a comma in it may be a decimal one */
function noteArguments(token: string, bracket: Bracket, isDecimal: boolean, note: Note): void {
  if (!isDecimal) noteGrouped(token, note)
  else if (bracket.takesOne && !bracket.decimal)
    note(`${token} was taken as two arguments; for one number, write ${token.replace(',', '.')}.`)
  if (isDecimal) bracket.decimal ??= token
  if (token.includes(' ')) bracket.hasSpaced = true
  const { decimal, hasSpaced } = bracket
  if (decimal && (hasSpaced || token.startsWith('0')))
    throw new ToolError(`Syntax error at "${isDecimal ? token : decimal}": ${LISTED}`)
}

/** Whoever writes decimal commas uses neither points nor commas for anything else. */
function noteDecimals(text: string, [first]: readonly string[], others: readonly string[], note: Note): void {
  if (first === undefined) return
  if (others.length > 0 || /\d\.\d/.test(text)) throw new ToolError(`Syntax error at "${first}": ${COMMA}`)
  note(
    `${first} was read as ${first.replace(',', '.')}: a comma that separates no thousands is a decimal one.`,
  )
}

function bracketOf(token: string, name: string): Bracket {
  const meaning = resolveName(name, true)
  if (meaning?.kind !== 'function') return { isList: token === '[', takesOne: token === '[' }
  return { isList: meaning.maximum > 1, takesOne: meaning.minimum <= 1 }
}

/** Nobody means a number of more digits; a list of three-digit numbers looks so. */
function noteGrouped(token: string, note: Note): void {
  if (/\d/.test(token) && token.length <= LONGEST_GROUPED)
    note(`${token} was taken as several arguments; for one number, leave out its commas.`)
}

/** Square metres, m3, and units of two words. */
function rewriteUnits(text: string): string {
  const powers = /\b(?:(sq)(?:uare)?|cu(?:bic)?) +([a-z]+)|(?<![a-z_])(?!d\d)([a-z]+)([23])(?![\w(])/gi
  const powered = text.replace(powers, (typed, square, base, name = '', power = square ? '2' : '3') => {
    const unit = resolveName(typed) ? undefined : findUnit(base ?? name)
    return unit ? `${unit.name}^${power}` : typed
  })
  return powered.replace(/\b(?!to\b)([a-z_]+)[ -]+(?!to\b)([a-z]{2,})/gi, (typed, first, second) => {
    return findUnit(`${first}_${second}`)?.name ?? typed
  })
}
