import { textWithCalls } from '@agent-task-service/messages/message-text'
import type { BaseMessage } from '@langchain/core/messages'

/** Whether a refusal may have quoted these words. */
export type IsEchoed = (words: string) => boolean

/** Of a refusal of these messages: words that they have, in whatever case, form and spacing, and with tags or escapes between. */
export function echoesOf(messages: readonly BaseMessage[]): IsEchoed {
  let conversation: string | undefined
  return words => {
    conversation ??= plain(messages.map(textWithCalls).join('\n'))
    return conversation.includes(plain(words))
  }
}

function plain(text: string): string {
  return text
    .replaceAll(/(?:%[\da-f]{2})+/gi, decoded)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/<[^<>]*>|[^\p{L}\p{N}]/gu, '')
}

function decoded(escapes: string): string {
  try {
    return decodeURIComponent(escapes)
  } catch {
    return ''
  }
}
