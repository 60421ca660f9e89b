import { judge } from '../../tasks/judge.ts'
import type { SampleTask } from '../../tasks/task.ts'
import { advice, type Check, check } from '../check.ts'
import { type CheckedRun, failuresOf, figuresOf, isBusy } from '../session/replies.ts'
import { newTestId, type Session, type TaskRun } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'

/** Long enough to show in the token count of a model that still reads it: some 900 tokens. */
const FILLER = 'Keep this in mind for all that follows, and pass it on to nobody. '.repeat(60)
const CAPPED = { max_tokens: 1 }
const TOOLLESS = { enabled_tools: [] }
/** Nothing of which may be left for another run. In two runs, since one without tools may fail before it keeps a prompt. */
export const LEFT_BEHIND = [{ system_prompt: FILLER }, { ...CAPPED, ...TOOLLESS }]

/** A run must not be affected by earlier or concurrent runs. */
export function isolation(session: Session): Check[] {
  const { burst, bursts } = session.limits
  const marker = `ZEBRA${newTestId().slice(5)}`
  const prompt = { system_prompt: `Begin and end every answer with the word ${marker}. ${FILLER}` }
  const configs = [CAPPED, prompt, TOOLLESS]
  const isNotKept = (member: string, title: string, first: () => Promise<TaskRun>): Check =>
    check(`run.${member}_not_kept`, title, async () => {
      const { task } = await session.once(subject)
      await first()
      const next = await session.runTask(task)
      const isMentioned = JSON.stringify(next.run.reply).includes(marker)
      expectNone([
        ...(await deviations(session, next)),
        ...(isMentioned ? [`expected nothing of another run's system prompt, got its word ${marker}`] : []),
      ])
    })
  const atOnce = `for i in $(seq ${burst}); do ${session.curlFirst()} & done; wait`
  return [
    isNotKept('system_prompt_is', "One run's system_prompt does not reach the next", () =>
      variant(session, 8, prompt),
    ),
    isNotKept('max_tokens_is', "One run's max_tokens does not cut the next run short", () =>
      session.once(capped),
    ),
    isNotKept('enabled_tools_are', 'A run without tools does not affect the next', () =>
      session.once(withoutTools),
    ),
    check('run.config_each', 'The same input with another config gets its own answer', async () => {
      await session.once(capped)
      await session.once(withoutTools)
      for (const blanks of [CAPPED_BLANKS, TOOLLESS_BLANKS])
        expectNone(await deviations(session, await variant(session, blanks)))
    }),
    check(
      'run.same_test_id',
      'Another task under a used test-<n> gets its own answer, without the config of the first',
      async () => {
        const [first, second] = (await rightOnes(session, 2)) as [TaskRun, TaskRun]
        const taskId = newTestId()
        for (const config of LEFT_BEHIND) await session.runTask(first.task, taskId, config)
        const next = await session.runTask(second.task, taskId)
        expectNone([...next.problems, ...growth(second, next)])
      },
    ),
    check(
      'run.no_memory',
      'Later tasks do not know what an earlier one said, even under the same test-<n>',
      async () => {
        const taskId = newTestId()
        const word = `OKAPI${newTestId().slice(5)}`
        const remember = `Please remember this code word for later: ${word}. Now answer: what is 2 + 2?`
        const input = 'Which code word did I give you before? If there was none, say: none.'
        await session.run({ task_id: taskId, input: remember })
        const ids = [taskId, newTestId()]
        const laterRuns = await Promise.all(ids.map(id => session.run({ task_id: id, input })))
        for (const { reply } of laterRuns) {
          const text = JSON.stringify(reply)
          if (text.includes(word)) throw new Failed(`expected no ${word}, got ${text.slice(0, 300)}`)
        }
        expectNone(growth(await session.reference(), await session.again(undefined, taskId)))
      },
    ),
    advice('run.at_once', `${burst} concurrent runs are all accepted, ${bursts} times`, async () => {
      session.how = atOnce
      const { runs } = await session.burst()
      const refused = runs.filter(({ run }) => isBusy(run.exchange)).length
      if (refused > 0) throw new Failed(`${refused} of ${runs.length} were refused with HTTP 429 or 503`)
    }),
    check(
      'run.concurrent',
      `Of ${burst * bursts} runs, ${burst} at once, none gets another's task_id or answer`,
      async () => {
        session.how = atOnce
        expectNone(await mixUps(session))
      },
    ),
    check(
      'run.concurrent_config',
      `Of ${bursts * 2 * configs.length} runs, ${2 * configs.length} at once, none gets another's config`,
      async () => expectNone(await swaps(session, configs)),
    ),
  ]
}

/** The correctly answered task with the longest answer, so that truncation shows. */
export async function subject(session: Session): Promise<TaskRun> {
  const reference = await session.reference()
  if (reference.problems.length > 0) return reference
  // Run all tasks first, before any other run could affect them.
  if (session.options.only?.includes('result') ?? true) await session.allTasks()
  const right = await rightOnes(session, 1, session.tasks.length)
  const length = ({ run }: TaskRun) => String(run.reply.output).length
  return right.reduce((longest, one) => (length(one) > length(longest) ? one : longest), reference)
}

const CAPPED_BLANKS = 1
const TOOLLESS_BLANKS = 2
const BESIDE_BLANKS = 7

export const capped = (session: Session) => variant(session, CAPPED_BLANKS, CAPPED)
const withoutTools = (session: Session) => variant(session, TOOLLESS_BLANKS, TOOLLESS)

/** @param blanks number of spaces to append to the input: a cache sees another input, a model the same one */
async function variant(session: Session, blanks: number, config?: object): Promise<TaskRun> {
  const { task } = await session.once(subject)
  const other = { ...task, input: `${task.input}${' '.repeat(blanks)}` }
  return await session.runTask(other, undefined, config && { ...task.config, ...config })
}

/** What is wrong with another run of the subject: judged no more strictly than the first, and by the tokens it read. */
export async function deviations(session: Session, next: TaskRun): Promise<string[]> {
  const before = await session.once(subject)
  return [...(await session.lapses(next, before)), ...growth(before, next)]
}

/** A model that sees an earlier conversation reads more tokens; compared if both runs took the same number of steps. */
function growth(reference: TaskRun, next: TaskRun): string[] {
  const [before, after] = [figuresOf(reference.run), figuresOf(next.run)] as const
  if (before.steps !== after.steps) return []
  // If the generated tokens grow too, these are totals over many runs.
  if (!(Number(after.output_tokens) <= Number(before.output_tokens) * 1.2 + 5)) return []
  const [usual, got] = [Number(before.input_tokens), Number(after.input_tokens)]
  return got > usual * 1.2 + 100
    ? [`expected about ${usual} input tokens, as for the same task before, got ${got}`]
    : []
}

/** Tasks of the file that this agent solves. */
async function rightOnes(session: Session, least: number, most = least): Promise<TaskRun[]> {
  const right: TaskRun[] = []
  for (let index = 0; index < session.tasks.length && right.length < most; index += 1) {
    if (right.length < least && index > 2 * least + 2) break
    const taskRun = await session.taskRun(index)
    if (taskRun.problems.length === 0) right.push(taskRun)
  }
  if (right.length < least) throw new NotRun(`needs ${least} tasks that this agent solves`)
  return right
}

/** @throws OutOfSight if the agent accepted fewer than two */
function acceptedOf(runs: readonly TaskRun[]): readonly TaskRun[] {
  const others = runs.filter(({ run }) => !isBusy(run.exchange))
  if (others.length < 2)
    throw new OutOfSight(`of ${runs.length} concurrent runs the agent accepts ${others.length}`)
  return others
}

/** Replies in a burst that belong to another of its runs, or are no longer right. */
async function mixUps(session: Session): Promise<string[]> {
  const { runs } = await session.burst()
  const accepted = acceptedOf(runs)
  const ids = runs.map(({ run }) => run.request.task_id)
  const strays: Stray[] = []
  for (const { task, run, problems } of accepted) {
    const { task_id } = run.reply
    if (task_id !== run.request.task_id && ids.includes(String(task_id))) {
      const problem = `expected the task_id ${run.request.task_id}, got that of another run, ${task_id}`
      strays.push({ run, problem, isCertain: true })
    } else if (problems.length > 0 && (await isSolved(session, task))) {
      const isAnswered = run.reply.status === 'success'
      const others = accepted.filter(other => other.task !== task)
      const isOthers = others.some(other => judge(other.task.expect, run.reply, run.when).length === 0)
      const [problem = problems.join('; ')] = failuresOf(run)
      strays.push({ run, problem, isCertain: !isAnswered || isOthers })
    }
  }
  return problemsOf(session, strays)
}

/** Whether the agent does a task right, before and now. */
async function isSolved(session: Session, task: SampleTask): Promise<boolean> {
  const { problems } = await session.taskRun(session.tasks.indexOf(task))
  return problems.length === 0 && (await session.runTask(task)).problems.length === 0
}

/** How runs of one task with different configs differ, when several are in progress, from the same ones alone. */
async function swaps(session: Session, configs: readonly object[]): Promise<string[]> {
  if ((await deviations(session, await variant(session, 3))).length > 0)
    throw new NotRun('a single run fails too')
  const plain: Kind = { config: undefined, alone: await session.once(subject) }
  const mixed: Kind[] = []
  for (const config of configs)
    mixed.push(plain, { config, alone: await variant(session, BESIDE_BLANKS, config) })
  const strays: Stray[] = []
  for (let round = 0; round < session.limits.bursts; round += 1) {
    // The last to arrive is one with config, then one without.
    const order = round % 2 === 0 ? mixed : mixed.toReversed()
    const runs = await Promise.all(order.map(({ config }) => variant(session, BESIDE_BLANKS, config)))
    const accepted = acceptedOf(runs)
    for (const [index, kind] of order.entries()) {
      const run = runs[index]!
      const stray = accepted.includes(run) ? await strayOf(session, kind, run) : undefined
      if (stray) strays.push(stray)
    }
  }
  return problemsOf(session, strays)
}

/** The run as a stray, if it differs from the same one alone, and another one alone does not do the same. */
async function strayOf(
  session: Session,
  { alone, config }: Kind,
  taskRun: TaskRun,
): Promise<Stray | undefined> {
  const leak = leakOf(alone, taskRun)
  const [problem = leak] = alone.problems.length === 0 ? taskRun.problems : []
  if (problem === undefined) return undefined
  // An agent may do the same task in more than one way.
  const again = await variant(session, BESIDE_BLANKS, config)
  const isStray = leak === undefined ? again.problems.length === 0 : leakOf(again, taskRun) !== undefined
  if (!isStray) return undefined
  return { run: taskRun.run, problem: leak ?? problem, isCertain: leak !== undefined }
}

interface Kind {
  readonly config: object | undefined
  readonly alone: TaskRun
}

/** A run that is not, beside others, what it is alone. */
interface Stray {
  readonly run: CheckedRun
  readonly problem: string
  /** Whether only another run can be behind it; a model may also answer one task in many wrong. */
  readonly isCertain: boolean
}

function problemsOf(session: Session, strays: readonly Stray[]): string[] {
  const counted = strays.length > 1 ? strays : strays.filter(({ isCertain }) => isCertain)
  if (counted.length > 0) session.seen = counted.map(({ run }) => run)
  return [...new Set(counted.map(({ problem }) => `beside other runs: ${problem}; alone it is right`))]
}

/** What shows in a run that it had another config than the same one alone. */
function leakOf(alone: TaskRun, run: TaskRun): string | undefined {
  const [usual, got] = [alone.run, run.run]
  const [before, after] = [figuresOf(usual), figuresOf(got)]
  if (got.exchange.status !== usual.exchange.status)
    return failuresOf(got)[0] ?? 'expected a failure, as alone'
  if (got.reply.status !== usual.reply.status)
    return `expected the status ${JSON.stringify(usual.reply.status)}, got ${JSON.stringify(got.reply.status)}`
  const cap = Number(got.request.config?.max_tokens)
  if (Number(before.output_tokens) <= cap && Number(after.output_tokens) > cap)
    return `expected at most ${cap} output tokens, got ${after.output_tokens}`
  const isBetter = alone.problems.length > 0 && run.problems.length === 0
  if (isBetter && Number(after.steps) > Number(before.steps))
    return `expected ${before.steps} steps, without tools, got ${after.steps}`
  if (growth(alone, run).length + growth(run, alone).length > 0)
    return `expected about ${before.input_tokens} input tokens, got ${after.input_tokens}`
  return undefined
}
