import type { Asked } from '@agent-task-service/test-support/asked'
import type { Scene } from './draw.ts'
import type { History } from './history.ts'
import type { Manner } from './provider.ts'
import { answerTo, resultOf } from './task.ts'
import { templateOf } from './templates.ts'
import type { Turn } from './turn.ts'

/** What the model does in a run of this scene, turn by turn. The last one answers. */
export function scriptOf({ task, madeUpName }: Scene): Turn[] {
  const invented = madeUpName ? [[{ name: madeUpName, args: {} }]] : []
  return [...invented, ...task.rounds, []].map((calls, at) => ({ number: at + 1, text: '', calls }))
}

/**
 * What the model says to a request.
 *
 * @param mayStumble whether it has not yet
 */
export function turnFor(
  { tools = [], tool_choice: choice }: Asked,
  script: readonly Turn[],
  { turns, results }: History,
  { task, stumble, madeUpName, manner }: Scene,
  mayStumble: boolean,
): Turn {
  const turn = script[turns]!
  const offered = choice === 'none' ? [] : tools.map(({ function: { name } }) => name)
  const lacks = turn.calls.find(({ name }) => name !== madeUpName && !offered.includes(name))
  // A model calls only what it is offered.
  if (lacks || (turn.calls.length > 0 && offered.length === 0))
    return { ...turn, calls: [], text: `There is no tool for this${lacks ? `: ${lacks.name}` : ''}.` }
  if (mayStumble && stumble?.at === turns) return stumbling(stumble.kind, turn, manner)
  if (turn.calls.length > 0) return turn
  const called = script.flatMap(({ calls }) => calls)
  const quoted = results.filter((_, at) => called[at]!.name !== madeUpName && resultOf(called[at]!) !== '')
  return { ...turn, text: answerTo(task, quoted) }
}

function stumbling(kind: NonNullable<Scene['stumble']>['kind'], turn: Turn, { template }: Manner): Turn {
  const said = { number: turn.number, calls: [], isStumble: true } as const
  if (kind === 'promises_calls') return { ...said, text: 'Let me see.', promises: true }
  // Cut off within the name: nobody can know what it was.
  if (kind === 'broken_call') {
    const [call = { name: 'join_words', args: { words: ['a'] } }] = turn.calls
    const whole = templateOf(template).write([call])
    return { ...said, text: '', verbatim: whole.slice(0, whole.indexOf(call.name) + 1) }
  }
  return { ...said, text: kind === 'invisible' ? '\u200b\u2060\ufeff' : '' }
}
