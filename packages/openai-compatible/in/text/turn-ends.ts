import { inAscii, TURN_ENDS } from './templates.ts'

const NEXT_TURN = [
  '<|im_start|>',
  '<|start_header_id|>',
  '<start_of_turn>',
  '<|turn>',
  '<|user|>',
  '<s>',
  '[INST]',
]

/** A text without the control tokens that end its turn, and without the turns that a model makes up behind them. */
export function withoutTurnEnd(text: string): string {
  const ascii = inAscii(text)
  let end = madeUpTurnIn(ascii) ?? ascii.length
  for (;;) {
    const rest = ascii.slice(0, end).trimEnd()
    const token = TURN_ENDS.find(token => rest.endsWith(token))
    if (token === undefined) break
    end = rest.length - token.length
  }
  return end === ascii.length ? text : text.slice(0, end).trimEnd()
}

/** Where a turn ends and another one begins. */
function madeUpTurnIn(ascii: string): number | undefined {
  const ends = TURN_ENDS.map(token => {
    const at = ascii.indexOf(token)
    const after = ascii.slice(at + token.length).trimStart()
    return at >= 0 && NEXT_TURN.some(next => after.startsWith(next)) ? at : Number.POSITIVE_INFINITY
  })
  const first = Math.min(...ends)
  return Number.isFinite(first) ? first : undefined
}
