import type { StreamEventType } from '@agent-task-service/wire/contract'
import type { Mask, PieceMask } from '@agent-task-service/wire/masking'
import { truncate } from '@agent-task-service/wire/untrusted'
import type { EventData, RunEvent, RunEventOf } from '../run/events.ts'

/** Longest tool arguments or result in an event, in characters. */
const MAX_TEXT_LENGTH = 2_000

/** Longest message that a model reads, in an event, in characters. */
const MAX_INPUT_LENGTH = 8_192

/** Longest JSON of a custom event, in characters. */
const MAX_CUSTOM_LENGTH = 8_192

/** An event as all callers of a run may see it. */
type MaskedEvent = {
  [Type in StreamEventType]: { readonly type: Type; readonly data: EventData<Type> }
}[StreamEventType]

type InputMessage = EventData<'model_input'>['messages'][number]

/** Masks secrets in the events of one run, and truncates long texts. */
export class EventMask {
  readonly #mask: Mask
  /** By step: its text, of which the end may be held back, since it might start a secret. */
  readonly #texts = new Map<number, PieceMask>()

  constructor(mask: Mask) {
    this.#mask = mask
  }

  /** The event, after the text that was held back until now; nothing if it is not in the stream. */
  *apply(event: RunEvent): Generator<MaskedEvent> {
    if (event.type === 'model_learnt') return
    if (event.type === 'text') {
      const text = this.#textOf(event.data.step).push(event.data.text)
      if (text) yield { type: 'text', data: { ...event.data, text } }
      return
    }
    if (event.type === 'model_finished' || event.type === 'model_failed') yield* this.#rest(event.data.step)
    yield { type: event.type, data: this.#masked(event) } as MaskedEvent
  }

  /** Reads an event that nobody sees: who sees the next one must not get the rest of a secret. */
  skip(event: RunEvent): void {
    if (event.type === 'text') this.#textOf(event.data.step).push(event.data.text)
    if (event.type === 'model_finished' || event.type === 'model_failed') this.#texts.delete(event.data.step)
  }

  #textOf(step: number): PieceMask {
    const text = this.#texts.get(step) ?? this.#mask.inPieces()
    this.#texts.set(step, text)
    return text
  }

  *#rest(step: number): Generator<MaskedEvent> {
    const text = this.#texts.get(step)?.flush()
    this.#texts.delete(step)
    if (text) yield { type: 'text', data: { step, text } }
  }

  #masked(event: Exclude<RunEvent, { type: 'text' | 'model_learnt' }>): MaskedEvent['data'] {
    switch (event.type) {
      case 'model_finished':
        return { ...event.data, tool_calls: event.data.tool_calls.map(this.#mask) }
      case 'model_input':
        return { ...event.data, messages: event.data.messages.map(message => this.#inputMessage(message)) }
      case 'tool_started': {
        const { call_id, arguments: args } = event.data
        return { ...event.data, call_id: this.#mask(call_id), arguments: this.#short(args) }
      }
      case 'tool_finished':
        return this.#toolResult(event)
      case 'custom':
        return { data: this.#customData(event.data.data) }
      default:
        return event.data
    }
  }

  #toolResult({ data }: RunEventOf<'tool_finished'>): EventData<'tool_finished'> {
    const mask = this.#mask
    const sources = data.sources?.map(({ number, title, url }) => {
      return { number, title: mask(title), url: mask(url) }
    })
    return {
      ...data,
      call_id: mask(data.call_id),
      result: this.#short(data.result),
      ...(sources && { sources }),
    }
  }

  #inputMessage({ text, ...message }: InputMessage): InputMessage {
    return { ...message, ...(text !== undefined && { text: truncate(this.#mask(text), MAX_INPUT_LENGTH) }) }
  }

  /** Truncated last: a part of a secret would not be recognized. */
  #short(text: string): string {
    return truncate(this.#mask(text), MAX_TEXT_LENGTH)
  }

  /** A node's data. If it is not JSON, or too long, the reason for leaving it out. */
  #customData(data: unknown): unknown {
    try {
      const written = JSON.stringify(data)
      if (written === undefined) return { omitted: 'no JSON' }
      const text = this.#mask(written)
      return text.length <= MAX_CUSTOM_LENGTH ? JSON.parse(text) : { omitted: 'over 8 kB of JSON' }
    } catch {
      return { omitted: 'no JSON' }
    }
  }
}
