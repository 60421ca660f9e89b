import type { Asked } from '../asked.ts'
import { codeIn } from './code-in.ts'
import { inAscii, TURN_ENDS } from './marks.ts'

const NEXT_TURN = ['<|im_start|>', '<|start_header_id|>', '<start_of_turn>', '<|turn>', '<|user|>', '[INST]']

/**
 * A text without the control tokens that end its turn, and without the turns that a model makes up behind them. In code they stay,
 * and so does the end of what HTML strikes through.
 *
 * @param before the text before it
 * @param asked what was asked: a token that it names is text
 */
export function withoutTurnEnd(before: string, text: string, asked: Asked): string {
  const ascii = inAscii(text)
  const tokens = (before + text).includes('<s>') ? TURN_ENDS.filter(token => token !== '</s>') : TURN_ENDS
  let end = madeUpTurnIn(before, ascii, tokens) ?? ascii.length
  for (;;) {
    const rest = ascii.slice(0, end).trimEnd()
    const token = tokens.find(token => rest.endsWith(token))
    if (token === undefined || asked.names(token)) break
    end = rest.length - token.length
  }
  return end === ascii.length ? text : text.slice(0, end).trimEnd()
}

/** Where a turn ends and another one begins. */
function madeUpTurnIn(before: string, ascii: string, tokens: readonly string[]): number | undefined {
  const ends = tokens.flatMap(token => {
    const at = ascii.indexOf(token)
    const after = ascii.slice(at + token.length).trimStart()
    return at >= 0 && NEXT_TURN.some(next => after.startsWith(next)) ? [at] : []
  })
  const [first] = ends.toSorted((one, other) => one - other)
  const isCode = first === undefined || codeIn(before + ascii)(before.length + first)
  // A text that has begun a turn itself speaks of them.
  const speaksOfTurns = NEXT_TURN.some(next => (before + ascii.slice(0, first)).includes(next))
  return isCode || speaksOfTurns ? undefined : first
}
