import { isCut } from '@agent-task-service/messages/finish-reason'
import { plainText } from '@agent-task-service/messages/message-text'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'

interface KnownReply {
  readonly message: AIMessage
  readonly text: string
}

/** What the models have replied in a run, oldest first, with the reasons why the replies ended. */
export class ModelReplies {
  readonly #replies: KnownReply[] = []

  add(message: AIMessage): void {
    this.#replies.push({ message, text: plainText(message).trim() })
  }

  get texts(): readonly string[] {
    return this.#replies.map(({ text }) => text)
  }

  /** Whether a model wrote this message. */
  has(message: BaseMessage): boolean {
    const text = plainText(message).trim()
    return this.#replies.some(reply => isSame(reply, message) || reply.text === text)
  }

  /** The message as its model's class reported it: with streams, some tell only there why it ended. */
  asReported(message: AIMessage): AIMessage {
    const text = plainText(message).trim()
    const known = this.#replies.findLast(reply => isSame(reply, message) && reply.text === text)
    return known?.message ?? message
  }

  /**
   * Whether a token cap cut the answer off: the reply that it is, else any that is a part of it, else the one of which a node
   * made it, by its id.
   *
   * @param output the answer's text
   * @param message the answer, if it is a message
   */
  isCut(output: string, message?: BaseMessage): boolean {
    const text = output.trim()
    const whole = this.#replies.findLast(reply => reply.text === text)
    if (whole) return isCut(whole.message)
    const parts = this.#replies.filter(reply => reply.text !== '' && holds(text, reply.text))
    // A word of one reply may be the whole text of another.
    const own = parts.filter(part => !parts.some(other => other !== part && holds(other.text, part.text)))
    if (own.length > 0) return own.some(part => isCut(part.message))
    const source = this.#replies.findLast(reply => isSame(reply, message))
    return source !== undefined && isCut(source.message)
  }
}

function isSame({ message: { id } }: KnownReply, message: BaseMessage | undefined): boolean {
  return id !== undefined && id === message?.id
}

/** Whether a text, or JSON, has the other in it. */
function holds(text: string, part: string): boolean {
  return text.includes(part) || text.includes(JSON.stringify(part).slice(1, -1))
}
