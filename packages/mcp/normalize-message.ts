import {
  isObject,
  membersOf,
  parseExactJson,
  parseJson,
  textIn,
  toText,
} from '@agent-task-service/wire/untrusted'
import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  LATEST_PROTOCOL_VERSION,
  type ProtocolError,
  type RequestId,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Inflow } from './inflow.ts'
import { listResult } from './tool-list.ts'
import { callResult } from './tool-result.ts'

/** Most messages in a list of them. */
const MAX_BATCH = 100
/** Why a reply was not read, in our own words. */
const UNREADABLE = {
  noJson: 'its reply is no JSON',
  noReply: 'its response holds no reply',
  noResult: 'its reply has no result',
  tooDeep: 'its reply nests too deep',
} as const
/** JSON-RPC's internal error: nobody knows whether the request was carried out. */
const UNUSABLE = -32603
/** One definition that nests too deep is not to cost a whole list. */
const ANY_LEVELS = Number.POSITIVE_INFINITY
/** Where the id of a reply stands that is no JSON, in characters from its beginning. */
const HEAD = 200

/** The notifications that we use, with those of their members that are read. */
const HEARD: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/tools/list_changed', []],
  ['notifications/cancelled', ['requestId']],
  ['notifications/subscriptions/acknowledged', ['_meta', 'notifications']],
])

const reporting = z.object({ capabilities: z.object({ tools: z.object({ listChanged: z.literal(true) }) }) })

/** Of the results of our requests what we use, by method. */
const RESULTS: Readonly<Record<string, (result: unknown) => object>> = {
  initialize: result => ({
    ...capabilitiesIn(result),
    protocolVersion: textIn(membersOf(result).protocolVersion) ?? LATEST_PROTOCOL_VERSION,
    serverInfo: { name: '', version: '' },
  }),
  'server/discover': result => ({
    ...capabilitiesIn(result),
    supportedVersions: [membersOf(result).supportedVersions].flat().filter(textIn),
  }),
  ping: () => ({}),
  'tools/list': listResult,
  'tools/call': callResult,
}

function capabilitiesIn(result: unknown): object {
  return { capabilities: { tools: { listChanged: reporting.safeParse(result).success } } }
}

/** Whether an error that the client gives means a reply that was not read; its message is in our own words. */
export function isUnreadable({ message }: ProtocolError): boolean {
  return Object.values<string>(UNREADABLE).includes(message)
}

type Message = Record<string, unknown>

interface OpenRequest {
  readonly id: RequestId
  readonly method: string
}

/**
 * What a server sends on one connection, in the form that the client takes. Of a message only what we use is handed on; there, what
 * is null or of another form counts as absent, and data stays as it is. A reply that cannot be read fails its request at once.
 */
export class Incoming {
  readonly #inflow: Inflow
  readonly #open = new Map<string, OpenRequest>()
  readonly #aside = new Map<RequestId, object>()

  constructor(inflow: Inflow) {
    this.#inflow = inflow
  }

  /** Takes note of what we send. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) this.#open.set(String(message.id), { id: message.id, method: message.method })
    if (message.method === 'notifications/cancelled') this.forget(message.params?.requestId as RequestId)
  }

  /** A request that nobody waits for any more. */
  forget(id: RequestId): void {
    this.#open.delete(String(id))
    this.#aside.delete(id)
  }

  /** The messages in a text of a program's, or in an event; `posted` is the request that the stream answers. */
  read(text: string, posted?: RequestId): JSONRPCMessage[] {
    const json = parseJson(text, ANY_LEVELS)
    if (json === undefined) return this.#unreadable(text.slice(0, HEAD))
    return this.#messagesIn(json, text, id => (isId(id) ? undefined : posted))
  }

  /** The messages in the body of a response, whose reply answers the request that was posted, whatever its id. */
  readBody(text: string, posted: RequestId | undefined): JSONRPCMessage[] {
    const json = parseJson(text, ANY_LEVELS)
    const messages = this.#messagesIn(json, text, () => (Array.isArray(json) ? undefined : posted))
    const left = posted !== undefined && this.#taken(posted)
    return left ? [...messages, errorReply(left.id, UNREADABLE.noReply)] : messages
  }

  /** A message as the data of an event, which the client parses again: a result waits here for `complete`, instead of being copied. */
  eventOf(message: JSONRPCMessage): string {
    // Texts are ids of requests whose replies do not come to `complete`: the question of what a server speaks.
    if (!('result' in message) || typeof message.id === 'string') return JSON.stringify(message)
    this.#aside.set(message.id, message.result)
    return JSON.stringify({ ...message, result: {} })
  }

  /** Puts the result in its place. */
  complete(message: JSONRPCMessage): void {
    if (!('result' in message)) return
    message.result = (this.#aside.get(message.id) ?? message.result) as typeof message.result
    this.#aside.delete(message.id)
  }

  #messagesIn(
    json: unknown,
    text: string,
    answered: (id: unknown) => RequestId | undefined,
  ): JSONRPCMessage[] {
    const messages = [json].flat()
    if (messages.length > MAX_BATCH) throw this.#inflow.end('it sends too much')
    return messages
      .filter(isObject)
      .flatMap(message => this.#message(message, text, answered(message.id)) ?? [])
  }

  #message(message: Message, text: string, answered: RequestId | undefined): JSONRPCMessage | undefined {
    const { jsonrpc, id, method, params, result, error } = message
    const isReply = 'result' in message || 'error' in message
    // Programs log in JSON, too.
    if (isAbsent(jsonrpc) && !(isReply && (isId(id) || answered !== undefined))) return undefined
    if (typeof method === 'string' && isAbsent(result) && isAbsent(error))
      return this.#asked(id, method, membersOf(params))
    const unnamed = isReply ? (answered ?? this.#only(id)) : undefined
    const request = this.#taken(isId(id) && this.#open.has(String(id)) ? id : unnamed)
    return request && reply(request, message, text)
  }

  #asked(id: unknown, method: string, params: Record<string, unknown>): JSONRPCMessage | undefined {
    if (isId(id)) {
      this.#inflow.countRequest()
      return { jsonrpc: '2.0', id, method }
    }
    const heard = HEARD.get(method)?.filter(name => !isAbsent(params[name]))
    if (!heard) return undefined
    return { jsonrpc: '2.0', method, params: Object.fromEntries(heard.map(name => [name, params[name]])) }
  }

  /** The request that a reply without an id can only answer. */
  #only(id: unknown): RequestId | undefined {
    const [first, second] = this.#open.values()
    return isId(id) || second ? undefined : first?.id
  }

  #taken(id: RequestId | undefined): OpenRequest | undefined {
    const request = this.#open.get(String(id))
    this.#open.delete(String(id))
    return request
  }

  /** A reply that is no JSON, as with `NaN`; of what else programs print, nothing. */
  #unreadable(head: string): JSONRPCMessage[] {
    if (!(head.startsWith('{') && /"(?:result|error)"/.test(head))) return []
    const request = this.#taken(/"id"\s*:\s*"?([\w:-]+)/.exec(head)?.[1])
    return request ? [errorReply(request.id, UNREADABLE.noJson)] : []
  }
}

/** @param text that the message alone was parsed from, unless it came in a list */
function reply({ id, method }: OpenRequest, message: Message, text: string): JSONRPCMessage {
  // The model reads the numbers of a result, and in a schema the client takes no others.
  const exact = method === 'tools/call' && /\d{16}/.test(text) ? parseExactJson(text) : undefined
  const { result, error } = isObject(exact) ? exact : message
  try {
    if (isObject(error) || (isAbsent(result) && !isAbsent(error))) return errorReply(id, error)
    if (result === undefined) return errorReply(id, UNREADABLE.noResult)
    const resultType = textIn(membersOf(result).resultType) ?? 'complete'
    const form = resultType === 'input_required' ? undefined : RESULTS[method]
    const own = form?.(result) ?? membersOf(result)
    return { jsonrpc: '2.0', id, result: { ...own, resultType } }
  } catch {
    return errorReply(id, UNREADABLE.tooDeep)
  }
}

/** @param error as the server gives it, or our own words */
function errorReply(id: RequestId, error: unknown): JSONRPCErrorResponse {
  const { code, message, data } = isObject(error) ? error : { message: error }
  const number = textIn(code) === undefined ? code : Number(code)
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: Number.isSafeInteger(number) ? (number as number) : UNUSABLE,
      message: toText(message ?? ''),
      ...(isObject(data) && { data }),
    },
  }
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}

function isId(value: unknown): value is RequestId {
  return Number.isSafeInteger(value) || textIn(value) !== undefined
}
