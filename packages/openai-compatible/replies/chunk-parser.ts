import { isObject, parseExactJson, parseJson } from '@agent-task-service/wire/untrusted'
import { createParser } from 'eventsource-parser'
import { ModelReplyError } from '../errors.ts'

/** Parses a body as it arrives: the events of a stream, or one JSON value. Throws a `ModelReplyError` for anything else. */
export class ChunkParser {
  /** Absent until more than white space has come. */
  #isStream: boolean | undefined
  #json = ''
  /** The last line of a stream, while it is incomplete. */
  #line = ''
  #chunks: unknown[] = []
  readonly #events = createParser({
    onEvent: ({ event, data }) => this.#readEvent(event, data),
    // llama.cpp sends errors in a field named `error`.
    onError: ({ field, value = '' }) => {
      if (field === 'error') this.#readEvent('error', value)
    },
  })

  /** @returns the chunks that are complete with this piece */
  add(piece: string): unknown[] {
    const text = this.#isStream === undefined ? piece.trimStart() : piece
    if (text === '') return []
    this.#isStream ??= !/^[{[<]/.test(text)
    if (this.#isStream) this.#feed(text)
    else this.#json += text
    return this.#take()
  }

  /** @returns the chunks that were complete only with the end of the body */
  end(): unknown[] {
    // The last event may lack its final blank line.
    if (this.#isStream) this.#feed('\n\n')
    else this.#readChunk(this.#json, 'the reply is not JSON')
    return this.#take()
  }

  /** Reads an event; skips what is none of the protocol's, such as heartbeats of gateways. */
  #readEvent(event: string | undefined, data: string): void {
    if (event === undefined && data.startsWith('{')) this.#readChunk(data)
    else if (event === 'error') this.#chunks.push({ error: parseJson(data) ?? data })
    else if (event !== 'ping') for (const line of data.split('\n')) this.#readLine(line)
  }

  #readLine(line: string): void {
    // Some gateways write the field twice.
    const data = line.replace(/^\s*(?:data:\s*)?/, '')
    if (/^"?\[DONE\]/.test(data)) this.#chunks.push('[DONE]')
    else if (/^[{[]/.test(data)) this.#readChunk(data)
  }

  /** Reads a chunk, or one in each line: some servers separate events by a single line break, or stream JSON without events. */
  #readChunk(text: string, otherwise = 'an event of the stream is not JSON'): void {
    const value = parseJson(text)
    if (value !== undefined) this.#chunks.push(hasPlainArguments(value) ? parseExactJson(text) : value)
    else if (/\}\s*\n/.test(text)) for (const line of text.split('\n')) this.#readLine(line)
    else throw new ModelReplyError(otherwise)
  }

  /** Gives the parser whole lines only: it drops one that comes in two pieces if it does not know the line's field. */
  #feed(text: string): void {
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    if (end > 0) {
      this.#events.feed(this.#line + text.slice(0, end))
      this.#line = ''
    }
    this.#line += text.slice(end)
  }

  #take(): unknown[] {
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
  }
}

/** Whether a chunk has arguments as they are, not as JSON in a string: their integers must keep their digits. */
function hasPlainArguments(chunk: unknown): boolean {
  const [choice] = isObject(chunk) && Array.isArray(chunk.choices) ? chunk.choices : []
  const { tool_calls: calls } = choice?.delta ?? choice?.message ?? {}
  return Array.isArray(calls) && calls.some(call => isObject(call?.function?.arguments))
}
