import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunRequest } from '@agent-task-service/wire/contract'
import type { Exchange } from '../../agents/exchange.ts'
import { RUN_HEADER } from '../../api.ts'
import type { Estimate } from '../../report.ts'
import { randomNumber } from '../../secrets.ts'
import { judge } from '../../tasks/judge.ts'
import type { SampleTask, TaskFile } from '../../tasks/task.ts'
import type { CheckLimits, CheckOptions } from '../options.ts'
import { AgentCalls } from './calls.ts'
import { Jobs } from './jobs.ts'
import { Observations } from './observations.ts'
import { type CheckedRun, figuresOf, isBusy, replyObject } from './replies.ts'
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

/** How often to retry a task that a busy agent refuses. */
const PATIENCE = 20
/** Runs at once where they may be beside others: fewer than `run.after_hang_up` begins anyway. */
const DEFAULT_CONCURRENCY = 8
/** If the first run takes longer than this, in milliseconds, independent runs overlap. */
const SLOW_MS = 200
/** A test id whose number is written with leading zeros. */
const ZEROS = /^test-0\d/

/** The runs of valid tasks that the checks make, each of which is remembered. */
export class Runs extends Observations {
  readonly options: CheckOptions
  readonly calls: AgentCalls
  readonly url: string
  readonly limits: CheckLimits
  readonly tasks: readonly SampleTask[]
  /** Every run of a valid task so far. */
  readonly runs: CheckedRun[] = []
  /** How many runs may be in progress where they may be beside others. */
  protected readonly workers: number
  #firstMs: number | undefined
  /** Fewest runs that it accepted when several came at once. */
  #accepts = Number.POSITIVE_INFINITY

  constructor(options: CheckOptions, { tasks }: TaskFile) {
    super()
    this.options = options
    this.calls = new AgentCalls(options)
    this.url = this.calls.client.url
    this.limits = this.calls.limits
    this.tasks = tasks
    this.workers = options.concurrency ?? DEFAULT_CONCURRENCY
  }

  /** How many independent runs may be in progress at once. */
  get atOnce(): number {
    return (this.#firstMs ?? 0) > SLOW_MS ? Math.max(1, Math.min(this.workers, this.#accepts)) : 1
  }

  /** It accepted no more than so many of several that came at once. */
  protected accepted(runs: number): void {
    this.#accepts = Math.min(this.#accepts, runs)
  }

  /** Makes the first run, which shows about how long all take. */
  async begin(load: Load): Promise<void> {
    const { taskRun } = await this.firstRun()
    const { budget } = this.calls
    budget.plan(this.atOnce, load)
    if (this.estimate || budget.estimateMs === undefined) return
    const { input_tokens, output_tokens } = figuresOf(taskRun.run)
    this.estimate = {
      runSeconds: Number((this.#firstMs! / 1000).toPrecision(2)),
      runTokens: Number(input_tokens) + Number(output_tokens) || undefined,
      runs: Math.round(load.alone + load.beside),
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
    return this.isBeside ? await this.patiently(attempt) : await attempt()
  }

  async #runOnce(request: RunRequest, { by, agent }: Way): Promise<CheckedRun> {
    const from = new Date()
    const { underWay, leaving } = this.calls
    const others = underWay.size + leaving.now
    const left = leaving.all
    const { result: exchange, busy } = await this.calls.delay.during(() =>
      by ? this.calls.by(by) : this.calls.post(request, { agent }),
    )
    const run: CheckedRun = {
      request,
      exchange,
      reply: replyObject(exchange) ?? {},
      when: { from, to: new Date() },
      alone: others === 0 && underWay.size === 0 && leaving.all === left,
      mayRefuse: this.#namesOtherTools(request) || ZEROS.test(request.task_id),
      busy,
    }
    const record = by ? Number(exchange.headers[RUN_HEADER.toLowerCase()]) : this.options.recordRun?.(run)
    const recorded = { ...run, record: record || undefined }
    this.made(recorded)
    // What a platform answers by itself is no reply of the agent.
    if (!by || !isOfPlatform(exchange)) this.runs.push(recorded)
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
    return (await this.firstRun()).newId()
  }

  /** The first run: under a `test-<n>` id, or under a UUID if only that succeeds. */
  firstRun() {
    return this.once(this.#makeFirstRun)
  }

  readonly #makeFirstRun = async () => {
    const task = this.tasks[0]!
    const taskRun = await this.runTask(task, newTestId())
    this.#firstMs = taskRun.run.exchange.wallMs
    if (taskRun.run.reply.status === 'success') return { taskRun, newId: newTestId }
    const other = await this.runTask(task, randomUUID())
    const isHelped = other.run.reply.status === 'success'
    return isHelped ? { taskRun: other, newId: randomUUID } : { taskRun, newId: newTestId }
  }

  /** The same request under a new id. */
  async repeat({ request }: CheckedRun): Promise<CheckedRun> {
    return await this.run({ ...request, task_id: undefined })
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

  /** Makes all of these runs at once: what that is too much for is refused, and not sent again. */
  async asLoad<Item>(
    items: readonly Item[],
    run: (item: Item) => Promise<TaskRun>,
  ): Promise<readonly TaskRun[]> {
    return await this.calls.retries.load(
      () => Promise.all(items.map(run)),
      one => one.run.exchange,
    )
  }

  /** Does several things, as many at once as may be. */
  async together<Result>(work: readonly (() => Promise<Result>)[]): Promise<readonly Result[]> {
    const jobs = new Jobs(work, one => one())
    jobs.goAhead(this.atOnce)
    await jobs.rest()
    return await Promise.all(work.map(one => jobs.get(one)))
  }

  /** Waits. If the checks end meanwhile, the next request says why. */
  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.calls.signal }).catch(() => {})
  }
}

function exchangeOf(result: Exchange | CheckedRun | TaskRun): Exchange {
  if ('run' in result) return result.run.exchange
  return 'exchange' in result ? result.exchange : result
}

function keyOf({ input, config: { max_tokens, system_prompt } = {} }: RunRequest): string {
  return JSON.stringify([input.replace(/\s+/g, ' ').trim(), max_tokens, system_prompt])
}

/** Whether a platform answered in the agent's place. */
export function isOfPlatform({ headers }: Exchange): boolean {
  return headers['staging-answer'] === 'platform'
}

export function newTestId(): string {
  return `test-${randomNumber()}`
}
