import { getEventListeners } from 'node:events'
import { RunContext } from '@agent-task-service/engine'
import { holds } from '@agent-task-service/test-support/holds'
import type { RunRequest, RunResponse } from '@agent-task-service/wire/contract'
import { createMask } from '@agent-task-service/wire/masking'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Admission } from '../../tasks/admission.ts'
import { type SubmittedTask, Tasks, type TasksOptions } from '../../tasks/join-and-replay.ts'
import { MemoryLedger } from '../../tasks/memory-ledger.ts'
import { custom } from './run-events.ts'

type Watch = Parameters<TasksOptions['runTask']>[1]

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
  /** The members of each event. Absent: it does not watch. */
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

/** What the model expects of a request that is submitted now. */
interface Expected {
  /** The run that it joins. */
  readonly joined: Run | undefined
  /** The reply that it gets once more. */
  readonly replayed: RunResponse | undefined
  /** Whether no new run may begin. */
  readonly isFull: boolean
}

/** `Tasks` and a model of it. */
class Game {
  readonly #replayTtlMs: number
  readonly #admission = new Admission(MAX_RUNS, MAX_WAITING)
  readonly #tasks: Tasks
  readonly #begun: Run[] = []
  readonly #watches = new Map<Run, Watch>()
  readonly #replayable = new Map<string, { readonly request: RunRequest; readonly reply: RunResponse }>()
  readonly #ended = new Map<Run, 'hang_up' | 'shutdown'>()

  constructor(replayTtlMs: number) {
    this.#replayTtlMs = replayTtlMs
    this.#tasks = new Tasks({
      runner: { context: RunContext, toolNames: [] },
      admission: this.#admission,
      ledger: new MemoryLedger(replayTtlMs),
      limits: { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 1 },
      mask: createMask([]),
      runTask: ({ request, signal }, watch) => this.#runTask(request, signal, watch),
    })
  }

  async #runTask(request: RunRequest, signal: AbortSignal, watch: Watch): Promise<RunResponse> {
    const gate = Promise.withResolvers<RunResponse>()
    const run: Run = { request, signal, gate, state: 'waiting', callers: [], left: [] }
    this.#begun.push(run)
    this.#watches.set(run, watch)
    const release = await this.#admission.enter(signal)
    try {
      if (!release) return response(request, 'error', 'ended while it waited')
      run.state = 'working'
      const ended = aborted(signal).then(() => response(request, 'error', 'ended'))
      return await Promise.race([gate.promise, ended])
    } finally {
      run.state = 'over'
      release?.()
    }
  }

  #live(): Run[] {
    return this.#begun.filter(({ state }) => state !== 'over')
  }

  #working(): Run[] {
    return this.#begun.filter(({ state }) => state === 'working')
  }

  async act(action: Action, word: string): Promise<void> {
    if (action.type === 'submit') await this.#submit(action)
    else if (action.type === 'end_all') this.#endAll()
    else if (action.type === 'hang_up') this.#hangUp(action.nth)
    else this.#finish(action.type, action.nth, word)
  }

  async #submit({ id, input, isGone, isWatching }: Extract<Action, { type: 'submit' }>): Promise<void> {
    const request: RunRequest = { task_id: id, input }
    const hangUp = new AbortController()
    if (isGone) hangUp.abort()
    const events: string[] | undefined = isWatching ? [] : undefined
    const expected = this.#expect(request)
    const runsBefore = this.#begun.length
    let submitted: SubmittedTask
    try {
      submitted = await this.#tasks.submit(
        { request, arrivedAt: performance.now(), signal: hangUp.signal },
        events && (told => void events.push(...told.map(({ members }) => members))),
      )
    } catch (error) {
      expectRefused(error, expected)
      return
    }
    expectTaken(submitted, this.#begun.length - runsBefore, expected)
    const { replayed, joined } = expected
    const caller: Caller = { hangUp, response: submitted.response, events, reply: undefined }
    submitted.response.then(
      reply => (caller.reply = reply),
      (error: Error) => (caller.reply = error),
    )
    if (replayed) {
      void submitted.response.then(reply => expect(reply).toEqual(replayed))
      return
    }
    const run = joined ?? this.#begun.at(-1)!
    if (!isGone) run.callers.push(caller)
    else this.#endIfAbandoned(run)
  }

  /** Of two bodies under one id, callers join the one begun last; with none in flight, the one finished last is replayed. */
  #expect({ task_id, input }: RunRequest): Expected {
    const working = this.#working().length
    const isFull = working >= MAX_RUNS && this.#live().length - working >= MAX_WAITING
    const isUnique = !task_id.startsWith('test-')
    if (!isUnique) return { joined: undefined, replayed: undefined, isFull }
    const latest = this.#begun.findLast(({ request }) => request.task_id === task_id)
    const isJoined = latest?.request.input === input && latest.state !== 'over' && !this.#ended.has(latest)
    if (isJoined) return { joined: latest, replayed: undefined, isFull }
    const known = this.#replayable.get(task_id)
    return { joined: undefined, replayed: known?.request.input === input ? known.reply : undefined, isFull }
  }

  #endAll(): void {
    for (const run of this.#live()) this.#end(run, 'shutdown')
    this.#tasks.endAll()
  }

  #hangUp(nth: number): void {
    const waiting = this.#live().flatMap(run => run.callers.map(caller => ({ run, caller })))
    const { run, caller } = waiting[nth % waiting.length] ?? {}
    if (!run || !caller) return
    run.callers = run.callers.filter(other => other !== caller)
    run.left.push(caller)
    caller.hangUp.abort()
    this.#endIfAbandoned(run)
  }

  #endIfAbandoned(run: Run): void {
    if (run.callers.length === 0) this.#end(run, 'hang_up')
  }

  #end(run: Run, reason: 'hang_up' | 'shutdown'): void {
    if (!this.#ended.has(run)) this.#ended.set(run, reason)
  }

  #finish(type: 'succeed' | 'fail' | 'throw', nth: number, word: string): void {
    const open = this.#working().filter(run => !this.#ended.has(run))
    const run = open[nth % open.length]
    if (!run) return
    this.#watches.get(run)!(custom(word))
    this.#checkWatchers(run, word)
    if (type === 'throw') {
      run.reply = new Error(word)
      run.gate.reject(run.reply)
      return
    }
    const { request } = run
    const reply = response(request, type === 'succeed' ? 'success' : 'error', word)
    if (type === 'succeed' && this.#replayTtlMs > 0) this.#replayable.set(request.task_id, { request, reply })
    run.reply = reply
    run.gate.resolve(reply)
  }

  /** An event came to those of the run who still wait, and to nobody else. */
  #checkWatchers(run: Run, word: string): void {
    const event = JSON.stringify({ data: word }).slice(1, -1)
    for (const { callers, left } of this.#begun) {
      for (const { events } of callers)
        expect(events?.includes(event) ?? false).toBe(callers === run.callers && events !== undefined)
      for (const { events } of left) expect(events?.includes(event) ?? false).toBe(false)
    }
  }

  check(): void {
    const live = this.#live()
    const working = this.#working().length
    expect(this.#tasks.inFlight).toBe(live.length)
    expect(this.#tasks.callers).toBe(live.reduce((sum, { callers }) => sum + callers.length, 0))
    expect(working).toBeLessThanOrEqual(MAX_RUNS)
    // Nobody waits while a slot is free.
    if (live.length > working) expect(working).toBe(MAX_RUNS)
    for (const run of this.#begun) {
      // A run is ended exactly when its last caller has left, or all are ended.
      expect(run.signal.reason?.reason).toBe(this.#ended.get(run))
      expect(run.signal.aborted).toBe(this.#ended.has(run))
      if (run.signal.aborted) expect(run.state).toBe('over')
    }
  }

  /** Lets all runs end, and checks that nothing is left of them. */
  async end(): Promise<void> {
    let isIdle = false
    void this.#tasks.idle().then(() => {
      isIdle = true
    })
    await settled()
    expect(isIdle).toBe(this.#live().length === 0)
    for (const run of this.#live()) run.gate.resolve(response(run.request, 'error', 'the end'))
    // Those that waited begin, and find the gate open.
    await this.#tasks.idle()
    await settled()
    expect([this.#tasks.inFlight, this.#tasks.callers, isIdle]).toEqual([0, 0, true])
    for (const run of this.#begun) checkCallers(run)
    await this.#checkSlots()
  }

  /** No slot is lost, whatever happened before: as many as at first may begin at once. */
  async #checkSlots(): Promise<void> {
    const { signal } = new AbortController()
    let slots = 0
    for (let slot = 0; slot < MAX_RUNS; slot += 1) void this.#admission.enter(signal).then(() => (slots += 1))
    await settled()
    expect(slots).toBe(MAX_RUNS)
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  else signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
}

function expectRefused(error: unknown, { joined, replayed, isFull }: Expected): void {
  const message = 'the agent is at capacity; retry later'
  expect(error).toMatchObject({ name: 'EdgeError', code: 'full', message, headers: { 'Retry-After': '1' } })
  expect({ joined, replayed, isFull }).toEqual({ joined: undefined, replayed: undefined, isFull: true })
}

/** @param begun how many runs it has begun */
function expectTaken(
  { sharing }: SubmittedTask,
  begun: number,
  { joined, replayed, isFull }: Expected,
): void {
  const isShared = joined !== undefined || replayed !== undefined
  expect(isFull && !isShared).toBe(false)
  expect(sharing).toBe(replayed ? 'replayed' : joined ? 'joined' : undefined)
  expect(begun).toBe(isShared ? 0 : 1)
}

function checkCallers({ callers, reply: expected }: Run): void {
  for (const { hangUp, reply } of callers) {
    expect(reply).toEqual(expected ?? expect.anything())
    expect(getEventListeners(hangUp.signal, 'abort')).toEqual([])
  }
}

/** Plays actions on `Tasks` and on a model of it, and compares after each. */
async function play(actions: readonly Action[], replayTtlMs: number): Promise<void> {
  const game = new Game(replayTtlMs)
  for (const [index, action] of actions.entries()) {
    await game.act(action, `word ${index}`)
    await settled()
    game.check()
  }
  await game.end()
}

// EVIDENCE-OF docs/reference/threat-model.md: Another replica runs the task again, unless both share a Redis.
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
  // A replay supersedes no run.
  [[submits(UUID, 'one'), succeed, ...['other', 'one', 'other'].map(input => submits(UUID, input))], 60_000],
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
