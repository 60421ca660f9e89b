import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { sumOf } from '../figures.ts'
import { STAGING } from '../program.ts'
import {
  type Assertion,
  assertionsIn,
  type Estimate,
  type Group,
  type Means,
  type Report,
} from '../report.ts'
import { redactor } from '../secrets.ts'
import { causeOf } from './cause.ts'
import type { Check, CheckGroup } from './check.ts'
import { type ChosenGroup, loadOf } from './load.ts'
import type { CheckOptions } from './options.ts'
import { whyOf } from './sentences.ts'
import { type CheckedRun, failuresOf, figuresOf, violationsOf } from './session/replies.ts'
import type { Session } from './session/session.ts'
import { Failed, NotRun, OutOfSight } from './verdicts.ts'
import { waysOf } from './ways.ts'

/** An end is known a moment after its connections are cut. */
const ENDING_MS = 200
/** How many times longer the checks must take than was told, to be told again. */
const TELLING = 1.5
/** Named for each assertion. */
const MAX_RUNS = 100
/** Of the log of a process that ended. */
const LAST_LINES = 5

/** Runs checks and builds the report, whatever a check does. */
export function reportBuilder(session: Session, chosen: readonly ChosenGroup[]) {
  const { options } = session
  const startedAt = new Date().toISOString()
  let made = chosen
  /** Ids of the checks that are made, some of which wait for those before them to enter the report. */
  const examined = new Set<string>()
  /** The runs that each check made so far, by its id. */
  const ran = new Map<string, readonly CheckedRun[]>()
  /** The runs that each assertion that failed saw, by its id. */
  const evidence = new Map<string, readonly CheckedRun[]>()
  let groups = made.map(waiting)
  const secrets = [options.token, options.platform?.token, ...(options.start?.secrets.values() ?? [])]
  const redact = redactor(secrets.filter(secret => secret !== undefined))

  function report(finishedAt: string | null = null): Report {
    const { estimate } = session
    return {
      url: options.url,
      agentId: options.agentId ?? null,
      startedAt,
      finishedAt,
      verdict: finishedAt === null ? null : verdictOf(groups),
      requests: session.calls.requests,
      estimate,
      expectedSeconds: finishedAt === null ? expectedSeconds() : undefined,
      // Checks that ended early leave groups that they never entered.
      groups: groups.filter(({ state }) => finishedAt === null || state !== 'waiting'),
      ...(finishedAt !== null && causeOf(session, groups, evidence)),
      unseen: unseenOf(options),
      means: finishedAt === null ? undefined : meansOf(session.runs),
    }
  }

  /** Seconds of all checks: those so far, and what is left at the pace of the runs so far; undefined before the first. */
  function expectedSeconds(): number | undefined {
    const leftMs = session.calls.budget.timeLeft(loadOf(made, session, examined))
    return leftMs && Math.round((Date.now() - Date.parse(startedAt) + leftMs) / 1000)
  }

  /** What is to be told now; undefined if it was told before. */
  function laterEstimate(): Estimate | undefined {
    const told = groups.findLast(group => group.estimate)?.estimate ?? session.estimate
    const seconds = expectedSeconds()
    if (told === undefined || seconds === undefined || seconds < TELLING * told.seconds) return undefined
    return { ...told, runSeconds: session.calls.budget.runSeconds, seconds }
  }

  /** Those that may be beside others came first. */
  function inOrder({ id, assertions }: Group): Partial<Group> {
    const ids = made.find(({ group }) => group.id === id)!.checks.map(check => check.id)
    return { assertions: assertions.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)) }
  }

  function change({ id }: CheckGroup, of: (group: Group) => Partial<Group>): void {
    groups = groups.map(group => (group.id === id ? { ...group, ...of(group) } : group))
    options.onProgress?.(report())
  }

  options.onProgress?.(report())
  session.calls.onRequest = () => options.onProgress?.(report())
  return {
    /** Before any group is entered: others are made than were chosen. */
    choose(others: readonly ChosenGroup[]): void {
      made = others
      groups = made.map(waiting)
    },

    enter(group: CheckGroup, state: Group['state']): void {
      const estimate = laterEstimate()
      change(group, () => ({ state, ...(state === 'underway' && estimate && { estimate }) }))
      if (state === 'done') change(group, inOrder)
    },

    /** @param obstacle why no check in the group can run */
    async run(check: Check, obstacle: string | undefined, isBeside: boolean): Promise<CheckOutcome> {
      const startedAt = performance.now()
      const found = async (): Promise<Found> =>
        obstacle === undefined ? await verdictOfCheck(check) : { verdict: 'not_run', detail: obstacle }
      const outcome = await session.observe(found, isBeside)
      examined.add(check.id)
      ran.set(check.id, [...(ran.get(check.id) ?? []), ...outcome.ran])
      const hadError = outcome.seen.some(run => failuresOf(run).length > 0)
      return { ...outcome, hadError, ms: performance.now() - startedAt }
    },

    /** Enters what a check found into the report. */
    async record(group: CheckGroup, { id, title, advisory }: Check, outcome: CheckOutcome): Promise<void> {
      let found = outcome.result
      const death = found.verdict === 'pass' ? undefined : await deathOf(session)
      if (death !== undefined && group.id !== 'end') {
        session.death = { how: visible(redact(death)), during: { id, title } }
        found = { verdict: 'fail', detail: death, isMandatory: true }
      }
      if (found.verdict === 'fail') evidence.set(id, outcome.seen)
      const assertion: Assertion = {
        id,
        title,
        verdict: found.verdict,
        mandatory: found.isMandatory ?? (!advisory && found.isOutOfSight !== true),
        detail: found.detail === null ? null : visible(redact(found.detail)),
        ...(found.verdict === 'fail' && { run: outcome.record, source: outcome.sourceRecord }),
        ...recordsOf(ran.get(id) ?? []),
        why: whyOf(id),
        how: redact(outcome.how ?? group.how?.(session) ?? session.curlOf(outcome.seen)),
        seconds: Math.round(outcome.ms) / 1000,
      }
      change(group, ({ assertions }) => ({ assertions: [...assertions, assertion] }))
    },

    finish: () => report(new Date().toISOString()),
  }
}

/** The numbers of the runs' records, if they have some. */
function recordsOf(ran: readonly CheckedRun[]): Pick<Assertion, 'runs'> {
  const runs = ran.map(({ record }) => record).filter(record => record !== undefined)
  return runs.length > 0 ? { runs: runs.slice(-MAX_RUNS) } : {}
}

function waiting({ group: { id, title }, checks }: ChosenGroup): Group {
  return { id, title, state: 'waiting', expected: checks.length, assertions: [] }
}

/** What a check found, how to see it again, and how long it took. */
export interface CheckOutcome extends Awaited<ReturnType<Session['observe']>> {
  readonly result: Found
  readonly ms: number
  /** Whether one of its runs failed, by its status or its HTTP status. */
  readonly hadError: boolean
}

interface Found {
  readonly verdict: Assertion['verdict']
  readonly detail: string | null
  /** Makes any assertion advisory. */
  readonly isOutOfSight?: boolean
  /** Whatever its check says. */
  readonly isMandatory?: true
}

/** How the agent's process ended by itself; undefined: it runs, or is not ours. */
async function deathOf({ options: { start }, calls }: Session): Promise<string | undefined> {
  // Once requests have stopped, nothing more can end it.
  const wait = calls.end === undefined ? sleep(ENDING_MS) : setImmediate()
  const how = await Promise.race([start?.ended, wait])
  if (how === undefined) return undefined
  const lines = (await start?.lastWords?.())?.split('\n').slice(-LAST_LINES) ?? []
  return `the agent's process ended by itself (${how}). Its last lines: ${lines.join(' | ')}`
}

async function verdictOfCheck(check: Check): Promise<Found> {
  try {
    await check.run()
    return { verdict: 'pass', detail: null }
  } catch (error) {
    if (error instanceof Failed) return { verdict: 'fail', detail: error.message }
    if (error instanceof NotRun) {
      return { verdict: 'not_run', detail: error.message, isOutOfSight: error instanceof OutOfSight }
    }
    // A bug of ours says nothing about the agent.
    return { verdict: 'not_run', detail: `the check itself failed: ${String(error)}` }
  }
}

function verdictOf(groups: readonly Group[]): Report['verdict'] {
  const mandatory = assertionsIn(groups).filter(assertion => assertion.mandatory)
  if (mandatory.some(({ verdict }) => verdict === 'fail')) return 'failed'
  const isPassed = mandatory.length > 0 && mandatory.every(({ verdict }) => verdict === 'pass')
  return isPassed ? 'passed' : 'incomplete'
}

function meansOf(runs: readonly CheckedRun[]): Means | undefined {
  const counted = runs.filter(run => run.reply.status === 'success' && violationsOf(run).metrics.length === 0)
  if (counted.length === 0) return undefined
  const mean = (figureOf: (run: CheckedRun) => unknown) =>
    sumOf(counted.map(run => Number(figureOf(run)))) / counted.length
  return {
    runs: counted.length,
    seconds: Number((mean(({ exchange }) => exchange.wallMs) / 1000).toPrecision(3)),
    inputTokens: Math.round(mean(run => figuresOf(run).input_tokens)),
    outputTokens: Math.round(mean(run => figuresOf(run).output_tokens)),
    steps: Number(mean(run => figuresOf(run).steps).toFixed(1)),
  }
}

/** What the given options leave unchecked. */
function unseenOf(options: CheckOptions): string[] {
  const { log, start, notStarted, startStalled, image, token, platform } = options
  const ways = waysOf(options)
  const isStarted = start !== undefined || notStarted !== undefined
  const isEnded = notStarted !== undefined || start?.end !== undefined
  const isAlone = start?.outsideUrls?.length === 0
  return [
    ...(log || isStarted ? [] : [`its log (${ways.log})`]),
    ...(isStarted ? [] : [`its start, its shutdown and the secrets in its environment (${ways.start})`]),
    ...(isStarted && !isEnded ? [`its shutdown (${ways.start})`] : []),
    ...(isAlone ? ['whether others reach it: this machine has no other address'] : []),
    ...(startStalled ? [] : [`a run without a model (${ways.stall})`]),
    ...(image === undefined ? [`its image (${ways.image})`] : []),
    ...(platform ? [] : [`the staging route and the totals in the database (the checks in ${STAGING})`]),
    ...(token === undefined ? [`whether it asks for its token (${ways.token})`] : []),
  ]
}

/** Line breaks, terminal escapes, and characters that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** An agent's text made safe to print: on one line, without terminal escapes. */
function visible(text: string): string {
  return text.replace(UNSEEN, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
