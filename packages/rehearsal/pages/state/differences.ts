import { type Change, diffArrays, diffWordsWithSpace } from 'diff'
import type { RunRecord } from '../../api.ts'
import { isObject, type JsonObject, textOf } from '../../json.ts'
import { FIGURES, type Figure, isBeyondNoise, type Spread, sampleOf, spreadOf } from './repeats.ts'
import type { RunStep } from './run-steps.ts'

/** Two of a kind, of the first run and of the second. */
export type Both<Of> = readonly [Of, Of]

export function both<From, To>([first, second]: Both<From>, of: (one: From) => To): Both<To> {
  return [of(first), of(second)]
}

/** Texts with more differing words are shown without marks, and more steps are not matched. */
const MAX_DIFFERENCES = 2_000
const MAX_LENGTH = 50_000

/**
 * Two texts in parts, by words: `removed` is what only the first has, `added` what only the second has; undefined if they are too
 * long, or differ too much, to say where.
 */
export function differingParts([first, second]: Both<string>): Both<readonly Change[]> | undefined {
  if (first.length + second.length > MAX_LENGTH) return undefined
  const parts = diffWordsWithSpace(first, second, { maxEditLength: MAX_DIFFERENCES })
  return parts && [parts.filter(({ added }) => !added), parts.filter(({ removed }) => !removed)]
}

/** What was asked of two runs, but for the task's id, by its name for people; '' if it was not given. */
export function requestsOf(runs: Both<RunRecord>): readonly { name: string; texts: Both<string> }[] {
  const others = both(runs, othersIn)
  const names = new Set(others.flatMap(Object.keys))
  const rows = [
    { name: 'Agent', texts: both(runs, ({ agentId }) => agentId) },
    { name: 'Task', texts: both(runs, ({ request: { input } }) => textIn(input)) },
    ...[...names].map(name => ({
      name,
      texts: both(others, one => textIn(Object.hasOwn(one, name) ? one[name] : undefined)),
    })),
  ]
  return rows.filter(({ texts }) => texts.some(text => text !== ''))
}

/** What a request has besides its id and task: the members of its config, and whatever the contract does not know. */
function othersIn({ request: { task_id: _id, input: _input, config, ...unknown } }: RunRecord): JsonObject {
  return { ...unknown, ...(isObject(config) ? config : { config }) }
}

function textIn(value: unknown): string {
  return textOf(value) || (value === undefined || value === '' ? '' : JSON.stringify(value))
}

/** What two runs took, or their repeats, with what it differs by. */
export function comparedFigures(runs: Both<RunRecord>) {
  const samples = both(runs, sampleOf)
  return FIGURES.map(({ name, of, text }) => {
    const [first, second] = both(samples, sample => spreadOf(sample, of))
    const isKnown = first !== undefined && second !== undefined
    return {
      name,
      spreads: [first, second] as const,
      text,
      change: isKnown ? changeText(first, second, text) : null,
      isTold: isKnown && isBeyondNoise(first, second),
    }
  })
}

/** `+0.4 s`; '' if it is none; beyond the noise with its share: `+0.4 s (+12%)`. */
function changeText(from: Spread, to: Spread, text: Figure['text']): string {
  const [first, second] = [from.median, to.median]
  if (first === second) return ''
  const sign = second > first ? '+' : '−'
  const share =
    first > 0 && isBeyondNoise(from, to)
      ? ` (${sign}${Math.round((Math.abs(second - first) / first) * 100)}%)`
      : ''
  return `${sign}${text(Math.abs(second - first))}${share}`
}

/**
 * The steps of two runs side by side: those that call the same model or tool, first in the same order, then wherever the other
 * run has them. If too many differ, by their place.
 */
export function stepsBeside([first, second]: Both<readonly RunStep[]>): Both<RunStep | undefined>[] {
  const called = ({ kind, name }: RunStep) => `${kind} ${name}`
  const parts = diffArrays(first.map(called), second.map(called), { maxEditLength: MAX_DIFFERENCES })
  if (parts === undefined) {
    const longer = first.length > second.length ? first : second
    return longer.map((_, index) => [first[index], second[index]])
  }
  const [ofFirst, ofSecond] = [first.values(), second.values()]
  const rows = parts.flatMap(({ value, added, removed }) =>
    value.map(
      (): Both<RunStep | undefined> => [
        added ? undefined : ofFirst.next().value,
        removed ? undefined : ofSecond.next().value,
      ],
    ),
  )
  const left = rows.flatMap(([one, other]) => (one === undefined && other !== undefined ? [other] : []))
  const moved = new Set<RunStep>()
  const paired = rows.map(([one, other]): Both<RunStep | undefined> => {
    const found = one && (other ?? left.find(step => !moved.has(step) && called(step) === called(one)))
    if (found !== undefined && found !== other) moved.add(found)
    return [one, found ?? other]
  })
  return paired.filter(([one, other]) => one !== undefined || !moved.has(other!))
}
