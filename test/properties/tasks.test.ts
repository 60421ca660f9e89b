import { getEventListeners } from 'node:events'
import type { RunRequest, RunResponse } from '@agent-task-service/contract'
import { createScrub } from '@agent-task-service/masking'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RunContext } from '../../packages/engine/context.ts'
import type { Watch } from '../../packages/engine/run/events.ts'
import { Admission } from '../../packages/engine/tasks/admission.ts'
import { type SubmittedTask, Tasks } from '../../packages/engine/tasks/join-and-replay.ts'
import { MemoryLedger } from '../../packages/engine/tasks/memory-ledger.ts'
import { EdgeError } from '../../packages/engine/wire/errors.ts'
import { holds } from './holds.ts'

const MAX_RUNS = 2
const MAX_WAITING = 2

type Action =
  | {
      readonly type: 'submit'
      readonly id: string
      readonly input: string
      readonly isGone: boolean
      readonly isWatching: boolean
    }
  | { readonly type: 'hang_up' | 'succeed' | 'fail' | 'throw'; readonly nth: number }
  | { readonly type: 'end_all' }

const nth = fc.nat({ max: 9 })
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('submit' as const),
      id: fc.constantFrom(
        '6f1d7a52-6b0a-4b46-9d3e-2f3c1d1a9b10',
        '00000000-0000-0000-0000-000000000000',
        'test-1',
      ),
      input: fc.constantFrom('one', 'other'),
      // Rare, because it hides the rest.
      isGone: fc.integer({ max: 9, min: 0 }).map(number => number === 0),
      isWatching: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('hang_up' as const), nth }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('succeed' as const, 'fail' as const, 'throw' as const),
      nth,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'end_all' as const }) },
)

/** A run in the model of `Tasks`, and handles on the real one. */
interface Run {
  readonly request: RunRequest
  readonly signal: AbortSignal
  readonly gate: PromiseWithResolvers<RunResponse>
  state: 'waiting' | 'working' | 'over'
  /** What its callers get; absent: it was ended from outside. */
  reply?: RunResponse | Error
  /** Callers that have not hung up. */
  callers: Caller[]
  readonly left: Caller[]
}

interface Caller {
  readonly hangUp: AbortController
  readonly response: Promise<RunResponse>
  /** Absent: it does not watch. */
  /** The members of each event. */
  readonly events: string[] | undefined
  reply: RunResponse | Error | undefined
}

const response = (request: RunRequest, status: 'success' | 'error', word: string): RunResponse => {
  const metrics = { duration_sec: 0, input_tokens: 0, output_tokens: 0, steps: 1 }
  const { task_id } = request
  return status === 'success'
    ? { task_id, status, output: word, metrics }
    : { task_id, status, output: '', metrics: {}, error: word }
}

const settled = async () => await new Promise(resolve => setImmediate(resolve))

/** Plays actions on `Tasks` and on a model of it, and compares after each. */
async function play(actions: readonly Action[], replayTtlMs: number): Promise<void> {
  const admission = new Admission(MAX_RUNS, MAX_WAITING)
  const begun: Run[] = []
  const tell = new Map<Run, Watch>()
  const tasks = new Tasks({
    context: RunContext,
    admission,
    ledger: new MemoryLedger(replayTtlMs),
    limits: { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 1 },
    scrub: createScrub([]),
    toolNames: () => [],
    async runTask({ request, signal }, watch) {
      const run: Run = {
        request,
        signal,
        gate: Promise.withResolvers(),
        state: 'waiting',
        callers: [],
        left: [],
      }
      begun.push(run)
      tell.set(run, watch)
      const release = await admission.enter(signal)
      try {
        if (!release) return response(request, 'error', 'ended while it waited')
        run.state = 'working'
        const ended = new Promise<RunResponse>(resolve => {
          const end = () => resolve(response(request, 'error', 'ended'))
          if (signal.aborted) end()
          else signal.addEventListener('abort', end, { once: true })
        })
        return await Promise.race([run.gate.promise, ended])
      } finally {
        run.state = 'over'
        release?.()
      }
    },
  })
  const replayable = new Map<string, { readonly request: RunRequest; readonly reply: RunResponse }>()
  const ended = new Map<Run, 'hang_up' | 'shutdown'>()
  const live = () => begun.filter(run => run.state !== 'over')
  const working = () => begun.filter(({ state }) => state === 'working')
  const isUnique = (id: string) => !id.startsWith('test-')

  for (const [index, step] of actions.entries()) {
    if (step.type === 'submit') await submit(step)
    else if (step.type === 'end_all') {
      for (const run of live()) if (!ended.has(run)) ended.set(run, 'shutdown')
      tasks.endAll()
    } else if (step.type === 'hang_up') hangUp(step.nth)
    else finish(step.type, step.nth, `word ${index}`)
    await settled()
    check()
  }
  let isIdle = false
  void tasks.idle().then(() => {
    isIdle = true
  })
  await settled()
  expect(isIdle).toBe(live().length === 0)
  for (const run of live()) run.gate.resolve(response(run.request, 'error', 'the end'))
  // Those that waited begin, and find the gate open.
  await tasks.idle()
  await settled()
  for (const run of begun)
    for (const { reply } of run.callers) expect(reply).toEqual(run.reply ?? expect.anything())
  expect([tasks.inFlight, tasks.callers, isIdle]).toEqual([0, 0, true])
  for (const { callers } of begun)
    for (const { hangUp } of callers) expect(getEventListeners(hangUp.signal, 'abort')).toEqual([])
  // No slot is lost, whatever happened before: as many as at first may begin at once.
  const signal = new AbortController().signal
  let slots = 0
  for (let slot = 0; slot < MAX_RUNS; slot += 1) void admission.enter(signal).then(() => (slots += 1))
  await settled()
  expect(slots).toBe(MAX_RUNS)

  async function submit({
    id,
    input,
    isGone,
    isWatching,
  }: Extract<Action, { type: 'submit' }>): Promise<void> {
    const request: RunRequest = { task_id: id, input }
    const hangUp = new AbortController()
    if (isGone) hangUp.abort()
    const events: string[] | undefined = isWatching ? [] : undefined
    // Of two bodies under one id, callers join the one begun last; with none in flight, the one finished last is
    // replayed.
    const known = isUnique(id) ? replayable.get(id) : undefined
    const latest = isUnique(id) ? begun.findLast(run => run.request.task_id === id) : undefined
    const joined =
      latest && latest.request.input === input && latest.state !== 'over' && !ended.has(latest)
        ? latest
        : undefined
    const isJoined = joined !== undefined
    const isReplayed = !isJoined && known?.request.input === input
    const isFull = working().length >= MAX_RUNS && live().length - working().length >= MAX_WAITING
    const runsBefore = begun.length
    let submitted: SubmittedTask
    try {
      submitted = await tasks.submit(
        { request, arrivedAt: performance.now(), signal: hangUp.signal },
        events && (told => void events.push(...told.map(({ members }) => members))),
      )
    } catch (error) {
      const message = new EdgeError('full').message
      expect(error).toMatchObject({ code: 'full', message, headers: { 'Retry-After': '1' } })
      expect(error).toBeInstanceOf(EdgeError)
      expect({ isFull, isJoined, isReplayed }).toEqual({ isFull: true, isJoined: false, isReplayed: false })
      return
    }
    expect(isFull && !isJoined && !isReplayed).toBe(false)
    expect(submitted.sharing).toBe(isReplayed ? 'replayed' : isJoined ? 'joined' : undefined)
    expect(begun.length - runsBefore).toBe(isReplayed || isJoined ? 0 : 1)
    const caller: Caller = { hangUp, response: submitted.response, events, reply: undefined }
    submitted.response.then(
      reply => (caller.reply = reply),
      (error: Error) => (caller.reply = error),
    )
    if (isReplayed) {
      void submitted.response.then(reply => expect(reply).toEqual(known?.reply))
      return
    }
    const run = isJoined ? joined : begun.at(-1)!
    if (!isGone) run.callers.push(caller)
    else if (run.callers.length === 0 && !ended.has(run)) ended.set(run, 'hang_up')
  }

  function hangUp(at: number): void {
    const waiting = live().flatMap(run => run.callers.map(caller => ({ run, caller })))
    const { run, caller } = waiting[at % waiting.length] ?? {}
    if (!run || !caller) return
    run.callers = run.callers.filter(other => other !== caller)
    run.left.push(caller)
    caller.hangUp.abort()
    if (run.callers.length === 0 && !ended.has(run)) ended.set(run, 'hang_up')
  }

  function finish(type: 'succeed' | 'fail' | 'throw', nth: number, word: string): void {
    const open = working().filter(run => !ended.has(run))
    const run = open[nth % open.length]
    if (!run) return
    tell.get(run)!({ type: 'custom', at: 0, data: { data: word } })
    const event = JSON.stringify({ data: word }).slice(1, -1)
    // To those who still wait, and to nobody else.
    for (const { callers, left } of begun) {
      for (const { events } of callers)
        expect(events?.includes(event) ?? false).toBe(callers === run.callers && events !== undefined)
      for (const { events } of left) expect(events?.includes(event) ?? false).toBe(false)
    }
    if (type === 'throw') {
      run.reply = new Error(word)
      run.gate.reject(run.reply)
      return
    }
    const reply = response(run.request, type === 'succeed' ? 'success' : 'error', word)
    if (type === 'succeed' && replayTtlMs > 0)
      replayable.set(run.request.task_id, { request: run.request, reply })
    run.reply = reply
    run.gate.resolve(reply)
  }

  function check(): void {
    expect(tasks.inFlight).toBe(live().length)
    expect(tasks.callers).toBe(live().reduce((sum, { callers }) => sum + callers.length, 0))
    expect(working().length).toBeLessThanOrEqual(MAX_RUNS)
    // Nobody waits while a slot is free.
    if (live().length > working().length) expect(working().length).toBe(MAX_RUNS)
    for (const run of begun) {
      // A run is ended exactly when its last caller has left, or all are ended.
      expect(run.signal.reason?.reason).toBe(ended.get(run))
      expect(run.signal.aborted).toBe(ended.has(run))
      if (run.signal.aborted) expect(run.state).toBe('over')
    }
  }
}

test('any interleaving of joins, hang-ups and ends: one run for equal tasks, none abandoned, no slot lost', async () => {
  await holds(
    100,
    fc.asyncProperty(fc.array(action, { maxLength: 25, size: 'max' }), fc.constantFrom(0, 60_000), play),
    FOUND,
  )
})

const submits = (id: string, input: string): Action => ({
  type: 'submit',
  id,
  input,
  isGone: false,
  isWatching: true,
})

const UUID = '6f1d7a52-6b0a-4b46-9d3e-2f3c1d1a9b10'
const succeed: Action = { type: 'succeed', nth: 0 }

/** Tried first: every path of a request, and past failures. */
const FOUND: [Action[], number][] = [
  [
    [submits(UUID, 'one'), submits(UUID, 'one'), succeed, submits(UUID, 'one'), submits(UUID, 'other')],
    60_000,
  ],
  [[submits(UUID, 'one'), succeed, submits(UUID, 'one')], 0],
  [[submits(UUID, 'one'), submits(UUID, 'other'), succeed, submits(UUID, 'other')], 60_000],
  [[submits(UUID, 'one'), { type: 'fail', nth: 0 }, submits(UUID, 'one')], 60_000],
  [[submits(UUID, 'one'), submits(UUID, 'other'), submits(UUID, 'one')], 60_000],
  [[submits(UUID, 'one'), { type: 'end_all' }, submits(UUID, 'one')], 60_000],
  [[submits(UUID, 'one'), submits(UUID, 'one'), { type: 'hang_up', nth: 0 }, succeed], 60_000],
  [['1', '2', '3', '4', '5'].map(input => submits('test-1', input)), 0],
  // Whoever hangs up while waiting must leave the queue, or would keep the freed slot for good.
  [
    [
      ...['one', 'one', 'one'].map(input => submits('test-1', input)),
      { type: 'hang_up', nth: 2 },
      submits('test-1', 'other'),
      { type: 'succeed', nth: 0 },
      { type: 'succeed', nth: 0 },
    ],
    0,
  ],
]
