import type { Claim, Lease, Ledger } from '@agent-task-service/engine/share'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { type RunResponse, runResponse } from '@agent-task-service/wire/contract'
import { describe, expect, test } from 'vitest'
import type { TestService } from './service.ts'
import { until } from './until.ts'

/** Where two callers connect: one replica, or two that share their tasks. */
export interface Places {
  readonly first: TestService
  readonly second: TestService
  /** Resolves when the only run in flight has its second caller. */
  joined(): Promise<void>
  /** Lets time pass; absent: it passes by itself. */
  pass?(milliseconds: number): Promise<void>
}

interface Adapter {
  /** Starts services on empty ledgers. */
  open(env: Record<string, string>, model: ScriptedModel): Promise<Places>
  /** Opens an empty ledger. */
  ledger(replayTtlMs: number): Promise<Ledger>
}

const usage = { input: 3, output: 2 }

/** A model that gives a new answer each time, once the gate is open. */
export function numbered() {
  const gate = Promise.withResolvers<void>()
  let answers = 0
  const model = new ScriptedModel(() => ({ text: `answer ${++answers}`, usage, after: gate.promise }))
  return { model, gate }
}

/** The reply's output, and whether it is marked as a replay. */
export async function read(response: Response | Promise<Response>) {
  const reply = await response
  const { status, output } = runResponse.parse(await reply.json())
  return { status, output, replayed: reply.headers.get('idempotent-replayed') }
}

export const fresh = (number: number) => ({ status: 'success', output: `answer ${number}`, replayed: null })
export const replay = (number: number) => ({ ...fresh(number), replayed: 'true' })

/** What holds for a task's callers, wherever they connect. */
export function describeLedger(name: string, { open, ledger }: Adapter): void {
  const newTask = () => ({ task_id: crypto.randomUUID(), input: 'hello' })
  const headers = { 'content-type': 'application/json' }

  /** Both places, with a model that gives a new answer each time after the gate opens. */
  async function gated(env: Record<string, string> = {}) {
    const { model, gate } = numbered()
    return { ...(await open(env, model)), model, gate }
  }

  const post = (place: TestService, task: object, init: RequestInit = {}) =>
    place.app.request('/run', {
      method: 'POST',
      body: JSON.stringify(task),
      ...init,
      headers: { ...headers, ...init.headers },
    })

  /** Two callers of one run, which has begun. */
  async function meet(
    { first, second, joined }: Places,
    model: ScriptedModel,
    task: object,
    ...inits: RequestInit[]
  ) {
    const one = post(first, task, inits[0])
    await model.asked(1)
    const two = post(second, task, inits[1])
    await joined()
    return [one, two] as const
  }

  describe(`callers of a task: ${name}`, () => {
    test('sent twice while it runs: one run, exactly the same reply', async () => {
      const { model, gate, ...places } = await gated()
      const [one, two] = await meet(places, model, newTask())
      gate.resolve()
      const texts = [await (await one).clone().text(), await (await two).clone().text()]
      expect(texts[1]).toBe(texts[0])
      expect([await read(one), await read(two)]).toEqual([fresh(1), fresh(1)])
      expect(model.requests.length).toBe(1)
    })

    test('replays a success; an id in capitals is the same task, and is echoed unchanged', async () => {
      const { first, second, gate } = await gated()
      gate.resolve()
      const task = newTask()
      expect(await read(post(first, task))).toEqual(fresh(1))
      expect(await read(post(second, task))).toEqual(replay(1))
      const inCapitals = task.task_id.toUpperCase()
      const reply = await post(second, { ...task, task_id: inCapitals })
      expect(await reply.clone().json()).toMatchObject({ task_id: inCapitals })
      expect(await read(reply)).toEqual(replay(1))
    })

    test('an error goes to all who wait, and to nobody later', async () => {
      const gate = Promise.withResolvers<void>()
      const model = new ScriptedModel([
        { error: new Error('no'), after: gate.promise },
        { text: 'answer 2', usage },
      ])
      const places = await open({}, model)
      const { first, second } = places
      const task = newTask()
      const [one, two] = await meet(places, model, task)
      gate.resolve()
      const failed = { status: 'error', output: '', replayed: null }
      expect([await read(one), await read(two)]).toEqual([failed, failed])
      expect(await read(post(second, task))).toEqual(fresh(2))
      expect(await read(post(first, task))).toEqual(replay(2))
    })

    test.each(['first', 'second'] as const)(
      'the %s of two callers hangs up: the other one gets the reply',
      async who => {
        const { model, gate, ...places } = await gated()
        const gone = new AbortController()
        const inits = [{ signal: gone.signal }, {}]
        if (who === 'second') inits.reverse()
        const [one, two] = await meet(places, model, newTask(), ...inits)
        gone.abort()
        // Long enough for the disconnect to arrive.
        await new Promise(resolve => setTimeout(resolve, 50))
        gate.resolve()
        expect(await read(who === 'first' ? two : one)).toEqual(fresh(1))
        expect(model.requests.length).toBe(1)
      },
    )

    test('all callers hang up, the last one elsewhere: the model call ends', async () => {
      const { model, ...places } = await gated()
      const { first, second } = places
      const [one, two] = [new AbortController(), new AbortController()]
      await meet(places, model, newTask(), { signal: one.signal }, { signal: two.signal })
      const [request] = model.requests
      one.abort()
      await new Promise(resolve => setTimeout(resolve, 50))
      expect(request?.signal?.aborted).toBe(false)
      two.abort()
      await until(() => request?.signal?.aborted === true)
      await Promise.all([first.tasks.idle(), second.tasks.idle()])
    })

    test('a second caller who watches gets the start, once, and the same reply at the end', async () => {
      const { first, second, joined, model, gate } = await gated()
      const task = { ...newTask(), config: { enabled_tools: ['time'], max_tokens: 99 } }
      const one = post(first, task)
      await model.asked(1)
      const watching = await post(second, task, { headers: { accept: 'text/event-stream' } })
      await joined()
      gate.resolve()
      const events = (await watching.text()).split('\n\n').filter(text => text.startsWith('event: '))
      const data = events.map(text => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? ''))
      expect(events.filter(text => text.startsWith('event: run_started')).length).toBe(1)
      expect(data[0]).toMatchObject({
        task_id: task.task_id,
        tools: ['time'],
        limits: { max_output_tokens: 99 },
      })
      expect(data.at(-1)).toMatchObject({ response: await (await one).json() })
      expect(model.requests.length).toBe(1)
    })

    test('a full replica still joins, and still replays', async () => {
      const env = { MAX_CONCURRENT_RUNS: '1', MAX_QUEUED_RUNS: '0' }
      const { first, second, joined, model, gate } = await gated(env)
      const task = newTask()
      const one = post(first, task)
      await model.asked(1)
      // If both places are one replica, it is already full.
      const other = first === second ? undefined : post(second, newTask())
      await model.asked(other ? 2 : 1)
      expect((await post(second, newTask())).status).toBe(503)
      const two = post(second, task)
      await joined()
      gate.resolve()
      expect([await read(one), await read(two)]).toEqual([fresh(1), fresh(1)])
      expect(await read(post(second, task))).toEqual(replay(1))
      await other
    })

    test('a second caller waits no longer than its own time', async () => {
      const { model, ...places } = await gated({ RUN_TIMEOUT_SEC: '2', ANSWER_BY_SEC: '2' })
      const [one, two] = await meet(places, model, newTask())
      await places.pass?.(2_000)
      const timeout = { status: 'timeout', output: '', replayed: null }
      expect([await read(one), await read(two)]).toEqual([timeout, timeout])
    })
  })

  describe(`a ledger: ${name}`, () => {
    const success = (task_id: string): RunResponse => ({
      task_id,
      status: 'success',
      output: 'done',
      metrics: { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 },
    })
    const failure = (task_id: string): RunResponse => ({
      ...{ task_id, status: 'error', output: '', metrics: {}, error: 'no' },
    })
    const options = () => ({ mayRun: true, timeLeftMs: 10_000, signal: new AbortController().signal })
    const newKey = () => ({ id: crypto.randomUUID(), content: 'digest' })

    function leaseOf(claim: Claim): Lease {
      if (claim.kind !== 'run') throw new Error(`expected a lease, got ${claim.kind}`)
      return claim.lease
    }

    const ends: [
      name: string,
      ttl: number,
      end: (lease: Lease, id: string) => Promise<unknown>,
      next: string,
      effects?: 'effects' | undefined,
    ][] = [
      ['a success', 60_000, (lease, id) => lease.finish(success(id)), 'reply'],
      ['a success that must not be kept', 0, (lease, id) => lease.finish(success(id)), 'run'],
      ['an error', 60_000, (lease, id) => lease.finish(failure(id)), 'run', 'effects'],
      ['no reply at all', 60_000, lease => lease.release(), 'run', 'effects'],
    ]

    test.each(ends)('after %s, the next claim succeeds, as a %s%s', async (_name, ttl, end, next, known) => {
      const shared = await ledger(ttl)
      const key = newKey()
      const lease = leaseOf(await shared.claim(key, options()))
      const begun = { key: 'key-1', tool: 'pay', begunAt: 1, isDeclared: true }
      const effect = { ...begun, outcome: { kind: 'done', result: 'paid' } } as const
      await lease.journal.writeEffect(begun)
      await lease.journal.writeEffect(effect)
      await lease.deserted()
      expect(await end(lease, key.id)).not.toBe(false)
      const claim = await shared.claim(key, options())
      expect(claim.kind).toBe(next)
      if (claim.kind === 'reply') expect(claim.response).toEqual(success(key.id))
      else {
        const { journal } = leaseOf(claim)
        expect(journal.effects).toEqual(known ? [effect] : [])
        expect(journal.runId === lease.journal.runId).toBe(known !== undefined)
      }
      expect((await shared.claim({ ...key, content: 'other' }, options())).kind).toBe('run')
      shared.close()
    })

    test('a lease ends with its run', async () => {
      const shared = await ledger(0)
      const ending = new AbortController()
      const { signal } = leaseOf(await shared.claim(newKey(), { ...options(), signal: ending.signal }))
      expect(signal.aborted).toBe(false)
      const reason = new Error('over')
      ending.abort(reason)
      expect(signal.reason).toBe(reason)
      shared.close()
    })
  })
}
