import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { RunRequest } from '@agent-task-service/wire/contract'
import type { Exchange } from '../../agents/exchange.ts'
import { type CurlCommand, curl } from '../../curl.ts'
import { judge } from '../../tasks/judge.ts'
import type { TaskFile } from '../../tasks/task.ts'
import type { CheckOptions } from '../options.ts'
import { NotRun } from '../verdicts.ts'
import { Jobs } from './jobs.ts'
import { type CheckedRun, isBusy } from './replies.ts'
import { Runs, type TaskRun } from './runs.ts'

export { newTestId, type TaskRun } from './runs.ts'

/** An object is sent as JSON. */
type Body = string | object | Uint8Array

/** How many tasks to try until one succeeds. */
const REFERENCE_TRIES = 5
/** A task is done wrong if it is wrong so many times more often than right, and right the other way round. */
const WRONG_LEAD = 3
const RIGHT_LEAD = 2
const BETWEEN_POLLS_MS = 50
/** Commands of one check in a report. */
const SHOWN = 3
/** Longer bodies, in bytes, are shown compressed, so that a command can be pasted whole. */
const LONG = 1_000
/** What shells take as one word of a command. */
const MOST = 100_000
/** The shell variable that holds the agent's token in printed commands. */
const TOKEN_VARIABLE = 'AGENT_TOKEN'

/** One agent being checked. Runs each task of the task file once for all groups. */
export class Session extends Runs {
  /** How the agent's process ended by itself, and what was asked of it then: nothing more can be. */
  death:
    | { readonly how: string; readonly during: { readonly id: string; readonly title: string } }
    | undefined
  readonly #taskRuns: Jobs<number, TaskRun>
  readonly #again: Jobs<number, TaskRun>

  constructor(options: CheckOptions, file: TaskFile) {
    super(options, file)
    const { tasks } = file
    this.#taskRuns = new Jobs([...tasks.keys()], index =>
      index === 0
        ? this.firstRun().then(({ taskRun }) => taskRun)
        : this.patiently(() => this.runTask(tasks[index]!)),
    )
    this.#again = new Jobs([...tasks.keys()], async index => await this.#askAgain(index))
  }

  /** Whether nothing that follows would say anything about the agent. */
  get isOver(): boolean {
    return this.calls.isRefused || this.death !== undefined
  }

  /** The run of the task with this index; shared by all checks. One that went wrong is judged by other tries, alone. */
  async taskRun(index: number): Promise<TaskRun> {
    const first = await this.#taskRuns.get(index)
    return first.problems.length === 0 ? first : await this.#again.get(index)
  }

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

  /** Starts all tasks of the file, a few at a time. */
  startTasks(): void {
    this.#taskRuns.goAhead(this.workers)
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
    const { healthPolls } = this.limits
    const running = this.bursts()
    const over = running.then(
      () => true,
      () => true,
    )
    const polls: Exchange[] = []
    const restMs = () => (polls.length < healthPolls ? 1 : 10) * BETWEEN_POLLS_MS
    // The runs are sent first.
    await setImmediate()
    do polls.push(await this.calls.health())
    while (!(await Promise.race([over, this.rest(restMs())])))
    return { runs: await running, polls }
  }

  /** Runs of the tasks of the file, a few at once, a few times. */
  async bursts(): Promise<TaskRun[]> {
    const { burst, bursts } = this.limits
    const indexes = Array.from({ length: burst * bursts }, (_, index) => index)
    const runOne = (index: number) => {
      const run = this.runTask(this.tasks[index % this.tasks.length]!)
      // What is wrong with it is judged by another try alone.
      if (index < this.tasks.length) this.#taskRuns.put(index, run)
      return run
    }
    const runs: TaskRun[] = []
    for (let at = 0; at < indexes.length; at += burst) {
      const round = await this.asLoad(indexes.slice(at, at + burst), runOne)
      const refused = round.filter(({ run }) => isBusy(run.exchange)).length
      if (refused > 0) this.accepted(burst - refused)
      runs.push(...round)
    }
    this.calls.budget.plan(this.atOnce)
    return runs
  }

  /** The command that sends a request with the agent's token, if it has one: whole, as it is. */
  curl({ body, ...command }: Omit<CurlCommand, 'url' | 'tokenVariable' | 'body'> & { body?: Body }): string {
    const hasToken = this.options.token !== undefined && command.headers?.authorization === undefined
    const tokenVariable = hasToken ? TOKEN_VARIABLE : undefined
    const bytes = body === undefined ? undefined : bytesOf(body)
    const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
    const sent =
      bytes === undefined || (bytes.length <= LONG && isUtf8(bytes))
        ? { body: bytes && Buffer.from(bytes).toString() }
        : {
            bodyFrom: `echo ${gzipSync(bytes).toString('base64')} | base64 -d | gunzip`,
            isText: isJson && bytes.length <= MOST,
          }
    return curl({ url: this.url, ...sent, ...command, tokenVariable })
  }

  /**
   * The commands that repeat the latest of these runs, in their order, or that run the first task.
   *
   * @param between what joins them; `--next`: they use one connection
   */
  curlOf(runs: readonly CheckedRun[], between = '\n'): string {
    const bodyOf = ({ request }: CheckedRun) => JSON.stringify({ ...request, task_id: '' })
    const latest = runs
      .filter((run, index) => !runs.slice(index + 1).some(later => bodyOf(later) === bodyOf(run)))
      .slice(-SHOWN)
    const ids = [...new Set(latest.map(({ request }) => request.task_id))]
    const commands = latest.map(({ request }) => {
      const task_id = request.task_id.replace(/^test-\d+$/, id => `test-${ids.indexOf(id) + 1}`)
      return this.curl({ path: '/run', body: { ...request, task_id } })
    })
    return commands.join(between).replaceAll('--next curl', '--next') || this.curlFirst()
  }

  /** The command that runs the first task, whose caller may leave before its end. */
  curlFirst(more: Pick<CurlCommand, 'leaves' | 'headers'> = {}): string {
    const { input, config } = this.tasks[0]!
    return this.curl({ path: '/run', body: { task_id: 'test-1', input, config }, ...more })
  }
}

function bytesOf(body: Body): Uint8Array {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
