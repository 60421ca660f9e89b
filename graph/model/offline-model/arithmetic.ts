import { calculate } from '../../../tools/calculator.ts'
import { ToolError } from '../../../tools/tool.ts'
import { withDigits } from './number-words.ts'
import { fill, phraseTable } from './phrase.ts'

const NUMBER = String.raw`[$€£¥]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?![\d]|[.,]\d)`
const PLAIN = String.raw`[-+]?(?:${NUMBER}(?: ?%|!)?|(?:[a-z]\w*)?\([^()]*(?:\([^()]*\)[^()]*)*\)|pi\b)`
/** `{a}` is a compact value: `1/4`, `-3`, `2^5`, `sqrt(2)`; `{list}` is two or more of them. */
const SLOTS = {
  a: String.raw`-?(?:\d+|pi)\/\d+(?![\d.,/%!^]|[a-z])|${PLAIN}(?:\^-?${NUMBER})?`,
  n: NUMBER,
  nth: String.raw`\d{1,3}(?:st|nd|rd|th)`,
  trig: '(?:arc)?(?:sine?|cos(?:ine)?|tan(?:gent)?)',
  degrees: `${NUMBER} ?(?:degrees?|deg|°)`,
  list: `${PLAIN}(?:(?: and ${PLAIN})+(?!,)|(?:, ?${PLAIN})+(?:,? and ${PLAIN})?)`,
}
/** An operator after a list or a second operand could apply to the last item or to the whole. */
const CLOSED = String.raw`(?!\s*(?:[-+*/^×÷!]|(?:plus|minus|times|x|multiplied|divided|over|mod|modulo|squared|cubed|to the)\b))`

/** Phrases for a value, innermost first, with the calculator's notation. */
const VALUES = phraseTable(
  `
  {n} (percent|per cent) => $1%
  [the] (square root of|square root|sqrt of) {a} => sqrt($1)
  ([the] factorial of {a}|{n} factorial) => factorial($1$2)
  {a} squared => ($1)^2
  {a} cubed => ($1)^3
  {a} (to the|raised to the) power [of] {a} => ($1)^($2)
  {a} (to the|raised to the) {nth} [power] => ($1)^($2)
  [the] {trig} of {degrees} => $1($2)
  [a|one] half of {a} => ($1 / 2)
  {a} off [of] {a} => ($2 - $1)
  {a} more than {a} => ($2 + $1)
  {a} less than {a} => ($2 - $1)
  [the] (gcd|greatest common (divisor|factor)|highest common factor) of {list} => gcd($1)
  [the] (average|mean) of {list} => mean($1)
  ([the] (sum|total) of|add) {list} => sum($1)
  [the] product of {a} and {a} => ($1 * $2)
  subtract {a} from {a} => ($2 - $1)
  multiply {a} (by|and) {a} => ($1 * $2)
  (divide {a} by|(split|share) {a} (between|among|by)) {a} [people|friends|ways] => ($1$2 / $3)
  {n} million => ($1 * 10^6)
  negative {n} => -$1
  plus => +
  minus => -
  (times|multiplied by) => *
  (divided by|over) => /`,
  SLOTS,
).map(({ source, code, slots }) => {
  const isClosed = slots.includes('list') || slots.filter(slot => slot === 'a').length > 1
  return { pattern: new RegExp(`(?<![\\w.])${source}${isClosed ? CLOSED : ''}`, 'gi'), code }
})

/** Whole questions, in the same format as the values; `{x}` is any text. */
const QUESTIONS = phraseTable(
  `
  {x} [,|.] [and] then (add|plus) {a} => ($1) + $2
  {x} [,|.] [and] then subtract {a} => ($1) - $2
  {x} [,|.] [and] then multiply [it|that|the result] by {a} => ($1) * $2
  {x} [,|.] [and] then divide [it|that|the result] by {a} => ($1) / $2
  how many {x} (are there in|are in|in|make|do|does|is|are) {x} [have|contain|equal] => $2 to $1
  [convert|change|express] {x} (to|into|in|as) {x} => $1 to $2
  [round] {x} [,] [rounded|round] to {n} (decimal places|decimal place|decimals) => round($1, $2)
  [round] {x} [,] [rounded|round] to the nearest (integer|whole number) => round($1)
  what (percent|percentage|%) (of {x} is|is) {x} => ($2) / ($1) to percent
  what (percent|percentage|%) is {x} (out of|of) {x} => ($1) / ($2) to percent
  [the] (percent|percentage) (change|increase|decrease) from {n} to {n} => ($2 - $1) / $1 to percent`,
  SLOTS,
).map(({ source, code }) => ({ pattern: new RegExp(`^${source}$`, 'i'), code }))

/** Not arithmetic, or not as written: dates, phone, card and serial numbers, versions, `2 thousand 50`; an exclamation mark that may be punctuation. */
const OTHER =
  /\d{4}([-/])\d{1,2}\1\d{1,2}(?!\d)|\b\d{1,2}([-/.])\d{1,2}\2\d{4}(?!\d)|\d{3}-\d{3,4}(?!\d)|\d\.\d+\.\d|\d+-\d+-\d+-\d|\b\d{3}-\d\d-\d{4}\b|\b0x|\b(?:hundred|thousand|million|billion)(?: and)? \d|^[^!]*[-+*/^ ][^!]*!$/

/** What no expression holds: words between questions, two numbers without a sign. Cheaper than asking the calculator. */
const UNREADABLE = /\b(?:and|then|what|when|is)\b|\d\.?\s+[\d.]+(?![\d/]*\/)/i

/** A calculation that the calculator refuses for its values or units alone. */
const REFUSED =
  /^(?!.*, )[\d\s.,()]+[*/^%!+-][\d\s.,+*/^()%!-]*[\d)%!]$|^[\d.,]+ ?(?!to )[a-zµ°]+ to [a-zµ°]+$/i

/**
 * Reads a question for the calculator.
 *
 * @returns an expression that the calculator can work out, or refuses for its values alone (`1/0`); else `undefined`
 */
export async function readArithmetic(typed: string): Promise<string | undefined> {
  const text = withDigits(typed.replace(/[\s=?]+$/, '').replace(/(?<=\d) (?:dollars?|euros?)\b/gi, ''))
  if (!/\d|\bpi\b|^how many /i.test(text) || OTHER.test(text)) return undefined
  const questions = QUESTIONS.flatMap(({ pattern, code }) => {
    const match = pattern.exec(text)
    return match ? [fill(code, match.slice(1))] : []
  })
  for (const expression of new Set([...questions, text].map(rewrite)))
    if (!UNREADABLE.test(expression) && (await isCalculation(expression))) return expression
  return undefined
}

function rewrite(text: string): string {
  let code = text.replace(/^an? (?=\w+ to )/i, '1 ')
  for (let before = ''; before !== code; ) {
    before = code
    for (const { pattern, code: notation } of VALUES)
      code = code.replace(pattern, (...match) => `${fill(notation, match.slice(1, -2).map(operand))} `)
  }
  return code
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,)^])/g, '')
    .trim()
}

function operand(text = ''): string {
  return text
    .trim()
    .replace(/^(arc)?(sin|cos|tan)(?:e|ine|gent)$/i, '$1$2')
    .replace(/(?<=^\d+)(?:st|nd|rd|th)$/, '')
    .replace(/,(?=\d{3}(?!\d))/g, '')
    .replace(/,? and /g, ', ')
    .replace(/ ?(?:degrees?|°)$/i, ' deg')
    .replace(/^-[^,]*$|^\d+\/\d+$/, '($&)')
}

/** Whether there is something to work out: the calculator's answer says more than the expression does. */
async function isCalculation(expression: string): Promise<boolean> {
  try {
    const [, read = '', value = ''] = /^(.*?) [=≈] (.+)$/m.exec(await calculate(expression)) ?? []
    return bare(value) !== bare(read)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return REFUSED.test(expression)
  }
}

function bare(text: string): string {
  return text.replace(/[\s,$€£¥]/g, '').toLowerCase()
}
