import type { Ran, SimulatedClient, SimulatedRedis } from './redis.ts'

/** A replica was given a task. */
export interface Claim {
  readonly client: SimulatedClient
  /** In milliseconds. */
  readonly at: number
  /** The run's id. */
  readonly run: string
  /** What Redis had acknowledged of its steps, and had not lost. */
  readonly given: readonly string[]
}

/** What became of records that a replica that takes the task over does not get. */
export type Loss = 'lost' | 'replied'

interface TaskSteps {
  readonly records: Map<string, string>
  /** When they expire, and when their task does, in epoch milliseconds. */
  expireAt: number
  taskExpiresAt: number
}

/**
 * What Redis has acknowledged of the steps of tasks, by the scripts that it has run: known records stay until a run of the task
 * has a reply, Redis forgets all, or their time is over.
 */
export class StepRecords {
  readonly claims: Claim[] = []
  readonly problems: string[] = []
  /** What became of records that are gone, and when, in milliseconds. */
  readonly gone = new Map<string, { readonly loss: Loss; readonly at: number }>()
  readonly #redis: SimulatedRedis
  readonly #tasks = new Map<string, TaskSteps>()

  constructor(redis: SimulatedRedis) {
    this.#redis = redis
    redis.onRun = ran => {
      this.#follow(ran)
      this.problems.push(...this.#problemsAfter(ran))
    }
  }

  /** Redis has forgotten all. */
  forget(): void {
    for (const { records } of this.#tasks.values()) this.#drop(records, 'lost')
    this.#tasks.clear()
  }

  #follow({ key, given, answer, client, run: before }: Ran): void {
    const task = this.#tasks.get(key) ?? { records: new Map(), expireAt: 0, taskExpiresAt: 0 }
    this.#tasks.set(key, task)
    const [kind, , , run] = answer
    // Those of a run that Redis knew before are gone.
    if (kind === 'ours' && before !== given.run) this.#drop(task.records, 'lost')
    if (kind === 'ours') this.#record(given, task)
    if (kind === 'ours' && given.response !== undefined) this.#drop(task.records, 'replied')
    if (kind === 'dead') this.#drop(task.records, 'lost')
    if (kind === 'run') {
      if (Math.min(task.expireAt, task.taskExpiresAt) <= Date.now()) this.#drop(task.records, 'lost')
      task.expireAt = Date.now() + Number(given.lifeMs)
      const known = [...task.records.values()]
      this.claims.push({ client, at: performance.now(), run: String(run), given: known })
    }
    // What is not there any more has not expired: it was deleted.
    task.taskExpiresAt = this.#redis.expiryOf(key) ?? task.taskExpiresAt
  }

  #record(given: Ran['given'], task: TaskSteps): void {
    const steps = stepsIn(given)
    for (const [field, value] of steps) task.records.set(field, value)
    if (steps.length > 0) task.expireAt = Date.now() + Number(given.lifeMs)
  }

  #drop(records: Map<string, string>, loss: Loss): void {
    for (const record of records.values()) this.gone.set(record, { loss, at: performance.now() })
    records.clear()
  }

  *#problemsAfter({ name, key, stepsKey, given, run, steps, answer }: Ran): Generator<string> {
    const now = this.#redis.fieldsOf(stepsKey)
    if (now.size > 0 && !Number.isFinite(this.#redis.expiryOf(stepsKey)))
      yield `${name}: the steps of ${key} never expire`
    if (given.response !== undefined && answer[0] === 'ours' && stepsIn(Object.fromEntries(now)).length > 0)
      yield `${name}: ${key} has a reply, and its steps are kept`
    if (name === 'beat' && answer[0] !== 'ours' && now.size > steps.size)
      yield `${name}: another replica has ${key}, and steps were recorded`
    const isAnother = name === 'beat' && answer[0] === 'ours' && run !== given.run
    if (isAnother && now.size > stepsIn(given).length)
      yield `${name}: ${key} is another run's now, and steps are kept`
    if (run !== given.run) return
    for (const [field, value] of steps)
      if (now.has(field) && now.get(field) !== value) yield `${name}: a step of ${key} has another record now`
  }
}

function stepsIn(given: Ran['given']): [field: string, record: string][] {
  return Object.entries(given).filter(([field]) => field.startsWith('s:'))
}
