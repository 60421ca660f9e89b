import { ToolError } from '../tool.ts'
import { resolveCall, resolveName, suggest } from './names.ts'
import { TracedText } from './traced-text.ts'
import { findUnit } from './units.ts'

const COMMA = 'a comma separates groups of three digits (1,234.5) or arguments; write decimals with a point.'
const MISSING = 'an operator is missing before this number.'
/** The parser uses about twenty stack frames per open parenthesis. */
const DEEPEST = 50

const NUMBER = String.raw`(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`
const NAME = String.raw`[a-z_°µμΩ\u0370-\u03ff][\w°Ω\u0370-\u03ff]*`
const VALUE = String.raw`\s*(?!(?:plus|minus|times|per|over|of|mod|to|in|into|as|x|squared|cubed|divided|multiplied|added)\b)(?:[\d.({√∛]|${NAME})`
/** A percent sign or word, rather than a remainder. */
const PERCENT = String.raw`(?:\bpercent\b|\bpct\b|\bper\scent\b|%(?!${VALUE}))`
const GROUPED = String.raw`(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d|,\d)`
const MEASURE = String.raw`(${NUMBER}|\{.*?\})\s*(${NAME})`
const VULGAR = '½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞'
/** Each ASCII sign, followed by its look-alikes but for the fullwidth ones. */
const LOOKALIKES = '*×·⋅∙∗✕✖ /∕⁄ -−–—‐‑➖ +➕ %٪ \'’′ "”″'.split(' ')

/** Notation that has no meaning here, with its error message. */
const REFUSED = table(String.raw`
  [=<]|(?<!-)>       Assignments, equations and comparisons are not supported: give one expression with its values.
  ["'\x60]           Text is not supported: give numbers only.
  \[                 Lists and matrices are not supported: pass several arguments instead, as in mean(1, 2, 3).
  \\                 LaTeX is not supported: write sqrt(2), 3/4, 2*pi.
  \{                 Objects and sets are not supported: use round parentheses.
  [;\n]              Give one expression at a time, on one line.
  :                  Ranges and clock times are not supported: write a ratio as a/b and a time as 1 h + 30 min.
  \d\.\d+\.\d          a number has one decimal point; write thousands with commas: 1,000,000.
  (?<!\d)\.(?!\d)    A point must be part of a number, such as 0.5; properties are not supported.
  \|                 Write an absolute value as abs(x); bit operations are not supported.
  ∞                  Infinity is not supported: give a finite number.
  (?<![\d.])0x       write numbers in base ten, and a product as 0 * 3.
  \b\d{4}-(?:0\d|1[0-2])-[0-3]\d\b|(?<![\d./])\d\d?/\d\d?/(?:19|20)\d\d\b(?!\.) dates are not supported; write a division with spaces: 12 / 31 / 2024.
  //                 write floor(a / b) for a whole quotient.
  (?:[-+]\s*){11}    too many signs in a row.
  !\s*!              write (n!)! for a repeated factorial.
  [^\w\s.+\-*/^!%(),√∛÷${VULGAR}⁰¹²³⁴-⁹⁻→>°µμΩ$€£¥₹\u0370-\u03ff] this has no meaning here. Use + - * / ^ % ( ).
  [$€£¥₹]\s*[\d.,]+\s*(?:k|m|b|bn)\b   Write out thousand, million or billion after an amount of money.
  (?<=([$€£¥₹]).*)(?!\1)[$€£¥₹]   two currencies cannot be mixed: there are no exchange rates here.`)

/** Words and signs, with what they mean. Internally `.*` is "of" and `'` is percent, since users can type neither. */
const WORDS = table(String.raw`
  \*\*                                      ^
  (?<=[\d}]\s*)in\b(?!${VALUE})            inch
  (?<=\b(?:sq|cu|square|cubic|to|into|as|(?<!\b(?:sq|cu|square|cubic)\s+)in)\s+)in\b inch
  ->|→|\b(?:in|into|as)\b                   to
  (?<=\bto\s*)%                             percent
  (?<!\bto\s*)${PERCENT} '
  %|\bmodul(?:o|us)\b                      mod
  \bplus\b|\badded\s+to\b                   +
  (?<=[\d)])\s+factorial\b                 !
  \bminus\b|\bnegative\s+(?=[\d.(])         -
  \btimes\b|\bmultiplied\s+(?:by|with)\b     *
  \s*\bsquared\b                            ^2
  \s*\bcubed\b                              ^3
  ÷|\b(?:per|over|divided\s+by)\b           /
  \bof\b                                    .*
  (?<=\d)x(?=[\d.])|(?<=[\w)}!'°]\s*)\bx\b   *
  (?<=(?:\d|\bdeg(?:rees?)?|°)\s*)c(?=\s+to\b)|(?<=\bto\s+)c\s*$   degC
  (?<=(?:\d|\bdeg(?:rees?)?|°)\s*)f(?=\s+to\b)|(?<=\bto\s+)f\s*$   degF
  \bus\s+(?!to\b)(?=[a-z]{2})
  \b(?:imp(?:erial)?|uk|british)\s+(?!to\b)([a-z]{2,})   imperial_$1
  \bL(?:iters?|itres?)?\s*/\s*100\s*(?:km|kilomet(?:er|re)s?)\b   L_per_100km`)

function table(text: string): [pattern: RegExp, meaning: string][] {
  const rows = [...text.matchAll(/^ *(\S+) *(.*)$/gm)]
  return rows.map(([, pattern = '', meaning = '']) => [new RegExp(pattern, 'gi'), meaning])
}

/** The typed expression, rewritten into the syntax of mathjs's parser. */
export class Notation extends TracedText {
  readonly #note: (line: string) => void

  /** @throws {ToolError} for unsupported notation, with its position */
  constructor(typed: string, note: (line: string) => void) {
    super(typed)
    this.#note = note
    this.rewrite(/[！-～]/, ([one]) => one.normalize('NFKC'))
    this.rewrite(/[^\S\n]/, () => ' ')
    this.rewrite(/[^ -~]/, ([one]) => LOOKALIKES.find(like => like.includes(one))?.[0] ?? one)
    this.rewrite(
      /^\s*(?:=|what is |what's |calculate |compute |evaluate |convert |how much is )?\s*|[\s=?]+$/,
      () => '',
    )
    if (this.text === '') throw new ToolError('The expression is empty. Give one such as "15% of 240".')
    this.rewrite(/(?<![\w.,'])[1-9]\d{0,2}(['_])\d{3}(?:\1\d{3})*(?!['_"\d])/, ([typed, mark = '']) =>
      typed.replaceAll(mark, ''),
    )
    this.rewrite(/(?<=\d) ?° ?(\d[\d.]*)'(?: ?(\d[\d.]*)(?:"|''))?/, ([, minutes, seconds]) => {
      return ` deg ${minutes} arcmin ${seconds ? `${seconds} arcsec ` : ''}`
    })
    this.rewrite(/(?<=\d)(?:(')|"|'')(?=$|[\s\d)+\-*/,])/, ([, foot]) => (foot ? ' ft ' : ' inch '))
    // `5 fl. oz. to mL`
    this.rewrite(/(?<=[a-z]{2})\.(?![\w(])/, () => ' ')
    for (const [pattern, message] of REFUSED) this.refuse(pattern, message)
    // In `1 Mb to kb` both are bits; elsewhere `kb`, like `mb` and `gb`, is loosely written for bytes.
    if (/\d ?[MGT]b\b|to [MGT]b\b/.test(this.text))
      this.rewrite(/(?<![a-z])kb\b/, ([typed]) => (typed === 'kb' ? 'kbit' : typed))
    this.#readNumbers()
    this.#readCommas()
    // `180 km / 60 km/h`: a slash with spaces divides by the whole rate after it.
    const rate = String.raw`${NUMBER}\s*(${NAME})/(${NAME})(?:\^\d)?(?![\w(/*^])`
    this.rewrite(
      String.raw`(?<=\s/\s+|\bdivided by\s+|\bover\s+)${rate}`,
      ([typed, above = '', below = '']) => (findUnit(above) && findUnit(below) ? `{${typed}}` : typed),
    )
    this.refuse(/(?<![\w)}!.%°]\s*)%/, 'a percent sign needs a number before it, as in 15%.')
    for (const [pattern, sign] of WORDS)
      this.rewrite(pattern, match => {
        if (sign === 'mod' && match[0] === '%')
          note('% between two values was taken as the remainder; write "10% of 3" for a share.')
        return ` ${sign.replace(/\$(\d)/g, (_, group) => match[group] ?? '')} `
      })
    this.refuse(/(?<=[\d.)}'!] +|[)}'!])(?=\.?[\d{])/, MISSING)
    this.rewrite(String.raw`([√∛])\s*(\(|\{.*?\}|${NUMBER}|${NAME})`, ([, sign, what = '']) => {
      return `${sign === '√' ? ' sqrt(' : ' cbrt('}${what === '(' ? '' : `${what})`}`
    })
    this.refuse(/[√∛]/, 'put parentheses after the root sign: √(...).')
    // `1d12h` and `1h 30m`, where m is the minute.
    this.rewrite(/(?<![\w.])\d[\d.]* ?[a-z]+(?: ?\d[\d.]* ?[a-z]+)+(?![\w(])/, ([typed]) => {
      const spaced = typed
        .replace(/ ?([a-z]+) ?/gi, ' $1 ')
        .replace(/(?<= h .*) m | m (?=\S+ s(?:ec)? )/i, ' min ')
      return [...spaced.matchAll(/[a-z]+/gi)].every(([name]) => findUnit(name)) ? spaced : typed
    })
    this.#readNames()
    this.#readCompounds()
    this.rewrite(/[{}]/, ([brace]) => (brace === '{' ? '(' : ')'))
  }

  #readNumbers(): void {
    this.rewrite(/[$€£¥₹]/, ([sign]) => {
      this.#note(`The currency sign ${sign} was left out.`)
      return ' '
    })
    this.rewrite(/(?<=(?:÷|\bdivided by|\bover) *)\d+\/\d+(?![\d./^%!])/, ([fraction]) => `{${fraction}}`)
    if (/ \/ +\d+\/\d+(?![\d./^%!])/.test(this.text))
      this.#note('a / b/c was read as (a / b) / c; write a / (b/c) to divide by a fraction.')
    // `7 1/2`, and `1/2%`, which is half of one percent.
    const fraction = String.raw`([1-9]\d?)/([1-9]\d?)(?![\d.])`
    const mixed = String.raw`(?:(\d+) +|(?<![\w.)/^] *)(?=\d+/\d+ *${PERCENT}))${fraction}|(?:(\d+) ?)?([${VULGAR}])`
    this.rewrite(mixed, ([typed, whole, above, below, integer, vulgar]) => {
      const [a, b] = vulgar?.normalize('NFKC').split('⁄') ?? [above, below]
      if (Number(a) >= Number(b)) return typed
      const sum = whole || integer ? `${whole || integer} + ${a} / ${b}` : `${a} / ${b}`
      return `{${sum}}`
    })
    this.rewrite(/⁻?[⁰¹²³⁴-⁹]+/, ([digits]) => `^${digits.normalize('NFKC').replace('−', '-')}`)
    this.rewrite(/(?<![\w.,])[1-9]\d{0,2}(?: \d{3})+(?!\d| \d)/, ([digits]) => digits.replaceAll(' ', ''))
  }

  /** Commas separate thousands, except between the arguments of a function that takes several. */
  #readCommas(): void {
    const open: { minimum: number | undefined; index: number; commas: number; groups: string[] }[] = []
    this.rewrite(String.raw`(${NAME})?\s*\(|\)|${GROUPED}|,`, match => {
      const { 0: token, 1: name = '', index } = match
      const list = open.at(-1)?.minimum === undefined ? undefined : open.at(-1)
      if (token.endsWith('(')) {
        const meaning = resolveCall(name)
        const minimum = meaning?.kind === 'function' && meaning.maximum > 1 ? meaning.minimum : undefined
        if (open.push({ minimum, index: index + token.length - 1, commas: 0, groups: [] }) > DEEPEST)
          throw this.error(index, `parentheses may be nested ${DEEPEST} deep at most.`)
      } else if (token === ')') {
        if (open.pop() === undefined) throw this.error(index, 'this parenthesis was never opened.')
        // gcd(12,180) needs both; max(1,500) does not.
        for (const group of list && list.commas + 1 >= list.minimum! ? list.groups : [])
          this.#note(`${group} was taken as several arguments; for one number, leave out its commas.`)
      } else if (list) {
        if (token === ',') list.commas++
        else list.groups.push(token)
      } else if (/^[1-9]/.test(token)) return token.replaceAll(',', '')
      else if (open.length === 0) throw this.error(index, COMMA)
      return token
    })
    const unclosed = open.at(-1)
    if (unclosed !== undefined) throw this.error(unclosed.index, 'this parenthesis is never closed.')
  }

  #readNames(): void {
    this.rewrite(/([a-z]*)-(?=([a-z]+))/, ([typed, first = '', second = '']) => {
      const isUnit = findUnit(second) || findUnit(`${first}_${second}`)
      const isJoint = first ? findUnit(first) || first === 'light' : /\d/.test(this.text)
      return isUnit && isJoint ? `${first} ` : typed
    })
    // Units of several words, and m3.
    this.rewrite(/(?:degrees?|deg|°) *([a-z]+)/, ([typed, scale = '']) => {
      const unit = findUnit(scale)
      return unit?.kind === findUnit('K')?.kind ? ` ${unit?.name} ` : typed
    })
    const powers = /\b(?:(sq)(?:uare)?|cu(?:bic)?) +([a-z]+)|(?<![a-z_])(?!d\d)([a-z]+)([23])(?![\w(])/
    this.rewrite(powers, ([typed, square, base, name = '', power = square ? 2 : 3]) => {
      const unit = resolveName(typed) ? undefined : findUnit(base ?? name)
      return unit ? `${unit.name}^${power}` : typed
    })
    this.rewrite(/\b(?!to\b)([a-z_]+) +(?!to\b)([a-z]{2,})/, ([typed, first, second]) => {
      return findUnit(`${first}_${second}`)?.name ?? typed
    })
    const names = String.raw`(?<![a-z_])(?!(?<=[\d.])e[+-]?\d)(${NAME})(\s*\()?`
    this.rewrite(names, ({ 1: name = '', 2: call = '', index }) => {
      const word = name.toLowerCase()
      if (word === 'to' || (word === 'mod' && !call && index > 1)) return word
      const meaning = call ? resolveCall(name) : resolveName(name)
      const shown = name.length > 40 ? `${name.slice(0, 40)}...` : name
      if (meaning === undefined)
        throw new ToolError(`Unknown name "${shown}" at position ${this.place(index) + 1}. ${suggest(name)}`)
      if (meaning.kind === 'function' && !call)
        throw this.error(index, `${name} is a function: write ${meaning.usage}.`)
      if (meaning.kind !== 'function' && call)
        throw this.error(index, `${name} is not a function: write ${name} * (...) for a product.`)
      return ` ${meaning.name}${call}`
    })
  }

  /** Turns 5 ft 3 in and 1 h 30 min into parenthesised sums. */
  #readCompounds(): void {
    this.rewrite(String.raw`(?<![\w.^])${MEASURE}(?:\s+${MEASURE})+`, ([typed]) => {
      const all = [...typed.matchAll(new RegExp(MEASURE, 'gi'))]
      const kinds = new Set(all.map(([, , name = '']) => findUnit(name)?.kind))
      return kinds.size === 1 && !kinds.has(undefined) ? `(${all.map(([one]) => one).join(' + ')})` : typed
    })
    this.rewrite(String.raw`(${NAME})\s+(?=\.?\d|\{)`, ({ 0: typed, 1: name = '', index }) => {
      if (findUnit(name) === undefined) return typed
      throw this.error(index + typed.length, MISSING)
    })
  }
}
