import type { Metrics, RunRequest } from '@agent-task-service/wire/contract'
import { inSeconds, medianOf, sumOf } from '../../figures.ts'
import { advice, type Check, check } from '../check.ts'
import {
  CHARACTERS_PER_TOKEN,
  type CheckedRun,
  PROSE_PER_TOKEN,
  taskKeyOf,
  violationsOf,
} from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { Failed, NotRun, OutOfSight } from '../verdicts.ts'
import { prompted } from './overrides.ts'
import { isRising } from './trend.ts'
import { expectNoneAgain } from './variation.ts'

/** A busy machine may delay any one run. */
const LEAST_RUNS = 3
/** Share of the time measured from outside that must be reported, less the round trip. */
const DURATION_SHARE = 0.1
/** Likewise of runs that have the agent to themselves: for an agent, all but what receives and sends a run. */
const ALONE_SHARE = 0.75
/** What may receive and send a run takes no longer, in milliseconds; nor does work of which a duration says nothing. */
const EDGE_MS = 200
const WORK_MS = 5
/** What an agent's quickest task takes beyond its report, others take so many times at most, or so many milliseconds. */
const EDGES = 3
const LEAST_EDGE_MS = 20
/** Tasks that take so much longer than the quickest one show whether a duration grows with the time; in milliseconds. */
const LONGER_MS = 60
/** Of them, so many at least: a busy machine may delay all of a few. */
const LEAST_LONGER = 6
/** Share of the runs that anything between here and the agent may delay. */
const HELD_UP_SHARE = 0.8
/** Of those that took at most so many times as long as the quickest of their task, so many may be odd. */
const QUICK = 1.1
const ODD_SHARE = 0.15
/** How much a rounded duration may fall short of a tenth. */
const ROUNDING_MS = 100
const REPETITIONS = 10
/** Texts whose lengths differ by so many characters differ in tokens by more than what else a run reads. */
const LONGER = 150
/** Nobody writes so much more for what is read more. */
const READ_SHARE = 0.4
/** Texts whose lengths differ by fewer characters than this may have the same number of tokens. */
const TERSE = 2 * CHARACTERS_PER_TOKEN
/** Characters that an agent may cut a prompt to. */
const LONG_ENOUGH = 2_500
/** Characters of which no tokenizer makes so many tokens by chance. */
const LONG_PROMPT = 5_000
/** Texts of so many lengths, all but a tenth of which have a token a character, to one. */
const LEAST_LENGTHS = 5
const ALIKE_SHARE = 0.9
/** A text is ordinary if so many of its characters are letters of words: digits may be a token each. */
const LETTERS_SHARE = 0.5
const LETTER = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/gu
/** It is prose if so many are. */
const PROSE_SHARE = 0.9
const LONG_TEXT = 200
/** Runs whose metrics an agent may sum up. */
const WINDOWS = [1, 2, 3, 4, 6, 8, 12, 16]
/** English has four characters a token or more: so many tokens of one have been read twice. */
const READ_TWICE = 0.3

export const COUNTED = ['steps', 'input_tokens', 'output_tokens'] as const

/** A successful run with all four metrics. */
export type Measured = Awaited<ReturnType<typeof measured>>[number]

/**
 * Successful runs so far, once all tasks of the file are done.
 *
 * @throws NotRun if there is none
 */
export async function successes(session: Session): Promise<CheckedRun[]> {
  await session.allTasks()
  const succeeded = session.runs.filter(({ reply }) => reply.status === 'success')
  if (succeeded.length === 0) throw new NotRun('no run succeeded')
  return succeeded
}

/** Those whose metrics are complete. */
export async function measured(session: Session) {
  const complete = (await successes(session)).filter(run => violationsOf(run).metrics.length === 0)
  if (complete.length === 0) throw new NotRun('no run had all four metrics')
  return complete.map(run => ({ run, metrics: run.reply.metrics as Metrics }))
}

/**
 * What is reported grows with what is seen, over all runs of the examination. Medians of slopes between two runs take the
 * place of least squares, which a single odd run tilts.
 */
export const regression = (session: Session): Check[] => [
  check('metrics.input_tokens_grow', 'The more a run reads, the more input tokens it reports', async () => {
    await expectNoneAgain(session, async tries => {
      if (tries > 0 || pairsOf(await measured(session)).length === 0) await readMore(session, tries)
      return undergrown(pairsOf(await measured(session)))
    })
  }),
  check('metrics.not_summed', 'Metrics of a run do not include those of runs before it', async () => {
    const runs = await measured(session)
    const sums = COUNTED.map(name => ({ name, window: summed(name, runs) }))
    const found = sums.find(({ window }) => window !== undefined)
    if (found)
      throw new Failed(
        `expected the same ${found.name} whatever came before, got the more, the more those of ${found.window} runs before are`,
      )
  }),
  check('metrics.output_tokens_own', 'output_tokens are not those of the input, too', async () => {
    await expectNoneAgain(session, async tries => {
      await prompted(session, tries)
      const pairs = pairsOf(await measured(session)).filter(({ isPrompted, read }) => isPrompted && read > 0)
      if (pairs.length === 0) return []
      const share = medianOf(pairs.map(({ read, written }) => written / read))
      return share < READ_SHARE
        ? []
        : [
            `expected about the same output_tokens under a longer system_prompt, got ${inPercent(share)} of what it adds to input_tokens`,
          ]
    })
  }),
  check(
    'metrics.output_tokens_text',
    'output_tokens are those of the text at least, and not always the same',
    async () => {
      const runs = (await measured(session)).filter(({ run }) => !session.isRepeat(run))
      for (const { run, metrics } of runs) {
        const { length } = textOf(run)
        const share = lettersIn(textOf(run))
        // A short one may be no model's.
        const isProse = share >= PROSE_SHARE && length >= LONG_TEXT
        const perToken = isProse ? PROSE_PER_TOKEN : CHARACTERS_PER_TOKEN
        const least = Math.floor((length - TERSE) / perToken)
        if (share >= LETTERS_SHARE && metrics.output_tokens < least)
          session.failIn(
            run,
            `expected ${least} output_tokens at least for ${length} characters, got ${metrics.output_tokens}`,
          )
      }
      const lengths = runs.map(({ run }) => textOf(run).length)
      // Answers that are all as short as "42" may cost the same.
      if (Math.max(...lengths) - Math.min(...lengths) < TERSE)
        throw new OutOfSight('all its answers are about as long')
      const values = new Set(runs.map(({ metrics }) => metrics.output_tokens))
      // Another check reports zeros.
      if (values.size === 1 && !values.has(0))
        throw new Failed(`expected output_tokens to differ, got ${[...values]} for ${runs.length} runs`)
    },
  ),
  check('metrics.characters', 'Tokens are not counted as characters', async () => {
    const runs = (await measured(session)).filter(({ metrics }) => metrics.steps > 0)
    const lineOf = (
      textOf: (run: CheckedRun) => string,
      tokensOf: (metrics: Metrics) => number,
      some = runs,
    ) => some.map(({ run, metrics }): Point => [textOf(run), tokensOf(metrics)])
    const [prompts, plain] = [true, false].map(of =>
      runs.filter(({ run }) => (promptOf(run) !== undefined) === of),
    )
    const isOfInput =
      isOfPrompts(await measured(session)) ||
      [prompts, plain].some(
        some =>
          isOneEach(lineOf(textRead, ({ input_tokens }) => input_tokens, some)) ||
          isOneEach(lineOf(textRead, ({ input_tokens, steps }) => input_tokens / steps, some)),
      )
    const isOfOutput = isOneEach(lineOf(textOf, ({ output_tokens }) => output_tokens))
    const name = isOfInput ? 'input_tokens' : 'output_tokens'
    if (isOfInput || isOfOutput) throw new Failed(`expected fewer ${name} than characters, got one for each`)
  }),
  check(
    'metrics.duration_real',
    `duration_sec covers what is measured from outside: ${inPercent(ALONE_SHARE)} of all but the round trip and ${inSeconds(EDGE_MS)}, if runs are alone`,
    async () => expectLong(session, await measured(session)),
  ),
  advice(
    'metrics.input_tokens_of_steps',
    'A run that takes several steps reports what each of them reads, not the first or the last one',
    async () => {
      await prompted(session, 0)
      const runs = await measured(session)
      if (new Set(runs.map(({ metrics }) => metrics.steps)).size === 1)
        throw new OutOfSight('its steps do not show which runs take more')
      const pairs = pairsOf(
        runs.filter(({ run, metrics }) => promptOf(run) !== undefined && metrics.steps > 1),
      )
      if (pairs.length === 0) throw new OutOfSight('no two runs of several steps took as many')
      const slope = medianOf(pairs.map(slopeOf))
      if (slope < READ_TWICE)
        throw new Failed(
          `expected ${1000 * READ_TWICE} input_tokens or more for 1000 characters more of system_prompt, which each step reads, got ${Math.round(1000 * slope)}`,
        )
    },
  ),
]

const inPercent = (share: number) => `${Math.round(100 * share)}%`
const textOf = ({ reply }: CheckedRun) => String(reply.output)
const promptOf = ({ request }: CheckedRun) => request.config?.system_prompt
/** But for blanks, of which many may be one token. */
const textRead = (run: CheckedRun) =>
  `${run.request.input} ${promptOf(run) ?? ''}`.replace(/\s+/g, ' ').trim()
const slopeOf = ({ read, characters }: Pair) => read / characters

type Pair = ReturnType<typeof pairOf>

function pairsOf(runs: readonly Measured[]): Pair[] {
  // An answer from a cache costs nothing.
  const alike = Map.groupBy(
    runs.filter(({ metrics }) => metrics.input_tokens > 0 || metrics.steps > 0),
    ({ run, metrics }) =>
      JSON.stringify([promptOf(run) === undefined, metrics.steps, run.request.config?.enabled_tools]),
  )
  return [...alike.values()].flatMap(group =>
    group.flatMap(less =>
      group.map(more => pairOf(less, more)).filter(({ characters }) => characters >= LONGER),
    ),
  )
}

/** What a run differs by from one that read less, in as many steps and with the same tools. */
function pairOf(less: Measured, more: Measured) {
  const least = textRead(less.run).length
  return {
    isPrompted: promptOf(more.run) !== undefined,
    least,
    characters: textRead(more.run).length - least,
    /** Tokens. */
    read: more.metrics.input_tokens - less.metrics.input_tokens,
    written: more.metrics.output_tokens - less.metrics.output_tokens,
  }
}

/** No tokenizer makes so few tokens of what is read more, be it task or prompt. */
function undergrown(pairs: readonly Pair[]): string[] {
  if (pairs.length === 0) throw new OutOfSight('no two runs took as many steps for texts of other lengths')
  const kinds = [
    { name: 'a long system_prompt', of: pairs.filter(pair => pair.isPrompted && pair.least >= LONG_ENOUGH) },
    { name: 'system_prompt', of: pairs.filter(({ isPrompted }) => isPrompted) },
    { name: 'input', of: pairs.filter(({ isPrompted }) => !isPrompted) },
  ]
  return kinds.flatMap(({ name, of }) => {
    if (of.length === 0) return []
    // Texts that differ little may differ less than what else a model reads.
    const longest = Math.max(...of.map(({ characters }) => characters))
    const far = of.filter(({ characters }) => 2 * characters >= longest)
    const slope = Math.max(...[of, far].map(pairs => medianOf(pairs.map(slopeOf))))
    if (slope >= 1 / CHARACTERS_PER_TOKEN) return []
    return [
      `expected ${1000 / CHARACTERS_PER_TOKEN} input_tokens or more for 1000 characters more of ${name}, got ${Math.round(1000 * slope)}`,
    ]
  })
}

/** Runs that read more and less, in as many steps if this agent does a task in the same way each time. */
async function readMore(session: Session, tries: number): Promise<void> {
  const { task } = await session.reference()
  await prompted(session, tries)
  await session.again()
  await session.runTask({ ...task, input: Array<string>(REPETITIONS).fill(task.input).join('\n') })
}

/** Over how many runs before, if any, a metric is summed up: what one task costs grows with what those cost. */
function summed(name: (typeof COUNTED)[number], all: readonly Measured[]): number | undefined {
  // Blanks are read, and change nothing else.
  const inputOf = ({ input }: RunRequest) => (name === 'input_tokens' ? input : input.trim())
  const runs = all
    // An answer from a cache costs nothing.
    .filter(({ metrics }) => metrics.steps > 0)
    .toSorted((a, b) => Number(a.run.when.to) - Number(b.run.when.to))
    .map(({ run: { request }, metrics }) => ({
      task: taskKeyOf({ request: { ...request, input: inputOf(request) } }),
      cost: metrics[name],
    }))
  const least = new Map<string, number>()
  for (const { task, cost } of runs) least.set(task, Math.min(cost, least.get(task) ?? cost))
  const before = (at: number, window: number) =>
    sumOf(runs.slice(Math.max(0, at - window), at).map(({ task }) => least.get(task)!))
  return WINDOWS.find(window => {
    const costs = runs.map(({ task, cost }, at) => ({ task, cost, before: before(at, window) }))
    const same = [...Map.groupBy(costs, ({ task }) => task).values()].filter(({ length }) => length > 1)
    return isRising(same.flatMap(fromMedians))
  })
}

/** Costs of one task and of the runs before, as they differ from their medians: tasks that cost more may also vary more. */
function fromMedians(same: readonly { readonly cost: number; readonly before: number }[]) {
  const [cost, before] = [medianOf(same.map(one => one.cost)), medianOf(same.map(one => one.before))]
  return same.map(one => [one.cost - cost, one.before - before] as const)
}

type Point = readonly [text: string, tokens: number]

/** Whether each prompt that is longer is read as so many tokens, once or more often. */
function isOfPrompts(runs: readonly Measured[]): boolean {
  const longer = pairsOf(runs).filter(({ isPrompted, characters }) => isPrompted && characters >= LONG_PROMPT)
  const isWhole = ({ read, characters }: Pair) => {
    const times = Math.round(read / characters)
    return times > 0 && Math.abs(read - times * characters) <= 2 * times
  }
  // Of other tasks, results of tools differ too.
  return longer.length > 0 && 2 * longer.filter(isWhole).length >= longer.length
}

/** Whether tokens and characters differ by the same number, however many they are. */
function isOneEach(points: readonly Point[]): boolean {
  const ofLengths = new Map(
    points
      .filter(([text]) => lettersIn(text) >= LETTERS_SHARE)
      .map(([text, tokens]) => [text.length, tokens]),
  )
  if (ofLengths.size < LEAST_LENGTHS) return false
  const more = [...ofLengths].map(([characters, tokens]) => tokens - characters)
  const alike = more.filter(one => Math.abs(one - medianOf(more)) <= 1)
  return alike.length >= ALIKE_SHARE * more.length
}

/** Share of its characters, but for blanks, in alphabets that have blanks between words. */
function lettersIn(text: string): number {
  return (text.match(LETTER)?.length ?? 0) / text.replace(/\s/g, '').length
}

function expectLong(session: Session, all: readonly Measured[]): void {
  const fair = all.filter(({ run }) => run.busy === undefined)
  const of = (runs: readonly Measured[]) => [
    runs.filter(({ run }) => run.alone),
    runs.filter(({ run }) => run.alone || run.exchange.wallMs > 1_000),
  ]
  const runs = [...of(fair), ...of(all)].find(({ length }) => length >= LEAST_RUNS)
  if (runs === undefined) throw new NotRun(`needs ${LEAST_RUNS} runs that had the agent to themselves`)
  // Durations of an agent that rounds them may fall short by as much.
  const digits = Math.max(...all.map(({ metrics }) => decimals(metrics.duration_sec)))
  const roundingMs = 1000 / 10 ** digits
  const leastMs = ({ alone, exchange: { wallMs } }: CheckedRun, edgeMs: number) => {
    const seenMs = wallMs - session.calls.wayMs - WORK_MS
    const least = DURATION_SHARE * (seenMs - Math.min(ROUNDING_MS, roundingMs))
    return alone ? Math.max(least, ALONE_SHARE * (seenMs - edgeMs) - roundingMs) : least
  }
  const { first, quick, edgeMs } = quickest(runs)
  const moreMs = ({ exchange }: CheckedRun) => exchange.wallMs - first!.run.exchange.wallMs
  // What comes before and after its work, a longer task takes as the quickest one does.
  const grownMs = (run: CheckedRun) =>
    1000 * first!.metrics.duration_sec + ALONE_SHARE * (moreMs(run) - WORK_MS) - 2 * roundingMs
  const shortOf = (some: readonly Measured[], share: number, least: number, leastOf: typeof grownMs) => {
    const short = some.filter(({ run, metrics }) => metrics.duration_sec * 1000 < leastOf(run))
    return short.length >= Math.max(least, share * some.length) ? short : []
  }
  const longer = quick.filter(({ run }) => moreMs(run) >= LONGER_MS)
  const beyondEdges = quick.filter(({ run }) => run.exchange.wallMs > 2 * edgeMs)
  const [shown] = [
    ...shortOf(runs, HELD_UP_SHARE, LEAST_RUNS, run => leastMs(run, EDGE_MS)),
    ...shortOf(beyondEdges, ODD_SHARE, LEAST_RUNS, run => leastMs(run, edgeMs)),
    ...shortOf(longer, ODD_SHARE, LEAST_LONGER, grownMs),
  ]
  if (shown === undefined) return
  const { run, metrics } = shown
  if (run.busy) throw new NotRun(run.busy.why)
  session.failIn(
    run,
    `expected about ${inSeconds(run.exchange.wallMs)}, got ${metrics.duration_sec} s, likewise in other runs`,
  )
}

/**
 * Of each task, runs that took as long as its quickest, which no delay can have made longer; the first of all; and what the quickest
 * task takes beyond its report.
 */
function quickest(runs: readonly Measured[]) {
  const wallMs = ({ run }: Measured) => run.exchange.wallMs
  const alone = runs.filter(({ run }) => run.alone)
  const tasks = [...Map.groupBy(alone, ({ run }) => run.request.input.trim()).values()]
    .filter(({ length }) => length >= LEAST_RUNS)
    .map(same => same.filter(one => wallMs(one) <= QUICK * Math.min(...same.map(wallMs))))
    .toSorted(([a], [b]) => wallMs(a!) - wallMs(b!))
  const beyond = tasks[0]?.map(one => wallMs(one) - 1000 * one.metrics.duration_sec) ?? []
  const quick = tasks.flat().toSorted((a, b) => wallMs(a) - wallMs(b))
  return { first: quick[0], quick, edgeMs: Math.max(LEAST_EDGE_MS, EDGES * Math.min(...beyond)) }
}

function decimals(value: number): number {
  return String(value).split('.')[1]?.length ?? 0
}
