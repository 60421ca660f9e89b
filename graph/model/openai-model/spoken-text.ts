import { isObject, parseJson, toText } from '../../json.ts'

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
    while (this.#closing !== undefined || this.#readStart()) {
      const { text, isFound } = this.#takeUntil(this.#closing ?? (this.#mayCall ? CALL : undefined))
      if (this.#closing === undefined) answer += text
      else this.#keep(text)
      if (!isFound) break
      if (this.#closing === undefined) this.#enter(CALL)
      else {
        this.#closing = undefined
        this.#isBehindTag = true
      }
    }
    return answer
  }

  /** @returns the rest of the answer */
  end(): string {
    const rest = this.#waiting
    this.#waiting = ''
    if (this.#closing === undefined) return rest
    this.#keep(rest)
    return ''
  }

  /** @returns the reasoning since the last call */
  takeReasoning(): string {
    const reasoning = this.#reasoning
    this.#reasoning = ''
    return reasoning
  }

  /**
   * Skips white space behind a tag and enters reasoning at the start.
   *
   * @returns whether it is clear how the text goes on
   */
  #readStart(): boolean {
    if (this.#isBehindTag) this.#waiting = this.#waiting.trimStart()
    const start = this.#waiting.trimStart()
    if (this.#isBehindTag && start === '') return false
    this.#isBehindTag = false
    if (!this.#isAtStart) return true
    const tag = THINK.find(tag => start.startsWith(tag))
    if (tag) {
      this.#waiting = start.slice(tag.length)
      this.#enter(tag)
    } else if (THINK.some(tag => tag.startsWith(start))) return false
    else this.#isAtStart = false
    return true
  }

  /** Takes the text before a tag and drops the tag; while it has not come, takes all that cannot be its beginning. */
  #takeUntil(tag: string | undefined): { text: string; isFound: boolean } {
    const at = tag === undefined ? -1 : this.#waiting.indexOf(tag)
    const isFound = tag !== undefined && at >= 0
    const end = isFound ? at : this.#waiting.length - overlap(this.#waiting, tag ?? '')
    const text = this.#waiting.slice(0, end)
    this.#waiting = this.#waiting.slice(isFound ? at + tag.length : end)
    return { text, isFound }
  }

  #enter(tag: string): void {
    this.#closing = tag.replace('<', '</')
    if (tag === CALL) this.calls.push('')
  }

  #keep(inside: string): void {
    if (this.#closing === '</tool_call>') this.calls.push(this.calls.pop() + inside)
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
  const tagged = /^\s*<function=([^>]+)>(.*)$/s.exec(text)
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
  if (!isObject(call)) return { name: '', args: text.trim() }
  const { name = '', arguments: given, parameters = {} } = call
  return { name: String(name), args: toText(given ?? parameters) }
}
