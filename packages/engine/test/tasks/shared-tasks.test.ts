import type { ContextSchema, RunFailure } from '@agent-task-service/engine'
import { RunContext } from '@agent-task-service/engine'
import { unsharedStore } from '@agent-task-service/engine/share'
import { type RunRequest, type RunResponse, runRequestFor } from '@agent-task-service/wire/contract'
import { createMask } from '@agent-task-service/wire/masking'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Admission } from '../../tasks/admission.ts'
import { Tasks, type TasksOptions } from '../../tasks/join-and-replay.ts'
import type { Claim, ClaimOptions, Lease, TaskKey } from '../../tasks/ledger.ts'
import { custom, started } from './run-events.ts'

type Submission = Parameters<TasksOptions['runTask']>[0]
type Watch = Parameters<TasksOptions['runTask']>[1]

const TIMEOUT_MS = 60_000
const limits = { timeoutMs: TIMEOUT_MS, answerByMs: 25_000, maxSteps: 9, maxOutputTokens: 700 }
const metrics = { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 }
const success = (output: string): RunResponse => ({ task_id: 'x', status: 'success', output, metrics })
const failure = (error: string): RunResponse => ({
  task_id: 'x',
  status: 'error',
  output: '',
  metrics: {},
  error,
})
const never = () => new Promise<never>(() => undefined)
const settled = () => new Promise(resolve => setImmediate(resolve))

/**
 * Tasks on a ledger that answers as the test sets, claim by claim; a run ends when its gate opens, or with its signal.
 */
function tasksWith(...says: (Claim | ((options: ClaimOptions) => Claim))[]) {
  return tasksOf(RunContext, ...says)
}

/** The same, of an agent with these settings. */
function tasksOf(context: ContextSchema, ...says: (Claim | ((options: ClaimOptions) => Claim))[]) {
  const seen = {
    claims: [] as ClaimOptions[],
    keys: [] as TaskKey[],
    left: [] as unknown[],
    runs: [] as (Submission & { readonly watch: Watch; readonly isShared: boolean })[],
  }
  const gates: PromiseWithResolvers<RunResponse>[] = []
  const admission = new Admission(1, 0)
  const tasks = new Tasks({
    runner: { context, toolNames: ['one', 'two'] },
    admission,
    limits,
    mask: createMask([]),
    async runTask(beginning, watch, lease) {
      seen.runs.push({ ...beginning, watch, isShared: lease !== undefined })
      const gate = Promise.withResolvers<RunResponse>()
      gates.push(gate)
      const { signal } = beginning
      const end = () => {
        const { reason, message } = signal.reason as RunFailure
        gate.resolve(failure(`${reason}: ${message}`))
      }
      if (signal.aborted) end()
      else signal.addEventListener('abort', end)
      return await gate.promise
    },
    ledger: {
      async claim(task, options) {
        seen.keys.push(task)
        seen.claims.push(options)
        const claim = says.shift()
        if (!claim) throw new Error('claimed once too often')
        return typeof claim === 'function' ? claim(options) : claim
      },
      leave: task => void seen.left.push(task),
      close() {},
    },
  })
  const task_id = crypto.randomUUID()
  const submit = (more: Partial<RunRequest> = {}, age = 0) => {
    const hangUp = new AbortController()
    const events: Record<string, unknown>[] = []
    const request = { task_id, input: 'hello', ...more }
    const arrivedAt = performance.now() - age
    const submitted = tasks.submit({ request, arrivedAt, signal: hangUp.signal }, told => {
      for (const { type, members } of told) events.push({ type, ...JSON.parse(`{${members}}`) })
    })
    const reply = submitted.then(({ response }) => response)
    reply.catch(() => undefined)
    return { submitted, reply, events, hangUp: () => hangUp.abort() }
  }
  return { tasks, admission, submit, gates, task_id, ...seen }
}

/** A claim that succeeds; `ends` receives how its run ends. */
function run(more: Partial<Lease> = {}, ends: unknown[] = []) {
  return ({ signal }: ClaimOptions): Claim => {
    const lease: Lease = {
      signal,
      journal: unsharedStore(),
      began: () => undefined,
      deserted: async () => undefined,
      finish: async response => ends.push(response) > 0,
      release: async () => void ends.push('released'),
      ...more,
    }
    return { kind: 'run', lease }
  }
}

const reply = (response: RunResponse): Claim => ({ kind: 'reply', response })
const wait = (changed: Promise<void> = never()): Claim => ({ kind: 'wait', changed })

test("a waiting caller learns of the start, and gets the other replica's reply under the id it sent", async () => {
  const news = Promise.withResolvers<void>()
  const { submit, claims, runs, task_id } = tasksWith(wait(news.promise), reply(success('elsewhere')))
  const caller = submit({ config: { enabled_tools: ['two'], max_tokens: 5 } }, 10_000)
  expect(await caller.submitted).toMatchObject({ sharing: 'joined' })
  expect(caller.events).toMatchObject([
    { type: 'run_started', tools: ['two'], limits: { timeout_sec: TIMEOUT_MS / 1000, max_output_tokens: 5 } },
  ])
  const joined = submit({ config: { enabled_tools: ['two'], max_tokens: 5 } })
  expect(await joined.submitted).toMatchObject({ sharing: 'joined' })
  expect(joined.events).toEqual(caller.events)
  // Its time is not over.
  await new Promise(resolve => setTimeout(resolve, 5))
  news.resolve()
  expect(await caller.reply).toEqual({ ...success('elsewhere'), task_id })
  expect(runs).toEqual([])
  expect(claims.map(({ mayRun }) => mayRun)).toEqual([true, true])
  for (const { timeLeftMs } of claims) {
    expect(timeLeftMs).toBeLessThanOrEqual(TIMEOUT_MS - 10_000)
    expect(timeLeftMs).toBeGreaterThan(TIMEOUT_MS - 20_000)
  }
})

// EVIDENCE-OF docs/reference/graph-rules.md: Two tasks with different values are different tasks.
test('own settings are part of what the ledger compares, here and in Redis', async () => {
  const same = { kind: 'full' } as const
  const { submit, keys } = tasksWith(same, same, same, same, same)
  const settings = [
    ...[{ tenant: 'acme', max_tokens: 5 }, { tenant: 'ajax', max_tokens: 5 }, { max_tokens: 5 }],
    // What is not set makes no difference.
    ...[
      { tenant: 'acme', max_tokens: 5, region: undefined },
      { max_tokens: 5, region: undefined },
    ],
  ]
  for (const config of settings) await expect(submit({ config }).submitted).rejects.toThrow()
  expect(new Set(keys.map(({ id }) => id)).size).toBe(1)
  const [acme, ajax, nobody, ...others] = keys.map(({ content }) => content)
  expect(new Set([acme, ajax, nobody]).size).toBe(3)
  expect(others).toEqual([acme, nobody])
})

// EVIDENCE-OF docs/guides/upgrading.md: If its arguments change, or `AgentContext` gets a setting without a default that callers send,
//   a task that both versions get may be done twice.
test('a setting that a later version adds, with a default, makes no other task of a request without it', async () => {
  const before = RunContext.extend({ tone: z.enum(['dry', 'warm']).default('dry') })
  const later = RunContext.extend({
    length: z.object({ words: z.int() }).default({ words: 100 }),
    tone: z.enum(['dry', 'warm']).default('dry'),
  })
  const contentOf = async (context: ContextSchema, sent?: object) => {
    const { submit, keys } = tasksOf(context, { kind: 'full' })
    const body = { task_id: crypto.randomUUID(), input: 'hello', config: sent }
    await expect(submit(runRequestFor(() => [], context.shape).parse(body)).submitted).rejects.toThrow()
    return keys[0]!.content
  }
  for (const sent of [undefined, {}, { tone: 'dry' }, { tone: null }])
    for (const context of [before, later])
      expect(await contentOf(context, sent)).toBe(await contentOf(before))
  const warm = await contentOf(before, { tone: 'warm' })
  expect(await contentOf(later, { tone: 'warm' })).toBe(warm)
  const all = [warm, await contentOf(before), await contentOf(later, { length: { words: 7 } })]
  expect(new Set(all).size).toBe(3)
})

// EVIDENCE-OF docs/guides/deployment.md: `MAX_CONCURRENT_RUNS` and `MAX_QUEUED_RUNS` are per replica too; tasks that wait here for
//   another replica count as load, since they may have to run here.
test('tasks that wait for another replica count as load: more than may run or queue are refused', async () => {
  const news = Promise.withResolvers<void>()
  const { submit, claims } = tasksWith(wait(news.promise), { kind: 'full' }, reply(success('elsewhere')))
  const waiting = submit()
  await waiting.submitted
  await expect(submit({ input: 'other' }).submitted).rejects.toMatchObject({ code: 'full' })
  expect(claims.map(({ mayRun }) => mayRun)).toEqual([true, false])
  news.resolve()
  expect(await waiting.reply).toMatchObject({ output: 'elsewhere' })
})

// EVIDENCE-OF docs/reference/errors.md: Another replica took the task over; the callers get its answer (fleet.md)
test('another replica took the task over: this one waits for its reply even when full', async () => {
  const { submit, gates, claims, task_id } = tasksWith(
    run({ finish: async () => false }),
    reply(success('of the other')),
  )
  const caller = submit()
  await caller.submitted
  gates[0]?.resolve(success('too late'))
  expect(await caller.reply).toEqual({ ...success('of the other'), task_id })
  expect(claims.length).toBe(2)
})

test('a full replica waits for a task that runs elsewhere, and runs it if it has to', async () => {
  const news = Promise.withResolvers<void>()
  const ends: unknown[] = []
  const { submit, admission, claims, gates } = tasksWith(wait(news.promise), run({}, ends))
  await admission.enter(new AbortController().signal)
  const caller = submit()
  expect(await caller.submitted).toMatchObject({ sharing: 'joined' })
  news.resolve()
  await settled()
  expect(claims.map(({ mayRun }) => mayRun)).toEqual([false, true])
  gates[0]?.resolve(success('here'))
  expect(await caller.reply).toMatchObject({ output: 'here' })
  expect(ends).toEqual([success('here')])
})

test('another replica took the task over, and the time is up: the own reply is given, and the other is told', async () => {
  const { submit, gates, left } = tasksWith(run({ finish: async () => false }))
  const caller = submit({}, TIMEOUT_MS + 1)
  await caller.submitted
  gates[0]?.resolve(success('in time'))
  expect(await caller.reply).toMatchObject({ output: 'in time' })
  expect(left).toHaveLength(1)
})

test('callers who wrote the id alike get the same object, which is encoded once', async () => {
  const { submit, gates, task_id } = tasksWith(run())
  const [first, second] = [submit(), submit()]
  await Promise.all([first.submitted, second.submitted])
  gates[0]?.resolve({ ...success('done'), task_id })
  expect(await first.reply).toBe(await second.reply)
})

test('an error that another replica had is no replay', async () => {
  const { submit } = tasksWith(reply(failure('no')))
  expect(await submit().submitted).toMatchObject({ sharing: undefined })
})

test('a shutdown ends runs; one that has just ended keeps its reply', async () => {
  const ends: unknown[] = []
  const { submit, tasks, gates, admission } = tasksWith(run({}, ends), run({}, ends), run({}, ends))
  const failed = submit({ input: 'fails' })
  await failed.submitted
  gates[0]?.resolve(failure('no'))
  await failed.reply
  expect(ends).toEqual([failure('no')])
  const [first, second] = [submit({ input: 'one' }), submit({ input: 'two' })]
  await Promise.all([first.submitted, second.submitted])
  gates[1]?.resolve(success('done'))
  expect(admission.waitSignal.aborted).toBe(false)
  tasks.endWaits()
  expect(admission.waitSignal.aborted).toBe(true)
  tasks.endAll()
  expect(await first.reply).toMatchObject({ output: 'done' })
  expect(await second.reply).toMatchObject({ error: 'shutdown: the agent is shutting down' })
  expect(ends.slice(1)).toEqual([success('done'), 'released'])
})

test('only when its last caller has left does a run ask whether others wait elsewhere', async () => {
  const deserted = vi.fn(async () => {})
  const { submit, tasks } = tasksWith(run({ deserted }))
  const callers = [submit(), submit()]
  await Promise.all(callers.map(({ submitted }) => submitted))
  callers[0]!.hangUp()
  await settled()
  expect(tasks.callers).toBe(1)
  expect(deserted).not.toHaveBeenCalled()
  callers[1]!.hangUp()
  await callers[1]!.reply
  expect(deserted).toHaveBeenCalledOnce()
})

test('the last caller hangs up: the run ends if nobody waits elsewhere, and is given back without a reply', async () => {
  const deserted = Promise.withResolvers<void>()
  const ends: unknown[] = []
  const { submit, runs, tasks } = tasksWith(run({ deserted: () => deserted.promise }, ends))
  const caller = submit()
  await caller.submitted
  caller.hangUp()
  await settled()
  expect([tasks.callers, runs[0]?.signal.aborted]).toEqual([0, false])
  deserted.resolve()
  expect(await caller.reply).toMatchObject({ error: 'hang_up: the caller hung up' })
  expect(ends).toEqual(['released'])
})

test('a caller who arrives during the check for callers elsewhere keeps the run alive', async () => {
  const deserted = Promise.withResolvers<void>()
  const { submit, runs, gates } = tasksWith(run({ deserted: () => deserted.promise }))
  const first = submit()
  await first.submitted
  first.hangUp()
  const second = submit()
  expect(await second.submitted).toMatchObject({ sharing: 'joined' })
  deserted.resolve()
  await settled()
  expect(runs[0]?.signal.aborted).toBe(false)
  gates[0]?.resolve(success('here'))
  expect(await second.reply).toMatchObject({ output: 'here' })
})

test('a caller who waits and then runs the task sees one start, and everything after it', async () => {
  const news = Promise.withResolvers<void>()
  const { submit, runs, gates } = tasksWith(wait(news.promise), run())
  const caller = submit()
  await caller.submitted
  news.resolve()
  await settled()
  const words = ['a', 'b']
  for (const event of [started, ...words.map(custom)]) runs[0]?.watch(event)
  expect(caller.events).toEqual([
    expect.objectContaining({ type: 'run_started', tools: ['one', 'two'] }),
    ...words.map(data => ({ type: 'custom', data })),
  ])
  gates[0]?.resolve(success('here'))
  expect(await caller.reply).toMatchObject({ output: 'here' })
  runs[0]?.watch(custom('after the reply'))
  expect(caller.events).toHaveLength(3)
})

test('an abandoned run ends late: later callers still share the run after it', async () => {
  const given = Promise.withResolvers<void>()
  const { submit, claims } = tasksWith(run({ release: () => given.promise }), run())
  const left = submit()
  await left.submitted
  left.hangUp()
  await settled()
  expect(await submit().submitted).toMatchObject({ sharing: undefined })
  given.resolve()
  await left.reply
  await settled()
  expect(await submit().submitted).toMatchObject({ sharing: 'joined' })
  expect(claims.length).toBe(2)
})

test.each(['before another replica is known to run the task', 'while another replica runs the task'])(
  'the only caller hangs up %s: that replica is told',
  async when => {
    const { submit, left, tasks, task_id } = tasksWith(wait())
    const caller = submit()
    if (when.startsWith('while')) await caller.submitted
    caller.hangUp()
    expect(await caller.reply).toMatchObject({ error: 'hang_up: the caller hung up' })
    expect(left).toEqual([{ id: task_id, content: expect.any(String) }])
    await tasks.idle()
  },
)

test('waits for another replica as long as a run may take, and no longer', async () => {
  const { submit, left } = tasksWith(wait())
  const caller = submit({}, TIMEOUT_MS)
  expect(await caller.reply).toMatchObject({
    error: 'deadline: the time limit of 60 s was reached',
  })
  expect(left.length).toBe(1)
})

// EVIDENCE-OF docs/reference/threat-model.md: at most 1,000 callers share a run
test('a run takes a thousand callers; one more is refused, and takes the place of no other run', async () => {
  const { submit, gates, admission } = tasksWith(run())
  const callers = Array.from({ length: 1_000 }, () => submit())
  await Promise.all(callers.map(({ submitted }) => submitted))
  await expect(submit().submitted).rejects.toMatchObject({ code: 'full' })
  callers[0]!.hangUp()
  expect(await submit().submitted).toMatchObject({ sharing: 'joined' })
  expect(gates).toHaveLength(1)
  expect(admission.isFull).toBe(false)
  gates[0]!.resolve(success('Done.'))
  expect((await callers[1]!.reply).output).toBe('Done.')
})
