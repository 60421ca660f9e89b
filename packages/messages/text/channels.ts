import type { OfferedTools } from '../offered-tools.ts'
import { namedCalls, type WrittenCall } from './call-bodies.ts'

/** What a reply in harmony's channels says. */
export interface Channels {
  readonly answer: string
  readonly reasoning: string
  readonly calls: readonly WrittenCall[]
}

/**
 * Reads gpt-oss's own format, harmony, which a server should have read: `<|channel|>final<|message|>…<|return|>`, or what is
 * left of it without its control tokens.
 *
 * @returns `undefined` if it is not in this format
 */
export function readChannels(text: string, tools: OfferedTools): Channels | undefined {
  const [lead = '', ...parts] = text.split('<|channel|>')
  if (parts.length === 0) return withoutTokens(text, tools)
  const calls: WrittenCall[] = []
  const said: { readonly isFinal: boolean; readonly body: string }[] = []
  // A recipient stands before its channel or behind it.
  let before = lead
  for (const part of parts) {
    const { head, body, after } = messageIn(part)
    const [, recipient] = /\bto=([\w.:-]+)/.exec(`${before} ${head}`) ?? []
    if (recipient === undefined) said.push({ isFinal: /^\s*final/.test(head), body })
    else calls.push({ name: recipient, args: body })
    before = after
  }
  const bodies = (isFinal: boolean) => said.filter(each => each.isFinal === isFinal).map(({ body }) => body)
  return { answer: bodies(true).join(''), reasoning: bodies(false).join('\n'), calls }
}

/** The parts of a message behind its channel's token. */
function messageIn(part: string): { readonly head: string; readonly body: string; readonly after: string } {
  const [head = '', ...rest] = part.split('<|message|>')
  const content = rest.join('<|message|>')
  const end = content.search(/<\|(?:end|call|return|start)\|>/)
  return end < 0
    ? { head, body: content, after: '' }
    : { head, body: content.slice(0, end), after: content.slice(end) }
}

/** `analysis…assistantfinal…` */
function withoutTokens(text: string, tools: OfferedTools): Channels | undefined {
  const from = /^\s*(?:(?:assistant)?analysis(?=[A-Za-z])|(?=assistantfinal))/.exec(text)?.[0].length
  const toCall = text.indexOf('assistantcommentary to=')
  const final = text.lastIndexOf('assistantfinal')
  if (from === undefined || Math.max(toCall, final) < 0) return undefined
  const end = toCall < 0 ? final : toCall
  const reasoning = text.slice(from, end)
  const calls = toCall < 0 ? [] : (namedCalls(text.slice(toCall), tools) ?? [])
  const answer = final < 0 || calls.length > 0 ? '' : text.slice(final + 'assistantfinal'.length)
  return { answer, reasoning, calls }
}
