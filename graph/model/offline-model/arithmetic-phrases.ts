import { readFraction, readNumber } from './number.ts'
import { phrase, type Slots } from './phrase.ts'
import { asking, type FoundTerm } from './term.ts'
import type { Found, Text } from './text.ts'

type Write = (...codes: readonly string[]) => string
type Rule = readonly [notation: string, write: Write]

/** Phrases that stand for a value, with the calculator's notation for them. `{a}`: a value; `{n}`: a bare number. */
const VALUES: readonly Rule[] = [
  ['[the] square root of {a}', a => `sqrt(${a})`],
  ['[the] (cube|cubic) root of {a}', a => `cbrt(${a})`],
  ['[the] {nth} root of {a}', (n, a) => `nthRoot(${a}, ${n})`],
  ['[the] factorial of {a}', a => `factorial(${a})`],
  ['[the] (absolute value|modulus) of {a}', a => `abs(${a})`],
  ['[the] square of {a}', a => `${a}^2`],
  ['[the] cube of {a}', a => `${a}^3`],
  ['square {a}', a => `${a}^2`],
  ['cube {a}', a => `${a}^3`],
  ['[the] natural (log|logarithm) of {a}', a => `ln(${a})`],
  ['[the] (log|logarithm) [to the] base {n} of {a}', (n, a) => `log(${a}, ${n})`],
  ['[the] (log|logarithm) of {a} (in|to the|to|with) base {n}', (a, n) => `log(${a}, ${n})`],
  ['[the] (sine|sin) of {a}', a => `sin(${a})`],
  ['[the] (cosine|cos) of {a}', a => `cos(${a})`],
  ['[the] (tangent|tan) of {a}', a => `tan(${a})`],
  ['[the] (arcsine|arcsin) of {a}', a => `asin(${a})`],
  ['[the] (arccosine|arccos) of {a}', a => `acos(${a})`],
  ['[the] (arctangent|arctan) of {a}', a => `atan(${a})`],
  ['[the] ln of {a}', a => `ln(${a})`],
  ['[the] reciprocal of {a}', a => `(1 / ${a})`],
  ['[one|a] half of {a}', a => `(1/2 of ${a})`],
  ['a third of {a}', a => `(1/3 of ${a})`],
  ['(a|one) quarter of {a}', a => `(1/4 of ${a})`],
  ['(twice|double) [of] {a}', a => `(2 * ${a})`],
  ['(triple|thrice) [of] {a}', a => `(3 * ${a})`],
  ['(a|an) {n} (%|percent) (tip|tax|commission) on [a] {a}', (n, a) => `(${n}% of ${a})`],
  ['[the] greatest common (divisor|factor) of {list}', (...all) => `gcd(${all.join(', ')})`],
  ['[the] (gcd|gcf|hcf|highest common factor) of {list}', (...all) => `gcd(${all.join(', ')})`],
  ['[the] (least|lowest) common multiple of {list}', (...all) => `lcm(${all.join(', ')})`],
  ['[the] lcm of {list}', (...all) => `lcm(${all.join(', ')})`],
  ['[the] (average|mean|arithmetic mean) of {list}', (...all) => `mean(${all.join(', ')})`],
  ['[the] median of {list}', (...all) => `median(${all.join(', ')})`],
  ['[the] (maximum|max|largest|biggest|greatest) of {list}', (...all) => `max(${all.join(', ')})`],
  ['[the] (minimum|min|smallest) of {list}', (...all) => `min(${all.join(', ')})`],
  ['[the] (sum|total) of {list}', (...all) => `(${all.join(' + ')})`],
  ['[the] product of {list}', (...all) => `(${all.join(' * ')})`],
  ['add {list}', (...all) => `(${all.join(' + ')})`],
  ['multiply {list}', (...all) => `(${all.join(' * ')})`],
  ['[the] difference (between|of) {a} and {a}', (a, b) => `(${a} - ${b})`],
  ['[the] quotient of {a} and {a}', (a, b) => `(${a} / ${b})`],
  ['[the] ratio of {a} to {a}', (a, b) => `(${a} / ${b})`],
  ['[the] remainder (of|when) {a} [is] divided by {a}', (a, b) => `(${a} mod ${b})`],
  ['[the] remainder when dividing {a} by {a}', (a, b) => `(${a} mod ${b})`],
  ['add {a} to {a}', (a, b) => `(${b} + ${a})`],
  ['(subtract|take) {a} from {a}', (a, b) => `(${b} - ${a})`],
  ['multiply {a} (by|with) {a}', (a, b) => `(${a} * ${b})`],
  ['divide {a} by {a}', (a, b) => `(${a} / ${b})`],
  ['(raise|raising) {a} to the power [of] {a}', (a, b) => `${a}^${b}`],
  ['(raise|raising) {a} to the {nth} [power]', (a, n) => `${a}^${n}`],
  ['increase {a} by {a}', (a, b) => `(${a} + ${b})`],
  ['(decrease|reduce) {a} by {a}', (a, b) => `(${a} - ${b})`],
]

/** Phrases that begin with a bare number, which is the first code. */
const NUMBERED: readonly Rule[] = [
  ['(third|thirds) of {a}', (n, a) => `(${n}/3 of ${a})`],
  ['(quarter|quarters|fourths) of {a}', (n, a) => `(${n}/4 of ${a})`],
  ['(fifth|fifths) of {a}', (n, a) => `(${n}/5 of ${a})`],
  ['(tenth|tenths) of {a}', (n, a) => `(${n}/10 of ${a})`],
  ['(%|percent) off [of] {a}', (n, a) => `(${a} - ${n}%)`],
  ['(%|percent) (tip|tax|commission) on [a] {a}', (n, a) => `(${n}% of ${a})`],
  ['(%|percent) less than {a}', (n, a) => `(${a} - ${n}%)`],
  ['(%|percent) more than {a}', (n, a) => `(${a} + ${n}%)`],
  ['subtracted from {a}', (n, a) => `(${a} - ${n})`],
  ['less than {a}', (n, a) => `(${a} - ${n})`],
  ['more than {a}', (n, a) => `(${a} + ${n})`],
  ['choose {n}', (n, k) => `combinations(${n}, ${k})`],
]

/** What reads the values that stand in a phrase. */
interface Readers {
  readUnary(text: Text, at: number, inList: boolean): FoundTerm
  readValue(text: Text, at: number): FoundTerm
}

/** Makes the readers of worded values out of those of plain ones, each of which may hold the other. */
export function wordedValues({ readUnary, readValue }: Readers) {
  const slots: Slots = {
    a: (text, at) => readOperands(text, at),
    n: (text, at) => codes(readNumber(text, at), code => [code]),
    nth: (text, at) => {
      const ordinal = text.match(/(\d{1,3})(?:st|nd|rd|th)\b/y, at)
      return ordinal ? [{ end: ordinal.index + ordinal[0].length, value: [ordinal[1]] }] : []
    },
    list: (text, at) => codes(readList(text, at), list => list),
  }

  const compile = (rules: readonly Rule[]) =>
    rules.map(([notation, write]) => ({
      find: phrase(notation, slots),
      write,
      // What follows the second operand may belong to it alone, or to the whole.
      closed: /\{list\}|\{a\}.*\{a\}|than|from|off/.test(notation),
    }))
  const COMPILED = { worded: compile(VALUES), numbered: compile(NUMBERED) }

  /** Reads a worded value: `square root of 2`, `the sum of 3, 4 and 5`. */
  function readWordedValue(text: Text, at: number): FoundTerm {
    return /[a-z\d]/.test(text.plain[text.skip(at)] ?? '')
      ? longest(COMPILED.worded, text, at, [])
      : undefined
  }

  /** Reads on after a number that begins a worded value: `2 thirds of 9`. */
  function readNumbered(text: Text, { end, value }: Found<string>): FoundTerm {
    return /[a-z%]/.test(text.plain[text.skip(end)] ?? '')
      ? longest(COMPILED.numbered, text, end, [value])
      : undefined
  }

  function longest(
    rules: typeof COMPILED.worded,
    text: Text,
    at: number,
    first: readonly string[],
  ): FoundTerm {
    let best: FoundTerm
    for (const { find, write, closed } of rules) {
      const found = find(text, at)[0]
      if (!found || found.end <= (best?.end ?? 0)) continue
      const code = write(...first, ...(found.value as readonly string[][]).flat()).replace(
        /\((\([^()]*\))\)/g,
        '$1',
      )
      best = { end: found.end, value: { ...asking(code), closed } }
    }
    return best
  }

  /**
   * A value: a fraction, or one with its sign, with its exponent and without ("raise 2 to the power of 3" needs the 2
   * alone). In parentheses where a power of it would be read another way.
   */
  function readOperands(text: Text, at: number): Found<readonly string[]>[] {
    const fraction = readFraction(text, at)
    const signed = codes(readUnary(text, at, false), ({ code }) => [
      code.startsWith('-') ? `(${code})` : code,
    ])
    const alone = codes(readValue(text, at), ({ code }) => [code])
    return [...codes(fraction, code => [code]), ...signed, ...alone]
  }

  /** `3, 4 and 5`, `3 and 4`, `3, 4, 5`, `3 and 4 and 5`: plain values only, so that the list ends where it seems to. */
  function readList(text: Text, at: number): Found<readonly string[]> | undefined {
    const items: string[] = []
    let end: number | undefined
    let ands = 0
    for (let next: number | undefined = at; next !== undefined && (ands < 2 || items.length === ands); ) {
      const item = isPlain(text, next) ? readUnary(text, next, false) : undefined
      if (!item) break
      items.push(item.value.code.replaceAll(',', ''))
      end = item.end
      const comma = text.literal(',', end)
      const and = text.literal('and', comma ?? end)
      if (and !== undefined) ands++
      else if (ands > 0) break
      next = and ?? comma
    }
    return end === undefined || items.length < 2 ? undefined : { end, value: items }
  }
  return { readWordedValue, readNumbered }
}

function isPlain(text: Text, at: number): boolean {
  return text.match(/[-+(√π.$]|pi\b|[a-z\d]+ ?\(/y, at) !== undefined || readNumber(text, at) !== undefined
}

function codes<Value>(
  found: Found<Value> | undefined,
  map: (value: Value) => readonly string[],
): Found<readonly string[]>[] {
  return found ? [{ end: found.end, value: map(found.value) }] : []
}
