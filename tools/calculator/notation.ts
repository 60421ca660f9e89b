import { ToolError } from '../tool.ts'
import { resolveName } from './names.ts'
import table from './notation.json' with { type: 'json' }
import { findUnit } from './units.ts'

const COMMA = 'A comma separates groups of three digits (1,234.5) or arguments; write decimals with a point.'
/** The parser uses about twenty stack frames per open parenthesis. */
const DEEPEST = 50

const NAME = String.raw`[a-z_μΩ\u0370-\u03ff][\w\u0370-\u03ff]*`
const VALUE = String.raw`\s*(?!(?:plus|minus|times|per|of|mod|to|in|into|as|x|squared|cubed|divided|multiplied)\b)(?:[\d.(√]|${NAME})`
/** A percent sign or word, rather than a remainder. */
const PERCENT = String.raw`(?:\bpercent\b|\bpct\b|\bper\scent\b|%(?!${VALUE}))`
const CALL = String.raw`(?:(?<![a-z_])(?!(?<=[\w)!%] +)mod\b)(${NAME}))?\s*\(`
const GROUPED = String.raw`(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d|,\d)`

type Note = (line: string) => void
type Replace = (...match: string[]) => string

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
  const text = rewriteAll(plain, table.first, note)
  if (text === '') throw new ToolError('The expression is empty. Give one such as "15% of 240".')
  const bare = text.replace(/\b(?:math|np|numpy|cmath)\.(\w+)/gi, (_, name: string) => name.toLowerCase())
  if (bare !== text) throw new ToolError(`Write ${bare} in place of ${text}.`)
  for (const [pattern, message] of Object.entries(table.refused)) refuse(text, pattern, message)
  refuse(text, /(?<![\w)!.%°]\s*)%/, 'A percent sign needs a number before it, as in 15%.')
  const numbers = readCommas(readNumbers(text, note), note)
  return readUnits(rewriteAll(numbers, table.words, note))
}

function rewrite(text: string, pattern: RegExp | string, replace: Replace): string {
  return text.replace(new RegExp(pattern, 'gi'), replace)
}

function rewriteAll(text: string, rows: Readonly<Record<string, string>>, note: Note): string {
  return Object.entries(rows).reduce((before, [source, meaning]) => {
    const pattern = source.replace('<VALUE>', VALUE).replace('<PERCENT>', PERCENT)
    return rewrite(before, pattern, (...match) => {
      if (match[0] === '%' && meaning === ' mod ')
        note('% between two values was taken as the remainder; write "10% of 3" for a share.')
      return meaning.replace(/\$(\d)/g, (_, group) => match[group] ?? '')
    })
  }, text)
}

function refuse(text: string, pattern: RegExp | string, message: string): void {
  const found = text.search(new RegExp(pattern, 'i'))
  if (found >= 0) throw new ToolError(`Syntax error at "${text.slice(found, found + 20).trim()}": ${message}`)
}

function readNumbers(text: string, note: Note): string {
  const numbers = rewrite(text, /[$€£¥₹]/, sign => {
    note(`The currency sign ${sign} was left out.`)
    return ' '
  }).replace(/⁻?[⁰¹²³⁴-⁹]+/g, digits => `^${digits.normalize('NFKC').replace('−', '-')}`)
  for (const [pattern, line] of Object.entries(table.notes)) if (new RegExp(pattern).test(numbers)) note(line)
  return numbers
}

/** Commas separate thousands, except between the arguments of a function that takes several. */
function readCommas(text: string, note: Note): string {
  const areLists: boolean[] = []
  return rewrite(text, String.raw`${CALL}|\)|${GROUPED}|,`, (token, name = '') => {
    if (token.endsWith('(')) {
      const meaning = resolveName(name, true)
      if (areLists.push(meaning?.kind === 'function' && meaning.maximum > 1) > DEEPEST)
        throw new ToolError(`Syntax error: parentheses may be nested ${DEEPEST} deep at most.`)
    } else if (token === ')') areLists.pop()
    else if (areLists.at(-1)) {
      if (token !== ',')
        note(`${token} was taken as several arguments; for one number, leave out its commas.`)
    } else if (/^[1-9]/.test(token)) return token.replaceAll(',', '')
    else if (areLists.length === 0) throw new ToolError(`Syntax error at "${token}": ${COMMA}`)
    return token
  })
}

/** Square metres, m3, and units of two words. */
function readUnits(text: string): string {
  const powers = /\b(?:(sq)(?:uare)?|cu(?:bic)?) +([a-z]+)|(?<![a-z_])(?!d\d)([a-z]+)([23])(?![\w(])/
  const powered = rewrite(text, powers, (typed, square, base, name = '', power = square ? '2' : '3') => {
    const unit = resolveName(typed) ? undefined : findUnit(base ?? name)
    return unit ? `${unit.name}^${power}` : typed
  })
  return rewrite(powered, /\b(?!to\b)([a-z_]+)[ -]+(?!to\b)([a-z]{2,})/, (typed, first, second) => {
    return findUnit(`${first}_${second}`)?.name ?? typed
  })
}
