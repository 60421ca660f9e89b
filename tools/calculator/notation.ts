import { ToolError } from '../tool.ts'
import { resolveCall, resolveName, suggest } from './names.ts'
import table from './notation.json' with { type: 'json' }
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
const CALL = String.raw`(?:(?<![a-z_])(?!(?<=[\w)!%}] +)mod\b)(${NAME}))?\s*\(`
const GROUPED = String.raw`(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d|,\d)`
const MEASURE = String.raw`(${NUMBER}|\{.*?\})\s*([a-z_°µμ]+)`

/** The typed expression, rewritten into the syntax of mathjs's parser. */
export class Notation extends TracedText {
  readonly #note: (line: string) => void

  /** @throws {ToolError} for unsupported notation, with its position */
  constructor(typed: string, note: (line: string) => void) {
    super(typed)
    this.#note = note
    this.rewrite(/[！-～]/, ([one]) => one.normalize('NFKC'))
    this.rewrite(/[^ -~]/, ([one]) => table.lookalikes.find(like => like.includes(one))?.[0] ?? one)
    this.rewrite(/[^\S\n]/, () => ' ')
    const groups = /(?<![\w.,'])[1-9]\d{0,2}([ '_])\d{3}(?:\1\d{3})*(?!\1?\d|(?<=['_]\d{3})['_"])/
    this.rewrite(groups, ([typed, mark = '']) => typed.replaceAll(mark, ''))
    this.#rewriteAll(table.first)
    if (this.text === '') throw new ToolError('The expression is empty. Give one such as "15% of 240".')
    for (const [pattern, message] of Object.entries(table.refused)) this.refuse(pattern, message)
    this.#readNumbers()
    this.#readCommas()
    // `180 km / 60 km/h`: a slash with spaces divides by the whole rate after it.
    const rate = String.raw`(?<=\s/\s+|(?:÷|\bdivided by|\bover)\s*)${NUMBER}\s*(${NAME})/(${NAME})(?:\^\d)?(?![\w(/*^])`
    this.rewrite(rate, ([typed, above = '', below = '']) => {
      return findUnit(above) && findUnit(below) ? `{${typed}}` : typed
    })
    this.refuse(/(?<![\w)}!.%°]\s*)%/, 'a percent sign needs a number before it, as in 15%.')
    this.#rewriteAll(table.words)
    this.refuse(/(?<=[\d.)}'!] +|[)}'!])(?=\.?[\d{])/, MISSING)
    this.rewrite(String.raw`([√∛])\s*(\(|\{.*?\}|${NUMBER}|${NAME})`, ([, sign, what = '']) => {
      return `${sign === '√' ? ' sqrt(' : ' cbrt('}${what === '(' ? '' : `${what})`}`
    })
    this.refuse(/[√∛]/, 'put parentheses after the root sign: √(...).')
    this.#readCompounds()
    this.#readNames()
    this.rewrite(/[{}]/, ([brace]) => (brace === '{' ? '(' : ')'))
  }

  /** Internally `.*` is "of" and `'` is percent, since users can type neither. */
  #rewriteAll(rows: Readonly<Record<string, string>>): void {
    for (const [source, meaning] of Object.entries(rows))
      this.rewrite(source.replace('<VALUE>', VALUE).replace('<PERCENT>', PERCENT), match => {
        if (match[0] === '%' && meaning === ' mod ')
          this.#note('% between two values was taken as the remainder; write "10% of 3" for a share.')
        return meaning.replace(/\$(\d)/g, (_, group) => match[group] ?? '')
      })
  }

  #readNumbers(): void {
    this.rewrite(/[$€£¥₹]/, ([sign]) => {
      this.#note(`The currency sign ${sign} was left out.`)
      return ' '
    })
    this.rewrite(/(?<=(?:÷|\bdivided by|\bover) *)\d+\/\d+(?![\d./^%!])/, ([fraction]) => `{${fraction}}`)
    // `7 1/2`, and `1/2%`, which is half of one percent.
    const fraction = String.raw`([1-9]\d?)/([1-9]\d?)(?![\d.])`
    const mixed = String.raw`(?:(\d+) +|(?<![\w.)/^] *)(?=\d+/\d+ *${PERCENT}))${fraction}|(?:(\d+) ?)?([¼-¾⅐-⅞])`
    this.rewrite(mixed, ([typed, whole, above, below, integer, vulgar]) => {
      const [a, b] = vulgar?.normalize('NFKC').split('⁄') ?? [above, below]
      if (Number(a) >= Number(b)) return typed
      return whole || integer ? `{${whole || integer} + ${a} / ${b}}` : `{${a} / ${b}}`
    })
    this.rewrite(/⁻?[⁰¹²³⁴-⁹]+/, ([digits]) => `^${digits.normalize('NFKC').replace('−', '-')}`)
    for (const [pattern, line] of Object.entries(table.notes))
      if (new RegExp(pattern).test(this.text)) this.#note(line)
  }

  /** Commas separate thousands, except between the arguments of a function that takes several. */
  #readCommas(): void {
    const open: { minimum: number | undefined; index: number; commas: number; groups: string[] }[] = []
    this.rewrite(String.raw`${CALL}|\)|${GROUPED}|,`, match => {
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
      const position = this.place(index) + 1
      if (meaning === undefined)
        throw new ToolError(`Unknown name "${name.slice(0, 40)}" at position ${position}. ${suggest(name)}`)
      if (meaning.kind === 'function' && !call)
        throw this.error(index, `${name} is a function: write ${meaning.usage}.`)
      if (meaning.kind !== 'function' && call)
        throw this.error(index, `${name} is not a function: write ${name} * (...) for a product.`)
      return ` ${meaning.name}${call}`
    })
  }

  /** Turns 5 ft 3 in, 1d12h and 1 h 30 m into parenthesised sums. */
  #readCompounds(): void {
    this.rewrite(String.raw`(?<![\w.^])${MEASURE}(?:\s*(?:and\s+)?${MEASURE})+(?![\w(])`, ([typed]) => {
      const minutes = typed.replace(/(?<=h.*\d ?)m(?![a-z])|(?<=\d ?)m(?= ?[\d.]+ ?s)/gi, 'min')
      const all = [...minutes.matchAll(new RegExp(MEASURE, 'gi'))]
      const units = all.map(([, , name = '']) => findUnit(name))
      const isAlike = units.every(unit => unit && unit.kind === units[0]!.kind)
      const isSum = isAlike && all.length > 1 && new Set(units.map(unit => unit!.name)).size === all.length
      return isSum ? `(${all.map(([one]) => one).join(' + ')})` : typed
    })
    this.rewrite(String.raw`(${NAME})\s+(?=\.?\d|\{)`, ({ 0: typed, 1: name = '', index }) => {
      if (findUnit(name) === undefined) return typed
      throw this.error(index + typed.length, MISSING)
    })
  }
}
