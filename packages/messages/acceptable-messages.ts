import { createHash } from 'node:crypto'
import { AIMessage, type BaseMessage, type ToolCall, ToolMessage } from '@langchain/core/messages'
import { plainText, withContent } from './message-text.ts'

/** What every provider accepts as the id of a call. */
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,40}$/
/** What every provider accepts as the name of a tool, in characters. */
const MAX_NAME_LENGTH = 64
const EMPTY_RESULT = 'The tool gave an empty result.'

/** The member of `response_metadata` that names the model of the list which wrote a message. */
export const MADE_BY = 'made_by'

/**
 * The conversation as the strictest provider takes it: text is well-formed Unicode, no result is empty, tools have plain names,
 * and the ids of calls are unique, and plain unless the model that is asked made them itself.
 *
 * @param model the one that is asked, as in `MADE_BY`
 */
export function acceptableMessages(messages: readonly BaseMessage[], model: string): BaseMessage[] {
  const taken = new Set<string>()
  /** Of the latest turn. */
  let ids = new Map<string, string>()
  return messages.map(message => {
    if (message.type === 'tool') return acceptableResult(message as ToolMessage, ids)
    if (message.type !== 'ai') return wellFormed(message)
    const turn = message as AIMessage
    const isOwn = turn.response_metadata?.[MADE_BY] === model
    ids = new Map((turn.tool_calls ?? []).map(({ id = '' }) => [id, acceptableId(id, isOwn, taken)]))
    return acceptableTurn(turn, ids)
  })
}

function acceptableId(id: string, isOwn: boolean, taken: Set<string>): string {
  let plain = (isOwn && id !== '') || PLAIN_ID.test(id) ? id : shortId(id)
  for (let count = 2; taken.has(plain); count += 1) plain = shortId(`${id} ${count}`)
  taken.add(plain)
  return plain
}

/** Nine letters and digits, as the strictest provider wants them. */
export function shortId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 9)
}

function acceptableTurn(turn: AIMessage, ids: ReadonlyMap<string, string>): BaseMessage {
  const { tool_calls: calls = [] } = turn
  const written = calls.map(call => acceptableCall(call, ids))
  const isSame = written.every((call, at) => call === calls[at])
  const text = wellFormed(turn) as AIMessage
  if (isSame) return text
  const { content, id, name, additional_kwargs, response_metadata } = text
  return new AIMessage({ content, id, name, additional_kwargs, response_metadata, tool_calls: written })
}

function acceptableCall(call: ToolCall, ids: ReadonlyMap<string, string>): ToolCall {
  const { id = '', name, args } = call
  const plain = {
    ...call,
    id: ids.get(id) ?? id,
    name: acceptableName(name),
    args: wellFormedValue(args) as ToolCall['args'],
  }
  return plain.id === id && plain.name === name && plain.args === args ? call : plain
}

/** A model may have made up a name. */
function acceptableName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_LENGTH) || '_'
}

function acceptableResult(result: ToolMessage, ids: ReadonlyMap<string, string>): BaseMessage {
  const { tool_call_id, name, content, status, id, additional_kwargs, artifact } = result
  const plainId = ids.get(tool_call_id) ?? tool_call_id
  const plainName = name === undefined ? undefined : acceptableName(name)
  const isEmpty =
    (typeof content === 'string' || content.every(({ type }) => type === 'text')) &&
    plainText(result).trim() === ''
  const text = isEmpty ? EMPTY_RESULT : wellFormedValue(content)
  if (plainId === tool_call_id && plainName === name && text === content) return result
  return new ToolMessage({
    content: text as ToolMessage['content'],
    tool_call_id: plainId,
    name: plainName,
    status,
    id,
    additional_kwargs,
    artifact,
  })
}

function wellFormed(message: BaseMessage): BaseMessage {
  const content = wellFormedValue(message.content)
  if (content === message.content) return message
  return withContent(message, content)
}

/** The same value if all its texts are well-formed Unicode; else a copy in which they are. */
function wellFormedValue(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  // JSON writes half a character as an escape.
  if (typeof value !== 'object' || value === null || JSON.stringify(value)?.search(/\\ud[89a-f]/i) === -1)
    return value
  if (Array.isArray(value)) return value.map(wellFormedValue)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormedValue(member)]),
  )
}
