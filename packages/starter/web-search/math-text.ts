import { Parser } from 'htmlparser2'
import { indexOf, pieceOf } from './raised-text.ts'

/** What repeats a formula in another notation, or is not shown. */
const UNSHOWN = /^(?:annotation|annotation-xml|mphantom)$/
const OPERATORS = /^[=+\-−×·÷±∓<>≤≥≈≠≡∼∝∈→⇒⇔∧∨∪∩]$/
/** Application, multiplication, separation and addition that show nothing. */
const INVISIBLE = /[\u2061-\u2064]/g
/** How thick a fraction's line is that stands for a binomial. */
const NO_LINE = /^\s*0(?:\.0{1,9})?(?:[a-z]{2}|%)?\s*$/
const MAX_ALTERNATIVE = 500
/** Longest formula, in characters. */
const MAX_LENGTH = 5_000
/** What stands deeper says nothing: each level writes anew what is in it. */
const MAX_DEPTH = 100

/** Of an element, by name. */
export type Attributes = Readonly<Record<string, string>>

interface OpenElement {
  readonly name: string
  readonly attributes: Attributes
  readonly isUnshown: boolean
  /** What its children say, in their order. */
  readonly parts: string[]
  text: string
}

/** Collects a formula in MathML as its elements are parsed, and says it in a line: `E = mc^2`. */
export class MathText {
  readonly #open: OpenElement[] = []
  #length = 0

  open(name: string, attributes: Attributes): void {
    const isUnshown = this.#open.length > MAX_DEPTH || this.#open.at(-1)?.isUnshown || UNSHOWN.test(name)
    this.#open.push({ name, attributes, isUnshown, parts: [], text: '' })
  }

  write(text: string): void {
    const element = this.#open.at(-1)
    this.#length += text.length
    if (element && !element.isUnshown && this.#length <= MAX_LENGTH) element.text += text
  }

  /** Returns the formula when it is whole. */
  close(): string | undefined {
    const element = this.#open.pop()
    if (!element) return ''
    const text = element.isUnshown ? '' : wordsOf(element)
    const outer = this.#open.at(-1)
    if (!outer) return text || (element.attributes.alttext ?? '').slice(0, MAX_ALTERNATIVE)
    outer.parts.push(text)
    return undefined
  }

  /** The formula as far as it has come, if its page ends. */
  end(): string {
    for (;;) {
      const text = this.close()
      if (text !== undefined) return text
    }
  }
}

function wordsOf({ name, attributes, parts, text }: OpenElement): string {
  const own = text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim()
  if (parts.length === 0) return tokenOf(name, own)
  const [first = '', second = '', third = ''] = parts
  switch (name) {
    case 'msup':
    case 'mover':
      return `${indexOf(first)}^${pieceOf(second)}`
    case 'msub':
    case 'munder':
      return `${indexOf(first)}_${indexOf(second)}`
    case 'msubsup':
    case 'munderover':
      return `${indexOf(first)}_${indexOf(second)}^${pieceOf(third)}`
    case 'mfrac':
      return NO_LINE.test(attributes.linethickness ?? '')
        ? `binom(${first.trim()}, ${second.trim()})`
        : `${pieceOf(first)}/${pieceOf(second)}`
    case 'msqrt':
      return `√(${joined(parts)})`
    case 'mroot':
      return `(${first.trim()})^(1/${pieceOf(second)})`
    case 'mfenced':
      return `${(attributes.open ?? '(').charAt(0)}${parts.join(', ')}${(attributes.close ?? ')').charAt(0)}`
    case 'mtr':
    case 'mlabeledtr':
      return parts.join(', ')
    case 'mtable':
      return parts.join('; ')
    case 'mmultiscripts':
      return parts.join(' ')
    default:
      return joined([own, ...parts])
  }
}

/** Operators and names of more than a letter stand apart from what is beside them. */
function tokenOf(name: string, text: string): string {
  if (name === 'mspace') return ' '
  const isApart =
    name === 'mo' ? OPERATORS.test(text) : name === 'mtext' || (name === 'mi' && text.length > 1)
  return isApart ? ` ${text} ` : text
}

/** Side by side, but no number runs into what is before it, and nothing into what stands high or low. */
function joined(parts: readonly string[]): string {
  let text = ''
  let last = ''
  for (const part of parts) {
    const isScript = /[\^_]\S*$/.test(last) && /^\p{L}/u.test(part)
    const isRunning = /[\p{L}\p{N}]$/u.test(last) && /^\p{N}/u.test(part)
    text += isScript || isRunning ? ` ${part}` : part
    if (part !== '') last = part.slice(-40)
  }
  return text
}

/** Puts formulas inside a text of markup in words. */
export function withMathAsText(markup: string): string {
  let text = ''
  let from = 0
  for (;;) {
    const start = markup.indexOf('<math', from)
    const end = start < 0 ? -1 : markup.indexOf('</math>', start)
    if (end < 0) return text + markup.slice(from)
    text += `${markup.slice(from, start)} ${mathIn(markup.slice(start, end + 7))} `
    from = end + 7
  }
}

function mathIn(markup: string): string {
  const math = new MathText()
  let text = ''
  const parser = new Parser({
    onopentag: (name, attributes) => math.open(name, attributes),
    ontext: written => math.write(written),
    onclosetag: () => {
      text += math.close() ?? ''
    },
  })
  parser.end(markup)
  return text
}
