import { endOfJson } from '@agent-task-service/wire/untrusted'
import type { OfferedTools } from '../offered-tools.ts'
import type { WrittenCall } from '../written-call.ts'
import { markAt } from './marks.ts'
import type { TextReading } from './sections.ts'
import { CallReader } from './written-calls.ts'

const END = /<\|(?:end|call|return|eom|eot)\|>\s*(?=<\|(?:start|channel)\|>|$)|<\|(?:start|channel)\|>|$/g
/** Whom a message is to that is no tool. */
const NOBODY = new Map<string, 'answer' | 'reasoning'>([
  ['self', 'reasoning'],
  ['user', 'answer'],
  ['all', 'answer'],
])

/**
 * Reads a format that a server should have read: messages with a recipient or a channel, as gpt-oss writes them
 * (`<|channel|>final<|message|>…<|return|>`, openai/harmony docs/format.md), Muse (` to=self<|message|>…<|eom|>`) and
 * Functionary (`<|recipient|>all<|content|>…`), or what is left of it without its control tokens.
 *
 * @param text with plain marks
 * @returns `undefined` if it is not in this format
 */
export function readChannels(text: string, tools: OfferedTools): TextReading | undefined {
  const rest = withTokens(text)
  if (!/<\|(?:channel|message)\|>/.test(rest)) return undefined
  const parts = { answer: '', reasoning: '' }
  const calls: WrittenCall[] = []
  for (const message of messagesIn(rest)) {
    const { recipient, channel, body } = message
    const kind = NOBODY.get(recipient)
    if (recipient !== '' && kind === undefined) calls.push(...callsIn(message, tools))
    else parts[kind ?? (channel === 'final' ? 'answer' : 'reasoning')] += body
  }
  const isOffered = calls.some(({ name }) => tools.find(name))
  const isMissing = tools.names.length > 0 && !isOffered && (calls.length > 0 || /\bto=functions/.test(rest))
  const unreadCall = isMissing ? tools.namedIn(text) : undefined
  return { ...parts, calls: isOffered ? calls : [], how: { areMarked: true, areLast: true }, unreadCall }
}

interface Message {
  /** "" if it is to nobody. */
  readonly recipient: string
  readonly channel: string
  readonly body: string
  readonly isClosed: boolean
}

function* messagesIn(text: string): Generator<Message> {
  for (let at = 0; ; ) {
    const begins = text.indexOf('<|message|>', at)
    if (begins < 0) return
    const header = text.slice(at, begins)
    const from = begins + '<|message|>'.length
    END.lastIndex = from
    const { index, 0: ending } = END.exec(text) ?? { index: text.length, 0: '' }
    const [, recipient = ''] = /\bto=(?!assistant\b)([\w.:-]+)/.exec(header) ?? []
    const [, channel = 'final'] = [...header.matchAll(/<\|channel\|>\s*(\w+)/g)].at(-1) ?? []
    yield { recipient, channel, body: text.slice(from, index), isClosed: ending !== '' }
    at = index + (/start|channel/.test(ending) ? 0 : ending.length)
  }
}

function callsIn({ body, recipient, isClosed }: Message, tools: OfferedTools): readonly WrittenCall[] {
  const mark = markAt(body, body.search(/\S/))
  const section = mark?.kind === 'call' ? new CallReader(body, tools).readMarked(mark) : undefined
  if (section) return section.calls
  const isBalanced = endOfJson(body, body.indexOf('{')) !== undefined
  const isWhole = isClosed || isBalanced
  return isWhole ? [{ name: tools.nameFor(recipient), args: body, isClosed: true }] : []
}

/** The same with the tokens that a server dropped or that another model writes. */
function withTokens(text: string): string {
  const known = text
    .replaceAll('<|from|>', '<|start|>')
    .replaceAll('<|recipient|>', ' to=')
    .replaceAll('<|content|>', '<|message|>')
  if (known.includes('<|message|>')) return known
  const isDropped =
    /^\s*(?:(?:assistant)?analysis[A-Za-z]|assistantfinal|(?:commentary )?to=[\w.:-]+ ?(?:json|code)?\s*\{)/.test(
      known,
    )
  if (!isDropped || !/assistantfinal|commentary to=|^\s*to=/.test(known)) return known
  return known
    .replace(/^\s*(?:assistant)?analysis/, '<|channel|>analysis<|message|>')
    .replace(
      /(?:assistant)?commentary (to=[\w.:-]+) ?(?:json|code)?/g,
      '<|start|><|channel|>commentary $1<|message|>',
    )
    .replace(/^\s*(to=[\w.:-]+) ?(?:json|code)?/, '<|start|>$1<|message|>')
    .replace(/assistantfinal/g, '<|start|><|channel|>final<|message|>')
}
