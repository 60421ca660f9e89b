import { ToolError } from '@agent-task-service/engine/tool'
import { NAME, refuseTwoReadings, rewriteMarks } from './marks.ts'
import { resolveName } from './names.ts'
import table from './notation.json' with { type: 'json' }
import unitTable from './units.json' with { type: 'json' }
import { findUnit, type Unit } from './units.ts'

const VALUE = String.raw`\s*(?!(?:plus|minus|times|per|of|mod|to|in|into|as|x|squared|cubed|divided|multiplied)\b)(?:[\d.(√]|${NAME})`
/** A percent sign or word, rather than a remainder. */
const PERCENT = String.raw`(?:\bpercent\b|\bpct\b|\bper\scent\b|%(?!${VALUE}))`

// Compiled once, since that takes longer than using them.
const [FIRST, WORDS] = [table.first, table.words].map(compiled) as [Rows, Rows]
const REFUSED = Object.entries(table.refused).map(
  ([source, message]) => [new RegExp(source, 'i'), message] as const,
)
const NOTES = Object.entries(table.notes).map(([source, line]) => [new RegExp(source), line] as const)

type Note = (line: string) => void
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
  const text = withSums(rewriteAll(plain, FIRST, note))
  if (text.trim() === '') throw new ToolError('The expression is empty. Give one such as "15% of 240".')
  refuseTwoReadings(text)
  for (const [pattern, message] of REFUSED) refuse(text, pattern, message)
  refuse(text, /(?<![\w)!.%°]\s*)%/, 'A percent sign needs a number before it, as in 15%.')
  const numbers = rewriteNumbers(rewriteMarks(text, note), note)
  return withCompounds(rewriteUnits(rewriteAll(numbers, WORDS, note)))
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

/** Words after which a number may begin: after any other, a parenthesis would call it. */
const WORD = String.raw`\b(?:of|plus|minus|times|by|per|x)`
const SIGN = String.raw`[*×÷([]|(?<!\de)[-+]|, `
/** `½` and `3½`, where a number may begin. */
const VULGAR = new RegExp(
  String.raw`(?<=(?:^|${SIGN}|[/^√]|(?<!\d *)[$€£¥₹]|${WORD}) *)(?<!\d\/(?=\d))(?:(\d+) *)?([¼-¾⅐-⅞])`,
  'gi',
)
/** `3 3/4`, where a number may begin and nothing follows that would take only its last part. */
const MIXED = new RegExp(
  String.raw`(?<=(?:^|${SIGN}|${WORD}) *)(\d+) +(\d{1,3})\/(\d{1,3})(?! *(?:[\d.(^!/√⁰¹²³⁴-⁹⁻¼-¾⅐-⅞]|,\d|e[-+\d]|x\d))`,
  'gi',
)

/** `3½` and `3 3/4` as sums; only a fraction below 1 makes a mixed number. */
function withSums(text: string): string {
  return text
    .replace(VULGAR, (_, whole: string | undefined, sign: string) => {
      return sum(whole, sign.normalize('NFKC').replace('⁄', '/'))
    })
    .replace(MIXED, (typed: string, whole: string, above: string, below: string) => {
      const isProper = Number(above) > 0 && Number(above) < Number(below)
      return isProper ? sum(whole, `${above}/${below}`) : typed
    })
}

const sum = (whole: string | undefined, fraction: string) =>
  whole === undefined ? `(${fraction})` : `(${whole} + ${fraction})`

/** `5 ft 11 inch`, where nothing stands beside it that would take only its first or last part. */
const COMPOUND =
  /(?<!(?:[\w.^)\]!']|\d *\/) *)\d+ *[a-z_]+(?![a-z_])(?: *\d+(?:\.\d+)? *[a-z_]+(?![a-z_]))+(?! *(?:[\d.^'!([]|(?!(?:to|mod)\b)[a-z_]))/gi
const AMOUNT = /(\d+(?:\.\d+)?) *([a-z_]+)/gi

const keyOf = ({ size, prefix }: Unit) => `${size} ${prefix}`
/** Units that are written one after another, from the largest on. */
const FAMILIES = unitTable.compounds.map(names => names.split(' ').map(name => keyOf(findUnit(name)!)))

/** `5 ft 11 inch` is `(5 ft + 11 inch)`, if the units are of one family and go down in it. */
function withCompounds(text: string): string {
  return text.replace(COMPOUND, typed => {
    const amounts = [...typed.matchAll(AMOUNT)].map(([, number = '', name = ''], index, all) => {
      // After hours, m is no metre.
      const isMinute = name === 'm' && findUnit(all[index - 1]?.[2] ?? '')?.size === '3600'
      return { number, name: isMinute ? 'min' : name }
    })
    const units = amounts.map(({ name }) => findUnit(name))
    const isCompound = FAMILIES.some(family => {
      const places = units.map(unit => (unit ? family.indexOf(keyOf(unit)) : -1))
      return places.every((place, index) => place > (places[index - 1] ?? -1))
    })
    return isCompound ? `(${amounts.map(({ number, name }) => `${number} ${name}`).join(' + ')})` : typed
  })
}
