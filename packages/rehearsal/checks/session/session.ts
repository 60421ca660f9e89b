import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:http'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { RunRequest } from '@agent-task-service/wire/contract'
import type { Exchange } from '../../agents/exchange.ts'
import { RUN_HEADER } from '../../api.ts'
import { type Command, curl } from '../../curl.ts'
import type { Estimate } from '../../report.ts'
import { randomNumber } from '../../secrets.ts'
import { judge } from '../../tasks/judge.ts'
import type { SampleTask, TaskFile } from '../../tasks/task.ts'
import type { CheckLimits, CheckOptions } from '../options.ts'
import { Failed, NotRun } from '../verdicts.ts'
import { Calls } from './calls.ts'
import { Jobs } from './jobs.ts'
import { type CheckedRun, isBusy, replyObject } from './replies.ts'
import type { Load } from './time-budget.ts'

export interface TaskRun {
  readonly task: SampleTask
  readonly run: CheckedRun
  /** What is wrong with the answer; empty if it is right. */
  readonly problems: readonly string[]
}

type Task = Omit<RunRequest, 'task_id'> & { readonly task_id?: string | undefined }

interface Way {
  readonly by?: () => Promise<Exchange>
  /** Keeps the connection for the next run with it. */
  readonly agent?: Agent
}

interface Observation {
  readonly isBeside: boolean
  /** Shared work that it made or looked at. */
  readonly shared: Set<unknown>
  seen: CheckedRun[]
  how: string | undefined
}

/** How many tasks to try until one succeeds. */
const REFERENCE_TRIES = 5
/** A task is done wrong if it is wrong so many times more often than right, and right the other way round. */
const WRONG_LEAD = 3
const RIGHT_LEAD = 2
/** How often to retry a task that a busy agent refuses. */
const PATIENCE = 20
/** Runs at once where they may be beside others: fewer than `run.after_hang_up` begins anyway. */
const DEFAULT_CONCURRENCY = 8
const BETWEEN_POLLS_MS = 50
/** If the first run takes longer than this, in milliseconds, independent runs overlap. */
const SLOW_MS = 200
/** A test id whose number is written with leading zeros. */
const ZEROS = /^test-0\d/
/** Commands of one check in a report. */
const SHOWN = 3
/** A text many times in a row, shown once. */
const REPEATED = /(.{1,80}?)\1{9,}/gs
/** The shell variable that holds the agent's token in printed commands. */
const TOKEN_VARIABLE = 'AGENT_TOKEN'

/** One agent being checked. Remembers every run, and runs each task of the task file once for all groups. */
export class Session {
  readonly options: CheckOptions
  readonly calls: Calls
  readonly url: string
  readonly limits: CheckLimits
  readonly tasks: readonly SampleTask[]
  /** Every run of a valid task so far. */
  readonly runs: CheckedRun[] = []
  /** How the agent's process ended by itself, and what was asked of it then: nothing more can be. */
  death:
    | { readonly how: string; readonly during: { readonly id: string; readonly title: string } }
    | undefined
  readonly #workers: number
  readonly #taskRuns: Jobs<number, TaskRun>
  #firstMs: number | undefined
  /** Fewest runs that it accepted when several came at once. */
  #accepts = Number.POSITIVE_INFINITY
  readonly #done = new Map<unknown, Promise<unknown>>()
  readonly #doneBeside = new Set<unknown>()

  constructor(options: CheckOptions, { tasks }: TaskFile) {
    this.options = options
    this.calls = new Calls(options)
    this.url = this.calls.client.url
    this.limits = this.calls.limits
    this.tasks = tasks
    this.#workers = options.concurrency ?? DEFAULT_CONCURRENCY
    this.#taskRuns = new Jobs([...tasks.keys()], index =>
      index === 0
        ? this.once(this.#firstRun).then(({ taskRun }) => taskRun)
        : this.patiently(() => this.runTask(tasks[index]!)),
    )
    this.#again = new Jobs([...tasks.keys()], async index => await this.#askAgain(index))
  }

  /**
   * Runs a check, which may be beside others.
   *
   * @param isBeside the agent may refuse a run of it for the others, which is then repeated
   * @returns its result; the command that reproduces it and the number of its last run's record, if there are any; and what
   *   forgets shared work that was done beside others, so that another try does it again
   */
  async observe<Result>(check: () => Promise<Result>, isBeside = false) {
    const observation: Observation = { isBeside, shared: new Set(), seen: [], how: undefined }
    return await this.#observations.run(observation, async () => {
      const result = await check()
      const record = observation.seen.at(-1)?.record
      const forget = () => this.#forget(observation.shared)
      return { result, how: observation.how, record, curl: this.curlSeen(), forget }
    })
  }

  readonly #observations = new AsyncLocalStorage<Observation>()

  get #current(): Observation {
    return this.#observations.getStore() ?? { isBeside: false, shared: new Set(), seen: [], how: undefined }
  }

  /** The runs of valid tasks that the current check made or looked at. */
  get seen(): CheckedRun[] {
    return this.#current.seen
  }

  set seen(runs: CheckedRun[]) {
    this.#current.seen = runs
  }

  /** @throws Failed, with the run that shows it */
  failIn(run: CheckedRun, problem: string): never {
    this.seen = [run]
    throw new Failed(problem)
  }

  /** The command that reproduces the current check; absent: its group's, or the runs that it made or looked at. */
  get how(): string | undefined {
    return this.#current.how
  }

  set how(command: string | undefined) {
    this.#current.how = command
  }

  /** Work that several checks share; each piece is done once. */
  once<Result>(make: (session: Session) => Promise<Result>): Promise<Result> {
    const { shared, isBeside } = this.#current
    shared.add(make)
    const known = this.#done.get(make) as Promise<Result> | undefined
    if (known) return known
    const result = make(this)
    this.#done.set(make, result)
    if (isBeside) this.#doneBeside.add(make)
    return result
  }

  #forget(shared: ReadonlySet<unknown>): void {
    for (const make of shared) if (this.#doneBeside.delete(make)) this.#done.delete(make)
  }

  /** Whether nothing that follows would say anything about the agent. */
  get isOver(): boolean {
    return this.calls.isRefused || this.death !== undefined
  }

  /** How many independent runs may be in progress at once. */
  get atOnce(): number {
    return (this.#firstMs ?? 0) > SLOW_MS ? Math.max(1, Math.min(this.#workers, this.#accepts)) : 1
  }

  /** Makes the first run, which shows about how long all take. */
  async begin(load: Load): Promise<void> {
    await this.once(this.#firstRun)
    const { budget } = this.calls
    budget.plan(this.atOnce, load)
    if (this.estimate || budget.estimateMs === undefined) return
    this.estimate = {
      runSeconds: Number((this.#firstMs! / 1000).toPrecision(2)),
      seconds: Math.round(budget.estimateMs / 1000),
      limitSeconds: budget.isFixed ? budget.limitMs / 1000 : undefined,
    }
  }

  /** Undefined before the first run, and if that did not succeed. */
  estimate: Estimate | undefined

  /** How long the quickest successful run took, in milliseconds. */
  get quickestMs(): number {
    const done = this.runs.filter(({ reply }) => reply.status === 'success')
    return Math.min(...done.map(({ exchange }) => exchange.wallMs))
  }

  /** Runs a valid task, directly or through the platform; under a new id, unless it has one. */
  async run({ task_id, ...task }: Task, way: Way = {}): Promise<CheckedRun> {
    const request = { task_id: task_id ?? (await this.newId()), ...task }
    const attempt = async () => await this.#runOnce(request, way)
    return this.#current.isBeside ? await this.patiently(attempt) : await attempt()
  }

  async #runOnce(request: RunRequest, { by, agent }: Way): Promise<CheckedRun> {
    const from = new Date()
    const { underWay } = this.calls
    const others = underWay.size
    const { result: exchange, busy } = await this.calls.delay.during(() =>
      by ? this.calls.by(by) : this.calls.post(request, { agent }),
    )
    const run: CheckedRun = {
      request,
      exchange,
      reply: replyObject(exchange) ?? {},
      when: { from, to: new Date() },
      alone: others === 0 && underWay.size === 0,
      mayRefuse: this.#namesOtherTools(request) || ZEROS.test(request.task_id),
      busy,
    }
    const record = by ? Number(exchange.headers[RUN_HEADER.toLowerCase()]) : this.options.recordRun?.(run)
    const recorded = { ...run, record: record || undefined }
    this.seen.push(recorded)
    this.runs.push(recorded)
    if (run.reply.status === 'success') this.calls.budget.measured(exchange.wallMs)
    return recorded
  }

  /** Whether it names tools of which nothing shows that the agent has them. */
  #namesOtherTools({ config: { enabled_tools = [] } = {} }: RunRequest): boolean {
    const known = this.tasks.flatMap(({ config }) => config?.enabled_tools ?? [])
    return enabled_tools.some(name => !known.includes(name))
  }

  /**
   * Whether the same text was sent before this run's end under the same cap and prompt, whatever its blanks: an agent may
   * have kept its answer. Of two sent together, either may be worked on first.
   */
  isRepeat({ request, exchange, when }: CheckedRun): boolean {
    const key = keyOf(request)
    return this.runs.some(
      run => run.exchange !== exchange && run.when.from <= when.to && keyOf(run.request) === key,
    )
  }

  /** Runs a task of the file again. */
  async runTask(task: SampleTask, taskId?: string, config = task.config): Promise<TaskRun> {
    const run = await this.run({ task_id: taskId, input: task.input, config })
    return { task, run, problems: judge(task.expect, run.reply, run.when) }
  }

  /** A task id of a kind that this agent accepts; other checks cover the other kinds. */
  async newId(): Promise<string> {
    return (await this.once(this.#firstRun)).newId()
  }

  /** The first run: under a `test-<n>` id, or under a UUID if only that succeeds. */
  readonly #firstRun = async () => {
    const task = this.tasks[0]!
    const taskRun = await this.runTask(task, newTestId())
    this.#firstMs = taskRun.run.exchange.wallMs
    if (taskRun.run.reply.status === 'success') return { taskRun, newId: newTestId }
    const other = await this.runTask(task, randomUUID())
    const isHelped = other.run.reply.status === 'success'
    return isHelped ? { taskRun: other, newId: randomUUID } : { taskRun, newId: newTestId }
  }

  /** The run of the task with this index; shared by all checks. One that went wrong is judged by other tries, alone. */
  async taskRun(index: number): Promise<TaskRun> {
    const first = await this.#taskRuns.get(index)
    return first.problems.length === 0 ? first : await this.#again.get(index)
  }

  readonly #again: Jobs<number, TaskRun>

  /** A model words an answer in many ways, and not every right one is known: the more frequent verdict counts. */
  async #askAgain(index: number): Promise<TaskRun> {
    this.startTasks()
    await this.#taskRuns.rest()
    const all = await Promise.allSettled([...this.tasks.keys()].map(other => this.#taskRuns.get(other)))
    const first = await this.#taskRuns.get(index)
    const isAble = all.some(one => one.status === 'fulfilled' && one.value.problems.length === 0)
    const ask = async () => await this.runTask(this.tasks[index]!)
    let wrong = first.run.alone ? first : await ask()
    // Others may have been behind it.
    if (wrong.problems.length === 0 || !isAble) return wrong
    for (let lead = 1; lead < WRONG_LEAD; ) {
      const next = await ask()
      const isWrong = next.problems.length > 0
      lead += isWrong ? 1 : -1
      if (lead <= -RIGHT_LEAD) return next
      const isRepeated = isWrong && next.run.reply.output === wrong.run.reply.output
      if (isWrong) wrong = next
      if (isRepeated) break
    }
    return wrong
  }

  /** The same run with the agent to itself, if it was beside others: whether they are behind what it shows. */
  async againAlone(run: CheckedRun): Promise<CheckedRun> {
    if (run.alone) return run
    const again = this.#againAlone.get(run) ?? this.run(run.request)
    this.#againAlone.set(run, again)
    return await again
  }

  readonly #againAlone = new Map<CheckedRun, Promise<CheckedRun>>()

  /** An agent may accept fewer concurrent runs; those it refuses are retried after the ones in progress. */
  readonly patiently = async <Came extends Exchange | CheckedRun | TaskRun>(
    attempt: () => Promise<Came>,
    tries = PATIENCE,
  ): Promise<Came> => {
    const { underWay } = this.calls
    const others = underWay.size
    const result = await attempt()
    const wasAlone = others === 0 && underWay.size === 0
    if (wasAlone || tries === 1 || !isBusy(exchangeOf(result))) return result
    await Promise.allSettled(underWay)
    return await this.patiently(attempt, tries - 1)
  }

  /** Does several things, as many at once as may be. */
  async together(work: readonly (() => Promise<unknown>)[]): Promise<void> {
    const jobs = new Jobs(work, one => one())
    jobs.goAhead(this.atOnce)
    await jobs.rest()
    for (const one of work) await jobs.get(one)
  }

  /** Waits. If the checks end meanwhile, the next request says why. */
  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.calls.signal }).catch(() => {})
  }

  /** Starts all tasks of the file, a few at a time. */
  startTasks(): void {
    this.#taskRuns.goAhead(this.#workers)
  }

  /** Resolves when all tasks of the file have run. */
  async allTasks(): Promise<void> {
    this.startTasks()
    for (const index of this.tasks.keys()) await this.taskRun(index)
  }

  /**
   * The reference: a task that this agent completes, correctly if possible, with which others are compared.
   *
   * @throws NotRun if none of the first few succeeded
   */
  reference(): Promise<TaskRun> {
    return this.once(this.#findReference)
  }

  readonly #findReference = async (): Promise<TaskRun> => {
    const attempted: TaskRun[] = []
    for (let index = 0; index < Math.min(REFERENCE_TRIES, this.tasks.length); index += 1) {
      const taskRun = await this.taskRun(index)
      if (taskRun.task.expect.status === 'success' && taskRun.problems.length === 0) return taskRun
      attempted.push(taskRun)
    }
    const succeeded = attempted.find(({ run }) => run.reply.status === 'success')
    if (succeeded) return succeeded
    throw new NotRun(`needs a task that succeeds, and none of the first ${attempted.length} tasks did`)
  }

  /** Runs the reference again, optionally with another config. */
  async again(config?: RunRequest['config'], taskId?: string): Promise<TaskRun> {
    const { task } = await this.reference()
    return await this.runTask(task, taskId, config ?? task.config)
  }

  /** A request for the reference, under a new id. */
  async newRequest(): Promise<RunRequest> {
    const { input, config } = (await this.reference()).task
    return { task_id: await this.newId(), input, config }
  }

  /** What is wrong with another run of a task (default: the reference), judged no more strictly than its first run. */
  async lapses({ run, problems }: TaskRun, first?: TaskRun): Promise<readonly string[]> {
    const before = first ?? (await this.reference())
    if (before.problems.length === 0) return problems
    return judge({ status: 'success' }, run.reply, run.when)
  }

  /** Runs several tasks concurrently, a few times; also returns what `/health` answered in the meantime. */
  async burst() {
    const burst = await this.once(this.#startBurst)
    // Which of the runs is behind a failure is not known.
    this.seen = []
    return burst
  }

  readonly #startBurst = async () => {
    await this.reference()
    const { burst, bursts, healthPolls } = this.limits
    const indexes = Array.from({ length: burst * bursts }, (_, index) => index)
    const runOne = (index: number) => {
      const run = this.runTask(this.tasks[index % this.tasks.length]!)
      // What is wrong with it is judged by another try alone.
      if (index < this.tasks.length) this.#taskRuns.put(index, run)
      return run
    }
    const runAll = async () => {
      const runs: TaskRun[] = []
      for (let at = 0; at < indexes.length; at += burst) {
        const round = await Promise.all(indexes.slice(at, at + burst).map(runOne))
        const refused = round.filter(({ run }) => isBusy(run.exchange)).length
        if (refused > 0) this.#accepts = Math.min(this.#accepts, burst - refused)
        runs.push(...round)
      }
      this.calls.budget.plan(this.atOnce)
      return runs
    }
    let isOver = false
    const running = runAll().finally(() => {
      isOver = true
    })
    // A poll may throw first, if the checks are stopped.
    running.catch(() => {})
    const polls: Exchange[] = []
    // The runs are sent first.
    await setImmediate()
    do {
      polls.push(await this.calls.health())
      await sleep(polls.length < healthPolls ? BETWEEN_POLLS_MS : 10 * BETWEEN_POLLS_MS)
    } while (!isOver)
    return { runs: await running, polls }
  }

  /** The command that sends a request with the agent's token, if it has one. */
  curl(command: Omit<Command, 'url' | 'tokenVariable'>): string {
    const hasToken = this.options.token !== undefined && command.headers?.authorization === undefined
    const tokenVariable = hasToken ? TOKEN_VARIABLE : undefined
    const text = curl({ url: this.url, ...command, tokenVariable })
    // A command that makes its body has it compressed.
    return command.bodyFrom ? text : text.replace(REPEATED, '$1…')
  }

  /** The commands that repeat the latest runs of the current check, or that run the first task. */
  curlSeen(): string {
    const commands = this.seen.map(({ request }) => {
      const task_id = request.task_id.replace(/^test-\d+$/, 'test-1')
      return this.curl({ path: '/run', body: { ...request, task_id } })
    })
    return [...new Set(commands)].slice(-SHOWN).join('\n') || this.curlFirst()
  }

  /** The command that runs the first task. */
  curlFirst(): string {
    const { input, config } = this.tasks[0]!
    return this.curl({ path: '/run', body: { task_id: 'test-1', input, config } })
  }
}

function exchangeOf(result: Exchange | CheckedRun | TaskRun): Exchange {
  if ('run' in result) return result.run.exchange
  return 'exchange' in result ? result.exchange : result
}

function keyOf({ input, config: { max_tokens, system_prompt } = {} }: RunRequest): string {
  return JSON.stringify([input.replace(/\s+/g, ' ').trim(), max_tokens, system_prompt])
}

export function newTestId(): string {
  return `test-${randomNumber()}`
}
