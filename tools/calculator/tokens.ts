import { ToolError } from '../tool.ts'

/** A word of the expression as typed. Symbols are in plain spelling: `+ - * / ^ ! % ( ) , √ ∛`. */
export interface Token {
  readonly kind: 'number' | 'name' | 'symbol'
  readonly text: string
  /** Where it starts in what was typed, from 0. */
  readonly start: number
  /** Whether white space stands before it. */
  readonly spaced: boolean
}

const NAME = /[A-Za-z_°µμΩ\u0370-\u03ff][A-Za-z0-9_°Ω\u0370-\u03ff]*/y
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
/** 1,234 or 12,345,678.9: one to three digits, then groups of exactly three. */
const GROUPED = /\d{1,3}(?:,\d{3})+(?!\d|,\d)(?:\.\d*)?(?:[eE][+-]?\d+)?/y
const SUPERSCRIPTS = /⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/y
/** The x of 5x3. */
const TIMES = /^[xX][\d.]/
const FRACTIONS: Readonly<Record<string, string>> = { '½': '.5', '¼': '.25', '¾': '.75' }
const CURRENCIES = '$€£¥₹'

/** Look-alikes of the plain symbols. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '×': '*',
  '·': '*',
  '⋅': '*',
  '∙': '*',
  '∗': '*',
  '✕': '*',
  '✖': '*',
  '÷': '/',
  '∕': '/',
  '⁄': '/',
  '−': '-',
  '–': '-',
  '—': '-',
  '‐': '-',
  '‑': '-',
  '➕': '+',
  '➖': '-',
  '，': ',',
  '（': '(',
  '）': ')',
  '٪': '%',
}

/** What to say about characters that have a meaning elsewhere. */
const REFUSED: Readonly<Record<string, string>> = {
  '=': 'Assignments, equations and comparisons are not supported: give one expression and put the values in it.',
  '<': 'Comparisons are not supported: calculate the difference instead.',
  '>': 'Comparisons are not supported: calculate the difference instead.',
  '"': 'Text is not supported: give numbers only.',
  "'": 'Text is not supported: give numbers only.',
  '`': 'Text is not supported: give numbers only.',
  '[': 'Lists and matrices are not supported: pass several arguments instead, as in mean(1, 2, 3).',
  '{': 'Objects and sets are not supported: use round parentheses.',
  ';': 'Give one expression at a time.',
  '\n': 'Give one expression at a time, on one line.',
  ':': 'Ranges and clock times are not supported: write a ratio as a/b and a time as 1 h + 30 min.',
  '.': 'A point must be part of a number, such as 0.5; properties are not supported.',
  '\\': 'LaTeX is not supported: write sqrt(2), 3/4, 2*pi.',
  '|': 'Write an absolute value as abs(x); bit operations are not supported.',
  '∞': 'Infinity is not a number to calculate with: give a finite one.',
}

/** The error for what is wrong at one place. */
export function syntaxError(position: number, what: string): ToolError {
  return new ToolError(`Syntax error at position ${position + 1}: ${what}`)
}

/**
 * Splits what was typed into tokens. `takesList` says of a name before a parenthesis whether commas in there separate
 * its arguments; everywhere else they separate thousands.
 * @throws {ToolError} for a character that has no meaning, with its position
 */
export function tokenize(
  source: string,
  takesList: (name: string) => boolean,
  note: (line: string) => void,
): Token[] {
  const text = plainText(source)
  const tokens: Token[] = []
  const listInside: boolean[] = []
  let currency = ''
  let at = 0
  let end = 0
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const push = (kind: Token['kind'], value: string, length: number) => {
    const before = tokens.at(-1)
    if (value === '(') listInside.push(before?.kind === 'name' && takesList(before.text))
    if (value === ')') listInside.pop()
    tokens.push({ kind, text: value, start: at, spaced: at > end })
    at += length
    end = at
  }
  while (at < text.length) {
    const character = text[at]!
    const number = (listInside.at(-1) ? undefined : match(GROUPED)) ?? match(NUMBER)
    const fraction = FRACTIONS[text[at + (number?.length ?? 0)] ?? '']
    const name = number === undefined ? match(NAME) : undefined
    if (/[^\S\n]/.test(character)) at++
    else if (fraction !== undefined && /^\d*$/.test(number ?? ''))
      push('number', `${number ?? 0}${fraction}`, (number?.length ?? 0) + 1)
    else if (number !== undefined) push('number', number.replaceAll(',', ''), number.length)
    else if (TIMES.test(text.slice(at, at + 2)) && tokens.at(-1)?.kind === 'number' && at === end) {
      if (tokens.at(-1)?.text === '0')
        throw syntaxError(at, 'write numbers in base ten, and a product as 0 * 3.')
      push('symbol', '*', 1)
    } else if (name !== undefined) push('name', name, name.length)
    else if (CURRENCIES.includes(character)) {
      if (currency !== '' && currency !== character)
        throw syntaxError(at, 'two currencies cannot be mixed, there are no exchange rates here.')
      currency = character
      note(`The currency sign ${character} was left out.`)
      at++
    } else if (match(SUPERSCRIPTS) !== undefined) {
      const digits = match(SUPERSCRIPTS) ?? ''
      push('symbol', '^', 0)
      if (digits.startsWith('⁻')) push('symbol', '-', 0)
      push(
        'number',
        [...digits]
          .map(digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(digit))
          .filter(value => value >= 0)
          .join(''),
        digits.length,
      )
    } else if (text.startsWith('**', at)) push('symbol', '^', 2)
    else if (text.startsWith('->', at)) push('name', 'to', 2)
    else if (character === '→') push('name', 'to', 1)
    else if ('+-*/^!%(),√∛'.includes(character)) push('symbol', character, 1)
    else
      throw syntaxError(at, REFUSED[character] ?? `"${source[at]}" has no meaning here. Use + - * / ^ % ( ).`)
  }
  return tokens
}

/** Replaces look-alikes one for one, so that positions stay those of the source. */
function plainText(source: string): string {
  let text = ''
  for (let index = 0; index < source.length; index++) {
    const character = source[index]!
    const code = source.charCodeAt(index)
    const ascii = code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : character
    text += Object.hasOwn(LOOKALIKES, ascii) ? LOOKALIKES[ascii] : ascii
  }
  return text
}
