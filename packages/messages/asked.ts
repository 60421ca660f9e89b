import { membersOf, parseExactJson } from '@agent-task-service/wire/untrusted'
import type { BaseMessage, ToolMessage } from '@langchain/core/messages'
import { plainText } from './message-text.ts'
import { inAscii, nextMark, withPlainMarks } from './text/marks.ts'
import type { WrittenCall } from './written-call.ts'

/** What this service itself tells a model of a call that went wrong; everything else in a tool's result is foreign. */
const OWN_WORDS = /Call it as [\w-]+\(.*$/gm
/** A character as JSON, HTML or a URL escapes it. */
const ESCAPED =
  /\\u([\dA-Fa-f]{4})|&#x([\dA-Fa-f]{1,5});|%(0[AaDd]|[2-7][\dA-Fa-f])|&#(\d{1,6});|&(lt|gt|quot);/g
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"' }

/** Where a tool is called: what stands before its name, and what behind it. */
const PLACES: readonly { readonly before?: RegExp; readonly after?: RegExp }[] = [
  // A member or an attribute: {"name": "pay, tool = "pay
  {
    before:
      /\b(?:(?:tool|function|recipient)(?:_?name)?|name|action|type)["']?\s*[:=]\s*["'`](?:[\w-]+[.:/])*$/i,
  },
  // A mark that says call, or one that is open: <tool_call>pay, [TOOL_CALLS]pay, <function=pay
  {
    before:
      /[<[][^<>[\]\n]{0,100}(?:tool|func|invoke|call|action|sep|plugin)[^<>[\]\n]{0,100}(?:[>\]]\s*|[="'\s])(?:[\w-]+[.:])*$/i,
  },
  { before: /(?:\bto=|\bcall:\s*|>>>)(?:[\w-]+[.:])*$/i },
  { before: /\bAction:\W{0,4}$/i, after: /^\W{0,4}\s*Action Input:/i },
  // Its arguments: pay(, pay {, {"pay": {, <pay><to>, pay[ARGS], pay:0
  { after: /^\(\s*(?:[)"'\d{[-]|\w+\s*[=:])/ },
  { after: /^["'`]?\s*(?:`{3}\w*\s*)?\{\s*(?:\}|["'\w]{1,60}\s*:)/ },
  { before: /\{\s*["'`]$/, after: /^["'`]\s*:\s*\{/ },
  { after: /^>\s*<\w|^\s*<(?:arg|param)|^\s*\[(?:ARGS|CALL_ID)\]|^:\d+\s*[<{]/i },
]
/** Arguments by position, which have no names. */
const POSITIONAL = /^\(\s*["'\d-]/
/** Characters before and behind a name that are looked at. */
const CONTEXT = 220

/** What a model was asked: the task and its prompt, and what tools have returned. */
export class Asked {
  readonly #messages: readonly BaseMessage[]
  #foreign: string | undefined

  constructor(messages: readonly BaseMessage[] = []) {
    this.#messages = messages
  }

  /** Whether the task, its prompt or a result has a word, in ASCII marks. */
  names(word: string): boolean {
    return this.#messages.some(message => message.type !== 'ai' && inAscii(plainText(message)).includes(word))
  }

  /** Whether the task, or what a tool returned, has the mark of a call. */
  get speaksOfCalls(): boolean {
    return nextMark(this.#foreignText, 0, ({ kind }) => kind === 'call') !== undefined
  }

  /**
   * Whether the task, or what a tool returned, itself holds what reads as a call of the same tool: its name where a name stands,
   * and beside it one of the arguments' names, if the call has any. Then a written one is a quotation.
   */
  quotes({ name, args }: Pick<WrittenCall, 'name' | 'args'>): boolean {
    const text = this.#foreignText
    const letters = name
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
      .join('[^\\p{L}\\p{N}]{1,3}')
    const keys = Object.keys(membersOf(parseExactJson(args)))
    return [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${letters}(?![\\p{L}\\p{N}])`, 'giu'))].some(
      ({ index, 0: { length } }) => {
        const before = text.slice(Math.max(0, index - CONTEXT), index)
        const after = text.slice(index + length, index + length + CONTEXT)
        const hasKey = keys.length === 0 || keys.some(key => isKeyIn(before + after, key))
        return (hasKey && isPlace(before, after)) || POSITIONAL.test(after)
      },
    )
  }

  /** With marks that are as plain as they would be in a reply: without what escapes them in JSON or HTML. */
  get #foreignText(): string {
    const foreign = this.#messages.filter(({ type }) => type === 'human' || type === 'tool')
    this.#foreign ??= withPlainMarks(inAscii(foreign.map(foreignTextOf).join('\n')))
    return this.#foreign
  }
}

function foreignTextOf(message: BaseMessage): string {
  const isFailure = message.type === 'tool' && (message as ToolMessage).status === 'error'
  const text = isFailure ? plainText(message).replace(OWN_WORDS, '') : plainText(message)
  return text.replaceAll('\\n', '\n').replace(ESCAPED, unescaped).replaceAll('\\', '')
}

function unescaped(_: string, ...[json, hex, url, decimal, name = '']: (string | undefined)[]): string {
  const code = json ?? hex ?? url
  if (code === undefined && decimal === undefined) return ENTITIES[name] ?? ''
  return String.fromCodePoint(code === undefined ? Number(decimal) : Number.parseInt(code, 16))
}

function isPlace(before: string, after: string): boolean {
  return PLACES.some(place => (place.before?.test(before) ?? true) && (place.after?.test(after) ?? true))
}

/** Whether a name stands where one of an argument does: `"to":`, `to=`, `<to>`. */
function isKeyIn(text: string, key: string): boolean {
  const [, ...behind] = text.split(key)
  return behind.some(rest => /^\s*["'`=:<>]/.test(rest))
}
