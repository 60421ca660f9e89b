import type { BaseMessage, ToolMessage } from '@langchain/core/messages'
import { plainText } from './message-text.ts'
import { inAscii, nextMark, withPlainMarks } from './text/marks.ts'

/** What this service itself tells a model of a call that went wrong; everything else in a tool's result is foreign. */
const OWN_WORDS = /Call it as [\w-]+\(.*$/gm
const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#34;': '"' }

/** What stands before a tool's name where it is called. */
const BEFORE = [
  // A member: {"name": "pay", tool = "pay"
  /\b(?:(?:tool|function|recipient)(?:_?name)?|name|action|type)["']?\s*[:=]\s*["'`](?:[\w-]+[.:/])*$/i,
  // An attribute or an element: <function=pay, <pay
  /<[/|\w:.-][^<>\n]{0,100}[="'\s]$|<[/|]{0,2}$/,
  // A mark: <tool_call>pay, [TOOL_CALLS]pay
  /(?:[<[][^<>[\]\n]{0,100}(?:tool|func|invoke|call|action|sep|plugin)[^<>[\]\n]{0,100}[>\]]|>>>)\s*(?:[\w-]+[.:])*$/i,
  /\b(?:to=|call:\s*|Action:\W{0,4})(?:[\w-]+[.:])*$/i,
]
/** What stands behind it. */
const AFTER = [
  /^(?:["'`]?\s*:)?\s*(?:`{3}\w*\s*)?\{/,
  /^\(/,
  /^\s*<(?:arg|param)/i,
  /^\s*\[(?:ARGS|CALL_ID)\]/,
  /^:\d+/,
]
/** Characters before and behind a name that are looked at. */
const CONTEXT = 220

/** What a model was asked: the task and its prompt, and what tools have returned. */
export class Asked {
  readonly #messages: readonly BaseMessage[]
  #foreign: string | undefined

  constructor(messages: readonly BaseMessage[] = []) {
    this.#messages = messages
  }

  /** Whether the task, its prompt or a result has a word. */
  names(word: string): boolean {
    return this.#messages.some(message => message.type !== 'ai' && plainText(message).includes(word))
  }

  /** Whether the task, or what a tool returned, has the mark of a call. */
  get speaksOfCalls(): boolean {
    return nextMark(this.#foreignText, 0, ({ kind }) => kind === 'call') !== undefined
  }

  /** Whether the task, or what a tool returned, itself holds what reads as a call of a tool: then a written one is a quotation. */
  quotes(tool: string): boolean {
    const text = this.#foreignText
    const letters = tool
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
      .join('[^\\p{L}\\p{N}]{1,3}')
    return [...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${letters}(?![\\p{L}\\p{N}])`, 'giu'))].some(
      ({ index, 0: { length } }) => {
        const before = text.slice(Math.max(0, index - CONTEXT), index)
        const after = text.slice(index + length, index + length + CONTEXT)
        return BEFORE.some(pattern => pattern.test(before)) || AFTER.some(pattern => pattern.test(after))
      },
    )
  }

  /** With marks that are as plain as they would be in a reply: without what escapes them in JSON or HTML. */
  get #foreignText(): string {
    this.#foreign ??= withPlainMarks(
      inAscii(
        this.#messages
          .filter(({ type }) => type === 'human' || type === 'tool')
          .map(foreignTextOf)
          .join('\n'),
      ),
    )
    return this.#foreign
  }
}

function foreignTextOf(message: BaseMessage): string {
  const isFailure = message.type === 'tool' && (message as ToolMessage).status === 'error'
  const text = isFailure ? plainText(message).replace(OWN_WORDS, '') : plainText(message)
  return text.replaceAll('\\', '').replace(/&(?:lt|gt|quot|#34);/g, entity => ENTITIES[entity] ?? entity)
}
