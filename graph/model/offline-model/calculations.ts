import { readSum } from './arithmetic.ts'
import { readNumber } from './number.ts'
import { phrase, type Slots } from './phrase.ts'
import type { Term } from './term.ts'
import type { Found, Text } from './text.ts'
import { readUnit } from './unit.ts'

type Rule = readonly [notation: string, write: (...values: never[]) => string | undefined]

const slots: Slots = {
  sum: (text, at) => {
    const sum = readSum(text, at)
    return sum ? [sum] : []
  },
  number: (text, at) => {
    const number = readNumber(text, at)
    return number ? [number] : []
  },
  unit: (text, at) => {
    const unit = readUnit(text, at)
    return unit ? [unit] : []
  },
}

const IN = '(to|into|in|as)'
const ARE_IN = '[are there|is there|are|is|does|do|make] [in|up|equal|to|fit in]'
const DECIMALS = '(decimal places|decimal place|decimals|decimal|places)'

/** Questions for the calculator, in its notation. `{sum}`: any expression. */
const RULES: readonly Rule[] = [
  ['{sum}', ({ code, asks }: Term) => (asks ? unwrapped(code) : undefined)],
  [`{sum} ${IN} {unit}`, converted],
  [
    `{sum} ${IN} [a] (percent|percentage|%)`,
    ({ code, kind }: Term) => (isPure(kind) ? `${code} to percent` : undefined),
  ],
  ['{sum} (is|=|equals) [how many|what in|?] {unit}', converted],
  [`how many {unit} ${ARE_IN} {sum} [have|contain]`, (unit: string, sum: Term) => converted(sum, unit)],
  [
    `how many {unit} ${ARE_IN} (a|an|one|each) {unit} [have|contain]`,
    (unit: string, one: string) => `1 ${one} to ${unit}`,
  ],
  ['(a|an) {unit} (to|into|in) {unit}', (one: string, unit: string) => `1 ${one} to ${unit}`],
  [`{sum} [,] (rounded|round) to {number} ${DECIMALS}`, rounded],
  [`{sum} to {number} ${DECIMALS}`, rounded],
  [`round {sum} to {number} ${DECIMALS}`, rounded],
  ['{sum} [,] (rounded|round) to the nearest (integer|whole number)', ({ code }: Term) => `round(${code})`],
  ['round {sum} [to the nearest (integer|whole number)]', ({ code }: Term) => `round(${code})`],
  [
    `{sum} ${IN} {unit} [,] (rounded|round) to {number} ${DECIMALS}`,
    (sum: Term, unit: string, places: string) => `round(${converted(sum, unit)}, ${places})`,
  ],
  [
    'what (percent|percentage|%) of {sum} is {sum}',
    (whole: Term, part: Term) => `${grouped(part)} / ${grouped(whole)} to percent`,
  ],
  [
    '{sum} is what (percent|percentage|%) of {sum}',
    (part: Term, whole: Term) => `${grouped(part)} / ${grouped(whole)} to percent`,
  ],
  [
    'what (percent|percentage|%) is {sum} of {sum}',
    (part: Term, whole: Term) => `${grouped(part)} / ${grouped(whole)} to percent`,
  ],
  [
    '[the] (percent|percentage) (change|increase|decrease) from {number} to {number}',
    (before: string, after: string) => `(${after} - ${before}) / ${before} to percent`,
  ],
]

const COMPILED = RULES.map(([notation, write]) => ({ find: phrase(notation, slots), write }))

/** Reads what the calculator can answer: everything that may be asked from here, each as its expression. */
export function calculations(text: Text, at: number): readonly Found<string>[] {
  return COMPILED.flatMap(({ find, write }) =>
    find(text, at).flatMap(({ end, value }) => {
      const expression = isUncertain(text, value, end) ? undefined : write(...(value as never[]))
      return expression === undefined ? [] : [{ end, value: expression }]
    }),
  )
}

/** A factorial sign that may as well be the sentence's exclamation mark: "Calculate 5*3!". */
function isUncertain(text: Text, values: readonly unknown[], end: number): boolean {
  const code = (values.at(-1) as Term | undefined)?.code ?? ''
  const isOnlyOne = code.endsWith('!') && code.indexOf('!') === code.length - 1
  return isOnlyOne && /[-+*/^ ]/.test(code) && !text.match(/[?=.]/y, end)
}

function converted({ code, kind }: Term, unit: string): string | undefined {
  return kind === 'quantity' || kind === 'other' ? `${code} to ${unit}` : undefined
}

function rounded({ code }: Term, places: string): string {
  return `round(${code}, ${places})`
}

function isPure(kind: Term['kind']): boolean {
  return kind !== 'quantity'
}

function grouped({ code, kind }: Term): string {
  return kind === 'other' ? `(${code})` : code
}

/** Without the parentheses that a worded value brings, where they hold all of it. */
function unwrapped(code: string): string {
  if (!code.startsWith('(')) return code
  let depth = 0
  for (let at = 0; at < code.length; at++) {
    if (code[at] === '(') depth++
    if (code[at] === ')' && --depth === 0) return at === code.length - 1 ? code.slice(1, -1) : code
  }
  return code
}
