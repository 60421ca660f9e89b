import { phraseTable, type Slots } from './phrase.ts'

const NUMBER = String.raw`[$€£¥]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?![\d]|[.,]\d)`
const INNER = String.raw`[^()]*(?:\((?:[^()]|\([^()]*\))*\)[^()]*)*`
/** After a number, `arithmetic.ts` writes no-break spaces: 5 km per hour, 5 ft 3 in. */
const UNITS = String.raw`(?:\u00a0[a-zµ°\d.]+(?:\^\d)?(?:\/[a-z]+(?:\^?\d)?)*)+`
const MIXED = String.raw`\d+ \d+\/\d+(?![\d.,/%!^]|[a-z])`
const PLAIN = String.raw`[-+]?(?:${MIXED}(?:${UNITS})?|${NUMBER}(?: ?%|!|${UNITS})?|(?:[a-z]\w*)?\(${INNER}\)|(?:pi|π)\b)`
/** No nested lists: both lists could claim the end. */
const ITEM = String.raw`(?!(?:sum|product|mean|median|max|min|gcd|lcm)\()${PLAIN}`
/** `{a}` is a compact value: `1/4` without spaces, `-3`, `2^5`, `sqrt(2)`; `{list}` is two or more plain ones. */
const SLOTS: Slots = {
  a: String.raw`-?(?:\d+|pi|π)\/\d+(?![\d.,/%!^]|[a-z])(?:${UNITS})?|${PLAIN}(?:\^-?${NUMBER})?`,
  n: NUMBER,
  nth: String.raw`\d{1,3}(?:st|nd|rd|th)`,
  trig: '(?:arc)?(?:sine?|cos(?:ine)?|tan(?:gent)?)',
  list: `${ITEM}(?:(?: and ${ITEM})+(?!,)|(?:, ?${ITEM})+(?:,? and ${ITEM})?)`,
}
/** No operator may follow a list or second operand: it could apply to the last item or to the whole. */
const CLOSED = String.raw`(?!\s*(?:[-+*/^×÷!]|(?:and|plus|minus|times|x|multiplied|divided|over|mod|modulo|squared|cubed|to the)\b))`

/** Phrases for a value, with the calculator's notation. */
const VALUES = `
  {n} (third|thirds) of {a} => ($1/3 of $2)
  {n} (quarter|quarters|fourths) of {a} => ($1/4 of $2)
  {n} (fifth|fifths) of {a} => ($1/5 of $2)
  {n} (tenth|tenths) of {a} => ($1/10 of $2)
  [the] (square root of|square root|sqrt of) {a} => sqrt($1)
  [the] (cube|cubic) root of {a} => cbrt($1)
  [the] {nth} root of {a} => nthRoot($2, $1)
  [the] factorial of {a} => factorial($1)
  [the] (absolute value|modulus) of {a} => abs($1)
  [the] square [of] {a} => pow($1, 2)
  [the] cube [of] {a} => pow($1, 3)
  [the] (natural (log|logarithm)|ln) of {a} => ln($1)
  [the] (log|logarithm) [to the] base {n} of {a} => log($2, $1)
  [the] (log|logarithm) of {a} [in|to the|to|with] base {n} => log($1, $2)
  [the] {trig} of {a} => $1($2)
  [the] reciprocal of {a} => (1 / $1)
  [1] half of {a} => (1/2 of $1)
  (twice|double) [of] {a} => (2 * $1)
  (triple|thrice) [of] {a} => (3 * $1)
  [a|an] {a} (tip|tax|commission) on [a] {a} => ($1 of $2)
  [the] golden ratio => phi
  euler's number => e
  {n} choose {n} => combinations($1, $2)
  [the] (gcd|gcf|hcf|greatest common (divisor|factor)|highest common factor) of {list} => gcd($1)
  [the] (lcm|(least|lowest) common multiple) of {list} => lcm($1)
  [the] (average|mean|arithmetic mean) of {list} => mean($1)
  [the] median of {list} => median($1)
  [the] standard deviation of {list} => std($1)
  [the] variance of {list} => variance($1)
  [the] (maximum|max|largest|biggest|greatest) of {list} => max($1)
  [the] (minimum|min|smallest) of {list} => min($1)
  ([the] (sum|total) of|add) {list} => sum($1)
  ([the] product of|multiply) {list} => product($1)
  [the] remainder (of|when) {a} [is] divided by {a} => ($1 mod $2)
  [the] remainder when dividing {a} by {a} => ($1 mod $2)
  [the] difference (between|of) {a} and {a} => ($1 - $2)
  ([the] quotient of {a} and|[the] ratio of {a} to) {a} => ($1$2 / $3)
  increase {a} by {a} => ($1 + $2)
  ((subtract|take) {a} from|{a} (subtracted from|less than|off [of])) {a} => ($3 - $1$2)
  (add {a} to|{a} more than) {a} => ($3 + $1$2)
  (decrease|reduce) {a} by {a} => ($1 - $2)
  multiply {a} (by|with) {a} => ($1 * $2)
  (divide {a} by|(split|share) {a} (between|among|by)) {a} [people|persons|friends|ways] => ($1$2 / $3)
  (to the|raised to the) (power [of] {a}|{nth} [power]) => ^$1$2`

/** Questions about values, in the same format; `{x}` is any text. */
const QUESTIONS = `
  {x} (is|=|equals) (how many|what in) {x} => $1 to $2
  {x} (to|into|in|as) a (percent|percentage|%) => $1 to percent
  {x} (to|into|in|as) a decimal [number] => $1
  how many {x} (are there in|is there in|are in|make [up]|does|do|in|equal|is|are|fit in) {x} [have|contain|equal] => $2 to $1
  [round] {x} [,] [rounded|round] to {n} (decimal places|decimal place|decimals|decimal|places) => round($1, $2)
  [round] {x} [,] [rounded|round] to the nearest (integer|whole number) => round($1)
  round {x} => round($1)
  what (percent|percentage|%) (of {x} is|is) {x} => ($2) / ($1) to percent
  what (percent|percentage|%) is {x} of {x} => ($1) / ($2) to percent
  {x} is what (percent|percentage|%) of {x} => ($1) / ($2) to percent
  [the] (percent|percentage) (change|increase|decrease) from {n} to {n} => ($2 - $1) / $1 to percent`

/** Patterns for a value anywhere in a text. */
export const valuePhrases = phraseTable(VALUES, SLOTS).map(({ source, code, slots }) => {
  const isClosed = slots.includes('list') || slots.filter(slot => slot === 'a').length > 1
  return { pattern: new RegExp(`(?<![\\w.])${source}${isClosed ? CLOSED : ''}`, 'gi'), code }
})

/** Patterns for a whole question. */
export const questionPhrases = phraseTable(QUESTIONS, SLOTS).map(({ source, code }) => {
  return { pattern: new RegExp(`^${source}$`, 'i'), code }
})
