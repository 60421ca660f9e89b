import { type CheckedRun, failuresOf, isBusy } from './session/replies.ts'
import type { Session } from './session/session.ts'

/** What chance may do: a pattern that it makes in more than one examination of a hundred is none. */
const CHANCE = 0.01
/** Failures that are no accident, and moments in which they came. */
const LEAST = 3
/** Failures that make a rhythm. */
const LEAST_BEATS = 5
const LARGE_BYTES = 2 ** 16
const BESIDE = 'beside others'
const LONG_INPUT = 1_000
const PAUSE_MS = 1_000
const SECOND_MS = 1_000

/** One request of an examination, in the order in which they were sent. */
export interface Sent {
  /** When it was sent, in milliseconds. */
  readonly at: number
  /** When its reply had come; absent: at once. */
  readonly until?: number
  /** What a request right after it is, in words: `right after a caller hung up`. */
  readonly leaves: readonly string[]
  /** If it is a run that should succeed. */
  readonly run?: {
    /** Absent: it succeeded. */
    readonly failure: string | undefined
    /** What runs like it are, in words: `with system_prompt`. */
    readonly traits: readonly string[]
  }
}

type Counted = Sent & { readonly run: NonNullable<Sent['run']>; readonly index: number }

/**
 * What the runs that fail have in common, and no other run has; of several such things, the one that least others have.
 * Undefined if chance may be behind it: if drawn blindly, so many of the runs would be of one such kind in one case of a
 * hundred, over all kinds that were looked at.
 */
export function patternIn(history: readonly Sent[]) {
  const runs = history.flatMap((one, index) => (one.run ? [{ ...one, run: one.run, index }] : []))
  const failing = runs.filter(({ run }) => run.failure !== undefined)
  if (failing.length < LEAST || failing.length === runs.length) return undefined
  const text =
    beginning(history, runs, failing) ??
    kind(history, runs, failing) ??
    rhythm(runs, failing) ??
    moment(runs, failing)
  if (text === undefined) return undefined
  /** The assertion that is about it, if one is. */
  const checkId = text.includes(BESIDE) ? 'run.concurrent' : undefined
  return { text: `${text}: ${failing[0]!.run.failure}`, checkId }
}

function beginning(history: readonly Sent[], runs: readonly Counted[], failing: readonly Counted[]) {
  const before = runs.length - failing.length
  const isSince = runs.slice(before).every(({ run }) => run.failure !== undefined)
  if (!isSince) return undefined
  if (drawn(failing.length, failing.length, runs.length) > CHANCE) return undefined
  const first = failing[0]!
  const cause = leftTo(first, history)[0]
  return `Since the ${ordinal(first.index + 1)} request${cause ? `, ${cause},` : ''} nothing succeeds (${failing.length} runs; before it, ${before} did)`
}

function kind(history: readonly Sent[], runs: readonly Counted[], failing: readonly Counted[]) {
  const known = new Map(runs.map(one => [one, [...one.run.traits, ...leftTo(one, history)]]))
  const traitsOf = (one: Counted) => known.get(one)!
  const all = new Set(runs.flatMap(traitsOf))
  const [narrowest] = [...traitsOf(failing[0]!)]
    .map(trait => ({ trait, same: runs.filter(one => traitsOf(one).includes(trait)) }))
    .filter(({ same }) => failing.every(one => same.includes(one)))
    // What others do to a run may look like more.
    .toSorted(
      (a, b) => Number(b.trait === BESIDE) - Number(a.trait === BESIDE) || a.same.length - b.same.length,
    )
  if (narrowest === undefined) return undefined
  const { trait, same } = narrowest
  // That others are behind it is asked first.
  const asked = trait === BESIDE ? 1 : all.size
  if (asked * drawn(failing.length, same.length, runs.length) > CHANCE) return undefined
  return `${failing.length} of ${same.length} runs ${trait} fail, and none of ${runs.length - same.length} others`
}

function moment(runs: readonly Counted[], failing: readonly Counted[]) {
  const phaseOf = (one: Counted, from: Counted) => (((one.at - from.at) % SECOND_MS) + SECOND_MS) % SECOND_MS
  const [narrowest] = failing
    .map(first => ({ first, width: Math.max(...failing.map(one => phaseOf(one, first))) }))
    .toSorted((a, b) => a.width - b.width)
  const { first, width } = narrowest!
  const same = runs.filter(one => phaseOf(one, first) <= width)
  const share = Math.max(width, 1) / SECOND_MS
  // Those of one second are one event: a run and its repetition follow each other.
  const seconds = new Set(
    failing.map(one => Math.round((one.at - phaseOf(one, first) - first.at) / SECOND_MS)),
  )
  const byTime = seconds.size * share ** (seconds.size - 1)
  const byRuns = failing.length * drawn(failing.length, same.length, runs.length)
  // Where a clock stands still meanwhile, it shows nothing.
  if (width === 0 || seconds.size < LEAST || Math.max(byTime, byRuns) > CHANCE) return undefined
  return `${failing.length} of ${same.length} runs that begin ${first.at % SECOND_MS} to ${(first.at % SECOND_MS) + width} ms after a full second fail, and none of ${runs.length - same.length} others`
}

function rhythm(runs: readonly Counted[], failing: readonly Counted[]) {
  if (failing.length < LEAST_BEATS) return undefined
  const places = failing.map(one => runs.indexOf(one))
  const gaps = places.slice(1).map((place, index) => place - places[index]!)
  // Some in a row are a spell.
  const counts = [...new Set(gaps)]
    .filter(gap => gap > 1)
    .map(gap => ({ gap, times: gaps.filter(one => one === gap).length }))
  const { gap = 0, times = 0 } = counts.toSorted((a, b) => b.times - a.times)[0] ?? {}
  const share = failing.length / runs.length
  // A rhythm goes on: what the checks repeat in between is none.
  if (share < 1 / (2 * gap)) return undefined
  const chance = share * (1 - share) ** (gap - 1)
  const ways = 1 / drawn(times, times, gaps.length)
  if (2 * times <= gaps.length || counts.length * ways * chance ** times > CHANCE) return undefined
  return `Every ${ordinal(gap)} run fails (${failing.length} of ${runs.length})`
}

/** By the request whose reply came last, before this one was sent, and those that ended while it was in progress. */
function leftTo({ index, at }: Counted, history: readonly Sent[]): readonly string[] {
  const ended = history.slice(0, index).filter(one => endOf(one) <= at)
  const before = ended.toSorted((a, b) => endOf(a) - endOf(b)).at(-1)
  if (before === undefined) return []
  const leaves = ended.filter(one => one === before || endOf(one) > before.at).flatMap(one => one.leaves)
  return at - endOf(before) > PAUSE_MS ? [...leaves, 'right after a pause of a second'] : leaves
}

const endOf = ({ at, until = at }: Sent) => until

/** How likely so many, drawn blindly from all, are all of one kind. */
function drawn(count: number, ofKind: number, all: number): number {
  return Array.from({ length: count }, (_, index) => (ofKind - index) / (all - index)).reduce(
    (a, b) => a * b,
    1,
  )
}

function ordinal(number: number): string {
  const ending = { one: 'st', two: 'nd', few: 'rd', other: 'th' } as Readonly<Record<string, string>>
  return `${number}${ending[new Intl.PluralRules('en', { type: 'ordinal' }).select(number)]}`
}

/** Everything that was sent so far, in its order. */
export function historyOf({ calls, runs }: Session): readonly Sent[] {
  const known = new Map(runs.map(run => [run.exchange, run]))
  const done = new Set(
    runs.filter(run => failuresOf(run).length === 0).map(({ request }) => request.input.trim()),
  )
  const inputs = new Set<string>()
  return calls.sent
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, exchange, bytes, isKept }) => {
      const run = exchange && known.get(exchange)
      const { input = '' } = run?.request ?? {}
      const traits = [inputs.has(input) ? 'of an input that was sent before' : 'of a new input']
      if (isKept) traits.push('on a connection that is kept, with no other headers')
      inputs.add(input)
      const until = at + (exchange?.wallMs ?? 0)
      return { at, until, leaves: leavesOf(exchange, bytes, run), run: run && countedOf(run, done, traits) }
    })
}

type Call = Session['calls']['sent'][number]

function leavesOf(exchange: Call['exchange'], bytes: number, run: CheckedRun | undefined): string[] {
  if (exchange === undefined) return ['right after a caller hung up']
  const isRefused = Number(exchange.status) >= 400 && Number(exchange.status) < 500
  const isError = run && failuresOf(run).length > 0
  return [
    ...(bytes > LARGE_BYTES ? ['right after a body of over 64 KiB'] : []),
    ...(isRefused && !run ? ['right after a request that was refused'] : []),
    ...(isError ? ['right after a run with an error'] : []),
    ...membersOf(run).map(member => `right after one ${member}`),
  ]
}

/** Undefined for one that may fail: of a task that no run did, or under a cap or without tools. */
function countedOf(run: CheckedRun, done: ReadonlySet<string>, more: readonly string[]): Sent['run'] {
  const { request, mayRefuse, alone, exchange } = run
  const { task_id, input, config } = request
  const isHard = (config?.max_tokens ?? LONG_INPUT) < LONG_INPUT || config?.enabled_tools !== undefined
  if (isHard || mayRefuse || !done.has(input.trim()) || (!alone && isBusy(exchange))) return undefined
  return {
    failure: failuresOf(run)[0],
    traits: [
      ...membersOf(run),
      ...(config === undefined ? ['without config'] : []),
      `whose task_id is ${/^test-/.test(task_id) ? 'a test-<n>' : 'a UUID'}`,
      ...(input.length > LONG_INPUT ? ['with a long input'] : []),
      ...(alone ? [] : [BESIDE]),
      ...more,
    ],
  }
}

function membersOf(run: CheckedRun | undefined): string[] {
  const { config } = run?.request ?? {}
  const members = Object.keys(config ?? {})
  return [...members.map(member => `with ${member}`), ...(members.length > 0 ? ['with config'] : [])]
}
