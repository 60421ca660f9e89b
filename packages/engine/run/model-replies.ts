import { plainText } from '@agent-task-service/openai-compatible/message-text'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { isCut } from './plain-message.ts'

interface ModelReply {
  readonly id: string | undefined
  readonly text: string
  /** Whether a token cap cut it off. */
  readonly isCut: boolean
}

/** What the models have replied in a run, oldest first. */
export class ModelReplies {
  readonly #replies: ModelReply[] = []

  add(message: AIMessage): void {
    this.#replies.push({ id: message.id, text: plainText(message).trim(), isCut: isCut(message) })
  }

  get texts(): readonly string[] {
    return this.#replies.map(({ text }) => text)
  }

  /**
   * Whether a token cap cut the answer off: the reply that it is, or any that it holds.
   *
   * @param output the answer's text
   * @param message the answer, if it is a message
   */
  isCut(output: string, message?: BaseMessage): boolean {
    const text = output.trim()
    const isAnswer = (reply: ModelReply) =>
      (reply.id !== undefined && reply.id === message?.id) || reply.text === text
    const answer = this.#replies.findLast(isAnswer)
    if (answer) return answer.isCut
    return this.#replies.some(reply => reply.isCut && reply.text !== '' && text.includes(reply.text))
  }
}
