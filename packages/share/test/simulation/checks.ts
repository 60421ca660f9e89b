import { type RunResponse, runResponse } from '@agent-task-service/wire/contract'
import type { RunRecord } from './run-records.ts'
import { type Fault, RUN_TIMEOUT_MS, type Schedule } from './schedule.ts'
import {
  noEffectIsHadTwiceOrLost,
  recordedCallsAreNotMadeAgain,
  recordedStepsAreInTheConversation,
  repliesIn,
  stepsAreRecordedAtOnce,
  whatIsNotTheirOwnWasGivenToThem,
} from './taken-over.ts'
import type { Call, StreamedEvent, World } from './world.ts'

/** Replies may come this much after the deadline: what is asked of Redis then may take as long. */
const LATE_MS = 500
/** For this long after the deadline of the caller that began it, a task is remembered if its replica was lost. */
const REMEMBERED_MS = 4_900
/** So long a run without callers here asks Redis for others, and may be joined meanwhile. */
const ASKING_MS = 10
/** A run may go on for this long after its last caller has left: others may wait elsewhere. */
const LEAVING_MS = 1_500

type Body = Readonly<Record<string, unknown>>
type Check = (world: World) => Iterable<string>

/** What went wrong in a world in which all is over. */
export function problemsOf(world: World): string[] {
  return CHECKS.flatMap(check => [...check(world)])
}

const CHECKS: readonly Check[] = [
  function* everyCallerIsAnswered({ calls, schedule, replicas }) {
    const answered = new Set(calls.filter(({ outcome }) => outcome !== 'lost').map(({ plan }) => plan))
    const isAnyAlive = replicas.some(({ diedAt }) => diedAt === undefined)
    for (const plan of schedule.callers)
      if (!answered.has(plan) && isAnyAlive) yield `${nameOf(plan)} got no answer`
  },
  function* repliesAreValid({ calls }) {
    for (const call of repliesOf(calls)) {
      const { status, retryAfter, body } = call
      if (status !== 200 && status !== 503) yield `${describeCall(call)}: expected status 200 or 503`
      if (status === 503 && retryAfter === null) yield `${describeCall(call)}: expected Retry-After`
      if (!runResponse.safeParse(body).success)
        yield `${describeCall(call)}: expected a reply by the contract`
      if (/internal|failed|hung up/.test(errorOf(call)) && !/tool/.test(errorOf(call)))
        yield `${describeCall(call)}: nobody should read this`
    }
  },
  function* repliesAreInTime({ calls }) {
    for (const call of repliesOf(calls))
      if (call.endedAt - call.sentAt > RUN_TIMEOUT_MS + LATE_MS)
        yield `${describeCall(call)}: expected it by the deadline`
  },
  function* durationsAreTrue({ calls, schedule }) {
    if (schedule.faults.length > 0) return
    for (const call of repliesOf(calls).filter(({ status, isReplay }) => status === 200 && !isReplay)) {
      const elapsed = call.endedAt - call.sentAt
      const isAlone = calls.every(
        other => other === call || !isSameTask(other, call) || !isMeanwhile(other, call),
      )
      if (isAlone && Math.abs(elapsed - metricsOf(call).duration_sec * 1000) > 50)
        yield `${describeCall(call)}: expected a duration of ${elapsed} ms`
    }
  },
  function* metricsAddUp(world) {
    for (const call of successesOf(world.calls)) {
      const run = runOfAnswer(call, world)
      if (!run) {
        yield `${describeCall(call)}: expected the output of a run`
        continue
      }
      const replies = repliesIn(run).map(({ text }) => world.records.replyIn(text)!)
      const { steps, input_tokens, output_tokens } = metricsOf(call)
      // Of a try that was given up, nobody knows what it used.
      if (replies.some(({ run, turn }) => !isWhole(run, turn))) continue
      const [input, output] = [
        replies.reduce((sum, { usage }) => sum + usage!.input, 0),
        replies.reduce((sum, { usage }) => sum + usage!.output, 0),
      ]
      if (input_tokens !== input || output_tokens !== output)
        yield `${describeCall(call)}: expected ${input} and ${output} tokens`
      const results = run.conversation!.filter(({ type, text }) => type === 'tool' && !/Not run/.test(text))
      const expected = replies.length + results.length
      if (steps !== expected) yield `${describeCall(call)}: expected ${expected} steps`
    }
  },
  function* nobodyGetsAnotherTask(world) {
    for (const call of successesOf(world.calls)) {
      const run = runOfAnswer(call, world)
      if (run && !isOfTask(run, call)) yield `${describeCall(call)}: expected the answer to its own task`
    }
  },
  function* stepsAreWithinTheLimit({ calls, schedule }) {
    for (const call of repliesOf(calls))
      if ((metricsOf(call).steps ?? 0) > Number(schedule.env.MAX_STEPS))
        yield `${describeCall(call)}: too many steps`
  },
  function* equalTasksShareOneAnswer({ calls, runs }) {
    const byText = Map.groupBy(successesOf(calls), ({ body }) => String(body?.output))
    for (const [text, shared] of byText) {
      const bodies = new Set(shared.map(({ body }) => JSON.stringify(body)))
      if (bodies.size > runsWithAnswer(text, runs).length)
        yield `one run has ${bodies.size} replies: ${[...bodies].join(' | ')}`
    }
  },
  function* nothingRunsTwice({ runs, calls, schedule, replicas }) {
    if (schedule.faults.some(isOfRedis)) return
    const isKilled = ({ replica }: RunRecord) => replicas[replica]!.diedAt !== undefined
    const lasting = runs.filter(run => hasOneBody(schedule, run.task) && !isKilled(run))
    for (const [first, second] of pairsOf(lasting)) {
      if (first.task === second.task && first.from < second.to && second.from < first.to)
        yield `task ${first.task} runs twice at once: runs ${first.nth} and ${second.nth}`
    }
    if (schedule.env.REPLAY_TTL_SEC === '0') return
    for (const call of successesOf(calls)) {
      if (!hasOneBody(schedule, call.plan.task)) continue
      const later = runs.find(
        run =>
          isOfTask(run, call) &&
          run.from > call.endedAt &&
          !isKilled(run) &&
          replicas[call.replica]!.diedAt === undefined,
      )
      if (later) yield `${describeCall(call)}: run ${later.nth} came after its success`
    }
  },
  function* effectsOfLostRunsAreNotRepeated({ runs, calls, schedule, replicas }) {
    if (schedule.faults.some(isOfRedis)) return
    for (const lost of runs) {
      const { diedAt } = replicas[lost.replica]!
      const had = placesOfEffects(lost)
      const wasUnfinished = diedAt !== undefined && had.length > 0 && lost.to >= diedAt - 1
      if (!wasUnfinished || !isUnique(schedule, lost.task)) continue
      // Those after it may be new runs.
      const next = runs.find(
        run =>
          run !== lost &&
          run.task === lost.task &&
          run.isOther === lost.isOther &&
          run.from >= diedAt &&
          run.from < rememberedUntil(lost, calls),
      )
      if (next && placesOfEffects(next).some(place => had.includes(place)))
        yield `run ${lost.nth} was lost after side effects, and run ${next.nth} has them again`
    }
  },
  function* runsEndWithTheirCallers({ runs, calls, schedule, replicas }) {
    if (schedule.faults.some(isOfRedis)) return
    for (const run of runs) {
      const ofTask = calls.filter(({ plan }) => plan.task === run.task)
      const lastEnd = Math.max(...ofTask.map(({ endedAt }) => endedAt))
      if (replicas[run.replica]!.diedAt === undefined && run.to > lastEnd + LEAVING_MS)
        yield `run ${run.nth} of task ${run.task} goes on until ${run.to}, and its last caller was gone at ${lastEnd}`
    }
  },
  function* eventsAreInOrder(world) {
    for (const call of world.calls) {
      if (!call.events) continue
      yield* eventProblems(call, call.events)
      // Of a run at another replica, callers get no text.
      if (runOfAnswer(call, world)?.replica === call.replica) yield* textProblems(call, call.events)
    }
  },
  function* runsAreLoggedOnce({ replicas, runs }) {
    for (const { nth, runLines, diedAt } of replicas) {
      const worked = runs.filter(({ replica }) => replica === nth).length
      if (diedAt === undefined && runLines.length < worked)
        yield `replica ${nth} has ${worked} runs, and ${runLines.length} lines about them`
    }
  },
  function* nobodyWaitsAtTheEnd({ replicas }) {
    for (const { nth, service, diedAt } of replicas) {
      const { callers } = service.tasks
      if (diedAt === undefined && callers > 0) yield `replica ${nth} has ${callers} callers left`
    }
  },
  function* recordsOfStepsAreTrue({ steps }) {
    yield* steps.problems
  },
  recordedCallsAreNotMadeAgain,
  recordedStepsAreInTheConversation,
  whatIsNotTheirOwnWasGivenToThem,
  noEffectIsHadTwiceOrLost,
  stepsAreRecordedAtOnce,
]

function* eventProblems(call: Call, events: readonly StreamedEvent[]): Generator<string> {
  const types = events.map(({ type }) => type)
  const ids = events.map(({ id }) => id)
  if (types.filter(type => type === 'run_started').length > 1) yield `${describeCall(call)}: it started twice`
  if (types.indexOf('run_finished') !== types.length - 1)
    yield `${describeCall(call)}: expected run_finished last`
  if (ids.some((id, index) => index > 0 && id <= ids[index - 1]!))
    yield `${describeCall(call)}: ids do not go up: ${ids}`
  for (const [start, end] of [
    ['model_started', 'model_finished'],
    ['tool_started', 'tool_finished'],
  ] as const)
    for (const { data } of events.filter(({ type }) => type === end)) {
      const started = events.findIndex(one => one.type === start && one.data.step === data.step)
      const ended = events.findIndex(one => one.type === end && one.data.step === data.step)
      if (types[0] === 'run_started' && types[1] === 'node_started' && (started < 0 || started > ended))
        yield `${describeCall(call)}: step ${data.step} ends before it starts`
    }
}

/** Who sees a run from its start on can put its answer together. */
function* textProblems(call: Call, events: readonly StreamedEvent[]): Generator<string> {
  const last = events.findLast(({ type }) => type === 'model_finished')
  const isWhole = events[1]?.type === 'node_started' && events[1].data.superstep === 1
  if (!last || !isWhole || call.body?.status !== 'success') return
  const ofStep = events.filter(({ data }) => data.step === last.data.step)
  const started = ofStep.findLastIndex(({ type }) => type === 'model_started')
  const text = ofStep
    .slice(started)
    .filter(({ type }) => type === 'text')
    .map(({ data }) => data.text)
    .join('')
  if (text !== call.body.output) yield `${describeCall(call)}: the events say ${JSON.stringify(text)}`
}

function repliesOf(calls: readonly Call[]): Call[] {
  return calls.filter(({ outcome }) => outcome === 'reply')
}

function successesOf(calls: readonly Call[]): Call[] {
  return repliesOf(calls).filter(({ body }) => body?.status === 'success')
}

function metricsOf({ body }: Call): RunResponse['metrics'] & Record<string, number> {
  return body?.metrics as never
}

function errorOf({ body }: Call): string {
  return String((body as Body | undefined)?.error ?? '')
}

/** The run that gave the answer: if several have it, since one went on from the other's steps, the one at the caller's replica. */
function runOfAnswer({ body, replica }: Call, { runs }: World): RunRecord | undefined {
  const all = runsWithAnswer(String(body?.output), runs)
  return all.findLast(run => run.replica === replica) ?? all.at(-1)
}

function runsWithAnswer(text: string, runs: readonly RunRecord[]): RunRecord[] {
  return runs.filter(run => repliesIn(run).at(-1)?.text === text)
}

/** Whether each try in this turn came to its end. */
function isWhole({ modelCalls }: RunRecord, ofTurn: number): boolean {
  const tries = modelCalls.filter(({ turn }) => turn === ofTurn)
  return tries.every(({ endedAt, hasFailed }) => endedAt !== undefined || hasFailed)
}

function placesOfEffects({ toolCalls }: RunRecord): string[] {
  return toolCalls.filter(({ name }) => name === 'act').map(({ place }) => place)
}

function isSameTask(one: Call, other: Call): boolean {
  return one.plan.task === other.plan.task
}

function isMeanwhile(one: Call, other: Call): boolean {
  return one.sentAt <= other.endedAt + ASKING_MS && other.sentAt <= one.endedAt + ASKING_MS
}

/** When Redis forgets a run that was lost. */
function rememberedUntil(lost: RunRecord, calls: readonly Call[]): number {
  const waiting = calls.filter(
    call => call.replica === lost.replica && isOfTask(lost, call) && call.sentAt <= lost.from,
  )
  const beganAt = Math.min(
    lost.from,
    ...waiting.filter(({ endedAt }) => endedAt >= lost.from).map(({ sentAt }) => sentAt),
  )
  return beganAt + RUN_TIMEOUT_MS + REMEMBERED_MS
}

function isOfTask({ task, isOther }: RunRecord, { plan }: Call): boolean {
  return task === plan.task && isOther === plan.isOther
}

function isUnique({ tasks }: Schedule, task: number): boolean {
  const plan = tasks[task]
  return plan !== undefined && !plan.id.startsWith('test-')
}

/** Of two bodies under one id, callers join the one that came last, so that an earlier one may run again. */
function hasOneBody(schedule: Schedule, task: number): boolean {
  return isUnique(schedule, task) && !schedule.callers.some(plan => plan.task === task && plan.isOther)
}

function isOfRedis({ kind }: Fault): boolean {
  return kind === 'cut' || kind === 'outage' || kind === 'flush'
}

function* pairsOf<Item>(items: readonly Item[]): Generator<readonly [Item, Item]> {
  for (const [index, first] of items.entries())
    for (const second of items.slice(index + 1)) yield [first, second]
}

function nameOf({ task, replica, at }: Call['plan']): string {
  return `the caller of task ${task} at replica ${replica} at ${at} ms`
}

function describeCall({ plan, sentAt, endedAt, replica, status, body }: Call): string {
  return `${nameOf(plan)} (sent at ${sentAt} to ${replica}, answered at ${Math.round(endedAt)}: ${status} ${JSON.stringify(body)})`
}
