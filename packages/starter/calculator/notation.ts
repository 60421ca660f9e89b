import { ToolError } from '@agent-task-service/engine/tool'
import { resolveName } from './names.ts'
import table from './notation.json' with { type: 'json' }
import { findUnit } from './units.ts'

const COMMA =
  'A comma separates groups of three digits (1,234.5) or arguments; write decimals with a point, and one expression at a time.'
/** The parser uses about twenty stack frames per open parenthesis. */
const DEEPEST = 50
/** 999,999,999,999,999 */
const LONGEST_GROUPED = 19

const NAME = String.raw`[a-z_μΩ\u0370-\u03ff][\w\u0370-\u03ff]*`
const VALUE = String.raw`\s*(?!(?:plus|minus|times|per|of|mod|to|in|into|as|x|squared|cubed|divided|multiplied)\b)(?:[\d.(√]|${NAME})`
/** A percent sign or word, rather than a remainder. */
const PERCENT = String.raw`(?:\bpercent\b|\bpct\b|\bper\scent\b|%(?!${VALUE}))`
const CALL = String.raw`(?:(?<![a-z_])(?!(?<=[\w)!%] +)mod\b)(${NAME}))?\s*\(`
const GROUPED = String.raw`(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d|,\d)`

// Compiled once, since that takes longer than using them.
const [FIRST, WORDS] = [compiled(table.first), compiled(table.words)]
const REFUSED = Object.entries(table.refused).map(
  ([source, message]) => [new RegExp(source, 'i'), message] as const,
)
const NOTES = Object.entries(table.notes).map(([source, line]) => [new RegExp(source), line] as const)
const COMMAS = new RegExp(String.raw`${CALL}|\)|[[\]]|${GROUPED}|,`, 'gi')

type Note = (line: string) => void

/** Patterns of the table with what they mean. */
function compiled(rows: Readonly<Record<string, string>>): readonly (readonly [RegExp, string])[] {
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
  const text = rewriteAll(plain, FIRST, note)
  if (text === '') throw new ToolError('The expression is empty. Give one such as "15% of 240".')
  const bare = text.replace(/\b(?:math|np|numpy|cmath)\.(\w+)/gi, (_, name: string) => name.toLowerCase())
  if (bare !== text) throw new ToolError(`Write ${bare} in place of ${text}.`)
  for (const [pattern, message] of REFUSED) refuse(text, pattern, message)
  refuse(text, /(?<![\w)!.%°]\s*)%/, 'A percent sign needs a number before it, as in 15%.')
  const numbers = rewriteCommas(rewriteNumbers(text, note), note)
  return rewriteUnits(rewriteAll(numbers, WORDS, note))
}

function rewriteAll(text: string, rows: ReturnType<typeof compiled>, note: Note): string {
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
  /** Of each open bracket, whether it is that of a list. */
  const areLists: boolean[] = []
  return text.replace(COMMAS, (token, name = '') => {
    if (/[[(]$/.test(token)) {
      if (areLists.push(opensList(token, name)) > DEEPEST)
        throw new ToolError(`Syntax error: parentheses may be nested ${DEEPEST} deep at most.`)
      return token
    }
    if (token === ')' || token === ']') {
      areLists.pop()
      return token
    }
    if (areLists.at(-1)) {
      noteGrouped(token, note)
      return token
    }
    if (/^[1-9]/.test(token)) return token.replaceAll(',', '')
    if (areLists.length === 0) throw new ToolError(`Syntax error at "${token}": ${COMMA}`)
    return token
  })
}

function opensList(bracket: string, name: string): boolean {
  const meaning = resolveName(name, true)
  return bracket === '[' || (meaning?.kind === 'function' && meaning.maximum > 1)
}

/** Nobody means a number of more digits; a list of three-digit numbers looks so. */
function noteGrouped(token: string, note: Note): void {
  if (token !== ',' && token.length <= LONGEST_GROUPED)
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
