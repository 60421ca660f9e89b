import { resolveName } from '../../../tools/calculator/names.ts'
import { Notation } from '../../../tools/calculator/notation.ts'
import { findUnit } from '../../../tools/calculator/units.ts'
import { ToolError } from '../../../tools/tool.ts'
import { withDigits } from './number-words.ts'
import { phrase, type Slots } from './phrase.ts'

const NUMBER = String.raw`[$€£¥]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?![\d]|[.,]\d)`
const INNER = String.raw`[^()]*(?:\((?:[^()]|\([^()]*\))*\)[^()]*)*`
const PLAIN = String.raw`[-+]?(?:${NUMBER}(?: ?%|!|(?:\u00a0[^\s,()]+)+)?|(?:[a-z]\w*)?\(${INNER}\)|(?:pi|π)\b)`
/** A list within a list could end with either. */
const ITEM = String.raw`(?!(?:sum|product|mean|median|max|min|gcd|lcm)\()${PLAIN}`
/** `{a}` a value that stands close: `1/4` without spaces, `-3`, `2^5`, `sqrt(2)`; `{list}` two or more plain ones. */
const SLOTS: Slots = {
  a: String.raw`-?(?:\d+|pi|π)\/\d+(?![\d.,/%!^]|[a-z])|${PLAIN}(?:\^-?${NUMBER})?`,
  n: NUMBER,
  nth: String.raw`\d{1,3}(?:st|nd|rd|th)`,
  trig: '(?:arc)?(?:sine?|cos(?:ine)?|tan(?:gent)?)',
  list: `${ITEM}(?:(?: and ${ITEM})+(?!,)|(?:, ?${ITEM})+(?:,? and ${ITEM})?)`,
}
/** What follows a list or a second operand may belong to it alone or to the whole, so nothing may. */
const CLOSED = String.raw`(?!\s*(?:[-+*/^×÷!]|(?:and|plus|minus|times|x|multiplied|divided|over|mod|modulo|squared|cubed|to the)\b))`

/** Phrases that stand for a value, and the calculator's notation for them. */
const VALUES = table(`
  {n} (third|thirds) of {a} => ($1/3 of $2)
  {n} (quarter|quarters|fourths) of {a} => ($1/4 of $2)
  {n} (fifth|fifths) of {a} => ($1/5 of $2)
  {n} (tenth|tenths) of {a} => ($1/10 of $2)
  [the] square root of {a} => sqrt($1)
  [the] (cube|cubic) root of {a} => cbrt($1)
  [the] {nth} root of {a} => nthRoot($2, $1)
  [the] factorial of {a} => factorial($1)
  [the] (absolute value|modulus) of {a} => abs($1)
  [the] square [of] {a} => $1^2
  [the] cube [of] {a} => $1^3
  [the] (natural (log|logarithm)|ln) of {a} => ln($1)
  [the] (log|logarithm) [to the] base {n} of {a} => log($2, $1)
  [the] (log|logarithm) of {a} (in|to the|to|with) base {n} => log($1, $2)
  [the] {trig} of {a} => $1($2)
  [the] reciprocal of {a} => (1 / $1)
  [1] half of {a} => (1/2 of $1)
  (twice|double) [of] {a} => (2 * $1)
  (triple|thrice) [of] {a} => (3 * $1)
  [a|an] {a} (tip|tax|commission) on [a] {a} => ($1 of $2)
  {n} choose {n} => combinations($1, $2)
  [the] (gcd|gcf|hcf|greatest common (divisor|factor)|highest common factor) of {list} => gcd($1)
  [the] (lcm|(least|lowest) common multiple) of {list} => lcm($1)
  [the] (average|mean|arithmetic mean) of {list} => mean($1)
  [the] median of {list} => median($1)
  [the] (maximum|max|largest|biggest|greatest) of {list} => max($1)
  [the] (minimum|min|smallest) of {list} => min($1)
  ([the] (sum|total) of|add) {list} => sum($1)
  ([the] product of|multiply) {list} => product($1)
  [the] remainder (of|when) {a} [is] divided by {a} => ($1 mod $2)
  [the] remainder when dividing {a} by {a} => ($1 mod $2)
  [the] difference (between|of) {a} and {a} => ($1 - $2)
  ([the] quotient of {a} and|[the] ratio of {a} to) {a} => ($1$2 / $3)
  add {a} to {a} => ($2 + $1)
  increase {a} by {a} => ($1 + $2)
  ((subtract|take) {a} from|{a} (subtracted from|less than|off [of])) {a} => ($3 - $1$2)
  {a} more than {a} => ($2 + $1)
  (decrease|reduce) {a} by {a} => ($1 - $2)
  multiply {a} (by|with) {a} => ($1 * $2)
  divide {a} by {a} => ($1 / $2)
  (to the|raised to the) power [of] {a} => ^$1
  (to the|raised to the) {nth} [power] => ^$1`)

/** Questions about values, likewise; `{x}` is any text. */
const QUESTIONS = table(`
  {x} (is|=|equals) (how many|what in) {x} => $1 to $2
  {x} (to|into|in|as) a (percent|percentage|%) => $1 to percent
  how many {x} (are there in|is there in|are in|make [up]|does|do|in|equal|is|are|fit in) {x} [have|contain|equal] => $2 to $1
  [round] {x} [,] [rounded|round] to {n} (decimal places|decimal place|decimals|decimal|places) => round($1, $2)
  [round] {x} [,] [rounded|round] to the nearest (integer|whole number) => round($1)
  round {x} => round($1)
  what (percent|percentage|%) (of {x} is|is) {x} => ($2) / ($1) to percent
  what (percent|percentage|%) is {x} of {x} => ($1) / ($2) to percent
  {x} is what (percent|percentage|%) of {x} => ($1) / ($2) to percent
  [the] (percent|percentage) (change|increase|decrease) from {n} to {n} => ($2 - $1) / $1 to percent`)
const WHOLE = QUESTIONS.map(({ source, code }) => ({ pattern: new RegExp(`^${source}$`, 'i'), code }))

/** Words for operators that the calculator's notation lacks. */
const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:multiplied (?:by|with))\b/gi, '*'],
  [/\bdivided by\b/gi, '/'],
  [/\badded to\b/gi, '+'],
  [/\bmodul(?:o|us)\b/gi, 'mod'],
  [/\bnegative /gi, '-'],
  [/ *\bsquared\b/gi, '^2'],
  [/ *\bcubed\b/gi, '^3'],
  [/(?<=[\d)]) factorial\b/gi, '!'],
  [/^rais(?:e|ing) /i, ''],
  [/\b(?:the golden ratio|golden ratio)\b/gi, 'phi'],
  [/\beuler's number\b/gi, 'e'],
]
/** Not for the calculator: dates and telephone numbers. */
const OTHER = /\d{4}([-/])\d{1,2}\1\d{1,2}(?!\d)|\b\d{1,2}([-/.])\d{1,2}\2\d{4}(?!\d)|\d{3}-\d{3}-\d{4}/

function table(text: string) {
  return [...text.matchAll(/^ *(.*) => (.*)$/gm)].map(([, notation = '', code = '']) => {
    const closed = /\{list\}|\{a\}.*\{a\}/.test(notation) ? CLOSED : ''
    return { source: phrase(notation, SLOTS) + closed, code }
  })
}
const IN_PLACE = VALUES.map(({ source, code }) => ({
  pattern: new RegExp(`(?<![\\w.])${source}`, 'gi'),
  code,
}))

/** Reads what the calculator can answer: the expression, in its notation. */
export function readArithmetic(typed: string): string | undefined {
  // The exclamation mark may as well be the sentence's: "Calculate 5*3!".
  const isUncertain = /^[^!]*[-+*/^ ][^!]*!$/.test(typed)
  if (isUncertain || OTHER.test(typed)) return undefined
  const text = withDigits(typed.replace(/[\s=?]+$/, ''))
    .replace(/(?<=\d) ?per ?cent\b/gi, '%')
    .replace(/(?<=\d) ?([a-zµ°]+(?:\/[a-z]+)?)\b/gi, (all, unit) =>
      /^(?:in|as|[ex])$/i.test(unit) || !findUnit(unit) ? all : `\u00a0${unit}`,
    )
  const questions = WHOLE.flatMap(({ pattern, code }) => {
    const match = pattern.exec(text)
    return match ? [fill(code, match.slice(1))] : []
  })
  return [text, ...questions].map(rewrite).find(isCalculation)
}

/** Puts the calculator's notation in place of words, the innermost first. */
function rewrite(text: string): string {
  let code = text.replace(/^(?:an?|each) (?=\S+ (?:to|into|in|as)\b)/i, '1 ')
  for (let before = ''; before !== code; ) {
    before = code
    for (const { pattern, code: notation } of IN_PLACE)
      code = code.replace(pattern, (...match) => `${fill(notation, match.slice(1, -2).map(operand))} `)
  }
  for (const [words, sign] of OPERATORS) code = code.replace(words, sign)
  return code
    .replace(/\(\(([^()]*)\)\)/g, '($1)')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,)^])/g, '')
    .trim()
}

function fill(code: string, groups: readonly (string | undefined)[]): string {
  return code.replace(/\$(\d)/g, (_, at) => groups[at - 1] ?? '')
}

function operand(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const name = text.replace(/^(arc)?(sin|cos|tan)(?:e|ine|gent)$/i, '$1$2').replace(/(?<=^\d+)[a-z]{2}$/, '')
  const list = name.replace(/,(?=\d{3})/g, '').replace(/,? and /g, ', ')
  return /^(?:-|.*[^(]\/\d+$)/.test(list) && !list.includes(', ') ? `(${list})` : list
}

/** Whether the calculator's own reader takes it, its signs stand between values, and there is something to work out. */
function isCalculation(code: string): boolean {
  if (/\b(?:and|then)\b/i.test(code)) return false
  try {
    const { text } = new Notation(code, () => {})
    const bare = withoutUnits(text)
    // Only a quantity can be converted.
    const [measured = '', target] = text.split(/\bto\b/)
    if (target && !/^\s*percent/.test(target) && withoutUnits(measured) === measured) return false
    const asks = /\b(?:pi|tau|phi|to)\b|\w\s*\(|[\w)']\s*(?:[-+*/^!]|\.\*|mod\b)/.test(bare)
    return asks && /\d|\bpi\b/.test(bare) && !MISPLACED.test(text)
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

function withoutUnits(text: string): string {
  return text.replace(/\/?\s*\b([a-zµ°_]+)\b(?!\()(?:\s*\^\s*[23])?/gi, (all, name) =>
    resolveName(name)?.kind === 'unit' ? '' : all,
  )
}

/** An operator without its value, no unit to convert to, "of" after no share: `2 +`, `60 mi to 2 h`, `1 of us`. */
const MISPLACED =
  /(?:^|[-+*/^(,]|\b(?:mod|to)\b)\s*(?:[*/^'!),]|\.\*|(?:mod|to)\b|$)|\bto\s+[^\sa-zµμ°Ω]|(?<![\s')]|\/\s*\d+)\s*\.\*/i
