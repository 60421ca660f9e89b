import type { PlainMessage } from '@agent-task-service/engine/observe'
import { maskOnce } from '@agent-task-service/wire/masking'
import { truncate } from '@agent-task-service/wire/untrusted'

/** Longest single text in an attribute, in characters. */
const MAX_TEXT_LENGTH = 8_000
/** Longest attribute, in characters: it keeps the latest messages that fit, and always the last one. */
const MAX_ATTRIBUTE_LENGTH = 32_000

/** Formats messages by the conventions' JSON schemas, with secrets masked, and short enough for a collector. */
export class Content {
  readonly #mask: (text: string) => string

  constructor(mask: (text: string) => string) {
    this.#mask = mask
  }

  /** The same for one run, whose texts come back with every model call. */
  forRun(): Content {
    return new Content(maskOnce(this.#mask))
  }

  text(text: string): string {
    return truncate(this.#mask(text), MAX_TEXT_LENGTH)
  }

  /** JSON of the system messages' texts. */
  instructions(messages: readonly PlainMessage[]): string | undefined {
    const parts = messages.filter(({ role }) => role === 'system').map(({ text }) => this.#textPart(text))
    return parts.length === 0 ? undefined : JSON.stringify(parts)
  }

  /** JSON of all other messages. */
  conversation(messages: readonly PlainMessage[]): string {
    const kept: string[] = []
    let length = 2
    for (const message of messages.toReversed()) {
      if (message.role === 'system') continue
      const text = JSON.stringify(this.#message(message))
      length += text.length + 1
      if (length > MAX_ATTRIBUTE_LENGTH && kept.length > 0) break
      kept.unshift(text)
    }
    return `[${kept.join()}]`
  }

  /** JSON of the model's answer. */
  answer(message: PlainMessage): string {
    return JSON.stringify([this.#message(message)])
  }

  #message({ role, text, toolCalls, toolCallId }: PlainMessage) {
    if (role === 'tool') {
      return {
        role,
        parts: [{ type: 'tool_call_response', id: this.text(toolCallId ?? ''), response: this.text(text) }],
      }
    }
    const calls = toolCalls.map(({ id, name, args }) => ({
      type: 'tool_call',
      id: this.text(id),
      name: this.text(name),
      arguments: this.text(JSON.stringify(args) ?? ''),
    }))
    return { role, parts: [...(text === '' ? [] : [this.#textPart(text)]), ...calls] }
  }

  #textPart(text: string) {
    return { type: 'text', content: this.text(text) }
  }
}
