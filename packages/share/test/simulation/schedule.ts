import { Random } from '@agent-task-service/test-support/random'
import type { ToolName } from './run-records.ts'

/** What the model does when a run asks it: it calls tools, or answers. */
export interface Turn {
  /** Milliseconds before its first word. */
  readonly delayMs: number
  /** Tools that it calls; none: it answers. */
  readonly tools: readonly ToolUse[]
  /** How often it fails before, with a temporary error. */
  readonly failures: number
  /** Pieces of its answer, and milliseconds between them. */
  readonly pieces: number
  readonly pieceMs: number
  /** Never ends, and hears no signal. */
  readonly hangs: boolean
}

export interface ToolUse {
  /** `act` has side effects, `look` and `peek` have none. */
  readonly name: ToolName
  readonly ms: number
  readonly fails: boolean
  /** Never ends, and hears no signal. */
  readonly hangs: boolean
}

export interface TaskPlan {
  readonly id: string
  readonly turns: readonly Turn[]
  readonly maxTokens: number | undefined
}

export interface CallerPlan {
  readonly at: number
  readonly task: number
  /** Another body under the same id. */
  readonly isOther: boolean
  readonly replica: number
  readonly isStream: boolean
  /** Milliseconds after which it hangs up; 0: before its body is read; absent: it waits. */
  readonly hangsUpAfter: number | undefined
}

export type Fault = { readonly at: number } & (
  | { readonly kind: 'kill' | 'drain'; readonly replica: number }
  /** Between one replica and Redis; `answers`: what it asks is done, only the answers are lost. */
  | { readonly kind: 'cut'; readonly replica: number; readonly ms: number; readonly answers: boolean }
  /** Redis answers nobody. */
  | { readonly kind: 'outage'; readonly ms: number }
  /** Redis forgets all. */
  | { readonly kind: 'flush' }
)

/** All that happens in a simulation. */
export interface Schedule {
  readonly seed: number
  readonly replicas: number
  readonly env: Readonly<Record<string, string>>
  readonly tasks: readonly TaskPlan[]
  readonly callers: readonly CallerPlan[]
  readonly faults: readonly Fault[]
  /** Whether all slots are filled once more at the end. */
  readonly fillsSlots: boolean
}

export const RUN_TIMEOUT_MS = 10_000
const GRACE_SEC = 5
/** Within this time, in milliseconds, all callers come and all faults begin. */
const BUSY_MS = 12_000

/** The schedule of a seed. In every fourth, replicas are lost in the midst of long runs. */
export function scheduleOf(seed: number): Schedule {
  const random = new Random(seed)
  if (seed % 4 === 1) return scheduleOfLosses(random, seed)
  const replicas = random.pick([1, 1, 2, 2, 3])
  const hasRedis = replicas > 1 || random.happens(0.3)
  const slots = random.pick(['1', '1', '2', '3'])
  const tasks = listOf(random.pick([1, 1, 2, 3]), () => taskPlan(random))
  const callers = callerPlans(random, tasks, replicas)
  return {
    seed,
    replicas,
    env: {
      RUN_TIMEOUT_SEC: String(RUN_TIMEOUT_MS / 1000),
      ANSWER_BY_SEC: '6',
      SHUTDOWN_GRACE_SEC: String(GRACE_SEC),
      MAX_CONCURRENT_RUNS: slots,
      MAX_QUEUED_RUNS: random.pick(['0', '1', '4', '4']),
      MAX_STEPS: random.pick(['3', '5', '8']),
      REPLAY_TTL_SEC: random.pick(['0', '60', '60']),
      ERROR_METRICS: 'filled',
      ...(hasRedis && { REDIS_URL: 'redis://simulated' }),
    },
    tasks,
    callers,
    fillsSlots: slots === '1' || random.happens(0.2),
    faults: random.happens(0.5) ? faults(random, callers, tasks, replicas, hasRedis, seed % 2 === 0) : [],
  }
}

function scheduleOfLosses(random: Random, seed: number): Schedule {
  const replicas = random.pick([2, 2, 3])
  const tasks = listOf(random.pick([1, 1, 2]), () => longTaskPlan(random))
  const [first, ...others] = callerPlans(random, tasks, replicas)
  const { at, task, replica } = first!
  const stays = { ...first!, hangsUpAfter: undefined }
  // It may wait until its soft deadline is over.
  const waits = { ...stays, at: at + random.delay(1_000), replica: random.whole(0, replicas - 1) }
  const comesLater = { ...waits, at: at + 5_000 + random.delay(5_000) }
  const callers = [stays, waits, comesLater, ...others]
  const moments = momentsIn(tasks[task]!).map(moment => at + moment)
  const lostAt = random.pick(moments) + random.delay(500)
  // While it lasts, replicas run the task alone.
  const outage = { at: lostAt, kind: 'outage' as const, ms: 5_000 + random.delay(5_000) }
  const more = random.happens(0.2)
    ? [outage]
    : listOf(random.whole(0, 2), () => fault(random, momentOf(random, moments, BUSY_MS), replicas, true))
  return {
    seed,
    replicas,
    env: {
      RUN_TIMEOUT_SEC: String(RUN_TIMEOUT_MS / 1000),
      ANSWER_BY_SEC: random.pick(['6', '9']),
      SHUTDOWN_GRACE_SEC: String(GRACE_SEC),
      MAX_CONCURRENT_RUNS: '4',
      MAX_STEPS: random.pick(['8', '30', '30']),
      REPLAY_TTL_SEC: random.pick(['0', '60']),
      ERROR_METRICS: 'filled',
      REDIS_URL: 'redis://simulated',
    },
    tasks,
    callers,
    fillsSlots: false,
    faults: [{ at: lostAt, kind: random.pick(['kill', 'kill', 'drain']), replica }, ...more],
  }
}

function longTaskPlan(random: Random): TaskPlan {
  const short = (turn: Turn): Turn => ({
    ...turn,
    delayMs: random.delay(1_000),
    tools: mixed(
      random,
      turn.tools.map(use => ({ ...use, ms: random.delay(500) })),
    ),
  })
  const rounds = listOf(random.whole(1, 4), () => short(turn(random, true)))
  return { id: random.uuid(), turns: [...rounds, short(turn(random, false))], maxTokens: undefined }
}

/** Some of them peek, and two may be equal. */
function mixed(random: Random, tools: readonly ToolUse[]): ToolUse[] {
  const uses = tools.map(use => (random.happens(0.1) ? { ...use, name: 'peek' as const } : use))
  return uses.length > 1 && random.happens(0.2) ? [uses[0]!, ...uses.slice(0, -1)] : uses
}

function taskPlan(random: Random): TaskPlan {
  const rounds = random.pick([0, 0, 0, 1, 1, 2])
  return {
    id: random.happens(0.8) ? random.uuid() : `test-${random.whole(1, 9)}`,
    turns: [...listOf(rounds, () => turn(random, true)), turn(random, false)],
    maxTokens: random.happens(0.1) ? random.whole(5, 60) : undefined,
  }
}

function turn(random: Random, callsTools: boolean): Turn {
  const pieces = callsTools ? 0 : random.whole(1, 4)
  return {
    delayMs: random.delay(4_000),
    tools: callsTools ? listOf(random.whole(1, 3), () => toolUse(random)) : [],
    failures: random.happens(0.1) ? random.whole(1, 2) : 0,
    pieces,
    pieceMs: random.delay(500),
    hangs: random.happens(0.04),
  }
}

function toolUse(random: Random): ToolUse {
  return {
    name: random.happens(0.3) ? 'act' : 'look',
    ms: random.delay(3_000),
    fails: random.happens(0.1),
    hangs: random.happens(0.03),
  }
}

/** Callers one by one: most races need one that comes just when something happens to another. */
function callerPlans(random: Random, tasks: readonly TaskPlan[], replicas: number): CallerPlan[] {
  const moments: number[] = []
  return listOf(random.whole(1, 5), () => {
    const task = random.whole(0, tasks.length - 1)
    const at = momentOf(random, moments, BUSY_MS)
    const hangsUpAfter = random.happens(0.3) ? random.pick([0, random.delay(9_000)]) : undefined
    moments.push(at, at + RUN_TIMEOUT_MS, at + (hangsUpAfter ?? tasks[task]!.turns[0]!.delayMs))
    return {
      at,
      task,
      isOther: random.happens(0.1),
      replica: random.whole(0, replicas - 1),
      isStream: random.happens(0.4),
      hangsUpAfter,
    }
  })
}

/** One of the moments at which something happens, or a little after it; sometimes any. */
function momentOf(random: Random, moments: readonly number[], latest: number): number {
  if (moments.length === 0 || random.happens(0.4)) return random.delay(latest)
  return random.pick(moments) + random.delay(50)
}

/** @param betweenCalls whether some happen between the calls of a run: in every second schedule */
function faults(
  random: Random,
  callers: readonly CallerPlan[],
  tasks: readonly TaskPlan[],
  replicas: number,
  hasRedis: boolean,
  betweenCalls: boolean,
): Fault[] {
  const moments = callers.flatMap(({ at, task, hangsUpAfter = 0 }) => [
    ...[at, at + hangsUpAfter],
    ...(betweenCalls ? momentsIn(tasks[task]!).map(moment => at + moment) : []),
  ])
  return listOf(random.whole(1, 2), () =>
    fault(random, momentOf(random, moments, BUSY_MS), replicas, hasRedis),
  )
}

/** When the model answers and the tools are done, if nothing delays the run. */
function momentsIn({ turns }: TaskPlan): number[] {
  let moment = 0
  return turns.flatMap(({ delayMs, tools }) => {
    const answered = moment + delayMs
    moment = answered + Math.max(0, ...tools.map(({ ms }) => ms))
    return [answered, moment]
  })
}

function fault(random: Random, at: number, replicas: number, hasRedis: boolean): Fault {
  const replica = random.whole(0, replicas - 1)
  const kind = random.pick(
    hasRedis
      ? (['kill', 'kill', 'drain', 'cut', 'cut', 'outage', 'flush'] as const)
      : (['kill', 'drain'] as const),
  )
  const ms = random.whole(20, 8_000)
  if (kind === 'kill' || kind === 'drain') return { at, kind, replica }
  if (kind === 'cut') return { at, kind, replica, ms, answers: random.happens(0.5) }
  return kind === 'outage' ? { at, kind, ms } : { at, kind }
}

function listOf<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make)
}
