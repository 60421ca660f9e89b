import { Translator } from '@agent-task-service/test-support/over-responses'
import type { Random } from '@agent-task-service/test-support/random'
import type { Manner } from './provider.ts'
import type { Usage, WireCall, Written } from './turn.ts'

/** What goes over the socket: bytes that are written together, and a pause behind them. */
export interface Packet {
  readonly bytes: Buffer
  readonly pauseMs?: number
}

/** Longer than a server needs between two tokens, shorter than a client may take for the end. */
const LONG_PAUSE_MS = 1_200

/** A reply that is not streamed. */
export function whole(written: Written, manner: Manner, isResponses: boolean): string {
  const { content, words, calls, finish, usage } = written
  const { extra_content, ...ofTurn } = words
  const tool_calls = calls.map((call, at) => ({
    ...call,
    ...(at === 0 && extra_content ? { extra_content } : {}),
  }))
  const message = {
    role: 'assistant',
    content: contentIn(content, manner),
    ...ofTurn,
    ...(calls.length > 0 && { tool_calls }),
  }
  const choices = [{ index: 0, message, finish_reason: finish }]
  const reported = manner.usage === 'missing' ? {} : { usage: reportedUsage(usage, manner) }
  const text = JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices,
    ...reported,
  })
  return isResponses ? new Translator().whole(text) : text
}

/**
 * A reply as a stream.
 *
 * @param isAsked whether usage was asked for
 */
export function streamed(
  written: Written,
  manner: Manner,
  random: Random,
  { isResponses, isAsked, isOpen }: { isResponses: boolean; isAsked: boolean; isOpen: boolean },
): Packet[] {
  const translator = new Translator()
  const events = chunksOf(written, manner, random, isAsked)
    .map(
      chunk =>
        `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model: 'm', ...chunk })}\n\n`,
    )
    .map(event => (isResponses ? translator.event(event) : event))
    .flatMap((event, at) => [...(at % 3 === 1 ? noiseOf(manner) : []), event])
  const done = manner.end === 'body' || isOpen || isResponses ? [] : ['data: [DONE]\n\n']
  return packetsOf(
    [...events, ...done].map(event => event.replaceAll('\n', manner.newline)),
    manner,
    random,
  )
}

function noiseOf({ noise }: Manner): string[] {
  if (noise === 'ping') return ['event: ping\ndata: {"type": "ping"}\n\n']
  if (noise === 'comment') return [': keep-alive\n\n']
  return noise === 'empty_data' ? ['data: \n\ndata:\n\n'] : []
}

function chunksOf(written: Written, manner: Manner, random: Random, isAsked: boolean): object[] {
  const { finish } = written
  const deltas = deltasOf(written, manner, random)
  const isLast = (at: number) => at === deltas.length - 1
  const chunks: Chunk[] = deltas.map((delta, at) => {
    const ends = manner.finish === 'every_chunk' || (manner.finish === 'last_delta' && isLast(at))
    return { choices: [{ index: 0, delta, finish_reason: ends ? finish : null }] }
  })
  if (manner.finish === 'own_chunk')
    chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })
  const filter: Chunk[] = manner.noise === 'empty_choices' ? [{ choices: [], prompt_filter_results: [] }] : []
  return [...filter, ...withUsage(chunks, written.usage, manner, isAsked)]
}

interface Chunk {
  readonly choices: readonly object[]
  readonly [member: string]: unknown
}

function withUsage(chunks: readonly Chunk[], usage: Usage, manner: Manner, isAsked: boolean): Chunk[] {
  const reported = reportedUsage(usage, manner)
  const [first, last] = [chunks[0]!, chunks.at(-1)!]
  const total = { ...last, usage: reported }
  switch (manner.usage) {
    case 'own_chunk':
      return isAsked ? [...chunks, { choices: [], usage: reported }] : [...chunks]
    case 'with_finish':
      return chunks.with(-1, total)
    case 'every_chunk':
      return chunks.map((chunk, at) => {
        const share = Math.floor((usage.output * (at + 1)) / chunks.length)
        return at === chunks.length - 1 ? total : { ...chunk, usage: tokens(usage.input, Math.min(share, 4)) }
      })
    case 'spread':
      if (chunks.length === 1) return [total]
      return chunks
        .with(0, { ...first, usage: tokens(usage.input, 0) })
        .with(-1, { ...last, usage: tokens(0, usage.output) })
    case 'x_groq':
      return chunks.with(-1, { ...last, x_groq: { id: 'req_1', usage: reported } })
    case 'in_choice':
      return chunks.with(-1, { ...last, choices: [{ ...last.choices[0], usage: reported }] })
    default:
      return [...chunks]
  }
}

const tokens = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
})

function reportedUsage({ input, output, thoughts }: Usage, { thoughtTokens }: Manner): object {
  const told = thoughtTokens === 'apart' ? output - thoughts : output
  return {
    ...tokens(input, told),
    total_tokens: input + output,
    ...(thoughts > 0 && { completion_tokens_details: { reasoning_tokens: thoughts } }),
  }
}

function contentIn(content: string, { content: form, reasoning }: Manner): unknown {
  if (form === 'string') return content
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'What is known?' }] }
  const parts = content === '' ? [] : [{ type: 'text', text: content }]
  return reasoning === 'parts' ? [thinking, ...parts] : parts
}

function deltasOf({ content, words, calls }: Written, manner: Manner, random: Random): object[] {
  const { extra_content, ...ofTurn } = words
  const thinking = manner.reasoning === 'parts' ? [{ content: contentIn('', manner) }] : []
  return [
    { role: 'assistant', content: '' },
    ...thinking,
    ...Object.entries(ofTurn).flatMap(([member, value]) => piecesOfWords(member, value)),
    ...cut(content, 12, random).map(piece => ({
      content: manner.content === 'parts' ? [{ type: 'text', text: piece }] : piece,
    })),
    ...callPieces(calls, manner, random, extra_content).map(call => ({ tool_calls: [call] })),
  ]
}

/** A text in two pieces, a list with its signature in one of its own. */
function piecesOfWords(member: string, value: unknown): object[] {
  if (typeof value === 'string')
    return [value.slice(0, 9), value.slice(9)].map(piece => ({ [member]: piece }))
  const [{ signature, ...entry }] = value as [Record<string, unknown>]
  if (member === 'reasoning_details') {
    const { text: _, ...same } = entry
    return [{ [member]: [entry] }, { [member]: [{ ...same, signature }] }]
  }
  return [
    { [member]: [{ ...entry, signature: '' }] },
    { [member]: [{ type: 'thinking', thinking: '', signature }] },
  ]
}

function callPieces(
  calls: readonly WireCall[],
  manner: Manner,
  random: Random,
  extra_content: unknown,
): object[] {
  const ofCalls = calls.map(({ id, type, function: asked }, at) => {
    const index = { own: { index: at }, zero: { index: 0 }, none: {} }[manner.index]
    const first = {
      ...index,
      ...(id !== undefined && { id }),
      type,
      ...(at === 0 && extra_content ? { extra_content } : {}),
    }
    if (manner.pieces === 'whole') return [{ ...first, function: asked }]
    const again = manner.idsIn === 'every_piece' && id !== undefined ? { id } : {}
    return [
      { ...first, function: { ...asked, arguments: '' } },
      ...cut(asked.arguments, 9, random).map(piece => ({
        ...index,
        ...again,
        function: { arguments: piece },
      })),
    ]
  })
  if (manner.pieces !== 'interleaved') return ofCalls.flat()
  const longest = Math.max(0, ...ofCalls.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) =>
    ofCalls.flatMap(pieces => pieces.slice(at, at + 1)),
  ).flat()
}

/** A text in pieces of at most this many characters. */
function cut(text: string, most: number, random: Random): string[] {
  const characters = [...text]
  const pieces: string[] = []
  while (characters.length > 0) pieces.push(characters.splice(0, random.whole(1, most)).join(''))
  return pieces
}

function packetsOf(events: readonly string[], { packets, finish }: Manner, random: Random): Packet[] {
  if (packets === 'events') {
    // A finish that is none, with time enough to believe it.
    const pauseMs = finish !== 'every_chunk' ? 0 : random.happens(0.1) ? LONG_PAUSE_MS : 5
    return events.map((event, at) => ({ bytes: Buffer.from(event), ...(at === 1 && { pauseMs }) }))
  }
  const bytes = Buffer.from(events.join(''))
  if (packets === 'one') return [{ bytes }]
  const pieces: Packet[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = start + random.whole(1, Math.max(40, Math.floor(bytes.length / 12)))
    pieces.push({ bytes: bytes.subarray(start, end) })
    start = end
  }
  return pieces
}
