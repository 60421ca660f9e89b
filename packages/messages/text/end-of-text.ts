import type { Asked } from '../asked.ts'
import type { OfferedTools } from '../offered-tools.ts'
import { BARE, bareCallsIn, unfenced, unreadCallIn } from './bare-calls.ts'
import { readChannels } from './channels.ts'
import { codeIn } from './code-in.ts'
import { markAt, withoutMarks, withPlainMarks } from './marks.ts'
import { Sections, type TextReading } from './sections.ts'
import { withoutTurnEnd } from './turns.ts'

/** What the end of a reply turned out to be. */
interface EndOfText extends TextReading {
  /** The answer if none of it is a call. */
  readonly text: string
}

/**
 * Reads the end of a reply: all of it from the first mark on that says that a call begins or that the turn ends.
 *
 * @param before the answer before it
 */
export function readEnd(
  before: string,
  written: string,
  tools: OfferedTools,
  { asked, max }: { readonly asked: Asked; readonly max?: number | undefined },
): EndOfText {
  const plain = withPlainMarks(written)
  const isAll = before.trim() === ''
  const channels = isAll || !isInCode(before, plain) ? readChannels(plain, tools) : undefined
  if (channels && (isAll || channels.calls.length > 0))
    return { ...channels, text: channels.calls.length > 0 ? written : channels.answer }
  const answer = withoutTokens(withoutTurnEnd(before, plain, asked))
  const text = answer === plain ? written : answer
  const found = tools.names.length > 0 ? callsIn(before, answer, tools, max) : undefined
  const reading = found ?? { answer, calls: [], how: BARE }
  return {
    ...reading,
    calls: reading.calls.slice(0, max),
    answer: reading.answer === plain ? written : reading.answer,
    text,
  }
}

/** Calls that are the whole answer, then those with marks, then those at its end. */
function callsIn(before: string, answer: string, tools: OfferedTools, max?: number): TextReading | undefined {
  const isAll = before.trim() === ''
  const whole = isAll ? wholeCalls(answer, tools) : undefined
  if (whole) return whole
  const marked = new Sections(before, answer, tools, max).read()
  if (marked.calls.length > 0 || marked.unreadCall !== undefined) return marked
  const unreadCall = isAll ? unreadCallIn(answer, tools) : undefined
  if (unreadCall !== undefined) return { answer, calls: [], how: BARE, unreadCall }
  return (isInCode(before, answer) ? undefined : bareCallsIn(answer, tools)) ?? marked
}

function wholeCalls(answer: string, tools: OfferedTools): TextReading | undefined {
  const isMarked = markAt(answer, answer.search(/\S/)) !== undefined
  const bare = isMarked ? undefined : bareCallsIn(answer, tools)
  if (bare || !isFenced(answer)) return bare
  const inside = new Sections('', unfenced(answer), tools).read()
  return inside.calls.length > 0 ? inside : undefined
}

/** Without the tokens around an answer, and the empty channels behind one of Gemma 4. */
function withoutTokens(text: string): string {
  const isChannelled = text.includes('<channel|>')
  const answer = isChannelled ? text.replace(/<\|channel>[^<]*<channel\|>|<channel\|>/g, '') : text
  return withoutMarks(answer, ({ kind, isToken }) => kind === 'answer' && isToken)
}

/** Whether a text is nothing but one block of code. */
function isFenced(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.startsWith('```') && trimmed.indexOf('```', 3) === trimmed.length - 3
}

/** Whether the text before ends within code. */
function isInCode(before: string, text: string): boolean {
  return before !== '' && codeIn(`${before}${text}`)(before.length)
}
