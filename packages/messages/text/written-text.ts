import type { OfferedTools } from '../offered-tools.ts'
import type { WrittenCall, WrittenRules } from '../written-call.ts'
import { type KnownOfReply, TextReader } from './text-reader.ts'

/** What a model's whole text says, as `TextReader` reads it while it arrives. */
export interface WrittenText {
  readonly answer: string
  readonly reasoning: string
  readonly calls: readonly WrittenCall[]
  /** The tool named by what has the shape of a call and cannot be read, or "" if it names none; absent if there is none. */
  readonly unreadCall: string | undefined
}

interface KnownOfText extends KnownOfReply {
  readonly rules?: WrittenRules | undefined
  readonly isCut: boolean
}

export function readWrittenText(
  text: string,
  tools: OfferedTools,
  { rules, isCut, ...known }: KnownOfText,
): WrittenText {
  const reader = new TextReader(tools, known)
  const said = reader.add(text) + reader.end(rules, isCut)
  const { answerStartsAt, calls, unreadCall } = reader
  const reasoning = said.slice(0, answerStartsAt) + reader.takeReasoning()
  return { answer: said.slice(answerStartsAt), reasoning, calls, unreadCall }
}

/** Whether a text has a character that can be seen. */
export function isVisible(text: string): boolean {
  return /[^\s\p{C}\p{Z}\p{DI}\u2800]/u.test(text)
}
