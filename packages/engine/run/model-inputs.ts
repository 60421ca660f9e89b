import { textWithCalls } from '@agent-task-service/messages/message-text'
import type { EventData } from './events.ts'
import { plainMessage } from './plain-message.ts'
import { countTokens, type ModelInput, toolText } from './tokens.ts'

type InputMessage = EventData<'model_input'>['messages'][number]

/** What the model calls of one run read. Equal messages have one number, and their text once. */
export class ModelInputs {
  readonly #numbers = new Map<string, number>()

  /** The messages of a call, the schemas of its tools as one of them. */
  async describe({ messages, tools = [] }: ModelInput): Promise<InputMessage[]> {
    const schemas = tools.map(tool => toolText(tool as object)).join('\n')
    const texts = [
      ...(schemas === '' ? [] : [{ role: 'tools' as const, text: schemas }]),
      ...messages.map(message => ({ role: plainMessage(message).role, text: textWithCalls(message) })),
    ]
    // All are numbered before the first is counted, since calls may run in parallel.
    const numbered = texts.map(({ role, text }) => ({ role, text, ...this.#numberOf(role, text) }))
    const described: InputMessage[] = []
    for (const { number, isNew, role, text } of numbered)
      described.push({ number, role, tokens: await countTokens(text), ...(isNew && { text }) })
    return described
  }

  #numberOf(role: string, text: string): { number: number; isNew: boolean } {
    const key = `${role} ${text}`
    const isNew = !this.#numbers.has(key)
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1
    this.#numbers.set(key, number)
    return { number, isNew }
  }
}
