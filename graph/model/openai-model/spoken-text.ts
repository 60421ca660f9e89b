import { isObject, parseJson } from '../../json.ts'

const THINK = ['<think>', '<thinking>'] as const
const CALL = '<tool_call>'

/**
 * Splits a model's text, as it arrives, into the answer, reasoning between `<think>` tags at the start, and tool calls
 * written between `<tool_call>` tags instead of being made.
 */
export class SpokenText {
  /** The text between the tags of each call. */
  readonly calls: string[] = []
  readonly #mayCall: boolean
  #reasoning = ''
  #waiting = ''
  /** The tag that closes the current section; `undefined` in the answer. */
  #closing: string | undefined
  #isAtStart = true
  #isBehindTag = false

  /** @param mayCall whether tools were offered; if not, `<tool_call>` is ordinary text */
  constructor(mayCall: boolean) {
    this.#mayCall = mayCall
  }

  /** @returns the text that certainly belongs to the answer */
  add(piece: string): string {
    this.#waiting += piece
    let answer = ''
    for (let before = -1; before !== this.#waiting.length; ) {
      before = this.#waiting.length
      answer += this.#closing === undefined ? this.#readAnswer() : this.#readInside(this.#closing)
    }
    return answer
  }

  /** @returns the rest of the answer */
  end(): string {
    const rest = this.#waiting
    this.#waiting = ''
    if (this.#closing === undefined) return rest
    this.#take(this.#closing, rest)
    return ''
  }

  /** @returns the reasoning since the last call */
  takeReasoning(): string {
    const reasoning = this.#reasoning
    this.#reasoning = ''
    return reasoning
  }

  #readAnswer(): string {
    if (this.#isBehindTag) {
      this.#waiting = this.#waiting.trimStart()
      if (this.#waiting === '') return ''
      this.#isBehindTag = false
    }
    if (this.#isAtStart) {
      const start = this.#waiting.trimStart()
      const tag = THINK.find(tag => start.startsWith(tag))
      if (tag) return this.#enter(tag, start.slice(tag.length), '')
      if (THINK.some(tag => tag.startsWith(start))) return ''
      this.#isAtStart = false
    }
    const at = this.#mayCall ? this.#waiting.indexOf(CALL) : -1
    if (at >= 0) return this.#enter(CALL, this.#waiting.slice(at + CALL.length), this.#waiting.slice(0, at))
    const known = this.#waiting.length - (this.#mayCall ? overlap(this.#waiting, CALL) : 0)
    const answer = this.#waiting.slice(0, known)
    this.#waiting = this.#waiting.slice(known)
    return answer
  }

  #enter(tag: string, inside: string, answer: string): string {
    this.#closing = tag.replace('<', '</')
    this.#waiting = inside
    return answer
  }

  #readInside(closing: string): string {
    const end = this.#waiting.indexOf(closing)
    if (end < 0) {
      if (closing !== '</tool_call>') {
        const known = this.#waiting.length - overlap(this.#waiting, closing)
        this.#reasoning += this.#waiting.slice(0, known)
        this.#waiting = this.#waiting.slice(known)
      }
      return ''
    }
    this.#take(closing, this.#waiting.slice(0, end))
    this.#waiting = this.#waiting.slice(end + closing.length)
    this.#closing = undefined
    this.#isBehindTag = true
    return ''
  }

  #take(closing: string, inside: string): void {
    if (closing === '</tool_call>') this.calls.push(inside.trim())
    else this.#reasoning += inside
  }
}

/** How many characters at the end of the text may start a tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(tag.slice(0, length))) return length
  return 0
}

/** The name and arguments of a written call: JSON, or function and parameter tags. */
export function readWrittenCall(text: string): { readonly name: string; readonly args: string } {
  const tagged = /^<function=([^>]+)>(.*)$/s.exec(text)
  if (tagged) {
    const [, name = '', inside = ''] = tagged
    const params = inside.matchAll(/<parameter=([^>]+)>(.*?)<\/parameter>/gs)
    const args = [...params].map(([, key = '', value = '']) => {
      const parsed = parseJson(value)
      return [key.trim(), parsed === undefined ? value.trim() : parsed]
    })
    return { name: name.trim(), args: JSON.stringify(Object.fromEntries(args)) }
  }
  const call = parseJson(text)
  if (!isObject(call)) return { name: '', args: text }
  const { name = '', arguments: given, parameters = {} } = call
  return { name: String(name), args: typeof given === 'string' ? given : JSON.stringify(given ?? parameters) }
}
