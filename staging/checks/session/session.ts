import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunRequest } from '../../../src/http/contract.ts'
import type { Exchange } from '../../agents/exchange.ts'
import { type Answer, judge, type When } from '../../tasks/judge.ts'
import type { Task, TaskFile } from '../../tasks/task.ts'
import { NotRun } from '../check.ts'
import { curl } from '../curl.ts'
import type { CheckLimits, CheckOptions } from '../options.ts'
import { randomNumber } from '../secrets.ts'
import { Calls } from './calls.ts'
import { objectIn } from './replies.ts'

/** One run of a valid task, and what came of it. */
export interface Run {
  readonly request: RunRequest
  readonly exchange: Exchange
  /** The reply's JSON object; empty where it is none. */
  readonly reply: Readonly<Record<string, unknown>> & Answer
  readonly when: When
  /** No other run was under way that the checks had started. */
  readonly alone: boolean
}

export interface TaskRun {
  readonly task: Task
  readonly run: Run
  /** What is wrong with the answer; empty: it is right. */
  readonly problems: readonly string[]
}

interface First {
  readonly taskRun: TaskRun
  /** Makes up ids of the kind that was taken. */
  readonly newId: () => string
}

/** Runs at once, and what `/health` answered meanwhile. */
export interface Burst {
  readonly runs: readonly TaskRun[]
  readonly polls: readonly Exchange[]
}

/** Tasks that are tried until one is done right. */
const REFERENCE_TRIES = 5
const BUSY: readonly (number | null)[] = [429, 503]
/** Tries of a task for which the agent is too busy. */
const PATIENCE = 20
/** At once, of the task file. */
const DEFAULT_CONCURRENCY = 4
const BETWEEN_POLLS_MS = 50
/** Where the shell of whoever tries a command has the agent's token. */
export const TOKEN_VARIABLE = 'AGENT_TOKEN'

/** One agent under its checks: remembers every run, and does each task of the task file once for all groups. */
export class Session {
  readonly options: CheckOptions
  readonly calls: Calls
  readonly tasks: readonly Task[]
  /** Every run of a valid task so far. */
  readonly runs: Run[] = []
  /** Those of them that went through the platform. */
  readonly platformRuns: Run[] = []
  #first: Promise<First> | undefined
  #taskRuns = new Map<number, Promise<TaskRun>>()
  #burst: Promise<Burst> | undefined
  #reference: Promise<TaskRun> | undefined
  #hasStarted = false
  readonly #underWay = new Set<Promise<Exchange>>()

  constructor(options: CheckOptions, { tasks }: TaskFile) {
    this.options = options
    this.calls = new Calls(options)
    this.tasks = tasks
  }

  get url(): string {
    return this.calls.client.url
  }

  get limits(): CheckLimits {
    return this.calls.limits
  }

  /** Runs a valid task, directly or by another way. */
  async run(request: RunRequest, by?: (signal: AbortSignal) => Promise<Exchange>): Promise<Run> {
    const from = new Date()
    const others = this.#underWay.size
    const headers = { 'content-type': 'application/json' }
    const call = by
      ? this.calls.by(by)
      : this.calls.send('POST', '/run', { headers, body: JSON.stringify(request) })
    this.#underWay.add(call)
    try {
      const exchange = await call
      const reply = objectIn(exchange) ?? {}
      const run = {
        request,
        exchange,
        reply,
        when: { from, to: new Date() },
        alone: others === 0 && this.#underWay.size === 1,
      }
      this.runs.push(run)
      return run
    } finally {
      this.#underWay.delete(call)
    }
  }

  /** Runs a task of the file, once more. */
  async runTask(task: Task, taskId?: string, config = task.config): Promise<TaskRun> {
    const task_id = taskId ?? (await this.newId())
    const run = await this.run({ task_id, input: task.input, ...(config && { config }) })
    return { task, run, problems: judge(task.expect, run.reply, run.when) }
  }

  /** An id that this agent takes: whether it takes others too is looked at by itself. */
  async newId(): Promise<string> {
    return (await this.ids())()
  }

  /** Makes up such ids. */
  async ids(): Promise<() => string> {
    return (await this.#firstRun()).newId
  }

  /** The first run of all: `test-<n>` if the agent does a task under such an id, else a UUID if that helps. */
  #firstRun(): Promise<First> {
    this.#first ??= this.#runFirst()
    return this.#first
  }

  async #runFirst(): Promise<First> {
    const task = this.tasks[0]!
    const taskRun = await this.runTask(task, newTestId())
    if (taskRun.run.reply.status === 'success') return { taskRun, newId: newTestId }
    const other = await this.runTask(task, randomUUID())
    const isHelped = other.run.reply.status === 'success'
    return isHelped ? { taskRun: other, newId: randomUUID } : { taskRun, newId: newTestId }
  }

  /** The run of the task of this index: the same for everyone who asks. */
  taskRun(index: number): Promise<TaskRun> {
    const known = this.#taskRuns.get(index)
    if (known) return known
    const taskRun =
      index === 0 ? this.#firstRun().then(({ taskRun }) => taskRun) : this.#runPatiently(this.tasks[index]!)
    // Whoever awaits it hears of it.
    taskRun.catch(() => {})
    this.#taskRuns.set(index, taskRun)
    return taskRun
  }

  /** An agent may take fewer runs at once: what it refuses is run after those under way. */
  async #runPatiently(task: Task, tries: number = PATIENCE): Promise<TaskRun> {
    const taskRun = await this.runTask(task)
    const { alone, exchange } = taskRun.run
    if (alone || tries === 1 || !BUSY.includes(exchange.status)) return taskRun
    await Promise.allSettled(this.#underWay)
    return await this.#runPatiently(task, tries - 1)
  }

  /** Sees to it that all tasks of the file are run, a few at a time. */
  startTasks(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    let next = 0
    const work = async () => {
      while (next < this.tasks.length) {
        const index = next
        next += 1
        await this.taskRun(index).catch(() => {})
      }
    }
    const workers = this.options.concurrency ?? DEFAULT_CONCURRENCY
    for (let worker = 0; worker < workers; worker += 1) void work()
  }

  /** Resolves when all tasks of the file were run. */
  async allTasks(): Promise<void> {
    this.startTasks()
    for (const index of this.tasks.keys()) await this.taskRun(index)
  }

  /**
   * A task that this agent does, right if possible: what others are compared with.
   *
   * @throws NotRun when none of the first few ended in success
   */
  reference(): Promise<TaskRun> {
    this.#reference ??= this.#findReference()
    return this.#reference
  }

  async #findReference(): Promise<TaskRun> {
    const tried: TaskRun[] = []
    for (let index = 0; index < Math.min(REFERENCE_TRIES, this.tasks.length); index += 1) {
      const taskRun = await this.taskRun(index)
      if (taskRun.task.expect.status === 'success' && taskRun.problems.length === 0) return taskRun
      tried.push(taskRun)
    }
    const succeeded = tried.find(({ run }) => run.reply.status === 'success')
    if (succeeded) return succeeded
    throw new NotRun(`it needs a task that succeeds, and none of the first ${tried.length} tasks did`)
  }

  /** Runs the reference once more, perhaps otherwise configured. */
  async again(config?: RunRequest['config'], taskId?: string): Promise<TaskRun> {
    const { task } = await this.reference()
    return await this.runTask(task, taskId, config ?? task.config)
  }

  /** What is wrong with another run of the reference: judged as strictly as the first one came out. */
  async lapses({ run, problems }: TaskRun): Promise<readonly string[]> {
    const reference = await this.reference()
    if (reference.problems.length === 0) return problems
    return judge({ status: 'success' }, run.reply, run.when)
  }

  /** Several tasks at once, with `/health` polled meanwhile. Done once. */
  burst(): Promise<Burst> {
    this.#burst ??= this.#startBurst()
    return this.#burst
  }

  async #startBurst(): Promise<Burst> {
    await this.reference()
    const { burst, healthPolls } = this.limits
    const tasks = Array.from({ length: burst }, (_, index) => this.tasks[index % this.tasks.length]!)
    let isOver = false
    const running = Promise.all(tasks.map(task => this.runTask(task))).finally(() => {
      isOver = true
    })
    const polls: Exchange[] = []
    do {
      polls.push(await this.calls.health(this.calls.bearer()))
      await sleep(BETWEEN_POLLS_MS)
    } while (!isOver && polls.length < healthPolls)
    return { runs: await running, polls }
  }

  /** The command that runs a task. */
  curlRun(request: object): string {
    const tokenVariable = this.options.token === undefined ? undefined : TOKEN_VARIABLE
    return curl({ url: this.url, path: '/run', body: request, tokenVariable })
  }

  curlTask({ input, config }: Task): string {
    return this.curlRun({ task_id: 'test-1', input, ...(config && { config }) })
  }

  /** The command that runs the first task, otherwise configured. */
  curlFirst(config: object | undefined = this.tasks[0]!.config, taskId = 'test-1'): string {
    return this.curlRun({ task_id: taskId, input: this.tasks[0]!.input, ...(config && { config }) })
  }
}

export function newTestId(): string {
  return `test-${randomNumber()}`
}
