import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunRequest } from '../../src/contract.ts'
import { AgentClient } from '../agent-client.ts'
import type { Exchange } from '../exchange.ts'
import { type Answer, judge, type When } from '../tasks/judge.ts'
import type { Task, TaskFile } from '../tasks/task.ts'
import { NotRun } from './check.ts'
import { curl } from './curl.ts'
import { percentile } from './figures.ts'
import { type CheckLimits, type CheckOptions, defaultLimits } from './options.ts'
import { objectIn } from './replies.ts'
import { randomNumber } from './secrets.ts'

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

/** Runs in a row without a reply after which no more are tried. */
const GIVE_UP_AFTER = 3
/** Tasks that are tried until one is done right. */
const REFERENCE_TRIES = 5
/** At once, of the task file. */
const DEFAULT_CONCURRENCY = 4
const BETWEEN_POLLS_MS = 50
/** Where the shell of whoever tries a command has the agent's token. */
export const TOKEN_VARIABLE = 'AGENT_TOKEN'

/** One agent under its checks: calls it, remembers every run, and does each task of the task file once for all groups. */
export class Session {
  readonly options: CheckOptions
  readonly limits: CheckLimits
  readonly client: AgentClient
  readonly tasks: readonly Task[]
  readonly signal: AbortSignal
  /** Every run of a valid task so far. */
  readonly runs: Run[] = []
  /** Those of them that went through the platform. */
  readonly platformRuns: Run[] = []
  /** What came in reply to anything but `/health`. */
  readonly replies: string[] = []
  readonly #healthMs: number[] = []
  #first: Promise<First> | undefined
  #taskRuns = new Map<number, Promise<TaskRun>>()
  #burst: Promise<Burst> | undefined
  #reference: Promise<TaskRun> | undefined
  #hasStarted = false
  #underWay = 0
  #unanswered = 0

  constructor(options: CheckOptions, { tasks }: TaskFile) {
    this.options = options
    this.limits = { ...defaultLimits, ...options.limits }
    this.client = new AgentClient({ url: options.url, token: options.token })
    this.tasks = tasks
    const timeLimit = AbortSignal.timeout(this.limits.totalMs)
    this.signal = options.signal ? AbortSignal.any([options.signal, timeLimit]) : timeLimit
  }

  /** Gives an agent that was given up one more try. */
  begin(): void {
    this.#unanswered = Math.min(this.#unanswered, GIVE_UP_AFTER - 1)
  }

  /** @throws NotRun when the checks were ended, or the agent was given up */
  #mayCall(): void {
    if (this.options.signal?.aborted) throw new NotRun('the checks were ended before')
    if (this.signal.aborted) {
      throw new NotRun(`all checks together may take ${this.limits.totalMs / 1000} s, and that was over`)
    }
    if (this.#unanswered >= GIVE_UP_AFTER) {
      throw new NotRun(`${GIVE_UP_AFTER} runs in a row got no reply, so no more were tried`)
    }
  }

  async health(headers?: Record<string, string>): Promise<Exchange> {
    if (this.signal.aborted) this.#mayCall()
    const { healthTimeoutMs: timeoutMs } = this.limits
    const exchange = await this.client.health({ timeoutMs, signal: this.signal, headers })
    if (exchange.failure === null) this.#healthMs.push(exchange.wallMs)
    return exchange
  }

  /** What the way to the agent and back takes, in milliseconds, as `/health` shows it. */
  get wayMs(): number {
    return this.#healthMs.length === 0 ? 0 : percentile(this.#healthMs, 50)
  }

  /** Sends anything to `/run`, or elsewhere. */
  async send(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string | Uint8Array | undefined } = {},
  ): Promise<Exchange> {
    const exchange = await this.#call(signal =>
      this.client.request(method, path, {
        timeoutMs: this.limits.runTimeoutMs,
        signal,
        headers: { ...this.bearer(), ...headers },
        body,
      }),
    )
    // What ended the agent was another request: that it is gone says nothing of this one.
    if (exchange.failure?.kind === 'refused') throw new NotRun('the agent takes no connections any more')
    return exchange
  }

  async #call(request: (signal: AbortSignal) => Promise<Exchange>): Promise<Exchange> {
    this.#mayCall()
    const exchange = await request(this.signal)
    this.replies.push(`${JSON.stringify(exchange.headers)} ${exchange.body}`)
    if (exchange.failure?.kind === 'aborted') this.#mayCall()
    this.#unanswered = exchange.failure === null ? 0 : this.#unanswered + 1
    return exchange
  }

  /** Runs a valid task, directly or by another way. */
  async run(request: RunRequest, by?: (signal: AbortSignal) => Promise<Exchange>): Promise<Run> {
    const from = new Date()
    const alone = this.#underWay === 0
    this.#underWay += 1
    try {
      const headers = { 'content-type': 'application/json' }
      const exchange = await (by
        ? this.#call(by)
        : this.send('POST', '/run', { headers, body: JSON.stringify(request) }))
      const reply = objectIn(exchange) ?? {}
      const run = {
        request,
        exchange,
        reply,
        when: { from, to: new Date() },
        alone: alone && this.#underWay === 1,
      }
      this.runs.push(run)
      return run
    } finally {
      this.#underWay -= 1
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
      index === 0 ? this.#firstRun().then(({ taskRun }) => taskRun) : this.runTask(this.tasks[index]!)
    // Whoever awaits it hears of it.
    taskRun.catch(() => {})
    this.#taskRuns.set(index, taskRun)
    return taskRun
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
      polls.push(await this.health(this.options.token ? this.bearer() : undefined))
      await sleep(BETWEEN_POLLS_MS)
    } while (!isOver && polls.length < healthPolls)
    return { runs: await running, polls }
  }

  bearer(): Record<string, string> {
    const { token } = this.options
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /** The command that runs a task. */
  curlRun(request: object): string {
    const tokenVariable = this.options.token === undefined ? undefined : TOKEN_VARIABLE
    return curl({ url: this.client.url, path: '/run', body: request, tokenVariable })
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
