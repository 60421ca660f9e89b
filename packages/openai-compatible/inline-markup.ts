import { isObject, parseJson, toText } from '@agent-task-service/untrusted/json'
import type { CallOptions } from './request.ts'

const THINK = ['<think>', '<thinking>'] as const
const CALL = '<tool_call>'
/** How a reply begins, without white space, that may be nothing but a call in JSON. */
const JSON_CALLS = ['{"name":', '```{"name":', '```json{"name":', '```tool_call{"name":']
/** Longest beginning that is compared with these, in characters. */
const JSON_CALL_START = 100

/**
 * Splits a model's text, as it arrives, into the answer, reasoning between `<think>` tags at the start, and tool calls
 * that were written instead of being made: between `<tool_call>` tags, or as JSON that is all of the answer, in a fence or not.
 */
export class InlineMarkupParser {
  /** The text between the tags of each call. */
  readonly calls: string[] = []
  readonly #mayCall: boolean
  readonly #tools: readonly string[]
  #reasoning = ''
  #waiting = ''
  /** White space at the start: part of the answer, unless reasoning follows. */
  #space = ''
  /** The pieces of what may be a call in JSON, kept apart, since joining each with what came before takes time. */
  #jsonCall: string[] | undefined
  /** The tag that closes the current section; `undefined` in the answer. */
  #closing: string | undefined
  #isAtStart = true
  #isBehindTag = false
  #hasAnswer = false

  /**
   * @param mayCall whether tools were offered; if not, `<tool_call>` is ordinary text
   * @param tools names of those that the model may call now; of no other, JSON is a call
   */
  constructor(mayCall: boolean, tools: readonly string[] = []) {
    this.#mayCall = mayCall
    this.#tools = tools
  }

  /** @returns the text that certainly belongs to the answer */
  add(piece: string): string {
    if (this.#jsonCall) {
      this.#jsonCall.push(piece)
      return ''
    }
    this.#waiting += piece
    let answer = ''
    while (this.#closing !== undefined || this.#readStart()) {
      if (this.#closing === undefined && this.#mayBeJsonCall()) break
      const { text, isFound } = this.#takeUntil(this.#closing ?? (this.#mayCall ? CALL : undefined))
      if (this.#closing === undefined) answer += text
      else this.#addToSection(text)
      this.#hasAnswer ||= answer !== ''
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
    if (this.#jsonCall) {
      const text = this.#jsonCall.join('')
      this.#jsonCall = undefined
      const call = jsonCallIn(text, this.#tools)
      this.#hasAnswer = true
      if (call === undefined) return this.add(text) + this.end()
      this.calls.push(call)
    }
    const rest = this.#space + this.#waiting
    this.#waiting = ''
    this.#space = ''
    if (this.#closing === undefined) return rest
    this.#addToSection(rest)
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
    if (!this.#isAtStart && !this.#isBehindTag) return true
    const start = this.#waiting.trimStart()
    if (!this.#isBehindTag) this.#space += this.#waiting.slice(0, this.#waiting.length - start.length)
    this.#waiting = start
    if (start === '') return false
    this.#isBehindTag = false
    if (!this.#isAtStart) return true
    const tag = THINK.find(tag => start.startsWith(tag))
    if (tag) {
      this.#waiting = start.slice(tag.length)
      this.#space = ''
      this.#enter(tag)
    } else if (THINK.some(tag => tag.startsWith(start))) return false
    else {
      this.#isAtStart = false
      this.#waiting = this.#space + start
      this.#space = ''
    }
    return true
  }

  /** Whether all that came of the answer may begin a call in JSON. Once it does, all of the answer is kept for the end. */
  #mayBeJsonCall(): boolean {
    if (this.#hasAnswer || this.#tools.length === 0) return false
    const start = this.#waiting.slice(0, JSON_CALL_START).replace(/\s/g, '')
    const isCall = JSON_CALLS.some(call => start.startsWith(call))
    if (!isCall)
      return this.#waiting.length < JSON_CALL_START && JSON_CALLS.some(call => call.startsWith(start))
    this.#jsonCall = [this.#waiting]
    this.#waiting = ''
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

  #addToSection(inside: string): void {
    if (this.#closing === '</tool_call>') this.calls.push(this.calls.pop() + inside)
    else this.#reasoning += inside
  }
}

/** The call that the answer is, without its fence; `undefined` if it is no call of these tools. */
function jsonCallIn(answer: string, tools: readonly string[]): string | undefined {
  const text = answer.trim()
  const isFenced = text.startsWith('```') && text.endsWith('```')
  const inside = isFenced ? text.slice(text.indexOf('{'), -'```'.length) : text
  const call = parseJson(inside)
  if (!isObject(call) || !tools.includes(String(call.name))) return undefined
  return isObject(call.arguments ?? call.parameters) ? inside : undefined
}

/** For the reply to a call with these options. */
export function inlineMarkupParserFor({ tools = [], tool_choice }: CallOptions): InlineMarkupParser {
  const names = tools.map(({ function: { name } }) => name)
  return new InlineMarkupParser(tools.length > 0, tool_choice === 'none' ? [] : names)
}

/** How many characters at the end of the text may start a tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(tag.slice(0, length))) return length
  return 0
}

/** The name and arguments of a call in the text: JSON, or function and parameter tags. */
export function parseInlineCall(text: string): { readonly name: string; readonly args: string } {
  const tagged = /^\s*<function=([^>]+)>(.*)$/s.exec(text)
  if (tagged) {
    const [, name = '', inside = ''] = tagged
    const args = parametersIn(inside).map(([key, value]) => {
      const parsed = parseJson(value)
      return [key.trim(), parsed === undefined ? value.trim() : parsed]
    })
    return { name: name.trim(), args: JSON.stringify(Object.fromEntries(args)) }
  }
  const call = parseJson(text)
  if (!isObject(call)) return { name: '', args: text.trim() }
  const { name = '', arguments: args, parameters = {} } = call
  return { name: String(name), args: toText(args ?? parameters) }
}

const [PARAMETER, PARAMETER_END] = ['<parameter=', '</parameter>']

/** The names and values of `<parameter=name>value</parameter>`. */
function parametersIn(text: string): [name: string, value: string][] {
  const found: [string, string][] = []
  for (let start = text.indexOf(PARAMETER); start >= 0; ) {
    const name = start + PARAMETER.length
    const nameEnd = text.indexOf('>', name)
    const end = nameEnd < 0 ? -1 : text.indexOf(PARAMETER_END, nameEnd)
    if (end < 0) break
    if (nameEnd > name) found.push([text.slice(name, nameEnd), text.slice(nameEnd + 1, end)])
    start = text.indexOf(PARAMETER, nameEnd > name ? end : name)
  }
  return found
}
