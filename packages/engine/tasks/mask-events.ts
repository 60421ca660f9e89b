import type { StreamEventType } from '@agent-task-service/wire/contract'
import type { Mask, PieceMask } from '@agent-task-service/wire/masking'
import { truncate } from '@agent-task-service/wire/untrusted'
import type { EventData, RunEvent } from '../run/events.ts'

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
export function eventMask(mask: Mask) {
  /** By step: its text, of which the end may be held back, since it might start a secret. */
  const texts = new Map<number, PieceMask>()

  function textOf(step: number): PieceMask {
    const text = texts.get(step) ?? mask.inPieces()
    texts.set(step, text)
    return text
  }

  /** Truncated last: a part of a secret would not be recognized. */
  function short(text: string): string {
    return truncate(mask(text), MAX_TEXT_LENGTH)
  }

  function toolResult(data: EventData<'tool_finished'>): EventData<'tool_finished'> {
    const sources = data.sources?.map(({ number, title, url }) => {
      return { number, title: mask(title), url: mask(url) }
    })
    return {
      ...data,
      call_id: mask(data.call_id),
      result: short(data.result),
      ...(sources && { sources }),
    }
  }

  function inputMessage({ text, ...message }: InputMessage): InputMessage {
    return { ...message, ...(text !== undefined && { text: truncate(mask(text), MAX_INPUT_LENGTH) }) }
  }

  /** A node's data. If it is not JSON, or too long, the reason for leaving it out. */
  function customData(data: unknown): unknown {
    try {
      const written = JSON.stringify(data)
      if (written === undefined) return { omitted: 'no JSON' }
      const text = mask(written)
      return text.length <= MAX_CUSTOM_LENGTH ? JSON.parse(text) : { omitted: 'over 8 kB of JSON' }
    } catch {
      return { omitted: 'no JSON' }
    }
  }

  function masked(event: Exclude<RunEvent, { type: 'text' | 'model_learnt' }>): MaskedEvent['data'] {
    switch (event.type) {
      case 'model_finished':
        return { ...event.data, tool_calls: event.data.tool_calls.map(mask) }
      case 'model_input':
        return { ...event.data, messages: event.data.messages.map(inputMessage) }
      case 'tool_started': {
        const { call_id, arguments: args } = event.data
        return { ...event.data, call_id: mask(call_id), arguments: short(args) }
      }
      case 'tool_finished':
        return toolResult(event.data)
      case 'custom':
        return { data: customData(event.data.data) }
      default:
        return event.data
    }
  }

  return {
    /** The event, after the text that was held back until now; nothing if it is not in the stream. */
    *apply(event: RunEvent): Generator<MaskedEvent> {
      if (event.type === 'model_learnt') return
      if (event.type === 'text') {
        const text = textOf(event.data.step).push(event.data.text)
        if (text) yield { type: 'text', data: { ...event.data, text } }
        return
      }
      if (event.type === 'model_finished' || event.type === 'model_failed') {
        const { step } = event.data
        const text = texts.get(step)?.flush()
        texts.delete(step)
        if (text) yield { type: 'text', data: { step, text } }
      }
      yield { type: event.type, data: masked(event) } as MaskedEvent
    },
    /** Reads an event that nobody sees: who sees the next one must not get the rest of a secret. */
    skip(event: RunEvent): void {
      if (event.type === 'text') textOf(event.data.step).push(event.data.text)
      if (event.type === 'model_finished' || event.type === 'model_failed') texts.delete(event.data.step)
    },
  }
}
