import type { Asked } from '../asked.ts'
import { codeIn } from './code-in.ts'
import { lastMark, type Mark, markAt, nextMark } from './marks.ts'

/** Who speaks in a turn of the model, behind the token that begins it: `<|im_start|>assistant`, `<start_of_turn>model`. */
const SPEAKERS = ['assistant', 'model'] as const
/** How a turn of MiniMax begins, which has no shape. */
const MINIMAX = ']~b]ai'

/**
 * How much of a reply's beginning only says that its turn begins, in characters.
 *
 * @param head in ASCII marks
 * @param asked what was asked: a token that it names is text
 * @returns `undefined` if more must come before it is clear
 */
export function turnStartOf(head: string, asked: Asked): number | undefined {
  if (head.startsWith(MINIMAX)) return MINIMAX.length
  if (MINIMAX.startsWith(head)) return undefined
  const mark = markAt(head, 0)
  if (!mark || !isOfTurn(mark, head, asked)) return 0
  const rest = head.slice(mark.end)
  const speaker = SPEAKERS.find(speaker => rest.startsWith(speaker))
  if (speaker !== undefined) return mark.end + speaker.length
  return SPEAKERS.some(speaker => speaker.startsWith(rest)) ? undefined : mark.end
}

/**
 * A text without the tokens that end its turn, and without the turns that a model makes up behind them. In code they stay, and
 * so does the end of what HTML strikes through.
 *
 * @param before the text before it
 * @param text with plain marks
 * @param asked what was asked: a token that it names is text
 */
export function withoutTurnEnd(before: string, text: string, asked: Asked): string {
  const isStruck = (before + text).includes('<s>')
  const isWanted = (mark: Mark) => isOfTurn(mark, text, asked) && !(isStruck && mark.word === 's')
  let end = madeUpTurnIn(before, text, isWanted) ?? text.length
  for (;;) {
    const mark = lastMark(text.slice(0, end).trimEnd())
    if (!mark || !isWanted(mark)) break
    end = mark.start
  }
  return end === text.length ? text : text.slice(0, end).trimEnd()
}

/** Where a turn ends and another one begins: at the first of its tokens, if the next one is directly behind it. */
function madeUpTurnIn(before: string, text: string, isWanted: (mark: Mark) => boolean): number | undefined {
  const first = nextMark(text, 0, isWanted)
  const second = first && nextMark(text, first.end, isWanted)
  if (!second || text.slice(first.end, second.start).trim() !== '') return undefined
  return codeIn(before + text)(before.length + first.start) ? undefined : first.start
}

function isOfTurn({ kind, start, end }: Mark, text: string, asked: Asked): boolean {
  return kind === 'turn' && !asked.names(text.slice(start, end))
}
