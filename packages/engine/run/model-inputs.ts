import { textWithCalls } from '@agent-task-service/messages/message-text'
import { countTokens, type ModelInput, toolText } from './count-tokens.ts'
import type { EventData } from './events.ts'
import { plainMessage } from './plain-message.ts'

type InputMessage = EventData<'model_input'>['messages'][number]

/**
 * Tells what the model calls of one run read. Equal messages have one number, and their text once.
 *
 * @returns what tells the messages of a call, the schemas of its tools as one of them
 */
export function modelInputs() {
  const numbers = new Map<string, number>()
  return async ({ messages, tools = [] }: ModelInput): Promise<InputMessage[]> => {
    const schemas = tools.map(tool => toolText(tool as object)).join('\n')
    const texts = [
      ...(schemas === '' ? [] : [{ role: 'tools' as const, text: schemas }]),
      ...messages.map(message => ({ role: plainMessage(message).role, text: textWithCalls(message) })),
    ]
    // All are numbered before the first is counted, since calls may run in parallel.
    const numbered = texts.map(({ role, text }) => {
      const key = `${role} ${text}`
      const isNew = !numbers.has(key)
      const number = numbers.get(key) ?? numbers.size + 1
      numbers.set(key, number)
      return { role, text, number, isNew }
    })
    const described: InputMessage[] = []
    for (const { number, isNew, role, text } of numbered)
      described.push({ number, role, tokens: await countTokens(text), ...(isNew && { text }) })
    return described
  }
}
