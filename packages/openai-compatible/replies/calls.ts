import type { OfferedTools } from '@agent-task-service/messages/offered-tools'
import { MAX_CALLS } from '@agent-task-service/messages/written-call'
import {
  hasMembers,
  isObject,
  type JsonObject,
  parseJson,
  textIn,
  toText,
} from '@agent-task-service/wire/untrusted'
import type { AIMessageChunkFields } from '@langchain/core/messages'

type ToolCallChunk = NonNullable<AIMessageChunkFields['tool_call_chunks']>[number]

/** What arrived of a call, or all of it. */
export interface CallPiece {
  /** The server's number for the call, if it gives one. */
  readonly index?: unknown
  readonly id?: string
  readonly name?: string
  readonly args: string
  /** Members outside the protocol that the provider expects back. */
  readonly words?: JsonObject
}

interface OpenCall {
  /** Which of the calls it is. */
  readonly at: number
  readonly index: unknown
  id: string
  name: string
  args: string
  words: JsonObject
}

/** The calls of one reply, put together from pieces that come in any order. */
export class StreamedCalls {
  readonly #tools: OfferedTools
  readonly #calls: OpenCall[] = []
  /** What arrived since it was last taken. */
  readonly #fresh = new Map<OpenCall, ToolCallChunk>()
  /** Whether more have come than are read: nothing behind them is. */
  #areTooMany = false

  constructor(tools: OfferedTools) {
    this.#tools = tools
  }

  get count(): number {
    return this.#calls.length
  }

  /** Whether all arguments are whole. */
  get areWhole(): boolean {
    return this.#calls.every(({ args }) => args.trim() === '' || parseJson(args) !== undefined)
  }

  /** In the order of the calls. */
  get words(): readonly JsonObject[] {
    return this.#calls.map(({ words }) => words)
  }

  /** A piece of a streamed call. */
  add(piece: CallPiece): void {
    const call = this.#areTooMany ? undefined : this.#callFor(piece)
    if (call && !isRepeated(piece, call)) this.#grow(call, piece)
  }

  /** A call that came in one piece. */
  addWhole(call: CallPiece): void {
    const begun = this.#begin(call.index)
    if (begun) this.#grow(begun, call)
  }

  /** What arrived of each call since the last time, in one piece each. */
  take(): ToolCallChunk[] {
    const pieces = [...this.#fresh.values()]
    this.#fresh.clear()
    return pieces
  }

  /** Finds the call a piece belongs to, since servers omit the index, send 0 for every call, or repeat id and name. */
  #callFor({ index, id = '', name = '', args }: CallPiece): OpenCall | undefined {
    const hasIndex = index !== undefined && index !== null
    const isSame = (call: OpenCall) => call.id === id && (!hasIndex || call.index === index)
    const known =
      (id === '' ? undefined : this.#calls.findLast(isSame)) ??
      (hasIndex ? this.#calls.findLast(call => call.index === index) : this.#calls.at(-1))
    if (!known) return this.#begin(index)
    const hasOtherId = id !== '' && known.id !== '' && id !== known.id && !isContinued(known, name, args)
    // Only a piece with a name may begin a call.
    const isNext = () => isComplete(known) && (args !== '' || name !== known.name)
    const begins = name !== '' && (hasOtherId || isNext()) && !isRepeated({ id, args }, known)
    return begins ? this.#begin(index) : known
  }

  #begin(index: unknown): OpenCall | undefined {
    this.#areTooMany ||= this.#calls.length === MAX_CALLS
    if (this.#areTooMany) return undefined
    const call: OpenCall = { at: this.#calls.length, index, id: '', name: '', args: '', words: {} }
    this.#calls.push(call)
    return call
  }

  #grow(call: OpenCall, { id = '', name = '', args, words = {} }: CallPiece): void {
    const added = { id: call.id === '' ? id : '', name: this.#partOfName(call, name), args }
    // Some servers send all that there is so far.
    if (call.args.length > 1 && args.startsWith(call.args)) added.args = args.slice(call.args.length)
    const begun: ToolCallChunk = { index: call.at, id: '', name: '', args: '', type: 'tool_call_chunk' }
    const fresh = this.#fresh.get(call) ?? begun
    this.#fresh.set(call, fresh)
    for (const part of [call, fresh]) {
      part.id += added.id
      part.name += added.name
      part.args += added.args
    }
    call.words = joined(call.words, words) as JsonObject
  }

  /** Most servers send a name whole, and again with each piece; some send it in pieces. */
  #partOfName(call: OpenCall, name: string): string {
    const isPart = call.args === '' && name !== call.name && this.#tools.anyBeginsWith(call.name + name)
    return call.name === '' || isPart ? name : ''
  }
}

/** The arguments of a call, or a piece of them. They should be JSON in a string; some servers send plain JSON. */
export function argumentsIn({ name, arguments: args }: JsonObject): string {
  const isPiece = textIn(name) === undefined
  const isNothing = typeof args !== 'string' && !hasMembers(args)
  return isPiece && isNothing ? '' : toText(args ?? '')
}

/** Few pieces end like an object, so that little is parsed twice. */
function isComplete({ args }: OpenCall): boolean {
  return /\}\s*$/.test(args.slice(-8)) && parseJson(args) !== undefined
}

/** Whether a piece goes on with arguments that are not whole: some servers give each piece an id of its own. */
function isContinued(call: OpenCall, name: string, args: string): boolean {
  return name === call.name && call.args !== '' && !isComplete(call) && !args.trimStart().startsWith('{')
}

/** Whether a server sends a call once more at its end. */
function isRepeated({ id, args }: CallPiece, call: OpenCall): boolean {
  return Boolean(id) && id === call.id && args === call.args && isComplete(call)
}

/** Merges two pieces of a member: strings are concatenated, and so are the pieces of a list entry. Beside a string, what is none is dropped. */
export function joined(known: unknown, piece: unknown): unknown {
  if (known === undefined || known === null) return piece
  if (piece === undefined || piece === null) return known
  if (typeof known === 'string') return typeof piece === 'string' ? known + piece : known
  if (Array.isArray(known) && Array.isArray(piece)) return piece.reduce(withEntry, known)
  if (!isObject(known) || !isObject(piece)) return piece
  return Object.fromEntries(
    [...new Set([...Object.keys(known), ...Object.keys(piece)])].map(key => [
      key,
      // Each piece repeats the members that identify its entry.
      /^(type|id|index|format)$/.test(key) ? (piece[key] ?? known[key]) : joined(known[key], piece[key]),
    ]),
  )
}

/** Pieces share their entry's `index`; without one, they belong to the last entry until it is signed. */
function withEntry(known: readonly unknown[], piece: unknown): readonly unknown[] {
  const isPart = (entry: unknown) => {
    if (!isObject(entry) || !isObject(piece) || entry.type !== piece.type) return false
    if (piece.index !== undefined) return entry.index === piece.index
    return entry === known.at(-1) && typeof piece.signature === 'string' && !entry.signature
  }
  const at = known.findLastIndex(isPart)
  return at < 0 ? [...known, piece] : known.with(at, joined(known[at], piece))
}
